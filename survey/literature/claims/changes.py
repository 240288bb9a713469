"""What changed between two snapshots, or between two copies: entries, and the conclusions drawn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise

import msgspec

from survey.literature.bibtex import collapsed
from survey.literature.claims.verdicts import Judge, Judgement, snapshots
from survey.literature.pool import Claim, Entry, Pool, Tag, aliases, cells, counted
from survey.literature.taxonomy import Axis

Cell = tuple[tuple[str, str], tuple[str, str]]
"""Two axes, and a cell of each."""

REMARKS = {"path": "", "line": 1, "chapters": (), "limit": "", "changes": ""}
"""What a claim has besides the question that it asks."""


@dataclass(frozen=True)
class Ranking:
    """The values of an axis by how many entries have each first, the fullest first."""

    axis: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """How many entries stand in a cell of an axis."""

    axis: str
    cell: str
    before: int
    after: int


@dataclass(frozen=True)
class Edit:
    """A work that is on both sides, and what is different in it: tags by axis, and names of other fields.

    ``key`` and ``type`` are among the names if they are others. Tags that are not there are none.
    """

    before: Entry
    after: Entry
    tags: tuple[tuple[str, tuple[Tag, ...], tuple[Tag, ...]], ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Numbers:
    """How many there are of what is compared: on one side, or as they were."""

    entries: int
    records: int
    claims: int
    rankings: int
    cells: int


@dataclass(frozen=True)
class Changes:
    """What is different on one side from the other: works that came or went, and what follows from them.

    The sides are two days of one pool, or two copies of the data. ``stay`` is how much of ``old``,
    and of ``new``, is the same.
    """

    before: date
    after: date
    entries: tuple[Entry, ...]
    records: tuple[Entry, ...]
    claims: tuple[tuple[Judgement, Judgement], ...]
    rankings: tuple[Ranking, ...]
    filled: tuple[Cell, ...]
    gone_entries: tuple[Entry, ...]
    gone_records: tuple[Entry, ...]
    edits: tuple[Edit, ...]
    new_claims: tuple[Judgement, ...]
    gone_claims: tuple[Judgement, ...]
    restated: tuple[Judgement, ...]
    """Claims that ask something else than they did, as they stand now."""

    emptied: tuple[Cell, ...]
    counts: tuple[Count, ...]
    old: Numbers
    new: Numbers
    stay: Numbers

    @property
    def overturned(self) -> tuple[tuple[Judgement, Judgement], ...]:
        """The claims whose status is another one; the rest only have another number."""
        return tuple((old, new) for old, new in self.claims if old.status is not new.status)

    @property
    def moved(self) -> tuple[tuple[Judgement, Judgement], ...]:
        """The claims that have another number, and the same status."""
        return tuple((old, new) for old, new in self.claims if old.status is new.status)


def changes(pool: Pool, before: date, after: date) -> Changes:
    """What changed from one day to a later one.

    Raises:
        ValueError: if the days are not in order.

    """
    if before >= after:
        raise ValueError(f"{before} is not before {after}")
    judge = Judge(pool)
    return _compared(_Side(pool.as_of(before), judge, before), _Side(pool.as_of(after), judge, after))


def between(was: Pool, now: Pool) -> Changes:
    """What changed from one copy of the data to another, all of both.

    Both are judged on the same day, the later one of theirs: that of the newer copy, unless it has
    lost the newest entries, whose loss could not be seen on a day before they came.
    """
    day = max(was.day, now.day)
    return _compared(_Side(was, Judge(was), day), _Side(now, Judge(now), day))


def history(pool: Pool) -> tuple[Changes, ...]:
    """What changed from each snapshot to the next, the newest first."""
    return tuple(changes(pool, before, after) for before, after in pairwise(snapshots(pool)))[::-1]


@dataclass(frozen=True)
class _Side:
    """What is compared: all that is there, and the day on which claims are judged."""

    pool: Pool
    judge: Judge
    day: date

    @property
    def main(self) -> dict[str, Axis]:
        return {axis.id: axis for axis in self.pool.taxonomy.main}

    @property
    def judged(self) -> dict[str, Judgement]:
        return {claim.id: self.judge.judged(claim, self.day) for claim in self.judge.pool.claims}


def _compared(was: _Side, now: _Side) -> Changes:
    entries = _Matched(was.pool.entries, now.pool.entries)
    records = _Matched(was.pool.records, now.pool.records)
    entry_edits = list(entries.edits(_axes(was, now, "entry")))
    record_edits = list(records.edits(_axes(was, now, "record")))
    then, today = was.judged, now.judged
    claims = [(then[id], today[id]) for id in today if id in then]
    told = tuple((old, new) for old, new in claims if _told(old) != _told(new))
    restated = tuple(new for old, new in claims if _asked(old.claim) != _asked(new.claim))
    axes = now.main | was.main
    orders = [_ranking(was, now, axis) for axis in axes]
    stood, stand = set(_cells(was, axes)), set(_cells(now, axes))
    same_claims = len(claims) - len({new.claim.id for _, new in told} | {new.claim.id for new in restated})
    return Changes(
        was.day,
        now.day,
        entries=entries.came,
        records=records.came,
        claims=told,
        rankings=tuple(r for r in orders if r.before != r.after),
        filled=_in_order(stand - stood, axes),
        gone_entries=entries.went,
        gone_records=records.went,
        edits=(*entry_edits, *record_edits),
        new_claims=tuple(today[id] for id in today if id not in then),
        gone_claims=tuple(then[id] for id in then if id not in today),
        restated=restated,
        emptied=_in_order((cell for cell in stood - stand if _exists(cell, now.main)), axes),
        counts=tuple(_counts(was, now)),
        old=Numbers(len(was.pool), len(was.pool.records), len(then), len(was.main), len(stood)),
        new=Numbers(len(now.pool), len(now.pool.records), len(today), len(now.main), len(stand)),
        stay=Numbers(
            len(entries.both) - len(entry_edits),
            len(records.both) - len(record_edits),
            same_claims,
            sum(r.before == r.after for r in orders),
            len(stood & stand),
        ),
    )


class _Matched:
    """The works of two sides, matched by their keys or by the former key that one names."""

    def __init__(self, was: Sequence[Entry], now: Sequence[Entry]) -> None:
        old = {work.key: work for work in was}
        new = {work.key: work for work in now}
        former = {key: today for key, today in aliases(now).items() if key in old and key not in new}
        renamed = {today: key for key, today in former.items() if today not in old}
        self.both = [(old[renamed.get(key, key)], work) for key, work in new.items() if renamed.get(key, key) in old]
        matched = {work.key for work, _ in self.both}
        self.came = tuple(work for work in now if work.key not in old and work.key not in renamed)
        self.went = tuple(work for work in was if work.key not in matched)

    def edits(self, axes: dict[str, Axis]) -> Iterator[Edit]:
        tagged = {axis.field for axis in axes.values()}
        for old, new in self.both:
            if old.block == new.block and old.tags == new.tags:
                continue
            tags = [(axis, old.tags.get(axis, ()), new.tags.get(axis, ())) for axis in axes]
            names = [n for n in dict.fromkeys([*new.block.fields, *old.block.fields]) if n not in tagged]
            fields = [name for name in names if collapsed(old.text(name)) != collapsed(new.text(name))]
            fields += ["type"] * (old.block.type != new.block.type) + ["key"] * (old.key != new.key)
            edit = Edit(old, new, tuple(tag for tag in tags if tag[1] != tag[2]), tuple(fields))
            if edit.tags or edit.fields:
                yield edit


def _axes(was: _Side, now: _Side, what: str) -> dict[str, Axis]:
    return {axis.id: axis for side in (now, was) for axis in side.pool.taxonomy.on(what)}


def figure(judgement: Judgement) -> str:
    """The number of a claim as a reader is told it: of how many, unless it is the largest of some."""
    broad = judgement.broad
    return str(broad.number) if judgement.claim.largest else f"{broad.number} of {broad.of}"


def _told(judgement: Judgement) -> tuple[str, int, int]:
    """What differs if a claim has changed. Of how many grows with every entry, which only a share minds."""
    share = judgement.claim.test.startswith("share")
    return judgement.verdict, judgement.broad.number, judgement.broad.of if share else 0


def _asked(claim: Claim) -> Claim:
    return msgspec.structs.replace(claim, **REMARKS)


def _ranking(was: _Side, now: _Side, axis: str) -> Ranking:
    return Ranking(axis, *(_order(side.pool, side.main[axis]) if axis in side.main else () for side in (was, now)))


def _order(pool: Pool, axis: Axis) -> tuple[str, ...]:
    """The values that somebody has, the most frequent first; values with as many in the order of the axis."""
    first = Counter(entry.primary(axis.id) for entry in pool)
    return tuple(sorted((value for value in axis.values if first[value]), key=lambda value: -first[value]))


def _counts(was: _Side, now: _Side) -> Iterator[Count]:
    """The cells of a main axis in which there are more entries than there were, or fewer."""
    for id, axis in (was.main | now.main).items():
        found = [
            Counter(cell for e in side.pool for cell in counted(e, side.main[id])) if id in side.main else Counter()
            for side in (was, now)
        ]
        for cell in dict.fromkeys([*cells(axis), *found[0]]):
            if found[0][cell] != found[1][cell]:
                yield Count(id, cell, found[0][cell], found[1][cell])


def _cells(side: _Side, order: Iterable[str]) -> Iterator[Cell]:
    """The cells of two main axes in which somebody stands, by values on both."""
    main = side.main
    for rows, columns in combinations([main[id] for id in order if id in main], 2):
        for a, b in {(a, b) for e in side.pool for a in counted(e, rows) for b in counted(e, columns)}:
            if _exists(cell := ((rows.id, a), (columns.id, b)), main):
                yield cell


def _exists(cell: Cell, axes: dict[str, Axis]) -> bool:
    """Whether a cell is one of values: a taxonomy that has lost a value has no gap in its place."""
    return all(
        axis in axes and value in cells(axes[axis]) and value.partition(": ")[0] in axes[axis].values
        for axis, value in cell
    )


def _in_order(found: Iterable[Cell], axes: dict[str, Axis]) -> tuple[Cell, ...]:
    """Cells by the pairs of axes in their order, and within a pair by their names."""
    place = {id: number for number, id in enumerate(axes)}
    return tuple(sorted(found, key=lambda c: (place[c[0][0]], place[c[1][0]], c[0][1], c[1][1])))
