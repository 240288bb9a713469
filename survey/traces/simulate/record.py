"""Recorder of simulated events, and their conversion to a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from survey.traces.model import Edge, Event, Trace

Cause = tuple[int, str]


class Record:
    """Recorded events, identified by number until all are known and can be named in order of time."""

    def __init__(self) -> None:
        self._drafts: list[dict[str, Any]] = []
        self._links: list[tuple[int, int, str]] = []
        self.agents: list[dict[str, str]] = []

    def event(self, type: str, t: float, agent: str, causes: Iterable[Cause] = (), **fields: Any) -> int:
        """Record an event with its causes and return its number."""
        number = len(self._drafts)
        known = {key: _rounded(value) for key, value in fields.items() if value is not None}
        self._drafts.append({"id": "e", "t": round(t, 6), "type": type, "agent": agent, **known})
        self._links.extend((cause, number, type) for cause, type in causes)
        return number

    def amend(self, number: int, **fields: Any) -> None:
        """Set further fields of an event."""
        self._drafts[number].update(fields)

    def trace(self, head: Mapping[str, Any]) -> tuple[Trace, Sequence[str]]:
        """Return the trace, and the id of each event by number."""
        drafts = self._drafts
        order = sorted(range(len(drafts)), key=lambda number: (drafts[number]["t"], number))
        place = {number: position for position, number in enumerate(order)}
        ids = [f"e{place[number] + 1}" for number in range(len(drafts))]
        for number, draft in enumerate(drafts):
            draft["id"] = ids[number]
            if "parent" in draft:
                draft["parent"] = ids[draft["parent"]]
        links = sorted(self._links + self._succession(order), key=lambda link: (place[link[1]], place[link[0]]))
        edges = [Edge(ids[src], ids[dst], type) for src, dst, type in links]
        events = [Event.of(drafts[number]) for number in order]
        whole = {
            "agents": self.agents,
            "costs": _costs(events),
            "link_quality": {"exact": len(edges), "derived": 0, "missing": 0},
        }
        return Trace(events, edges, {**head, **whole}), ids

    def _succession(self, order: Sequence[int]) -> list[tuple[int, int, str]]:
        """Return temporal links between consecutive events of an agent that are not linked otherwise."""
        linked = {link[:2] for link in self._links}
        last: dict[str, int] = {}
        found = []
        for number in order:
            agent = self._drafts[number]["agent"]
            if agent in last and (last[agent], number) not in linked:
                found.append((last[agent], number, "temporal"))
            last[agent] = number
        return found


class Unrecorded(Record):
    """Numbers for events that nobody will read, for a run of which only the reward is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = 0

    def event(self, type: str, t: float, agent: str, causes: Iterable[Cause] = (), **fields: Any) -> int:
        """Return the number of an event."""
        self._numbers += 1
        return self._numbers

    def amend(self, number: int, **fields: Any) -> None:
        """Leave everything as it is."""


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _costs(events: Sequence[Event]) -> dict[str, float]:
    kinds = [event.type for event in events]
    return {
        "tokens": sum(event.tokens or 0 for event in events),
        "wall_clock_s": max(event.end for event in events),
        "tool_calls": kinds.count("tool_call"),
        "messages": kinds.count("message"),
    }
