"""BibTeX files with every position kept: text in, entries and problems out, and back.

bibtexparser splits the text; what it lets pass although it is wrong (text
between entries, repeated fields, swallowed neighbours, concatenations, a file
that is not clean UTF-8) becomes a ``Problem`` with its line here. Values stay
as they are written, without their outer braces. Nothing is decoded.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bibtexparser import model
from bibtexparser.library import Library
from bibtexparser.splitter import Splitter

from survey.literature.problems import Problem, expected, quoted

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""The macros that every BibTeX style defines; no other bare word is a value."""

NUMBER = re.compile(r"[0-9]+")
BRACED = re.compile(r"\{([^{}]*)\}")
"""A value in braces with none inside: the common case, told apart quickly."""

BRACE = re.compile(r"[{}]")
DELIMITER = re.compile(r"(?<!\\)[{}\"]")
ENTRY = re.compile(r"@[A-Za-z]+[ \t]*\{[^\s,{}]*")
UNCOUNTED = re.compile(r"\\\n")
"""An end of a line that bibtexparser does not count, since a backslash stands before it."""

SPACES = re.compile(r"[ \t\r\n]+")
NEWLINE = re.compile(rb"\r\n|\r|\n")
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
"""Characters that a text never means: controls, what cannot be seen, what turns the direction of text."""

SWALLOWED = re.compile(
    r"@[A-Za-z]+[ \t]*\{[^{},=\s]{1,200},\s{0,200}[A-Za-z-]{1,60}[ \t]*="
    r"|\n[ \t]{0,200}[A-Za-z][A-Za-z-]{0,60}[ \t]{0,200}=[ \t]{0,200}[{\"]"
)
"""The start of an entry, or of a field on a line of its own, inside a value."""

# Every syntax error that bibtexparser logs is reported here with its line.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())
logging.getLogger("bibtexparser").propagate = False


@dataclass(frozen=True, slots=True)
class Field:
    """The text of a field, without its delimiters, and the line where it starts."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """One BibTeX entry as it is written: type, key, fields in their order."""

    type: str
    key: str
    line: int
    fields: Mapping[str, Field]

    def text(self, name: str) -> str:
        """The text of a field; empty if the entry has no such field."""
        found = self.fields.get(name)
        return found.text if found else ""


@dataclass(frozen=True, slots=True)
class Document:
    """What a BibTeX file contains, and everything that is wrong with how it is written."""

    path: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...]


def read_bibtex(path: Path, shown: str = "", max_bytes: int = 0) -> Document:
    """The entries of a file. A broken entry is a problem and hides no other entry."""
    shown = shown or str(path)
    text, problems = _decoded(path, shown, max_bytes)
    if text is None:
        return Document(shown, (), tuple(problems))
    document = parse_bibtex(text, shown)
    return Document(shown, document.blocks, (*problems, *document.problems))


def parse_bibtex(text: str, shown: str = "<text>") -> Document:
    """The entries of a text."""
    if not text.strip():
        return Document(shown, (), ())
    return _Reading(shown, text).read(Splitter(text).split())


def write_bibtex(blocks: Iterable[Block]) -> str:
    """The entries as BibTeX, one field a line, values aligned; reading it gives the same entries.

    Raises:
        ValueError: if a text cannot be written as a BibTeX value.

    """
    return "\n".join(_entry_text(block) for block in blocks)


def unwritable(text: str) -> str:
    """Why a text cannot stand between braces in a BibTeX file; empty if it can.

    BibTeX counts every brace, bibtexparser leaves out those behind a backslash:
    only a text that is balanced in both ways is read alike by everyone.
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


def collapsed(text: str) -> str:
    """The text as BibTeX takes it: line breaks and runs of blanks are one blank."""
    if "  " in text or not text.isprintable():  # a line break or a tab is not printable
        text = SPACES.sub(" ", text)
    return text.strip(" ")


def _entry_text(block: Block) -> str:
    width = max((len(name) for name in block.fields), default=0)
    lines = [f"@{block.type}{{{block.key},"]
    for name, field in block.fields.items():
        text = collapsed(field.text)
        if reason := unwritable(text):
            raise ValueError(f"entry {block.key}: {name}: {reason}: {quoted(text)}")
        bare = name == "month" and text in MONTHS
        lines.append(f"  {name:<{width}} = {text if bare else f'{{{text}}}'},")
    return "\n".join([*lines, "}", ""])


def _decoded(path: Path, shown: str, max_bytes: int) -> tuple[str | None, list[Problem]]:
    """The text of a file; None if it cannot be read as one, with the reason."""
    try:
        size = path.stat().st_size
        if max_bytes and size > max_bytes:
            found = f"the file has {size / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB"
            return None, [Problem(shown, 1, f"{found} that [limits] pool-megabytes in taxonomy.toml allows")]
        data = path.read_bytes()
    except OSError as error:
        return None, [Problem(shown, 1, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    problems = []
    if data.startswith(b"\xef\xbb\xbf"):
        problems.append(Problem(shown, 1, "starts with a byte-order mark (save the file as UTF-8 without one)"))
        data = data[3:]
    problems += _line_endings(data, shown)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(NEWLINE.findall(data[: error.start])) + 1
        found = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return None, [*problems, Problem(shown, line, f"{found} (save the file as UTF-8)")]
    return text.replace("\r\n", "\n").replace("\r", "\n"), problems


def _line_endings(data: bytes, shown: str) -> Iterator[Problem]:
    if b"\r" not in data:
        return
    first = None
    for number, match in enumerate(NEWLINE.finditer(data), 1):
        first = first or match.group()
        if match.group() != first:
            names = {b"\r\n": "CRLF", b"\n": "LF", b"\r": "CR"}
            message = f"this line ends in {names[match.group()]}, those before it in {names[first]}"
            yield Problem(shown, number, f"{message} (use one line ending in the whole file)")
            return


class _Reading:
    """Turns bibtexparser's blocks into ours and collects what is wrong with them."""

    def __init__(self, shown: str, text: str) -> None:
        self.shown = shown
        self.problems: list[Problem] = []
        ends = [match.start() for match in UNCOUNTED.finditer(text)]
        self._uncounted = [text.count("\n", 0, end) - number for number, end in enumerate(ends)]

    def read(self, library: Library) -> Document:
        blocks = [block for raw in library.blocks if (block := self._block(raw))]
        keys: dict[str, Block] = {}
        for block in blocks:
            first = keys.setdefault(block.key.lower(), block)
            if first is not block:
                how = "is used twice" if first.key == block.key else f"differs from {first.key} only in case"
                self._problem(block.line, f"the key {how} (first in line {first.line})", block.key)
        return Document(self.shown, tuple(blocks), tuple(self.problems))

    def _line(self, told: int | None) -> int:
        """The line of what begins where bibtexparser says."""
        return (told or 0) + 1 + bisect_left(self._uncounted, told or 0)

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
        elif not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", key):
            self._problem(line, f"{quoted(key)} cannot be a key (letters, digits, . _ + - only)", key)
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
        """The text of a value, without braces or quotes and with its spaces collapsed."""
        if (match := BRACED.fullmatch(raw)) or _enclosed(raw):
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


def _enclosed(raw: str) -> bool:
    """Whether one pair of braces or quotes holds the whole value."""
    if len(raw) < 2 or (raw[0], raw[-1]) not in (("{", "}"), ('"', '"')):
        return False
    depth = 0
    inside = raw[1:-1]
    for match in DELIMITER.finditer(inside):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth < 0 or (depth == 0 and match.group() == raw[0] == '"'):
            return False
    return depth == 0
