"""The pages on agreement between readings: an overview, and pages for each pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature import Axis, Coding, Pool
from survey.literature.agreement import (
    Absences,
    Agreement,
    Estimate,
    Pair,
    ReadingCounts,
    Sources,
    agreement,
    coding_pairs,
    reading,
    reading_pairs,
)
from survey.literature.bibtex import LATEX, readable
from survey.literature.counting import FOLD
from survey.literature.pool import Adjudication, Audit, AuditedField, format_tags
from survey.site.charts.drawing import HUE, INK, MUTED, ROOT, RULE, Chart, finished
from survey.site.drafts import SUMMARY
from survey.site.facts import Facts, Files
from survey.site.markup.optional import has
from survey.site.markup.templates import render
from survey.site.markup.text import in_sentence

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
else:
    alt = lazy("altair")
    pd = lazy("pandas")

PAGE = "measure/agreement.md"
SETTLED = "measure/agreement/settled.md"
TRIALS = "measure/agreement/trials.md"
AUDITS = "measure/agreement/audits.md"

ALIKE = ("both", "neither")
"""How the columns are called, on an axis of several values, in which two readers agree."""

FEWEST = 2
"""How often two values must have been confused for the overview to list the confusion."""


def agreement_pages(facts: Facts) -> Files:
    """Yield the overview, the figures and confusions of each pair, and the disagreements on each axis.

    The overview starts with the pair that has the most entries read blind, since agreement of readers
    who knew each other's tags shows little. Nothing if there is no second reading of any kind.
    """
    pool = facts.pool
    if not has(pool, PAGE):
        return
    yield from _settlements(pool)
    if pool.audits:
        yield AUDITS, render("pages/agreement/audits.md.j2", pool=pool, page=AUDITS, overview=PAGE,
                             audit_page=audit_page, audits=list(pool.audits.values())[::-1])  # fmt: skip
    for audit in pool.audits.values():
        page = audit_page(audit)
        yield page, render("pages/agreement/audit.md.j2", pool=pool, page=page, overview=AUDITS, audit=audit,
                           stands=stands)  # fmt: skip
    if trials := _trials(pool):
        yield TRIALS, render("pages/agreement/trials.md.j2", pool=pool, page=TRIALS, trials=trials, overview=PAGE,
                             figure=figure, depths=depths)  # fmt: skip
    pairs = reading_pairs(pool)
    tables = {pair: _figures(pool, pair) for pair in pairs}
    yield from _overview(facts, tables)
    shared = {"pool": pool, "overview": PAGE, "figure": figure, "depths": depths, "heat": heat,
              "pair_page": pair_page, "axis_page": axis_page, "settled_on": settled_on, "settled_page": SETTLED,
              "most_confused": most_confused}  # fmt: skip
    for pair, found in tables.items():
        readers = [reading(pool, pair.first), reading(pool, pair.second)]
        page = pair_page(pair)
        yield page, render("pages/agreement/pair.md.j2", page=page, pair=pair, found=found, readers=readers, **shared)
        for f in found:
            page = axis_page(pair, f.axis)
            if f.disagreements:
                yield page, render("pages/agreement/axis.md.j2", page=page, pair=pair, f=f, readers=readers, **shared)


def _settlements(pool: Pool) -> Files:
    """Yield the overview of what was settled, and a page for each axis."""
    settled = [(axis, some) for axis, some in _settled(pool) if not axis.steps]
    if not settled:
        return
    shared = {"pool": pool, "overview": PAGE, "settled_page": SETTLED, "settled_on": settled_on}
    yield SETTLED, render("pages/agreement/settled.md.j2", page=SETTLED, axis=None, settled=settled, **shared)
    for axis, some in settled:
        page = settled_on(axis)
        yield page, render("pages/agreement/settled.md.j2", page=page, axis=axis, some=some, **shared)


def settled_on(axis: Axis) -> str:
    """Return the path of the page on what was settled on an axis."""
    return f"measure/agreement/settled/{axis.id}.md"


def _overview(facts: Facts, tables: Mapping[Pair, list[Agreement]]) -> Files:
    pool = facts.pool
    main = max((pair for pair in tables if pair.independent), key=lambda pair: pair.blind, default=None)
    variants = {how: _figures(pool, main, bool(main.blind_axes), how) for how in Absences} if main else {}
    found = variants.get(Absences.TOGETHER, [])
    chart = forest(pool, main, found) if main else None
    if chart:
        yield chart.file
    readers = dict.fromkeys(id for pair in tables for id in (pair.first, pair.second))
    yield (
        PAGE,
        render(
            "pages/agreement/agreement.md.j2",
            pool=pool,
            page=PAGE,
            main=main,
            found=found,
            ordered=sorted(found, key=lambda f: f.raw.value),
            chart=chart,
            variants=variants,
            tables=tables,
            readers=[reading(pool, id) for id in readers],
            depths=depths,
            draw=facts.pictures.figure,
            figure=figure,
            pair_page=pair_page,
            axis_page=axis_page,
            fewest=FEWEST,
            settled=_settled(pool),
            settled_page=SETTLED,
            unsettled=_open(tables),
            bases=_bases(facts),
            published_absences=len(_absences(pool)),
            trials_page=TRIALS if pool.trials else "",
            audits_page=AUDITS if pool.audits else "",
            audits=[*pool.audits.values()],
        ),
    )


def _absences(pool: Pool) -> set[str]:
    """Return the words for absence that the published coding uses, if there is one."""
    published = pool.codings.get(pool.claims.readings.published) if pool.claims.readings else None
    return {tag.word for judged in (published.judgements if published else ()) for tag in judged.tags if tag.absent}


def audit_page(audit: Audit) -> str:
    """Return the path of the page with everything that an audit did not find right."""
    return AUDITS.replace(".md", f"/{audit.id}.md")


def stands(pool: Pool, field: AuditedField) -> str:
    """Return what an entry says today in a field that was audited; empty if that is prose, or if there is nothing."""
    if field.key not in pool or field.field == SUMMARY:
        return ""
    entry = pool[field.key]
    if field.is_tag:
        return format_tags(entry.tags.get(field.field.removeprefix("tag-"), ()))
    if field.field == "venue":
        return entry.venue
    text = entry.text({"appeared": "announced"}.get(field.field, field.field))
    return readable(text) if field.field in LATEX else text


def _trials(pool: Pool) -> dict[str, list[tuple[Pair, list[Agreement], list[Coding]]]]:
    """Return each trial of rules: its pairs of codings, their figures, and the readers."""
    trials = {name: pool.tried(name) for name in pool.trials}
    return {
        name: [(pair, _figures(tried, pair), [*tried.codings.values()]) for pair in coding_pairs(tried)]
        for name, tried in trials.items()
    }


def pair_page(pair: Pair) -> str:
    """Return the path of the page of a pair of readings."""
    return f"measure/agreement/{pair.first}--{pair.second}/index.md"


def axis_page(pair: Pair, axis: Axis) -> str:
    """Return the path of the page on the disagreements of a pair on an axis."""
    return f"measure/agreement/{pair.first}--{pair.second}/{axis.id}.md"


def depths(coding: Coding) -> list[tuple[str, int]]:
    """Return each stated reading depth with its number of entries; empty if the coding states none."""
    read = {judgement.key: judgement.notes["read"] for judgement in coding.judgements if "read" in judgement.notes}
    return Counter(read.values()).most_common()


def figure(estimate: Estimate | None, interval: bool = True) -> str:
    """Format an estimate with three decimals.

    >>> figure(Estimate(0.5, 0.25, 0.75))
    '0.500 (0.250 to 0.750)'
    """
    if estimate is None or math.isnan(estimate.value):
        return "not defined"
    shown = _digits(estimate.value)
    return f"{shown} ({_digits(estimate.low)} to {_digits(estimate.high)})" if interval else shown


def most_confused(table: pd.DataFrame) -> pd.DataFrame:
    """Return a confusion matrix that fits a screen: of many words those that differ most, and the others together."""
    if len(table) <= FOLD:
        return table
    square = list(table.index) == list(table.columns)
    alone = [column for column in table.columns if column not in ALIKE]
    differing = (table.sum() + table.T.sum()) - 2 * _diagonal(table) if square else table[alone].sum(axis=1)
    kept = {*differing.nlargest(FOLD - 1, keep="first").index}
    others = f"{len(table) - len(kept)} others"

    def shown(word: str) -> str:
        return word if word in kept else others

    found = table.groupby(shown, sort=False).sum()
    found = found.T.groupby(shown, sort=False).sum().T if square else found
    order = [*(word for word in table.index if word in kept), others]
    return found.loc[order, order if square else list(table.columns)]


def _diagonal(table: pd.DataFrame) -> pd.Series[int]:
    return pd.Series(table.to_numpy().diagonal(), index=table.index)


def heat(number: int, most: int) -> int:
    """Return the shade of a cell in per cent: faint for one, and light enough for its number to be readable."""
    return round(8 + 37 * number / most) if number and most else 0


def forest(pool: Pool, pair: Pair, found: Sequence[Agreement]) -> Chart:
    """Return a forest plot: raw agreement, kappa and alpha on each axis with intervals, narrow enough for a phone."""
    data: list[dict[str, Any]] = [
        {
            "axis": f.axis.label, "figure": name, "value": round(e.value, 3), "low": round(e.low, 3),
            "high": round(e.high, 3), "said": f"{_digits(e.value, 2)} {name}",
        }
        for f in found
        for name, e in (("raw", f.raw), ("kappa", f.kappa), ("alpha", f.alpha))
        if not math.isnan(e.value)
    ]  # fmt: skip
    heads = [{"axis": f.axis.label, "figure": "", "said": f.axis.label} for f in found]
    least = min([0.0, *(row["low"] for row in data)])
    least = math.floor(least * 4) / 4
    steps = ["", "raw", "kappa", "alpha"]
    base = alt.Chart().encode(
        y=alt.Y("axis:N", sort=[f.axis.label for f in found], axis=None, scale=alt.Scale(paddingInner=0.12)),
        yOffset=alt.YOffset("figure:N", sort=steps, scale=alt.Scale(domain=steps)),
        tooltip=[alt.Tooltip("axis:N"), alt.Tooltip("figure:N"), alt.Tooltip("value:Q"),
                 alt.Tooltip("low:Q", title="from"), alt.Tooltip("high:Q", title="to")],
    )  # fmt: skip
    ticks = [n / 4 for n in range(int(least * 4), 5)]
    scale = alt.Scale(domain=[least, 1.3], nice=False, zero=False)
    across = alt.X("value:Q", scale=scale, title=None,
                   axis=alt.Axis(values=ticks, format=".2~f", grid=True, gridColor=RULE, orient="top"))  # fmt: skip
    ends = {"x": alt.X("low:Q", scale=scale, title=None), "x2": "high:Q"}
    kinds = steps[1:]
    colour = alt.Color("figure:N", scale=alt.Scale(domain=kinds, range=[MUTED, HUE, HUE]), legend=None)
    shape = alt.Shape("figure:N", scale=alt.Scale(domain=kinds, range=["square", "circle", "diamond"]), legend=None)
    drawn: alt.LayerChart = (
        base.mark_rule(strokeWidth=1.5).encode(colour, **ends).transform_filter("datum.figure != ''")
        + base.mark_point(filled=True, opacity=1, size=60).encode(across, colour, shape)
        .transform_filter("datum.figure != ''")
        + base.mark_text(align="left", dx=6, color=INK, fontSize=11).encode(alt.X("high:Q", scale=scale), text="said:N")
        .transform_filter("datum.figure != ''")
        + base.mark_text(align="left", fontWeight=600).encode(x=alt.value(0), text="said:N")
        .transform_filter("datum.figure == ''")
    )  # fmt: skip
    n = found[0].n if found else 0
    return Chart(
        id="agreement",
        title="Agreement between two readings, by axis",
        sentence=_sentence(found),
        source=f"{pair.first} and {pair.second}, pool as of {pool.day.isoformat()}, n = {n}, "
        "95 % bootstrap intervals over the entries",
        spec=finished(drawn, [*heads, *data], width=284, height=66 * len(found)),
        head=("Axis", "Entries", "Equal", "Raw agreement", "Kappa", "Alpha"),
        rows=tuple(
            ((f.axis.label, f"{ROOT}axes/{f.axis.id}/"), (str(f.n), ""), (str(f.alike), ""),
             *((figure(e), "") for e in (f.raw, f.kappa, f.alpha)))
            for f in found
        ),
        lines=False,
    )  # fmt: skip


def _figures(
    pool: Pool, pair: Pair, blind_only: bool = False, absences: Absences = Absences.TOGETHER
) -> list[Agreement]:
    axes = pair.blind_axes if blind_only else pair.axes
    return [agreement(pool, pair.first, pair.second, axis, blind_only, absences) for axis in axes]


def _bases(facts: Facts) -> list[tuple[Axis, ReadingCounts, Sources | str]]:
    """Return for each axis of entries how often they were read, and where its intervals come from."""
    keys = [entry.key for entry in facts.pool]
    axes = facts.pool.taxonomy.on("entry")
    return [(axis, facts.uncertain.readings((axis.id,), keys), facts.uncertain.sources((axis.id,))) for axis in axes]


def _settled(pool: Pool) -> list[tuple[Axis, list[Adjudication]]]:
    """Return the adjudications by axis, in the order of the taxonomy."""
    by_axis = ((axis, [a for a in pool.adjudications.values() if a.axis == axis.id]) for axis in pool.taxonomy)
    return [(axis, [a for a in some if a.key in pool]) for axis, some in by_axis if some]


def _open(tables: Mapping[Pair, Sequence[Agreement]]) -> int:
    """Return how many tags differ between some two readings without an adjudication."""
    places = {
        (d.key, d.axis) for found in tables.values() for f in found for d in f.disagreements if not d.adjudication
    }
    return len(places)


def _sentence(found: Sequence[Agreement]) -> str:
    defined = sorted((f for f in found if not math.isnan(f.kappa.value)), key=lambda f: f.kappa.value)
    if not defined:
        return "There is nothing to compare yet."
    low, high = defined[0], defined[-1]
    return (
        f"Corrected for chance, agreement ranges from {_digits(high.kappa.value, 2)} on {in_sentence(high.axis.label)} "
        f"to {_digits(low.kappa.value, 2)} on {in_sentence(low.axis.label)} (Cohen's kappa)."
    )


def _digits(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
