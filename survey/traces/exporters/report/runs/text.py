"""The report of many runs as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from survey.traces.exporters.report.formatting import FIXED, number, plural, share
from survey.traces.exporters.report.runs.summary import Summary
from survey.traces.exporters.report.runs.wording import (
    CLEAR,
    about_cause,
    about_contrasts,
    cut,
    lead,
    names,
    rule_of_late_ends,
    rule_of_outliers,
    shown,
)

MOST = 10
"""How many rows of a kind are shown; the page and the JSON have all."""


def text(found: Summary) -> list[tuple[str, list[str]]]:
    """Return the sections of the report: a heading each, and its lines."""
    sections = [("", [" ".join(lead(found))])]
    sections += [
        (title, list(lines))
        for title, lines in (
            ("Distributions", list(_spread(found))),
            ("Failure patterns", list(_patterns(found))),
            ("Outliers", list(_outliers(found))),
            ("Solved and unsolved runs", list(_contrasts(found))),
            ("Unreadable documents", list(_unread(found))),
        )
        if lines
    ]
    return [(title, [line.replace(FIXED, " ") for line in lines]) for title, lines in sections]


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with aligned columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join([f"{first:{widths[0]}}", *cells]).rstrip()


def _spread(found: Summary) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [("", "runs", "least", "first quartile", "median", "third quartile", "most")]
    for one in found.distributions.values():
        figures = (one.least, one.first, one.median, one.third, one.most)
        rows.append((one.column.title, number(one.count), *(shown(one.column, value) for value in figures)))
    if len(rows) > 1:
        yield from _table(rows)


def _patterns(found: Summary) -> Iterator[str]:
    shown_by = [one for one in found.patterns if one.runs]
    if not found.patterns:
        return
    if not shown_by:
        yield "No run shows a failure pattern."
        return
    own = names(found.table.rows)
    rows = [("", "runs", "share", "in all", "most in")]
    for one in shown_by:
        most = cut(own[one.examples[0].at], 40)
        rows.append(
            (one.column.title, number(one.runs), share(one.runs / one.known), shown(one.column, one.total), most)
        )
    yield from _table(rows)
    if any(one.column.name == "last_sub_agent_s" for one in shown_by):
        yield f"Time on the last sub-agent: {rule_of_late_ends().lower()}"


def _outliers(found: Summary) -> Iterator[str]:
    if not found.outliers:
        return
    own = names(found.table.rows)
    rows = [("", "measure", "found", "limit")]
    for one in found.outliers[:MOST]:
        value, limit = shown(one.column, one.value), shown(one.column, one.limit)
        rows.append((cut(own[one.row.at], 40), one.column.title.lower(), value, limit))
    yield from _table(rows)
    if len(found.outliers) > MOST:
        yield f"and {number(len(found.outliers) - MOST)} more"
    yield rule_of_outliers()


def _contrasts(found: Summary) -> Iterator[str]:
    if not found.solved and not found.unsolved:
        return
    yield about_contrasts(found)
    if not found.contrasts:
        return
    rows = [("", "solved", "unsolved", "P(solved > unsolved)", "95 % interval", "p, corrected")]
    for one in found.contrasts[:MOST]:
        solved, unsolved = (shown(one.column, value) for value in one.medians)
        chance = f"{share(one.superiority)}{' *' if one.adjusted < CLEAR else '  '}"
        between = f"{share(one.low)} to {share(one.high)}"
        rows.append((one.column.title, solved, unsolved, chance, between, probability(one.adjusted)))
    yield from _table(rows)
    yield f"* significant. {about_cause(found)}"


def _unread(found: Summary) -> Iterator[str]:
    for row in found.table.unread[:MOST]:
        yield f"{row.place}: {row.problems[0] if row.problems else 'no trace'}"
    if len(found.table.unread) > MOST:
        yield f"and {plural(len(found.table.unread) - MOST, 'document')} more"


def probability(value: float) -> str:
    """Format a p-value.

    >>> probability(0.0312), probability(0.00001), probability(1)
    ('0.031', '< 0.001', '1')
    """
    return "< 0.001" if value < 0.001 else f"{value:.2g}"
