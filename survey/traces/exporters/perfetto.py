"""A trace as Chrome trace events, which the Perfetto viewer opens."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from survey.traces.exporters.members import members
from survey.traces.model import Event, Trace
from survey.traces.replay import Delegation, Replay, Timeline, delegations, replay, timeline

__all__ = ["perfetto"]

INSTANTS = frozenset({"human_intervention", "safety_event", "despawn", "stop"})

LATEST = 9e9
"""The last time that fits Perfetto's 64-bit nanoseconds; later events are drawn here."""

RUN = 1
"""The process id. Perfetto labels the thread with the same id, that of the root, as the main thread."""


def perfetto(trace: Trace) -> dict[str, Any]:
    """Return a document for Perfetto (or any viewer of Chrome trace events): a track for each agent, the root first.

    A track shows the tasks of its agent and, within them, turns, tool calls (from the call to its result) and
    other acts, with the durations of the timeline; overlapping tool calls have additional tracks. Edges between
    agents are flows; a counter shows the number of busy agents. Events on the critical path have the category
    and the argument ``critical``. In an ordinal trace a step lasts a second, and ``otherData`` says so.

    Bars are pairs of begin and end, not complete events: among complete events with the same start, Perfetto
    nests by length, which would put an act without length into the following turn.

    >>> trace = Trace([Event.of({"id": "e1", "t": 2, "type": "model_call", "agent": "solo"})], [], {"trace_id": "r"})
    >>> [(event["ph"], event["name"], event.get("ts")) for event in perfetto(trace)["traceEvents"][-2:]]
    [('B', 'model_call', 2000000), ('E', 'model_call', 2000000)]
    """
    replayed = replay(trace)
    line = timeline(replayed)
    tracks = _tracks(replayed, line)
    flows, hidden = _flows(replayed, line, _drawn(replayed, tracks))
    labels = {id: member.label for id, member in members(replayed, line).items()}
    agents = [agent for agent in labels if agent in tracks]
    records = [_meta("process_name", None, name=trace.id)]
    drawn: list[tuple[float, int, dict[str, Any]]] = []
    number = RUN
    for agent in agents:
        for lane, bars in enumerate(tracks[agent]):
            name = labels[agent] if lane == 0 else f"{labels[agent]}, calls in parallel"
            records += [_meta("thread_name", number, name=name), _meta("thread_sort_index", number, sort_index=number)]
            drawn += _records(bars, flows, number)
            number += 1
    drawn += [(t, -1, _counter(t, level)) for t, level in _levels(line.busy.values())]
    drawn.sort(key=lambda record: record[:2])
    return {
        "traceEvents": records + [record for *_, record in drawn],
        "displayTimeUnit": "ms",
        "otherData": _head(trace, hidden),
    }


@dataclass(slots=True)
class _Bar:
    """A bar on a track."""

    name: str
    start: float
    end: float
    place: int
    """The position of its event in the causal order; for a task, that of the event that delegated it."""
    kind: str
    args: Mapping[str, Any]
    critical: bool = False
    given: bool = False
    """Whether the bar is a task, which encloses acts."""


def _tracks(replayed: Replay, line: Timeline) -> dict[str, list[list[_Bar]]]:
    """Return, for each agent, the bars on its main track and on the tracks of overlapping calls."""
    events, answers = replayed.graph.events, replayed.answers
    results = set(answers.values())
    critical = set(line.critical_path())
    acts: dict[str, list[_Bar]] = defaultdict(list)
    calls: dict[str, list[_Bar]] = defaultdict(list)
    work: dict[str, list[Delegation]] = defaultdict(list)
    for delegation in delegations(replayed):
        work[delegation.agent].append(delegation)
    for place, (event, actor) in enumerate(zip(events, line.actors, strict=True)):
        if place in results:
            continue
        start, end = line.starts[place], max(line.starts[place], event.end)
        if event.type == "tool_call":
            result = answers.get(place)
            start, end = event.t, event.end if result is None else max(event.t, events[result].end)
            bar = _Bar(event.tool or "tool call", start, end, place, event.type, _call(event, events, result))
            bar.critical = place in critical or result in critical
            calls[actor].append(bar)
        else:
            start = end if event.type in INSTANTS else start
            bar = _Bar(_name(event), start, end, place, event.type, _args(event), place in critical)
            acts[actor].append(bar)
    everyone = [*acts, *calls, *work]
    return {agent: _arranged(acts[agent], calls[agent], work[agent]) for agent in dict.fromkeys(everyone)}


