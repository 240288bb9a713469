"""The page of each axis and of each of its values, and the glossary."""

from __future__ import annotations

from survey.literature import Axis, Entry, Value, counts
from survey.literature.agreement import Figure
from survey.literature.export.bib import to_bib
from survey.literature.related import first_to_know, order_in_words, passes, reasons, related, strict_reading
from survey.literature.taxonomy import Shape
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.markup.works import newest_first

VALUE = 0.8
"""What the page of a value weighs in the search, beside that of its axis: who names the axis alone means the axis."""

KNOWN_FIRST = 5
"""Entries with which the page of a value begins."""


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
    figures = _figures(facts, axis)
    first = {value: found[0] for value in axis.values if (found := _first(facts, axis, value))}
    return page, render(
        "pages/axes/axis.md.j2",
        axis=axis,
        names=_names(axis),
        weight=_weight(axis),
        pool=pool,
        page=page,
        chart=facts.pictures.figure(facts.charts[f"by-{axis.id}"], page),
        count={row.cell: row for row in rows},
        figures=figures,
        first=first,
        largest=sorted(first, key=lambda value: -len(pool.works_with(axis, value)))[:KNOWN_FIRST],
        mentions=facts.mentions,
        sources=facts.uncertain.sources((axis.id,)),
        absent={word: newest_first(pool.works_with(axis, word)) for word in axis.absences},
    )


def _names(one: Axis | Value) -> list[str]:
    """Return the names by which the search finds an axis or a value: its id, its other names and languages."""
    return [one.id, *one.also, *(label for language, label in one.labels.items() if language != "en")]


def _weight(axis: Axis) -> float:
    """Return what a page on an axis weighs in the search: the field is described by the main axes of entries."""
    return 4 if axis.main else 1.5 if axis.on == "entry" else 0.5


def _value(facts: Facts, axis: Axis, value: Value) -> Files:
    pool, page = facts.pool, f"axes/{axis.id}/{value.id}.md"
    entries = newest_first(pool.works_with(axis, value.id))
    bib = f"axes/{axis.id}/{value.id}.bib" if axis.on == "entry" else ""
    parts, strict = _by_rank(axis, value, entries), strict_reading(pool.taxonomy, [(axis.id, value.id)])
    if bib:
        yield bib, to_bib(pool.keep(e.key for e in entries))
    yield (
        page,
        render(
            "pages/axes/value.md.j2",
            axis=axis,
            names=[*_names(value), axis.id],
            weight=round(VALUE * _weight(axis), 2),
            value=value,
            pool=pool,
            page=page,
            entries=entries,
            bib=bib,
            figure=facts.uncertain.value(axis.id, value.id) if _is_counted(axis) else None,
            first=_first(facts, axis, value.id),
            mentions=facts.mentions,
            order=order_in_words(pool.taxonomy, any(facts.passages.values())),
            strict=strict,
            strictly=sum(passes(entry, strict) for entry in parts.get("first value", entries)),
            parts=parts,
            sources=facts.uncertain.sources((axis.id,)),
            how=_by_qualifier(axis, value, entries),
            cite=related(pool, [(axis.id, value.id)]) if bib else None,
        ),
    )


def _figures(facts: Facts, axis: Axis) -> dict[str, Figure]:
    """Return the count of each value with its uncertainty; none on axes of records, and where values are qualified."""
    return {value: facts.uncertain.value(axis.id, value) for value in axis.values} if _is_counted(axis) else {}


def _is_counted(axis: Axis) -> bool:
    return axis.on == "entry" and not axis.qualifiers and axis.shape is not Shape.QUANTITY


def _first(facts: Facts, axis: Axis, value: str) -> list[tuple[Entry, list[str]]]:
    """Return the entries of a value that a reader should know first, each with what speaks for it."""
    if axis.on != "entry":
        return []
    taxonomy, filters = facts.pool.taxonomy, [(axis.id, value)]
    known = first_to_know(facts.pool.works_with(axis, value), filters, facts.passages, taxonomy)
    return [(entry, reasons(entry, filters, taxonomy)) for entry in known[:KNOWN_FIRST]]


def _by_rank(axis: Axis, value: Value, entries: list[Entry]) -> dict[str, list[Entry]]:
    """Return the entries that have a value as their first one, and those that have it also, if values are ranked."""
    if axis.shape is not Shape.RANKED:
        return {"": entries}
    first = [entry for entry in entries if entry.primary(axis.id) == value.id]
    also = [entry for entry in entries if entry.primary(axis.id) != value.id]
    return {name: some for name, some in (("first value", first), ("also", also)) if some}


def _by_qualifier(axis: Axis, value: Value, entries: list[Entry]) -> dict[str, list[Entry]]:
    return {
        qualifier: [e for e in entries if any(t.word == value.id and t.qualifier == qualifier for t in e.tags[axis.id])]
        for qualifier in axis.qualifiers
    }
