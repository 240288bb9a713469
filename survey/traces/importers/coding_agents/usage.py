"""What a model call or a run spent, as coding agents log it."""

from __future__ import annotations

from survey.traces.importers.json_values import Fields, mapping, number, text, tokens
from survey.traces.model import Builder


def split(
    prompt: object, output: object, read: object = None, written: object = None, reasoning: object = None
) -> dict[str, float] | None:
    """Return tokens by kind; the prompt includes what was read from a cache or written to it, unless it is less."""
    fresh, cached = number(prompt), (number(read) or 0) + (number(written) or 0)
    if fresh is not None and 0 <= cached <= fresh:
        fresh -= cached
    return tokens(input=fresh, output=output, cache_read=read, cache_write=written, reasoning=reasoning)


def of_response(response: Fields) -> dict[str, float] | None:
    """Return the tokens of a response of OpenAI's interfaces, or of LiteLLM's for those of others."""
    usage = mapping(response.get("usage"))
    prompt = mapping(usage.get("prompt_tokens_details")) or mapping(usage.get("input_tokens_details"))
    completion = mapping(usage.get("completion_tokens_details")) or mapping(usage.get("output_tokens_details"))
    written = usage.get("cache_creation_input_tokens")
    return split(
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
        prompt.get("cached_tokens", usage.get("cache_read_input_tokens")),
        prompt.get("cache_creation_tokens") if written is None else written,
        completion.get("reasoning_tokens"),
    )


def declare(builder: Builder, name: str, total: float | None, parts: float) -> None:
    """Set a total that a log states, if it is no less than the sum over the acts."""
    if total is None or total <= 0:
        return
    if total >= parts * (1 - 1e-6):
        builder.costs[name] = total
    else:
        builder.lost("totals that are less than those of their parts")


def answer(builder: Builder, value: object) -> None:
    """Set what the agent handed in, as a hash."""
    if found := text(value):
        builder.head["outcome"] = {"answer_ref": builder.content.reference(found)}


def money(value: object) -> float | None:
    """Return an amount that is not negative, else None."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def of_metrics(metrics: Fields) -> dict[str, float] | None:
    """Return the tokens that OpenHands counts for a call, or for all so far."""
    return split(
        metrics.get("prompt_tokens"),
        metrics.get("completion_tokens"),
        metrics.get("cache_read_tokens"),
        metrics.get("cache_write_tokens"),
        metrics.get("reasoning_tokens"),
    )