def _arranged(acts: list[_Bar], calls: list[_Bar], work: Iterable[Delegation]) -> list[list[_Bar]]:
    """Return the bars by track. The first track holds the acts, and the calls between them."""
    long = sorted((act.start, act.end) for act in acts if act.end > act.start)
    enclosing = _enclosing(work, long)
    edges = sorted(
        [act.start for act in acts if act.end == act.start] + [t for s in enclosing for t in (s.start, s.end)]
    )
    ends = [end for _, end in long]
    first = [*enclosing, *acts]
    others: list[list[_Bar]] = []
    free: list[tuple[float, int]] = []
    latest = 0.0
    for call in sorted(calls, key=lambda call: (call.start, call.place)):
        after = bisect_right(ends, call.start)
        alone = call.start >= latest and (after == len(long) or long[after][0] >= call.end)
        inside = bisect_right(edges, call.start)
        if alone and (inside == len(edges) or edges[inside] >= call.end):
            first.append(call)
            latest = call.end
        elif free and free[0][0] <= call.start:
            _, lane = heappop(free)
            others[lane].append(call)
            heappush(free, (call.end, lane))
        else:
            heappush(free, (call.end, len(others)))
            others.append([call])
    return [first, *others]


def _enclosing(work: Iterable[Delegation], long: Sequence[tuple[float, float]]) -> list[_Bar]:
    """Return tasks as bars that split no act: a task for a busy agent starts when the agent is free."""
    bars = []
    free = 0.0
    ends = [end for _, end in long]
    for delegation in sorted(work, key=lambda delegation: (delegation.start, delegation.place)):
        start, end = max(delegation.start, free), delegation.end
        for t in (start, end):
            cut = bisect_right(ends, t)
            if cut < len(long) and long[cut][0] < t:
                start, end = (long[cut][1], end) if t == start else (start, long[cut][0])
        free = end = max(start, end)
        args = {
            "given": delegation.start,
            "by": delegation.delegator,
            "status": delegation.status,
            "steps": delegation.steps,
        }
        bars.append(_Bar(f"task from {delegation.delegator}", start, end, delegation.place, "task", args, given=True))
    return bars


def _drawn(replayed: Replay, tracks: Mapping[str, list[list[_Bar]]]) -> dict[int, _Bar]:
    """Return the bar of each event, by position."""
    bars = (bar for lanes in tracks.values() for lane in lanes for bar in lane if not bar.given)
    drawn = {bar.place: bar for bar in bars}
    return {**drawn, **{result: drawn[call] for call, result in replayed.answers.items()}}


_Flows = Mapping[int, Sequence[tuple[float, dict[str, Any]]]]


def _flows(replayed: Replay, line: Timeline, drawn: Mapping[int, _Bar]) -> tuple[_Flows, int]:
    """Return the ends of all arrows by the position of their bar, and the number of arrows that go back in time."""
    flows: dict[int, list[tuple[float, dict[str, Any]]]] = defaultdict(list)
    hidden = number = 0
    for source, target, type in replayed.graph.edges():
        out, into = drawn[source], drawn[target]
        if line.actors[source] == line.actors[target] or out is into:
            continue
        leaves = out.end if out.end <= into.start else out.start
        if leaves > into.start:
            hidden += 1
            continue
        number += 1
        arrow = {"name": type, "cat": type, "id": number}
        flows[out.place].append((leaves, {"ph": "s", **arrow}))
        flows[into.place].append((into.start, {"ph": "f", "bp": "e", **arrow}))
    return flows, hidden


