"""Traces as fuzz targets: plain and packed, one and many; read, replayed, measured and exported."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from survey.traces import Reading, Trace, readings, replay
from survey.traces.exporters import EXPORTERS
from survey.traces.files import anonymised, to_json_line
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.metrics import measure
from survey.traces.metrics.difference import difference
from survey.traces.model import Content, schema
from survey.traces.rewards import FAMILIES, rewards
from tests.fuzz.mutate import mutated
from tests.fuzz.targets.target import ROOT, Files, Lost, Outcome, Target
from tests.traces.importers.samples import sample

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OPENING = re.compile(r'\n\{"(?:' + "|".join(schema()["properties"]) + ')"')
"""How a line begins that any reader takes for the beginning of a trace."""


@cache
def _originals() -> tuple[bytes, ...]:
    """Return hand-written and imported traces, small enough for many inputs in a second."""
    found = [json.loads((ROOT / "survey/traces/model/example.json").read_text())]
    for name in ("background", "inline"):
        log = Log(sample(f"claude-code/{name}.jsonl"))
        found += [trace.to_json() for trace in IMPORTER.read(log, Content(salt="fuzz"))]
    return tuple(json.dumps(trace).encode() for trace in found)


def _documents() -> list[Files]:
    indented = [json.dumps(json.loads(text), indent=1).encode() for text in _originals()[:1]]
    return [{"run.json": text} for text in (*_originals(), *indented)]


def _lines() -> list[Files]:
    first, second, third = _originals()
    return [{"runs.jsonl": b"\n".join((second, first, third, first)) + b"\n"}]


def _read(data: bytes) -> list[Reading]:
    """The readings, after each was used in every way that a reading offers."""
    found = list(readings(io.BytesIO(data), "runs"))
    if not found:
        raise Lost("nothing was read, and nothing was reported")
    for reading in found:
        for problem in reading.problems:
            assert str(problem).isprintable()
        if (reading.trace is None) != bool(reading.problems.errors):
            raise Lost(f"{reading.place}: no trace and no error, or both")
        if reading.trace is not None:
            replayed = replay(reading.trace)
            for problem in replayed.problems:
                str(problem)
            measure(replayed)
    return found


def _run(files: Files, folder: Path) -> Outcome:
    del folder
    (data,) = files.values()
    found = _read(data)
    _all_there(data, found)
    return Outcome.REPORTED if any(reading.problems for reading in found) else Outcome.ACCEPTED


def _all_there(data: bytes, found: Sequence[Reading]) -> None:
    """Check that every JSON document is read as a trace with the same content, or has its own error."""
    if data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return
    at = defaultdict[int, list[Reading]](list)  # a line may hold several documents
    for reading in found:
        if ":" in reading.place:  # a problem of the whole file has no line
            at[int(reading.place.rpartition(":")[2])].append(reading)
    for line, document in _parsed(data.decode("utf-8-sig", "surrogateescape")):
        if line not in at:
            if any(_left_out(reading, line) for reading in found):
                continue
            raise Lost(f"the document of line {line} was not read (lines read: {sorted(at)})")
        if not any(_tells(reading, document) for reading in at[line]):
            raise Lost(f"no trace of line {line} equals the document")


def _tells(reading: Reading, document: object) -> bool:
    """Return whether a reading equals the document or reports an error in it."""
    whole = reading.trace is not None and reading.trace.to_json() == document
    return whole or bool(reading.problems.errors) or "duplicate-key" in reading.problems.kinds


def _left_out(reading: Reading, line: int) -> bool:
    """Return whether an error of an earlier document reports that this line was skipped."""
    said = " ".join(map(str, reading.problems))
    on = re.search(r"; resumed at line (\d+)", said)
    earlier = ":" in reading.place and int(reading.place.rpartition(":")[2]) < line
    return earlier and (line < int(on[1]) if on else "; nothing after it was read" in said)


def _parsed(text: str) -> Iterator[tuple[int, object]]:
    """Yield the objects in a text with their lines; broken text is skipped up to a line that starts a trace."""
    decoder, place = json.JSONDecoder(), 0
    while True:
        while place < len(text) and text[place] in " \t\r\n":
            place += 1
        if place == len(text):
            return
        line = text.count("\n", 0, place) + 1
        try:
            document, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            document = None
        if isinstance(document, dict):
            yield line, document
            continue
        if not (following := OPENING.search(text, place)):
            return
        place = following.start() + 1


def _packed(seed: Files, others: Sequence[bytes], kind: str, chance: Random) -> Files:
    """Return an input that is packed and then damaged, or damaged and then packed."""
    (data,) = seed.values()
    pack = chance.choice((gzip.compress, zstd.compress))
    if chance.random() < 0.5:
        return {"run.packed": pack(mutated(data, others, "json", chance))}
    return {"run.packed": mutated(pack(data), [pack(data)], "bytes", chance)}


def _unpacked(files: Files, folder: Path) -> Outcome:
    del folder
    (data,) = files.values()
    found = _read(data)
    if _whole_packing(data) is None and not any(reading.problems.errors for reading in found):
        raise Lost("a damaged packing was not reported")
    return Outcome.REPORTED if any(reading.problems for reading in found) else Outcome.ACCEPTED


def _whole_packing(data: bytes) -> bytes | None:
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        return zstd.decompress(data) if data.startswith(b"\x28\xb5\x2f\xfd") else data
    except Exception:  # any exception means that the packing is damaged
        return None


def _used(files: Files, folder: Path) -> Outcome:
    """Compare, anonymise, reward and export the traces that were read."""
    del folder
    (data,) = files.values()
    (original,) = readings(io.BytesIO(_originals()[0]), "original")
    traces = [reading.trace for reading in readings(io.BytesIO(data), "run") if reading.trace is not None]
    for trace in traces[:2]:
        _everywhere(trace, original.valid())
    return Outcome.ACCEPTED if traces else Outcome.REPORTED


def _everywhere(trace: Trace, original: Trace) -> None:
    difference(trace, original)
    rewards(replay(trace), list(FAMILIES), {})
    for text in (to_json_line(trace), to_json_line(anonymised(trace, "salt"))):
        (again,) = readings(io.BytesIO(text), "again")
        again.valid()
    for exporter in EXPORTERS.values():
        document = exporter(trace)
        if not isinstance(document, str):
            json.dumps(document, allow_nan=False)


TARGETS = (
    Target("trace", "json", _documents, _run, more=("run*.json", "trace*.json")),
    Target("traces in lines", "json", _lines, _run),
    Target("packed traces", "bytes", _documents, _unpacked, mutate=_packed),
    Target("traces written for others", "json", _documents, _used),
)
