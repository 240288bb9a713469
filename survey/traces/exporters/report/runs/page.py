"""The page of many runs, as figures and rows for its template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from survey.traces.exporters.report.formatting import Clock, money, number, plural, share, short
from survey.traces.exporters.report.rendering import template
from survey.traces.exporters.report.runs.contrasts import Contrast, repeated
from survey.traces.exporters.report.runs.distributions import Distribution
from survey.traces.exporters.report.runs.patterns import Pattern
from survey.traces.exporters.report.runs.summary import Summary
from survey.traces.exporters.report.runs.table import COLUMNS, Row, Table
from survey.traces.exporters.report.runs.text import probability
from survey.traces.exporters.report.runs.wording import (
    CLEAR,
    about_cause,
    about_contrasts,
    cut,
    flags,
    lead,
    names,
    rule_of_late_ends,
    rule_of_outliers,
    shown,
)

SHOWN = (
    "wall_s", "critical_path_s", "waiting_s", "waiting_people_s", "cost_usd", "tokens", "agents", "failures_by_tool",
)  # fmt: skip
"""The columns of the table of runs."""

MOST_RUNS = 10_000
"""The table holds so many runs; those beyond are counted in all figures, and the JSON has them."""

FIRST = 20
"""How many rows of other tables are shown before the rest is folded away."""

WIDTH, HEIGHT = 240, 48
"""Size of the drawing of a distribution."""


@dataclass(frozen=True)
class Link:
    """A run, and the address of its own report if it has one."""

    name: str
    href: str


def html(found: Summary, title: str, pages: str = "") -> str:
    """Return the page. ``pages`` is the folder of the runs' own reports, as seen from the page."""
    return template(("report.css", "runs/runs.css"), ("runs/runs.js",), "runs/runs.html.j2").render(
        **_contents(found, title, pages)
    )


def _contents(found: Summary, title: str, pages: str) -> dict[str, Any]:
    own = _links(found.table, pages)
    spread = found.distributions
    return {
        "title": title,
        "lead": " ".join(lead(found)),
        "figures": list(_figures(found)),
        "spread": [_distribution(one, found.table, own) for one in spread.values()],
        "patterns": [_pattern(one, own) for one in found.patterns],
        "late": rule_of_late_ends(),
        "outliers": [
            {
                "run": own[one.row.at], "what": one.column.title.lower(), "value": shown(one.column, one.value),
                "limit": shown(one.column, one.limit), "more": one.value > one.limit,
            }
            for one in found.outliers
        ],
        "rule": rule_of_outliers(),
        "about_contrasts": about_contrasts(found),
        "about_cause": about_cause(found),
        "within": repeated(found.table),
        "sound": len(found.table.sound),
        "contrasts": [_contrast(one) for one in found.contrasts],
        "columns": [COLUMNS[name] for name in SHOWN if name in spread],
        "units": {name: clock.unit for name, clock in _clocks(found).items()},
        "definitions": list(COLUMNS.values()),
        "runs": list(_runs(found, own)),
        "beyond": max(len(found.table.runs) - MOST_RUNS, 0),
        "outcomes": bool(found.solved or found.unsolved),
        "unread": [(short(row.place), short("; ".join(row.problems[:1]), 400)) for row in found.table.unread],
        "first": FIRST,
        "size": (WIDTH, HEIGHT),
    }  # fmt: skip


def _links(table: Table, pages: str) -> dict[int, Link]:
    return {
        row.at: Link(cut(name, 60), quote(f"{pages}/{row.page}") if pages and row.page else "")
        for row, name in zip(table.rows, names(table.rows), strict=True)
    }


