"""Simulation of workers: turns, tool calls, and messages among the active workers of one boss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from survey.traces.simulate.dividends import Assignment, Unit
from survey.traces.simulate.engine import Engine
from survey.traces.simulate.record import Cause
from survey.traces.simulate.task import Agent

TOOLS = ("search", "read", "run")


class Crew:
    """The active workers of one team."""

    def __init__(self, engine: Engine, boss: Agent, over: Callable[[float, Assignment], None]) -> None:
        self.engine, self.boss, self._over = engine, boss, over
        self.setting, self.chance = engine.setting, engine.chance
        self._running: list[Assignment] = []
        self._place: dict[Assignment, int] = {}
        self._held: list[tuple[Assignment, float]] = []
        """In a debate, the assignments waiting for the next round, and since when."""

    def start(self, assignment: Assignment, begin: float) -> None:
        """Start work on an assignment."""
        self._place[assignment] = len(self._running)
        self._running.append(assignment)
        self.engine.at(begin, partial(self._turn, assignment))

    def _turn(self, assignment: Assignment, now: float) -> None:
        number, is_last = len(assignment.turns), assignment.is_last
        act = f"{assignment.name}/turn-{number + 1}"
        if self.engine.lacks(act):
            self._pass_over(assignment, is_last, now)
            return
        self.chance.begin(act)
        is_fatal = assignment.fails_at == number
        given, type = assignment.given
        causes: list[Cause] = [(given, "causal" if number else type)]
        heard = [message for message in assignment.arriving if message.arrives <= now]
        assignment.arriving = [message for message in assignment.arriving if message.arrives > now]
        assignment.heard.extend(heard)
        causes += [(message.event, "message") for message in heard]
        causes += [(result, "tool_dependency") for result in assignment.results]
        status = "error" if is_fatal else None
        turn, end = self.engine.think(assignment.agent, now, "model_call", causes, assignment.size, status=status)
        self.engine.turns.append(turn)
        self.engine.done_by(act, turn)
        assignment.turns.append(turn)
        assignment.results = []
        if is_fatal or is_last:
            self.engine.at(end, partial(self._finish, assignment, is_fatal))
        else:
            self.engine.at(self._calls(assignment, turn, end), partial(self._talk, assignment, turn))

    def _pass_over(self, assignment: Assignment, is_last: bool, now: float) -> None:
        """Go on without a turn: with what it would have found, called and sent, and without its failure."""
        if assignment.fails_at == len(assignment.turns):
            assignment.fails_at = None
        assignment.calls.append([(None, False)] * assignment.part.calls[len(assignment.turns)])
        assignment.turns.append(None)
        if is_last:
            self._finish(assignment, False, now)
        else:
            self._next_turn(assignment, now)

    def _calls(self, assignment: Assignment, turn: int, now: float) -> float:
        record, agent, number = self.engine.record, assignment.agent.id, len(assignment.turns)
        calls: list[tuple[int | None, bool]] = []
        for place in range(assignment.part.calls[number - 1]):
            act = f"{assignment.name}/turn-{number}/call-{place + 1}"
            if self.engine.lacks(act):
                calls.append((None, False))
                continue
            self.chance.begin(act)
            tool = TOOLS[place % len(TOOLS)]
            ref = f"simulated:part-{assignment.part.number + 1}/turn-{number}/call-{place + 1}"
            call = record.event("tool_call", now, agent, [(turn, "causal")], tool=tool, parent=turn, content_ref=ref)
            now += self.chance.tool() * assignment.size
            is_good = not self.chance.hit(self.setting.tool_failure)
            details = {"tool": tool, "parent": call, "status": None if is_good else "error"}
            assignment.results.append(record.event("tool_result", now, agent, [(call, "tool_dependency")], **details))
            calls.append((call, is_good))
            self.engine.calls.append(call)
            self.engine.done_by(act, call)
        assignment.calls.append(calls)
        assignment.agent.free = now
        return now

    def _finish(self, assignment: Assignment, is_fatal: bool, now: float) -> None:
        for message in assignment.arriving:  # arrived too late
            self.engine.record.amend(message.event, delivered=False)
        place, last = self._place.pop(assignment), self._running.pop()
        if last is not assignment:
            self._running[place], self._place[last] = last, place
        if not is_fatal:
            self.engine.done.append(assignment)
        self._over(now, assignment)
        self._next_round()

    # messages

    def _talk(self, assignment: Assignment, turn: int, now: float) -> None:
        self.chance.begin(f"{assignment.name}/turn-{len(assignment.turns)}/talk")
        if not self.chance.hit(self.setting.talk):
            self._next_turn(assignment, now)
        elif self._has_peers():
            self._tell(assignment, turn, now)
            self._next_turn(assignment, now)
        else:
            self._ask(assignment, turn, now)

    def _has_peers(self) -> bool:
        """Return whether to message a peer: in a swarm and a debate always, in a hierarchy half the time."""
        topology = self.setting.topology
        if len(self._running) < 2 or topology not in ("swarm", "debate", "hierarchical"):
            return False
        return topology != "hierarchical" or self.chance.hit(0.5)

    def _tell(self, assignment: Assignment, turn: int, now: float) -> None:
        """Send a message to a random active peer."""
        place = self.chance.below(len(self._running) - 1)
        peer = self._running[place if place < self._place[assignment] else place + 1]
        act = f"{assignment.name}/turn-{len(assignment.turns)}/message"
        needs: frozenset[Unit] = frozenset({assignment.agent.id, turn})
        message = self.engine.send(act, now, assignment.agent, peer.agent, turn, needs)
        if message:
            peer.arriving.append(message)

    def _ask(self, assignment: Assignment, turn: int, now: float) -> None:
        """Ask an adviser, or the boss, and wait for the answer."""
        advisers = [agent for agent in self.boss.advisers if not self.engine.lacks(agent.id)]
        adviser = self.chance.one(advisers) if advisers else self.boss
        needs: frozenset[Unit] = frozenset({assignment.agent.id, turn})
        act = f"{assignment.name}/turn-{len(assignment.turns)}"
        question = self.engine.send(f"{act}/question", now, assignment.agent, adviser, turn, needs, is_content=False)
        if not question or self.engine.lacks(f"{act}/reply"):
            self.engine.at(question.arrives if question else now, partial(self._next_turn, assignment))
            return
        self.chance.begin(f"{act}/reply")
        causes: list[Cause] = [(question.event, "message")]
        if adviser is self.boss:
            reply = self.engine.think(adviser, question.arrives, "orchestrator_decision", causes, 0.5, decision=["O3"])
        else:
            reply = self.engine.think(adviser, question.arrives, "model_call", causes, 0.5)
            self.engine.turns.append(reply[0])
        self.engine.done_by(f"{act}/reply", reply[0])
        needs = question.needs | ({adviser.id} if adviser is self.boss else {adviser.id, reply[0]})
        self.engine.at(reply[1], partial(self._answer, assignment, adviser, reply[0], needs))

    def _answer(self, assignment: Assignment, adviser: Agent, turn: int, needs: frozenset[Unit], now: float) -> None:
        act = f"{assignment.name}/turn-{len(assignment.turns)}/answer"
        self.chance.begin(act)
        answer = self.engine.send(act, now, adviser, assignment.agent, turn, needs)
        if answer:
            assignment.arriving.append(answer)
        self.engine.at(answer.arrives if answer else now, partial(self._next_turn, assignment))

    def _next_turn(self, assignment: Assignment, now: float) -> None:
        """Continue at once; in a debate, after all have had a turn and all messages have arrived."""
        if self.setting.topology == "debate":
            self._held.append((assignment, now))
            self._next_round()
        else:
            self._turn(assignment, now)

    def _next_round(self) -> None:
        if self._held and len(self._held) == len(self._running):
            held, self._held = self._held, []
            arrivals = [message.arrives for assignment, _ in held for message in assignment.arriving]
            begin = max([*arrivals, *(since for _, since in held)])
            for assignment, _ in held:
                self.engine.at(begin, partial(self._turn, assignment))
