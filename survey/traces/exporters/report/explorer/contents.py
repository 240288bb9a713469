"""The events of a run as the explorer reads them: one list per field, every name once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from survey.traces.exporters.report.drawing import Drawing
from survey.traces.exporters.report.formatting import Clock, duration, money, number, plural, short, visible
from survey.traces.exporters.report.path import critical, kind_of, timed, tools_of, what
from survey.traces.exporters.report.team import Member
from survey.traces.metrics import Run
from survey.traces.model import Event
from survey.traces.replay import FOR_PEOPLE

MOST = 100_000
"""The most events that a report holds."""

TEXT = 2000
"""How much of the text of an event is shown, in characters."""

FIELDS = 12
"""How many fields outside the schema are shown of an event."""

KINDS = ("model", "tool", "other", "waiting", "asked")
"""The kinds of work and waiting, by the names of their colours."""

GAPS = ("waiting", "asked", "permission", "idle")
"""The kinds of gaps between the acts of an agent."""

TOKENS = (("input", "input"), ("cache_read", "read from the cache"), ("cache_write", "written to the cache"),
          ("output", "output"), ("reasoning", "of these for reasoning"))  # fmt: skip


class Index(dict[str, int]):
    """Numbers for names, in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


def events(run: Run, team: Sequence[Member], drawing: Drawing) -> dict[str, Any]:
    """Return the variables of the template: how many events there are, and the data of the script.

    The causes of an event are pairs of numbers: how many events before it, and by which kind of edge.
    """
    kept = min(len(run.events), MOST)
    agents, activities, types, statuses = Index(), Index(), Index(), Index()
    for member in team:
        agents[member.id]  # in the order of the spawn tree
    links = Index()
    causes = defaultdict[int, list[int]](list)
    for source, target, type in run.replayed.graph.edges():
        if target < kept:
            causes[target] += [target - source, links[type]]
    tools, timeline, weights = tools_of(run), run.timeline, dict(critical(run))
    judged = defaultdict[str, list[str]](list)
    for label in run.replayed.trace.labels:
        judged[str(label.get("event"))].append(": ".join(str(label[key]) for key in ("label", "why") if label.get(key)))
    first, clock = _first(run), Clock(max(run.replayed.end - _first(run), 0.0))
    columns: dict[str, list[Any]] = defaultdict(list)
    for place in range(kept):
        event = run.events[place]
        silent = timeline.silent[place]
        kind = kind_of(event) if not silent else "asked" if silent == FOR_PEOPLE else "waiting"
        columns["ids"].append(visible(event.id))
        columns["agents"].append(agents[timeline.actors[place]])
        columns["activities"].append(activities[short(what(event, tools.get(place)))])
        columns["types"].append(types[event.type])
        columns["kinds"].append(KINDS.index(kind))
        columns["statuses"].append(statuses[event.status])
        columns["at"].append(clock(max(timeline.starts[place] - first, 0.0)) if timed(run) else number(place + 1))
        columns["took"].append(_took(run, place))
        columns["path"].append(_weight(run, weights.get(place, 0.0)))
        columns["causes"].append(causes.get(place, 0))
        columns["tokens"].append(_tokens(event))
        columns["facts"].append([visible(said) for pair in _facts(event, judged[event.id]) for said in pair] or 0)
    depths = {member.id: min(member.depth, 8) for member in team}
    data = {
        **columns,
        "names": {
            "agents": [short(visible(agent)) for agent in agents],
            "activities": [visible(name) for name in activities],
            "types": [*types],
            "statuses": [*statuses],
            "links": [*links],
            "kinds": KINDS,
            "tokens": [word for _, word in TOKENS],
        },
        "depths": [depths.get(agent, 0) for agent in agents],
        "ok": statuses["ok"],
        "drawing": _drawing(run, drawing, kept),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return {"data": text.replace("<", r"\u003c"), "kept": kept, "whole": len(run.events), "unit": _unit(run, clock)}


def _drawing(run: Run, drawing: Drawing, kept: int) -> dict[str, Any]:
    """Return where everything is drawn: in hundredths of a unit of the axis, and in pixels from the top."""
    lefts, widths = [0] * kept, [-1] * kept
    for slice in drawing.work:
        if slice.place is not None and slice.place < kept:
            lefts[slice.place], widths[slice.place] = _fine(slice.left), _fine(slice.right) - _fine(slice.left)
    gaps = [
        (slice.lane, _fine(slice.left), _fine(slice.right) - _fine(slice.left), GAPS.index(slice.kind),
         visible(slice.title), -1 if slice.place is None or slice.place >= kept else slice.place)
        for slice in drawing.waits[: 2 * MOST]
    ]  # fmt: skip
    first = _first(run) if timed(run) else 0.0
    return {
        "lefts": lefts,
        "widths": widths,
        "gaps": gaps,
        "gapKinds": GAPS,
        "times": [round(t - first, 6) for t in drawing.scale.times],
        "places": [round(x, 3) for x in drawing.scale.places],
        "folds": [(round(fold.left, 2), round(fold.width, 2), fold.text) for fold in drawing.scale.folds],
        "top": drawing.top,
        "row": drawing.row,
        "bar": drawing.bar,
        "lanes": len(drawing.lanes),
        "timed": timed(run),
    }


def _fine(x: float) -> int:
    return round(100 * x)


def _first(run: Run) -> float:
    return run.events[0].t if run.events else 0.0


def _unit(run: Run, clock: Clock) -> str:
    return clock.unit if timed(run) else "event"


def _took(run: Run, place: int) -> str:
    """Return how long an event took, from the end of the last one that it had to wait for."""
    seconds = max(run.events[place].end - run.timeline.starts[place], 0.0) if timed(run) else 0.0
    return duration(seconds) if seconds > 0 else ""


def _weight(run: Run, weight: float) -> str | int:
    """Return how much of the critical path an event is; 0 if it is not on it."""
    if weight <= 0:
        return 0
    return duration(weight) if timed(run) else number(weight)


def _tokens(event: Event) -> Any:
    """Return the tokens of an event: a number for each of ``TOKENS``, a total, or 0 if it records none."""
    if event.by_kind:
        return [_count(event.by_kind.get(kind, 0)) for kind, _ in TOKENS]
    return 0 if event.tokens is None else _count(event.tokens)


def _count(amount: float) -> float:
    return int(amount) if amount == int(amount) else amount


def _facts(event: Event, judgements: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what else an event says, as pairs of a term and its value."""
    if event.to:
        yield "To", short(event.to)
    if event.tool and event.type != "tool_call":
        yield "Tool", short(event.tool)
    if event.model:
        yield "Model", short(event.model)
    if event.cost is not None:
        yield "Cost", money(event.cost)
    if event.decision:
        yield "Decision", ", ".join(event.decision)
    if event.reward is not None:
        rewards = event.reward if isinstance(event.reward, dict) else {"": event.reward}
        yield "Reward", ", ".join(f"{short(name)} {number(value)}".strip() for name, value in rewards.items())
    if event.error:
        yield "Error", _cut(event.error)
    for judgement in judgements:
        yield "Judged", _cut(judgement)
    for name, value in list((event.other or {}).items())[:FIELDS]:
        yield (
            short(name, 40),
            short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)),
        )
    length = (event.content_ref or "").rpartition(":")[2]
    if event.content:
        yield "Text", _cut(event.content)
    elif length.isdecimal():
        yield "Text", f"{plural(int(length), 'character')}, not kept"


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else f"{text[:TEXT]} … ({number(len(text) - TEXT)} more characters)"
