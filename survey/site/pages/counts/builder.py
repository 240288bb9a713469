"""Counts: the statistics of every axis, a page for each pair of main axes, and the screening flow."""

from __future__ import annotations

from survey.literature import Value, crosstab
from survey.literature.agreement import Figure
from survey.literature.pool import Entry, Pool, cell_label, cells, counted
from survey.site.charts.pool_charts import pairs
from survey.site.facts import Facts, Files
from survey.site.markup.links import anchor
from survey.site.markup.templates import render
from survey.site.markup.works import newest_first
from survey.site.pages.counts.appraisal import appraisal_page
from survey.site.pages.counts.screening import screening_page
from survey.site.pages.related.builder import cell_bib


def count_pages(facts: Facts) -> Files:
    """Yield the pages on statistics, cross-tabulations, screening and appraisal."""
    yield _statistics(facts)
    page = "measure/crosstabs.md"
    yield page, render("pages/counts/crosstabs.md.j2", pool=facts.pool, page=page, pairs=pairs(facts.pool.taxonomy))
    for rows, columns in pairs(facts.pool.taxonomy):
        yield _crosstab(facts, rows, columns)
    yield screening_page(facts)
    yield from appraisal_page(facts)


def _statistics(facts: Facts) -> tuple[str, str]:
    pool, page = facts.pool, "measure/index.md"
    return page, render(
        "pages/counts/statistics.md.j2",
        pool=pool,
        page=page,
        charts=[facts.charts[f"by-{axis.id}"] for axis in pool.taxonomy.on("entry")],
        figures=_figures(facts),
        years=facts.charts["by-year"],
        draw=facts.pictures.figure,
    )


def _figures(facts: Facts) -> dict[str, list[tuple[Value, Figure]]]:
    """Return the values of each axis that have an interval, with their counts."""
    axes = [
        axis for axis in facts.pool.taxonomy.on("entry") if not isinstance(facts.uncertain.sources((axis.id,)), str)
    ]
    return {
        axis.id: [(value, facts.uncertain.value(axis.id, value.id)) for value in axis.values.values()]
        for axis in axes
        if not axis.qualifiers
    }


def _crosstab(facts: Facts, rows: str, columns: str) -> tuple[str, str]:
    pool, page, readers = facts.pool, f"measure/{rows}-by-{columns}.md", facts.readers
    filled = _filled(pool, rows, columns)
    return page, render(
        "pages/counts/crosstab.md.j2",
        pool=pool,
        page=page,
        chart=facts.charts[f"{rows}-by-{columns}"],
        draw=facts.pictures.figure,
        uncertainty=lambda a, b: facts.uncertain.crossed({rows: a, columns: b}),
        sources=facts.uncertain.sources((rows, columns)),
        rows=pool.taxonomy[rows],
        columns=pool.taxonomy[columns],
        filled=filled,
        reliable=[readers.reliability(axis) for axis in (rows, columns)],
        lower=readers.lower(rows, columns),
        all_read=readers.counts((entry.key for entry in pool), rows, columns),
        empty=_empty(pool, rows, columns),
        cites=facts.citations[rows, columns],
        cell_bib=cell_bib,
        anchor=anchor,
    )


def _filled(pool: Pool, rows: str, columns: str) -> list[tuple[str, str, str, str, list[Entry]]]:
    """Return the cells that hold entries: both values, their labels, the entries."""
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in newest_first(pool):
        for a in counted(entry, down):
            for b in counted(entry, across):
                found.setdefault((a, b), []).append(entry)
    return [
        (a, b, cell_label(pool.taxonomy, down, a), cell_label(pool.taxonomy, across, b), found[a, b])
        for a in cells(down)
        for b in cells(across)
        if (a, b) in found
    ]


def _empty(pool: Pool, rows: str, columns: str) -> list[tuple[str, str, str, str]]:
    """Return the empty cells of two values: both values and their labels."""
    count = crosstab(pool, rows, columns).to_dict("index")
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    return [
        (a, b, cell_label(pool.taxonomy, down, a), cell_label(pool.taxonomy, across, b))
        for a in cells(down)
        for b in cells(across)
        if count[a][b] == 0 and a.partition(": ")[0] in down.values and b.partition(": ")[0] in across.values
    ]
