"""The subcommand agreement: how far two readings agree, axis by axis."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tabulate import tabulate

from survey.cli.literature.options import as_of, pass_bib, select_entries, where
from survey.cli.literature.printing import json_header, summary_line, terminal_width
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.extras import lazy
from survey.literature import Pool
from survey.literature.agreement import (
    POOL,
    Absences,
    Agreement,
    Disagreement,
    Estimate,
    Pair,
    agreement,
    coding_pairs,
    reading,
    reading_pairs,
)
from survey.literature.pool import ADJUDICATIONS, format_tags
from survey.literature.problems import expected, quoted
from survey.plurals import plural

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

DISAGREEMENT = ["key", "axis", "first", "first_value", "first_why", "second", "second_value", "second_why", "stands",
                "because"]  # fmt: skip
"""Columns of a disagreement: both sides with their evidence, and the adjudication."""


@click.command("agreement", short_help="Report how far two readings agree.")
@click.argument("readings", nargs=-1, metavar="[FIRST SECOND]")
@click.option("--axis", metavar="AXIS", help="Only this axis; in a table, with its confusion matrix.")
@click.option("--blind", is_flag=True, help="Only entries that one reader coded blind to the other's tags.")
@click.option("--absences", type=click.Choice([how.value for how in Absences]),
              default=Absences.TOGETHER.value, show_default=True,
              help="How to compare na, none and unknown.")  # fmt: skip
@click.option("--trial", metavar="TRIAL", help="The codings of a trial of rules, in bib/codings/trials/TRIAL/.")
@click.option("--disagreements", is_flag=True, help="List every disagreement with the evidence of both sides.")
@where
@as_of
@formats("table", "json", "csv")
@pass_bib
def agreement_command(
    folder: Path,
    readings: tuple[str, ...],
    axis: str | None,
    blind: bool,
    absences: str,
    trial: str | None,
    disagreements: bool,
    filters: list[tuple[str, str]],
    day: date | None,
    form: str,
) -> None:
    """Report how far two readings agree, axis by axis: all pairs of readings, or FIRST and SECOND.

    FIRST and SECOND are codings in bib/codings/, by file name without extension, or "pool" for the
    tags of the pool. Reports raw agreement, Cohen's kappa and Krippendorff's alpha, each with its
    95 % bootstrap interval (entries resampled 2,000 times, always with the same seed).

    \b
    What is compared
      one value       that value
      ranked values   the first one
      a set           the whole set; "Jaccard" is the mean overlap of the two sets
      numbers         are not compared
    \b
    na, none and unknown
      together        one category, since some readers use one word for all three
      apart           three categories
      left-out        only entries to which both readers gave a value
    """
    pool = select_entries(folder, day, filters, primary=False)
    if trial is not None:
        try:
            pool = pool.tried(trial)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    pairs = _asked(pool, readings) if trial is None or readings else coding_pairs(pool)
    found = [
        (pair, [agreement(pool, pair.first, pair.second, name, blind, Absences(absences)) for name in axes])
        for pair in pairs
        if (axes := _axes(pool, pair, axis, blind))
    ]
    if not found:
        which = f"{' and '.join(readings)} do not share an entry" if readings else "no two readings share an entry"
        raise click.UsageError(f"{which}{f' on {axis}' if axis else ''}{' that was read blind' if blind else ''}")
    every = [figures for _, some in found for figures in some]
    if form == "json":
        document = json_header(pool) | {"absences": absences, "blind": blind}
        document["pairs"] = [_pair(pool, pair, some, disagreements) for pair, some in found]
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        rows = (
            [_differing(figures, d) for figures in every for d in figures.disagreements]
            if disagreements
            else [*map(_flat, every)]
        )
        click.echo(csv_text(DISAGREEMENT if disagreements else rows[0], *(row.values() for row in rows)), nl=False)
    else:
        click.echo(summary_line(pool))
        for pair, some in found:
            click.echo("\n".join(_shown(pool, pair, some, bool(axis), disagreements)))


def _asked(pool: Pool, readings: tuple[str, ...]) -> tuple[Pair, ...]:
    """Return the pairs named on the command line; all of them if it names none."""
    known = [*pool.codings, POOL]
    for id in readings:
        if id not in known:
            raise click.UsageError(f"there is no coding {quoted(id)} {expected(id, known)}")
    pairs = reading_pairs(pool)
    if not readings:
        return pairs
    if len(readings) != 2 or readings[0] == readings[1]:
        raise click.UsageError(f"expected two different readings, FIRST and SECOND (known: {', '.join(known)})")
    first, second = readings
    return tuple(replace(p, first=first, second=second) for p in pairs if {p.first, p.second} == {first, second})


def _axes(pool: Pool, pair: Pair, axis: str | None, blind: bool) -> tuple[str, ...]:
    if axis is not None and axis not in pool.taxonomy.axes:
        raise click.UsageError(f"there is no axis {quoted(axis)} {expected(axis, pool.taxonomy.axes)}")
    return tuple(name for name in (pair.blind_axes if blind else pair.axes) if axis in (None, name))


# ----------------------------------------------------------------- in a terminal


def _shown(pool: Pool, pair: Pair, found: list[Agreement], matrix: bool, disagreements: bool) -> Iterator[str]:
    hint = " (--blind for those only)" if 0 < pair.blind < pair.entries else ""
    yield f"\n{click.style(f'{pair.first} and {pair.second}', bold=True)}"
    yield f"{plural(pair.entries, 'shared entry', 'shared entries')}, {pair.blind} of them read blind{hint}"
    for id in (pair.first, pair.second):
        coding = reading(pool, id)
        yield _wrapped(f"{coding.reader}, {coding.made}: {coding.statement}", "  ")
    yield ""
    rows = [
        [f.axis.id, f.n, f.alike, *map(_figure, (f.raw, f.kappa, f.alpha)), _figure(f.jaccard) if f.jaccard else ""]
        for f in found
    ]
    headers = ["axis", "n", "alike", "raw", "kappa", "alpha", "Jaccard"]
    if not any(f.jaccard for f in found):
        rows, headers = [row[:-1] for row in rows], headers[:-1]
    yield tabulate(rows, headers, disable_numparse=True, colalign=("left", "right", "right"))
    if matrix:
        for f in found:
            corner = "" if f.jaccard else f"{pair.first} \\ {pair.second}"
            lines = [
                [word, *("." if number == 0 else str(number) for number in row)]
                for word, row in zip(f.confusion.index, f.confusion.to_numpy().tolist(), strict=True)
            ]
            yield f"\n{tabulate(lines, [corner, *f.confusion.columns], disable_numparse=True, stralign='right')}"
    if disagreements:
        for f in found:
            for one, other, some in f.confusions():
                yield f"\n{click.style(f'{f.axis.id}: {one} or {other}', bold=True)} ({len(some)})"
                for d in some:
                    yield from _sides(d, pair, f.axis.parts)


def _sides(d: Disagreement, pair: Pair, parts: tuple[str, ...]) -> Iterator[str]:
    yield f"  {d.key}"
    for id, side in ((pair.first, d.first), (pair.second, d.second)):
        yield _wrapped(f"{id}: {format_tags(side.tags)}. {side.notes.get('why') or '(no evidence given)'}", "    ")
    if d.adjudication:
        yield _wrapped(f"adjudicated: {format_tags(d.adjudication.tags)}. {d.adjudication.why}", "    ")
    else:
        asked = " or ".join(parts or (d.axis,))
        yield _wrapped(f"open: adjudicate it with a line {d.key},{asked},VALUE,WHY in codings/{ADJUDICATIONS}", "    ")


def _figure(estimate: Estimate) -> str:
    if math.isnan(estimate.value):
        return "undefined"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, terminal_width(), initial_indent=indent, subsequent_indent=indent + "  ")


# ------------------------------------------------------------------- for programs


def _pair(pool: Pool, pair: Pair, found: list[Agreement], disagreements: bool) -> dict[str, Any]:
    codings = [reading(pool, id) for id in (pair.first, pair.second)]
    return {
        "first": pair.first,
        "second": pair.second,
        "readers": [
            {"id": c.id, "reader": c.reader, "made": c.made.isoformat(), "statement": c.statement} for c in codings
        ],
        "entries": pair.entries,
        "blind": pair.blind,
        "axes": [
            _flat(figures)
            | {"confusion": figures.confusion.to_dict("index")}
            | ({"disagreements": [_differing(figures, d) for d in figures.disagreements]} if disagreements else {})
            for figures in found
        ],
    }


def _flat(figures: Agreement) -> dict[str, Any]:
    row: dict[str, Any] = {"first": figures.first, "second": figures.second, "axis": figures.axis.id}
    row |= {"n": figures.n, "alike": figures.alike}
    for name, e in (
        ("raw", figures.raw),
        ("kappa", figures.kappa),
        ("alpha", figures.alpha),
        ("jaccard", figures.jaccard),
    ):
        ends = (e.value, e.low, e.high) if e else (None, None, None)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), map(_number, ends), strict=True))
    return row


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _differing(figures: Agreement, d: Disagreement) -> dict[str, str]:
    cells = [d.key, d.axis]
    for id, side in ((figures.first, d.first), (figures.second, d.second)):
        cells += [id, format_tags(side.tags), side.notes.get("why", "")]
    cells += [format_tags(d.adjudication.tags), d.adjudication.why] if d.adjudication else ["", ""]
    return dict(zip(DISAGREEMENT, cells, strict=True))


COMMANDS = (agreement_command,)
