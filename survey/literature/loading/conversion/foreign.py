"""Reading BibTeX that was not written for this format: entries with their macros resolved, and all that is no entry.

Each entry is parsed on its own, so that one with a missing brace swallows no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from bibtexparser import model
from bibtexparser.splitter import Splitter

from survey.literature.bibtex import FORBIDDEN, MONTHS, collapsed, enclosed, unwritable

START = re.compile(r"^[ \t]*@[A-Za-z]+[ \t]*[{(]", re.MULTILINE)
REMARK = "a remark"
PREAMBLE = "a preamble: no page shows it"
INVISIBLE = "invisible characters: taken out"
NOT_UTF8 = "the file is not UTF-8: read as Windows-1252"
UNDEFINED = "macros that no @string defines: taken as text, as written in original-FIELD"
PLAIN = frozenset({"eprint", "archiveprefix", "primaryclass", "doi", "url", "year", "month", "date"})
"""Fields that are no LaTeX: a second pair of braces says nothing."""

MACRO = re.compile(r"[A-Za-z][^\s\"#%'(),={}]*")
BRACE = re.compile(r"\\?[{}]")
SPELT: Final = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
"""How a brace without its partner is written, which BibTeX cannot read as one."""


@dataclass(slots=True)
class Draft:
    """An entry on its way into the pool: type, key and fields, which steps of the conversion change."""

    type: str
    key: str
    line: int
    fields: dict[str, str]
    raw: str
    remark: str = ""
    """The last line of the remarks directly before it, without its signs: a day, or the heading of a section."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    """What was changed: kinds, each with an example."""

    kept: set[str] = field(default_factory=set)
    """The fields that are kept as they were found."""

    def text(self, name: str) -> str:
        """Return the text of a field; empty if there is none."""
        return self.fields.get(name, "")

    def note(self, kind: str, example: str = "") -> None:
        """Note a change."""
        self.notes.append((kind, example))

    def keep(self, name: str, found: str = "") -> None:
        """Keep a field as it was found, under a name that nothing reads; what later steps make of it is not kept.

        ``found`` is how it was written, if that is another text.
        """
        if name in self.kept:
            return
        self.kept.add(name)
        kept = f"original-{name}"
        while kept in self.fields:
            kept += "-too"
        self.fields[kept] = found or self.fields[name]

    def set(self, name: str, text: str, kind: str) -> None:
        """Replace the text of a field and note why."""
        before = self.text(name)
        if text != before:
            self.fields[name] = text
            self.note(kind, f"{before} -> {text}" if before else text)

    def put_away(self, name: str, kind: str) -> None:
        """Take a field out of what is read; its text is kept under another name."""
        self.keep(name)
        self.note(kind, f"{name} = {self.fields.pop(name)}")


@dataclass(frozen=True, slots=True)
class Aside:
    """A part of a file that cannot be an entry, as it was written, and why."""

    line: int
    raw: str
    why: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A file that was not written for this format."""

    drafts: tuple[Draft, ...]
    aside: tuple[Aside, ...]
    notes: tuple[tuple[str, str], ...]
    """What was changed in the file as a whole."""


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file, and how it was read if it is not UTF-8."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text, how = data.decode("utf-8"), ""
    except UnicodeDecodeError:
        text, how = data.decode("cp1252", errors="replace"), NOT_UTF8
    return text.replace("\r\n", "\n").replace("\r", "\n"), how


def read_foreign(text: str) -> Foreign:
    """Return the entries of a text, with macros resolved, and everything else that stands in it."""
    aside: list[Aside] = []
    drafts: list[Draft] = []
    macros: dict[str, str] = {}
    notes: list[tuple[str, str]] = []
    remark = ""
    for line, chunk in _chunks(text):
        for block in Splitter(chunk).split().blocks:
            at = line + (block.start_line or 0)
            match block:
                case model.DuplicateFieldKeyBlock(ignore_error_block=model.Entry() as entry):
                    draft = _draft(entry, at, chunk, macros)
                    draft.note("a field twice in one entry: both kept", f"{draft.key}: {_repeated(block)}")
                    drafts.append(draft)
                case model.Entry():
                    drafts.append(_draft(block, at, block.raw or chunk, macros))
                case model.String():
                    notes += [(UNDEFINED, f"@string {block.key} = {block.value}")] * bool(
                        undefined(block.value, macros)
                    )
                    macros[block.key.lower()] = resolved(block.value, macros)
                    notes.append(("@string: written out where it is used", f"{block.key} = {block.value}"))
                    continue
                case model.ImplicitComment() | model.ExplicitComment():
                    lines = [one.strip(" \t%#*=-") for one in block.comment.split("\n")]
                    remark = next((one for one in reversed(lines) if one), remark)
                    aside.append(Aside(at, block.raw or block.comment, REMARK))
                    continue
                case model.Preamble():
                    aside.append(Aside(at, block.raw or "", PREAMBLE))
                    continue
                case _:
                    aside.append(Aside(at, block.raw or chunk, f"cannot be read: {_reason(block)}"))
                    continue
            drafts[-1].remark, remark = remark, ""
    return Foreign(tuple(drafts), tuple(aside), tuple(notes))


