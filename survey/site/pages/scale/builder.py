"""The scale gap as charts: each number that a work discloses, by kind of evidence, on a log axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, log10
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature import Pool, Value
from survey.literature.counting import disclosed_numbers, quantity_axis, undisclosed_counts
from survey.literature.pool import Pair
from survey.site.charts.drawing import HUE, INK, MUTED, PAPER, ROOT, RULE, SERIES, Chart, finished
from survey.site.facts import Facts, Files
from survey.site.html.addresses import address
from survey.site.markup.links import entry_page
from survey.site.markup.templates import render
from survey.site.markup.text import at_start, words
from survey.site.notebooks.rendering import Table

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
else:
    alt = lazy("altair")
    pd = lazy("pandas")

ROW = 34
WIDTH = 380
"""Width of the axis; the script that draws a reader's own run into it uses the same number."""


ROOM = {"left": 28, "right": 48, "top": 4, "bottom": 4}
"""Padding of the picture: browsers set the text at the end of a row wider than the renderer."""

NAMED = 3
"""Works that a tick of several names under the pointer."""

SIDE = 380
"""Side of the chart of two quantities against each other."""


def has_scale_page(pool: Pool) -> bool:
    """Return whether a survey has the page on scale: an axis with quantities, and kinds of evidence for them."""
    return quantity_axis(pool.taxonomy) is not None and bool(pool.evidence)


def scale_pages(facts: Facts) -> Files:
    """Yield the page on scale with a chart for each quantity; nothing if the survey has no such axis."""
    pool = facts.pool
    axis = quantity_axis(pool.taxonomy)
    if axis is None or not has_scale_page(pool):
        return
    numbers, silent = disclosed_numbers(pool, pool.evidence), undisclosed_counts(pool, pool.evidence)
    decades = _decades(numbers["number"])
    drawn: list[tuple[Value, Chart]] = []
    for value in axis.values.values():
        own, undisclosed = (table[table["quantity"] == value.id] for table in (numbers, silent))
        drawn.append((value, _drawn(pool, value, own, undisclosed, decades)))
    pair, sources = pool.scale.pair, pool.scale.sources
    lines = _lines(facts.tables.get(pair.curves.table)) if pair and pair.curves else []
    compared = numbers["number"][numbers["quantity"].isin(pair.quantities if pair else ())]
    reach = _decades([*compared, *(point["size"] for point in lines)])
    abreast = _abreast(pool, pair, numbers, lines, reach) if pair else None
    for chart in filter(None, (*(chart for _, chart in drawn), abreast)):
        yield chart.file
    page, kinds = "measure/scale.md", pool.evidence
    yield (
        page,
        render(
            "pages/scale/scale.md.j2",
            pool=pool,
            axis=axis,
            measures=pool.scale.measures,
            pair=pair,
            sources=sources if sources and sources.page in facts.written else None,
            page=page,
            drawn=drawn,
            abreast=abreast,
            lines=lines,
            kinds=kinds,
            decades=decades,
            width=WIDTH,
            reach=reach,
            draw=facts.pictures.figure,
        ),
    )


def _decades(numbers: Iterable[float]) -> int:
    """Return how many powers of ten an axis that starts at 1 needs."""
    return max(1, ceil(log10(max(numbers, default=10))))


def _drawn(pool: Pool, value: Value, numbers: pd.DataFrame, silent: pd.DataFrame, decades: int) -> Chart:
    labels = {kind.id: kind.label for kind in pool.evidence}
    shown = numbers.assign(
        label=[labels[kind] for kind in numbers["kind"]],
        work=[f"{pool[key].by}, {pool[key].year}" for key in numbers["key"]],
        href=[ROOT + address(entry_page(key)) for key in numbers["key"]],
        place=[f"{value.id}-{kind}-{number}" for kind, number in zip(numbers["kind"], numbers["number"], strict=True)],
    )
    ordered = shown.sort_values(["number", "label", "key"], ascending=[False, True, True])
    ticks = _ticks(ordered)
    silence = [
        {"label": labels[kind], "text": f"{mute} of {whole} do not say"}
        for kind, mute, whole in zip(silent["kind"], silent["silent"], silent["entries"], strict=True)
    ]
    row = alt.Y("label:N", sort=list(labels.values()), title=None)
    across = alt.X("number:Q", title=f"{value.label} (log scale)").scale(
        type="log", domain=[1, 10**decades], nice=False
    )
    across = across.axis(values=[10**n for n in range(decades + 1)], grid=True, gridColor=RULE)
    most = max((tick["works"] for tick in ticks), default=1)
    base = alt.Chart().encode(y=row)
    said = base.transform_filter("isValid(datum.number)")
    picture = (
        said.transform_aggregate(ticks="count()", groupby=["label"])  # one line for a row, not one for each tick
        .mark_rule(color=RULE).encode(x=alt.value(0), x2=alt.value(WIDTH))
        + said.mark_tick(thickness=3, color=HUE, opacity=1, stroke=PAPER, strokeWidth=0).encode(
            x=across, href="href:N",
            size=alt.Size("works:Q", legend=None).scale(type="sqrt", domain=[0, most], range=[0, ROW - 4]),
            tooltip=[alt.Tooltip("number:Q", title=value.label), alt.Tooltip("works:Q"), alt.Tooltip("work:N")],
        )
        + base.transform_filter("datum.text != ''").mark_text(align="left", color=MUTED, fontSize=11, dx=8)
        .encode(x=alt.value(WIDTH), text="text:N")
    )  # fmt: skip
    return Chart(
        id=f"scale-{value.id}",
        title=f"{at_start(value.label)}, as disclosed",
        sentence=_sentence(shown, silent, value),
        source=f"Pool as of {pool.day.isoformat()}; the largest number that a source discloses",
        spec=finished(picture, [*ticks, *silence], width=WIDTH, height=ROW * len(labels)) | {"padding": ROOM},
        head=("Work", at_start(value.label), "Kind of evidence"),
        rows=tuple(
            ((str(row.work), str(row.href)), (_grouped(row.number), ""), (str(row.label), ""))
            for row in ordered.itertuples()
        ),
        hue="scale",
        lines=False,
        anchors=tuple(_first_of_each(ordered["place"])),
    )


