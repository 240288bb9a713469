"""Fast parser for entries in the plain form that this project writes: one field per line, values in braces.

Nearly every entry of a pool is plain. Two regular expressions read it line by line, in a fraction of the time that a
full BibTeX parser needs. An entry that is unusual or invalid in any way is left to the full parser, which also
reports the problems.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from sys import intern
from types import MappingProxyType

from survey.literature.bibtex.blocks import (
    FORBIDDEN,
    KEY,
    MONTHS,
    RESERVED,
    SWALLOWED,
    Block,
    Field,
    collapsed,
    unwritable,
)

BETWEEN = re.compile(r"(?:[ \t]*(?:%[^@\\\n]*)?\n)*")
"""Blank lines and comments. For bibtexparser an @ begins an entry even in a comment."""

HEAD = re.compile(rf"@([A-Za-z]+)\{{({KEY.pattern}),[ \t]*\n")
FIELD = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*=[ \t]*(?:\{(.*)\}|([0-9]+|[A-Za-z]{3}))(,?)[ \t]*\n")
TAIL = re.compile(r"[ \t]*\}[ \t]*(?:\n|\Z)")

NO_ENTRY = ("comment", "preamble", "string")
"""Types of blocks that are not entries."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, the length of its text, and the number of lines before the end of it."""

    block: Block
    length: int
    line: int


def entry(text: str, at: int, line: int) -> Found | None:
    """Return the plain entry at position ``at``, skipping blank lines and comments; None if there is none.

    ``at`` must be the start of a line, and ``line`` is the number of lines before it.
    """
    start = at
    between = BETWEEN.match(text, at)
    begin = between.end() if between else at
    head = HEAD.match(text, begin)
    if not head or head[1].lower().startswith(NO_ENTRY) or RESERVED.match(head[2]):
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
    return Found(block, tail.end() - start, line + 1)


def next_entry(text: str, at: int) -> int:
    """Return the position of the next plain entry on a later line, or the end of the text."""
    while (at := text.find("\n@", at) + 1) > 0:
        if entry(text, at, 0):
            return at
    return len(text)


def _text(raw: str) -> str | None:
    """Return the text of a value; None if it is problematic in any way."""
    if "@" in raw and SWALLOWED.search(raw):
        return None
    if not raw.isprintable() and FORBIDDEN.search(raw):
        return None
    text = collapsed(raw)
    return None if unwritable(text) else text
