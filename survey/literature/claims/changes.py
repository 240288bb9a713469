"""Changes between two snapshots or two copies: in the entries, and in the conclusions drawn from them."""

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
"""The fields of a claim that do not affect how it is counted, with neutral values."""


@dataclass(frozen=True)
class Ranking:
    """The values of an axis by the number of entries that have each as primary value, most frequent first."""

    axis: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """The number of entries in a cell of an axis, before and after."""

    axis: str
    cell: str
    before: int
    after: int


@dataclass(frozen=True)
class Edit:
    """A work on both sides, and its differences: tags by axis, and names of other fields.

    The names include ``key`` and ``type`` if these differ. Missing tags are empty tuples.
    """

    before: Entry
    after: Entry
    tags: tuple[tuple[str, tuple[Tag, ...], tuple[Tag, ...]], ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Numbers:
    """The numbers of compared items: on one side, or unchanged."""

    entries: int
    records: int
    claims: int
    rankings: int
    cells: int


@dataclass(frozen=True)
class Changes:
    """The differences between two sides: added and removed works, and their effects.

    The sides are two days of one pool, or two copies of the data. ``unchanged`` is the part of ``old`` and ``new``
    that is the same.
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
    """Claims whose definition changed, as they are now."""

    emptied: tuple[Cell, ...]
    counts: tuple[Count, ...]
    old: Numbers
    new: Numbers
    unchanged: Numbers

    @property
    def status_changes(self) -> tuple[tuple[Judgement, Judgement], ...]:
        """The claims whose status changed; for the others only the number changed."""
        return tuple((old, new) for old, new in self.claims if old.status is not new.status)

    @property
    def number_changes(self) -> tuple[tuple[Judgement, Judgement], ...]:
        """The claims whose number changed, but not the status."""
        return tuple((old, new) for old, new in self.claims if old.status is new.status)


def changes(pool: Pool, before: date, after: date) -> Changes:
    """Return the changes from one day to a later one.

    Raises:
        ValueError: if the days are not in order.

    """
    if before >= after:
        raise ValueError(f"{before} is not before {after}")
    judge = pool.once(Judge)
    return _compared(_Side(pool.as_of(before), judge, before), _Side(pool.as_of(after), judge, after))


def compare_copies(was: Pool, now: Pool) -> Changes:
    """Return the changes from one copy of the data to another.

    Both are judged on the same day, the later of theirs: usually that of the newer copy. If the newer copy lost the
    newest entries, an earlier day would hide the loss.
    """
    day = max(was.day, now.day)
    return _compared(_Side(was, was.once(Judge), day), _Side(now, now.once(Judge), day))


def history(pool: Pool) -> tuple[Changes, ...]:
    """Return the changes from each snapshot to the next, newest first."""
    return tuple(changes(pool, before, after) for before, after in pairwise(snapshots(pool)))[::-1]


@dataclass(frozen=True)
class _Side:
    """One side of a comparison: a pool, and the day on which its claims are judged."""

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
    changed = tuple((old, new) for old, new in claims if _result(old) != _result(new))
    restated = tuple(new for old, new in claims if _definition(old.claim) != _definition(new.claim))
    axes = now.main | was.main
    orders = [_ranking(was, now, axis) for axis in axes]
    filled_before, filled_now = set(_cells(was, axes)), set(_cells(now, axes))
    same_claims = len(claims) - len({new.claim.id for _, new in changed} | {new.claim.id for new in restated})
    return Changes(
        was.day,
        now.day,
        entries=entries.added,
        records=records.added,
        claims=changed,
        rankings=tuple(r for r in orders if r.before != r.after),
        filled=_in_order(filled_now - filled_before, axes),
        gone_entries=entries.removed,
        gone_records=records.removed,
        edits=(*entry_edits, *record_edits),
        new_claims=tuple(today[id] for id in today if id not in then),
        gone_claims=tuple(then[id] for id in then if id not in today),
        restated=restated,
        emptied=_in_order((cell for cell in filled_before - filled_now if _exists(cell, now.main)), axes),
        counts=tuple(_counts(was, now)),
        old=Numbers(len(was.pool), len(was.pool.records), len(then), len(was.main), len(filled_before)),
        new=Numbers(len(now.pool), len(now.pool.records), len(today), len(now.main), len(filled_now)),
        unchanged=Numbers(
            len(entries.both) - len(entry_edits),
            len(records.both) - len(record_edits),
            same_claims,
            sum(r.before == r.after for r in orders),
            len(filled_before & filled_now),
        ),
    )


class _Matched:
    """The works of two sides, matched by key or by former key."""

    def __init__(self, was: Sequence[Entry], now: Sequence[Entry]) -> None:
        old = {work.key: work for work in was}
        new = {work.key: work for work in now}
        former = {key: today for key, today in aliases(now).items() if key in old and key not in new}
        renamed = {today: key for key, today in former.items() if today not in old}
        self.both = [(old[renamed.get(key, key)], work) for key, work in new.items() if renamed.get(key, key) in old]
        matched = {work.key for work, _ in self.both}
        self.added = tuple(work for work in now if work.key not in old and work.key not in renamed)
        self.removed = tuple(work for work in was if work.key not in matched)

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


def formatted_number(judgement: Judgement) -> str:
    """Return the number of a claim as text, with its population unless it is a largest number."""
    broad = judgement.broad
    return str(broad.number) if judgement.claim.largest else f"{broad.number} of {broad.of}"


def _result(judgement: Judgement) -> tuple[str, int, int]:
    """Return what differs if a claim has changed; the population only matters for a share."""
    share = judgement.claim.is_share
    return judgement.verdict, judgement.broad.number, judgement.broad.of if share else 0


def _definition(claim: Claim) -> Claim:
    return msgspec.structs.replace(claim, **REMARKS)


def _ranking(was: _Side, now: _Side, axis: str) -> Ranking:
    return Ranking(axis, *(_order(side.pool, side.main[axis]) if axis in side.main else () for side in (was, now)))


def _order(pool: Pool, axis: Axis) -> tuple[str, ...]:
    """Return the values with entries, most frequent first, ties in the order of the axis."""
    first = Counter(entry.primary(axis.id) for entry in pool)
    return tuple(sorted((value for value in axis.values if first[value]), key=lambda value: -first[value]))


def _counts(was: _Side, now: _Side) -> Iterator[Count]:
    """Yield the cells of the main axes whose number of entries changed."""
    for id, axis in (was.main | now.main).items():
        found = [
            Counter(cell for e in side.pool for cell in counted(e, side.main[id])) if id in side.main else Counter()
            for side in (was, now)
        ]
        for cell in dict.fromkeys([*cells(axis), *found[0]]):
            if found[0][cell] != found[1][cell]:
                yield Count(id, cell, found[0][cell], found[1][cell])


def _cells(side: _Side, order: Iterable[str]) -> Iterator[Cell]:
    """Yield the filled cells of every pair of main axes, by values on both."""
    main = side.main
    for rows, columns in combinations([main[id] for id in order if id in main], 2):
        for a, b in {(a, b) for e in side.pool for a in counted(e, rows) for b in counted(e, columns)}:
            if _exists(cell := ((rows.id, a), (columns.id, b)), main):
                yield cell


def _exists(cell: Cell, axes: dict[str, Axis]) -> bool:
    """Return whether a cell consists of existing values: a value removed from the taxonomy leaves no gap."""
    return all(
        axis in axes and value in cells(axes[axis]) and value.partition(": ")[0] in axes[axis].values
        for axis, value in cell
    )


def _in_order(found: Iterable[Cell], axes: dict[str, Axis]) -> tuple[Cell, ...]:
    """Return cells sorted by pair of axes in their order, and within a pair by name."""
    place = {id: number for number, id in enumerate(axes)}
    return tuple(sorted(found, key=lambda c: (place[c[0][0]], place[c[1][0]], c[0][1], c[1][1])))
