"""Data that several families of pages share, computed once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from survey.literature import Pool
from survey.literature.agreement import Readings, Uncertainty
from survey.literature.claims import Certainties, Judgement, ledger
from survey.literature.export import FORMATS
from survey.literature.pool import NOT_CODED, cells
from survey.literature.related import Filter, Related, related
from survey.site.cache import Cache, code_fingerprint, fingerprint
from survey.site.charts.drawing import Chart, Pictures
from survey.site.charts.pool_charts import every_chart
from survey.site.drafts import CHAPTERS, PROSE, TABLES, Draft, Reads, Withheld, data_fingerprints, draft, other_files
from survey.site.markup.downloads import DOWNLOADS
from survey.site.markup.links import anchor
from survey.site.notebooks.rendering import Table, tables
from survey.site.prose.chapters import Chapter, Mention, mentions

T = TypeVar("T")

Files = Iterator[tuple[str, str]]
"""The output of a family of pages: the path of each file below docs/, and its content."""

Cells = Mapping[str, Related]
"""The citation material of each cell of a pair of axes, by its anchor on the page of the pair."""


@dataclass(frozen=True)
class Facts:
    """The pool, the address of the site, and data derived from both; each part is computed on first use.

    ``pool`` is a draft: families of pages see placeholders for fingerprints, and only the prose that they read.
    ``source`` is the pool itself, for exports.
    """

    source: Pool
    site_url: str = ""
    issues: str = ""
    """The address that opens a new issue, for links that dispute a tag."""
    repository: str = ""
    """The address of the repository, for lines that clone it and links that edit it."""
    notebooks: Sequence[Mapping[str, Any]] = ()
    """Executed notebooks, whose tables pages may reuse."""
    chapters: Sequence[Chapter] = ()
    """The hand-written pages, with the works that they discuss."""
    cache: Cache = field(default_factory=Cache)
    folder: Path | None = None
    """The folder of the data; without it nothing is taken from the cache by its name."""
    reads: Reads = PROSE | {TABLES, CHAPTERS}
    """What the families that are given these facts read."""

    def cached(self, name: str, compute: Callable[[], T], data: bool = True) -> T:
        """Return a result that depends on the code and on these facts alone, if possible from an earlier build.

        Without ``data`` it depends on the code alone.
        """
        if self.folder is None:
            return compute()
        return self.cache.get(cached_name(name, self.fingerprint if data else ""), compute)

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint of these facts, for a folder of data."""
        assert self.folder is not None
        reads = self.reads - {TABLES, CHAPTERS}
        data = data_fingerprints(self.source, self.folder, reads)[reads]
        shown = self.notebooks if TABLES in self.reads else ()
        discussed = self.chapters if CHAPTERS in self.reads else ()
        addresses = (self.site_url, self.issues, self.repository)
        return facts_fingerprint(data, addresses, shown, discussed, self.written)

    @cached_property
    def other_data(self) -> str:
        """A fingerprint of the data but for the entries; empty without a folder."""
        return other_files(self.folder) if self.folder else ""

    readings: dict[Reads, Facts] = field(default_factory=dict, compare=False, repr=False)
    """The same facts for families that read only this."""

    def __post_init__(self) -> None:
        self.readings[self.reads] = self

    def reading(self, reads: Reads) -> Facts:
        """Return the same facts for families that read only this; those that read the same share their results."""
        return self.readings.get(reads) or replace(self, reads=reads)

    def once(self, compute: Callable[[Facts], T]) -> T:
        """Return what a function computes from these facts, for several families that need it."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return self._computed[compute]  # type: ignore[return-value]

    @cached_property
    def _computed(self) -> dict[Callable[[Facts], object], object]:
        return {}

    @cached_property
    def pool(self) -> Draft:
        """The pool as families of pages may read it."""
        return draft(self.source, self.reads)

    @cached_property
    def uncertain(self) -> Uncertainty:
        """The intervals of counts for misclassification."""
        return Uncertainty(self.pool)

    @cached_property
    def pictures(self) -> Pictures:
        """The renderer of the charts."""
        return Pictures(self.cache)

    @cached_property
    def charts(self) -> dict[str, Chart]:
        """The charts of every axis, every pair of main axes and the years, by id."""
        return every_chart(self.pool)

    @cached_property
    def readers(self) -> Readings:
        """How reliable the coding of each axis is, and how often entries were read."""
        return Readings(self.pool)

    @cached_property
    def certain(self) -> Certainties:
        """How certain the numbers of each claim are."""
        return Certainties(self.pool, self.readers, self.uncertain)

    @cached_property
    def ledger(self) -> dict[str, tuple[Judgement, ...]]:
        """Every claim with its judgement on each snapshot, oldest first, by the id of the claim."""
        return ledger(self.pool)

    @cached_property
    def exports(self) -> dict[str, bytes]:
        """The whole pool in each format, by address."""
        return {path: FORMATS[download.form](self.source) for path, download in DOWNLOADS.items()}

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every table that a notebook shows, by its title. Raises ``Withheld`` for families that do not read it."""
        if TABLES not in self.reads:
            raise Withheld("the tables of notebooks are withheld from this family of pages (name them in FAMILIES)")
        return tables_of(self.notebooks)

    def mentions(self, key: str) -> list[Mention]:
        """Return the chapters that discuss a work. Raises ``Withheld`` for families that do not read it."""
        if CHAPTERS not in self.reads:
            raise Withheld("what the chapters discuss is withheld from this family of pages (name it in FAMILIES)")
        return mentions(self.chapters, key)

    @cached_property
    def written(self) -> frozenset[str]:
        """The paths of the hand-written pages. A page links to one only if it is here: another survey may lack it."""
        return frozenset(one.page for one in self.chapters)

    @cached_property
    def passages(self) -> dict[str, int]:
        """In how many paragraphs the chapters discuss each work. Raises ``Withheld`` as ``mentions`` does."""
        return {entry.key: sum(one.passages for one in self.mentions(entry.key)) for entry in self.source}

    @cached_property
    def citations(self) -> dict[tuple[str, str], Cells]:
        """The citation material of the cells of every pair of main axes, in both orders of the pair."""
        out: dict[tuple[str, str], Cells] = {}
        for rows, columns in combinations([axis.id for axis in self.pool.taxonomy.main], 2):
            out[rows, columns] = found = cells_of(self.pool, rows, columns)
            asked = [(cell, dict(cell.filters)) for cell in found.values()]
            out[columns, rows] = {anchor(values[columns], values[rows]): cell for cell, values in asked}
        return out


