"""Damaged files give traces or errors: no crashes, no silent losses."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from survey.traces import Reading, Trace, readings, replay
from survey.traces.files import window
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.metrics import measure
from survey.traces.model import Content
from tests.traces.conftest import REAL
from tests.traces.importers.mutants import mutant
from tests.traces.importers.samples import sample
from tests.traces.strategies import Json, documents, published_example

MANY = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def imported(path: Path) -> list[Json]:
    return [trace.to_json() for trace in IMPORTER.read(Log(path), Content(salt="fuzz"))]


@pytest.fixture(scope="module")
def originals() -> list[Json]:
    """Traces written by hand, from fixtures, and from real logs if available."""
    found = [
        published_example(),
        *imported(sample("claude-code/background.jsonl")),
        *imported(sample("claude-code/inline.jsonl")),
    ]
    real = REAL / "claude-code" / "parallel3-interrupted.jsonl"
    return found + (imported(real) if real.is_file() else [])


@contextmanager
def in_the_end() -> Iterator[None]:
    """Stop endless loops, so that one hang does not block all tests."""

    def give_up(*_: object) -> None:
        raise TimeoutError("this goes on and on")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def held(text: bytes) -> list[Reading]:
    """Read the text; every document is a trace that survives replay and measuring, or has an error."""
    with in_the_end():
        return all_sound(list(readings(io.BytesIO(text), "log")))


def all_sound(found: list[Reading]) -> list[Reading]:
    assert found
    for reading in found:
        assert (reading.trace is None) == bool(reading.problems.errors)
        for problem in reading.problems:
            str(problem)
        if reading.trace is not None:
            for problem in replay(reading.trace).problems:
                str(problem)
            measure(reading.trace)
    return found


def agrees(text: bytes) -> None:
    """Texts are read as by any JSON parser, and what was not read is reported."""
    found = held(text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        assert any(reading.problems.errors for reading in found) or len(found) > 1
        return
    (reading,) = found
    if reading.trace is not None:
        assert reading.trace.to_json() == document


def damaged(text: bytes, chance: random.Random) -> Iterator[bytes]:
    for _ in range(60):
        place = chance.randrange(len(text))
        yield text[:place] + bytes([text[place] ^ (1 << chance.randrange(8))]) + text[place + 1 :]
        yield text[:place]
        yield text[:place] + text[place + chance.randrange(1, 20) :]
        yield text[:place] + text[chance.randrange(len(text)) :][:30] + text[place:]


@pytest.mark.parametrize("size", [50, 1 << 18])
def test_a_text_with_a_damage_is_read_or_refused(originals: list[Json], size: int) -> None:
    chance = random.Random(7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "PIECE", size)
        for original in originals:
            small = {**original, "events": original["events"][:30], "edges": original["edges"][:40]}
            for text in damaged(json.dumps(small).encode(), chance):
                agrees(text)


def test_a_trace_with_strange_values_is_read_or_refused(originals: list[Json]) -> None:
    chance = random.Random(8)
    for original in originals:
        small = {**original, "events": original["events"][:30], "edges": original["edges"][:40]}
        for _ in range(200):
            agrees(json.dumps(mutant(small, chance)).encode())


STRANGE: list[Any] = [
    None,
    True,
    -1,
    0.5,
    1e308,
    -(10**30),
    2**53 + 1,
    "",
    "e1",
    "user",
    "\x00\u2028",
    [],
    ["O1"],
    {},
    {"input": -1},
    {"input": None},
    [[[[]]]],
]
FIELDS = [
    "id",
    "t",
    "type",
    "agent",
    "from",
    "to",
    "tool",
    "t_end",
    "tokens",
    "cost",
    "parent",
    "decision",
    "reward",
    "delivered",
    "status",
    "content",
]


@MANY
@given(documents(), st.sampled_from(FIELDS), st.sampled_from(STRANGE), st.booleans(), st.data())
def test_any_field_may_hold_anything(
    document: Json, field: str, value: Any, versioned: bool, data: st.DataObject
) -> None:
    made = copy.deepcopy(document)
    data.draw(st.sampled_from(made["events"]))[field] = value
    if not versioned:
        del made["schema_version"]
    agrees(json.dumps(made).encode())


@settings(MANY, phases=[Phase.generate])  # shrinking a hang takes too long
@given(documents(), st.data())
def test_any_references_may_be_wrong(document: Json, data: st.DataObject) -> None:
    """With valid structure and everything else wrong, replay and measures still work."""
    made = copy.deepcopy(document)
    ids = [event["id"] for event in made["events"]] + ["nobody"]
    agents = [event["agent"] for event in made["events"]] + ["nobody", "user"]
    for _ in range(data.draw(st.integers(1, 6))):
        event = data.draw(st.sampled_from(made["events"]))
        event |= data.draw(st.fixed_dictionaries({}, optional={
            "id": st.sampled_from(ids), "t": st.integers(0, 9), "agent": st.sampled_from(agents), "to": st.sampled_from(agents),
            "parent": st.sampled_from(ids), "type": st.sampled_from(["spawn", "despawn", "stop", "tool_result", "return", "message"]),
        }))  # fmt: skip
        made["edges"].append(
            {"src": data.draw(st.sampled_from(ids)), "dst": data.draw(st.sampled_from(ids)), "type": "causal"}
        )
    (reading,) = held(json.dumps(made).encode())
    assert reading.valid().to_json() == made


@MANY
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for text in (data, b'{"events": [' + data, b"\x1f\x8b" + data, b"\x28\xb5\x2f\xfd" + data, gzip.compress(data)):
        held(text)


@MANY
@given(
    st.lists(
        st.sampled_from([*'{}[],:"\\\n 0e-.', '"events"', '"edges"', '"a"', "null", "true", "12"]), max_size=40
    ).map("".join)
)
def test_any_punctuation_is_read_or_refused(text: str) -> None:
    agrees(text.encode()) if text.strip() else held(text.encode())


def test_a_million_brackets_are_refused() -> None:
    for text in ("[" * 10**6, '{"events": ' + "[" * 10**6, '{"a":' * 10**5, '{"events": [' + '{"a": [' * 10**5):
        assert held(text.encode())[0].problems.errors


def test_a_trace_of_a_real_run_is_read_as_it_was_written(originals: list[Json]) -> None:
    for original in originals:
        assert [reading.valid().to_json() for reading in held(json.dumps(original).encode())] == [original]
        assert Trace.of(original).to_json() == original
