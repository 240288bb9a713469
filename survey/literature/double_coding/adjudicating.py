"""Disagreements between the pool and the codings, and the decision which value stands."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from survey.atomic import temporary_folder, write_atomically
from survey.literature.double_coding.readings import PairId, Tags, same
from survey.literature.double_coding.recording import with_rows
from survey.literature.double_coding.retagging import retagged
from survey.literature.loading import CODINGS, POOL, read_pool
from survey.literature.pool import ADJUDICATIONS, COLUMNS, WAS, Judgement, Pool, compared_values, format_tags
from survey.literature.problems import InvalidSurvey, Problem


@dataclass(frozen=True, slots=True)
class Open:
    """A pair on which the pool and at least one coding differ, and that was not adjudicated."""

    key: str
    axis: str
    tags: Tags
    sides: tuple[tuple[str, Judgement], ...]
    """Every coding of the pair, by its id; those that agree with the pool as well."""


def open_disagreements(
    pool: Pool, axes: Collection[str], keys: Collection[str] = (), apart: bool = False
) -> tuple[Open, ...]:
    """Return the disagreements on some axes, in the order of pool and taxonomy; ``apart`` compares absences, too.

    Only codings by the latest codebook count, by which the pool is coded.
    """
    latest = max((coding.codebook for coding in pool.codings.values()), default="")
    sides: dict[PairId, list[tuple[str, Judgement]]] = defaultdict(list)
    for coding in (coding for coding in pool.codings.values() if coding.codebook == latest):
        for judgement in coding.judgements:
            sides[judgement.key, judgement.axis].append((coding.id, judgement))
    found = []
    for entry in pool:
        for id in axes if not keys or entry.key in keys else ():
            axis, tags, some = pool.taxonomy[id], entry.tags.get(id, ()), sides.get((entry.key, id), [])
            alike = [
                same(tags, j.tags, axis)
                and not (apart and compared_values(tags, axis) != compared_values(j.tags, axis))
                for _, j in some
            ]
            if tags and not all(alike) and (entry.key, id) not in pool.adjudications:
                found.append(Open(entry.key, id, tags, tuple(some)))
    return tuple(found)


def adjudicate(folder: Path, pool: Pool, case: Open, tags: Tags, why: str) -> tuple[Problem, ...]:
    """Record which tags stand and why; if they are not those of the pool, change that field of ``pool.bib``.

    The change is first made to a copy, which is read as a whole. Returns the problems that it brings to other files,
    such as a published number that is no longer reproduced; these are to be put right by hand.

    Raises:
        InvalidSurvey: if the tags or the reason are not valid there. Nothing is written then.

    """
    entry = pool[case.key]
    row = {"key": case.key, "axis": case.axis, "value": format_tags(tags), "why": why}
    changes = tags != case.tags
    if changes:
        row[WAS] = format_tags(case.tags)
    files = {f"{CODINGS}/{ADJUDICATIONS}": with_rows(folder / CODINGS / ADJUDICATIONS, [row], (*COLUMNS, "why"))}
    if changes:
        with (folder / POOL).open(encoding="utf-8", newline="") as stream:
            text = stream.read()
        files[POOL] = retagged(text, entry, pool.taxonomy[case.axis], tags, why).encode()
    problems = _tried(folder, files)
    if own := [problem for problem in problems if problem.path in {str(folder / name) for name in files}]:
        raise InvalidSurvey(own)
    # the adjudication comes first: if a run is killed in between, "survey check" reports that the pool differs
    for name, data in files.items():
        write_atomically(folder / name, data)
    return problems


def _tried(folder: Path, files: dict[str, bytes]) -> tuple[Problem, ...]:
    """Return the problems that a folder would have with these files."""
    with temporary_folder("survey-adjudication-") as parent:
        copy = parent / "bib"
        shutil.copytree(folder, copy)
        for name, data in files.items():
            (copy / name).write_bytes(data)
        problems = read_pool(copy)[1]
    return tuple(replace(p, path=str(folder / Path(p.path).relative_to(copy))) for p in problems)
