"""The charts of the pool: picture, one computed sentence and table, all three from the same frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature import Axis, Pool, counts, crosstab, timeline
from survey.literature.counting import FOLD, by_frequency, is_folded, leading
from survey.literature.pool import NOT_CODED, cell_label, cells
from survey.literature.taxonomy import Absence, Taxonomy
from survey.site.charts.drawing import HUE, MUTED, PAPER, ROOT, RULE, Chart, filled, finished, look
from survey.site.markup.links import anchor
from survey.site.markup.text import at_start, in_sentence, words

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
else:
    alt = lazy("altair")
    pd = lazy("pandas")

ROW = 24
"""Height of a bar or of a row of cells, in pixels."""


def bars(pool: Pool, axis: str) -> Chart:
    """Return the counts on one axis as a bar chart; each bar links to its entries."""
    asked = pool.taxonomy[axis]
    table = counts(pool, axis)
    absent = table["cell"].isin({*Absence, NOT_CODED})
    table = table.assign(href=[_cell_link(axis, cell) for cell in table["cell"]], absent=absent)
    data = table[["cell", "label", "count", "href", "absent"]].to_dict("records")
    entries = len(pool.records) if asked.on == "record" else len(pool)
    return Chart(
        id=f"by-{axis}",
        title=f"{'Excluded records' if asked.on == 'record' else 'Entries'} by {in_sentence(asked.label)}",
        sentence=_bars_sentence(table, asked, entries),
        source=_source(pool, entries, asked),
        spec=filled(
            _bars(), data, width=420, height=ROW * len(data), axis=asked.label, order=[row["label"] for row in data]
        ),
        head=(asked.label, "Entries", "Mentions"),
        rows=tuple(
            ((label, href), (str(number), ""), (str(mentions), ""))
            for label, href, number, mentions in zip(
                table["label"], table["href"], table["count"], table["mentions"], strict=True
            )
        ),
        hue=axis,
    )


@cache
def _bars() -> dict[str, Any]:
    """Return the look of a bar chart; names with a dollar are filled in for each chart."""
    base = alt.Chart().encode(
        y=alt.Y("label:N", sort=["$order"], title=None, axis=alt.Axis(labelPadding=8)),
        href=alt.Href("href:N"),
        tooltip=[alt.Tooltip("label:N", title="$axis"), alt.Tooltip("count:Q", title="entries")],
    )
    over = _pointed_at("label")
    return look(
        base.mark_bar(color=HUE, height=14)
        .encode(x=alt.X("count:Q", axis=None), opacity=_unless(over))
        .add_params(over)
        .transform_filter("datum.count > 0 && !datum.absent")
        + base.mark_bar(color=RULE, height=14).encode(x=alt.X("count:Q", axis=None))
        .transform_filter("datum.count > 0 && datum.absent")
        + base.mark_point(color=MUTED, shape="circle", size=46, strokeDash=[2, 2], filled=False, xOffset=6)
        .encode(x=alt.X("count:Q", axis=None))
        .transform_filter("datum.count == 0")
        + base.mark_text(align="left", dx=7, fontWeight=600).encode(x=alt.X("count:Q"), text=alt.Text("count:Q"))
        .transform_filter("datum.count > 0")
        + base.mark_text(align="left", dx=18, color=MUTED).encode(x=alt.X("count:Q"), text=alt.Text("count:Q"))
        .transform_filter("datum.count == 0")
    )  # fmt: skip


def matrix(pool: Pool, rows: str, columns: str) -> Chart:
    """Return the cross-tabulation of two axes as a chart; each cell links to its entries."""
    link = f"{ROOT}measure/{rows}-by-{columns}/"
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    table = crosstab(pool, rows, columns)
    count = table.to_dict("index")
    labels = {axis.id: {cell: cell_label(pool.taxonomy, axis, cell) for cell in cells(axis)} for axis in (down, across)}
    every = [cell for cell in table.columns if _worth_showing(cell, across, table[cell].sum())]
    each = [cell for cell in table.index if _worth_showing(cell, down, table.loc[cell].sum())]
    shown, lines = _first_shown(pool, across, every), _first_shown(pool, down, each)

    def drawn(a: str, b: str) -> dict[str, Any]:
        href = f"{link}#{anchor(a, b)}" if count[a][b] else ""
        return {"row": labels[rows][a], "column": labels[columns][b], "count": count[a][b], "href": href}

    data = [drawn(a, b) for a in lines for b in shown]
    whole = [drawn(a, b) for a in each for b in every]
    most = max((row["count"] for row in data), default=1) or 1
    width = max(34 * len(shown), 200)
    return Chart(
        id=f"{rows}-by-{columns}",
        title=f"{down.label} by {in_sentence(across.label)}",
        sentence=_matrix_sentence(whole, down, across),
        source=_source(pool, len(pool), down, across) + _folded(down) + _folded(across),
        spec=filled(
            _matrix(), data, width=width, height=28 * len(lines), most=most, down=down.label, across=across.label,
            lines=[labels[rows][a] for a in lines], columns=[labels[columns][b] for b in shown],
        ),
        head=(down.label, *(labels[columns][b] for b in shown)),
        rows=tuple(
            (
                (labels[rows][a], ""),
                *((str(count[a][b]), f"{link}#{anchor(a, b)}" if count[a][b] else "") for b in shown),
            )
            for a in lines
        ),
        hue=rows,
        paired=True,
    )  # fmt: skip


def _first_shown(pool: Pool, axis: Axis, found: list[str]) -> list[str]:
    """Return those of some cells that a chart shows: of many values the most frequent."""
    if not is_folded(axis):
        return found
    first = {*leading(pool, axis)}
    return [
        cell for cell in by_frequency(pool, axis) if cell in found and (cell in first or cell not in axis.value_cells)
    ]


def _folded(axis: Axis) -> str:
    """Return the words that say how many values of an axis a chart shows; none if it shows all."""
    return f", {FOLD} of {len(axis.value_cells)} values of {axis.label.lower()} shown" if is_folded(axis) else ""


@cache
def _matrix() -> dict[str, Any]:
    """Return the look of a cross-tabulation; names with a dollar are filled in for each pair."""
    place = alt.Chart().encode(
        x=alt.X("column:N", sort=["$columns"], title="$across",
                axis=alt.Axis(orient="top", labelAngle=-40, labelAlign="left", labelPadding=4)),
        y=alt.Y("row:N", sort=["$lines"], title=None),
    )  # fmt: skip
    cell = place.encode(  # the number in a cell lets the pointer through to it
        tooltip=[alt.Tooltip("row:N", title="$down"), alt.Tooltip("column:N", title="$across"),
                 alt.Tooltip("count:Q", title="entries")],
    )  # fmt: skip
    over = _pointed_at("row")
    return look(
        cell.mark_rect(color=HUE, stroke=PAPER, strokeWidth=2).encode(
            href=alt.Href("href:N"),
            opacity=alt.Opacity("count:Q", scale=alt.Scale(domain=[0, "$most"], range=[0.12, 0.85]), legend=None),
        ).transform_filter("datum.count > 0")
        + cell.mark_rect(filled=True, fill=PAPER, stroke=RULE, strokeDash=[2, 2], strokeWidth=1)
        .transform_filter("datum.count == 0")
        .add_params(over)
        + place.mark_text(fontWeight=600).encode(text=alt.Text("count:Q"), opacity=_unless(over))
        .transform_filter("datum.count > 0")
        + place.mark_text(color=MUTED).encode(text=alt.Text("count:Q")).transform_filter("datum.count == 0")
    )  # fmt: skip


def every_chart(pool: Pool) -> dict[str, Chart]:
    """Return the charts of the whole pool by id: every axis, every pair of main axes, the years."""
    drawn = [bars(pool, axis.id) for axis in pool.taxonomy]
    drawn += [matrix(pool, rows, columns) for rows, columns in pairs(pool.taxonomy)]
    return {chart.id: chart for chart in [*drawn, years(pool)]}


def requested(pool: Pool, axis: str, across: str = "") -> Chart:
    """Return the chart of one axis, or of the cross-tabulation of two.

    Raises:
        ValueError: if there is no such axis, or the pair has no page of its own.

    """
    for name in filter(None, (axis, across)):
        pool.where([(name, pool.taxonomy[name].words[0])] if name in pool.taxonomy.axes else [(name, "")])
    if not across:
        return bars(pool, axis)
    if (axis, across) not in pairs(pool.taxonomy):
        axes = ", ".join(a.id for a in pool.taxonomy.main)
        raise ValueError(f"{axis} by {across} has no page (main axes in the order of the taxonomy: {axes})")
    return matrix(pool, axis, across)


def pairs(taxonomy: Taxonomy) -> list[tuple[str, str]]:
    """Return every pair of main axes in both orders; each order has its own address."""
    return [pair for a, b in combinations([axis.id for axis in taxonomy.main], 2) for pair in ((a, b), (b, a))]


def years(pool: Pool) -> Chart:
    """Return the chart of entries by year of first publication."""
    table = timeline(pool)
    shown = _with_early_years_together(table.to_dict("records"))
    order = alt.Undefined if len(shown) == len(table) else None  # as given: "to 2006" comes first
    base = alt.Chart().encode(
        x=alt.X("year:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True), sort=order),
        tooltip=[alt.Tooltip("year:O"), alt.Tooltip("count:Q", title="entries")],
    )
    drawn = base.mark_bar(color=HUE, width=12).encode(y=alt.Y("count:Q", axis=None)) + base.mark_text(
        dy=-8, fontWeight=600
    ).encode(y=alt.Y("count:Q"), text=alt.Text("count:Q")).transform_filter("datum.count > 0")
    first, last = (int(table["year"].min()), int(table["year"].max())) if len(table) else (0, 0)
    most, top = max(((int(n), int(y)) for y, n in zip(table["year"], table["count"], strict=True)), default=(0, 0))
    return Chart(
        id="by-year",
        title="Entries by year of first publication",
        sentence=f"The works span {first} to {last}; {top} has the most, {words(most, 'entry', 'entries')}.",
        source=_source(pool, len(pool)),
        spec=finished(drawn, shown, width=560, height=160),
        head=("Year", "Entries"),
        rows=tuple(((str(y), ""), (str(n), "")) for y, n in table.itertuples(index=False)),
    )


def _with_early_years_together(years: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    """Return the bars of the years: the early ones as one bar where large numbers would write over each other."""
    if len(years) <= YEARS or sum(year["count"] >= 100 for year in years) <= 2:
        return years
    early, late = years[: 1 - YEARS], years[1 - YEARS :]
    return [{"year": f"to {early[-1]['year']}", "count": sum(year["count"] for year in early)}, *late]


YEARS = 20
"""Bars that have room for numbers of three digits."""


def _pointed_at(field: str) -> alt.Parameter:
    """Return the selection of an interactive chart: marks that share the value under the pointer."""
    return alt.selection_point(name="over", on="pointerover", clear="pointerout", fields=[field])


def _unless(over: alt.Parameter) -> Any:
    """Return full opacity, reduced while the pointer is on another value."""
    return alt.condition(over, alt.value(1), alt.value(0.3))


def _cell_link(axis: str, cell: str) -> str:
    """Return the link of a cell: to the page of a value, to the section of an absence, or to the entries not coded."""
    link = f"{ROOT}axes/{axis}/"
    word = cell.partition(": ")[0]
    if word == NOT_CODED:  # no section tells of it
        return f"{ROOT}explore/?{axis}={word}"
    return f"{link}#{word}" if word in {*Absence} else f"{link}{word}/"


def _worth_showing(cell: str, axis: Axis, total: float) -> bool:
    """Return whether to show a cell: every value, and an absence only if some entry has it."""
    return bool(total) or cell.partition(": ")[0] in axis.values


def _bars_sentence(table: pd.DataFrame, axis: Axis, whole: int) -> str:
    values = table[~table["cell"].isin({*Absence, NOT_CODED})]
    if not whole or not len(values):
        return "There is nothing to count yet."
    top = values[values["count"] == values["count"].max()]
    share = f"{100 * int(top['count'].iloc[0]) / whole:.0f} %"
    leads = (
        f"{_list(top['label'])} {'leads' if len(top) == 1 else 'lead'} with {top['count'].iloc[0]} of {whole} ({share})"
    )
    empty = values[values["count"] == 0]["label"]
    first = " as first value" if axis.shape.value == "ranked" else ""  # it may still stand beside others
    nothing = f"; no entry has {_list(empty, 'or')}{first}" if len(empty) else "; no value is empty"
    return f"{at_start(leads)}{nothing}."


def _matrix_sentence(data: Sequence[dict[str, Any]], down: Axis, across: Axis) -> str:
    labels = {axis.id: {v.label for v in axis.values.values()} for axis in (down, across)}
    inner = [
        r for r in data
        if _value_of(r["row"], down, labels[down.id]) and _value_of(r["column"], across, labels[across.id])
    ]  # fmt: skip
    if not any(r["count"] for r in inner):
        return "No entry has a value on both axes."
    most = max(r["count"] for r in inner)
    top = [f"{r['row']} × {r['column']}" for r in inner if r["count"] == most]
    empty = sum(r["count"] == 0 for r in inner)
    return (
        f"The largest {'cell is' if len(top) == 1 else 'cells are'} {_list(top)} ({words(most, 'entry', 'entries')}); "
        f"{empty} of {len(inner)} cells of values are empty."
    )


def _value_of(label: str, axis: Axis, labels: set[str]) -> bool:
    return label in labels or (bool(axis.qualifiers) and label.partition(", ")[0] in labels)


def _list(parts: Iterable[str], last: str = "and") -> str:
    items = list(parts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def _source(pool: Pool, entries: int, *axes: Axis) -> str:
    by = "by first value" if any(a.shape.value == "ranked" for a in axes) else ""
    return ", ".join(part for part in (f"Pool as of {pool.day.isoformat()}", by, f"n = {entries}") if part)
