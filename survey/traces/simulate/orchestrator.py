"""Simulation of a boss: delegate work, collect returns, aggregate results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from survey.traces.simulate.dividends import Assignment
from survey.traces.simulate.engine import Engine
from survey.traces.simulate.record import Cause
from survey.traces.simulate.task import Agent, mates, next_worker
from survey.traces.simulate.workers import Crew

READING = 250
"""Tokens that a boss reads of each result when it aggregates."""


def run_to_end(engine: Engine, root: Agent) -> None:
    """Simulate a run from the assignment of the task to its end."""
    for agent in root.everyone():
        engine.record.agents.append({"id": agent.id, "name": agent.name, "role": agent.role})
    if engine.lacks(root.id):
        return
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
        self._out = self._decisions = 0
        self._is_open = self._is_deciding = False

    def open(self, now: float) -> None:
        """Begin with the decision about the team."""
        self._decide(now)

    def _decide(self, now: float) -> None:
        self._is_deciding = True
        decision = ["O2"] if self._is_open and all(agent.alive for agent in self._waiting) else ["O1", "O2"]
        if not self._is_open and self.engine.setting.topology in ("swarm", "debate", "planner_executor_critic"):
            decision.append("O3")  # who may talk to whom
        self._decisions += 1
        act = f"{self.boss.id}/decision-{self._decisions}"
        if self.engine.lacks(act):
            self.engine.at(now, self._give_nothing)
            return
        self.engine.chance.begin(act)
        causes, self._unread = [self._last, *self._unread], []
        event, end = self.engine.think(self.boss, now, "orchestrator_decision", causes, decision=decision)
        self.engine.done_by(act, event)
        self._last = (event, "causal")
        self.engine.at(end, self._hand_out)

    def _give_nothing(self, now: float) -> None:
        """Go on as if a decision had not been taken: what it would have handed out is not done."""
        self._is_open = True
        for agent in islice(self._taken(), self._width - self._out):
            if agent.team:
                continue
            agent.backlog.popleft()
            if agent.backlog:
                self._queue(agent)
        self._handed_out(now)

    def _taken(self) -> Iterator[Agent]:
        while self._waiting:
            agent = self._waiting.popleft()
            self._queued.discard(agent)
            yield agent

    def _queue(self, agent: Agent) -> None:
        self._queued.add(agent)
        self._waiting.append(agent)

    def _hand_out(self, now: float) -> None:
        if not self._is_open:
            self._is_open = True
            idle = [agent for agent in self.boss.team if self._stands or agent not in self._queued]
            for agent in [*self.boss.advisers, *idle]:
                if not self.engine.lacks(agent.id):
                    self.engine.at(now, partial(self._spawn, agent))
                    now += 0.01
        for agent in islice(self._taken(), self._width - self._out):
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
        event = self.engine.record.event("spawn", now, self.boss.id, [self._last], to=agent.id, role=agent.role)
        self.engine.done_by(agent.id, event)
        return event

    def _give(self, agent: Agent, now: float) -> None:
        chance = self.engine.chance
        if self.engine.lacks(agent.id):
            self._give_to_others(agent, now)
            return
        if agent.alive:
            given = (self.engine.record.event("delegate", now, self.boss.id, [self._last], to=agent.id), "causal")
        else:
            given = (self._spawn(agent, now), "spawn")
        chance.begin(f"{agent.id}/given")
        begin = max(now + chance.startup(), agent.free)
        if agent.team:
            self.engine.at(begin, Orchestrator(self.engine, agent, given, partial(self._manager_returns, agent)).open)
            return
        part, tries = agent.backlog.popleft()
        name = f"{agent.id}/part-{part.number}.{self.engine.times[agent.id, part.number]}"
        self.engine.times[agent.id, part.number] += 1
        chance.begin(name)
        fails = chance.below(len(part.calls)) if chance.hit(self.engine.setting.failure) else None
        self.crew.start(Assignment(agent, part, tries, given, chance.size(), fails, name), begin)

    def _give_to_others(self, agent: Agent, now: float) -> None:
        """Let the next on the team do the work of an agent that is left out; without one it is not done."""
        others = [mate for mate in mates(agent) if not self.engine.lacks(mate.id)]
        for one in agent.everyone():
            for part, tries in one.backlog:
                takers = [other for mate in others for other in mate.everyone() if not other.team]
                if taker := next((t for t in takers if all(part is not own for own, _ in t.backlog)), None):
                    taker.backlog.append((part, tries))
                    others = [*others[1:], others[0]]
            one.backlog.clear()
        self._out -= 1
        for other in others:
            if other.backlog and not other.busy and other not in self._queued:
                self._queue(other)
        self._go_on(now)

    # returns

    def _worker_returns(self, now: float, assignment: Assignment) -> None:
        self.engine.chance.begin(f"{assignment.name}/return")
        agent, status, other = assignment.agent, None, None
        if assignment.fails_at is not None:
            status = self.engine.chance.one(("error", "error", "timeout"))
            if assignment.tries < self.engine.setting.retries:
                other = next_worker(agent) if next_worker(agent).alive else agent
                other.backlog.append((assignment.part, assignment.tries + 1))
        taken = [turn for turn in assignment.turns if turn is not None]
        self._return(agent, now, taken[-1] if taken else assignment.given[0], other, status)

    def _manager_returns(self, agent: Agent, now: float, aggregate: int) -> None:
        self.engine.chance.begin(f"{agent.id}/return")
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
                self._queue(candidate)
        self._go_on(now)

    def _go_on(self, now: float) -> None:
        if self._is_deciding:
            return
        if self._waiting and self._out < self._width:
            self._decide(now)
        elif not self._waiting and not self._out:
            self._is_deciding = True  # for the last time
            act = f"{self.boss.id}/aggregate"
            if self.engine.lacks(act):
                self.engine.unread.add(self.boss.id)
                self.engine.at(now, partial(self._close, self._last[0]))
                return
            self.engine.chance.begin(act)
            read = sum(type == "aggregate" for _, type in self._returned)
            decision = ["O4"] if self.boss.boss else ["O4", "O5"]
            causes = [self._last, *self._returned]
            turn = self.engine.think(self.boss, now, "aggregate", causes, 1, READING * read, decision=decision)
            self.engine.done_by(act, turn[0])
            self.engine.at(turn[1], partial(self._close, turn[0]))

    def _close(self, aggregate: int, now: float) -> None:
        for agent in [*self.boss.advisers, *self.boss.team]:
            if agent.alive:
                agent.alive = False
                self.engine.record.event("despawn", now, agent.id, [(aggregate, "causal")])
        self._over(now, aggregate)