def _records(bars: list[_Bar], flows: _Flows, thread: int) -> Iterator[tuple[float, int, dict[str, Any]]]:
    """Yield the records of one track with their time and rank; sorting by both preserves this order.

    Viewers process simultaneous records in file order and bind an arrow to the last bar opened.
    """
    rank = -1
    open: list[_Bar] = []

    def record(t: float, **fields: Any) -> tuple[float, int, dict[str, Any]]:
        return min(t, LATEST), rank, {**fields, "ts": _microseconds(t), "pid": RUN, "tid": thread}

    def closed(until: _Bar | None) -> Iterator[tuple[float, int, dict[str, Any]]]:
        while open and not (until and _holds(open[-1], until)):
            bar = open.pop()
            yield from (record(t, **arrow) for t, arrow in flows.get(bar.place, ()) if not bar.given and t > bar.start)
            yield record(bar.end, ph="E", name=bar.name, cat=_category(bar))

    for bar in sorted(bars, key=lambda bar: (bar.start, bar.place)):
        yield from closed(bar)
        rank = max(rank, bar.place)
        if open:
            bar.end = min(bar.end, open[-1].end)
        args = {**bar.args, **({"critical": True} if bar.critical else {})}
        shown = {"name": bar.name, "cat": _category(bar), "args": args}
        instant = bar.kind in INSTANTS
        if bar.critical:
            shown["cname"] = "terrible"
        yield record(bar.start, **({"ph": "i", "s": "t"} if instant else {"ph": "B"}), **shown)
        if not bar.given:
            yield from (record(t, **arrow) for t, arrow in flows.get(bar.place, ()) if t <= bar.start)
        if not instant:
            open.append(bar)
    yield from closed(None)


def _holds(outer: _Bar, inner: _Bar) -> bool:
    """Return whether a bar is still open when another starts. The act that ends a task belongs to it."""
    if outer.given:
        return not inner.given and (inner.start < outer.end or inner.end <= outer.end)
    return inner.start < outer.end


def _category(bar: _Bar) -> str:
    return f"{bar.kind},critical" if bar.critical else bar.kind


def _name(event: Event) -> str:
    if event.type == "tool_result":
        return f"result of {event.tool or 'a tool'}"
    prepositions = {"spawn": "", "delegate": "to ", "message": "to ", "return": "to ", "stop": ""}
    if event.to and event.type in prepositions:
        return f"{event.type} {prepositions[event.type]}{event.to}"
    return str(event.type)


ARGS = (
    "role",
    "from",
    "to",
    "tool",
    "status",
    "tokens",
    "cost",
    "decision",
    "reward",
    "delivered",
    "transfer",
    "trusted",
)


def _args(event: Event) -> dict[str, Any]:
    fields = event.to_json()
    return {"id": event.id, **{key: fields[key] for key in ARGS if key in fields}}


def _call(event: Event, events: Sequence[Event], result: int | None) -> dict[str, Any]:
    return {**_args(event), **({} if result is None else {"result": _args(events[result])})}


def _levels(busy: Iterable[Iterable[tuple[float, float]]]) -> Iterator[tuple[float, int]]:
    """Yield the number of busy agents whenever it changes."""
    changes: Counter[float] = Counter()
    for stretches in busy:
        for start, end in stretches:
            changes[start] += 1
            changes[end] -= 1
    level = 0
    for t in sorted(changes):
        if changes[t]:
            level += changes[t]
            yield t, level


def _counter(t: float, level: int) -> dict[str, Any]:
    return {"ph": "C", "name": "agents", "ts": _microseconds(t), "pid": RUN, "args": {"busy": level}}


def _meta(name: str, thread: int | None, /, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": RUN, **({} if thread is None else {"tid": thread}), "args": args}


def _microseconds(t: float) -> float:
    """Return a time in microseconds, as an integer where possible."""
    us = round(min(t, LATEST) * 1e6, 3)
    return int(us) if us == int(us) else us


def _head(trace: Trace, hidden: int) -> dict[str, Any]:
    fields = {
        "trace_id": trace.id,
        "task_id": trace.task,
        "system": trace.head.get("system"),
        "time": trace.time,
        "unit": "one second for each step of the trace" if trace.time == "ordinal" else None,
        "started": trace.source.get("started"),
        "edges not drawn because they go back in time": hidden or None,
    }
    return {key: value for key, value in fields.items() if value is not None}
