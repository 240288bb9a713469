"""The first sentences of a report, which say nothing that another reading of the log's times would contradict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from survey import plurals
from survey.traces.exporters.report.formatting import FIXED, duration, number, plural, share, short
from survey.traces.metrics import Measure, Run, measure
from survey.traces.replay import union

BOUNDED = ("work_s", "union_s", "critical_path_s", "speedup_observed", "speedup_graph")
"""Measures that hang on when turns with a single time began."""

NOTABLE = 0.05
"""The share of the run's time from which silence is worth a sentence."""

NOUNS: Mapping[str, tuple[str, ...]] = {
    "call without a result": ("call without a result", "calls without a result"),
    "interrupted sub-agent without a log": (
        "interrupted sub-agent without a log",
        "interrupted sub-agents without a log",
    ),
    "compaction": ("compaction",),
}
"""Why nothing is known of some time, for one reason of its kind and for several."""

SAME = 0.01
"""Figures that differ by less are given as one."""


def bounds(run: Run, found: Mapping[str, Measure]) -> dict[str, tuple[float, float]]:
    """Return the bounds of measures of time: if turns with one time took none, and if they began with their cause."""
    shortest = measure(run.shortest, BOUNDED) if run.ambiguous else found
    pairs = {name: (shortest[name].value or 0.0, found[name].value or 0.0) for name in BOUNDED if found[name].value}
    return {name: (min(pair), max(pair)) for name, pair in pairs.items()}


def differ(low: float, high: float) -> bool:
    """Return whether bounds are worth giving."""
    return high - low > SAME * high


def between(pair: tuple[float, float], shown: Callable[[float], str]) -> str:
    """Format bounds, or the one figure if they hardly differ."""
    low, high = pair
    return f"{shown(low)} to {shown(high)}" if differ(low, high) else shown(high)


def times(value: float) -> str:
    """Format a speed-up."""
    return f"{value:,.2f}"


def headline(run: Run, found: Mapping[str, Measure]) -> Iterator[str]:
    """Summarise the run in two or three sentences."""
    size = found["agents"].value - (run.program is not None)
    crew = plural(size, "agent") + (" and the program around " + ("it" if size == 1 else "them")) * bool(run.program)
    if found["wall_s"].value is None:
        steps, chain = found["steps"].value, found["critical_path_steps"].value
        yield f"{crew} took {plural(steps, 'step')}, of which {number(chain)} had to follow one another."
        yield "The log has no times to measure, so this report counts events and gives no durations."
        return
    wall, limits = found["wall_s"].value, bounds(run, found)
    work, active = limits.get("work_s", (0.0, 0.0)), limits.get("union_s", (0.0, 0.0))
    hidden = [(interval.start, interval.end) for interval in run.unseen]
    busy = (interval for own in run.timeline.busy.values() for interval in own)
    open = union([*hidden, *busy]) - active[1] if hidden else 0.0
    notable = wall > 0 and open / wall >= NOTABLE
    yield f"{crew} did {between(work, duration)} of work{' that the log shows' if notable else ''} in {duration(wall)}."
    silent = wall - active[1] - open  # at least: the agents were active at most
    if wall > 0 and silent / wall >= NOTABLE:
        least = "at least " if differ(*active) or open > SAME * silent else ""
        yield f"For {least}{duration(silent)} of that time ({share(silent / wall)}) no agent was working."
    if notable:
        reasons = Counter(interval.why for interval in run.unseen)
        why = ", ".join(plurals.plural(count, *NOUNS[reason]) for reason, count in reasons.items())
        yield f"For {'another ' if silent / wall >= NOTABLE else ''}{duration(open)} the log does not say ({why})."
    asked = {kind: run.timeline.waiting[kind].get(run.root, 0.0) for kind in ("people", "permission")}
    if wall > 0 and sum(asked.values()) / wall >= NOTABLE:
        names = {"people": "people", "permission": "permissions"}
        waits = [f"{duration(seconds)} for {names[kind]}" for kind, seconds in asked.items() if seconds]
        yield f"Agent {short(run.root)} waited {' and '.join(waits)}."
    observed, graph = limits.get("speedup_observed"), limits.get("speedup_graph")
    if observed and graph and size > 1:
        seen = "seen to work" if notable else "working"
        sentence = f"While any agent was {seen}, {between(observed, times)} worked on average"
        if not differ(*observed) and not differ(*graph):
            more = f"would have allowed {times(graph[1])}" if graph[1] > observed[1] * (1 + SAME) else "allowed no more"
            sentence += f"; the dependencies {more}"
        yield f"{sentence}."
    if differ(*work):
        yield (
            "The log does not say when turns began: the larger figure for work counts each from what it answers, the "
            "smaller from its first record."
        )


def as_text(run: Run, found: Mapping[str, Measure]) -> str:
    """Return the sentences with ordinary spaces, for a terminal."""
    return " ".join(headline(run, found)).replace(FIXED, " ")
