"""verl: the outputs of a policy that its trainers write to ``rollout_data_dir`` and ``validation_data_dir``.

A line holds one output: prompt and response as texts, the score, the training step, and what the function that scores
adds. The texts are decoded without special tokens, so that a response of several turns is one text. A turn ends where
the results of its tool calls begin; without calls nothing marks its end. The trainer of version 1 keys each output by
sample, rollout and output: outputs of one rollout are one trace, and rollouts of one sample a group. Without keys,
rollouts of equal prompts are a group.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from survey.traces.importers.json_values import Fields, mapping, number, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import NO_TOKENS, Builder, Content, Trace

NAME = "verl"
POLICY = "policy"
OPENING, CLOSING = "<tool_call>", "</tool_call>"
FOLLOWED = re.compile(r"</tool_call>\s*(?:user|tool)\n")
"""Where results follow a call: of the head of their message, only the role in the template is left."""
NEXT = "\nassistant\n"
FUNCTION = re.compile(r"\s*<function=([^<>\n]+)>")
"""A call as the models for code write it; all others write JSON."""
PLAIN = frozenset({"input", "output", "gts", "score", "step", "uid", "request_id"})
KEY = re.compile(r"(?P<sample>.+)_(?P<rollout>[0-9]{1,9})_[0-9]{1,9}", re.DOTALL)


class Output(NamedTuple):
    """A line of the log, and the rollout to which it belongs."""

    row: Fields
    rollout: str
    sample: str
    group: str
    """The sample in this step of the training."""
    place: int | None
    """The number of the rollout in its group, if the log says it."""


class Turn(NamedTuple):
    """A turn, the tools that it calls, and the results that follow."""

    words: str
    calls: list[str]
    results: list[str]
    unreadable: int


def recognises(log: Log) -> bool:
    """Return whether one of the first lines is an output of a policy."""
    with suppress(OSError, BadLog):
        return any(_is_output(row) for row in log.opening(5))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each rollout, in file order."""
    rollouts: dict[str, list[Output]] = {}
    strangers = 0
    for place, row in enumerate(log.objects(), 1):
        if _is_output(row):
            output = _placed(row, place, content)
            rollouts.setdefault(output.rollout, []).append(output)
        else:
            strangers += 1
    if not rollouts:
        raise BadLog(
            f"{log.path.name}: found no output of a policy (expected lines with input, output, score and step)"
        )
    sizes = Counter(outputs[0].group for outputs in rollouts.values())
    seen: Counter[str] = Counter()
    for name, outputs in rollouts.items():
        first = outputs[0]
        builder = Builder(name, first.sample, importer=NAME, system=NAME, time="ordinal", content=content)
        if sizes[first.group] > 1:
            place = seen[first.group] if first.place is None else first.place
            builder.head["group"] = {"id": first.group, "rollout": place, "size": sizes[first.group]}
        if not seen:
            builder.lost("lines that are not JSON objects", log.unreadable)
            builder.lost("records that are not runs", strangers)
        seen[first.group] += 1
        _write(builder, outputs)
        yield builder.build()


def _is_output(row: Fields) -> bool:
    words = isinstance(row.get("input"), str) and isinstance(row.get("output"), str)
    return words and number(row.get("step")) is not None and "score" in row


def _placed(row: Fields, place: int, content: Content) -> Output:
    step = f"step-{int(number(row['step']) or 0)}"
    if key := KEY.fullmatch(text(row.get("uid")) or ""):
        group = f"{step}/{key['sample']}"
        return Output(row, f"{group}/{key['rollout']}", key["sample"], group, int(key["rollout"]))
    sample = content.reference(row["input"])
    return Output(row, f"{step}/line-{place}", sample, f"{step}/{sample}", None)


