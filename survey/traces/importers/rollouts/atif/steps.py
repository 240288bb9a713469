"""The fields of a step, in every version of the format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from survey.traces.importers.json_values import flag, instant, items, mapping, number, text, tokens

TURNS = ("orchestrator_decision", "aggregate", "model_call")

STATUSES = ("ok", "error", "cancelled", "timeout", "rejected")


def objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list."""
    return [item for item in items(value) if isinstance(item, Mapping)]


def outcomes(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the results in the observation of a step."""
    return objects(mapping(step.get("observation")).get("results"))


def references(outcome: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the references of a result to sub-agents."""
    return objects(outcome.get("subagent_trajectory_ref"))


LAST_DATE = 253402300800.0
"""The year 10000: later timestamps are invalid."""


def moment(value: object) -> float | None:
    """Return seconds since 1970 if the value is a valid time, else None."""
    stamp = instant(value)
    return stamp if stamp is not None and stamp < LAST_DATE else None


def status(fields: Mapping[str, Any]) -> str | None:
    """Return the status of a step or a result, if recorded."""
    extra = mapping(fields.get("extra"))
    message = extra.get("status") or fields.get("status")
    wrong = flag(extra.get("is_error")) or flag(extra.get("tool_result_is_error"))
    return message if isinstance(message, str) and message in STATUSES else "error" if wrong else None


def amount(value: object) -> float | None:
    """Return a non-negative number, else None."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def usage(metrics: Mapping[str, Any], prefix: str = "") -> dict[str, float] | float | None:
    """Return the tokens of a step or a trajectory; the prompt includes cache reads and writes."""
    extra = mapping(metrics.get("extra"))
    prompt, read = amount(metrics.get(f"{prefix}prompt_tokens")), amount(metrics.get(f"{prefix}cached_tokens"))
    names = ("cache_creation_input_tokens", "cache_write_input_tokens", "cache_write_tokens")
    write = next((count for name in names if (count := amount(extra.get(name))) is not None), None)
    reasons = (extra.get("reasoning_tokens"), extra.get("reasoning_output_tokens"))
    fresh = None
    if prompt is not None:
        fresh = max(prompt - (read or 0), 0)
        fresh -= write if write and write <= fresh else 0
    account = tokens(
        input=fresh,
        output=metrics.get(f"{prefix}completion_tokens"),
        cache_read=read,
        cache_write=write,
        reasoning=next((count for count in reasons if number(count) is not None), None),
    )
    return account or amount(extra.get("total_tokens"))


def words(message: object) -> str | None:
    """Return the text of a message or a result; for mixed content, its text parts."""
    if isinstance(message, str):
        return message or None
    return "\n".join(message for part in objects(message) if (message := text(part.get("text")))) or None
