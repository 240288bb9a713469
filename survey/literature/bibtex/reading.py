"""Reading and writing of BibTeX files, with positions.

A fast line parser reads entries in the plain form that this project writes. All other text goes through bibtexparser,
which is slower and complete. Encoding errors are reported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from survey.literature.bibtex import full_parser, line_parser
from survey.literature.bibtex.blocks import MONTHS, Block, Document, address_of, collapsed, unwritable
from survey.literature.problems import Problem, quoted

NEWLINE = re.compile(rb"\r\n|\r|\n")


Known = dict[tuple[str, int], line_parser.Found]
"""Entries that were parsed before, by their text and the number of lines before it; positions count from its start."""


def read_bibtex(path: Path, shown: str = "", max_bytes: int = 0, known: Known | None = None) -> Document:
    """Return the entries of a file. A broken entry is a problem and hides no other entry.

    ``known`` are the entries of an earlier reading; it then holds those of this one.
    """
    shown = shown or str(path)
    text, problems = _decoded(path, shown, max_bytes)
    if text is None:
        return Document(shown, (), tuple(problems))
    document = parse_bibtex(text, shown, known)
    return Document(shown, document.blocks, (*problems, *document.problems))


def parse_bibtex(text: str, shown: str = "<text>", known: Known | None = None) -> Document:
    """Return the entries of a text; ``known`` as for ``read_bibtex``."""
    if not text.strip():
        return Document(shown, (), ())
    blocks, problems, met = list[Block](), list[Problem](), Known()
    at = line = 0
    while at < len(text):
        part = text[at : text.find("\n@", at + 1) + 1 or len(text)], line
        found = known.get(part) if known else None
        if found or (found := line_parser.entry(text, at, line)):
            if found.length <= len(part[0]):
                met[part] = found
            blocks.append(found.block)
            at, line = at + found.length, found.line
            continue
        end = line_parser.next_entry(text, at)
        parsed = full_parser.parse(text[at:end], shown, line)
        if parsed.broken and end < len(text):  # the text that follows may belong to the broken entry
            end = len(text)
            parsed = full_parser.parse(text[at:], shown, line)
        blocks += parsed.blocks
        problems += parsed.problems
        line += text.count("\n", at, end)
        at = end
    if known is not None:
        known.clear()
        known.update(met)
    return Document(shown, tuple(blocks), (*problems, *_repeated_keys(blocks, shown)))


def _repeated_keys(blocks: Iterable[Block], shown: str) -> Iterator[Problem]:
    """Yield a problem for every key that repeats an earlier one or its address, ignoring case."""
    keys: dict[str, Block] = {}
    for block in blocks:
        first = keys.setdefault(address_of(block.key).lower(), block)
        if first is not block:
            yield Problem(
                shown, block.line, f"the key {_likeness(block, first)} (first in line {first.line})", block.key
            )


def _likeness(block: Block, first: Block) -> str:
    if first.key == block.key:
        return "is used twice"
    if first.key.lower() == block.key.lower():
        return f"differs from {first.key} only in case"
    return f"has the same address as {first.key}, {address_of(first.key)}"


def write_bibtex(blocks: Iterable[Block]) -> str:
    """Return the entries as BibTeX, one field per line, values aligned; reading it gives the same entries.

    Raises:
        ValueError: if a text cannot be written as a BibTeX value.

    """
    return "\n".join(_entry_text(block) for block in blocks)


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
    """Return the text of a file and its problems; no text if it cannot be read or decoded."""
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
