"""What several families of pages need, computed once and handed to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from survey.literature import Pool
from survey.literature.claims import Judgement, ledger
from survey.literature.export import FORMATS
from survey.literature.pool import NOT_CODED, cells
from survey.literature.related import Filter, Related, related
from survey.site.cache import Cache
from survey.site.charts.drawing import Chart, Pictures
from survey.site.charts.pool_charts import every_chart
from survey.site.markup.downloads import DOWNLOADS
from survey.site.markup.links import anchor
from survey.site.notebooks.rendering import Table, tables

Files = Iterator[tuple[str, str]]
"""What a family gives: the path of each file below docs/, and what is in it."""

Cells = Mapping[str, Related]
"""What there is to cite of each cell of a pair of axes, by its anchor on the page of the pair."""


@dataclass(frozen=True)
class Facts:
    """The pool, where the site will stand, and what follows from both; each part is computed when first asked for."""

    pool: Pool
    site_url: str = ""
    issues: str = ""
    """The address that opens a new issue, for the links that dispute a tag."""
    notebooks: Sequence[Mapping[str, Any]] = ()
    """Executed ones, whose tables pages may show again."""
    cache: Cache = field(default_factory=Cache)

    @cached_property
    def pictures(self) -> Pictures:
        """Draws the charts."""
        return Pictures(self.cache)

    @cached_property
    def charts(self) -> dict[str, Chart]:
        """Every axis, every pair of main axes and the years as charts, by id."""
        return every_chart(self.pool)

    @cached_property
    def ledger(self) -> dict[str, tuple[Judgement, ...]]:
        """Every claim with its judgement on each snapshot, oldest first, by the id of the claim."""
        return ledger(self.pool)

    @cached_property
    def exports(self) -> dict[str, bytes]:
        """The whole pool in each format, by address."""
        return {path: FORMATS[download.form](self.pool) for path, download in DOWNLOADS.items()}

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every table that a notebook shows, by its title."""
        return {title: table for notebook in self.notebooks for title, table in tables(notebook).items()}

    @cached_property
    def citations(self) -> dict[tuple[str, str], Cells]:
        """What there is to cite of the cells of every pair of main axes, and of the pair the other way round."""
        out: dict[tuple[str, str], Cells] = {}
        for rows, columns in combinations([axis.id for axis in self.pool.taxonomy.main], 2):
            out[rows, columns] = found = cells_of(self.pool, rows, columns)
            asked = [(cell, dict(cell.filters)) for cell in found.values()]
            out[columns, rows] = {anchor(values[columns], values[rows]): cell for cell, values in asked}
        return out


def cells_of(pool: Pool, rows: str, columns: str) -> dict[str, Related]:
    """What there is to cite of each cell of a pair of axes, by its anchor.

    Counted as the table counts; a cell of entries that are not coded is left out. Whichever
    axis is in the rows, the same cell is cited by the same sentence.
    """
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    order = list(pool.taxonomy.axes)
    out = {}
    for a in cells(down):
        for b in cells(across):
            filters: list[Filter] = sorted([(rows, a), (columns, b)], key=lambda pair: order.index(pair[0]))
            if NOT_CODED not in (a, b):
                out[anchor(a, b)] = related(pool, filters, primary=True)
    return out
