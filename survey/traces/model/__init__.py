"""What a trace is: events, edges, their graph and the state of a team; and the schema that says so.

Asked by every room of the wing; knows only how a problem is reported.
"""

from survey.traces.model.building import Builder, Content
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
from survey.traces.model.trace import (
    BYSTANDERS,
    LARGEST,
    NOTHING,
    OUTSIDE,
    Edge,
    Edges,
    Event,
    Tokens,
    Trace,
    first_agent,
    number,
)

__all__ = [
    "ADDED_FIELDS",
    "BYSTANDERS",
    "EDGE_TYPES",
    "EVENT_FIELDS",
    "EVENT_TYPES",
    "LARGEST",
    "NOTHING",
    "OUTSIDE",
    "TYPING",
    "Builder",
    "Content",
    "Edge",
    "Edges",
    "Event",
    "Graph",
    "State",
    "Tokens",
    "Trace",
    "definition",
    "first_agent",
    "graph",
    "number",
    "schema",
    "text",
]
