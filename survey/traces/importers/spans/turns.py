"""The model turns: the acts that each requests, and the decisions that these imply."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict

from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.members import Member, Team
from survey.traces.importers.spans.span import Span


class Turns:
    """The turns of each member, separate for each tool call that contains turns."""

    def __init__(self, team: Team) -> None:
        self.team, self.tree = team, team.tree
        self._turns: dict[tuple[Member | None, Span | None], list[Span]] = defaultdict(list)
        for span in self.tree.acts("model", "plan"):
            self._turns[team.actor(span), self.tree.tool(span)].append(span)
        self._asked = {id: span for span in self.tree.acts("model") for id in conventions.calls(span)}
        self.decisions: dict[Span, set[str]] = defaultdict(set)
        """The O codes of each turn."""
        self._decide()

    def of(self, member: Member) -> list[Span]:
        """Return the turns of a member that are not inside one of its tool calls."""
        return self._turns.get((member, None), [])

    def before(self, span: Span) -> tuple[Span | None, bool]:
        """Return the turn that requested an act, and whether this was inferred from the order alone."""
        member = self.team.actor(span)
        asked = self._asked.get(conventions.call_id(span) or "")
        if asked is not None and self.team.actor(asked) is member and self.tree.rank(asked) < self.tree.rank(span):
            return asked, False
        turns = self._turns.get((member, self.tree.tool(span)), [])
        number = bisect_left(turns, self.tree.rank(span), key=self.tree.rank)
        return (turns[number - 1] if number else None), True

    def after(self, member: Member, t: float, span: Span) -> Span | None:
        """Return the next turn of a member after an agent that it called returned at ``t``."""
        turns = self.of(member)
        number = bisect_left(turns, max((t, -1), self.tree.rank(span)), key=self.tree.rank)
        return turns[number] if number < len(turns) else None

    def calling(self, member: Member) -> tuple[Span | None, bool]:
        """Return the turn of the caller that called a member."""
        assert member.span is not None
        span = member.via or member.span
        if self.team.actor(span) is member.caller:
            return self.before(span)
        if member.caller is None:
            return None, True
        turns = self.of(member.caller)  # a sibling in the graph
        number = bisect_left(turns, self.tree.rank(span), key=self.tree.rank)
        return (turns[number - 1] if number else None), True

    def _decide(self) -> None:
        returns: dict[Member, list[float]] = defaultdict(list)
        for member in self.team.members.values():
            turn, _ = self.calling(member)
            if turn is not None and not member.entered:
                self.decisions[turn] |= {"O2"} if member.preexisting else {"O1", "O2"}
            if member.caller is not None and member.end is not None and not member.handed_over:
                returns[member.caller].append(member.end)
        for handoff in self.team.handoffs:
            if handoff.span is not None and (turn := self.before(handoff.span)[0]) is not None:
                self.decisions[turn].add("O2")
        for span in self.tree.acts("creation"):
            if (turn := self.before(span)[0]) is not None:
                self.decisions[turn].add("O1")
        for caller, ends in returns.items():
            self._aggregate(self.of(caller), sorted(ends))

    def _aggregate(self, turns: list[Span], returns: list[float]) -> None:
        """Mark the first turn after returns as their aggregation, if it delegates nothing further."""
        done = 0
        for turn in turns:
            came = bisect_right(returns, self.tree.start(turn))
            if came > done and not self.decisions[turn]:
                self.decisions[turn].add("O4")
                done = came