def resolved(value: str, macros: Mapping[str, str]) -> str:
    """Return the text of a value: braces and quotes taken off, parts joined, macros written out.

    >>> resolved('"Proc. " # icml # " 2020"', {"icml": "ICML"})
    'Proc. ICML 2020'
    """
    value = value.strip()
    if enclosed(value):
        return value[1:-1]
    out = []
    for part in _parts(value):
        if enclosed(part):
            out.append(part[1:-1])
        elif MACRO.fullmatch(part):
            out.append(macros.get(part.lower(), part))
        else:
            out.append(part)
    return "".join(out)


def undefined(value: str, macros: Mapping[str, str]) -> tuple[str, ...]:
    """Return the macros in a value that nothing defines; those of months every style does.

    >>> undefined('jhep # " A"', {}), undefined("mar", {}), undefined("2020", {})
    (('jhep',), (), ())
    """
    value = value.strip()
    known = {*macros, *MONTHS}
    parts = () if enclosed(value) else _parts(value)
    return tuple(part for part in parts if MACRO.fullmatch(part) and part.lower() not in known)


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Yield each entry with what follows it, and the line in which it starts."""
    starts = sorted({0, *(match.start() for match in START.finditer(text)), len(text)})
    for start, end in pairwise(starts):
        yield text.count("\n", 0, start) + 1, text[start:end]


def _draft(block: model.Entry, line: int, raw: str, macros: Mapping[str, str]) -> Draft:
    draft = Draft(block.entry_type.lower(), block.key.strip(), line, {}, raw)
    for found in block.fields:
        kept = ""
        name = re.sub(r"[^a-z0-9_-]", "-", found.key.lower().strip()).strip("-_")
        name = name if name[:1].isalpha() else f"field-{name}"
        if name != "month" and undefined(found.value, macros):
            kept = collapsed(FORBIDDEN.sub("", found.value))
            draft.note(UNDEFINED, f"{draft.key}: {name} = {kept}")
        text = resolved(found.value, macros)
        if name in PLAIN:
            text = re.sub(r"^\{([^{}]*)\}$", r"\1", text.strip())
        if FORBIDDEN.search(text):
            text = FORBIDDEN.sub("", text)
            draft.note(INVISIBLE, f"{draft.key}: {name}")
        text = collapsed(text)
        if unwritable(text):
            if not kept:
                kept = collapsed(BRACE.sub(lambda sign: SPELT[sign[0][-1]], text).rstrip("\\"))
            text = collapsed(BRACE.sub("", text).rstrip("\\"))
            if len(text) > 1 and text[0] == text[-1] == '"':  # the ends of a text in quotes were not found either
                text = collapsed(text[1:-1])
            draft.note("braces that do not balance: taken out, and spelt in original-...", f"{draft.key}: {name}")
        if not text:
            draft.note("empty fields: deleted", f"{draft.key}: {name}")
        elif name in draft.fields and draft.fields[name] != text:
            draft.fields[f"{name}-too"] = text
        else:
            draft.fields[name] = text
            if kept:
                draft.keep(name, "" if unwritable(kept) else kept)
    return draft


def _repeated(block: model.DuplicateFieldKeyBlock) -> str:
    return ", ".join(sorted(block.duplicate_keys))


def _reason(block: model.Block) -> str:
    error = getattr(block, "error", None)
    return re.sub(r"\s+", " ", getattr(error, "abort_reason", "") or str(error or "no entry")).strip().rstrip(".")


def _parts(value: str) -> list[str]:
    """Return the parts of a value that ``#`` joins: outside of quotes and braces."""
    parts, depth, quoted, start = [], 0, False, 0
    for place, sign in enumerate(value):
        if sign == '"' and depth == 0:
            quoted = not quoted
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "#" and not quoted and depth == 0:
            parts.append(value[start:place].strip())
            start = place + 1
    return [*parts, value[start:].strip()]
