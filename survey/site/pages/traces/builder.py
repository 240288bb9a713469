"""The computed pages on traces: schema, consistency checks, measures, formats, and an example.

They need no pool: everything comes from ``survey.traces`` itself, so that a page and the program
cannot disagree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.pages.traces.cases import CASES
from survey.traces import EDGE_TYPES, EVENT_TYPES, TYPING, Trace, schema
from survey.traces.exporters import EXPORTERS
from survey.traces.importers import importers
from survey.traces.metrics import COMPARISONS, MEASURES
from survey.traces.model import text

SCHEMA = "schema/trace-1.json"
"""The published address of the schema. Traces may point to it, so it never changes."""


def trace_pages(_: Facts) -> Files:
    """Yield every page and file on traces."""
    text_of_example = files("survey.traces.model").joinpath("example.json").read_text("utf-8")
    example = Trace.of(json.loads(text_of_example))
    yield SCHEMA, text()
    yield "traces/example.json", text_of_example
    yield "traces/example-report.html", str(EXPORTERS["html"](example))
    values: dict[str, dict[str, Any]] = {
        "schema": {"sections": _sections(), "target": SCHEMA, "typing": _typing(), "events": EVENT_TYPES},
        "checks": {"cases": CASES},
        "measures": {"measures": [blank for blank, _ in [*MEASURES.values(), *COMPARISONS.values()]]},
        "formats": {"importers": importers().values(), "exporters": EXPORTERS.values()},
    }
    for name, shown in values.items():
        page = f"traces/{name}.md"
        yield page, render(f"pages/traces/{name}.md.j2", page=page, **shown)


def _sections() -> list[dict[str, Any]]:
    """Return each part of the schema with its fields."""
    whole, definitions = schema(), schema()["$defs"]
    event = {**definitions["event"]["properties"], **definitions["event_added"]["properties"]}
    parts = [
        ("The document", "document", whole["properties"], whole["required"]),
        ("An event", "event", event, definitions["event"]["required"]),
        ("An edge", "edge", definitions["edge"]["properties"], definitions["edge"]["required"]),
        ("An agent", "agent", definitions["agent"]["properties"], definitions["agent"]["required"]),
        ("A label", "label", definitions["label"]["properties"], definitions["label"]["required"]),
    ]
    added = set(definitions["event_added"]["properties"]) | {
        "schema_version", "time", "agents", "outcome", "group", "counterfactual_of", "labels", "source", "link_quality",
    }  # fmt: skip
    return [
        {
            "title": title,
            "id": id,
            "fields": [
                _field(name, spec, required, added if id in ("document", "event") else set())
                for name, spec in fields.items()
            ],
        }
        for title, id, fields, required in parts
    ]


def _field(name: str, spec: Mapping[str, Any], required: list[str], added: set[str]) -> dict[str, Any]:
    if "$ref" in spec:
        spec = schema()["$defs"][spec["$ref"].removeprefix("#/$defs/")]
    return {
        "name": name,
        "kind": _kind(spec),
        "required": name in required,
        "added": name in added,
        "says": spec.get("description", ""),
        "example": json.dumps(spec["examples"][0], ensure_ascii=False) if "examples" in spec else "",
        "words": spec.get("enum") or (spec.get("items") or {}).get("enum") or [],
        "inner": [
            _field(inner, of, spec.get("required", []), set()) for inner, of in (spec.get("properties") or {}).items()
        ],
    }


def _kind(spec: Mapping[str, Any]) -> str:
    if "anyOf" in spec:
        return " or ".join(_kind(one) for one in spec["anyOf"])
    if "const" in spec:
        return f"always {json.dumps(spec['const'])}"
    if "enum" in spec:
        return "one of"
    kind: str = spec.get("type", "")
    kinds = {
        "array": "list",
        "object": "object",
        "string": "text",
        "integer": "whole number",
        "boolean": "true or false",
    }
    shown = kinds.get(kind, kind)
    return f"{shown}, {spec['minimum']} or more" if "minimum" in spec else shown


def _typing() -> list[dict[str, Any]]:
    """Return the typing table: for each edge type the events it may lead from and to."""
    everything = set(EVENT_TYPES)

    def shown(types: frozenset[str]) -> str:
        if types == everything:
            return "any"
        if len(everything - types) <= 3:
            return "any but " + ", ".join(sorted(everything - types))
        return ", ".join(type for type in EVENT_TYPES if type in types)

    return [{"type": type, "from": shown(TYPING[type][0]), "to": shown(TYPING[type][1])} for type in EDGE_TYPES]
