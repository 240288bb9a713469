"""Trace builder for importers: add events as they are found, and links where the log has them.

The builder does the work that all importers share: it orders events by time, shifts times to start
at zero, links each agent's events in order, adds up the costs, keeps free text out of the trace, and
records what the log did not contain.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec.structs import replace

from survey.traces.model.edges import Edge
from survey.traces.model.event import Event
from survey.traces.model.trace import Trace

FEW_TOKENS = "turns whose text needs more output tokens than the log counts"
NO_TOKENS = "model calls without tokens"
UNDERCOUNTED = frozenset({FEW_TOKENS, NO_TOKENS})
"""Losses after which the tokens of a trace, and what they cost, are too low."""


class Content:
    """Policy for free text: by default only a salted hash and a length are stored, so that it stays private.

    Without an explicit salt every run hashes differently, so that a guess cannot be tested against
    the trace. Within one trace, equal texts have equal hashes.
    """

    def __init__(self, keep: bool = False, salt: str | None = None) -> None:
        from hashlib import blake2b
        from secrets import token_hex

        self.keep = keep
        salted = blake2b((salt if salt is not None else token_hex(16)).encode("utf-8", "surrogatepass"))
        self._digest = partial(blake2b, key=salted.digest(), digest_size=8)

    def fields(self, text: str | None) -> dict[str, str]:
        """Return the event fields that represent a text."""
        if not text:
            return {}
        reference = {"content_ref": f"{self.reference(text)}:{len(text)}"}
        return {**reference, "content": text} if self.keep else reference

    def reference(self, text: str) -> str:
        """Return the salted hash of a text; it does not tell the length."""
        return f"blake2b:{self._digest(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


class Builder:
    """Builds a trace from events and links.

        >>> trace = Builder("r1", "t1", importer="by hand", content=Content(salt=""))
        >>> decided = trace.event("orchestrator_decision", "lead", 100.0, decision=["O1"])
        >>> spawned = trace.event("spawn", "lead", 100.5, to="helper")
        >>> trace.link(decided, spawned, "causal")
        >>> [(event.id, event.t) for event in trace.build()]
        [('e1', 0.0), ('e2', 0.5)]

    Times may come from any clock; the built trace starts at zero.
    """

    def __init__(
        self,
        trace_id: str,
        task_id: str,
        *,
        importer: str,
        system: str | None = None,
        version: str | None = None,
        time: str = "seconds",
        content: Content | None = None,
        experimental: bool = False,
    ) -> None:
        self.content = content or Content()
        self.head: dict[str, Any] = {}
        self.costs: dict[str, float] = {}
        self._trace_id, self._task_id, self._time, self._system = trace_id, task_id, time, system
        self._source = {
            "system": system,
            "version": version,
            "importer": importer,
            "experimental": experimental or None,
        }
        self._events: dict[str, Event] = {}
        self._links: dict[tuple[str, str], tuple[str, str]] = {}
        self._agents: dict[str, dict[str, str]] = {}
        self._labels: list[dict[str, str]] = []
        self._lost: Counter[str] = Counter()
        self._missing = 0

    def event(self, type: str, agent: str, t: float | None = None, *, text: str | None = None, **fields: Any) -> str:
        """Add an event and return its id.

        ``t`` is in seconds on any clock (epoch seconds are fine). Omit it in an ordinal trace, where
        events are numbered in the order in which they are added. ``text`` is free text: it is
        hashed, and stored if the user chose so. Fields that are None are omitted; pass ``from``
        as ``from_``.
        """
        id = f"e{len(self._events) + 1}"
        if t is None:
            t = float(len(self._events))
        known = {key.rstrip("_"): value for key, value in fields.items() if value is not None}
        self._events[id] = Event.of(
            {"id": id, "t": t, "type": type, "agent": agent, **known, **self.content.fields(text)}
        )
        return id

    def __getitem__(self, id: str) -> Event:
        return self._events[id]

    def amend(self, id: str, **fields: Any) -> None:
        """Set fields of an event that only a later record contains."""
        known = {key: value for key, value in fields.items() if value is not None}
        self._events[id] = self._events[id].with_fields(**known)

    def link(self, src: str | None, dst: str | None, type: str, *, derived: bool = False) -> None:
        """Add an edge; ``derived`` if it does not rest on an identifier in the log. A missing end is counted.

        Only the first edge between two events is kept.
        """
        if src is None or dst is None:
            self._missing += 1
        elif src != dst:
            self._links.setdefault((src, dst), (type, "derived" if derived else "exact"))

    def agent(self, id: str, *, name: str | None = None, role: str | None = None, model: str | None = None) -> None:
        """Describe an agent instance; later values override earlier ones."""
        known = {"name": name, "role": role, "model": model}
        self._agents.setdefault(id, {"id": id}).update({key: value for key, value in known.items() if value})

    def label(self, event: str, label: str, **fields: Any) -> None:
        """Add a label (a judgement) to an event."""
        self._labels.append({"event": event, "label": label, **{k: v for k, v in fields.items() if v is not None}})

    def lost(self, what: str, count: int = 1) -> None:
        """Record a loss: something that the log does not contain or that a trace cannot represent."""
        if count:
            self._lost[what] += count

    def build(self) -> Trace:
        """Return the trace, its events in an order that respects time and every link."""
        ordered = self._in_causal_order()
        links = self._with_succession(ordered)
        start = min((event.t for event in ordered), default=0.0) if self._time != "ordinal" else 0.0
        names = {event.id: f"e{number}" for number, event in enumerate(ordered, 1)}
        events = [self._renumbered(event, start, names) for event in ordered]
        edges = [Edge(names[src], names[dst], type) for (src, dst), (type, _) in links.items()]
        events = [self._as_its_agent(event) for event in events]
        places = {name: place for place, name in enumerate(names.values())}
        edges.sort(key=lambda edge: (places[edge.dst], places[edge.src]))
        return Trace(events, edges, self._full_head(events, names, start))

    def _in_causal_order(self) -> list[Event]:
        """Sort events causally, each agent's own by time as far as causes allow.

        Clocks of several processes differ slightly: an effect dated before its cause is moved to
        the time of its cause, and counted. Events on a cycle of links have no order; they come
        last, and replay reports them.
        """
        in_time = sorted(self._events.values(), key=lambda event: event.t)
        at = {event.id: place for place, event in enumerate(in_time)}
        if all(at[src] < at[dst] for src, dst in self._links):
            return in_time  # the usual case: the clocks agree
        place = {id: number for number, id in enumerate(self._events)}
        times = {id: event.t for id, event in self._events.items()}
        causes, before = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for src, dst in self._links:
            causes[dst].append(src)
        last: dict[str, str] = {}
        for event in in_time:
            if event.agent in last:
                before[event.id].append(last[event.agent])
            last[event.agent] = event.id
        follows = defaultdict[str, list[tuple[str, bool]]](list)
        for id in place:
            for cause in causes[id]:
                follows[cause].append((id, True))
            for earlier in before[id]:
                follows[earlier].append((id, False))
        caused = {id: len(causes[id]) for id in place}
        queued = {id: len(before[id]) for id in place}
        # prefer events that wait for nothing; else those that wait only for their own agent
        ready = [(times[id], place[id], id) for id in place if not caused[id] and not queued[id]]
        spare = [(times[id], place[id], id) for id in place if not caused[id]]
        heapq.heapify(ready)
        heapq.heapify(spare)
        ordered: dict[str, Event] = {}
        moved, now = 0, 0.0
        while ready or spare:
            _, _, id = heapq.heappop(ready or spare)
            if id in ordered:
                continue
            event = self._events[id]
            now = max(now, times[id])
            moved += event.t < now
            ordered[id] = event.with_fields(t=now) if event.t < now else event
            for next, is_effect in follows[id]:
                (caused if is_effect else queued)[next] -= 1
                times[next] = max(times[next], now)
                if not caused[next] and is_effect:
                    heapq.heappush(spare, (times[next], place[next], next))
                if not caused[next] and not queued[next]:
                    heapq.heappush(ready, (times[next], place[next], next))
        self.lost("events dated before their cause, moved to its time", moved)
        return [*ordered.values(), *(event for id, event in self._events.items() if id not in ordered)]

    def _with_succession(self, ordered: list[Event]) -> dict[tuple[str, str], tuple[str, str]]:
        """Return all links, plus a temporal one between consecutive events of an agent that lack one."""
        links = dict(self._links)
        last: dict[str, str] = {}
        for event in ordered:
            before = last.get(event.agent)
            if before and (before, event.id) not in links and (event.id, before) not in links:
                links[before, event.id] = ("temporal", "")
            last[event.agent] = event.id
        return links

    def _renumbered(self, event: Event, start: float, names: Mapping[str, str]) -> Event:
        moved: dict[str, Any] = {"id": names[event.id], "t": round(event.t - start, 6)}
        if event.parent:
            moved["parent"] = names.get(event.parent, event.parent)
        if event.t_end is not None:
            moved["t_end"] = round(max(event.t_end, event.t) - start, 6)
        if event.t_first is not None:
            moved["t_first"] = round(max(event.t_first, event.t) - start, 6)
        if event.delivered is not None and event.delivered is not False:
            moved["delivered"] = round(max(event.delivered, event.t) - start, 6)
        return replace(event, **moved)

    def _as_its_agent(self, event: Event) -> Event:
        """Return the event without its model if it is the agent's: then it goes without saying."""
        said = event.model is not None and event.model == self._agents.get(event.agent, {}).get("model")
        return replace(event, model=None) if said else event

    def _full_head(self, events: list[Event], names: Mapping[str, str], start: float) -> dict[str, Any]:
        qualities = Counter(quality for _, quality in self._links.values())
        source: dict[str, Any] = {key: value for key, value in self._source.items() if value}
        if self._time == "seconds" and 1e9 < start < 7e9:
            source["started"] = datetime.fromtimestamp(start, UTC).isoformat()
        if self._lost:
            source["lost"] = [{"what": what, "count": count} for what, count in sorted(self._lost.items())]
        head = {
            "schema_version": 1,
            "trace_id": self._trace_id,
            "task_id": self._task_id,
            "system": self._system,
            "time": self._time,
            "agents": list(self._agents.values()),
            "rewards": {},
            "costs": self._totals(events),
            "labels": [{**label, "event": names[label["event"]]} for label in self._labels],
            "source": source,
            "link_quality": {"exact": qualities["exact"], "derived": qualities["derived"], "missing": self._missing},
            **self.head,
        }
        return {key: value for key, value in head.items() if value not in (None, [])}

    def _totals(self, events: list[Event]) -> dict[str, float]:
        kinds = Counter(event.type for event in events if event.type != "message" or event.between_agents)
        spent = sum(event.tokens or 0 for event in events)
        money = [event.cost for event in events if event.cost is not None]
        wall = max((event.end for event in events), default=0.0) if self._time == "seconds" else 0.0
        totals = {"tokens": spent, "wall_clock_s": round(wall, 6)}
        totals |= {"tool_calls": kinds["tool_call"], "messages": kinds["message"]}
        if money:
            totals["usd"] = round(sum(money), 9)
        return {**totals, **self.costs}
