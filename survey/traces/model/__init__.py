"""Data model of a trace: events, edges, their graph, the state of a team, and the JSON Schema.

Every package of ``survey.traces`` uses it; it depends on ``survey.traces.problems`` only.
"""

from survey.traces.model.building import FEW_TOKENS, NO_TOKENS, UNDERCOUNTED, Builder, Content
from survey.traces.model.edges import Edge, Edges
from survey.traces.model.event import EXTERNAL_ACTS, LARGEST, NOTHING, OUTSIDE, Event, Tokens, first_agent
from survey.traces.model.graph import Graph, graph
from survey.traces.model.schema import (
    ADDED_FIELDS,
    EDGE_TYPES,
    EVENT_FIELDS,
    EVENT_TYPES,
    TYPING,
    definition,
    schema,
    text,
)
from survey.traces.model.state import State
from survey.traces.model.trace import Trace, number

__all__ = [
    "ADDED_FIELDS", "EDGE_TYPES", "EVENT_FIELDS", "EVENT_TYPES", "EXTERNAL_ACTS", "FEW_TOKENS", "LARGEST", "NOTHING",
    "NO_TOKENS", "OUTSIDE", "TYPING", "UNDERCOUNTED", "Builder", "Content", "Edge", "Edges", "Event", "Graph", "State",
    "Tokens", "Trace", "definition", "first_agent", "graph", "number", "schema", "text",
]  # fmt: skip
