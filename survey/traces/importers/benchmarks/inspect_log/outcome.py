"""How a sample ended: its scores as numbers, the limit that ended it, and whether it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from survey.traces.importers.benchmarks.inspect_log.events import Transcript
from survey.traces.importers.json_values import Fields, mapping, number, text

MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def scores(name: str, value: object) -> Iterator[tuple[str, float]]:
    """Yield a score as numbers; Inspect's marks (correct, incorrect, partial, no answer) count as in its metrics."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(part, Mapping):
                yield from scores(f"{name}/{key}", part)
    elif isinstance(value, str):
        try:
            worth = MARKS.get(value, WORDS.get(value.lower()))
            value = float(value) if worth is None else worth
        except ValueError:
            return
        yield from scores(name, value)
    elif isinstance(value, bool):
        yield name, float(value)
    elif (plain := number(value)) is not None:
        yield name, plain


def limit_of(sample: Fields, found: Transcript) -> str | None:
    """Return the kind of limit that ended the sample; None for a limit that ended one agent only."""
    if limit := mapping(sample.get("limit")):
        return text(limit.get("type")) or "custom"
    acts = (item for item in found.items if item.kind in ("model", "tool") and not found.is_scoring(item))
    work = max((item.place for item in acts), default=-1)
    for item in reversed(found.items):
        if item.place < work or "limit" in sample:
            break
        if item.kind == "sample_limit":
            return text(item.fields.get("type")) or "custom"
        if item.kind == "interrupt" and item.fields.get("source") in ("limit", "system"):
            return "custom"
    return None


def failed(sample: Fields, found: Transcript) -> bool:
    """Return whether the sample ended in an error."""
    return bool(sample.get("error")) or any(item.kind == "error" for item in found.items)
