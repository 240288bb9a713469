"""What the readings of span logs share: spans with a role, nested in each other, and the figures they give.

Choices:

- An agent is one execution of an agent span: the same agent invoked twice is two instances. The outermost one is the
  main agent. A span around exactly one agent span that does nothing itself is the run and not an agent.
- A node of a graph is an agent only if nodes of at least two names call a model; then each execution of a node that
  calls one is an agent. Otherwise the whole graph is one agent.
- Where several agents stand side by side and nothing above them acts, all of them are sub-agents, of the run.
- A call belongs to the nearest agent around it. Stamps of spans are starts and ends as stated; the wall time runs from
  the first start to the last end of a model call, a tool call or a wait, not over the spans around them.
- A tool span around an agent span is a wait for agents, unless the agent outlives it: then the agent is asynchronous
  and the tool an ordinary call. An agent directly within another one is waited for as long as both last.
- Each call is caused by what ended last before it: in its own agent, in the agents it waited for, or, for the first
  call of an agent, in whatever started that agent; in a run of agents side by side, in those that ended before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.traces.oracle.timeline import TOKENS, Act, Reading, added, reading

SLACK = 0.002
"""Stamps in milliseconds lie up to this far beyond each other."""
OUTLIVES = 0.5
"""Two clocks may differ by this much before one of two spans lasts longer than the other."""
ASKS = ("ask_user", "AskUserQuestion", "request_user_input", "human_input", "ask_human", "ExitPlanMode")
WAITS = ("wait", "wait_agent", "TaskOutput")
RUN = ""


@dataclass(eq=False)
class Span:
    id: str
    parent: str | None
    name: str
    role: Literal["agent", "node", "turn", "tool", "other"]
    start: float
    end: float
    failed: bool = False
    tokens: Mapping[str, int | None] = field(default_factory=dict)


def read_spans(spans: Iterable[Span]) -> Reading:
    """The reading of a run logged as spans."""
    by_id = {span.id: span for span in spans}

    def around(span: Span) -> list[Span]:
        above: list[Span] = []
        while (span := by_id.get(span.parent or "")) and span not in above:  # type: ignore[assignment]
            above.append(span)
        return above

    calling = {
        node.id: node.name
        for span in by_id.values()
        if span.role == "turn"
        for node in [next((above for above in around(span) if above.role in ("node", "agent")), None)]
        if node and node.role == "node"
    }
    for span in by_id.values():
        if span.role == "node":
            span.role = "agent" if span.id in calling and len(set(calling.values())) > 1 else "other"
    agents = {span.id: span for span in by_id.values() if span.role == "agent"}
    owner = {span.id: next((above.id for above in around(span) if above.id in agents), RUN) for span in by_id.values()}
    for id in [id for id in agents if owner[id] == RUN]:
        within = [span for span in by_id.values() if owner[span.id] == id and span.role in ("agent", "turn", "tool")]
        if len(within) == 1 and within[0].role == "agent":
            del agents[id]
            owner = {span: RUN if above == id else above for span, above in owner.items()}
    calls = [span for span in by_id.values() if span.role in ("turn", "tool")]
    tops = [id for id in agents if owner[id] == RUN]
    loose = any(owner[span.id] == RUN for span in calls)
    main = tops[0] if len(tops) == 1 and not loose else RUN
    acts: dict[str, Act] = {}
    own: dict[str, list[Act]] = defaultdict(list)
    waits: dict[str, Act] = {}
    delegating: dict[str, Span] = {}
    for id, agent in agents.items():
        tool = next((above for above in around(agent) if above.role == "tool" and owner[above.id] == owner[id]), None)
        if tool:
            delegating[id] = tool
        elif owner[id] in agents:
            waits[id] = Act(owner[id], "agents", agent.start, max(agent.start, min(agent.end, agents[owner[id]].end)))
            own[owner[id]].append(waits[id])
    for span in calls:
        inner = [agents[id] for id, tool in delegating.items() if tool is span]
        kind = "turn" if span.role == "turn" else "people" if span.name in ASKS else "tool"
        if span.name in WAITS or any(agent.end <= span.end + OUTLIVES for agent in inner):
            kind = "agents"
        acts[span.id] = Act(owner[span.id], kind, span.start, span.end)  # type: ignore[arg-type]
        own[owner[span.id]].append(acts[span.id])
        waits |= {agent.id: acts[span.id] for agent in inner if kind == "agents"}
    for id in agents:
        inside = [act for act in own[id] if act.kind != "agents"]
        if not inside:
            continue
        first, last = min(inside, key=lambda act: act.start), max(inside, key=lambda act: act.end)
        if id in delegating:
            first.causes.append((acts[delegating[id].id], delegating[id].start))
        above = [act for act in own[owner[id]] if act is not waits.get(id)]
        first.causes += [
            (act, min(act.end, first.start)) for act in above if act.start < first.start and id not in delegating
        ]
        if main == RUN and owner[id] == RUN:
            before = (act for other in tops if other != id for act in own[other])
            first.causes += [(act, act.end) for act in before if act.end <= first.start + SLACK]
        if id in waits:
            waits[id].causes.append((last, min(last.end, waits[id].end)))
    for call in (act for own_acts in own.values() for act in own_acts):
        for act in own[call.agent]:
            if act is not call and act.start < call.start and act.end <= call.start + SLACK:
                call.causes.append((act, min(act.end, call.start)))
    for span in calls:
        if span.name in WAITS:
            ended = [
                max(own[id], key=lambda act: act.end)
                for id in delegating
                if id not in waits and owner[id] == owner[span.id] and own[id]
            ]
            ended = [act for act in ended if span.start < act.end <= span.end + OUTLIVES]
            acts[span.id].causes += [(act, min(act.end, span.end)) for act in ended]
        for outer in around(span):
            if outer.role == "turn":
                acts[span.id].causes.append((acts[outer.id], span.start))
    every = [act for own_acts in own.values() for act in own_acts]
    for call in every:  # of causes that end together, what was waited for tells more than a turn beside it
        call.causes.sort(key=lambda cause: cause[0].kind != "agents")
    tools = [span for span in calls if span.role == "tool"]
    turns = [span for span in calls if span.role == "turn"]
    lives = {id: (each.start, each.end) for id, each in agents.items() if id != main}
    counts = {
        "tool_calls": len(tools),
        "failed_tool_calls": sum(span.failed for span in tools),
        "delegations": len({tool.id for tool in delegating.values()}),
        "turns": len(turns),
    }
    tokens = {kind: added(span.tokens.get(kind) for span in turns) for kind in TOKENS}
    return reading(every, main, lives, counts, tokens, main_acts=main != RUN or loose or not agents)
