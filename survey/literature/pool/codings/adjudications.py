"""Adjudications: where readings differ, the value that stands in the pool, and the reason."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from survey.literature.pool.codings.coding import ADJUDICATIONS, Coding, compared_values
from survey.literature.pool.codings.rows import NOTES, WAS, judged_rows
from survey.literature.pool.tags import Tag, format_tags, parse_tags
from survey.literature.problems import Problem, quoted
from survey.literature.taxonomy import Taxonomy

Tags = Mapping[str, Mapping[str, tuple[Tag, ...]]]


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The reason for the value in the pool, where readings differ; ``was`` are the tags that it replaced, if any."""

    key: str
    axis: str
    tags: tuple[Tag, ...]
    why: str
    was: tuple[Tag, ...] = ()


def read_adjudications(
    folder: Path, taxonomy: Taxonomy, tags: Tags, codings: Mapping[str, Coding]
) -> tuple[dict[tuple[str, str], Adjudication], list[Problem]]:
    """Return the adjudications in the folder of the codings, by entry and axis; none if there is no such file.

    Its columns are key, axis, value and why, and optionally ``was``. ``tags`` are those of the pool, by key and axis.
    A row is a problem if it gives no reason, if its value differs from the pool's tag (one of the two is out of
    date), or if no two readings differ there.
    """
    path = folder / ADJUDICATIONS
    if not os.path.lexists(path):
        return {}, []
    rows, problems = judged_rows(path, taxonomy, tags, (*NOTES, WAS))
    read: dict[tuple[str, str], list[tuple[Tag, ...]]] = {}
    for judgement in (j for coding in codings.values() for j in coding.judgements):
        read.setdefault((judgement.key, judgement.axis), []).append(judgement.tags)
    found = {}
    for line, row in rows:
        place, axis = (row.key, row.axis), taxonomy[row.axis]
        stands = tags[row.key].get(row.axis, ())
        messages = []
        if row.tags and row.tags != stands:
            stated, standing = quoted(format_tags(row.tags)), quoted(format_tags(stands))
            messages.append(f"value is {stated}, the pool has {standing} (decide again, and change one of the two)")
        if not row.notes.get("why", "").strip():
            messages.append("why is empty (explain in your own words why this value was preferred)")
        was, found_in_was = parse_tags(row.notes[WAS], axis) if WAS in row.notes else ((), [])
        messages += [f"{WAS}: {message}" for message in found_in_was]
        before = [was] if was else []
        if len({compared_values(tags, axis) for tags in (stands, *before, *read.get(place, []))}) < 2:
            messages.append("no two readings differ here (delete the row)")
        problems += [Problem(str(path), line, message, *place) for message in messages]
        found[place] = Adjudication(row.key, row.axis, row.tags, row.notes.get("why", ""), was)
    return found | _settled_by_parts(found, codings.values(), tags, taxonomy), problems


def _settled_by_parts(
    found: Mapping[tuple[str, str], Adjudication],
    codings: Collection[Coding],
    tags: Tags,
    taxonomy: Taxonomy,
) -> dict[tuple[str, str], Adjudication]:
    """Return what is settled on derived axes on which readers of the parts differ, since it is settled on the parts."""
    settled = {}
    for axis in (axis for axis in taxonomy.on("entry") if axis.steps):
        read: dict[str, set[tuple[str, ...]]] = {}
        for coding in codings:
            if coding.axes >= {*axis.parts}:
                for judgement in coding.on(axis.id).values():
                    read.setdefault(judgement.key, set()).add(compared_values(judgement.tags, axis))
        for key, own in tags.items():
            rulings = [found[key, part] for part in axis.parts if (key, part) in found]
            if rulings and len(read.get(key, ())) > 1 and (key, axis.id) not in found:
                why = " ".join(dict.fromkeys(ruling.why for ruling in rulings))
                settled[key, axis.id] = Adjudication(key, axis.id, own.get(axis.id, ()), why)
    return settled
