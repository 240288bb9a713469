"""What the rules of the schema find is what ``jsonschema`` finds, and the schema describes itself correctly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from survey.traces import EDGE_TYPES, EVENT_TYPES, TYPING, Trace, check, schema
from survey.traces.checks.rules import Rules, Violation
from survey.traces.checks.validation import EDGES, EVENTS, Validator, words
from survey.traces.model import EVENT_FIELDS
from survey.traces.replay import replay
from tests.traces.strategies import MODEST, Json, document, documents, jsons, published_example, small

FORBIDDEN = ("$id", "$schema", "$defs")
WHOLE = {key: value for key, value in schema().items() if key not in FORBIDDEN}
PARTS: dict[str, Mapping[str, Any]] = {"whole": WHOLE, "events": EVENTS, "edges": EDGES}
OURS = {name: Validator(part) for name, part in PARTS.items()}
THEIRS = {name: Draft202012Validator({**part, "$defs": schema()["$defs"]}) for name, part in PARTS.items()}


def said(validator: Validator, value: object, fields: Any = EVENT_FIELDS) -> list[tuple[str, str, str]]:
    return sorted(("/".join(map(str, found.path)), found.keyword, words(found, fields)) for found in validator(value))


def said_by_jsonschema(part: str, value: object, fields: Any = EVENT_FIELDS) -> list[tuple[str, str, str]]:
    """The same from ``jsonschema``; a value of the wrong type has only the violation of its type."""
    errors = list(THEIRS[part].iter_errors(value))
    mistyped = [error.absolute_path for error in errors if error.validator == "type"]
    told = []
    for error in errors:
        expected = error.validator_value
        if error.validator == "required":
            expected = error.message.split("'")[1]
        elif error.validator == "additionalProperties":
            expected = [key for key in error.instance if key not in error.schema.get("properties", {})]
        if error.validator == "type" or error.absolute_path not in mistyped:
            found = Violation(tuple(error.absolute_path), str(error.validator), error.instance, expected)
            told.append(("/".join(map(str, found.path)), found.keyword, words(found, fields)))
    return sorted(told)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_every_field_that_the_schema_describes_has_an_example_that_it_accepts() -> None:
    def walk(part: object) -> int:
        count = 0
        if isinstance(part, Mapping):
            for example in part.get("examples", []) if isinstance(part.get("examples"), list) else []:
                assert list(Validator(part)(example)) == []
                count += 1
            count += sum(map(walk, part.values()))
        return count

    assert walk(schema()) > 40


def test_the_table_of_edges_names_every_edge_type_and_known_event_types() -> None:
    assert set(TYPING) == set(EDGE_TYPES)
    assert all(left <= set(EVENT_TYPES) and right <= set(EVENT_TYPES) for left, right in TYPING.values())


def test_what_the_minimal_schema_allows_is_valid() -> None:
    assert list(OURS["whole"](published_example())) == []


@MODEST
@given(documents())
def test_valid_documents_are_valid_for_both(whole: Json) -> None:
    assert THEIRS["whole"].is_valid(whole)
    assert list(OURS["whole"](whole)) == []


odd = st.one_of(
    jsons, st.integers(-(2**70), 2**70), st.floats(-1e308, 1e308), st.sampled_from(["mesage", "O1", "ok", "errror", "", "e1"]),
    st.lists(st.sampled_from(["O1", "O2", "O9"]), max_size=3), st.dictionaries(st.sampled_from(["input", "output", "prompt"]), st.integers(-2, 2)),
)  # fmt: skip


@MODEST
@given(st.dictionaries(st.sampled_from(sorted(EVENT_FIELDS)), odd, max_size=5))
def test_both_say_the_same_of_any_event(event: Json) -> None:
    assert said(OURS["events"], [event]) == said_by_jsonschema("events", [event])


@MODEST
@given(st.dictionaries(st.sampled_from(["src", "dst", "type", "typ"]), odd))
def test_both_say_the_same_of_any_edge(edge: Json) -> None:
    assert said(OURS["edges"], [edge]) == said_by_jsonschema("edges", [edge])


@MODEST
@given(st.dictionaries(st.sampled_from([*schema()["properties"], "reward", "cost"]), odd, max_size=6), st.data())
def test_both_say_the_same_of_any_head(head: Json, data: st.DataObject) -> None:
    whole = {**published_example(), **head}
    known = schema()["properties"]
    assert said(OURS["whole"], whole, known) == said_by_jsonschema("whole", whole, known)


numbers = st.one_of(st.integers(-3, 3), st.floats(-3, 3), st.booleans())


@MODEST
@given(st.recursive(numbers | st.sampled_from(["", "a", None]), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner)))  # fmt: skip
@pytest.mark.parametrize("part", [
    {"type": ["integer", "null"]}, {"type": "number", "minimum": 1}, {"enum": [1, False, "a", [1], {"a": 0}]}, {"const": True},
    {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "number"}},
    {"properties": {"a": {"minLength": 1}}, "required": ["a", "b"], "additionalProperties": {"type": "integer"}},
    {"properties": {"a": True}, "additionalProperties": False},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "anyOf": [{"type": "object"}, {"minimum": 0}]},
    {"allOf": [{"$ref": "#/$defs/edge"}, {"minItems": 2}]},
])  # fmt: skip
def test_every_keyword_forbids_what_it_forbids_elsewhere(part: dict[str, Any], value: Any) -> None:
    theirs = Draft202012Validator({**part, "$defs": schema()["$defs"]})
    rules = Rules(schema()["$defs"])
    told = {(tuple(error.absolute_path), error.validator) for error in theirs.iter_errors(value)}
    assert {(violation.path, violation.keyword) for violation in rules.violations(part, value)} == told
    assert rules.fits(part)(value) == (not told)


@pytest.mark.parametrize("part", [{"maximum": 3}, {"items": {"pattern": "a"}}, {"properties": {"a": False}}])
def test_a_keyword_without_a_rule_is_refused_and_not_passed_over(part: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError, match="no rule for"):
        Rules({}).fits(part)


VALUES: list[tuple[str, Any, list[tuple[str, str, str]]]] = [
    ("missing", {"id": "e1", "t": 0, "type": "stop"}, [("0", "required", '"agent" is missing')]),
    ("missing beside a slip", {"id": "e1", "t": 0, "type": "stop", "agnt": "a"}, [("0", "required", '"agent" is missing (is it "agnt"?)')]),
    ("not a number", {"id": "e1", "t": "x", "type": "stop", "agent": "a"}, [("0/t", "type", 'found "x", expected a number')]),
    ("negative", {"id": "e1", "t": -0.5, "type": "stop", "agent": "a"}, [("0/t", "minimum", "found -0.5, expected 0 or more")]),
    ("empty", {"id": "", "t": 0, "type": "stop", "agent": "a"}, [("0/id", "minLength", "is empty, expected a non-empty string")]),
    ("null", {"id": "e1", "t": 0, "type": "stop", "agent": None}, [("0/agent", "type", "found null, expected a string")]),
    ("status", {"id": "e1", "t": 0, "type": "stop", "agent": "a", "status": "eror"},
     [("0/status", "enum", 'found "eror" (did you mean "error"?), expected one of ok, error, cancelled, timeout, rejected')]),
    ("twice", {"id": "e1", "t": 0, "type": "stop", "agent": "a", "decision": ["O1", "O1"]}, [("0/decision", "uniqueItems", "contains a duplicate")]),
    ("not an object", 3, [("0", "type", "found 3, expected an object")]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_a_violation_names_what_was_found_and_what_was_expected(value: Any, expected: list[Any]) -> None:
    assert said(OURS["events"], [value]) == expected


def test_tokens_of_an_unknown_kind_are_named() -> None:
    event = {"id": "e1", "t": 0, "type": "stop", "agent": "a", "tokens": {"inptu": 3}}
    ((place, _, message),) = said(OURS["events"], [event])
    assert place.startswith("0/tokens")
    assert "inptu" in message


# check: for traces built by a program


def test_checking_a_trace_finds_errors_of_structure() -> None:
    assert [
        str(problem) for problem in check(small([{"type": "stop"}], rewards={"team": "x"}, outcome={"success": 1}))
    ] == [
        '/rewards/team: found "x", expected a number',
        "/outcome/success: found 1, expected true or false",
    ]


def test_checking_a_trace_keeps_the_warnings_of_its_structure() -> None:
    assert [str(problem) for problem in check(small([{"type": "stop", "status": "fine"}]))] == [
        '/events/0/status: warning: found "fine", expected one of ok, error, cancelled, timeout, rejected'
    ]


def test_checking_a_trace_without_events_says_so() -> None:
    assert [str(problem) for problem in check(small([]))] == ["/events: is empty, expected at least one"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400], ids=["nan", "infinite", "huge"])
@pytest.mark.parametrize("where", ["cost of the run", "reward of an event", "end of an event"])
def test_check_reports_nan_in_a_trace_built_by_a_program(number: float, where: str) -> None:
    fields: dict[str, Json] = {"reward of an event": {"reward": number}, "end of an event": {"t_end": number}}
    head: dict[str, Json] = {"cost of the run": {"costs": {"tokens": number, "wall_clock_s": 0}}}
    made = small([{"type": "stop", **fields.get(where, {})}], schema_version=1, **head.get(where, {}))
    assert check(made).errors == 1


def test_a_trace_with_more_errors_than_the_limit_keeps_the_first_and_counts_all() -> None:
    problems = replay(small([{"type": "tool_result", "id": f"r{n}"} for n in range(20)]), limit=5).problems
    assert (len(list(problems)), problems.errors) == (5, 20)


def test_errors_and_warnings_are_counted_apart_and_errors_come_first() -> None:
    problems = check(small([{"type": "tool_call"}, {"type": "tool_result", "tool": "x"}]))
    assert (problems.errors, problems.warnings, len(problems)) == (1, 1, 2)
    assert [problem.warning for problem in problems] == [False, True]
    assert problems.kinds == {"call-without-result": 1, "result-without-call": 1}


def test_a_trace_as_a_document_is_the_same_for_check_and_schema() -> None:
    whole = document([{"type": "stop"}])
    assert list(OURS["whole"](whole)) == []
    assert not check(Trace.of(whole))