def _ticks(works: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a tick for each number of each row: of one work it leads to the work, of several to their rows below."""
    return [
        {
            "label": same["label"].iloc[0],
            "number": int(same["number"].iloc[0]),
            "works": len(same),
            "work": "; ".join(same["work"].iloc[:NAMED]) + ("; …" if len(same) > NAMED else ""),
            "href": same["href"].iloc[0] if len(same) == 1 else f"{ROOT}measure/scale/#{place}",
            "text": "",
        }
        for place, same in works.groupby("place", sort=False)
    ]


def _first_of_each(places: Iterable[str]) -> Iterator[str]:
    """Yield each place where it first occurs, and nothing after."""
    seen: set[str] = set()
    for place in places:
        yield "" if place in seen else place
        seen.add(place)


def _abreast(pool: Pool, pair: Pair, numbers: pd.DataFrame, lines: list[dict[str, Any]], decades: int) -> Chart:
    """Return the chart of two quantities against each other: works that disclose both, and curves behind them."""
    size, width = columns = pair.quantities
    both = numbers.pivot_table(index=["key", "kind"], columns="quantity", values="number").reindex(columns=columns)
    both = both.dropna().astype(int).reset_index()
    labels = {kind.id: kind.label for kind in pool.evidence}
    works = [
        {"size": row[size], "width": row[width], "kind": labels[row["kind"]], "work": f"{pool[row['key']].by}, "
         f"{pool[row['key']].year}", "href": ROOT + address(entry_page(row["key"]))}
        for _, row in both.iterrows()
    ]  # fmt: skip
    domain, ticks, (across, up) = [1, 10**decades], [10**n for n in range(decades + 1)], pair.axes
    x, y = (
        encoding(f"{name}:Q", title=title).scale(type="log", domain=domain, nice=False)
        .axis(values=ticks, grid=True, gridColor=RULE)
        for encoding, name, title in (
            (alt.X, "size", f"{across} (log scale)"), (alt.Y, "width", f"{up} (log scale)"))
    )  # fmt: skip
    base = alt.Chart().encode(x, y)
    shapes = list(dict.fromkeys(line["shape"] for line in lines))
    title = pair.curves.title if pair.curves else None
    colour = alt.Color("shape:N", sort=shapes, title=title).scale(range=SERIES[: len(shapes)])
    picture = (
        base.transform_filter("isValid(datum.shape)").mark_line(strokeWidth=1.5).encode(
            color=colour.legend(columns=3, columnPadding=30))
        + base.transform_filter("isValid(datum.kind)").mark_point(size=90, color=INK, filled=True, opacity=1).encode(
            shape=alt.Shape("kind:N", sort=list(labels.values()), title="Disclosed by works")
            .legend(columns=1),
            href="href:N", tooltip=[alt.Tooltip("work:N"), alt.Tooltip("size:Q", title=at_start(across)),
                                    alt.Tooltip("width:Q", title=at_start(up))])
    )  # fmt: skip
    spec = finished(picture, [*lines, *works], width=SIDE, height=SIDE)
    spec["config"]["legend"] |= {"layout": {"top": {"anchor": "start", "direction": "vertical"}}}
    subject = words(len(works), "work discloses", "works disclose")
    curves = pair.curves if lines else None
    return Chart(
        id="scale-abreast",
        title=pair.heading,
        sentence=f"{subject} {pair.disclosed}{f'; {curves.says}' if curves else ''}.",
        source=f"Pool as of {pool.day.isoformat()}" + (f"; curves: {curves.title}" if curves else ""),
        spec=spec,
        head=("Work", at_start(across), at_start(up), "Kind of evidence"),
        rows=tuple(
            ((w["work"], w["href"]), (_grouped(w["size"]), ""), (_grouped(w["width"]), ""), (w["kind"], ""))
            for w in sorted(works, key=lambda w: (-w["size"], w["href"]))
        ),
        hue="scale",
        lines=False,
    )


def _lines(curves: Table | None) -> list[dict[str, Any]]:
    """Return the points of every simulated curve, from a table with a row per shape and a column per size."""
    if curves is None:
        return []
    (_, *sizes), rows = curves
    return [
        {"shape": shape, "size": int(size), "width": width}
        for shape, *widths in rows
        for size, width in zip(sizes, widths, strict=True)
    ]


def _sentence(shown: pd.DataFrame, silent: pd.DataFrame, value: Value) -> str:
    whole, mute = int(silent["entries"].sum()), int(silent["silent"].sum())
    silence = f"{mute} of {words(whole, 'entry', 'entries')} that could disclose it do not"
    if shown.empty:
        return f"No work discloses it: {silence}."
    most = shown.loc[shown.groupby("label", sort=False)["number"].idxmax()].sort_values(
        "number", ascending=False, kind="stable"
    )
    parts = [f"{_grouped(row.number)} ({row.label})" for row in most.itertuples()]
    return f"Largest disclosed: {', '.join(parts)}. {silence}."


def _grouped(number: object) -> str:
    """Format a number with thin spaces between thousands."""
    return f"{number:,}".replace(",", "\u202f")
