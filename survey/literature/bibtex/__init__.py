"""BibTeX: parsing into blocks with positions, writing, field checks, LaTeX and names.

``read_bibtex`` returns a ``Document`` of ``Block``s and problems; ``write_bibtex`` returns text. Every other room may
import this one, which itself imports only ``problems``.
"""

from survey.literature.bibtex.blocks import (
    FORBIDDEN,
    KEY,
    MONTHS,
    Block,
    Document,
    Field,
    address_of,
    collapsed,
    key_problem,
    unwritable,
)
from survey.literature.bibtex.capitals import escaped, protected, unprotected
from survey.literature.bibtex.commands import COMBINING, FONTS, SYMBOLS
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
from survey.literature.bibtex.formulas import in_unicode
from survey.literature.bibtex.full_parser import enclosed
from survey.literature.bibtex.latex import by_formula, readable, runs, to_latex, unknown_latex
from survey.literature.bibtex.names import Name, parse_names
from survey.literature.bibtex.reading import Known, parse_bibtex, read_bibtex, write_bibtex

__all__ = [
    "CHECKS", "CITED", "COMBINING", "FONTS", "FORBIDDEN", "FORMER", "KEY", "LATEX", "MONTHS", "OWN",
    "REQUIRED_BY_TYPE", "SYMBOLS", "Block", "Document", "Field", "Known", "Name", "address_of", "arxiv_date",
    "by_formula", "check_combinations", "check_field", "collapsed", "enclosed", "escaped", "in_unicode", "key_problem",
    "parse_bibtex", "parse_names", "protected", "read_bibtex", "readable", "runs", "to_latex", "unknown_latex",
    "unprotected", "unwritable", "write_bibtex",
]  # fmt: skip
