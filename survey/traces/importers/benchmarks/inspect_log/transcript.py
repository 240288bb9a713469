"""The events of a sample as a flat list, and their spans.

Three generations of logs nest differently: spans with parents (2025), ``step`` events that begin and end (2024),
and lists of events inside ``tool`` and ``subtask`` events (both). All become spans here, and each span is assigned
to the agent that acted in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from survey.traces.importers.benchmarks.inspect_log.events import (
    ROOT,
    SCORERS,
    Item,
    Span,
    Transcript,
    called,
    names_agent,
    tool_calls,
)
from survey.traces.importers.json_values import Fields, flag, instant, items, text
from survey.traces.model import OUTSIDE

CALLED = frozenset({"tool", "subtask"})
"""Spans that are agents only if they contain a model call, as in Inspect's own viewer."""
TIMED = frozenset({"model", "tool", "approval", "review", "input", "interrupt", "compaction", "sample_init"})


def transcript(events: list[Any]) -> Transcript:
    """Return the transcript of a list of events."""
    found = Transcript()
    _flatten(found, events)
    around = _outside_in(found.spans)
    _find_agents(found, around)
    _leave_out_replays(found)
    _connect_calls(found)
    _nest(found)
    _place_in_time(found)
    return found


def _flatten(found: Transcript, events: list[Any]) -> None:
    """Flatten nested events; with an explicit stack, because the depth of a log is unbounded."""
    stack: list[tuple[Iterator[Any], list[str | None], str | None]] = [(iter(events), [None], None)]
    while stack:
        rest, steps, opened = stack[-1]
        event = next(rest, stack)
        if event is stack:
            _close(found, opened, None)
            stack.pop()
            continue
        if not isinstance(event, Mapping):
            found.lost["events that are not JSON objects"] += 1
            continue
        kind = text(event.get("event")) or ""
        within = text(event.get("span_id")) or steps[-1]
        t = instant(event.get("timestamp"))
        inner = None
        nested = items(event.get("events"))
        if kind == "span_begin":
            id = text(event.get("id")) or text(event.get("span_id"))
            if id is None or id in found.spans:
                found.lost["spans without an id of their own"] += 1
            else:
                _open(found, id, event, text(event.get("parent_id")), t)
        elif kind == "span_end":
            _close(found, text(event.get("id")) or text(event.get("span_id")), t)
        elif kind == "step" and event.get("action") == "begin":
            steps.append(_open(found, f"step-{len(found.spans) + 1}", event, within, t).id)
        elif kind == "step":
            if len(steps) > 1:
                _close(found, steps.pop(), t)
        else:
            item = Item(len(found.items), kind, event, within, t)
            found.items.append(item)
            if kind in CALLED and nested:
                fields = {"type": "agent" if text(event.get("agent")) else kind}
                fields["name"] = text(event.get("agent") or event.get("function") or event.get("name")) or kind
                inner = item.opened = _open(found, f"{kind}-{len(found.spans) + 1}", fields, within, None).id
        if nested:  # even if its kind opens no span
            stack.append((iter(nested), [inner or within], inner))


def _open(found: Transcript, id: str, fields: Fields, parent: str | None, t: float | None) -> Span:
    type, name = text(fields.get("type")) or "", text(fields.get("name")) or "unnamed"
    return found.spans.setdefault(id, Span(id, type, name, parent, len(found.items), t))


def _close(found: Transcript, id: str | None, t: float | None) -> None:
    if span := found.spans.get(id or ""):
        span.end, span.ended, span.end_place = t, True, len(found.items)


def _outside_in(spans: Mapping[str, Span]) -> list[Span]:
    """Return all spans, each after its parent. A cycle of parents is cut."""
    placed: dict[str, Span] = {}
    for start in spans.values():
        climbed: dict[str, Span] = {}
        span: Span | None = start
        while span and span.id not in placed:
            climbed[span.id] = span
            if span.parent in climbed:
                span.parent = None
            span = spans.get(span.parent or "")
        placed.update(reversed(climbed.items()))
    return list(placed.values())


