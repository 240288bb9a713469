"""Logs of other systems as fuzz targets: one for each importer, and one for format detection."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from survey.traces import Trace, check
from survey.traces.importers import BadLog, Importer, Log, importers, recognised
from survey.traces.model import Content
from tests.fuzz.mutate import mutated
from tests.fuzz.targets.records import without_one
from tests.fuzz.targets.target import Files, Lost, Outcome, Target, clear, files_below, write_files
from tests.traces.importers.mutants import FAULTS_OF_AN_IMPORTER
from tests.traces.importers.samples import sample

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

NO_OBJECTS = "lines that are not JSON objects"


def _seeds(name: str) -> list[Files]:
    """Return the logs of the importer's own tests: single files, and folders."""
    paths = sorted(sample(name).iterdir())
    found: list[Files] = [files_below(path) if path.is_dir() else {path.name: path.read_bytes()} for path in paths]
    if name == "atif":  # which also comes as lines
        whole = [json.dumps(json.loads(path.read_bytes())).encode() for path in paths if path.suffix == ".json"]
        found.append({"lines.jsonl": b"\n".join(whole) + b"\n"})
    return found


def _run(choose: Callable[[Log], Importer | None], files: Files, folder: Path) -> Outcome:
    if len(files) == 1:
        ((name, data),) = files.items()
        log = Log(Path(name), data)
    else:
        clear(folder)
        write_files(files, folder)
        log = Log(folder)
    try:
        importer = choose(log)
        if importer is None:
            return Outcome.REPORTED
        recognises = importer.recognises(log)
        found = list(importer.read(log, Content(salt="fuzz")))
    except BadLog as error:
        if not str(error).strip():
            raise Lost("refused without a message") from None
        return Outcome.REPORTED
    _sound(found, importer, recognises)
    if len(files) == 1:
        _lines_told(importer, log, found)
        _noticed(importer, log.path, data, found)
    return Outcome.REPORTED if any(trace.source.get("lost") for trace in found) else Outcome.ACCEPTED


def _sound(found: Sequence[Trace], importer: Importer, recognises: bool) -> None:
    """Check that an importer produces valid traces for any log."""
    del recognises
    if not found:
        raise Lost(f"{importer.name} returns no trace and no message")
    for trace in found:
        problems = check(trace)
        if faults := FAULTS_OF_AN_IMPORTER & problems.kinds.keys():
            shown = [str(problem) for problem in problems if problem.kind in faults]
            raise Lost(f"{importer.name} produces an inconsistent trace: {shown[:3]}")


def _lines_told(importer: Importer, log: Log, found: Sequence[Trace]) -> None:
    """Check that every line that is not a JSON object is counted as a loss."""
    if importer.name not in BY_LINES or log.text.lstrip().startswith("[") or log.document is not None:
        return
    broken = sum(1 for line in log.text.split("\n") if line.strip() and not _is_object(line))
    told = sum(item["count"] for trace in found for item in trace.source.get("lost", []) if item["what"] == NO_OBJECTS)
    if told < broken and not _printed(log.text):
        raise Lost(f"{importer.name}: {broken} lines are not objects, {told} are reported")


def _noticed(importer: Importer, path: Path, data: bytes, found: Sequence[Trace]) -> None:
    """Check that removing an act from a log changes the trace or its losses."""
    less = without_one(importer.name, data)
    if less is None:
        return
    gone, rest = less
    try:
        others = list(importer.read(Log(path, rest), Content(salt="fuzz")))
    except BadLog:
        return
    if [repr(trace) for trace in others] == [repr(trace) for trace in found]:
        raise Lost(f"{importer.name} ignores {gone[:200]}")


BY_LINES = (
    "atif", "claude-code", "codex", "copilot", "langfuse", "langsmith", "marble", "mlflow", "openai-agents",
    "opentelemetry", "rllm", "verl", "weave", "who-and-when",
)  # fmt: skip


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _printed(text: str) -> bool:
    """Return whether these are concatenated indented objects, in which single lines have no meaning."""
    return not any(_is_object(line) for line in text.split("\n"))


def _named(name: str) -> Callable[[Log], Importer | None]:
    return lambda _: importers()[name]


def _auto(log: Log) -> Importer | None:
    return recognised(log)


# -------------------------------------------------------------- archives


@cache
def _members() -> dict[str, bytes]:
    document: dict[str, Any] = json.loads(sample("inspect/team.json").read_text())
    samples = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in document["samples"]}
    first = document["samples"][0]
    pieces = {
        "samples/p_epoch_1/sample.json": {**first, "id": "p", "events": [], "uuid": None},
        "samples/p_epoch_1/events/0.json": first["events"][:3],
        "samples/p_epoch_1/events/1.json": first["events"][3:],
        "samples/p_epoch_1/attachments/0.json": ["x"],
    }
    header = {"_journal/start.json": {"eval": document["eval"]}, "header.json": {"eval": document["eval"]}}
    return {name: json.dumps(member).encode() for name, member in {**header, **samples, **pieces}.items()}


def _archive(members: Files, packing: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, packing)
    return buffer.getvalue()


def _archived(seed: Files, others: Sequence[bytes], kind: str, chance: Random) -> Files:
    """Return a damaged archive, or one with a damaged member."""
    del seed, others, kind
    packing = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD))
    members = dict(_members())
    if chance.random() < 0.6:
        name = chance.choice(sorted(members))
        members[name] = mutated(members[name], list(members.values()), "json", chance)
        if chance.random() < 0.2:
            members[chance.choice(("samples/x_epoch_1.json", "samples/../../x_epoch_2.json", "header.json/x"))] = (
                members.pop(name)
            )
        return {"log.eval": _archive(members, packing)}
    data = _archive(members, packing)
    return {"log.eval": mutated(data, [data], "bytes", chance)}


TARGETS = (
    *(
        Target(name, "json", partial(_seeds, name), partial(_run, _named(name)), more=(pattern,))
        for name, pattern in (
            ("claude-code", "claude-code*/*.jsonl"),
            ("opentelemetry", "opentelemetry/*.json*"),
            ("openai-agents", "openai-agents/*.jsonl"),
            ("mlflow", "mlflow/*.json*"),
            ("langfuse", "langfuse/*.json*"),
            ("langsmith", "langsmith/*.json*"),
            ("weave", "weave/*.json*"),
            ("atif", "atif/*.json"),
            ("inspect", "inspect/*.json"),
            ("who-and-when", "who-and-when/*.json"),
            ("marble", "marble/*.jsonl"),
            ("codex", "codex/*.jsonl"),
            ("verl", "verl/*.jsonl"),
            ("rllm", "rllm/*.json"),
            ("swe-agent", "swe-agent/*.traj"),
            ("mini-swe-agent", "mini-swe-agent/*.json"),
            ("openhands", "openhands/*.json*"),
            ("copilot", "copilot/*.jsonl"),
            ("gemini", "gemini/**/*.json*"),
        )
    ),
    Target("claude-code-team", "json", partial(_seeds, "claude-code-team"), partial(_run, _named("claude-code-team"))),
    Target("inspect archive", "bytes", lambda: [_members()], partial(_run, _named("inspect")), mutate=_archived),
    Target(
        "any log",
        "json",
        lambda: [seed for name in importers() for seed in _seeds(name)],
        partial(_run, _auto),
        more=("*.jsonl",),
    ),
)  # fmt: skip
