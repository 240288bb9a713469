"""Traces for tests: small ones from short descriptions, and rich valid ones drawn by Hypothesis."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from survey.traces import Trace

MODEST = settings(max_examples=30, derandomize=True, deadline=None, database=None)

Json = dict[str, Any]


def document(events: list[Json], edges: list[tuple[str, str, str]] | None = None, **head: Any) -> Json:
    """Return a small trace file: events are e1, e2, ..., one second apart, by "lead" unless given."""
    named = [{"id": f"e{number}", "t": number - 1, "agent": "lead", **event} for number, event in enumerate(events, 1)]
    joined = [{"src": src, "dst": dst, "type": type} for src, dst, type in edges or []]
    costs = {"tokens": 1e9, "wall_clock_s": 1e9}
    return {"trace_id": "r", "task_id": "t", "rewards": {}, "costs": costs, "events": named, "edges": joined, **head}


def small(events: list[Json], edges: list[tuple[str, str, str]] | None = None, **head: Any) -> Trace:
    """The same as a trace."""
    return Trace.of(document(events, edges, **head))


def published_example() -> Json:
    """A trace equivalent to the worked example of arXiv:2605.02801, with our own names."""
    events: list[Json] = [
        {"type": "orchestrator_decision", "agent": "boss", "role": "lead", "content_ref": "plan"},
        {"type": "spawn", "agent": "boss", "role": "planner", "to": "p1"},
        {"type": "spawn", "agent": "boss", "role": "executor", "to": "x1"},
        {"type": "message", "agent": "p1", "from": "p1", "to": "x1", "role": "planner", "trusted": True},
        {"type": "tool_call", "agent": "x1", "role": "executor", "tool": "web.find", "trusted": True},
        {"type": "tool_result", "agent": "web.find", "tool": "web.find", "trusted": False},
        {"type": "return", "agent": "x1", "from": "x1", "to": "boss", "trusted": True},
        {"type": "aggregate", "agent": "boss", "role": "lead"},
    ]
    edges = [
        ("e1", "e2", "spawn"), ("e1", "e3", "spawn"), ("e2", "e4", "causal"), ("e3", "e4", "message"),
        ("e4", "e5", "tool_dependency"), ("e5", "e6", "return"), ("e6", "e7", "causal"), ("e7", "e8", "aggregate"),
    ]  # fmt: skip
    return document(
        events, edges, topology="centralized", system="by hand",
        rewards={"team": 1.0, "orchestration": 0.3, "tool": 0.1},
        costs={"tokens": 12000, "wall_clock_s": 420, "tool_calls": 1, "messages": 1},
        metrics={"task_success": 1, "protocol_overhead": 0.18},
    )  # fmt: skip


amounts = st.one_of(st.integers(0, 5000), st.integers(0, 4000).map(lambda quarters: quarters / 4))
"""Numbers that add up exactly in any order."""

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=8),
)
jsons = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
"""Any JSON value."""

token_counts = st.one_of(
    st.integers(0, 10**6),
    st.fixed_dictionaries(
        {},
        optional={
            kind: st.integers(0, 10**5) for kind in ("input", "output", "cache_read", "cache_write", "reasoning")
        },
    ),
)


class _Team:
    """A simulated run: everything that it does is possible."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.t: float = draw(st.sampled_from([0, 0, 3, 2.5]))
        self.events: list[Json] = []
        self.edges: list[tuple[str, str, str]] = []
        self.last: dict[str, str] = {}
        self.coming: dict[str, list[tuple[str, str]]] = {"lead": []}
        """Return for each agent the edges into its next act: their sources and types."""
        self.maker: dict[str, str] = {}
        self.alive, self.halted = ["lead"], set[str]()
        self.working: set[str] = set()
        self.calls: list[Json] = []

    def act(self, type: str, agent: str, **fields: Any) -> Json:
        self.t += self.draw(st.sampled_from([0, 0, 0.25, 1, 2]))
        event: Json = {"id": f"e{len(self.events)}", "t": self.t, "type": type, "agent": agent, **fields}
        if self.draw(st.integers(0, 3)) == 0:
            event["t_end"] = self.t + self.draw(st.sampled_from([0, 0.5, 3]))
        if type in ("orchestrator_decision", "model_call", "aggregate", "return") and self.draw(st.booleans()):
            event["tokens"] = self.draw(token_counts)
        if self.draw(st.integers(0, 5)) == 0:
            more = {
                "cost": amounts,
                "role": st.sampled_from(["planner", "critic"]),
                "colour": jsons,
                "protocol": st.booleans(),
                "trusted": st.booleans(),
            }
            event |= self.draw(st.fixed_dictionaries({}, optional=more))
        self.events.append(event)
        if agent in self.last:
            self.edges.append((self.last[agent], event["id"], "temporal"))
        for source, kind in self.coming.get(agent, []):
            self.edges.append((source, event["id"], kind))
        if agent in self.alive:
            self.coming[agent], self.last[agent] = [], event["id"]
        return event

    def step(self) -> None:
        draw = self.draw
        free = [agent for agent in self.alive if agent not in self.halted]
        agent = draw(st.sampled_from(free))
        children = [child for child in free if self.maker.get(child) == agent]
        acts = ["turn", "turn", "spawn", "call", "message", "person"]
        acts += ["result"] * 3 if self.calls else []
        acts += ["delegate", "halt", "despawn"] if children else []
        acts += ["return"] * 2 if agent in self.working and not children else []
        match draw(st.sampled_from(acts)):
            case "turn":
                type = draw(
                    st.sampled_from(["orchestrator_decision", "model_call", "aggregate", "compaction", "safety_event"])
                )
                self.act(type, agent)
            case "spawn":
                child = f"agent-{len(self.maker)}"
                event = self.act("spawn", agent, to=child)
                self.alive.append(child)
                self.maker[child] = agent
                self.working.add(child)
                self.coming[child] = [(event["id"], "spawn")]
            case "call":
                event = self.act(
                    "tool_call", agent, tool=f"tool-{len(self.events)}", content_ref=draw(st.sampled_from(["a", "b"]))
                )
                self.calls.append(event)
            case "result":
                call = self.calls.pop(draw(st.integers(0, len(self.calls) - 1)))
                status = draw(st.sampled_from([{}, {"status": "error"}]))
                by_parent = draw(st.booleans())
                said = {"parent": call["id"]} if by_parent else {}
                result = self.act("tool_result", call["agent"], tool=call["tool"], **said, **status)
                if not by_parent or draw(st.booleans()):
                    self.edges.append((call["id"], result["id"], "tool_dependency"))
            case "message":
                others = [other for other in self.alive if other != agent] + ["user"]
                to = draw(st.sampled_from(others))
                event = self.act("message", agent, to=to)
                how = draw(st.sampled_from(["at once", "by edge", "delivered", "lost"]))
                if how == "by edge" and to in self.coming:
                    self.coming[to].append((event["id"], "message"))
                elif how == "delivered":
                    event["delivered"] = self.t + draw(st.sampled_from([0, 0.25, 2, 50]))
                elif how == "lost":
                    event["delivered"] = False
            case "person":
                event = self.act("human_intervention", "user", to=agent)
                self.coming[agent].append((event["id"], "causal"))
            case "delegate":
                child = draw(st.sampled_from(children))
                event = self.act("delegate", agent, to=child)
                self.coming[child].append((event["id"], "causal"))
                self.working.add(child)
            case "halt":
                child = draw(st.sampled_from(children))
                event = self.act("stop", agent, to=child)
                if not any(self.maker.get(other) == child for other in self.alive):
                    self.halted.add(child)
                    self.working.discard(child)
                else:
                    self.take_back(event)
            case "despawn":
                child = draw(st.sampled_from(children))
                if not any(self.maker.get(other) == child for other in self.alive) and not any(
                    call["agent"] == child for call in self.calls
                ):
                    self.alive.remove(child)
                    source = self.last.get(child)
                    event = self.act("despawn", agent, to=child)
                    if source:
                        self.edges.append((source, event["id"], "causal"))
            case _:
                event = self.act("return", agent, to=self.maker[agent], status=draw(st.sampled_from(["ok", "error"])))
                self.working.discard(agent)
                self.coming[self.maker[agent]].append((event["id"], "return"))

    def take_back(self, event: Json) -> None:
        event["type"] = "model_call"
        del event["to"]

    def document(self) -> Json:
        draw = self.draw
        ids = [event["id"] for event in self.events]
        end: float = max(event["t_end"] if "t_end" in event else event["t"] for event in self.events)
        spent = 0
        for event in self.events:
            tokens = event.get("tokens", 0)
            spent += tokens if isinstance(tokens, int) else sum(n for kind, n in tokens.items() if kind != "reasoning")
        kinds = [event["type"] for event in self.events]
        head: Json = {
            "schema_version": 1, "trace_id": "run", "task_id": "task",
            "time": draw(st.sampled_from(["seconds", "seconds", "ordinal", "mixed"])),
            "costs": {
                "tokens": spent, "wall_clock_s": end - self.events[0]["t"], "tool_calls": kinds.count("tool_call"),
                "messages": kinds.count("message"), "usd": sum(event.get("cost", 0) for event in self.events),
            },
            "rewards": draw(st.dictionaries(st.text(max_size=4), amounts, max_size=2)),
        }  # fmt: skip
        labels = draw(
            st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(["decisive_error", "unsafe_content"])), max_size=2)
        )
        extras = {
            "agents": [{"id": agent, "role": "any"} for agent in ["lead", *self.maker]],
            "labels": [{"event": event, "label": label} for event, label in labels],
            "outcome": {"success": True, "score": 0.5},
            "topology": draw(st.sampled_from(["unknown", "mixed"])),
        }
        wanted = draw(st.sets(st.sampled_from(sorted(extras))))
        edges = [{"src": src, "dst": dst, "type": type} for src, dst, type in dict.fromkeys(self.edges)]
        return {**head, **{key: extras[key] for key in sorted(wanted)}, "events": self.events, "edges": edges}


