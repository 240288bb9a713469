"""Support for a related-work section: a sentence to cite, the entries, a covering set, and a paragraph skeleton.

Every statement is a count. The author of the section decides which works to cite and what to say about them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from survey.literature.pool import Entry, Pool, cell_label, cells, counted, mentioned
from survey.literature.problems import expected, quoted
from survey.literature.related.paragraph import NOTICE, Style, Writer, join_words
from survey.literature.related.selection import Cell, Cells, Filter, Selection, Step
from survey.literature.related.set_cover import Cost, smallest_cover
from survey.literature.taxonomy import Axis, Taxonomy

DEPTH = "read"
"""The field that decides after the core axis: a later value is preferred, a deeper reading gives more certain tags."""

DEFAULT_AXES = 3
"""Number of axes covered by default: with more, a path would contain nearly all entries."""


@dataclass(frozen=True, slots=True)
class Related(Selection):
    """A selection from the pool, with text for a related-work section."""

    @property
    def id(self) -> str:
        """An id for an HTML element: letters, digits and hyphens.

        >>> from survey.literature import load
        >>> related(load("bib"), [("decision", "stop: learned")]).id
        'decision-stop-learned'
        """
        parts = [part for pair in self.filters for part in pair] or ["all"]
        return "-".join("".join(c if c.isalnum() else " " for c in " ".join(parts)).split())

    @property
    def found(self) -> Pool:
        """The matching entries as a pool, for export."""
        return self.pool.keep(entry.key for entry in self.entries)

    @property
    def covered(self) -> Cells:
        """The values that the path covers, in the order of the taxonomy."""
        carried = {cell for step in self.path for cell in step.new_values}
        return tuple((a, c) for a in self.axes for c in cells(self.pool.taxonomy[a]) if (a, c) in carried)

    @property
    def sentence(self) -> str:
        """The count as a sentence to cite, with edition and fingerprint of the data."""
        return self.cited()

    def cited(self, style: Style | str = Style.TEXT) -> str:
        """Return the sentence, escaped for a style."""
        return Writer(self, Style(style)).count()

    def pattern(self, places: Mapping[str, str]) -> str:
        """Return the sentence with places to fill in, so that it can be said of other values of the same axes.

        >>> from survey.literature import load
        >>> found = related(load("bib"), [("credit", "turn"), ("decision", "stop: learned")])
        >>> found.pattern({"credit": "{row}", "decision": "{column}"}).partition(" holds ")[2][:72]
        '{entries} tagged credit unit: {row} and orchestration decision: {column}'
        """
        return Writer(self, Style.TEXT).pattern(places)

    def paragraph(self, style: Style | str = Style.TEXT) -> str:
        """Return a paragraph skeleton with citations; always show ``notice`` with it."""
        return " ".join(Writer(self, Style(style)).sentences())

    @property
    def notice(self) -> str:
        """A notice that the paragraph is generated."""
        return NOTICE

    @property
    def path_summary(self) -> str:
        """A sentence that describes the path; empty if there is none."""
        if not self.path:
            return ""
        axes = join_words([self.pool.taxonomy[axis].label.lower() for axis in self.axes])
        number = f"{len(self.path)} of {len(self.entries)}"
        return f"{number}, {'the fewest that' if self.smallest else 'which'} have every value that occurs on {axes}."

    @property
    def ordering(self) -> str:
        """A sentence on the order of the path."""
        taxonomy = self.pool.taxonomy
        values = [value.label for axis in taxonomy.on("entry") for value in axis.values.values() if value.first]
        if not values:
            return "They are in the order of first publication."
        first = taxonomy.settings.first or f"entries with {' or '.join(values)}"
        return f"{first[0].upper()}{first[1:]} come first, then the rest by first publication."

    @property
    def preferring(self) -> str:
        """A sentence on the choice between equivalent entries; empty if only their dates decide."""
        depth = "works that were read in more depth" if DEPTH in self.pool.taxonomy.axes else ""
        if not self.pool.taxonomy.core:
            return f"Among equivalent entries, {depth} are preferred." if depth else ""
        return f"Among equivalent entries, the survey's core is preferred{f', then {depth}' if depth else ''}."

    def describe(self, step: Step) -> str:
        """Return why an entry has its place in the path, and which values it adds."""
        adds = f"adds {value_labels(step.new_values, self.pool.taxonomy)}"
        if not step.unique_values:
            return f"{step.reason}; {adds}"
        same = set(step.unique_values) == set(step.new_values)
        unique = "these" if same else value_labels(step.unique_values, self.pool.taxonomy)
        return f"{step.reason}; {adds}; no other entry has {unique}"


def related(pool: Pool, filters: Iterable[Filter], axes: Sequence[str] | None = None, primary: bool = False) -> Related:
    """Select the entries that match all filters, and the fewest of them that cover all their values on some axes.

    Filters are those of ``Pool.where``. By default ``axes`` are the first main axes (three at most) that no filter
    names and on which the entries differ. ``primary`` matches first values where an axis has them; on a set every
    value counts. Tables count in the same way.

    Raises:
        ValueError: if there is no such axis or value.

    """
    filters = tuple(filters)
    entries = _matching(pool, filters, primary)
    asked = _axes(pool.taxonomy, axes) if axes is not None else _default_axes(entries, filters, pool.taxonomy)
    carried = [tuple(_carried(entry, asked, primary)) for entry in entries]
    cover = smallest_cover(carried, preference(entries, pool.taxonomy))
    steps = _path([(entries[place], carried[place]) for place in cover.chosen], carried, pool.taxonomy)
    separate = [(pair, _matching(pool, [pair], primary)) for pair in filters if not entries and len(filters) > 1]
    names = tuple(axis.id for axis in asked)
    return Related(pool, filters, names, primary, entries, tuple(steps), cover.smallest, tuple(separate))


def value_labels(values: Iterable[Cell], taxonomy: Taxonomy) -> str:
    """Return the labels of values, grouped by axis.

    >>> from survey.literature import load
    >>> value_labels([("credit", "turn"), ("decision", "stop: learned"), ("credit", "message")], load("bib").taxonomy)
    'credit unit: turn · message; orchestration decision: stop, learned'
    """
    by_axis: dict[str, list[str]] = {}
    for axis, cell in values:
        by_axis.setdefault(axis, []).append(cell_label(taxonomy, taxonomy[axis], cell))
    return "; ".join(f"{taxonomy[axis].label.lower()}: {' · '.join(labels)}" for axis, labels in by_axis.items())


def by_preference(entries: Sequence[Entry], taxonomy: Taxonomy) -> list[Entry]:
    """Return entries in the order of preference for a path: by closeness to the core, depth of reading, date."""
    published = sorted(entries, key=_published)
    costs = preference(published, taxonomy)
    return [entry for _, entry in sorted(zip(costs, published, strict=True), key=lambda pair: pair[0])]


def in_reading_order(entries: Iterable[Entry], taxonomy: Taxonomy) -> list[Entry]:
    """Return entries in reading order: those with a value that comes first, then the rest, by first publication."""
    return sorted(entries, key=lambda entry: (not _read_first(entry, taxonomy), _published(entry)))


def _read_first(entry: Entry, taxonomy: Taxonomy) -> str:
    """Return the label of the value that puts an entry before the rest; empty if there is none."""
    values = (axis.values.get(entry.primary(axis.id)) for axis in taxonomy.on("entry"))
    return next((value.label for value in values if value and value.first), "")


# ------------------------------------------------------------- the selection


def _axes(taxonomy: Taxonomy, chosen: Sequence[str]) -> list[Axis]:
    known = {axis.id: axis for axis in taxonomy.on("entry")}
    for name in chosen:
        if name not in known:
            raise ValueError(f"there is no axis {quoted(name)} {expected(name, known)}")
    return [axis for axis in known.values() if axis.id in chosen]


def _default_axes(entries: Sequence[Entry], filters: Sequence[Filter], taxonomy: Taxonomy) -> list[Axis]:
    """Return the first main axes that no filter names and on which the entries differ."""
    named = {axis for axis, _ in filters}
    free = [axis for axis in taxonomy.main if axis.id not in named]
    return list(islice((axis for axis in free if _differ(entries, axis)), DEFAULT_AXES))


def _differ(entries: Sequence[Entry], axis: Axis) -> bool:
    """Return whether the entries have more than one value on an axis."""
    carried = (cell for entry in entries for cell in _carried(entry, [axis], True))
    first = next(carried, None)
    return any(cell != first for cell in carried)


def _matching(pool: Pool, filters: Sequence[Filter], primary: bool) -> tuple[Entry, ...]:
    found = pool.where(filters, primary)
    dated = zip(found.map_cached(_published), found, strict=True)
    return tuple(entry for _, entry in sorted(dated, key=itemgetter(0)))


def _published(entry: Entry) -> tuple[str, str]:
    return entry.appeared, entry.key


# ------------------------------------------------------------------ the path


def _carried(entry: Entry, axes: Sequence[Axis], primary: bool) -> Iterator[Cell]:
    """Yield the values of an entry on some axes, without words for absence."""
    for axis in axes:
        for cell in (counted if primary else mentioned)(entry, axis):
            if cell.partition(": ")[0] in axis.values:
                yield axis.id, cell


def preference(entries: Sequence[Entry], taxonomy: Taxonomy) -> list[Cost]:
    """Return the cost of choosing each entry, among paths of equal length: closeness to the core, depth, date."""
    core, depth = taxonomy.core, taxonomy.axes.get(DEPTH)
    return [
        (_place(entry, core), _place(entry, depth, deepest_first=True), place) for place, entry in enumerate(entries)
    ]


def _place(entry: Entry, axis: Axis | None, deepest_first: bool = False) -> int:
    """Return the place of an entry's value among those of an axis; without an axis all are alike."""
    if axis is None:
        return 0
    word, words = entry.primary(axis.id), axis.words[::-1] if deepest_first else axis.words
    return words.index(word) if word in words else len(words)


def _path(chosen: Sequence[tuple[Entry, Cells]], carried: Iterable[Cells], taxonomy: Taxonomy) -> Iterator[Step]:
    """Yield the chosen entries in reading order, each with the values that it adds."""
    holders: dict[Cell, int] = {}
    for held in carried:
        for cell in held:
            holders[cell] = holders.get(cell, 0) + 1
    values = {entry.key: held for entry, held in chosen}
    seen: set[Cell] = set()
    for entry in in_reading_order((entry for entry, _ in chosen), taxonomy):
        held, label = values[entry.key], _read_first(entry, taxonomy)
        before = f"{label}, hence before the rest; " if label else ""
        yield Step(
            entry,
            tuple(cell for cell in held if cell not in seen),
            tuple(cell for cell in held if holders[cell] == 1),
            f"{before}first public {entry.appeared}",
        )
        seen.update(held)
