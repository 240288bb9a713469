"""The order of events: by time where edges leave it open, and never an effect before its cause."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import islice
from operator import lt

from survey.traces.model.event import Event

RANKS = {type: rank for rank, type in enumerate(
    ("human_intervention", "orchestrator_decision", "spawn", "delegate", "model_call", "message", "tool_call",
     "tool_result", "safety_event", "compaction", "return", "aggregate", "despawn", "stop")
)}  # fmt: skip
"""Order of simultaneous events that no edge orders: agents act after their spawn and before their
despawn, and results follow calls."""


def by_time(events: Sequence[Event]) -> Sequence[int]:
    """Sort the places of events by time; simultaneous ones by their types."""
    times = [event.t for event in events]
    if all(map(lt, times, islice(times, 1, None))):
        return range(len(events))
    order = sorted(range(len(events)), key=times.__getitem__)
    inorder = [times[position] for position in order]
    if all(map(lt, inorder, islice(inorder, 1, None))):
        return order
    return sorted(order, key=lambda position: (times[position], RANKS[events[position].type]))


def causal(size: int, sources: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Sort places so that every edge is respected, and time where edges leave the order open.

    Where edges form a cycle, its earliest event comes first, as if no edge led back to it.
    """
    waiting = [0] * size
    follows: list[list[int]] = [[] for _ in range(size)]
    for source, target in zip(sources, targets, strict=True):
        if source != target:
            follows[source].append(target)
            waiting[target] += 1
    ready = [place for place in range(size) if not waiting[place]]
    heapq.heapify(ready)
    found: list[int] = []
    done = bytearray(size)
    cycles = _Cycles(follows, done) if len(ready) < size else None
    while len(found) < size:
        if not ready and cycles:
            ready.append(cycles.next())
        place = heapq.heappop(ready)
        if done[place]:
            continue
        done[place] = 1
        found.append(place)
        for target in follows[place]:
            waiting[target] -= 1
            if not waiting[target] and not done[target]:
                heapq.heappush(ready, target)
    return found


class _Cycles:
    """Finds cycles among events that wait for one another, visiting every edge about once."""

    def __init__(self, follows: Sequence[Sequence[int]], done: bytearray) -> None:
        self._follows, self._done = follows, done
        self._before: list[list[int]] = []
        self._first = 0
        self._path: list[int] = []
        self._at: dict[int, int] = {}

    def next(self) -> int:
        """Return the earliest event on some remaining cycle. There must be one."""
        if not self._before:
            self._before = [[] for _ in self._follows]
            for source, targets in enumerate(self._follows):
                for target in targets:
                    self._before[target].append(source)
        while True:
            while self._path and self._done[self._path[-1]]:
                del self._at[self._path.pop()]
            if not self._path:
                self._first = self._done.index(0, self._first)
                self._step(self._first)
            causes = self._before[self._path[-1]]
            while self._done[causes[-1]]:
                causes.pop()
            if causes[-1] in self._at:
                return self._cut(min(self._path[self._at[causes[-1]] :]))
            self._step(causes[-1])

    def _cut(self, place: int) -> int:
        """Drop a place and everything after it from the path; what remains on the path still waits for it."""
        for passed in self._path[self._at[place] :]:
            del self._at[passed]
        del self._path[len(self._at) :]
        return place

    def _step(self, place: int) -> None:
        self._at[place] = len(self._path)
        self._path.append(place)


def places_in(order: Sequence[int]) -> list[int]:
    """Return the new place of each old place in an order."""
    new = [0] * len(order)
    for place, old in enumerate(order):
        new[old] = place
    return new
