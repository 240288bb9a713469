"""Logs of Inspect AI: one trace for each sample and epoch.

The root agent is ``main``. An agent that Inspect ran inside a tool call or from code is spawned at the start of
its span and returns at its end. If all model calls are in the span of one agent, that agent is the root. The work
of scorers is left out; their scores become the rewards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from survey.traces.importers.benchmarks.inspect_log.events import ROOT, Transcript
from survey.traces.importers.benchmarks.inspect_log.outcome import failed, limit_of, scores
from survey.traces.importers.benchmarks.inspect_log.samples import Samples, events_of, is_archive, is_document
from survey.traces.importers.benchmarks.inspect_log.transcript import transcript
from survey.traces.importers.benchmarks.inspect_log.writing import Writer
from survey.traces.importers.json_values import Fields, flag, mapping, number, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Builder, Content, Trace

NAME = "inspect"


def recognises(log: Log) -> bool:
    """Return whether it is an ``.eval`` archive, a JSON log, one sample of either, or a list of Inspect's events."""
    with suppress(OSError, BadLog):
        return is_archive(log) or is_document(log)
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each sample and epoch, in log order."""
    if not recognises(log):
        raise BadLog(f"{log.path.name}: no Inspect log (expected an .eval archive, or JSON with eval and samples)")
    samples = Samples(log)
    last: Builder | None = None
    for sample in samples:
        if last:
            yield last.build()
        last = _built(sample, samples.header, log.path.stem, content)
    if not last:
        found = f"{samples.unreadable} that cannot be read" if samples.unreadable else "none"
        raise BadLog(f"{log.path.name}: an Inspect log without samples (expected at least one, found {found})")
    last.lost("unreadable samples, or pieces of samples", samples.unreadable)
    yield last.build()


def _built(sample: Fields, header: Fields, name: str, content: Content) -> Builder:
    found = transcript(events_of(sample))
    run = text(header.get("eval_id")) or text(header.get("task_id")) or text(header.get("run_id")) or name
    sample_id, epoch = _id(sample.get("id")), number(sample.get("epoch")) or 1
    builder = Builder(
        text(sample.get("uuid")) or f"{run}/{sample_id}/{epoch}",
        "/".join(filter(None, (text(header.get("task")), sample_id))),
        importer=NAME,
        system="inspect",
        version=text(mapping(header.get("packages")).get("inspect_ai")),
        time=found.time,
        content=content,
    )
    root = next((span.name for span in found.spans.values() if span.is_agent and span.owner == ROOT), None)
    builder.agent(ROOT, name=root, model=text(header.get("model")))
    Writer(builder, sample, found).write()
    _judge(builder, sample, found)
    epochs = number(mapping(header.get("config")).get("epochs")) or 1
    if epochs > 1 and 1 <= epoch <= epochs:
        builder.head["group"] = {"id": f"{run}/{sample_id}", "rollout": int(epoch) - 1, "size": int(epochs)}
    times = {key: number(sample.get(key)) for key in ("total_time", "working_time")}
    builder.head["metrics"] = {key: time for key, time in times.items() if time is not None} or None
    return builder


def _id(value: object) -> str:
    return text(value) or (str(value) if number(value) is not None else "sample")


def _judge(builder: Builder, sample: Fields, found: Transcript) -> None:
    """Add rewards and outcome, from the scores of the sample or else from its score events."""
    given = [(text(name) or "score", score) for name, score in mapping(sample.get("scores")).items()]
    if not given and sample.get("score"):
        given = [("score", sample["score"])]
    if not given:
        final = [item for item in found.items if item.kind == "score" and not flag(item.fields.get("intermediate"))]
        given = [(text(item.fields.get("scorer")) or "score", item.fields.get("score")) for item in final]
    values = [(name, mapping(score).get("value")) for name, score in given]
    rewards: dict[str, float] = {}
    for name, value in values:
        known = dict(scores(name, value))
        rewards |= known
        builder.lost("scores that are not numbers", not known)
    builder.head["rewards"] = rewards
    outcome: dict[str, object] = {}
    if len(values) == 1 and (values[0][1] in ("C", "I") or isinstance(values[0][1], bool)):
        outcome["success"] = values[0][1] in ("C", True)
    if len(rewards) == 1:
        outcome["score"] = next(iter(rewards.values()))
    limit = limit_of(sample, found)
    if failed(sample, found):
        outcome["status"] = "error"
    elif limit:
        outcome["status"] = "timeout" if limit in ("time", "working") else "cancelled"
    builder.head["outcome"] = outcome or None


IMPORTER = Importer(
    NAME,
    "Inspect AI evaluation logs",
    recognises,
    read,
    "`.json` and `.eval`, a trace for each sample and epoch, older logs with nested events included. Scores become "
    "rewards; model calls of scorers and steps inside sandboxes are left out and counted.",
)
