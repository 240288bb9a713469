"""Rewards, scores and labels on spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from survey.traces.importers.json_values import items, mapping, number, parsed, text
from survey.traces.importers.spans.span import Span

REWARD_SPANS = ("agentlightning.reward", "agentlightning.annotation")

LINK = re.compile(r"agentlightning\.link\.[0-9]+\.key_match")

JUDGEMENT = re.compile(
    r"(?:(?P<scope>trace|session)\.)?(?:(?:annotations|evaluations)\.(?P<number>\d+)\.)?"
    r"(?:annotation|evaluation)\.(?P<field>name|score|label|annotator_kind)"
)


class Judgement(NamedTuple):
    """A score or a label."""

    name: str
    score: float | None = None
    label: str | None = None
    by: str | None = None
    scope: str = "span"


def rewards(span: Span) -> dict[str, float]:
    """Return the rewards of an Agent Lightning span by name, in all known spellings."""
    attributes = span.attributes
    found: dict[str, float] = {}
    for key, value in attributes.items():
        name = key.removeprefix("agentlightning.reward.")
        score = number(value)
        if name == key or score is None or name.startswith("metadata."):
            continue
        index, _, what = name.partition(".")
        if what == "value":
            found[text(attributes.get(f"agentlightning.reward.{index}.name")) or f"reward {index}"] = score
        elif not what:
            found[name] = score
    if not found and (score := number(attributes.get("reward"))) is not None and span.name in REWARD_SPANS:
        found["primary"] = score
    for key in ("agentops.task.output", "agentops.entity.output"):
        given = mapping(parsed(attributes.get(key), "reward")) or {
            k: attributes.get(f"{key}.{k}") for k in ("type", "value")
        }
        if given.get("type") == "reward" and (score := number(given.get("value"))) is not None:
            found.setdefault("primary", score)
    return found


def rewarded(span: Span) -> dict[str, str]:
    """Return what a reward says of the span that it is about: attributes with their values, or its ``span_id``."""
    attributes = span.attributes
    found = {}
    for key, name in attributes.items():
        value = text(attributes.get(f"{key.removesuffix('key_match')}value_match"))
        if LINK.fullmatch(key) and isinstance(name, str) and value:
            found[name] = value
    return found


def judgements(span: Span) -> Iterator[Judgement]:
    """Return scores and labels on the span: OpenInference's, and evaluation events of the GenAI conventions."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for key, value in _judging(span.attributes):
        if match := JUDGEMENT.fullmatch(key):
            place = match["scope"] or "span", match["number"] or ""
            found.setdefault(place, {})[match["field"]] = value
    for (scope, _), fields in found.items():
        yield from _judgement(fields, "name", "score", "label", scope)
    for name, _, attributes in span.events:
        if name == "gen_ai.evaluation.result":
            prefix = "gen_ai.evaluation"
            yield from _judgement(
                attributes, f"{prefix}.name", f"{prefix}.score.value", f"{prefix}.score.label", "span"
            )


def _judgement(fields: Mapping[str, Any], name: str, score: str, label: str, scope: str) -> Iterator[Judgement]:
    called, scored, labelled = text(fields.get(name)), number(fields.get(score)), text(fields.get(label))
    if called and (scored is not None or labelled):
        yield Judgement(called, scored, labelled, text(fields.get("annotator_kind")), scope)


def _judging(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from attributes.items()
    for scope in ("", "trace.", "session."):
        for plural in ("annotations", "evaluations"):
            for index, fields in enumerate(items(attributes.get(scope + plural))):
                for key, value in mapping(fields).items():
                    yield f"{scope}{plural}.{index}.{key}", value
