"""Entries in the plain form that this project writes: a field a line, its value in braces.

Nearly every entry of a pool is. It is taken line by line with two expressions, in a fraction of the
time that a parser of all BibTeX needs. Nothing is decided here: an entry that is unusual or wrong in
any way is not plain, and is left to that parser, which finds the words for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from sys import intern
from types import MappingProxyType

from survey.literature.bibtex.blocks import FORBIDDEN, MONTHS, SWALLOWED, Block, Field, collapsed, unwritable

BETWEEN = re.compile(r"(?:[ \t]*(?:%[^@\\\n]*)?\n)*")
"""Blank lines and remarks. To bibtexparser an @ begins an entry even there."""

HEAD = re.compile(r"@([A-Za-z]+)\{([A-Za-z0-9][A-Za-z0-9._+-]*),[ \t]*\n")
FIELD = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*=[ \t]*(?:\{(.*)\}|([0-9]+|[A-Za-z]{3}))(,?)[ \t]*\n")
TAIL = re.compile(r"[ \t]*\}[ \t]*(?:\n|\Z)")

NO_ENTRY = ("comment", "preamble", "string")
"""What a block that is no entry begins with."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, where the text goes on behind it, and how many lines lie before that."""

    block: Block
    end: int
    line: int


def entry(text: str, at: int, line: int) -> Found | None:
    """The plain entry that stands at a place, blank lines and remarks before it left out.

    ``line`` is how many lines lie before the place, which must be the beginning of one.
    """
    between = BETWEEN.match(text, at)
    begin = between.end() if between else at
    head = HEAD.match(text, begin)
    if not head or head[1].lower().startswith(NO_ENTRY):
        return None
    first = line + text.count("\n", at, begin) + 1
    fields: dict[str, Field] = {}
    at, line, more = head.end(), first, ","
    while more and (match := FIELD.match(text, at)):
        line += 1
        name, braced, bare, more = match.groups()
        name = intern(name.lower())
        value = bare.lower() if braced is None else _text(braced)
        if value is None or name in fields or (bare and not (value.isdigit() or (name == "month" and value in MONTHS))):
            return None
        fields[name] = Field(value, line)
        at = match.end()
    tail = TAIL.match(text, at)
    if not tail:
        return None
    block = Block(intern(head[1].lower()), head[2], first, MappingProxyType(fields))
    return Found(block, tail.end(), line + 1)


def next_entry(text: str, at: int) -> int:
    """Where, at the beginning of a later line, the next plain entry begins; or the end of the text."""
    while (at := text.find("\n@", at) + 1) > 0:
        if entry(text, at, 0):
            return at
    return len(text)


def _text(raw: str) -> str | None:
    """The text of a value; None if there is anything to say about it."""
    if "@" in raw and SWALLOWED.search(raw):
        return None
    if not raw.isprintable() and FORBIDDEN.search(raw):
        return None
    text = collapsed(raw)
    return None if unwritable(text) else text
