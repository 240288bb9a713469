"""BibTeX: parsing into blocks with positions, writing, field checks, LaTeX and names.

``read_bibtex`` returns a ``Document`` of ``Block``s and problems; ``write_bibtex`` returns text. Every other room may
import this one, which itself imports only ``problems``.
"""

from survey.literature.bibtex.blocks import FORBIDDEN, KEY, MONTHS, Block, Document, Field, collapsed, unwritable
from survey.literature.bibtex.capitals import escaped, protected, unprotected
from survey.literature.bibtex.fields import (
    CHECKS,
    CITED,
    FORMER,
    LATEX,
    OWN,
    REQUIRED_BY_TYPE,
    arxiv_date,
    check_combinations,
    check_field,
)
from survey.literature.bibtex.latex import COMBINING, FONTS, SYMBOLS, readable, to_latex
from survey.literature.bibtex.names import Name, parse_names
from survey.literature.bibtex.reading import Known, parse_bibtex, read_bibtex, write_bibtex

__all__ = [
    "CHECKS", "CITED", "COMBINING", "FONTS", "FORBIDDEN", "FORMER", "KEY", "LATEX", "MONTHS", "OWN",
    "REQUIRED_BY_TYPE", "SYMBOLS", "Block", "Document", "Field", "Known", "Name", "arxiv_date", "check_combinations",
    "check_field", "collapsed", "escaped", "parse_bibtex", "parse_names", "protected", "read_bibtex", "readable",
    "to_latex", "unprotected", "unwritable", "write_bibtex",
]  # fmt: skip
