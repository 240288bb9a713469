"""Interval arithmetic, and the figures that every reading of a raw log gives.

A log is read into acts. An act belongs to one agent and is a model turn, an ordinary tool call, or a wait: for a
person or for another agent. It names its causes: other acts, each with the moment at which the cause was there.

Choices:

- An agent that works does not wait. The waits of an agent are counted without the time in which it works itself, and
  its waits for agents without the time in which it also waits for a person.
- Idle is the part of the wall time in which no agent works and no agent waits for a person.
- The walk along the critical path takes the cause that was there last. Of an act that caused something before its own
  end it counts the part until then. It counts no wait for an agent: a wait that a child ended leads into the child,
  and a wait that timed out leads to its own call.
- Several sub-agents are there at once where their lives overlap by more than a moment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Interval = tuple[float, float]
Kind = Literal["turn", "tool", "people", "agents"]
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
TICK = 1e-6


@dataclass(frozen=True)
class Reading:
    """What one raw log says. None stands for what the log does not say."""

    agents: int
    sub_agents: int
    at_once: int | None
    tool_calls: int
    failed_tool_calls: int
    delegations: int
    """Those of the tool calls that ask for a sub-agent."""
    turns: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    wall: float | None = None
    work: float | None = None
    union: float | None = None
    waiting_people: float | None = None
    waiting_agents: float | None = None
    idle: float | None = None
    critical_path: float | None = None
    critical_path_with_people: float | None = None
    sub_agent_work: float | None = None
    sub_agent_union: float | None = None


@dataclass(eq=False)
class Act:
    """Something an agent did or waited for."""

    agent: str
    kind: Kind
    start: float
    end: float
    causes: list[tuple[Act, float]] = field(default_factory=list)


def moment(stamp: str) -> float:
    """Seconds of an ISO time."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Disjoint intervals that cover the same time, in order."""
    merged: list[Interval] = []
    for start, end in sorted(interval for interval in intervals if interval[1] > interval[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def difference(of: Iterable[Interval], without: Iterable[Interval]) -> list[Interval]:
    """The time in the first intervals and not in the second."""
    left = union(of)
    for low, high in union(without):
        left = [
            part
            for start, end in left
            for part in ((start, min(end, low)), (max(start, high), end))
            if part[1] > part[0]
        ]
    return left


def length(intervals: Iterable[Interval]) -> float:
    """The time the intervals cover."""
    return sum(end - start for start, end in union(intervals))


def most_at_once(intervals: Iterable[Interval]) -> int:
    """The greatest number of intervals that overlap; what ends at a moment makes room for what begins at it."""
    steps = sorted(step for start, end in intervals for step in ((start, 1), (end, -1)))
    now = most = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most


def critical_path(acts: Iterable[Act]) -> Mapping[Kind, float]:
    """The time of each kind on the chain of latest causes that ends with the last act."""
    spent: dict[Kind, float] = {"turn": 0.0, "tool": 0.0, "people": 0.0, "agents": 0.0}
    act = max((act for act in acts if act.kind != "people"), key=lambda act: act.end, default=None)
    until = act.end if act else 0.0
    seen: set[tuple[Act, float]] = set()
    while act and (act, until) not in seen:
        seen.add((act, until))
        first = sorted(act.causes, key=lambda cause: cause[1])[:1]
        causes = [cause for cause in act.causes if cause[1] <= until + TICK] or first
        before, there = max(causes, key=lambda cause: cause[1], default=(None, act.start))
        spent[act.kind] += max(0.0, until - max(act.start, there))
        act, until = before, there
    return spent


def reading(
    acts: list[Act],
    main: str,
    lives: Mapping[str, Interval],
    counts: Mapping[str, int],
    tokens: Mapping[str, int | None],
    *,
    main_acts: bool = True,
) -> Reading:
    """The figures of a timed log: its acts, the lives of its sub-agents by name, and what was counted on the way."""
    by_agent: dict[str, dict[Kind, list[Interval]]] = defaultdict(lambda: defaultdict(list))
    for act in acts:
        by_agent[act.agent][act.kind].append((act.start, act.end))
    work = {agent: union(kinds["turn"] + kinds["tool"]) for agent, kinds in by_agent.items()}
    people = {agent: difference(kinds["people"], work[agent]) for agent, kinds in by_agent.items()}
    waits = {agent: difference(kinds["agents"], work[agent] + people[agent]) for agent, kinds in by_agent.items()}
    together = union(part for parts in work.values() for part in parts)
    first = min((act.start for act in acts), default=0.0)
    last = max((act.end for act in acts), default=0.0)
    path = critical_path(acts)
    below = {agent: parts for agent, parts in work.items() if agent != main}
    return Reading(
        agents=len(lives) + main_acts,
        sub_agents=len(lives),
        at_once=most_at_once(lives.values()),
        tool_calls=counts["tool_calls"],
        failed_tool_calls=counts["failed_tool_calls"],
        delegations=counts["delegations"],
        turns=counts["turns"],
        **tokens,
        wall=last - first,
        work=sum(map(length, work.values())),
        union=length(together),
        waiting_people=sum(map(length, people.values())),
        waiting_agents=sum(map(length, waits.values())),
        idle=length(difference([(first, last)], together + [part for parts in people.values() for part in parts])),
        critical_path=path["turn"] + path["tool"],
        critical_path_with_people=path["turn"] + path["tool"] + path["people"],
        sub_agent_work=sum(map(length, below.values())),
        sub_agent_union=length(part for parts in below.values() for part in parts),
    )


def latest(acts: Iterable[Act], by: float) -> list[tuple[Act, float]]:
    """The acts that ended by a moment, each as a cause; of those that ended together a wait or a tool comes first."""
    ended = [act for act in acts if act.end <= by + TICK]
    return [(act, act.end) for act in sorted(ended, key=lambda act: (-act.end, act.kind == "turn"))]


def added(values: Iterable[int | None]) -> int | None:
    """The sum of what is said; None if nothing is."""
    said = [value for value in values if value is not None]
    return sum(said) if said else None
