"""Parsing of arbitrary BibTeX with bibtexparser, with positions.

Errors that bibtexparser accepts (text between entries, repeated fields, missing braces that merge entries,
concatenations) become a ``Problem`` with a line. Values stay as written, without their outer braces; LaTeX is not
decoded.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from dataclasses import dataclass
from types import MappingProxyType

from bibtexparser import model
from bibtexparser.splitter import Splitter

from survey.literature.bibtex.blocks import (
    FORBIDDEN,
    MONTHS,
    SPACES,
    SWALLOWED,
    Block,
    Field,
    collapsed,
    key_problem,
    unwritable,
)
from survey.literature.problems import Problem, expected, quoted

NUMBER = re.compile(r"[0-9]+")
BRACED = re.compile(r"\{([^{}]*)\}")
"""A braced value without inner braces: a fast path for the common case."""

DELIMITER = re.compile(r"(?<!\\)[{}\"]")
ENTRY = re.compile(r"@[A-Za-z]+[ \t]*\{[^\s,{}]*")
UNCOUNTED = re.compile(r"\\\n")
"""A line end that bibtexparser does not count, since it follows a backslash."""


# bibtexparser also logs the syntax errors that are reported here with their lines
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())
logging.getLogger("bibtexparser").propagate = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """The entries and problems of a text."""

    blocks: list[Block]
    problems: list[Problem]
    broken: bool
    """Whether an entry lacks its end, so that the text that follows might belong to it."""


def parse(text: str, shown: str, before: int = 0) -> Parsed:
    """Parse a text that follows ``before`` lines of its file."""
    return _Parser(text, shown, before).parse()


class _Parser:
    """Converts bibtexparser's blocks into ours and collects their problems."""

    def __init__(self, text: str, shown: str, before: int) -> None:
        self.text, self.shown, self.before = text, shown, before
        self.problems: list[Problem] = []
        self.broken = False
        ends = [match.start() for match in UNCOUNTED.finditer(text)]
        self._uncounted = [text.count("\n", 0, end) - number for number, end in enumerate(ends)]

    def parse(self) -> Parsed:
        library = Splitter(self.text).split()
        blocks = [block for raw in library.blocks if (block := self._block(raw))]
        return Parsed(blocks, self.problems, self.broken)

    def _line(self, reported: int | None) -> int:
        """Return the line in the file for a line that bibtexparser reports."""
        return self.before + (reported or 0) + 1 + bisect_left(self._uncounted, reported or 0)

    def _block(self, raw: model.Block | None) -> Block | None:
        if raw is None:
            return None
        line = self._line(raw.start_line)
        match raw:
            case model.DuplicateBlockKeyBlock():
                return self._block(raw.ignore_error_block)
            case model.DuplicateFieldKeyBlock():
                return self._block(raw.ignore_error_block)
            case model.ParsingFailedBlock():
                self._broken(raw, line)
            case model.Entry():
                return self._entry(raw, line)
            case model.ImplicitComment():
                self._between(raw, line)
            case model.ExplicitComment() if hidden := ENTRY.search(raw.comment):
                message = f"@comment hides {quoted(hidden.group())} (delete the entry, or write % before each line)"
                self._problem(line, message)
            case model.String() | model.Preamble():
                kind = "@string" if isinstance(raw, model.String) else "@preamble"
                self._problem(line, f"{kind} is not used in a pool (write the text out where it is needed)")
        return None

    def _entry(self, raw: model.Entry, line: int) -> Block:
        key = raw.key.strip()
        if not key:
            self._problem(line, f"@{raw.entry_type} has no key (expected @{raw.entry_type}{{key, ...)")
        elif problem := key_problem(key):
            self._problem(line, problem, key)
        fields: dict[str, Field] = {}
        for field in raw.fields:
            name, at = field.key.lower(), self._line(field.start_line)
            if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
                self._problem(at, f"{quoted(field.key)} cannot be the name of a field", key)
                continue
            if name in fields:
                self._problem(at, f"is there twice (first in line {fields[name].line})", key, name)
            fields[name] = Field(self._value(field.value, key, name, at), at)
        return Block(raw.entry_type.lower(), key, line, MappingProxyType(fields))

    def _value(self, raw: str, key: str, name: str, line: int) -> str:
        """Return the text of a value, without braces or quotes and with its spaces collapsed."""
        if (match := BRACED.fullmatch(raw)) or enclosed(raw):
            text = match.group(1) if match else raw[1:-1]
        elif NUMBER.fullmatch(raw) or (name == "month" and raw.lower() in MONTHS):
            return raw.lower()
        elif "#" in raw:
            self._problem(line, f"{quoted(raw)} joins parts with # (write the text out in braces)", key, name)
            return raw
        elif re.fullmatch(r"[A-Za-z][\w-]*", raw):
            allowed = f" {expected(raw, MONTHS)}" if name == "month" else " (write the text in braces)"
            self._problem(line, f"{quoted(raw)} is a macro that nothing defines{allowed}", key, name)
            return raw
        else:
            self._problem(
                line, f"{quoted(raw)} is not one value (expected one text in braces; is a comma missing?)", key, name
            )
            return raw
        if ("@" in text or "\n" in text) and SWALLOWED.search(text):
            self._problem(line, "seems to have swallowed what follows it (is a closing brace missing?)", key, name)
        if not text.isprintable() and (bad := FORBIDDEN.search(text)):  # none of these can be printed
            message = f"contains the character U+{ord(bad.group()):04X}, which cannot be seen (delete it)"
            self._problem(line + text.count("\n", 0, bad.start()), message, key, name)
        text = collapsed(text)
        if reason := unwritable(text):
            self._problem(line, f"{reason}: {quoted(text)}", key, name)
        return text

    def _broken(self, raw: model.ParsingFailedBlock, line: int) -> None:
        self.broken = True
        reason = getattr(raw.error, "abort_reason", "") or str(raw.error)
        key = re.match(r"@\w+\s*[{(]\s*([^\s,{}=]+)", raw.raw or "")
        reason = SPACES.sub(" ", reason).strip().rstrip(".")
        message = f"the entry cannot be read: {reason[:1].lower()}{reason[1:]}"
        self._problem(line, f"{message} (is a brace, comma or quote missing?)", key.group(1) if key else "")

    def _between(self, raw: model.ImplicitComment, line: int) -> None:
        for offset, text in enumerate(raw.comment.split("\n")):
            if text.strip() and not text.lstrip().startswith("%"):
                message = f"text between entries: {quoted(text.strip())}"
                hint = "start a remark with %; an entry with @; or is there a brace too many above?"
                self._problem(line + offset, f"{message} ({hint})")
                return

    def _problem(self, line: int, message: str, entry: str = "", field: str = "") -> None:
        self.problems.append(Problem(self.shown, line, message, entry, field))


def enclosed(raw: str) -> bool:
    """Return whether one pair of braces or quotes encloses the entire value."""
    if len(raw) < 2 or (raw[0], raw[-1]) not in (("{", "}"), ('"', '"')):
        return False
    depth = 0
    inside = raw[1:-1]
    for match in DELIMITER.finditer(inside):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth < 0 or (depth == 0 and match.group() == raw[0] == '"'):
            return False
    return depth == 0
