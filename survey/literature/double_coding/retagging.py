"""Changing one tag in the text of a BibTeX file, and nothing else in it."""

from __future__ import annotations

import re

from survey.literature.bibtex import Block, parse_bibtex, unwritable
from survey.literature.pool import Entry, format_tags
from survey.literature.pool.tags import Tag
from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Absence, Axis


def retagged(text: str, entry: Entry, axis: Axis, tags: tuple[Tag, ...], why: str) -> str:
    """Return the text of a pool with other tags on one axis of one entry; every other character stays.

    A tag that had no evidence, as it was ``na``, gets a line with ``why`` after it.

    Raises:
        InvalidSurvey: if the field is written in a way that cannot be changed safely, with what to write by hand.

    """
    line = entry.block.fields[axis.field].line
    start = _offset(text, line)
    written = re.compile(
        rf"(?P<name>(?<![\w-]){re.escape(axis.field)})(?P<is>\s*=\s*)(?P<value>\{{[^{{}}]*\}}|\"[^\"{{}}]*\")", re.I
    )
    end_of_line = text.find("\n", start)
    found = [m for m in written.finditer(text, start) if m.start() <= end_of_line or end_of_line < 0]
    if len(found) != 1:
        raise InvalidSurvey([_by_hand(entry, axis, line, tags)])
    match, value = found[0], format_tags(tags)
    new = f"{{{value}}}" if match["value"].startswith("{") else f'"{value}"'
    rest = text[match.end() :]
    if axis.coded and axis.why not in entry.block.fields and tags[0].word != Absence.NA:
        if reason := unwritable(why):
            raise InvalidSurvey([Problem(entry.path, line, reason, entry.key, axis.why)])
        rest = _with_evidence(text, match, axis, why) + rest
    changed = text[: match.start("value")] + new + rest
    if not _only_that_differs(text, changed, entry.key, axis, value):
        raise InvalidSurvey([_by_hand(entry, axis, line, tags)])
    return changed


def _offset(text: str, line: int) -> int:
    """Return where a line starts; lines end as in ``read_bibtex``."""
    ends = re.finditer(r"\r\n|\r|\n", text)
    return 0 if line == 1 else next((m.end() for n, m in enumerate(ends, 2) if n == line), len(text))


def _with_evidence(text: str, tag: re.Match[str], axis: Axis, why: str) -> str:
    """Return what goes between a tag and the comma or brace after it: a field for the evidence, laid out as the tag."""
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    indent = before if not before.strip() else " "
    width = len(tag["name"] + tag["is"]) - len(tag["is"].lstrip())
    end = "\r\n" if "\r\n" in text else "\n"
    return f",{end}{indent}{axis.why:<{width}}{tag['is'].lstrip()}{{{why}}}"


def _only_that_differs(before: str, after: str, key: str, axis: Axis, value: str) -> bool:
    """Return whether the new text, read again, has the new tag and is otherwise the same entry by entry."""
    old, new = (
        [(b.key, b.type, {n: f.text for n, f in b.fields.items()}) for b in _blocks(t)] for t in (before, after)
    )
    for _, _, fields in (block for block in old if block[0] == key):
        fields[axis.field] = value
    for number, (_, _, fields) in enumerate(new):
        if fields.keys() - old[number][2].keys() == {axis.why} and new[number][0] == key:
            del fields[axis.why]
    return old == new


def _blocks(text: str) -> tuple[Block, ...]:
    return parse_bibtex(text.replace("\r\n", "\n").replace("\r", "\n")).blocks


def _by_hand(entry: Entry, axis: Axis, line: int, tags: tuple[Tag, ...]) -> Problem:
    message = f"cannot be changed safely as it is written; write {axis.field} = {quoted(format_tags(tags))} by hand"
    return Problem(entry.path, line, message, entry.key, axis.field)
