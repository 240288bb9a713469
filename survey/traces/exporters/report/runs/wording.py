"""What the page and the text on a terminal have in common: sentences, and figures in the unit of their column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from survey.traces.exporters.report.formatting import duration, money, number, plural, share
from survey.traces.exporters.report.runs.contrasts import FEWEST, LEVEL
from survey.traces.exporters.report.runs.distributions import FENCE
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
    runs, said = plural(len(table.runs), "run"), found.solved + found.unsolved
    if said:
        which = f"{runs}," if said == len(table.runs) else f"{runs}, {number(said)} say how they ended:"
        yield f"Of {which} {number(found.solved)} solved their task ({share(found.solved / said)})."
    else:
        yield f"{runs}{', none of which says whether it solved its task' if table.runs else ''}."
    if table.unread:
        yield f"{plural(len(table.unread), 'document')} could not be read as one."
    if wall := found.distributions.get("wall_s"):
        middle = shown(wall.column, wall.median)
        yield (
            f"Half of the runs took between {shown(wall.column, wall.first)} and {shown(wall.column, wall.third)}, "
            f"the middle one {middle}."
            if wall.count > 3
            else f"The middle one took {middle}."
        )
    if cost := found.distributions.get("cost_usd"):
        some = "" if cost.count == len(table.sound) else f" of {number(cost.count)} runs"
        yield f"The known costs{some} are {money(cost.total)} in all."
    if errors := len(table.runs) - len(table.sound):
        contradict = "contradicts itself" if errors == 1 else "contradict themselves"
        yield f"{number(errors)} {contradict}: no figure of several runs counts {'it' if errors == 1 else 'them'}."


def rule_of_outliers() -> str:
    """Return the rule by which a run is an outlier."""
    return (
        f"A run is far from the others if the logarithm of its value lies more than {FENCE:g} times the width of the "
        "middle half beyond that half."
    )


def rule_of_late_ends() -> str:
    """Return the rule by which a run waits for its last sub-agent."""
    return f"Counted if more than {share(LATE)} of the run's time."


def about_contrasts(found: Summary) -> str:
    """Return what is to be known of the differences between solved and unsolved runs."""
    if not found.contrasts:
        return (
            f"{number(found.solved)} runs say that they solved their task and {number(found.unsolved)} that they did "
            f"not. A comparison needs {FEWEST} sound runs of either kind that have a value."
        )
    clear = sum(one.adjusted < CLEAR for one in found.contrasts)
    said = f"{number(clear)} of {plural(len(found.contrasts), 'figure')}" if clear else "No figure"
    verb = "differ" if clear > 1 else "differs"
    return f"{said} {verb} by more than chance explains, corrected for looking at {number(len(found.contrasts))}."


def names(rows: list[Row]) -> dict[str, str]:
    """Return the place of each row without the folder that all are in.

    >>> row = Row("runs/a/1.jsonl, trace x", "x", "", None, None, 0, (), "", {})
    >>> names([row])
    {'runs/a/1.jsonl, trace x': '1.jsonl'}
    """
    files = {row.place: row.place.removesuffix(f", trace {row.id}") for row in rows}
    parents = [PurePath(name).parent.parts for name in files.values()]
    common = 0
    if parents:
        common = next(
            (place for place, parts in enumerate(zip(*parents, strict=False)) if len(set(parts)) > 1),
            min(map(len, parents)),
        )
    return {place: str(PurePath(*PurePath(name).parts[common:])) for place, name in files.items()}


def flags(found: Summary) -> dict[str, list[str]]:
    """Return what is notable of runs, by their place: patterns that they show, and in what they are far from others."""
    kept: dict[str, list[str]] = {}
    for row in found.table.sound:
        for pattern in found.patterns:
            if shows(row, pattern.column.name):
                said = f"{pattern.column.title.lower()} {shown(pattern.column, row.values[pattern.column.name])}"
                kept.setdefault(row.place, []).append(said)
    for outlier in found.outliers:
        far = "much" if outlier.value > outlier.limit else "little"
        kept.setdefault(outlier.row.place, []).append(f"{far}: {outlier.column.title.lower()}")
    return kept
