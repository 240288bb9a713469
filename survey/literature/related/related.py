"""For a related-work section: a sentence to cite, the entries, a reading path, and a skeleton of a paragraph.

Everything that is said here is counted. Which works are worth citing, and what is to be
said of them, stays with the person who writes the section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from survey.literature.pool import Entry, Pool, cell_label, cells, counted, mentioned
from survey.literature.problems import expected, quoted
from survey.literature.related.paragraph import NOTICE, Style, Writer, listed
from survey.literature.related.selection import Cell, Cells, Filter, Selection, Step
from survey.literature.related.set_cover import Cost, smallest_cover
from survey.literature.taxonomy import Axis, Taxonomy

STANDING = "standing"
"""Of entries that would cover as much, the one that stands earlier on this axis is in the path."""

DEPTH = "read"
"""Of those, the one that stands later on this axis: it was read deeper, so its tags are surer."""

TOLD = 3
"""So many axes are covered if nobody chose any: of more, a path is nearly the whole list."""


@dataclass(frozen=True, slots=True)
class Related(Selection):
    """A selection from the pool, in words, for a person who writes about it."""

    @property
    def id(self) -> str:
        """A name for an element of a page: letters, digits and hyphens.

        >>> from survey.literature import load
        >>> related(load("bib"), [("decision", "stop: learned")]).id
        'decision-stop-learned'
        """
        parts = [part for pair in self.filters for part in pair] or ["all"]
        return "-".join("".join(c if c.isalnum() else " " for c in " ".join(parts)).split())

    @property
    def found(self) -> Pool:
        """The entries that match, as a pool that can be exported."""
        return self.pool.keep(entry.key for entry in self.entries)

    @property
    def covered(self) -> Cells:
        """The values that the path covers, in the order of the taxonomy."""
        carried = {cell for step in self.path for cell in step.adds}
        return tuple((a, c) for a in self.axes for c in cells(self.pool.taxonomy[a]) if (a, c) in carried)

    @property
    def sentence(self) -> str:
        """The count, ready to cite: how many, of what, in which edition of which data."""
        return self.cited()

    def cited(self, style: Style | str = Style.TEXT) -> str:
        """The sentence, escaped for a style."""
        return Writer(self, Style(style)).count()

    def paragraph(self, style: Style | str = Style.TEXT) -> str:
        """A skeleton of a paragraph, with citations; ``notice`` says what it is and has to stand beside it."""
        return " ".join(Writer(self, Style(style)).sentences())

    @property
    def notice(self) -> str:
        """What a paragraph is, and whose sentences it is made of."""
        return NOTICE

    @property
    def reach(self) -> str:
        """What the path is, in a sentence; empty if there is none."""
        if not self.path:
            return ""
        axes = listed([self.pool.taxonomy[axis].label.lower() for axis in self.axes])
        number = f"{len(self.path)} of {len(self.entries)}"
        return f"{number}, {'the fewest that' if self.smallest else 'which'} have every value that occurs on {axes}."

    def told(self, step: Step) -> str:
        """Why an entry stands where it stands in the path, and what it brings."""
        adds = f"adds {named(step.adds, self.pool.taxonomy)}"
        if not step.only:
            return f"{step.because}; {adds}"
        alone = "these" if set(step.only) == set(step.adds) else named(step.only, self.pool.taxonomy)
        return f"{step.because}; {adds}; no other of them has {alone}"


def related(pool: Pool, filters: Iterable[Filter], axes: Sequence[str] | None = None, primary: bool = False) -> Related:
    """The entries that match all filters, and the fewest of them that have every value they have on the chosen axes.

    Filters are those of ``Pool.where``. If no ``axes`` are given, they are the first main axes
    (three at most) that no filter names and on which the entries differ. ``primary`` looks at
    first values where an axis has them, as tables do; on a set every value counts, as in tables.

    Raises:
        ValueError: if there is no such axis or value.

    """
    filters = tuple(filters)
    entries = _matching(pool, filters, primary)
    asked = _axes(pool.taxonomy, axes) if axes is not None else _telling(entries, filters, pool.taxonomy)
    carried = [tuple(_carried(entry, asked, primary)) for entry in entries]
    cover = smallest_cover(carried, _costs(entries, pool.taxonomy))
    steps = _path([(entries[place], carried[place]) for place in cover.chosen], carried, pool.taxonomy)
    alone = [(pair, _matching(pool, [pair], primary)) for pair in filters if not entries and len(filters) > 1]
    names = tuple(axis.id for axis in asked)
    return Related(pool, filters, names, primary, entries, tuple(steps), cover.smallest, tuple(alone))


def named(values: Iterable[Cell], taxonomy: Taxonomy) -> str:
    """Values as a reader is told them, axis by axis.

    >>> from survey.literature import load
    >>> named([("credit", "turn"), ("decision", "stop: learned"), ("credit", "message")], load("bib").taxonomy)
    'credit unit: turn · message; orchestration decision: stop, learned'
    """
    by_axis: dict[str, list[str]] = {}
    for axis, cell in values:
        by_axis.setdefault(axis, []).append(cell_label(taxonomy, taxonomy[axis], cell))
    return "; ".join(f"{taxonomy[axis].label.lower()}: {' · '.join(labels)}" for axis, labels in by_axis.items())


def preferred(entries: Sequence[Entry], taxonomy: Taxonomy) -> list[Entry]:
    """Entries in the order in which a path prefers them: by standing, then by how deep they were read, then by date."""
    published = sorted(entries, key=_published)
    return [entry for _, entry in sorted(zip(_costs(published, taxonomy), published, strict=True), key=lambda p: p[0])]


def in_reading_order(entries: Iterable[Entry], taxonomy: Taxonomy) -> list[Entry]:
    """What the taxonomy has read first (foundations, surveys), then the rest; each by first publication."""
    return sorted(entries, key=lambda entry: (not _ground(entry, taxonomy), _published(entry)))


def _ground(entry: Entry, taxonomy: Taxonomy) -> str:
    """The label of the value for which an entry is read before the rest; empty if it is not."""
    values = (axis.values.get(entry.primary(axis.id)) for axis in taxonomy.on("entry"))
    return next((value.label for value in values if value and value.first), "")


# ------------------------------------------------------------- what is found


def _axes(taxonomy: Taxonomy, chosen: Sequence[str]) -> list[Axis]:
    known = {axis.id: axis for axis in taxonomy.on("entry")}
    for name in chosen:
        if name not in known:
            raise ValueError(f"there is no axis {quoted(name)} {expected(name, known)}")
    return [axis for axis in known.values() if axis.id in chosen]


def _telling(entries: Sequence[Entry], filters: Sequence[Filter], taxonomy: Taxonomy) -> list[Axis]:
    """The first main axes that no filter names and on which some entries have another value than others."""
    named = {axis for axis, _ in filters}
    free = [axis for axis in taxonomy.main if axis.id not in named]
    return list(islice((axis for axis in free if _differ(entries, axis)), TOLD))


def _differ(entries: Sequence[Entry], axis: Axis) -> bool:
    """Whether entries have more than one value on an axis."""
    carried = (cell for entry in entries for cell in _carried(entry, [axis], True))
    first = next(carried, None)
    return any(cell != first for cell in carried)


def _matching(pool: Pool, filters: Sequence[Filter], primary: bool) -> tuple[Entry, ...]:
    found = pool.where(filters, primary)
    dated = zip(found.each(_published), found, strict=True)
    return tuple(entry for _, entry in sorted(dated, key=itemgetter(0)))


def _published(entry: Entry) -> tuple[str, str]:
    return entry.appeared, entry.key


# ------------------------------------------------------------------ the path


def _carried(entry: Entry, axes: Sequence[Axis], primary: bool) -> Iterator[Cell]:
    """The values of an entry on some axes; a word for absence is none."""
    for axis in axes:
        for cell in (counted if primary else mentioned)(entry, axis):
            if cell.partition(": ")[0] in axis.values:
                yield axis.id, cell


def _costs(entries: Sequence[Entry], taxonomy: Taxonomy) -> list[Cost]:
    """What choosing each entry costs, beyond making the path longer: standing, then depth, then date."""
    standing, depth = (taxonomy[name].words if name in taxonomy.axes else () for name in (STANDING, DEPTH))
    return [
        (_place(entry.primary(STANDING), standing), _place(entry.primary(DEPTH), depth[::-1]), place)
        for place, entry in enumerate(entries)
    ]


def _place(word: str, words: Sequence[str]) -> int:
    return words.index(word) if word in words else len(words)


def _path(chosen: Sequence[tuple[Entry, Cells]], carried: Iterable[Cells], taxonomy: Taxonomy) -> Iterator[Step]:
    """The chosen entries in the order of reading, each with what it brings."""
    holders: dict[Cell, int] = {}
    for held in carried:
        for cell in held:
            holders[cell] = holders.get(cell, 0) + 1
    brought = {entry.key: held for entry, held in chosen}
    seen: set[Cell] = set()
    for entry in in_reading_order((entry for entry, _ in chosen), taxonomy):
        held, ground = brought[entry.key], _ground(entry, taxonomy)
        before = f"{ground}, hence before the rest; " if ground else ""
        yield Step(
            entry,
            tuple(cell for cell in held if cell not in seen),
            tuple(cell for cell in held if holders[cell] == 1),
            f"{before}first public {entry.appeared}",
        )
        seen.update(held)
