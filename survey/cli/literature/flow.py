"""The subcommand flow: what was found, screened, excluded and included for each edition, and how complete it is."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import click

from survey.cli.literature.options import as_of, pass_bib
from survey.cli.literature.printing import json_header, summary_line, wrapped
from survey.cli.output import echo, formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.counting.flow import Capture, Flow, Recall, captures, flows, recalls, steps
from survey.plurals import plural

NOT_RECORDED = "not recorded"
WIDEST = 74
"""Width of the column of labels."""


@click.command(short_help="Count the flow of records into each edition, and estimate completeness.")
@as_of
@formats("table", "json", "csv")
@pass_bib
def flow(folder: Path, day: date | None, form: str) -> None:
    """Count the flow of records into each edition, and estimate how complete the editions are.

    After PRISMA 2020 and its extension for living reviews: hits by route, repeated hits, abstracts
    read, records excluded by criterion, eligible records that wait, entries included. Everything is
    computed from pool.bib, excluded.bib, searches.toml, protocol.toml and editions.toml. A number
    that the data do not have is "not recorded".

    \b
    relative recall     entries of an edition, of all works known today that had appeared by its day
    capture-recapture   an estimate from how often several searches found the same works, with a
                        95 % interval; where the data allow none, the reason

    The estimates are of the works that a route can reach. Searches that resemble one another, and hits
    that nobody read, make the estimated number of works too low, and completeness too high.
    """
    pool = load(folder).as_of(day)
    found = flows(pool)
    if form == "json":
        document = {
            "flows": [_flow(one) for one in found],
            "recall": [_recall(one) for one in recalls(pool)],
            "estimates": [_capture(one) for one in captures(pool)],
        }
        click.echo(json.dumps(json_header(pool) | document, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        header = {"edition": "", "phase": "", "step": "", "item": "", "label": "", "count": ""}
        rows = [(one.day, s.phase, s.step, s.item, s.label, "" if s.count is None else s.count)
                for one in found for s in steps(one)]  # fmt: skip
        click.echo(csv_text(header, *rows), nl=False)
    else:
        echo("\n\n".join([*map(_table, found), _completeness(pool), summary_line(pool)]))


def _table(one: Flow) -> str:
    lines = [f"{one.day}  {one.title}", ""]
    for step in steps(one):
        label = f"{'  ' if step.item else ''}{step.label}"
        lines.append(f"{label:<{WIDEST}}  {NOT_RECORDED if step.count is None else step.count:>12}")
    return "\n".join(lines)


def _completeness(pool: Pool) -> str:
    lines = ["Relative recall: entries of the edition, of the eligible works known today that had appeared by its day"]
    for one in recalls(pool):
        shares = _span(one.low, one.high)
        note = (
            ""
            if one.later or one.high is None
            else "; nothing was searched since, so that this knows little beyond the edition itself"
        )
        lines.append(f"  {one.day}  {one.had} of {one.known} to {one.known + one.perhaps}: {shares}{note}")
    lines += ["", "Capture-recapture, among the works that a route can reach"]
    estimates = captures(pool)
    for capture in estimates:
        lines += [f"  {capture.place}, until {capture.day}: {' / '.join(f'{name} {n}' for name, n in capture.lists)}",
                  wrapped(_said(capture), "    ")]  # fmt: skip
    if not estimates:
        lines.append("  no estimate: no route lists which works its searches found, and which it holds")
    return "\n".join(lines)


def _said(capture: Capture) -> str:
    found, estimate = capture.estimate.found, capture.estimate
    if estimate.total is None or estimate.low is None or estimate.high is None:
        return f"{plural(found, 'work')} found; no estimate: {estimate.why_not}"
    number = f"about {estimate.total:.0f} works ({estimate.low:.0f} to {estimate.high:.0f})"
    text = f"{plural(found, 'work')} found, estimated {number}, {capture.known} known today"
    if capture.share is None:
        return f"{text}: more are known than estimated, so that this says nothing on completeness"
    share, low, high = capture.share
    return f"{text}; completeness {share:.0%} ({low:.0%} to {high:.0%}), at most"


def _span(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no figure: nothing was searched, added or left open since"
    return f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"


def _flow(one: Flow) -> dict[str, Any]:
    return {
        "edition": one.day.isoformat(),
        "title": one.title,
        "after": one.after.isoformat() if one.after else None,
        "steps": [asdict(step) for step in steps(one)],
        "routes": [asdict(route) for route in one.identified],
        "excluded": [asdict(excluded) for excluded in one.excluded],
        "open": list(one.open),
        "again": one.again,
        "abstract_only": one.abstract_only,
    }


def _recall(one: Recall) -> dict[str, Any]:
    return asdict(one) | {"day": one.day.isoformat(), "low": one.low, "high": one.high}


def _capture(one: Capture) -> dict[str, Any]:
    share = dict(zip(("estimate", "low", "high"), one.share, strict=True)) if one.share else None
    return asdict(one) | {"day": one.day.isoformat(), "passed": one.passed, "completeness": share}


COMMANDS = (flow,)
