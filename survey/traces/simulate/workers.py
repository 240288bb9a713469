"""The work itself: turns, tool calls, and talk among those who have work under the same boss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from survey.traces.simulate.earnings import Message, Piece, Unit
from survey.traces.simulate.play import Play
from survey.traces.simulate.record import Cause
from survey.traces.simulate.task import Agent

TOOLS = ("search", "read", "run")


class Crew:
    """Those of one team who are at work."""

    def __init__(self, play: Play, boss: Agent, over: Callable[[float, Piece], None]) -> None:
        self.play, self.boss, self._over = play, boss, over
        self.setting, self.chance = play.setting, play.chance
        self._running: list[Piece] = []
        self._place: dict[Piece, int] = {}
        self._held: list[tuple[Piece, float]] = []
        """In a debate, those who wait for the next round, and since when."""

    def start(self, piece: Piece, begin: float) -> None:
        """Put somebody to work."""
        self._place[piece] = len(self._running)
        self._running.append(piece)
        self.play.at(begin, partial(self._turn, piece))

    def _turn(self, piece: Piece, now: float) -> None:
        number, is_last = len(piece.turns), piece.is_last
        is_fatal = piece.fails_at == number
        given, type = piece.given
        causes: list[Cause] = [(given, "causal" if number else type)]
        heard = [message for message in piece.arriving if message.arrives <= now]
        piece.arriving = [message for message in piece.arriving if message.arrives > now]
        piece.heard.extend(heard)
        causes += [(message.event, "message") for message in heard]
        causes += [(result, "tool_dependency") for result in piece.results]
        status = "error" if is_fatal else None
        turn, end = self.play.think(piece.agent, now, "model_call", causes, piece.size, status=status)
        self.play.turns.append(turn)
        piece.turns.append(turn)
        piece.results = []
        if is_fatal or is_last:
            self.play.at(end, partial(self._finish, piece, is_fatal))
        else:
            self.play.at(self._calls(piece, end), partial(self._talk, piece))

    def _calls(self, piece: Piece, now: float) -> float:
        record, agent, turn, number = self.play.record, piece.agent.id, piece.turns[-1], len(piece.turns)
        calls = []
        for place in range(piece.part.calls[number - 1]):
            tool = TOOLS[place % len(TOOLS)]
            ref = f"simulated:part-{piece.part.number + 1}/turn-{number}/call-{place + 1}"
            call = record.event("tool_call", now, agent, [(turn, "causal")], tool=tool, parent=turn, content_ref=ref)
            now += self.chance.tool() * piece.size
            is_good = not self.chance.hit(self.setting.tool_failure)
            said = {"tool": tool, "parent": call, "status": None if is_good else "error"}
            piece.results.append(record.event("tool_result", now, agent, [(call, "tool_dependency")], **said))
            calls.append((call, is_good))
            self.play.calls.append(call)
        piece.calls.append(calls)
        piece.agent.free = now
        return now

    def _finish(self, piece: Piece, is_fatal: bool, now: float) -> None:
        for message in piece.arriving:  # too late
            self.play.record.amend(message.event, delivered=False)
        place, last = self._place.pop(piece), self._running.pop()
        if last is not piece:
            self._running[place], self._place[last] = last, place
        if not is_fatal:
            self.play.done.append(piece)
        self._over(now, piece)
        self._next_round()

    # talk

    def _talk(self, piece: Piece, now: float) -> None:
        if not self.chance.hit(self.setting.talk):
            self._next_turn(piece, now)
        elif self._has_peers():
            self._tell(piece, now)
            self._next_turn(piece, now)
        else:
            self._ask(piece, now)

    def _has_peers(self) -> bool:
        """Whether to talk to a peer: in a swarm and a debate always, in a hierarchy every other time."""
        topology = self.setting.topology
        if len(self._running) < 2 or topology not in ("swarm", "debate", "hierarchical"):
            return False
        return topology != "hierarchical" or self.chance.hit(0.5)

    def _tell(self, piece: Piece, now: float) -> None:
        """Send a message to any other who is at work."""
        place = self.chance.below(len(self._running) - 1)
        peer = self._running[place if place < self._place[piece] else place + 1]
        turn = piece.turns[-1]
        needs: frozenset[Unit] = frozenset({piece.agent.id, turn})
        peer.arriving.append(self.play.send(now, piece.agent, peer.agent, turn, needs))

    def _ask(self, piece: Piece, now: float) -> None:
        """Ask an adviser, or the boss, and wait for the answer."""
        turn = piece.turns[-1]
        adviser = self.chance.one(self.boss.advisers) if self.boss.advisers else self.boss
        needs: frozenset[Unit] = frozenset({piece.agent.id, turn})
        question = self.play.send(now, piece.agent, adviser, turn, needs, is_content=False)
        causes: list[Cause] = [(question.event, "message")]
        if adviser is self.boss:
            said = self.play.think(adviser, question.arrives, "orchestrator_decision", causes, 0.5, decision=["O3"])
        else:
            said = self.play.think(adviser, question.arrives, "model_call", causes, 0.5)
            self.play.turns.append(said[0])
        needs = question.needs | ({adviser.id} if adviser is self.boss else {adviser.id, said[0]})
        self.play.at(said[1], partial(self._answer, piece, adviser, said[0], needs))

    def _answer(self, piece: Piece, adviser: Agent, turn: int, needs: frozenset[Unit], now: float) -> None:
        answer: Message = self.play.send(now, adviser, piece.agent, turn, needs)
        piece.arriving.append(answer)
        self.play.at(answer.arrives, partial(self._next_turn, piece))

    def _next_turn(self, piece: Piece, now: float) -> None:
        """Go on at once; in a debate, when everybody has had a turn and all messages have arrived."""
        if self.setting.topology == "debate":
            self._held.append((piece, now))
            self._next_round()
        else:
            self._turn(piece, now)

    def _next_round(self) -> None:
        if self._held and len(self._held) == len(self._running):
            held, self._held = self._held, []
            arrivals = [message.arrives for piece, _ in held for message in piece.arriving]
            begin = max([*arrivals, *(since for _, since in held)])
            for piece, _ in held:
                self.play.at(begin, partial(self._turn, piece))
