"""Measures of what goes wrong in a team again and again: loops, retries, silence, unused results, late ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from survey.traces.metrics.aggregation import final_turn
from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme
from survey.traces.problems import NotMeasurable
from survey.traces.replay import Delegation

THEME = Theme("patterns")

TURNS = ("aggregate", "orchestrator_decision", "model_call", "stop")
"""Acts in which an agent uses what it has got."""

LOOP = 3
"""The same call so many times in a row is a loop."""


@THEME.measure("Calls in loops", "calls")
def looping_calls(run: Run) -> int:
    """Tool calls that repeat the two calls of their agent before them: the same tool with the same content.

    Calls that only wait are left out.
    """
    rows: dict[str, tuple[object, int]] = {}
    found, known = 0, False
    for place in run.places_of("tool_call"):
        call = run.events[place]
        said = call.content_ref or call.content
        if call.waits_for:
            continue
        agent, key = run.replayed.graph.agents[place], (call.tool, said) if said else None
        before, length = rows.get(agent, (None, 0))
        length = length + 1 if key is not None and key == before else 1
        rows[agent] = key, length
        found, known = found + (length >= LOOP), known or key is not None
    if not known:
        raise NotMeasurable("no tool call has a content_ref")
    return found


@THEME.measure("Retries", "calls")
def retries(run: Run) -> int:
    """Tool calls that repeat the tool of their agent's call before, after that call had failed."""
    answers, events = run.replayed.answers, run.events
    if not answers:
        raise NotMeasurable("no tool call has a result")
    last: dict[str, int] = {}
    found = 0
    for place in run.places_of("tool_call"):
        before = last.get(agent := run.replayed.graph.agents[place])
        last[agent] = place
        answer = None if before is None else answers.get(before)
        if before is None or answer is None or answer > place:  # calls side by side do not answer one another
            continue
        found += events[before].tool == events[place].tool and events[answer].status != "ok"
    return found


@THEME.measure("Silent sub-agents", "agents")
def silent_sub_agents(run: Run) -> int:
    """Agents that were handed work, and have neither returned nor sent a message by the end of the trace."""
    handed = {delegation.agent for delegation in run.need_delegations()}
    spoke = {event.sender for event in run.acts("return", "message")}
    return len(handed - spoke)


@THEME.measure("Unused results", "results")
def unused_results(run: Run) -> int:
    """Returns that are ok, but do not contribute to the result, as `returns_used` has it.

    One that came after the result counts: the run ended before anybody could use it.
    """
    returns = run.places_of("return")
    if not returns:
        raise NotMeasurable("there are no returns")
    final = final_turn(run)
    if not run.marks(*TURNS)[final]:
        raise NotMeasurable("no turn of the first agent is recorded, so nothing shows what it used")
    useful = run.replayed.graph.upstream(final)
    return sum(run.events[place].status == "ok" and not useful[place] for place in returns)


@THEME.measure("Time on the last sub-agent", "s")
def last_sub_agent_s(run: Run) -> float:
    """The time in which all but one of the pieces that an agent had handed out side by side were back.

    Pieces that never return are left out.
    """
    run.need_seconds()
    groups = [group for group in _groups(run) if len(group) > 1]
    if not groups:
        raise NotMeasurable("no two pieces of work were handed out side by side")
    return sum(group[-1] - group[-2] for group in map(sorted, groups))


def _groups(run: Run) -> Iterator[list[float]]:
    """Yield the times of return of each group of pieces of one agent that overlap in time."""
    handed: dict[str, list[Delegation]] = defaultdict(list)
    for piece in run.need_delegations():
        if piece.status != "open":
            handed[piece.delegator].append(piece)
    for pieces in handed.values():
        group: list[float] = []
        for piece in sorted(pieces, key=lambda piece: piece.start):
            if group and piece.start >= max(group):
                yield group
                group = []
            group.append(piece.end)
        yield group
