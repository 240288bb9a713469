"""Write rewards, scores and labels of spans on the events that they concern."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from survey.traces.importers.json_values import text
from survey.traces.importers.spans.judgements import judgements, rewarded, rewards
from survey.traces.importers.spans.span import Span
from survey.traces.importers.spans.tree import Tree
from survey.traces.model import Builder


def judge(tree: Tree, builder: Builder, root: Span | None, events: Mapping[Span, str]) -> None:
    """Write rewards and labels on events; those on the whole run into the head. ``events`` holds the last of a span."""
    given: dict[str, float] = {}
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    answers = {text(span.attributes.get("gen_ai.response.id")): span for span in tree.acts("model")}

    def meant(span: Span) -> Span:
        """Return the span that a reward is about: the one that it names, else its own."""
        named = rewarded(span)
        other = tree.by_id.get(named.get("span_id", "-")) or answers.get(named.get("gen_ai.response.id", "-"))
        builder.lost("rewards of spans that are not in the log", int(bool(named) and other is None))
        return other or span

    def give(name: str, score: float, to: dict[str, float]) -> None:
        if name in to and to[name] != score:
            builder.lost("rewards replaced by a later one of the same name")
        to[name] = score

    for span in sorted(tree.order, key=lambda span: span.order):
        own = rewards(span)
        event = _judged(meant(span) if own else span, root, events)
        for name, score in own.items():
            give(name, score, scores[event] if event else given)
        for judgement in judgements(span):
            if judgement.scope == "session":
                builder.lost("judgements on a whole session")
                continue
            event = _judged(span, root, events) if judgement.scope == "span" else None
            if judgement.score is not None:
                give(judgement.name, judgement.score, scores[event] if event else given)
            if judgement.label and event:
                builder.label(event, judgement.label, by=judgement.by, name=judgement.name)
            elif judgement.score is None:
                builder.lost("judgements on a whole trace without numbers")
    for event, named in scores.items():
        if named:
            builder.amend(event, reward=named)
    builder.head["rewards"] = given


def _judged(span: Span, root: Span | None, events: Mapping[Span, str]) -> str | None:
    """Return the event that a judgement on a span concerns; None if it concerns the run."""
    near: Span | None = span
    while near is not None and near is not root and near not in events:
        near = near.above
    return None if near is None or near is root else events[near]
