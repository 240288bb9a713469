"""Entries as written: type, key, and fields with their lines; and which texts a field can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from survey.literature.problems import Problem, quoted

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""The macros that every BibTeX style defines; no other bare word is a valid value."""

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(?:[:/][A-Za-z0-9._+-]+)*")
"""A key, in the style of INSPIRE (``Araz:2026img``) and DBLP (``DBLP:journals/corr/abs-2401-1``) too, and no URL."""

ELSEWHERE = str.maketrans(":/", "..")
"""Signs of keys that an address of the web, or a file of Windows, cannot have in a name."""

RESERVED = re.compile(r"(?i)(?:index|readme|.*[.:/](?:bib|csv|html|ipynb|json|md|ris|xml))$")
"""Keys whose page would be another page or file of the site: a list, or the file of another entry."""

BRACE = re.compile(r"[{}]")
SPACES = re.compile(r"[ \t\r\n]+")
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
"""Characters that no text needs: control characters, invisible ones, and those that change the text direction."""

SWALLOWED = re.compile(
    r"@[A-Za-z]+[ \t]*\{[^{},=\s]{1,200},\s{0,200}[A-Za-z-]{1,60}[ \t]*="
    r"|\n[ \t]{0,200}[A-Za-z][A-Za-z-]{0,60}[ \t]{0,200}=[ \t]{0,200}[{\"]"
)
"""The start of an entry, or of a field on a line of its own, inside a value."""


@dataclass(frozen=True, slots=True)
class Field:
    """The text of a field, without its delimiters, and the line where it starts."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """One BibTeX entry as written: type, key, fields in their order."""

    type: str
    key: str
    line: int
    fields: Mapping[str, Field]

    def text(self, name: str) -> str:
        """Return the text of a field; empty if the entry has no such field."""
        found = self.fields.get(name)
        return found.text if found else ""


@dataclass(frozen=True, slots=True)
class Document:
    """The entries of a BibTeX file, and all its syntax problems."""

    path: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...]


def unwritable(text: str) -> str:
    """Return why a text cannot be a braced BibTeX value; empty if it can.

    BibTeX counts every brace; bibtexparser ignores braces after a backslash. Only a text that is balanced both
    ways is read the same by all programs.
    """
    if "{" not in text and "}" not in text and "\\" not in text:
        return ""
    strict = lenient = 0
    for match in BRACE.finditer(text):
        step = 1 if match.group() == "{" else -1
        strict += step
        lenient += step if text[match.start() - 1 : match.start()] != "\\" else 0
        if strict < 0 or lenient < 0:
            return "a closing brace has no opening one"
    if strict or lenient:
        return "braces do not balance"
    if text.endswith("\\"):
        return "a backslash at the end hides the closing brace"
    return ""


def address_of(key: str) -> str:
    """Return the name that an entry has in addresses and file names: its key, with a full stop for each : and /.

    >>> address_of("chen2026word"), address_of("DBLP:journals/corr/abs-2401-1")
    ('chen2026word', 'DBLP.journals.corr.abs-2401-1')
    """
    return key.translate(ELSEWHERE)


def key_problem(key: str) -> str:
    """Return why a text cannot be the key of an entry, which names its page and its file; empty if it can.

    >>> key_problem("Araz:2026img"), key_problem("../x"), key_problem("x.bib")  # doctest: +NORMALIZE_WHITESPACE
    ('', '"../x" cannot be a key (letters, digits, . _ + -, and : / inside)',
     '"x.bib" cannot be a key (the site has another page or file of this name)')
    """
    if not KEY.fullmatch(key):
        return f"{quoted(key)} cannot be a key (letters, digits, . _ + -, and : / inside)"
    if RESERVED.match(key):
        return f"{quoted(key)} cannot be a key (the site has another page or file of this name)"
    return ""


def collapsed(text: str) -> str:
    """Return the text as BibTeX reads it: each run of line breaks and blanks becomes one blank."""
    if "  " in text or not text.isprintable():  # a line break or a tab is not printable
        text = SPACES.sub(" ", text)
    return text.strip(" ")