def _write(builder: Builder, outputs: list[Output]) -> None:
    """Write the outputs of a rollout one after another; the score of the last is that of the rollout."""
    builder.agent(POLICY, name=POLICY)
    for output in outputs:
        asked = builder.event("message", "user", to=POLICY, text=output.row["input"])
        last = _write_turns(builder, asked, output.row["output"])
        score = number(output.row.get("score"))
        builder.lost("outputs without a score", int(score is None))
        if score is not None:
            builder.head["rewards"] = {"score": score}
            if len(outputs) > 1:
                builder.amend(last, reward={"score": score})
        builder.lost("reference answers", int(output.row.get("gts") is not None))
    _figures(builder, outputs[-1].row)


def _write_turns(builder: Builder, asked: str, output: str) -> str:
    """Write the turns of an output and return the last one. What links them was read from its text."""
    before, turns = [(asked, "message")], _turns(output)
    turn = ""
    for words, calls, results, unreadable in turns:
        turn = builder.event("model_call", POLICY, text=words)
        for cause, type in before:
            builder.link(cause, turn, type, derived=type != "message")
        called = [builder.event("tool_call", POLICY, tool=tool, parent=turn) for tool in calls]
        before = []
        for call, result in zip(called, results, strict=False):
            answer = builder.event("tool_result", POLICY, parent=call, text=result)
            builder.link(call, answer, "tool_dependency", derived=True)
            before.append((answer, "tool_dependency"))
        for call in called:
            builder.link(turn, call, "causal", derived=True)
        builder.lost("results without a tool call", max(0, len(results) - len(called)))
        builder.lost("unreadable tool calls", unreadable)
        builder.lost("lines that may begin a turn, kept in another", words.count(NEXT))
    builder.lost(NO_TOKENS, len(turns))
    return turn


def _turns(output: str) -> list[Turn]:
    """Split an output where results follow a tool call; some templates begin it with the role."""
    first, *others = FOLLOWED.split(output.removeprefix("assistant\n"))
    turns: list[tuple[str, list[str]]] = [(first, [])]
    for part in others:
        words, results = turns[-1]
        found, more, next = part.partition(NEXT)
        turns[-1] = words if results else words + CLOSING, [*results, *_results(found)]  # which the split took away
        if more:
            turns.append((next, []))
    return [_turn(*turn) for turn in turns]


def _turn(words: str, results: list[str]) -> Turn:
    parts = words.split(OPENING)[1:]
    tools = [tool for part in parts if CLOSING in part and (tool := _tool(part.partition(CLOSING)[0]))]
    return Turn(words, tools, results, len(parts) - len(tools))


def _tool(call: str) -> str | None:
    if code := FUNCTION.match(call):
        return code[1]
    try:
        return text(mapping(json.loads(call)).get("name"))
    except (ValueError, RecursionError):
        return None


def _results(found: str) -> list[str]:
    """Return the results in a message: each in its own element, or all of it."""
    parts = found.split("<tool_response>")[1:]
    return [part.partition("</tool_response>")[0].strip() for part in parts] or [found.strip()]


def _figures(builder: Builder, row: Fields) -> None:
    """Write what the function that scores adds: figures are metrics, accuracy the outcome."""
    more: dict[str, Any] = {key: value for key, value in row.items() if key not in PLAIN and value is not None}
    known = {key: found for key, value in more.items() if (found := _figure(value)) is not None}
    builder.head["metrics"] = {"training_step": row["step"], **known}
    if known.get("acc") in (0, 1):
        builder.head["outcome"] = {"success": known["acc"] == 1}
    builder.lost("texts of scorers", len(more) - len(known))


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, bool) else number(value)


IMPORTER = Importer(
    NAME,
    "verl rollout and validation dumps",
    recognises,
    read,
    "The JSON Lines of rollout_data_dir and validation_data_dir, of every trainer of verl. No times and no tokens. One "
    "agent, the policy, by nature; turns and tool calls are read from the text of the output, where the results of a "
    "call part them, and their links are marked as inferred. Rollouts of one prompt in a step are a group. Tried on a "
    "line of verl's own documentation. Its traces in MLflow and Weave are in no file of its own and are not read.",
    experimental=False,
)