def tables_of(notebooks: Iterable[Mapping[str, Any]]) -> dict[str, Table]:
    """Return every table that some notebooks show, by its title."""
    return {title: table for notebook in notebooks for title, table in tables(notebook).items()}


def facts_fingerprint(
    data: str,
    addresses: Iterable[str],
    notebooks: Iterable[Mapping[str, Any]],
    chapters: Iterable[Chapter],
    written: Iterable[str],
) -> str:
    """Return a fingerprint of facts: of the fingerprint of their data, and of what else they are made from.

    ``chapters`` are the pages whose discussions are read, ``written`` the paths of all that are written by hand.
    """
    discussed = [[one.page, one.title, one.passages] for one in chapters]
    tables = json.dumps(tables_of(notebooks))
    return fingerprint([], data, *addresses, tables, json.dumps(discussed), json.dumps(sorted(written)))


def cached_name(name: str, facts: str) -> tuple[str, ...]:
    """Return what a result depends on, in the cache: the code, and facts with this fingerprint."""
    return code_fingerprint(), name, facts


def cells_of(pool: Pool, rows: str, columns: str) -> dict[str, Related]:
    """Return the citation material of each cell of a pair of axes, by its anchor.

    Cells count entries as the table does; cells of uncoded entries are left out. A cell has the
    same sentence whichever axis is in the rows, and no covering set.
    """
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    order = list(pool.taxonomy.axes)
    out = {}
    for a in cells(down):
        for b in cells(across):
            filters: list[Filter] = sorted([(rows, a), (columns, b)], key=lambda pair: order.index(pair[0]))
            if NOT_CODED not in (a, b):
                out[anchor(a, b)] = related(pool, filters, (), primary=True)
    return out
