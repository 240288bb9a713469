"""Tokens as a provider of models states them, in the names of the GenAI conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from survey.traces.importers.json_values import Fields, items, mapping, number
from survey.traces.importers.spans.span import DEEPEST
from survey.traces.model import NOTHING

ASKED = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
ANSWERED = ("completion_tokens_details", "output_tokens_details", "output_token_details")
"""Where OpenAI, in its older and its newer interface, and LangChain put the kinds of tokens."""

BESIDE = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""What Anthropic counts beside its input; the conventions count it as input."""


def stated_usage(usage: Fields) -> dict[str, Any]:
    """Return the tokens in a provider's account of a call."""
    asked, answered = _either(usage, *ASKED), _either(usage, *ANSWERED)
    prompt, beside = _either(usage, "prompt_tokens"), [number(usage.get(name)) for name in BESIDE]
    if prompt is None and (prompt := number(usage.get("input_tokens"))) is not None:
        prompt += sum(filter(None, beside))
    return {
        "gen_ai.usage.input_tokens": prompt,
        "gen_ai.usage.output_tokens": _either(usage, "completion_tokens", "output_tokens"),
        "gen_ai.usage.total_tokens": usage.get("total_tokens"),
        "gen_ai.usage.cache_read.input_tokens": _either(mapping(asked), "cached_tokens", "cache_read") or beside[0],
        "gen_ai.usage.cache_creation.input_tokens": _either(mapping(asked), "cache_write_tokens", "cache_creation")
        or beside[1],
        "gen_ai.usage.reasoning.output_tokens": _either(mapping(answered), "reasoning_tokens", "reasoning"),
    }


def object_below(value: Any, *names: str) -> Fields:
    """Return the first object under one of these names, however deep; an earlier name goes first."""
    for name in names:
        waiting = [(value, 0)]
        while waiting:
            item, depth = waiting.pop()
            if found := mapping(mapping(item).get(name)):
                return found
            inner = list(item.values()) if isinstance(item, Mapping) else items(item)
            waiting += [(each, depth + 1) for each in reversed(inner) if depth < DEEPEST]
    return NOTHING


def _either(usage: Fields, *names: str) -> Any:
    return next((usage[name] for name in names if usage.get(name) is not None), None)
