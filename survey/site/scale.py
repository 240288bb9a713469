"""The scale gap as pictures: each number that a work discloses, by the kind of evidence, on a log axis."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log10

import altair as alt
import pandas as pd

from survey.literature import Pool, Value
from survey.literature.scale import disclosed, quantity_axis, silence
from survey.site.drawing import HUE, MUTED, PAPER, ROOT, RULE, Chart, finished
from survey.site.markup import render, words

ROW = 34
WIDTH = 380
"""Of the axis; the script that lays a reader's own run over it is told the same number."""


def scale_pages(pool: Pool) -> Iterator[tuple[str, str]]:
    """The page on scale, with a picture for each quantity; nothing if the survey has no such axis."""
    axis = quantity_axis(pool.taxonomy)
    if axis is None or not pool.evidence:
        return
    numbers, silent = disclosed(pool, pool.evidence), silence(pool, pool.evidence)
    decades = max(1, ceil(log10(max(numbers["number"], default=10))))
    drawn = []
    for value in axis.values.values():
        said, mute = (table[table["quantity"] == value.id] for table in (numbers, silent))
        drawn.append((value, _drawn(pool, value, said, mute, decades)))
    page, kinds = "measure/scale.md", pool.evidence
    yield (
        page,
        render("scale.md.j2", pool=pool, page=page, drawn=drawn, kinds=kinds, decades=decades, width=WIDTH),
    )


def _drawn(pool: Pool, value: Value, numbers: pd.DataFrame, silent: pd.DataFrame, decades: int) -> Chart:
    labels = {kind.id: kind.label for kind in pool.evidence}
    shown = numbers.assign(
        label=[labels[kind] for kind in numbers["kind"]],
        work=[f"{pool[key].by}, {pool[key].year}" for key in numbers["key"]],
        href=[f"{ROOT}entries/{key}/" for key in numbers["key"]],
        text="",
    )
    mute = pd.DataFrame(
        {
            "label": [labels[kind] for kind in silent["kind"]],
            "text": [f"{s} of {n} do not say" for s, n in zip(silent["silent"], silent["entries"], strict=True)],
        }
    )
    row = alt.Y("label:N", sort=list(labels.values()), title=None)
    across = alt.X("number:Q", title=f"{value.label} (log scale)").scale(
        type="log", domain=[1, 10**decades], nice=False
    )
    across = across.axis(values=[10**n for n in range(decades + 1)], grid=True, gridColor=RULE)
    base = alt.Chart().encode(y=row)
    said = base.transform_filter("isValid(datum.number)")
    picture = (
        said.mark_rule(color=RULE).encode(x=alt.value(0), x2=alt.value(WIDTH))
        + said.mark_tick(thickness=3, size=16, color=HUE, opacity=0.75, stroke=PAPER, strokeWidth=0).encode(
            x=across, href="href:N",
            tooltip=[alt.Tooltip("work:N"), alt.Tooltip("number:Q", title=value.label)],
        )
        + base.transform_filter("datum.text != ''").mark_text(align="left", color=MUTED, fontSize=11, dx=8)
        .encode(x=alt.value(WIDTH), text="text:N")
    )  # fmt: skip
    data = [*shown.to_dict("records"), *mute.to_dict("records")]
    ordered = shown.sort_values(["number", "key"], ascending=[False, True])
    return Chart(
        id=f"scale-{value.id}",
        title=f"{value.label.capitalize()}, as far as works say",
        sentence=_sentence(shown, silent, value),
        source=f"Pool as of {pool.day.isoformat()}; the largest number that a source discloses",
        spec=finished(picture, data, width=WIDTH, height=ROW * len(labels)),
        head=("Work", value.label.capitalize(), "Kind of evidence"),
        rows=tuple(
            ((str(row.work), str(row.href)), (_grouped(row.number), ""), (str(row.label), ""))
            for row in ordered.itertuples()
        ),
        hue="scale",
        lines=False,
    )


def _sentence(shown: pd.DataFrame, silent: pd.DataFrame, value: Value) -> str:
    whole, mute = int(silent["entries"].sum()), int(silent["silent"].sum())
    says = f"{mute} of {words(whole, 'entry', 'entries')} that could say do not"
    if shown.empty:
        return f"Nobody discloses it: {says}."
    most = shown.loc[shown.groupby("label", sort=False)["number"].idxmax()].sort_values(
        "number", ascending=False, kind="stable"
    )
    parts = [f"{_grouped(row.number)} {row.label}" for row in most.itertuples()]
    return f"At most {'; '.join(parts)}. {says}."


def _grouped(number: object) -> str:
    """A number with thin spaces between thousands."""
    return f"{number:,}".replace(",", "\u202f")
