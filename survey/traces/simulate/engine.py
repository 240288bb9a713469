"""Discrete-event engine of the simulation: a clock with a queue of scheduled acts.

Random numbers are drawn only when their time has come, so that two runs which branch at some moment
have everything before it in common.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from survey.traces.simulate.chance import Chance
from survey.traces.simulate.dividends import Assignment, Message, Unit
from survey.traces.simulate.record import Cause, Record
from survey.traces.simulate.setting import Setting
from survey.traces.simulate.task import Agent


class Engine:
    """A run in progress."""

    def __init__(
        self,
        setting: Setting,
        chance: Chance,
        missing: Collection[str] = frozenset(),
        instead: Mapping[str, int] | None = None,
        record: Record | None = None,
    ) -> None:
        self.setting, self.chance, self.record = setting, chance, record or Record()
        self._missing, self._instead = frozenset(missing), instead or {}
        self.acts: dict[int, str] = {}
        """The act behind each event that a rerun can leave out or replace. Acts are named after what they do, so
        that they have the same name in every run of the task."""
        self.times: Counter[tuple[str, int]] = Counter()
        """How often an agent was given a part."""
        self.unread: set[str] = set()
        """Bosses whose aggregation is left out."""
        self.done: list[Assignment] = []
        self.sent: list[tuple[int, int | None]] = []
        """For each message, in the order of sending, its event and its effect; a question has none."""
        self.turns: list[int] = []
        """Turns of workers and advisers; a boss's decisions are not units of credit."""
        self.calls: list[int] = []
        self._next: list[tuple[float, int, Callable[[float], object]]] = []
        self._numbers = 0

    def run(self) -> None:
        """Run until the queue is empty."""
        while self._next:
            time, _, act = heapq.heappop(self._next)
            act(time)

    def lacks(self, act: str) -> bool:
        """Return whether this act, or agent, is left out of the run, which departs from others here."""
        if act in self._missing:
            self.chance.depart(act)
        return act in self._missing

    def done_by(self, act: str, event: int) -> None:
        """Note which event an act is."""
        self.acts[event] = act
        self.chance.depart(act)

    def at(self, time: float, act: Callable[[float], object]) -> None:
        """Schedule an act."""
        heapq.heappush(self._next, (time, self._numbers, act))
        self._numbers += 1

    def think(
        self,
        agent: Agent,
        now: float,
        type: str,
        causes: list[Cause],
        size: float = 1.0,
        more: float = 0,
        **fields: Any,
    ) -> tuple[int, float]:
        """Add a turn of an agent as soon as it is free; return the event and its end time.

        A harness is a program: its turns take almost no time and no tokens.
        """
        begin = max(now, agent.free)
        if agent.role == "harness":
            agent.free, tokens = begin + 0.05, None
        else:
            # additional input takes time to read: 5,000 tokens a second
            agent.free, tokens = begin + self.chance.thinking() * size + more / 5000, self.chance.tokens(size, more)
        details = {"role": agent.role, "t_end": agent.free, "tokens": tokens, **fields}
        return self.record.event(type, begin, agent.id, causes, **details), agent.free

    def send(
        self,
        act: str,
        now: float,
        sender: Agent,
        receiver: Agent,
        cause: int,
        needs: frozenset[Unit],
        *,
        is_content: bool = True,
    ) -> Message | None:
        """Send a message, unless it is left out. A question has an effect only through its answer."""
        if self.lacks(act):
            return None
        self.chance.next_message()
        effect = self.chance.effect(self.setting.informing, self.setting.misleading) if is_content else 0
        effect = self._instead.get(act, effect)
        arrives = round(now + self.chance.transit(), 6)
        event = self.record.event("message", now, sender.id, [(cause, "causal")], to=receiver.id, delivered=arrives)
        self.sent.append((event, effect if is_content else None))
        self.done_by(act, event)
        return Message(event, arrives, effect, needs | {event})
