"""What a step says, field by field, in every version of the format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from survey.traces.importers.json_values import flag, instant, items, mapping, number, text, tokens

MARK = "trace_event"
"""Where our exporter keeps, in any ``extra``, what the format has no field for."""

TURNS = ("orchestrator_decision", "aggregate", "model_call")
NOTES = ("message", "delegate", "return", "despawn", "safety_event", "human_intervention", "compaction", "stop")
"""Types of event that our exporter writes as system steps."""

STATUSES = ("ok", "error", "cancelled", "timeout", "rejected")


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return [item for item in items(value) if isinstance(item, Mapping)]


def outcomes(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The results in the observation of a step."""
    return objects(mapping(step.get("observation")).get("results"))


def references(outcome: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The sub-agents that a result comes from."""
    return objects(outcome.get("subagent_trajectory_ref"))


def ours(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What our exporter left in the ``extra`` of something."""
    return mapping(mapping(fields.get("extra")).get(MARK))


def tool_of(call: Mapping[str, Any]) -> str | None:
    """The tool of a call; the format wants a name even where there is none."""
    return None if flag(ours(call).get("unnamed")) else text(call.get("function_name"))


def codes(kept: Mapping[str, Any]) -> list[str] | None:
    """The sub-decisions, as our exporter keeps them."""
    found = [code for code in items(kept.get("decision")) if code in ("O1", "O2", "O3", "O4", "O5")]
    return list(dict.fromkeys(found)) or None


LAST_DATE = 253402300800.0
"""The year 10000: what lies beyond is no time."""


def moment(value: object) -> float | None:
    """Seconds since 1970, if the value is a time of this era."""
    stamp = instant(value)
    return stamp if stamp is not None and stamp < LAST_DATE else None


def status(fields: Mapping[str, Any]) -> str | None:
    """How a step or a result went, where the writer left it in ``extra``."""
    extra = mapping(fields.get("extra"))
    said = ours(fields).get("status") or extra.get("status") or fields.get("status")
    wrong = flag(extra.get("is_error")) or flag(extra.get("tool_result_is_error"))
    return said if isinstance(said, str) and said in STATUSES else "error" if wrong else None


def amount(value: object) -> float | None:
    """A number that is not below zero."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def spent(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens and money of an event that is no turn, as our exporter keeps them."""
    kinds = {key: value for key, value in mapping(kept.get("tokens")).items() if key in _KINDS}
    return {"tokens": tokens(**kinds) or amount(kept.get("tokens")), "cost": amount(kept.get("cost"))}


_KINDS = ("input", "output", "cache_read", "cache_write", "reasoning")


def usage(metrics: Mapping[str, Any], prefix: str = "") -> dict[str, float] | float | None:
    """Tokens of a step or of a whole trajectory; the prompt counts what the cache held, and what went into it."""
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
    """The text of a message or a result; of mixed content the parts that are text."""
    if isinstance(message, str):
        return message or None
    return "\n".join(said for part in objects(message) if (said := text(part.get("text")))) or None
