"""Graphs of LangGraph and its kind: which nodes are agents, and which step led to which.

A node's execution is the outermost span that names it: in the metadata of LangGraph (``langgraph_node``,
``langgraph_step``, ``langgraph_checkpoint_ns``), or by OpenInference's ``graph.node.id`` unless the span is declared an
agent. A graph consists of the nodes below one span. The rule for its agents:

- A node acts if it calls a model or a tool. A tool call that a model in another node requested is an act of that model.
- A graph is a team if nodes of two or more names call a model, or if one that does runs several times in one step.
  Each execution of an acting node of a team is an agent: spawned when it begins, returning when it ends. All agents of
  a step lead to all of the next step that acts.
- Any other graph is one agent with its tools, such as the loop ``agent -> tools -> agent``.
- Inner graphs come first. What their agents do is no act of the node around them.
- A span that states its agent's name in ``gen_ai.agent.name`` or ``agent.name`` is an agent, whatever the graph.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from survey.traces.importers.json_values import mapping, parsed, text
from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.span import Span

WHERE = ("metadata.", "traceloop.association.properties.")
"""Prefixes of attributes that hold the metadata of a run in LangChain."""


class Place(NamedTuple):
    """The execution of a node, as its spans and those inside it name it."""

    node: str
    namespace: str | None
    step: int | None


class Graphs:
    """The executions of nodes among spans. ``kinds`` is corrected: a node is an agent or nothing by itself."""

    def __init__(self, order: list[Span], kinds: dict[Span, str]) -> None:
        self.kinds = kinds
        self.around: dict[Span, Span] = {}
        """The node around each span, or the span itself."""
        self.steps: dict[Span, int | None] = {}
        """All executions of nodes, with their steps."""
        self._graphs: dict[Span | None, list[Span]] = defaultdict(list)
        self._find(order)
        if self.steps:
            self._settle(order)

    def in_steps(self) -> Iterator[list[list[Span]]]:
        """Yield, for each team whose steps are known, the executions of its nodes in the order of steps."""
        for nodes in self._graphs.values():
            if any(self.kinds[node] == "agent" for node in nodes):
                steps: dict[int, list[Span]] = defaultdict(list)
                for node in nodes:
                    if (step := self.steps[node]) is not None:
                        steps[step].append(node)
                yield [steps[step] for step in sorted(steps)]

    def _find(self, order: list[Span]) -> None:
        places: dict[Span | None, Place | None] = {None: None}
        for span in order:
            around, place = places[span.above], _place(span)
            places[span] = place or around
            named = self.kinds[span] == "agent" and conventions.states_its_agent(span)
            begins = (place is not None and place != around) or self.kinds[span] == "node"
            if begins and self.kinds[span] in ("", "agent", "node", "workflow") and not named:
                self.steps[span] = place.step if place else None
                self._graphs[span.above].append(span)
                self.around[span] = span
            elif span.above in self.around and self.kinds[span] != "agent":
                self.around[span] = self.around[span.above]

    def _settle(self, order: list[Span]) -> None:
        requested = {id for span in order if self.kinds[span] == "model" for id in conventions.calls(span)}
        inside: dict[Span, set[str]] = {}
        roots = [span for span in order if span.above is None]
        for span in [*reversed(order), None]:
            below = roots if span is None else span.children
            team = self._is_team(span, inside)
            acts: set[str] = set()
            for child in below:
                if child in self.steps:
                    self.kinds[child] = "agent" if team and inside[child] else ""
                if self.kinds[child] != "agent":
                    acts |= inside[child]
            if span is not None:
                inside[span] = acts | self._act(span, requested)

    def _is_team(self, graph: Span | None, inside: Mapping[Span, set[str]]) -> bool:
        calling = [(node, _name(node)) for node in self._graphs.get(graph, ()) if "model" in inside[node]]
        runs = Counter((name, self.steps[node]) for node, name in calling if self.steps[node] is not None)
        return len({name for _, name in calling}) > 1 or any(count > 1 for count in runs.values())

    def _act(self, span: Span, requested: set[str]) -> set[str]:
        match self.kinds[span]:
            case "model" | "plan":
                return {"model"}
            case "tool" if conventions.call_id(span) not in requested:
                return {"tool"}
            case _:
                return set()


def _name(node: Span) -> str:
    place = _place(node)
    return place.node if place else conventions.agent_name(node)


def _place(span: Span) -> Place | None:
    attributes = span.attributes
    found = mapping(parsed(attributes.get("metadata"), "langgraph_node"))
    for prefix in WHERE if not found else ():
        if f"{prefix}langgraph_node" in attributes:
            found = {key.removeprefix(prefix): attributes[key] for key in attributes if key.startswith(prefix)}
    node = text(found.get("langgraph_node"))
    namespace = text(found.get("langgraph_checkpoint_ns")) or text(found.get("checkpoint_ns"))
    step = found.get("langgraph_step")
    return Place(node, namespace, step if type(step) is int else None) if node else None
