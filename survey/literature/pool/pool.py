"""The pool: an immutable view of everything in ``bib/``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from survey.extras import lazy
from survey.literature.pool.appraisal import Appraisal
from survey.literature.pool.claims import Claims
from survey.literature.pool.codings import Adjudication, Audit, Coding, Confusion
from survey.literature.pool.editions import Edition, Works, aliases, fingerprint, published_works
from survey.literature.pool.entries import Entry, Record, restored_tags
from survey.literature.pool.evidence_kinds import EvidenceKind, ScalePage
from survey.literature.pool.gap_notes import Note, Searched
from survey.literature.pool.screening.protocol import Protocol
from survey.literature.pool.screening.scouting import Scouting
from survey.literature.pool.screening.screened import Screened
from survey.literature.pool.screening.searches import SearchLog
from survey.literature.pool.tags import Parsed, Tag
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Axis, Shape, Taxonomy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

R = TypeVar("R")
T = TypeVar("T")

Rows = Sequence[Mapping[str, str]]
"""The rows of a table, each by the names of its columns."""


@dataclass(frozen=True)
class Pool:
    """All entries and excluded records of a survey, with the taxonomy that explains them.

    ``pool["c3"]`` is an entry, ``len(pool)`` the number of entries, ``pool.as_of(day)`` the snapshot of a day.
    ``background`` works are cited in the prose and never counted; ``claims`` are judged by
    ``survey.literature.claims``; ``editions`` are the published snapshots. Two data frames hold the same data for
    pandas: ``frame`` (a row per entry) and ``tags`` (a row per entry, axis and value).
    """

    taxonomy: Taxonomy
    entries: tuple[Entry, ...]
    records: tuple[Record, ...] = ()
    codings: Mapping[str, Coding] = field(default_factory=dict)
    trials: Mapping[str, Mapping[str, Coding]] = field(default_factory=dict)
    """Codings by rules that were tried on a few entries: never compared with the others, and counted nowhere."""

    audits: Mapping[str, Audit] = field(default_factory=dict)
    """Random samples of entries, checked field by field."""

    background: tuple[Entry, ...] = ()
    adjudications: Mapping[tuple[str, str], Adjudication] = field(default_factory=dict)
    comments: Mapping[Confusion, str] = field(default_factory=dict)
    """The comments on confusions of two readings."""

    claims: Claims = field(default_factory=Claims)
    editions: Mapping[date, Edition] = field(default_factory=dict)
    evidence: tuple[EvidenceKind, ...] = ()
    """The kinds of evidence for a scale."""

    scale: ScalePage = field(default_factory=ScalePage)
    """What the page on disclosed numbers says of itself."""

    notes: tuple[Note, ...] = ()
    """The notes on gaps."""

    searched: tuple[Searched, ...] = ()
    """The values for which works were searched on purpose."""

    searches: SearchLog = field(default_factory=lambda: SearchLog({}, ()))
    """The search log: queries, hits, and the numbers screened and kept."""

    protocol: Protocol = field(default_factory=Protocol)
    """The criteria of inclusion and exclusion, and the records that were decided again."""

    scouting: Scouting = field(default_factory=Scouting)
    """What the scout looks for, what its runs saw, and how well it ranks."""

    screened: tuple[Screened, ...] = ()
    """The candidates that entered the queue, with what was decided on them."""

    appraisal: Appraisal = field(default_factory=Appraisal)
    """How the studies of the entries were made, as far as that was assessed."""

    tables: Mapping[str, Rows] = field(default_factory=dict)
    """Tables of the survey's own, from which hand-written pages take figures."""

    snapshot: date | None = None
    parent: Pool | None = None
    """The full pool, if this is a selection from it."""

    root: Pool | None = field(default=None, compare=False, repr=False)
    """The pool whose index is used for lookups: it contains all entries of this one, with the same tags."""

    origin: Pool | None = field(default=None, compare=False, repr=False)
    """The pool that a snapshot, or a pool in a reader's tags, was made from."""

    coding: str = ""
    """The coding whose tags stand in place of the pool's own, if any."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    """The keys of works that were renamed since, by their keys of today."""

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __getitem__(self, key: str) -> Entry:
        try:
            return self._by_key[key]
        except KeyError:
            raise KeyError(f"there is no entry {quoted(key)} {expected(key, self._by_key)}") from None

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    @cached_property
    def _by_key(self) -> dict[str, Entry]:
        found = {entry.key: entry for entry in self.entries}
        names = {**aliases(self.entries), **self.renamed}  # works are found by their former and later keys, too
        return {name: found[key] for name, key in names.items() if key in found} | found

    def tried(self, trial: str) -> Pool:
        """Return this pool with the codings of a trial in place of its own codings."""
        if trial not in self.trials:
            raise ValueError(f"there is no trial {quoted(trial)} {expected(trial, self.trials)}")
        return replace(self, codings=self.trials[trial], adjudications={})

    @property
    def eligible(self) -> tuple[Record, ...]:
        """The records outside the pool that no criterion excludes: eligible, and not yet included."""
        return tuple(record for record in self.records if self.protocol.waits(record))

    def key_here(self, name: str) -> str:
        """Return the key under which this pool has a work that another edition names otherwise."""
        return self._by_key[name].key if name in self._by_key else name

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.key: place for place, entry in enumerate(self.entries)}

    @cached_property
    def last_added(self) -> date:
        """The day of the newest entry."""
        return max((date.fromisoformat(e.added) for e in self.entries), default=date.min)

    @cached_property
    def day(self) -> date:
        """The day of this pool: that of the snapshot, otherwise of the full pool.

        That is the day of the newest entry or, if an edition was changed later, of the newest change.
        """
        if self.snapshot:
            return self.snapshot
        if self.parent is not None:
            return self.parent.day
        return max([self.last_added, *(e.last_change for e in self.editions.values() if e.rows)])

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits of the data that this pool is, or is a selection from."""
        if self.parent is not None:
            return self.parent.fingerprint
        return fingerprint([*self.entries, *self.records])

    @property
    def stamp(self) -> str:
        """Which data this is: survey, edition and fingerprint. Every export carries it."""
        return f"{self.taxonomy.title}, edition {self.day}, data {self.fingerprint}"

    def as_of(self, day: date | None) -> Pool:
        """Return the pool as it was at the end of a day; the pool itself for None.

        For the day of a published edition these are its works as published. For any other day they are the works that
        had come in by then, as they are known now.
        """
        if day is None:
            return self
        if day not in self._days:
            edition = self.editions.get(day)
            published = edition is not None and edition.data and not (self.snapshot and self.snapshot <= day)
            self._days[day] = self._published(edition) if edition and published else self._by_date(day)
        return self._days[day]

    def appeared_by(self, day: date) -> Pool:
        """Return the entries that had surely appeared by the end of a day, as they are known now.

        A work of which only the month or the year is known counts when that is over.
        """
        if day not in self._public:
            self._public[day] = self.only(entry for entry in self.entries if entry.had_appeared(day))
        return self._public[day]

    def _by_date(self, day: date) -> Pool:
        iso = day.isoformat()
        return replace(
            self,
            entries=tuple(e for e in self.entries if e.added <= iso),
            records=tuple(r for r in self.records if r.text("screened") <= iso),
            snapshot=day,
            parent=None,
            root=self.root or self,
            origin=self.origin or self,
        )

    def _published(self, edition: Edition) -> Pool:
        if not edition.rows and not self.snapshot:
            return self._by_date(edition.day)  # nothing in it has changed
        if self.origin and self.coding:
            return self.origin.as_of(edition.day).recoded(self.coding)
        if self.parent:
            whole = self.parent.as_of(edition.day)
            return replace(whole, entries=tuple(e for e in whole if e.key in self), root=whole.root or whole)
        return self.origin.as_of(edition.day) if self.origin else self._restored(edition)

    def _restored(self, edition: Edition) -> Pool:
        """Return an edition with what was changed since put back; works that did not change are shared."""
        today = Works([e.block for e in self.entries], [r.block for r in self.records])
        then = published_works(today, edition)
        known: dict[int, Entry] = {id(work.block): work for work in (*self.entries, *self.records)}
        axes, parsed = {on: self.taxonomy.on(on) for on in ("entry", "record")}, Parsed()
        entries = (known.get(id(b)) or Entry(b, restored_tags(b, axes["entry"], parsed)) for b in then.entries)
        records = (known.get(id(b)) or Record(b, restored_tags(b, axes["record"], parsed)) for b in then.records)
        former, current = aliases(today), {block.key for block in today}
        names = {block.key: former[block.key] for block in then if block.key in former.keys() - current}
        here = {now: was for was, now in names.items()}
        return replace(
            self,
            entries=tuple(entries),
            records=tuple(r for r in records if isinstance(r, Record)),
            codings={id: coding.with_keys(here) for id, coding in self.codings.items()} if here else self.codings,
            snapshot=edition.day,
            root=None,
            origin=self,
            renamed=MappingProxyType(here),
        )

    @cached_property
    def _days(self) -> dict[date, Pool]:
        return {}

    @cached_property
    def _public(self) -> dict[date, Pool]:
        return {}

    def where(self, filters: Iterable[tuple[str, str]], primary: bool = False) -> Pool:
        """Return the entries that match all filters, each a pair of axis and value.

        A value may be a code or a family (``O5``, ``R6``) and may have a qualifier (``stop:learned``); several values
        may be joined by commas. ``primary`` matches first values only, except on sets, whose values have no order.

        Raises:
            ValueError: if there is no such axis or value.

        """
        keys: set[str] | None = None
        for axis, values in filters:
            wanted = self._wanted(axis, values)
            ranked = self.taxonomy[axis].shape not in (Shape.SET, Shape.QUANTITY)  # a set has no first value
            keys_by_value = (self.root or self)._keys_by_value(axis, primary and ranked)
            found: set[str] = set().union(*(keys_by_value.get(value, ()) for value in wanted))
            keys = found if keys is None else keys & found
        if keys is None:
            return self.only(self.entries)
        if self.root:  # for a selection, one pass over the entries is faster than building an index
            return self.only(entry for entry in self.entries if entry.key in keys)
        return self.only(self._by_key[key] for key in sorted(keys, key=self._places.__getitem__))

    def _keys_by_value(self, axis: str, first: bool) -> Mapping[tuple[str, str], list[str]]:
        """Return the keys of the entries by value of an axis, with and without qualifier; cached.

        If ``first``, only first values are indexed.
        """
        if (axis, first) not in self._index:
            index: dict[tuple[str, str], list[str]] = defaultdict(list)
            for entry in self.entries:
                for tag in entry.tags.get(axis, ())[: 1 if first else None]:
                    for value in {(tag.word, ""), (tag.word, tag.qualifier)}:
                        index[value].append(entry.key)
            self._index[axis, first] = index
        return self._index[axis, first]

    @cached_property
    def _index(self) -> dict[tuple[str, bool], Mapping[tuple[str, str], list[str]]]:
        return {}

    def only(self, entries: Iterable[Entry]) -> Pool:
        """Return a selection of the entries of this pool, in the given order."""
        return replace(
            self, entries=tuple(entries), parent=self.parent or self, root=self.root or self, origin=None, coding=""
        )

    def map_cached(self, make: Callable[[Entry], T]) -> list[T]:
        """Return the results of a function for each entry, cached for the pool and all its selections."""
        results: dict[str, T] = (self.root or self)._results[make]
        for entry in self.entries:
            if entry.key not in results:
                results[entry.key] = make(entry)
        return [results[entry.key] for entry in self.entries]

    def once(self, compute: Callable[[Pool], R]) -> R:
        """Return what a function computes from this pool, computed once."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return self._computed[compute]  # type: ignore[return-value]

    @cached_property
    def _computed(self) -> dict[Callable[[Pool], object], object]:
        return {}

    @cached_property
    def _results(self) -> defaultdict[Callable[[Entry], Any], dict[str, Any]]:
        return defaultdict(dict)

    def keep(self, keys: Iterable[str]) -> Pool:
        """Return the entries with these keys, in the order of the keys."""
        return self.only(self[key] for key in dict.fromkeys(keys))

    def recoded(self, coding: str) -> Pool:
        """Return the pool with a reader's tags in place of its own, wherever that reader coded an axis of an entry.

        The evidence does not change: it supports the pool's tags, not the reader's.

        Raises:
            ValueError: if there is no such coding.

        """
        if coding not in self.codings:
            raise ValueError(f"there is no coding {quoted(coding)} {expected(coding, self.codings)}")
        judged: dict[str, dict[str, tuple[Tag, ...]]] = defaultdict(dict)
        for judgement in self.codings[coding].judgements:
            judged[judgement.key][judgement.axis] = judgement.tags
        axes = [axis.id for axis in self.taxonomy.on("entry")]
        entries = []
        for entry in self.entries:
            tags = {**entry.tags, **judged.get(entry.key, {})}  # of derived axes as well, if all parts were judged
            entries.append(replace(entry, tags=MappingProxyType({axis: tags[axis] for axis in axes if axis in tags})))
        return replace(self, entries=tuple(entries), root=None, origin=self, coding=coding)

    def works_with(self, axis: Axis, word: str) -> tuple[Entry, ...]:
        """Return the entries with a value, or the excluded records if the axis is one of records."""
        if axis.on == "entry":
            return self.where([(axis.id, word)]).entries
        return tuple(record for record in self.records if word in record.words(axis.id))

    def _wanted(self, axis: str, values: str) -> set[tuple[str, str]]:
        axes = {a.id: a for a in self.taxonomy.on("entry")}
        if axis not in axes:
            raise ValueError(f"there is no axis {quoted(axis)} {expected(axis, axes)}")
        wanted = set()
        for value in values.split(","):
            name, colon, how = (part.strip() for part in value.partition(":"))
            words = axes[axis].resolve(name)
            if not words:
                raise ValueError(f"{quoted(name)} is not a value of {axis} {expected(name, axes[axis].words)}")
            if colon and not axes[axis].qualifiers:
                raise ValueError(f"{quoted(value)}: values of {axis} take nothing after a colon")
            if colon and how not in axes[axis].qualifiers:
                raise ValueError(f"{quoted(how)} does not say how {expected(how, axes[axis].qualifiers)}")
            wanted |= {(word, how) for word in words}
        return wanted

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row per entry: key, type, title, authors, year, appeared, added and venue."""
        columns = ["key", "type", "title", "authors", "year", "appeared", "added", "venue"]
        rows = [
            (e.key, e.block.type, e.title, "; ".join(n.sorted for n in e.authors), e.year, e.appeared,
             e.added, e.venue)
            for e in self.entries
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def tags(self) -> pd.DataFrame:
        """A row per entry, axis and value; ``primary`` marks the first value on the axis."""
        columns = ["key", "axis", "word", "qualifier", "number", "primary"]
        rows = [
            (e.key, axis, tag.word, tag.qualifier, tag.number, position == 0)
            for e in self.entries
            for axis, tags in e.tags.items()
            for position, tag in enumerate(tags)
        ]
        return pd.DataFrame(rows, columns=columns).astype({"number": "Int64", "primary": bool})
