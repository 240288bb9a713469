"""Export to an object-centric event log, OCEL 2.0 in JSON, for process mining."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from survey.traces.exporters.members import members
from survey.traces.model import Event, Trace
from survey.traces.replay import Delegation, delegations, replay, timeline

__all__ = ["ocel"]

LATEST = datetime(2262, 1, 1, tzinfo=UTC)
"""The last time that fits 64 bits of nanoseconds since 1970, as readers count; later times are set to it."""

ALWAYS = "1970-01-01T00:00:00Z"
"""The time of attributes of objects that never change, as the format defines it."""


def ocel(trace: Trace) -> dict[str, Any]:
    """Return the log: one event for each event of the trace, and the objects that they concern.

    Objects are the run, its agents, the tools, the tasks (from delegation to return), the messages and the
    tool calls. Qualifiers state the part of an object in an event. In an ordinal trace a step lasts a second,
    and the attribute ``clock`` of the run says so. The format has no edges; those along messages and returns
    become relations of the receiving event.

    >>> event = Event.of({"id": "e1", "t": 2, "type": "message", "agent": "ann", "to": "bob"})
    >>> log = ocel(Trace([event], [], {"trace_id": "r", "task_id": "t"}))
    >>> [(relation["objectId"], relation["qualifier"]) for relation in log["events"][0]["relationships"]]
    [('run/r', 'run'), ('agent/ann', 'by'), ('agent/bob', 'to'), ('message/e1', 'sends')]
    """
    log = _Log(trace)
    log.relate_agents()
    log.relate_tools()
    log.relate_tasks()
    log.relate_messages()
    objects = list(log.objects.values())
    events = log.events()
    return {"objectTypes": _types(objects), "eventTypes": _types(events), "objects": objects, "events": events}


class _Log:
    """A builder of logs: objects by id, and for each event the objects that it concerns."""

    def __init__(self, trace: Trace) -> None:
        self._replayed = replay(trace)
        self._line = timeline(self._replayed)
        self._events = self._replayed.graph.events
        self._ids = _unique(self._events)
        self._origin = _origin(trace)
        self._about: list[dict[str, str]] = [{} for _ in self._events]
        """Objects with one qualifier each: pm4py keeps one relation between an event and an object."""
        self.objects: dict[str, dict[str, Any]] = {}
        clock = "one second for each step, from 1970" if trace.time == "ordinal" else None
        fields = {"task_id": trace.task, "topology": trace.topology, "time": trace.time, "clock": clock}
        run = self._object("run", trace.id, fields)
        for place in range(len(self._events)):
            self._relate(place, run, "run")

    def relate_agents(self) -> None:
        """Relate events to the agents that act and receive."""
        known = members(self._replayed, self._line)
        named = {
            id: self._object("agent", id, {"name": member.name, "role": member.role, "model": member.model})
            for id, member in known.items()
        }
        for place, event in enumerate(self._events):
            self._relate(place, named[self._line.actors[place]], "by")
            if event.from_:
                self._relate(place, named[event.from_], "from")
            child = event.child if event.type == "spawn" else None
            if to := event.to or child:
                self._relate(place, named[to], "to")
            if child:
                self._link(named[child], named[event.sender], "spawned by")

    def relate_tools(self) -> None:
        """Relate events to tools, and to each call from its start to its result."""
        calls: dict[int, str] = {}
        for place, event in enumerate(self._events):
            if event.type == "tool_call":
                answer = self._replayed.answers.get(place)
                status = "open" if answer is None else self._events[answer].status
                calls[place] = self._object("tool_call", self._ids[place], {"status": status})
                self._relate(place, calls[place], "makes")
                self._link(calls[place], f"agent/{self._line.actors[place]}", "made by")
            if event.tool:
                tool = self._object("tool", event.tool, {"name": event.tool})
                self._relate(place, tool, "uses")
                if place in calls:
                    self._link(calls[place], tool, "of")
        for call, result in self._replayed.answers.items():
            self._relate(result, calls[call], "answers")

    def relate_tasks(self) -> None:
        """Relate events to tasks: the delegation, the work, and the events that use the result."""
        by_agent: dict[str, list[Delegation]] = defaultdict(list)
        tasks: dict[int, str] = {}
        for delegation in delegations(self._replayed):
            by_agent[delegation.agent].append(delegation)
            fields = {"status": delegation.status, "steps": delegation.steps}
            task = tasks[delegation.place] = self._object("task", self._ids[delegation.place], fields)
            self._relate(delegation.place, task, "gives")
            self._link(task, f"agent/{delegation.agent}", "given to")
            self._link(task, f"agent/{delegation.delegator}", "given by")
        returned: dict[int, str] = {}
        for place, (event, actor) in enumerate(zip(self._events, self._line.actors, strict=True)):
            before = (
                bisect_left(by_agent[actor], place, key=lambda delegation: delegation.place) if actor in by_agent else 0
            )
            if before and event.t <= by_agent[actor][before - 1].end:
                task = tasks[by_agent[actor][before - 1].place]
                self._relate(place, task, "ends" if event.type == "return" else "for")
                if event.type == "return":
                    returned[place] = task
        for source, target, type in self._replayed.graph.edges():
            if type in ("return", "aggregate") and source in returned:
                self._relate(target, returned[source], "takes up")

    def relate_messages(self) -> None:
        """Relate events to messages, from the sender to the receiving event."""
        sent: dict[int, str] = {}
        for place, event in enumerate(self._events):
            if event.type == "message":
                fields = {"transfer": event.transfer, "delivered": event.delivered is not False}
                sent[place] = self._object("message", self._ids[place], fields)
                self._relate(place, sent[place], "sends")
                self._link(sent[place], f"agent/{event.sender}", "from")
                if event.to:
                    self._link(sent[place], f"agent/{event.to}", "to")
        for source, target, type in self._replayed.graph.edges():
            if type == "message" and source in sent:
                self._relate(target, sent[source], "receives")

    def events(self) -> list[dict[str, Any]]:
        """All events with what they are about."""
        return [
            {
                "id": self._ids[place],
                "type": event.type,
                "time": self._at(event.t),
                "attributes": _attributes(self._event_fields(event)),
                "relationships": [
                    {"objectId": id, "qualifier": qualifier} for id, qualifier in self._about[place].items()
                ],
            }
            for place, event in enumerate(self._events)
        ]

    def _event_fields(self, event: Event) -> dict[str, Any]:
        rewards = event.reward if isinstance(event.reward, dict) else {"": event.reward}
        return {
            "status": event.status,
            "ended": None if event.t_end is None else self._at(event.end),
            "role": event.role,
            "decision": " ".join(event.decision or ()) or None,
            "tokens": event.tokens,
            **{f"{kind}_tokens": count for kind, count in event.by_kind.items()},
            "cost": event.cost,
            "parent": event.parent,
            "trusted": event.trusted,
            "content_ref": event.content_ref,
            "content": event.content,
            **{f"reward {name}".strip(): reward for name, reward in rewards.items()},
        }

    def _object(self, type: str, name: str, fields: Mapping[str, Any]) -> str:
        id = f"{type}/{name}"
        attributes = [{**attribute, "time": ALWAYS} for attribute in _attributes(fields)]
        self.objects.setdefault(id, {"id": id, "type": type, "attributes": attributes, "relationships": []})
        return id

    def _relate(self, place: int, object: str, qualifier: str) -> None:
        self._about[place].setdefault(object, qualifier)

    def _link(self, object: str, other: str, qualifier: str) -> None:
        link = {"objectId": other, "qualifier": qualifier}
        if link not in self.objects[object]["relationships"]:
            self.objects[object]["relationships"].append(link)

    def _at(self, t: float) -> str:
        room = (LATEST - self._origin).total_seconds()
        return (self._origin + timedelta(seconds=min(t, room))).isoformat().replace("+00:00", "Z")


def _origin(trace: Trace) -> datetime:
    """Return the time at t = 0; 1970 if it is unknown."""
    unknown = datetime(1970, 1, 1, tzinfo=UTC)
    if trace.time == "ordinal":
        return unknown
    try:
        started = datetime.fromisoformat(str(trace.source.get("started")))
        return min(started if started.tzinfo else started.replace(tzinfo=UTC), LATEST).astimezone(UTC)
    except (ValueError, OverflowError):
        return unknown


def _unique(events: Sequence[Event]) -> list[str]:
    """Return the id of each event; a repeated id gets a number."""
    taken: Counter[str] = Counter(event.id for event in events)
    seen: Counter[str] = Counter()
    ids = []
    for event in events:
        seen[event.id] += 1
        id = event.id
        while seen[event.id] > 1 and id in taken:
            id = f"{event.id}#{seen[event.id]}"
            seen[event.id] += id in taken
        taken[id] += 1
        ids.append(id)
    return ids


KINDS = {bool: "boolean", int: "integer", float: "float", str: "string"}


def _attributes(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in fields.items() if value not in (None, "")]


def _types(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the types of events or objects, each with the attributes in use."""
    types: dict[str, dict[str, str]] = {}
    for item in items:
        known = types.setdefault(item["type"], {})
        for attribute in item["attributes"]:
            kind = "time" if attribute["name"] == "ended" else KINDS[type(attribute["value"])]
            if known.get(attribute["name"]) in (None, "integer"):
                known[attribute["name"]] = kind
    return [
        {"name": name, "attributes": [{"name": key, "type": kind} for key, kind in known.items()]}
        for name, known in types.items()
    ]
