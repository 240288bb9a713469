"""Convert span objects of the OpenAI Agents SDK to the names of the GenAI conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from survey.traces.importers.json_values import mapping, text


def attributes_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Convert ``span_data``. A ``task`` or ``turn`` only repeats the usage of its children and yields nothing."""
    match text(data.get("type")):
        case "agent":
            attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": data.get("name")}
        case "handoff":
            attributes = {
                "gen_ai.handoff.from_agent": data.get("from_agent"),
                "gen_ai.handoff.to_agent": data.get("to_agent"),
            }
        case "function":
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": data.get("name"),
                "gen_ai.tool.call.arguments": data.get("input"),
                "gen_ai.tool.call.result": data.get("output"),
            }
        case "guardrail":
            attributes = {"openinference.span.kind": "GUARDRAIL", "gen_ai.guardrail.triggered": data.get("triggered")}
        case "generation" | "response":
            usage = mapping(data.get("usage"))
            attributes = {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": data.get("model"),
                "gen_ai.output.messages": data.get("output"),
                "gen_ai.usage.input_tokens": usage.get("input_tokens"),
                "gen_ai.usage.output_tokens": usage.get("output_tokens"),
            }
        case _:
            attributes = {}
    return {key: value for key, value in attributes.items() if value is not None}
