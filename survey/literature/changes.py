"""What changed between two snapshots: entries, and the conclusions drawn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise

from survey.literature.claims import Judge, Judgement, snapshots
from survey.literature.entries import Entry
from survey.literature.pool import Pool
from survey.literature.statistics import counted
from survey.literature.taxonomy import Axis

Cell = tuple[tuple[str, str], tuple[str, str]]
"""Two axes, and a cell of each."""


@dataclass(frozen=True)
class Ranking:
    """The values of an axis by how many entries have each first, the fullest first."""

    axis: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Changes:
    """What is different on one day from another: entries and records that came, and what follows from them."""

    before: date
    after: date
    entries: tuple[Entry, ...]
    records: tuple[Entry, ...]
    claims: tuple[tuple[Judgement, Judgement], ...]
    rankings: tuple[Ranking, ...]
    filled: tuple[Cell, ...]

    @property
    def overturned(self) -> tuple[tuple[Judgement, Judgement], ...]:
        """The claims whose status is another one; the rest only have another number."""
        return tuple((old, new) for old, new in self.claims if old.status is not new.status)


def changes(pool: Pool, before: date, after: date) -> Changes:
    """What changed from one day to a later one.

    Raises:
        ValueError: if the days are not in order.

    """
    if before >= after:
        raise ValueError(f"{before} is not before {after}")
    then, now, judge = pool.as_of(before), pool.as_of(after), Judge(pool)
    judged = ((judge.judged(claim, before), judge.judged(claim, after)) for claim in pool.claims)
    known = {work.key for work in (*then.entries, *then.records)}
    return Changes(
        before,
        after,
        entries=tuple(entry for entry in now.entries if entry.key not in known),
        records=tuple(record for record in now.records if record.key not in known),
        claims=tuple((old, new) for old, new in judged if _told(old) != _told(new)),
        rankings=tuple(
            Ranking(axis.id, _order(then, axis), _order(now, axis))
            for axis in pool.taxonomy.on("entry")
            if axis.main and _order(then, axis) != _order(now, axis)
        ),
        filled=tuple(_filled(then, now)),
    )


def history(pool: Pool) -> tuple[Changes, ...]:
    """What changed from each snapshot to the next, the newest first."""
    return tuple(changes(pool, before, after) for before, after in pairwise(snapshots(pool)))[::-1]


def _told(judgement: Judgement) -> tuple[str, int, int]:
    return judgement.verdict, judgement.broad.number, judgement.broad.of


def _order(pool: Pool, axis: Axis) -> tuple[str, ...]:
    """The values that somebody has, the most frequent first; values with as many in the order of the axis."""
    first = Counter(entry.primary(axis.id) for entry in pool)
    return tuple(sorted((value for value in axis.values if first[value]), key=lambda value: -first[value]))


def _filled(then: Pool, now: Pool) -> Iterator[Cell]:
    """The cells of two main axes in which nobody stood and now somebody does."""
    main = [axis for axis in now.taxonomy.on("entry") if axis.main]
    for rows, columns in combinations(main, 2):
        was, came = _cells(then, rows, columns), _cells(now, rows, columns)
        for a, b in sorted(came - was):
            if a.partition(": ")[0] in rows.values and b.partition(": ")[0] in columns.values:
                yield (rows.id, a), (columns.id, b)


def _cells(pool: Pool, rows: Axis, columns: Axis) -> set[tuple[str, str]]:
    return {(a, b) for entry in pool for a in counted(entry, rows) for b in counted(entry, columns)}