@st.composite
def documents(draw: st.DrawFn, steps: int = 20) -> Json:
    """Valid traces as files hold them: nested spawns, delegations, messages, tools, returns, stops, equal times."""
    team = _Team(draw)
    team.act("orchestrator_decision", "lead")
    team.t += 1
    for _ in range(draw(st.integers(0, steps))):
        team.step()
    if draw(st.booleans()):
        team.act("stop", "lead")
    document: Json = json.loads(json.dumps(team.document()))
    return document


def traces(steps: int = 20) -> st.SearchStrategy[Trace]:
    """The same as traces."""
    return documents(steps).map(Trace.of)


@st.composite
def fork_joins(draw: st.DrawFn) -> Json:
    """Stages of one orchestrator: a turn, sub-agents with some steps each, all of which return before the next turn."""
    events: list[Json] = []
    edges: list[tuple[str, str, str]] = []

    def act(type: str, agent: str, after: list[str], kind: str, **fields: Any) -> str:
        id = f"e{len(events)}"
        events.append({"id": id, "t": len(events), "type": type, "agent": agent, **fields})
        edges.extend((source, id, kind) for source in after)
        return id

    before: list[str] = []
    for stage in range(draw(st.integers(1, 4))):
        turn = act("orchestrator_decision", "lead", before, "return")
        before = []
        for number, size in enumerate(draw(st.lists(st.integers(0, 5), max_size=4))):
            name = f"sub-{stage}-{number}"
            last = act("spawn", "lead", [turn], "causal", to=name)
            for _ in range(size):
                last = act("model_call", name, [last], "causal")
            before.append(act("return", name, [last], "causal", to="lead"))
        before = before or [turn]
    act("aggregate", "lead", before, "aggregate" if len(before) > 1 else "causal")
    joined = [{"src": src, "dst": dst, "type": type} for src, dst, type in edges]
    return {
        "schema_version": 1,
        "trace_id": "r",
        "task_id": "t",
        "rewards": {},
        "costs": {"tokens": 0, "wall_clock_s": len(events)},
        "events": events,
        "edges": joined,
    }
