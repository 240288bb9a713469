"""Counts: the statistics of every axis, a page for each pair of main axes, and the screening flow."""

from __future__ import annotations

from survey.literature import Value
from survey.literature.agreement import Figure
from survey.site.charts.pool_charts import pairs
from survey.site.facts import Facts, Files
from survey.site.markup.optional import has
from survey.site.markup.templates import render
from survey.site.pages.counts.appraisal import appraisal_page
from survey.site.pages.counts.crosstab import crosstab_page
from survey.site.pages.counts.screening import screening_page


def count_pages(facts: Facts) -> Files:
    """Yield the pages on statistics, and on pairs of axes, screening and appraisal if there is something to show."""
    yield _statistics(facts)
    page = "measure/crosstabs.md"
    if has(facts.pool, page):
        yield page, render("pages/counts/crosstabs.md.j2", pool=facts.pool, page=page, pairs=pairs(facts.pool.taxonomy))
    for rows, columns in pairs(facts.pool.taxonomy):
        yield crosstab_page(facts, rows, columns)
    if has(facts.pool, "measure/screening.md"):
        yield screening_page(facts)
    yield from appraisal_page(facts)


def _statistics(facts: Facts) -> tuple[str, str]:
    pool, page = facts.pool, "measure/index.md"
    return page, render(
        "pages/counts/statistics.md.j2",
        pool=pool,
        page=page,
        charts=[facts.charts[f"by-{axis.id}"] for axis in pool.taxonomy.main],
        others=[axis for axis in pool.taxonomy.on("entry") if not axis.main],
        figures=_figures(facts),
        years=facts.charts["by-year"],
        draw=facts.pictures.figure,
    )


def _figures(facts: Facts) -> dict[str, list[tuple[Value, Figure]]]:
    """Return the values of each main axis that has an interval, with their counts."""
    axes = [axis for axis in facts.pool.taxonomy.main if not isinstance(facts.uncertain.sources((axis.id,)), str)]
    return {
        axis.id: [(value, facts.uncertain.value(axis.id, value.id)) for value in axis.values.values()]
        for axis in axes
        if not axis.qualifiers
    }
