"""What the page and the text on a terminal have in common: sentences, and figures in the unit of their column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath

from survey.traces.exporters.report.formatting import duration, money, number, plural, share
from survey.traces.exporters.report.runs.contrasts import FEWEST, FEWEST_TASKS, LEVEL, repeated
from survey.traces.exporters.report.runs.distributions import FENCE
from survey.traces.exporters.report.runs.distributions import FEWEST as FEWEST_FAR
from survey.traces.exporters.report.runs.patterns import LATE, shows
from survey.traces.exporters.report.runs.summary import Summary
from survey.traces.exporters.report.runs.table import Column, Row

CLEAR = 1 - LEVEL


def shown(column: Column, value: float) -> str:
    """Format a value in the unit of its column."""
    if column.unit == "s":
        return duration(value)
    if column.unit == "US dollars":
        return money(value)
    if column.unit == "times":
        return f"{value:.2f} ×"
    if column.unit == "share":
        return share(value)
    return number(round(value) if value >= 100 else value)


def lead(found: Summary) -> Iterator[str]:
    """Yield the first sentences: how many runs, how many solved, how long, how much."""
    table = found.table
    sound, said = len(table.sound), found.solved + found.unsolved
    if errors := len(table.runs) - sound:
        have = "has errors and is" if errors == 1 else "have errors and are"
        yield f"Of {plural(len(table.runs), 'run')}, {number(errors)} {have} excluded from all statistics."
    runs = f"{'the other ' if errors else ''}{plural(sound, 'run')}"
    if said:
        solved = f"{number(found.solved)} solved their task ({share(found.solved / said)})"
        known = "" if said == sound else f" {number(said)} {'record' if said > 1 else 'records'} an outcome:"
        yield f"Of {runs},{known} {solved}."
    elif sound:
        yield f"None of {runs} records an outcome."
    elif not errors:
        yield "No runs."
    if table.unread:
        yield f"{plural(len(table.unread), 'document')} could not be read as a run."
    if wall := found.distributions.get("wall_s"):
        low, middle, high = (shown(wall.column, value) for value in (wall.first, wall.median, wall.third))
        which = "the runs" if wall.count == sound else f"the {number(wall.count)} runs with a time"
        if wall.count > 3:
            yield f"Half of {which} took between {low} and {high}; the median is {middle}."
        else:
            least, most = shown(wall.column, wall.least), shown(wall.column, wall.most)
            yield f"They took {least}." if least == most else f"They took between {least} and {most}."
    if cost := found.distributions.get("cost_usd"):
        some = "" if cost.count == sound else f" of {plural(cost.count, 'run')}"
        yield f"The known costs{some} are {money(cost.total)} in all."


def rule_of_outliers() -> str:
    """Return the rule by which a run is an outlier."""
    return (
        f"An outlier is a value whose logarithm lies more than {FENCE:g} interquartile ranges outside the quartiles. "
        f"The rule skips values of 0, and measures with fewer than {FEWEST_FAR} values or with equal quartiles."
    )


def rule_of_late_ends() -> str:
    """Return the rule by which a run waits for its last sub-agent."""
    return f"Counted if it exceeds {share(LATE)} of the run's time."


def about_contrasts(found: Summary) -> str:
    """Return what is to be known of the differences between solved and unsolved runs."""
    if not found.contrasts:
        needs = f"at least {FEWEST} error-free runs of each kind, with values that differ"
        if repeated(found.table):
            needs = f"at least {FEWEST_TASKS} tasks with both solved and unsolved runs, since tasks have several runs"
        return f"{number(found.solved)} solved, {number(found.unsolved)} unsolved. A comparison needs {needs}."
    clear = sum(one.adjusted < CLEAR for one in found.contrasts)
    said = f"{number(clear)} of {plural(len(found.contrasts), 'measure')}" if clear else "No measure"
    verb = "differ" if clear > 1 else "differs"
    told = f"{said} {verb} significantly (5 % level, Holm's correction for {number(len(found.contrasts))} comparisons)."
    return f"{told} Each run is compared with runs of the same task only." if repeated(found.table) else told


def about_cause(found: Summary) -> str:
    """Return why a difference is no cause."""
    if repeated(found.table):
        return "A difference is not a cause: a failing run often takes longer because it fails."
    return "A difference is not a cause: hard tasks take longer and fail more often."


def names(rows: Sequence[Row]) -> list[str]:
    """Return the place of each row without the folder that all are in.

    >>> names([Row(0, "runs/a/1.jsonl, trace x", "x", "", None, None, 0, (), "", {})])
    ['1.jsonl']
    """
    files = [row.place.removesuffix(f", trace {row.id}") for row in rows]
    folders = [PurePath(name).parent.parts for name in files]
    common = sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)))
    return [str(PurePath(*PurePath(name).parts[common:])) for name in files]


def cut(name: str, longest: int) -> str:
    """Return a name on one line, without its middle if it is too long: names differ at their ends.

    >>> cut("a-long-name-17.jsonl", 15)
    'a-long-…7.jsonl'
    """
    line = " ".join(name.split())
    half = (longest - 1) // 2
    return line if len(line) <= longest else f"{line[:half]}…{line[len(line) - (longest - 1 - half) :]}"


def flags(found: Summary) -> dict[int, list[str]]:
    """Return what is notable of runs, by their number: failure patterns and outliers."""
    kept: dict[int, list[str]] = {}
    for row in found.table.sound:
        for pattern in found.patterns:
            if shows(row, pattern.column.name):
                said = f"{pattern.column.title.lower()} {shown(pattern.column, row.values[pattern.column.name])}"
                kept.setdefault(row.at, []).append(said)
    for outlier in found.outliers:
        side = "high" if outlier.value > outlier.limit else "low"
        kept.setdefault(outlier.row.at, []).append(f"{outlier.column.title.lower()}: {side} outlier")
    return kept