def _figures(found: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield the headline figures: a title, a value and a note."""
    table, spread = found.table, found.distributions
    yield "Runs", number(len(table.runs)), f"{plural(tasks, 'task')}" if (tasks := _tasks(table)) else ""
    said = found.solved + found.unsolved
    if said:
        yield "Solved", number(found.solved), f"{share(found.solved / said)} of {number(said)}"
    else:
        yield "Solved", "", "no run records an outcome"
    for name, note in (("wall_s", "median"), ("critical_path_s", "median"), ("waiting_s", "median")):
        if one := spread.get(name):
            yield one.column.title, shown(one.column, one.median), f"{note} of {plural(one.count, 'run')}"
    for name in ("cost_usd", "tokens", "calls_by_tool", "failures_by_tool"):
        if one := spread.get(name):
            total = money(one.total) if name == "cost_usd" else number(one.total)
            yield one.column.title, total, f"in {plural(one.count, 'run')}"
    if errors := len(table.runs) - len(table.sound):
        yield "With errors", number(errors), "excluded from all statistics"


def _tasks(table: Table) -> int:
    return len({row.task for row in table.runs if row.task})


def _distribution(one: Distribution, table: Table, own: Mapping[int, Link]) -> dict[str, Any]:
    highest, step = max(one.bins), WIDTH / len(one.bins)
    heights = [(place, HEIGHT * count / highest) for place, count in enumerate(one.bins) if count]
    bars = [
        {"x": f"{place * step:.1f}", "y": f"{HEIGHT - high:.1f}", "width": f"{step - 1:.1f}", "height": f"{high:.1f}"}
        for place, high in heights
    ]
    most = next(row for row in table.holders(one.column.name) if row.values[one.column.name] == one.most)
    points = ("least", "first", "median", "third", "most")
    figures = {name: shown(one.column, getattr(one, name)) for name in points}
    places = {name: f"{WIDTH * one.at(getattr(one, name)):.1f}" for name in ("first", "median", "third")}
    return {
        "column": one.column, "count": one.count, "bars": bars if one.least < one.most else [], "figures": figures,
        "places": places, "logarithmic": one.logarithmic, "most": own[most.at],
    }  # fmt: skip


def _pattern(one: Pattern, own: Mapping[int, Link]) -> dict[str, Any]:
    return {
        "column": one.column, "known": one.known, "runs": one.runs, "share": one.runs / one.known,
        "total": shown(one.column, one.total),
        "examples": [(own[row.at], shown(one.column, row.values[one.column.name])) for row in one.examples],
    }  # fmt: skip


def _contrast(one: Contrast) -> dict[str, Any]:
    return {
        "column": one.column, "medians": [shown(one.column, value) for value in one.medians],
        "value": one.superiority, "low": one.low, "high": one.high,
        "p": probability(one.adjusted), "distinct": one.adjusted < CLEAR, "sizes": (one.solved, one.unsolved),
    }  # fmt: skip


def _runs(found: Summary, own: Mapping[int, Link]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of runs: for each cell the text, and the number by which to sort it."""
    notable, clocks = flags(found), _clocks(found)
    for row in found.table.runs[:MOST_RUNS]:
        yield {
            "link": own[row.at], "id": row.id, "place": row.place, "errors": row.errors, "outcome": _outcome(row),
            "score": "" if row.score is None else number(row.score),
            "cells": [_cell(row, name, clocks) for name in SHOWN if name in found.distributions],
            "notable": notable.get(row.at, []),
        }  # fmt: skip


def _clocks(found: Summary) -> dict[str, Clock]:
    """Return the format of each column of times."""
    spread = found.distributions
    return {name: Clock(spread[name].most) for name in SHOWN if name in spread and COLUMNS[name].unit == "s"}


def _outcome(row: Row) -> str:
    return {True: "solved", False: "unsolved", None: ""}[row.success]


def _cell(row: Row, name: str, clocks: Mapping[str, Clock]) -> tuple[str, str]:
    value = row.values.get(name)
    if value is None:
        return "–", ""
    text = clocks[name](value) if name in clocks and value else shown(COLUMNS[name], value)
    return text if value else "0", repr(value)
