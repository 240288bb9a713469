"""The parts of an episode: trajectories by agent, and what a step says, in every form in which rLLM writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from survey.traces.importers.json_values import Fields, instant, items, mapping, number, text, tokens

FINISH = "finish"
"""What an agent with tools writes as its action if the model called none."""
ENVIRONMENT = "environment"
"""The tool that stands for an environment whose time was measured."""
PER_TOKEN = ("prompt_ids", "response_ids", "logprobs", "routing_matrices")


class Call(NamedTuple):
    """A tool call of a step."""

    id: str | None
    tool: str | None


class Trajectory(NamedTuple):
    """The run of one agent in an episode."""

    name: str
    fields: Fields

    @property
    def steps(self) -> list[Fields]:
        """The steps, each one call of a model."""
        return objects(self.fields.get("steps"))


def objects(value: object) -> list[Fields]:
    """Return the objects of a list."""
    return [item for item in items(value) if isinstance(item, Mapping)]


def trajectories(episode: Fields) -> list[Trajectory]:
    """Return the trajectories that have steps; the first versions paired each with its name."""
    found = []
    for item in items(episode.get("trajectories")):
        name, fields = (item[0], item[1]) if isinstance(item, list) and len(item) == 2 else (None, item)
        fields = mapping(fields)
        if objects(fields.get("steps")):
            found.append(Trajectory(text(name) or text(fields.get("name")) or "agent", fields))
    return found


def is_episode(fields: Fields) -> bool:
    """Return whether this is an episode in which an agent took a step."""
    return {"is_correct", "termination_reason"} <= fields.keys() and bool(trajectories(fields))


def episodes(fields: Fields) -> Iterator[Fields]:
    """Yield an episode, or those in the summary of a program that ran them."""
    if is_episode(fields):
        yield fields
    else:
        yield from (each for each in objects(fields.get("episodes")) if is_episode(each))


def words(content: object) -> str | None:
    """Return the text of a message: as it is, or in parts."""
    if isinstance(content, str):
        return content or None
    return "\n".join(part for item in objects(content) if (part := text(item.get("text")))) or None


def prompt(step: Fields) -> list[Fields]:
    """Return the messages that the model read."""
    messages = objects(step.get("chat_completions"))
    return messages[:-1] if messages and messages[-1].get("role") == "assistant" else messages


def news(step: Fields) -> list[Fields]:
    """Return the messages of the prompt that came after the last reply in it."""
    messages = prompt(step)
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].get("role") == "assistant":
            return messages[place + 1 :]
    return messages


def reply(step: Fields) -> Fields:
    """Return the message that the model wrote."""
    messages = objects(step.get("chat_completions"))
    return messages[-1] if messages and messages[-1].get("role") == "assistant" else {}


def answer(step: Fields) -> str | None:
    """Return the text that the model wrote."""
    said = text(step.get("model_response")) or words(reply(step).get("content"))
    return said or text(output(step).get("content")) or text(step.get("output"))


def output(step: Fields) -> Fields:
    """Return the model's output, if the log has it."""
    return mapping(step.get("model_output"))


def calls(step: Fields) -> list[Call]:
    """Return the tool calls of the message, else of the action, else of the model's output."""
    acted = [
        item for item in objects(step.get("action")) if mapping(item.get("function")).get("name", FINISH) != FINISH
    ]
    found = objects(reply(step).get("tool_calls")) or acted or objects(output(step).get("tool_calls"))
    return [
        Call(text(item.get("id")), text(mapping(item.get("function")).get("name")) or text(item.get("name")))
        for item in found
    ]


def usage(step: Fields) -> dict[str, float] | None:
    """Return the lengths of prompt and completion, in tokens; what nobody counted is written as zero."""
    lengths = [number(output(step).get(name)) for name in ("prompt_length", "completion_length")]
    ids = [len(items(step.get(name))) for name in ("prompt_ids", "response_ids")]
    read, written = (length or count or None for length, count in zip(lengths, ids, strict=True))
    return tokens(input=read, output=written)


def per_token(step: Fields) -> bool:
    """Return whether the step says something about single tokens."""
    return any(items(step.get(name)) for name in (*PER_TOKEN, "advantage"))


class Timing(NamedTuple):
    """When a step began, and the seconds that the model and then the environment took."""

    start: float
    model: float
    environment: float


def timing(step: Fields) -> Timing | None:
    """Return the times of a step, if the log has them: in its own place, or in the information on the step."""
    places: list[Any] = [step, step.get("info"), step.get("metadata")]
    found = next((each for place in places if (each := mapping(mapping(place).get("timing")))), {})
    start = instant(found.get("start_timestamp"))
    seconds = [max(0.0, number(found.get(name)) or 0.0) for name in ("llm_time", "env_time")]
    return None if start is None else Timing(start, *seconds)
