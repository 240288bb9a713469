"""The eight kinds of units of credit, and the events or agents that make up each unit.

=============  ==========================================================================================
team           the run as a whole: one unit, "team"
orchestrator   the choices of orchestrators: events of type ``orchestrator_decision`` and events that name a
               sub-decision (``decision``); for an agent whose decisions are not in the trace, its spawns and
               delegations
role           all agents of a role together; agents without a role are in no unit
agent          instances, as named in the trace
turn           turns, as in ``survey.traces.replay.timeline``; for an agent whose turns are not in the trace, each
               of its tool calls and messages
message        events of type ``message``; returns and delegations do not count
tool-call      events of type ``tool_call``
token          the output tokens of turns, "e5:0", "e5:1", ...
=============  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE, Event, Tokens, Trace
from survey.traces.problems import nearest
from survey.traces.replay import DELEGATING, replay, step_counts

KINDS = ("team", "orchestrator", "role", "agent", "turn", "message", "tool-call", "token")
"""From coarse to fine, in the words of the survey."""

TEAM = "team"

Parts = dict[str, tuple[str, ...]]
"""The ids of the events or agents that make up each unit."""


def units(trace: Trace, kind: str) -> list[str]:
    """Return the names of all units of a kind, in order of appearance.

    Raises ``NotMeasurable`` if the trace has none, and ``ValueError`` for an unknown kind.
    """
    if kind == "token":
        counts = output_tokens(trace)
        return [f"{turn}:{number}" for turn, count in counts.items() for number in range(count)]
    return list(parts(trace, kind))


def parts(trace: Trace, kind: str) -> Parts:
    """Return the ids of the events or agents that make up each unit, as ``edits.without`` takes them."""
    if kind == "token":
        raise NotMeasurable("a single token cannot be removed from a trace: credit the turn it belongs to")
    if kind not in PARTS:
        raise ValueError(f'"{kind}" is not a kind of unit{nearest(kind, KINDS)}; expected one of {", ".join(KINDS)}')
    found = PARTS[kind](Run(replay(trace)))
    if kind in ("team", "role", "agent"):
        names = {event.id for event in trace.events}
        for id in (id for ids in found.values() for id in ids):
            if id in names:
                raise NotMeasurable(
                    f'"{id}" is the name of an agent and of an event: it is ambiguous which one to remove'
                )
    return found


def agents(run: Run) -> list[str]:
    """Return the members of a team in order of appearance."""
    mentioned = (name for event in run.events for name in (event.sender, event.agent, _made(event)))
    return list(dict.fromkeys(name for name in mentioned if name in run.members))


def roles(trace: Trace) -> dict[str, str]:
    """Return the role of each agent: from the trace's list of agents, else from its spawn or its events."""
    found = {}
    for event in reversed(trace.events):
        if event.role:
            found[event.to if event.type == "spawn" and event.to else event.agent] = event.role
    return found | {id: str(agent["role"]) for id, agent in trace.agents.items() if agent.get("role")}


def logical(trace: Trace) -> dict[str, str]:
    """Return the logical agent's name of each instance that has one (several instances may share it)."""
    found = {event.agent: event.agent_name for event in trace.events if event.agent_name}
    return found | {id: str(agent["name"]) for id, agent in trace.agents.items() if agent.get("name")}


def turns(run: Run) -> list[int]:
    """Return the places of all turns."""
    steps = step_counts(run.replayed.graph)
    return [place for place, event in enumerate(run.events) if steps[place] and event.agent not in OUTSIDE]


def output_tokens(trace: Trace) -> dict[str, int]:
    """Return the number of output tokens of each turn; needs them for every turn."""
    run = Run(replay(trace))
    found: dict[str, int] = {}
    for place in turns(run):
        event = run.events[place]
        count = written(event)
        if count is None:
            raise NotMeasurable(
                f'needs the output tokens of every turn (tokens.output): "{event.id}" does not record them'
            )
        found[event.id] = count
    if not found:
        raise NotMeasurable("needs turns: no agent takes one")
    return found


def written(event: Event) -> int | None:
    """Return the recorded number of output tokens of an event, or None."""
    tokens = event.tokens_
    return int(tokens.output) if isinstance(tokens, Tokens) and tokens.output is not None else None


def _made(event: Event) -> str | None:
    return event.child if event.type == "spawn" else None


def _team(run: Run) -> Parts:
    return {TEAM: tuple(_agents(run))}


def _orchestrator(run: Run) -> Parts:
    deciding = {event.agent for event in run.events if event.type == "orchestrator_decision" or event.decision}
    return _events(run, "choices of an orchestrator: nobody decides, spawns or delegates", lambda event: (
        event.type == "orchestrator_decision" or bool(event.decision)
        or (event.type in DELEGATING and event.sender not in deciding)
    ))  # fmt: skip


def _role(run: Run) -> Parts:
    known = roles(run.replayed.trace)
    found: dict[str, list[str]] = {}
    for agent in agents(run):
        if agent in known:
            found.setdefault(known[agent], []).append(agent)
    if not found:
        raise NotMeasurable("needs roles: no agent has one")
    return {role: tuple(members) for role, members in found.items()}


def _agents(run: Run) -> Parts:
    found: Parts = {agent: (agent,) for agent in agents(run)}
    if not found:
        raise NotMeasurable("needs agents: nobody acts")
    return found


def _turns(run: Run) -> Parts:
    found: Parts = {run.events[place].id: (run.events[place].id,) for place in turns(run)}
    if not found:
        raise NotMeasurable("needs turns: no agent takes one")
    return found


def _events(run: Run, missing: str, wanted: Callable[[Event], bool]) -> Parts:
    found: Parts = {event.id: (event.id,) for event in run.events if event.agent not in OUTSIDE and wanted(event)}
    if not found:
        raise NotMeasurable(f"needs {missing}")
    return found


PARTS: dict[str, Callable[[Run], Parts]] = {
    "team": _team,
    "orchestrator": _orchestrator,
    "role": _role,
    "agent": _agents,
    "turn": _turns,
    "message": lambda run: _events(run, "messages: nobody sends one", lambda event: event.type == "message"),
    "tool-call": lambda run: _events(run, "tool calls: nobody makes one", lambda event: event.type == "tool_call"),
}