def _find_agents(found: Transcript, around: list[Span]) -> None:
    """Determine for each span whether it is an agent, and who acts in it."""
    for span in around:
        above = found.above(span)
        span.scoring = span.type in SCORERS or bool(above and above.scoring)
    for item in found.items:
        span_of_item = found.spans.get(item.span or "")
        if item.kind == "model" and span_of_item:
            span_of_item.asked = True
    for span in reversed(around):
        span.is_agent = span.type == "agent" or (span.type in CALLED and span.asked and not span.agents_inside)
        if above := found.above(span):
            above.agents_inside |= span.is_agent or span.agents_inside
            above.asked |= span.asked and not span.is_agent
    root = _root_span(found, around)
    for span in around:
        above = found.above(span)
        if span is root:
            span.is_agent = True
        elif span.is_agent:
            span.owner = f"{span.id}-agent" if span.id in OUTSIDE or span.id == ROOT else span.id
        elif above:
            span.owner = above.owner


def _root_span(found: Transcript, around: list[Span]) -> Span | None:
    """Return the agent span that contains all model calls, if there is one: the root agent."""
    outermost: list[Span] = []
    within: set[str] = set()
    for span in around:
        if span.parent in within:
            within.add(span.id)
        elif span.is_agent and not span.scoring:
            within.add(span.id)
            outermost.append(span)
    asked_outside = any(
        item.kind == "model" and item.span not in within and not found.is_scoring(item) for item in found.items
    )
    alone = len(outermost) == 1 and outermost[0].type == "agent" and not asked_outside
    return outermost[0] if alone else None


def _leave_out_replays(found: Transcript) -> None:
    """Remove the events of a branch that repeat the prefix of its parent."""
    for item in found.items:
        span = found.spans.get(item.span or "")
        if item.kind == "branch" and span:
            span.replay_until = item.place
    for span in _outside_in(found.spans):
        above = found.above(span)
        span.replay_until = max(span.replay_until, above.replay_until if above else -1)
    kept = []
    for item in found.items:
        span = found.spans.get(item.span or "")
        if span and item.place < span.replay_until and item.kind in ("model", "tool"):
            found.lost["events of a branch that repeat its parent's"] += 1
        else:
            kept.append(item)
    found.items = kept


def _connect_calls(found: Transcript) -> None:
    """Find, for each tool call, the model call that requested it and the agent that it represents."""
    _find_tool_spans(found)
    inside = _agents_by_tool_span(found)
    asked: dict[tuple[str, str], Item] = {}
    approvals: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in found.items:
        owner = found.owner(item)
        if item.kind == "model":
            asked.update({(owner, call): item for call in tool_calls(item)})
        elif item.kind == "approval":
            item.turn = asked.get((owner, called(item)))
            approvals[owner, called(item)].append(item)
        elif item.kind == "tool":
            item.turn = asked.get((owner, text(item.fields.get("id")) or ""))
            item.approvals = approvals.pop((owner, text(item.fields.get("id")) or ""), [])
            agents = inside.get(item.opened or "", [])
            _find_child(found, item, agents)
            if item.turn:
                item.turn.spawns |= item.child is not None or bool(agents) or names_agent(item)


def _find_child(found: Transcript, item: Item, inside: list[Span]) -> None:
    named = found.spans.get(text(item.fields.get("agent_span_id")) or "")
    if named and named.is_agent and named.owner != ROOT:
        child, item.derived = named, False
    elif len(inside) == 1:
        child = inside[0]
    else:
        for one in inside:
            one.within = item
        return
    if child.call is None:  # two calls cannot represent one agent
        item.child, child.call = child, item


