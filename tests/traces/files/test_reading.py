"""Documents are read from files unchanged, and every error in them is reported."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import InvalidTrace, Reading, check, read, readings, readings_of
from survey.traces.files import compression, window
from tests.traces.strategies import MODEST, Json, document, documents, jsons, published_example

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TURN: Json = {"type": "model_call"}


def found(text: str | bytes | Json) -> list[Reading]:
    if isinstance(text, dict):
        text = json.dumps(text)
    return list(readings(io.BytesIO(text.encode() if isinstance(text, str) else text), "log"))


def said(text: str | bytes | Json) -> list[str]:
    return [str(problem) for reading in found(text) for problem in reading.problems]


def line(name: str) -> bytes:
    return json.dumps(document([TURN], trace_id=name)).encode()


def names(text: bytes) -> list[str | None]:
    return [reading.trace.id if reading.trace else None for reading in found(text)]


def with_event(**fields: Any) -> Json:
    return document([{**TURN, **fields}])


# what is preserved


def test_the_published_example_is_read_without_a_problem() -> None:
    (reading,) = found(published_example())
    assert list(reading.problems) == []
    assert list(check(reading.valid())) == []
    assert reading.valid().to_json() == published_example()


@MODEST
@given(st.dictionaries(st.text(max_size=6), jsons, max_size=3))
def test_fields_of_any_name_and_type_are_kept_without_a_version(fields: Json) -> None:
    whole = with_event(**{key: value for key, value in fields.items() if key not in ("id", "t", "type", "agent")})
    for reading in found(whole):
        assert reading.problems.errors or reading.valid().to_json() == whole


@pytest.mark.parametrize(
    ("field", "value"),
    [("tokens", "12k"), ("status", 200), ("delivered", True), ("delivered", None), ("parent", 7), ("cost", {"usd": 1}),
     ("t_end", "later"), ("decision", ["O1", "O1"]), ("reward", None), ("content", ["a"]), ("tokens", {"input": 1, "prompt": 2}),
     ("tokens", {"input": None}), ("reward", {"judge": None}), ("agent_name", 3), ("transfer", "yes")],
)  # fmt: skip
def test_a_name_of_ours_that_means_something_else_is_a_warning_and_is_kept(field: str, value: Any) -> None:
    (reading,) = found(with_event(**{field: value}))
    assert reading.problems.warnings == 1
    assert reading.problems.errors == 0
    assert reading.valid().to_json() == with_event(**{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("tokens", "12k"), ("delivered", True), ("decision", ["O1", "O1"]), ("tokens", {"input": None})],
)
def test_the_same_is_an_error_with_a_version(field: str, value: Any) -> None:
    (reading,) = found({**with_event(**{field: value}), "schema_version": 1})
    assert reading.trace is None
    assert reading.problems.errors == 1


@pytest.mark.parametrize("number", [2**53 + 1, 1763705629123456789, 2**63 - 1])
def test_integers_are_preserved_to_the_last_digit(number: int) -> None:
    """Such as a time in nanoseconds since 1970."""
    for field in ("t", "t_end", "tokens", "cost", "colour"):
        for reading in found(with_event(**{field: number})):
            assert reading.problems.errors or reading.valid().to_json() == with_event(**{field: number})


def test_a_number_of_64_bits_may_stand_in_a_field_that_the_schema_does_not_know() -> None:
    assert said(with_event(span=2**64 - 1)) == []


def test_an_event_that_is_changed_keeps_its_fields_that_are_null() -> None:
    (event,) = found(with_event(note=None))[0].valid().events
    assert event.with_fields(t=1).to_json() == {"id": "e1", "t": 1, "type": "model_call", "agent": "lead", "note": None}


def test_a_document_of_many_pieces_is_read_as_it_is() -> None:
    events: list[Json] = [{"type": "model_call", "tokens": {"input": n, "output": 1}} for n in range(5000)]
    for odd in (1000, 3000):
        events[odd] |= {"colour": {"a": [None]}}
    whole = document(events, [(f"e{n}", f"e{n + 1}", "temporal") for n in range(1, 5000)])
    (reading,) = found(whole)
    assert list(reading.problems) == []
    assert reading.valid().to_json() == whole


@MODEST
@given(documents(), st.sampled_from([1, 60, 700]), st.sampled_from([None, 0, 2]))
def test_where_the_text_is_cut_into_pieces_makes_no_difference(whole: Json, size: int, indent: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "PIECE", size)
        (reading,) = found(json.dumps(whole, indent=indent))
    assert list(reading.problems) == []
    assert reading.valid().to_json() == whole


@pytest.mark.parametrize("order", [["edges", "events"], ["events", "edges"]])
def test_the_lists_may_stand_in_any_order(order: list[str]) -> None:
    whole = document([TURN, TURN], [("e1", "e2", "causal")])
    turned = {key: whole[key] for key in [*order, *(key for key in whole if key not in order)]}
    assert found(turned)[0].valid().to_json() == whole


@MODEST
@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30),
    st.lists(st.tuples(*[st.sampled_from("abcdefghxy")] * 2), max_size=10),
    st.booleans(),
)
def test_edges_join_what_they_name_even_where_ids_are_there_twice(
    ids: list[str], ends: list[tuple[str, str]], edges_first: bool
) -> None:
    whole = document([{**TURN, "id": id} for id in ids], [(src, dst, "causal") for src, dst in ends])
    if edges_first:
        whole = {"edges": whole["edges"], **whole}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "PIECE", 100)
        trace = found(whole)[0].valid()
    assert [event.id for event in trace] == ids
    assert [(edge.src, edge.dst) for edge in trace.edges] == ends


# many documents, compression


def test_lines_of_json_are_one_trace_each_with_their_places() -> None:
    text = line("a") + b"\n\n" + line("b") + b"\r\n" + line("c")
    assert [(reading.place, reading.valid().id) for reading in found(text)] == [
        ("log:1", "a"),
        ("log:3", "b"),
        ("log:4", "c"),
    ]


def test_documents_over_many_lines_may_follow_one_another() -> None:
    text = "\n".join(json.dumps(document([TURN], trace_id=name), indent=2) for name in "abc").encode()
    assert names(text) == ["a", "b", "c"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress], ids=["plain", "gzip", "zstd"])
def test_packed_files_are_read_like_plain_ones(tmp_path: Path, pack: Any) -> None:
    (tmp_path / "log").write_bytes(pack(line("a") + b"\n" + line("b")))
    assert [reading.valid().id for reading in readings_of(tmp_path / "log")] == ["a", "b"]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_truncated_compressed_file_is_reported(pack: Any) -> None:
    text = b"\n".join(line(str(number)) for number in range(200))
    packed = pack(text)
    cut = found(packed[: len(packed) // 2])
    assert cut[-1].trace is None
    assert cut[-1].problems.errors == 1


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_what_unpacks_to_hundreds_of_times_its_size_is_refused(pack: Any) -> None:
    (reading,) = found(pack(b" " * (compression.LARGE + 1)))
    message = "it unpacks to more than 250 times its size, as no genuine log does (if it is genuine, unpack it)"
    assert [str(problem) for problem in reading.problems] == [f"the file cannot be unpacked ({message})"]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_blanks_that_fill_no_memory_may_be_packed_as_tightly_as_they_can(pack: Any) -> None:
    assert names(pack(line("a") + b" " * (compression.LARGE - 5000))) == ["a"]


def test_a_file_with_a_broken_line_needs_no_larger_window() -> None:
    stream = io.BytesIO(b'{"trace_id": 1 2}\n' + b'{"events": [{"id" 1}\n' + (line("a") + b"\n") * 10_000)
    reader = readings(stream, "log")
    assert [next(reader).trace, next(reader).trace] == [None, None]
    assert next(reader).valid().id == "a"
    assert stream.tell() < 4 * window.PIECE


def test_a_byte_order_mark_is_no_problem() -> None:
    assert names(b"\xef\xbb\xbf" + line("a")) == ["a"]


def test_read_gives_the_one_trace_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(line("a"))
    assert read(tmp_path / "a.json").id == "a"


def test_read_refuses_a_file_of_two(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(line("a") + line("b"))
    with pytest.raises(InvalidTrace, match=r"a\.json: found 2 traces, expected one"):
        read(tmp_path / "a.json")


def test_read_says_everything_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**document([{"type": "stopp"}]), "rewards": 1}))
    with pytest.raises(InvalidTrace) as raised:
        read(tmp_path / "a.json")
    assert raised.value.problems.errors == 2


# syntax errors

BROKEN = [
    ("nothing", "", "found nothing, expected a trace"),
    ("only space", " \n ", "found nothing, expected a trace"),
    ("a list", "[1]", 'invalid JSON: found "[1]", expected {'),
    ("a comma too many", '{"a": 1,}', 'invalid JSON: found "}", expected "'),
    ("no colon", '{"a" 1}', 'invalid JSON: found "1}", expected :'),
    ("the end too soon", '{"a": 1', "invalid JSON: found the end of the text, expected , or }"),
    ("the end in a list", '{"events": [{"id": "e1"}', "invalid JSON: expecting ',' delimiter"),
    ("a later line", '{\n"a": 1,\n"b" 2}', 'invalid JSON (line 3): found "2}", expected :'),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_invalid_json_is_reported_with_its_line(text: str, message: str) -> None:
    assert said(text) == [message]


@pytest.mark.parametrize(
    "broken",
    [b'{"trace_id": ', b'{"a"', b'{"a": 1', b'{"a": "x', b'{"events": [', b'{"events": [{"id": "e1"', b'{"events": [{"id": "e1"},', b'{"events": [}', b"garbage",
     b"[1, 2]", b"null", b'{"a": "\xff"}', b'{"a": "\x00"}'],
)  # fmt: skip
def test_a_broken_document_does_not_swallow_its_neighbours(broken: bytes) -> None:
    assert names(line("a") + b"\n" + broken + b"\n" + line("b") + b"\n") == ["a", None, "b"]


@pytest.mark.parametrize("name", ["age\nt", "agent\x1b[31m", "agen\u202et"])
def test_a_name_that_would_move_the_cursor_is_written_out(name: str) -> None:
    whole = document([{**TURN, name: 1}], schema_version=1)
    del whole["events"][0]["agent"]
    whole["events"][0]["content_ref"] = {name: float("nan")}
    said = [str(problem) for problem in found(json.dumps(whole))[0].problems]
    assert said
    assert all(words.isprintable() for words in said)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (b'\n{"colour": "red"}\n[]\n' + line("b"), "; resumed at line 4"),
        (b"\n" + line("b"), ""),
        (b'\n{"colour": "red"}\n[]\n', "; nothing after it was read"),
        (b"\n", ""),
    ],
)
def test_skipped_lines_after_a_broken_line_are_reported(after: bytes, message: str) -> None:
    broken = str(next(iter(found(b'{"trace_id": }' + after)[0].problems)))
    assert broken == f"invalid JSON: expecting value{message}"


def test_a_byte_that_is_not_utf_8_is_reported() -> None:
    assert said(line("a").replace(b"lead", b"l\xffad")) == ["/events/0/agent: found the byte 0xff, which is not UTF-8"]


def test_a_key_that_is_there_twice_is_an_error() -> None:
    text = (
        json.dumps(with_event(colour=1))
        .replace('"colour"', '"t": 3, "colour"')
        .replace('"task_id"', '"trace_id": "x", "task_id"')
    )
    assert said(text) == [
        '/trace_id: the field "trace_id" appears twice; the later value is used',
        '/events/0/t: the field "t" appears twice; the later value is used',
    ]


@pytest.mark.parametrize("agent", ["lead", "a\\u003ab"], ids=["plain", "with an escaped colon"])
def test_a_key_that_is_there_twice_is_an_error_in_a_long_document_too(agent: str) -> None:
    doubled = ",".join(f'{{"id": "e{n}", "t": {n}, "t": 1, "type": "stop", "agent": "{agent}"}}' for n in range(8000))
    (reading,) = found(json.dumps(document([])).replace('"events": []', f'"events": [{doubled}]'))
    assert reading.problems.errors == 8000


@pytest.mark.parametrize("key", ["src", "dst", "type"])
def test_a_key_that_is_there_twice_in_an_edge_is_an_error_in_a_long_document_too(key: str) -> None:
    doubled = ",".join(
        f'{{"{key}": "x\\u003a", "src": "e1", "dst": "e\\u003a", "type": "causal"}}' for n in range(8000)
    )
    (reading,) = found(json.dumps(document([TURN])).replace('"edges": []', f'"edges": [{doubled}]'))
    assert reading.problems.errors == 8000


NUMBERS = [
    ("NaN", "found NaN, expected a number"),
    ("Infinity", "found an infinite number, expected a number"),
    ("-Infinity", "found an infinite number, expected a number"),
    ("1e999", "found an infinite number, expected a number"),
]


@pytest.mark.parametrize(("number", "message"), NUMBERS)
def test_a_number_that_is_none_is_an_error_wherever_it_stands(number: str, message: str) -> None:
    text = (
        json.dumps(with_event(t="HERE", colour=["HERE"])).replace("1000000000.0", '"HERE"', 1).replace('"HERE"', number)
    )
    assert sorted(said(text)) == [
        f"/costs/tokens: {message}",
        f"/events/0/colour/0: {message}",
        f"/events/0/t: {message}",
    ]


@pytest.mark.parametrize("depth", [10, 100, 300, 600, 900, 1200, 100_000])
@pytest.mark.parametrize("place", ["event", "head"])
def test_deep_nesting_is_read_or_reported(depth: int, place: str) -> None:
    whole = with_event(colour="HERE") if place == "event" else {**document([TURN]), "outcome": {"why": "HERE"}}
    (reading,) = found(json.dumps(whole).replace('"HERE"', "[" * depth + "]" * depth))
    assert (reading.trace is None) == bool(reading.problems.errors)
    assert reading.trace is None or depth < 1000


def test_a_number_with_too_many_digits_is_reported() -> None:
    text = json.dumps(with_event(colour="HERE")).replace('"HERE"', "1" * 5000)
    assert said(text) == ["invalid JSON: found a number with too many digits"]


@pytest.mark.parametrize("field", ['"id"', '"agent"', '"trace_id"', '"colour"'])
def test_an_unpaired_surrogate_in_a_text_is_read_or_reported(field: str) -> None:
    text = json.dumps(with_event(colour="x")).replace(f"{field}: ", f'{field}: "\\ud800", "other": ', 1)
    assert len(found(text)) == 1


def test_an_unpaired_surrogate_in_a_wrong_field_is_reported() -> None:
    messages = said(json.dumps({**document([TURN]), "\ud800": 1}))
    assert messages[0] == "found an unpaired surrogate (\\ud800)"
    "".join(messages).encode()


# structural errors

WRONG: list[tuple[str, Json, list[str]]] = [
    ("no fields", {}, [f'"{key}" is missing' for key in ("trace_id", "task_id", "events", "edges", "rewards", "costs")]),
    ("no events", document([]), ["/events: is empty, expected at least one"]),
    ("events of a wrong type", {**document([]), "events": {"a": 1}}, ["/events: found an object, expected a list"]),
    ("an event of a wrong type", {**document([]), "events": [3]}, ["/events/0: found 3, expected an object"]),
    ("a misspelt field", {**document([TURN]), "reward": {}}, ['"reward" is not a known field (did you mean "rewards"?)']),
    ("a misspelt field that is required", {**{k: v for k, v in document([TURN]).items() if k != "task_id"}, "taskid": "t"},
     ['"task_id" is missing (is it "taskid"?)', '"taskid" is not a known field (did you mean "task_id"?)']),
    ("a misspelt type", document([{"type": "mesage"}]),
     ['/events/0/type: found "mesage" (did you mean "message"?), expected one of orchestrator_decision, spawn, delegate, model_call, '
      "message, tool_call, tool_result, return, aggregate, compaction, human_intervention, safety_event, despawn, stop"]),
    ("an empty id", with_event(id=""), ["/events/0/id: is empty, expected a non-empty string"]),
    ("a negative time", with_event(t=-1), ["/events/0/t: found -1, expected 0 or more"]),
    ("a time in words", with_event(t="now"), ['/events/0/t: found "now", expected a number']),
    ("a field of the minimal schema", with_event(trusted="yes"), ['/events/0/trusted: found "yes", expected true or false']),
    ("an edge with more", {**document([TURN]), "edges": [{"src": "e1", "dst": "e1", "type": "causal", "w": 1}]},
     ['/edges/0: "w" is not a known field']),
    ("an unknown topology", document([TURN], topology="centralised"),
     ['/topology: found "centralised" (did you mean "centralized"?), expected one of centralized, planner_executor_critic, debate, '
      "swarm, hierarchical, harness, mixed, unknown"]),
    ("a reward in words", document([TURN], rewards={"team": "high"}), ['/rewards/team: found "high", expected a number']),
    ("a required cost missing", document([TURN], costs={"tokens": 1}), ['/costs: "wall_clock_s" is missing']),
    ("a negative cost", document([TURN], costs={"tokens": -1, "wall_clock_s": 0}), ["/costs/tokens: found -1, expected 0 or more"]),
    ("a version to come", document([TURN], schema_version=2), ["/schema_version: found 2, expected 1"]),
    ("a slash in a name", document([TURN], rewards={"a/b~c": None}), ["/rewards/a~1b~0c: found null, expected a number"]),
    ("a truth value for a number", document([TURN], rewards={"a": True}), ["/rewards/a: found true, expected a number"]),
]  # fmt: skip


@pytest.mark.parametrize(("whole", "messages"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_error_of_structure_says_where_what_and_what_was_expected(whole: Json, messages: list[str]) -> None:
    assert sorted(said(whole)) == sorted(messages)


def test_an_error_deep_in_a_long_document_has_its_own_number() -> None:
    events: list[Json] = [TURN] * 5000
    events[4321] = {"type": "model_call", "t": "now"}
    assert said(document(events)) == ['/events/4321/t: found "now", expected a number']


def test_errors_beyond_the_limit_are_counted() -> None:
    (reading,) = readings(io.BytesIO(json.dumps(document([{"type": "nap"}] * 50)).encode()), "log", limit=3)
    assert (len(list(reading.problems)), reading.problems.errors) == (3, 50)
