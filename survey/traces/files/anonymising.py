"""Anonymisation of traces: keeps how a team worked, removes who it was and what the task was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count
from typing import Any

from survey.traces.model import OUTSIDE, Content, Edge, Event, Trace

KEPT = ("schema_version", "topology", "time", "link_quality")
FLAGS = ("protocol",)
"""Additional fields that measures need and that identify nobody."""

TIMES = ("t", "t_end", "t_first", "delivered")

KEEPABLE = ("times", "models", "tools", "roles")
"""What may stay as it is, where who shares the trace has looked: the times of its clock, and these names."""

TEAM = "team"
"""The reward of the whole run."""

FIGURES = frozenset({
    "", TEAM, "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "shared", "individual", "role", "process", "tool",
    "debate", "orchestration", "hybrid", "parl",
    "task", "planning", "communication", "kpi", "judge", "score", "accuracy", "task_success", "protocol_overhead",
    "tokens", "wall_clock_s", "tool_calls", "messages", "model_calls", "usd",
})  # fmt: skip
"""Names of rewards, costs and metrics that identify nobody: all others are renamed."""

ERRORS = frozenset(
    {
        "approval",
        "cancelled",
        "file_not_found",
        "is_a_directory",
        "limit",
        "output_limit",
        "parsing",
        "permission",
        "timeout",
        "unicode_decode",
        "unknown",
    }
)
"""Kinds of failures that identify nobody: all others are renamed."""

LABELS = frozenset({"decisive_error", "final", "unsafe_content"})
"""The labels that measures use."""

LOSS_TEXT = """
    a act acts advantages after again agent agents already an and another answered answers any are
    around arrived assign assignments at attachments attempts back before begin beside between
    beyond branch but by cached call calls cannot cause come commands communications compactions
    compared continuations control copied counts created dated decisive deeply dependencies did
    documents down duration durations earlier end ended errors evaluations event events expected
    failed follow from group guardrails handoffs has have history hold id in inboxes input inside
    instructions intermediate interrupted intervene into is iterations its JSON judgements just kept
    kinds known later less lines links lists log logged may merged message messages missing model
    more moved name needs neighbours neither nested never no nor not nothing numbers objects
    observations of on one only or output outputs outside own parent parent's parents parts passed
    permissions person pictures pieces placed placeholders plans program programs read reader
    receiver recorded records reference references repeat repeated replaced requests results returns
    rewards rolled rollout run runs same sample samples sandbox score scored scorers scores sender
    session set several share single source span spans spawning speaker spent start step steps still
    sub system tasks team text texts than that the their them themselves they those thoughts thread
    time times to token tokens too took tool total totals trace traces trajectories trajectory tree
    turn turns unknown unnamed unreadable were what which whole whose with without working
"""
"""All words that our importers use to describe losses. Descriptions with other words may identify somebody."""

LOSS_WORDS = frozenset(LOSS_TEXT.split())

UNNAMED_LOSSES = "losses that are named in the original only"


class _Names:
    """Assigns new names in order of first mention, consistently for equal old names."""

    def __init__(self, stem: str, kept: frozenset[str] = OUTSIDE, *, keep: bool = False) -> None:
        self._new: dict[str, str] = {}
        self._kept = kept
        self._keep = keep
        self._names: Iterator[str] = (f"{stem}-{number}" for number in count(1))

    def __contains__(self, old: str) -> bool:
        """Return whether this name has been replaced."""
        return old in self._new

    def __call__(self, old: str | None) -> str | None:
        if old is None or old in self._kept:
            return old
        if old not in self._new:
            self._new[old] = old if self._keep else next(self._names)
        return self._new[old]


def anonymised(trace: Trace, salt: str | None = None, keep: Collection[str] = ()) -> Trace:
    """Return a trace with the same events, edges, durations and figures under new names.

    Renamed are agents, their names and roles, models, tools, ids, the task and the run, and all
    rewards, costs, metrics and labels whose names are not the toolkit's own. Removed are content, the
    answer, reasons of labels, the source and every field that the schema does not define. Losses are
    kept in the words of the toolkit's importers; all others are only counted. References to content
    are hashed again with a salt that is discarded (or given, so that several traces stay comparable),
    to one length. Times begin at zero, so that they do not say when the run was. All measures keep their
    values, but for costs at list prices, which hang on the names of models: these need ``keep``.

    ``keep`` names what stays as it is, of ``KEEPABLE``.
    """
    agent, tool, role = _Names("agent"), _Names("tool", keep="tools" in keep), _Names("role", keep="roles" in keep)
    name, model, id = _Names("name"), _Names("model", keep="models" in keep), _Names("e")
    error, label, part = _Names("error", ERRORS), _Names("label", LABELS), _Names("figure", FIGURES)
    content = Content(salt=salt)
    start = 0.0 if "times" in keep or trace.time != "seconds" else min((old.t for old in trace.events), default=0.0)

    def figures(old: object, *bearers: _Names) -> dict[str, Any]:
        """Rename figures part by part: parts that name a bearer follow it, known names stay, others are new."""
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
            "tool": tool(old.tool), "parent": id(old.parent), "content": None, "model": model(old.model),
            "error": error(old.error),
            "content_ref": content.reference(old.content_ref) if old.content_ref else None,
        }  # fmt: skip
        if start:
            times = {key: getattr(old, key) for key in TIMES}
            fields |= {key: time - start for key, time in times.items() if time is not None and time is not True}
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
        "trace_id": content.reference(trace.id or "?"),
        "task_id": content.reference(trace.task or "?"),
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
    """Rename all actors before any figure: a reward may bear the name of an actor that appears later."""
    agent, role, name, tool = named
    for event in trace.events:
        for new, old in ((agent, event.agent), (agent, event.from_), (agent, event.to), (role, event.role),
                         (name, event.agent_name), (tool, event.tool)):  # fmt: skip
            if new is not agent or old != event.tool:
                new(old)


def _lost(losses: object) -> list[dict[str, Any]]:
    """Return the losses described in known words; all others as one total."""
    counted = Counter[str]()
    for loss in losses if isinstance(losses, list) else ():
        if isinstance(loss, Mapping) and type(loss.get("count")) is int:
            words = str(loss.get("what"))
            known = set(re.findall(r"[^\s,-]+", words)) <= LOSS_WORDS
            counted[words if known else UNNAMED_LOSSES] += loss["count"]
    return [{"what": words, "count": number} for words, number in counted.items()]