def _find_tool_spans(found: Transcript) -> None:
    """Find the span of each tool call: it starts just before, has the tool's name, and shares the parent."""
    tool_spans = [span for span in found.spans.values() if span.type == "tool"]
    tool_spans.reverse()
    begun: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
    for item in found.items:
        while tool_spans and tool_spans[-1].place <= item.place:
            span = tool_spans.pop()
            above = found.above(span)
            handoff = above is not None and above.type == "handoff"
            begun[above.parent if above and handoff else span.parent, span.name].append(span)
        if item.kind != "tool" or item.opened:
            continue
        function = text(item.fields.get("function")) or ""
        own = found.spans.get(item.span or "")
        if own and own.type == "tool" and own.name == function:
            item.opened, item.span = own.id, own.parent
        elif begun[item.span, function]:
            item.opened, item.derived = begun[item.span, function].pop().id, True


def _agents_by_tool_span(found: Transcript) -> Mapping[str, list[Span]]:
    """Return the agents inside each tool span, or equal to it."""
    opened = {item.opened for item in found.items}
    tool_around: dict[str, str] = {}
    agents: dict[str, list[Span]] = defaultdict(list)
    for span in _outside_in(found.spans):
        tool = span.id if span.type == "tool" or span.id in opened else tool_around.get(span.parent or "", "")
        if not span.is_agent or span.owner == ROOT:
            tool_around[span.id] = tool
        elif tool:
            agents[tool].append(span)
    return agents


def _nest(found: Transcript) -> None:
    """Set the depth of each span, and extend it over its contents, wherever its ends were logged."""
    around = _outside_in(found.spans)
    for span in around:
        above = found.above(span)
        span.depth = above.depth + 1 if above else 0
        span.end_place = max(span.end_place, span.place + 1)
    for item in found.items:
        if holder := found.spans.get(item.span or ""):
            holder.place, holder.end_place = min(holder.place, item.place), max(holder.end_place, item.place + 1)
    for span in reversed(around):
        if above := found.above(span):
            above.place, above.end_place = min(above.place, span.place), max(above.end_place, span.end_place)


def _place_in_time(found: Transcript) -> None:
    """Assign a time to every event, and to every span an end after its contents."""
    moments = [item.t for item in found.items] + [span.begin for span in found.spans.values()]
    known = [t for t in moments if t is not None]
    if not known:
        found.time = "ordinal"
        return
    last = known[0]
    for item in found.items:
        if item.t is None and item.kind in TIMED:
            found.time = "mixed"
        last = item.t = last if item.t is None else item.t
        end = instant(item.fields.get("completed"))
        item.end = None if end is None else max(end, last)
    _stretch(found, _outside_in(found.spans))
    for item in found.items:
        if item.kind == "tool":
            _time_call(found, item)


def _stretch(found: Transcript, around: list[Span]) -> None:
    latest: dict[str, float] = {}
    earliest: dict[str, float] = {}

    def hold(span: str | None, begin: float | None, end: float | None) -> None:
        if span and begin is not None and end is not None:
            earliest[span] = min(begin, earliest.get(span, begin))
            latest[span] = max(end, latest.get(span, end))

    for item in found.items:
        hold(item.span, item.t, item.t if item.end is None else item.end)
    for span in reversed(around):
        hold(span.id, span.begin, span.begin)
        hold(span.id, span.end, span.end)
        hold(span.parent, earliest.get(span.id), latest.get(span.id))
    for span in around:
        above = found.above(span)
        span.begin = earliest.get(span.id, above.begin if above else None)
        span.end = latest.get(span.id, span.begin)


def _time_call(found: Transcript, item: Item) -> None:
    """Time a call: it starts at its approval and ends after its contents."""
    opened = found.spans.get(item.opened or "")
    within = [t for t in (opened.begin, opened.end) if t is not None] if opened else []
    start = item.t or 0.0
    if item.end is None and not flag(item.fields.get("pending")):
        # Logs of 2024 hold one time for a call and its result.
        found.time = "mixed"
        start, item.end = min([start, *within]), max([start, *within])
    elif item.end is not None:
        item.end = max([item.end, *within])
    if item.child and item.child.begin is not None:
        begin = item.child.begin
        start = min(start, begin)
        item.approvals = [approval for approval in item.approvals if (approval.t or 0.0) <= begin]
    item.t = max([start, *(approval.t or 0.0 for approval in item.approvals)])
    item.end = item.end if item.end is None else max(item.end, item.t)
