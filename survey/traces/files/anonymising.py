"""A trace that says how a team worked, and no longer who it was or what about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from survey.traces.model import OUTSIDE, Content, Edge, Event, Trace

KEPT = ("schema_version", "topology", "time", "link_quality")
FLAGS = ("protocol",)
"""Fields beside the schema's that measures need and that name nobody."""

TEAM = "team"
"""The reward of the whole run."""

FIGURES = frozenset({
    "", TEAM, "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "shared", "individual", "role", "process", "tool",
    "debate", "orchestration", "hybrid", "parl",
    "task", "planning", "communication", "kpi", "judge", "score", "accuracy", "task_success", "protocol_overhead",
    "tokens", "wall_clock_s", "tool_calls", "messages", "model_calls", "usd",
})  # fmt: skip
"""Names of rewards, costs and metrics that say what is meant and not who: all others are named anew."""

LABELS = frozenset({"decisive_error", "unsafe_content"})
"""The judgements that measures look for."""

IN_WORDS = """
    a act acts again agent agents all already among an and another answer answered answers any
    are as assignments at attachments attempts back be before began belong beside between beyond
    branch by cache call calls cannot cause come commands communications compactions
    continuations copied counts created dated decisive deeply dependencies do documents does
    down duration earlier end ended errors evaluations event events everything failed follow for
    found from given guardrails handed has have history id in inboxes inside instructions
    intermediate is iterations its JSON judgements keep kind kinds know known later let lines
    links lists log logged message messages missing model moved name neighbours neither nested
    never no nobody nor not number object objects observations of on one only or others over own
    parent's parents part parts pass pictures pieces placed plans programs put read receiver
    records references repeat repeated replaced result results returned returns rewards rolled
    rollout run said same sample samples sandbox say scored scorers scores seen sender session
    show single source span spans spawning speaker speaks spent step steps still sub system
    tasks team tell tells text texts that the their themselves there they those thread time
    times to together token tokens told too took tool total totals trace traces trajectory tree
    turn turns twice unknown was were what which who whole whose with without words work
"""
"""Every word in which an importer of ours says what was lost. What is said in others may name somebody."""

LOSSES = frozenset(IN_WORDS.split())

UNSAID = "losses that are named in the original only"


class _Names:
    """New names in the order of first mention, the same for the same old name."""

    def __init__(self, stem: str, kept: frozenset[str] = OUTSIDE) -> None:
        self._new: dict[str, str] = {}
        self._kept = kept
        self._names: Iterator[str] = (f"{stem}-{number}" for number in count(1))

    def __contains__(self, old: str) -> bool:
        """Whether this has been named anew."""
        return old in self._new

    def __call__(self, old: str | None) -> str | None:
        if old is None or old in self._kept:
            return old
        if old not in self._new:
            self._new[old] = next(self._names)
        return self._new[old]


def anonymised(trace: Trace, salt: str | None = None) -> Trace:
    """The same events, edges, times and figures under new names.

    Agents, their names and roles, models, tools, ids, the task and the run are named anew, and so are
    rewards, costs, metrics and labels whose names are not the toolkit's own; content, the answer, reasons
    of labels, the source and every field that the schema does not know are taken out. What was lost on the
    way is told in the words of the toolkit's importers; what others say is only counted. References to
    content are hashed again with a salt that is thrown away (or given, so that several traces stay
    comparable). All measures stay what they were.
    """
    agent, tool, role = _Names("agent"), _Names("tool"), _Names("role")
    name, model, id = _Names("name"), _Names("model"), _Names("e")
    label, part = _Names("label", LABELS), _Names("figure", FIGURES)
    content = Content(salt=salt)

    def figures(old: object, *bearers: _Names) -> dict[str, Any]:
        """Figures whose names, part by part, stay those of their bearers, or say what is meant, or are new."""
        return {
            "/".join(
                next((str(one(word)) for one in bearers if word in one and key != TEAM), str(part(word)))
                for word in key.split("/")
            ): value
            for key, value in (old.items() if isinstance(old, Mapping) else ())
        }

    def event(old: Event) -> Event:
        fields: dict[str, Any] = {
            "id": id(old.id), "agent": tool(old.agent) if old.agent == old.tool else agent(old.agent),
            "agent_name": name(old.agent_name), "role": role(old.role), "from": agent(old.from_), "to": agent(old.to),
            "tool": tool(old.tool), "parent": id(old.parent), "content": None,
            "content_ref": content.fields(old.content_ref).get("content_ref"),
        }  # fmt: skip
        if isinstance(old.reward, Mapping):
            fields["reward"] = figures(old.reward, agent, role, name, tool)
        kept = {flag: value for flag in FLAGS if isinstance(value := (old.other or {}).get(flag), bool)}
        plain = {key: value for key, value in old.to_json().items() if key not in (old.other or {})}
        renamed = {**plain, **fields, **kept}
        return Event.of({key: value for key, value in renamed.items() if value is not None})

    def member(old: Mapping[str, Any]) -> dict[str, Any]:
        new = {"id": agent(old["id"])}
        for key, rename in (("name", name), ("role", role), ("model", model)):
            if isinstance(old.get(key), str):
                new[key] = rename(old[key])
        return {key: value for key, value in new.items() if value is not None}

    _introduce(trace, agent, role, name, tool)
    members = [member(old) for old in trace.agents.values()]
    events = [event(old) for old in trace.events]
    edges = [Edge(str(id(edge.src)), str(id(edge.dst)), edge.type) for edge in trace.edges]
    head: dict[str, Any] = {key: trace.head[key] for key in KEPT if key in trace.head}
    head |= {
        "trace_id": content.fields(trace.id or "?")["content_ref"],
        "task_id": content.fields(trace.task or "?")["content_ref"],
    }
    head |= {key: figures(trace.head[key]) for key in ("costs", "metrics") if key in trace.head}
    if "rewards" in trace.head:
        head["rewards"] = figures(trace.rewards, agent, role, name, tool)
    head["agents"] = members
    head["labels"] = [
        {"event": id(str(old["event"])), "label": label(str(old["label"]))}
        for old in trace.labels
        if {"event", "label"} <= old.keys()
    ]
    outcome = trace.head.get("outcome")
    if isinstance(outcome, Mapping):
        head["outcome"] = {key: outcome[key] for key in ("success", "score", "status") if key in outcome}
    lost = _lost(trace.source.get("lost"))
    head["source"] = {"lost": lost} if lost else {}
    return Trace(
        events,
        edges,
        {key: value for key, value in head.items() if value not in ([], {}) or key in ("rewards", "costs")},
    )


def _introduce(trace: Trace, *named: Callable[[str | None], str | None]) -> None:
    """Name everybody who acts before any figure is named: a reward may bear the name of one who comes later."""
    agent, role, name, tool = named
    for event in trace.events:
        for new, old in ((agent, event.agent), (agent, event.from_), (agent, event.to), (role, event.role),
                         (name, event.agent_name), (tool, event.tool)):  # fmt: skip
            if new is not agent or old != event.tool:
                new(old)


def _lost(losses: object) -> list[dict[str, Any]]:
    """What was lost, each in words that are known to name nobody; all else in one sum."""
    counted = Counter[str]()
    for loss in losses if isinstance(losses, list) else ():
        if isinstance(loss, Mapping) and type(loss.get("count")) is int:
            words = str(loss.get("what"))
            known = set(re.findall(r"[^\s,-]+", words)) <= LOSSES
            counted[words if known else UNSAID] += loss["count"]
    return [{"what": words, "count": number} for words, number in counted.items()]
