"""The page of each axis and of each of its values, and the glossary."""

from __future__ import annotations

from survey.literature import Axis, Entry, Value, counts
from survey.literature.agreement import Figure
from survey.literature.export.bib import to_bib
from survey.literature.related import related
from survey.literature.taxonomy import Shape
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.markup.works import newest_first


def axis_pages(facts: Facts) -> Files:
    """Yield the page of every axis and value, the BibTeX of values, the list of axes and the glossary."""
    for axis in facts.pool.taxonomy:
        yield _axis(facts, axis)
        for value in axis.values.values():
            yield from _value(facts, axis, value)
    pool = facts.pool
    yield "axes/index.md", render("pages/axes/axes.md.j2", pool=pool, page="axes/index.md")
    yield "glossary.md", render("pages/axes/glossary.md.j2", pool=pool, page="glossary.md")


def _axis(facts: Facts, axis: Axis) -> tuple[str, str]:
    pool, page = facts.pool, f"axes/{axis.id}/index.md"
    rows = counts(pool, axis.id).rename(columns={"count": "n"}).itertuples()
    return page, render(
        "pages/axes/axis.md.j2",
        axis=axis,
        names=_names(axis),
        weight=_weight(axis),
        pool=pool,
        page=page,
        chart=facts.pictures.figure(facts.charts[f"by-{axis.id}"], page),
        count={row.cell: row for row in rows},
        figures=_figures(facts, axis),
        sources=facts.uncertain.sources((axis.id,)),
        absent={word: newest_first(pool.works_with(axis, word)) for word in axis.absences},
    )


def _names(one: Axis | Value) -> list[str]:
    """Return the names by which the search finds an axis or a value: its id, and its labels in other languages."""
    return [one.id, *(label for language, label in one.labels.items() if language != "en")]


def _weight(axis: Axis) -> float:
    """Return what a page on an axis weighs in the search: the field is described by the main axes of entries."""
    return 4 if axis.main else 1.5 if axis.on == "entry" else 0.5


def _value(facts: Facts, axis: Axis, value: Value) -> Files:
    pool, page = facts.pool, f"axes/{axis.id}/{value.id}.md"
    entries = newest_first(pool.works_with(axis, value.id))
    bib = f"axes/{axis.id}/{value.id}.bib" if axis.on == "entry" else ""
    if bib:
        yield bib, to_bib(pool.keep(e.key for e in entries))
    yield (
        page,
        render(
            "pages/axes/value.md.j2",
            axis=axis,
            names=[*_names(value), axis.id],
            weight=_weight(axis),
            value=value,
            pool=pool,
            page=page,
            entries=entries,
            bib=bib,
            figure=_figures(facts, axis).get(value.id),
            sources=facts.uncertain.sources((axis.id,)),
            how=_by_qualifier(axis, value, entries),
            cite=related(pool, [(axis.id, value.id)]) if bib else None,
        ),
    )


def _figures(facts: Facts, axis: Axis) -> dict[str, Figure]:
    """Return the count of each value with its uncertainty; none on axes of records, and where values are qualified."""
    if axis.on != "entry" or axis.qualifiers or axis.shape is Shape.QUANTITY:
        return {}
    return {value: facts.uncertain.value(axis.id, value) for value in axis.values}


def _by_qualifier(axis: Axis, value: Value, entries: list[Entry]) -> dict[str, list[Entry]]:
    return {
        qualifier: [e for e in entries if any(t.word == value.id and t.qualifier == qualifier for t in e.tags[axis.id])]
        for qualifier in axis.qualifiers
    }
