"""Simulation of a boss: delegate work, collect returns, aggregate results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from survey.traces.simulate.dividends import Assignment
from survey.traces.simulate.engine import Engine
from survey.traces.simulate.record import Cause
from survey.traces.simulate.task import Agent, next_worker
from survey.traces.simulate.workers import Crew

READING = 250
"""Tokens that a boss reads of each result when it aggregates."""


def run_to_end(engine: Engine, root: Agent) -> None:
    """Simulate a run from the assignment of the task to its end."""
    for agent in root.everyone():
        engine.record.agents.append({"id": agent.id, "name": agent.name, "role": agent.role})
    asked = engine.record.event("human_intervention", 0.0, "user", to=root.id)

    def stop(now: float, aggregate: int) -> None:
        engine.record.event("stop", now, root.id, [(aggregate, "causal")])

    engine.at(engine.chance.overhead(), Orchestrator(engine, root, (asked, "causal"), stop).open)
    engine.run()


class Orchestrator:
    """A boss with its team. ``over`` is called after the aggregation."""

    def __init__(self, engine: Engine, boss: Agent, given: Cause, over: Callable[[float, int], None]) -> None:
        self.engine, self.boss, self._over, self._last = engine, boss, over, given
        self.crew = Crew(engine, boss, self._worker_returns)
        leads = bool(boss.team[0].team)
        topology = engine.setting.topology
        # a harness keeps its workers and gives them one job after the other; so does a hierarchy of two
        self._stands = topology == "harness" or (topology == "hierarchical" and not boss.boss and not leads)
        self._width = len(boss.team) if leads else engine.setting.at_once
        self._waiting = deque(agent for agent in boss.team if agent.backlog or agent.team)
        self._queued = set(self._waiting)
        self._returned: list[Cause] = []
        self._unread: list[Cause] = []
        self._out = 0
        self._is_open = self._is_deciding = False

    def open(self, now: float) -> None:
        """Begin with the decision about the team."""
        self._decide(now)

    def _decide(self, now: float) -> None:
        self._is_deciding = True
        decision = ["O2"] if self._is_open and all(agent.alive for agent in self._waiting) else ["O1", "O2"]
        if not self._is_open and self.engine.setting.topology in ("swarm", "debate", "planner_executor_critic"):
            decision.append("O3")  # who may talk to whom
        causes, self._unread = [self._last, *self._unread], []
        event, end = self.engine.think(self.boss, now, "orchestrator_decision", causes, decision=decision)
        self._last = (event, "causal")
        self.engine.at(end, self._hand_out)

    def _hand_out(self, now: float) -> None:
        if not self._is_open:
            self._is_open = True
            idle = [agent for agent in self.boss.team if self._stands or agent not in self._queued]
            for agent in [*self.boss.advisers, *idle]:
                self.engine.at(now, partial(self._spawn, agent))
                now += 0.01
        while self._waiting and self._out < self._width:
            agent = self._waiting.popleft()
            self._queued.discard(agent)
            self._out += 1
            agent.busy = True
            self.engine.at(now, partial(self._give, agent))
            now += 0.01
        self.boss.free = max(self.boss.free, now)
        self.engine.at(now, self._handed_out)

    def _handed_out(self, now: float) -> None:
        self._is_deciding = False
        self._go_on(now)

    def _spawn(self, agent: Agent, now: float) -> int:
        agent.alive = True
        return self.engine.record.event("spawn", now, self.boss.id, [self._last], to=agent.id, role=agent.role)

    def _give(self, agent: Agent, now: float) -> None:
        chance = self.engine.chance
        if agent.alive:
            given = (self.engine.record.event("delegate", now, self.boss.id, [self._last], to=agent.id), "causal")
        else:
            given = (self._spawn(agent, now), "spawn")
        begin = max(now + chance.startup(), agent.free)
        if agent.team:
            self.engine.at(begin, Orchestrator(self.engine, agent, given, partial(self._manager_returns, agent)).open)
            return
        part, tries = agent.backlog.popleft()
        fails = chance.below(len(part.calls)) if chance.hit(self.engine.setting.failure) else None
        self.crew.start(Assignment(agent, part, tries, given, chance.size(), fails), begin)

    # returns

    def _worker_returns(self, now: float, assignment: Assignment) -> None:
        agent, status, other = assignment.agent, None, None
        if assignment.fails_at is not None:
            status = self.engine.chance.one(("error", "error", "timeout"))
            if assignment.tries < self.engine.setting.retries:
                other = next_worker(agent) if next_worker(agent).alive else agent
                other.backlog.append((assignment.part, assignment.tries + 1))
        self._return(agent, now, assignment.turns[-1], other, status)

    def _manager_returns(self, agent: Agent, now: float, aggregate: int) -> None:
        self._return(agent, now, aggregate, None, None)

    def _return(self, agent: Agent, now: float, cause: int, other: Agent | None, status: str | None) -> None:
        record = self.engine.record
        event = record.event("return", now, agent.id, [(cause, "causal")], to=self.boss.id, status=status)
        if not agent.backlog and not self._stands:
            agent.alive = False
            record.event("despawn", now, agent.id, [(event, "causal")])
        self.engine.at(now + self.engine.chance.overhead(), partial(self._take_back, agent, other, (event, status)))

    def _take_back(self, agent: Agent, other: Agent | None, returned: tuple[int, str | None], now: float) -> None:
        event, status = returned
        self._out -= 1
        agent.busy = False
        self._returned.append((event, "return" if status else "aggregate"))
        self._unread.append((event, "return"))
        for candidate in (other, agent):
            if candidate and candidate.backlog and not candidate.busy and candidate not in self._queued:
                self._queued.add(candidate)
                self._waiting.append(candidate)
        self._go_on(now)

    def _go_on(self, now: float) -> None:
        if self._is_deciding:
            return
        if self._waiting and self._out < self._width:
            self._decide(now)
        elif not self._waiting and not self._out:
            self._is_deciding = True  # for the last time
            read = sum(type == "aggregate" for _, type in self._returned)
            decision = ["O4"] if self.boss.boss else ["O4", "O5"]
            causes = [self._last, *self._returned]
            turn = self.engine.think(self.boss, now, "aggregate", causes, 1, READING * read, decision=decision)
            self.engine.at(turn[1], partial(self._close, turn[0]))

    def _close(self, aggregate: int, now: float) -> None:
        for agent in [*self.boss.advisers, *self.boss.team]:
            if agent.alive:
                agent.alive = False
                self.engine.record.event("despawn", now, agent.id, [(aggregate, "causal")])
        self._over(now, aggregate)
