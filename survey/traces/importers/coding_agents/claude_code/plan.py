"""The plan of a trace: which turns make decisions, read returns and aggregate them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping

from survey.traces.importers.coding_agents.claude_code.children import WORKFLOW, Child, Return, task_of
from survey.traces.importers.coding_agents.claude_code.facts import Facts, Turn
from survey.traces.importers.coding_agents.claude_code.session import MAIN
from survey.traces.importers.coding_agents.claude_code.summaries import ENDING, NEVER, SPAWNING, WRITING, When


class Plan:
    """The turns of each agent in order, with their roles."""

    def __init__(self, facts: Facts, children: dict[str, Child]) -> None:
        self.children = children
        self.tasks = {call.id: child for child in children.values() for call in child.tasks}
        self.turns: dict[str, list[Turn]] = defaultdict(list)
        for turn in facts.turns:
            self.turns[turn.agent].append(turn)
        _begin(self.turns, facts)
        self._starts = {agent: [turn.begun for turn in turns] for agent, turns in self.turns.items()}
        self.readers: dict[int, Turn] = {}
        """The turn that reads a return, by the identity of the return."""
        self.together: dict[int, Turn] = {}
        """The turn that aggregates a return with the others of its batch, by the identity of the return."""
        self.aggregates: set[str] = set()
        """The turns that aggregate returns."""
        self._read()

    def next_turn(self, agent: str, after: When) -> Turn | None:
        """Return the first turn that an agent starts at a time or after it."""
        starts = self._starts.get(agent, [])
        place = bisect_left(starts, after)
        return self.turns[agent][place] if place < len(starts) else None

    def decisions(self, turn: Turn) -> list[str]:
        """Return the orchestration sub-decisions of a turn, by its calls."""
        codes = set()
        for call in turn.calls:
            if call.id in self.tasks:
                codes |= {"O2"}
            elif call.tool in SPAWNING or call.tool == WORKFLOW:
                codes |= {"O1", "O2"}
            elif call.tool in WRITING:
                codes |= {"O3"}
            elif call.tool in ENDING and task_of(call) in self.children:
                codes |= {"O5"}
        return sorted(codes)

    def _read(self) -> None:
        read: dict[str, dict[str, list[Return]]] = defaultdict(lambda: defaultdict(list))
        out: dict[str, list[tuple[When, When]]] = defaultdict(list)
        for child in self.children.values():
            for back in child.returns:
                calls = [call for call in [child.call, *child.tasks] if call]
                task = max((call.turn.at for call in calls if call.at < back.at), default=NEVER)
                seen = back.read or back.at
                out[child.parent].append((task, seen))
                # a clock that jumps back may put a return before its task: the task's own turn cannot read it
                reader = self.next_turn(child.parent, max([seen, *(call.turn.at for call in calls[:1])]))
                if reader:
                    self.readers[id(back)] = reader
                    read[child.parent][reader.id].append(back)
        for parent, by_turn in read.items():
            self._aggregate(parent, by_turn, sorted(out[parent]))

    def _aggregate(self, parent: str, read: dict[str, list[Return]], out: list[tuple[When, When]]) -> None:
        """Mark the first turn after the last return of a batch as its aggregation, unless it delegates again."""
        batch: list[Return] = []
        begun, latest = 0, NEVER
        for turn in self.turns[parent]:
            while begun < len(out) and out[begun][0] < turn.at:
                latest = max(latest, out[begun][1])
                begun += 1
            batch += read.get(turn.id, [])
            decisions = self.decisions(turn)
            if "O2" in decisions:
                batch = []
            elif batch and latest < turn.at and not decisions:
                self.together |= {id(back): turn for back in batch}
                self.aggregates.add(turn.id)
                batch = []


def _begin(turns: Mapping[str, list[Turn]], facts: Facts) -> None:
    """Date the beginning of every turn: when the latest of its causes was there, or when the turn before it ended.

    A record is written when a block of the turn is complete, so the time before the first one belongs to the turn.
    A queued notice is a cause only of a turn without any other.
    """
    for agent, own in turns.items():
        causes, queued = sorted(facts.causes[agent]), sorted(facts.queued) if agent == MAIN else []
        before: When | None = None
        for turn in own:
            answered = [at for found in (causes, queued) if (at := _latest(found, before, turn.at)) is not None]
            turn.begun = answered[0] if answered else turn.at if before is None else before
            before = max(turn.begun, (turn.end, turn.at[1]))


def _latest(times: list[When], after: When | None, before: When) -> When | None:
    """Return the latest of the times between two moments; None if there is none."""
    place = bisect_left(times, before)
    found = times[place - 1] if place else None
    return found if found is not None and (after is None or found > after) else None


def assign_tokens(plan: Plan) -> int:
    """Assign the tokens reported to parents; return the number of turns known only by their tokens.

    Measured on real logs: ``totalTokens`` is the sum of ``usage``, and ``usage`` is that of the last generation
    only. If that turn is in the sub-agent's own log, it is counted there, with the larger output count;
    otherwise the return carries the tokens.
    """
    unseen = 0
    for child in plan.children.values():
        own = plan.turns.get(child.id, [])
        for back in child.returns:
            if isinstance(back.tokens, dict) and (same := [turn for turn in own if _one(turn.usage, back.tokens)]):
                same[-1].usage["output"] = max(same[-1].usage.get("output", 0), back.tokens.get("output", 0))
                back.tokens = None
            elif own and not isinstance(back.tokens, dict):
                back.tokens = None
            unseen += back.tokens is not None
    return unseen


def _one(one: dict[str, float], other: dict[str, float]) -> bool:
    """Return whether two usages have the same input, and so belong to one generation."""
    return all(one.get(kind) == other.get(kind) for kind in ("input", "cache_read", "cache_write"))
