"""rLLM: episodes of a workflow, as its trainers, its evaluation and its recipes write them.

An episode holds a trajectory for each agent, and a trajectory a step for each call of a model, with the messages that
the model read and wrote. Whose words another agent was given is not written: where the first prompt of an agent quotes
what an earlier one said last, a message is inferred. Times are of the whole episode; where it has several agents they
are given to each of them alike, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.importers.rollouts.rllm.run import Run
from survey.traces.importers.rollouts.rllm.steps import episodes
from survey.traces.model import Content, Trace

__all__ = ["IMPORTER"]


def recognises(log: Log) -> bool:
    """Return whether the log is an episode, or has one among its first objects."""
    with suppress(OSError, BadLog):
        return any(True for fields in log.opening(5) for _ in episodes(fields))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each episode; a file holds one, a list, or one on each line."""
    last: Run | None = None
    strangers = 0
    for place, fields in enumerate(log.objects(), 1):
        found = list(episodes(fields))
        strangers += not found
        for episode in found:
            if last:
                yield last.trace()
            last = Run(episode, f"{log.path.stem}:{place}", content)
    if not last:
        raise BadLog(
            f"{log.path.name}: found no episode (expected an object with is_correct, termination_reason and "
            "trajectories that have steps)"
        )
    last.builder.lost("lines that are not JSON objects", log.unreadable)
    last.builder.lost("records that are not runs", strangers)
    yield last.trace()


IMPORTER = Importer(
    "rllm",
    "rLLM episodes",
    recognises,
    read,
    "Episodes as the trainers log them, as rllm eval saves them, and lists of them that recipes dump. Each trajectory "
    "is an agent; nothing says who started it. A message from one agent to another is inferred where a prompt quotes "
    "it. Times only where the workflow measures them and has one agent.",
    experimental=True,
)
