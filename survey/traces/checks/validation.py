"""Structural errors: what the schema forbids, in words of ours, by whichever validator is installed.

``jsonschema-rs`` is compiled and fast; where there is no wheel of it, ``jsonschema`` finds the same
violations in plain Python. A test holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from survey.traces.checks.soundness import pointer
from survey.traces.model import ADDED_FIELDS, EVENT_FIELDS, definition, schema
from survey.traces.problems import Problems, nearest, quoted

try:
    import jsonschema_rs
except ImportError:  # pragma: no cover - a place without compiled wheels
    jsonschema_rs = None  # type: ignore[assignment]

KINDS_OF_TOKENS = tuple(definition("tokens")["anyOf"][1]["properties"])

NAMES = {
    "string": "a text", "number": "a number", "integer": "a whole number", "object": "an object",
    "array": "a list", "boolean": "true or false", "null": "null",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Violation:
    """A place where the document breaks a keyword of the schema."""

    path: tuple[str | int, ...]
    keyword: str
    found: Any
    expected: Any


class Validator:
    """A part of the schema, ready to be held against values."""

    def __init__(self, part: Mapping[str, Any], compiled: bool = jsonschema_rs is not None) -> None:
        whole = {"$schema": schema()["$schema"], **part, "$defs": schema()["$defs"]}
        self._violations = _compiled(whole) if compiled else _plain(whole)

    def __call__(self, value: object) -> Iterator[Violation]:
        """Every violation; none if the value is as it should be.

        What is of a wrong type altogether is said to be no more than that.
        """
        found = list(self._violations(value))
        mistyped = {violation.path for violation in found if violation.keyword == "type"}
        return (v for v in found if v.keyword == "type" or v.path not in mistyped)


def _compiled(part: Mapping[str, Any]) -> Callable[[object], Iterator[Violation]]:
    validator = jsonschema_rs.Draft202012Validator(dict(part))

    def violations(value: object) -> Iterator[Violation]:
        if validator.is_valid(value):
            return
        for error in validator.iter_errors(value):
            keyword = str(error.schema_path[-1])
            named = ("limit", "options", "types", "property", "unexpected", "expected_value")
            expected = next((getattr(error.kind, name) for name in named if hasattr(error.kind, name)), None)
            yield Violation(tuple(error.instance_path), keyword, error.instance, expected)

    return violations


def _plain(part: Mapping[str, Any]) -> Callable[[object], Iterator[Violation]]:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(part)

    def violations(value: object) -> Iterator[Violation]:
        for error in validator.iter_errors(value):
            expected = error.validator_value
            if error.validator == "required":
                expected = error.message.split("'")[1]
            elif error.validator == "additionalProperties":
                expected = [key for key in error.instance if key not in error.schema.get("properties", {})]
            yield Violation(tuple(error.absolute_path), str(error.validator), error.instance, expected)

    return violations


EVENTS = {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/event"}, {"$ref": "#/$defs/event_added"}]}}
EDGES = {"type": "array", "items": {"$ref": "#/$defs/edge"}}


@cache
def validators() -> tuple[Validator, Validator, Validator]:
    """For the head of a document, for lists of events, for lists of edges."""
    head = {key: value for key, value in schema().items() if key not in ("$id", "$defs", "if", "then")}
    lists = {key: {**head["properties"][key], "items": True} for key in ("events", "edges")}
    return Validator({**head, "properties": {**head["properties"], **lists}}), Validator(EVENTS), Validator(EDGES)


def check_head(document: Mapping[str, Any], problems: Problems) -> None:
    """Report what is wrong at the top level; of the long lists only whether they are there."""
    for violation in validators()[0](document):
        _report(violation, (), schema()["properties"], problems)


def check_events(events: Sequence[object], first: int, problems: Problems, later: list[tuple[Any, ...]]) -> None:
    """Report what is wrong with a run of events that starts at number ``first`` of its document.

    Violations in fields that version 1 adds go to ``later``: whether they are errors hangs on
    ``schema_version``, which may stand further down.
    """
    for violation in validators()[1](events):
        number, *rest = violation.path or (0,)
        place = ("events", first + int(number), *rest)
        if rest and rest[0] in ADDED_FIELDS:
            later.append((violation, place))
        else:
            _report(violation, place, EVENT_FIELDS, problems)


def check_edges(edges: Sequence[object], first: int, problems: Problems) -> None:
    """Report what is wrong with a run of edges."""
    for violation in validators()[2](edges):
        number, *rest = violation.path or (0,)
        _report(violation, ("edges", first + int(number), *rest), definition("edge")["properties"], problems)


def check_added(later: Sequence[tuple[Any, ...]], binding: bool, problems: Problems) -> None:
    """Report violations in added fields: errors where the trace says that it is of version 1."""
    for violation, place in later:
        _report(violation, place, EVENT_FIELDS, problems, warning=not binding)


def _report(
    violation: Violation, place: tuple[str | int, ...], fields: Any, problems: Problems, warning: bool = False
) -> None:
    problems.add("schema", words(violation, fields), pointer=pointer(place or violation.path), warning=warning)


def words(violation: Violation, fields: Any) -> str:
    """What was found, what was expected, and the nearest thing that would have been right."""
    found, expected = violation.found, violation.expected
    match violation.keyword:
        case "required":
            similar = (
                nearest(str(expected), [key for key in found if key not in fields]) if isinstance(found, dict) else ""
            )
            return f'"{expected}" is missing' + similar.replace("did you mean", "is it")
        case "additionalProperties":
            return "; ".join(f"{quoted(name)} is no field here{nearest(name, fields)}" for name in expected)
        case "type":
            kinds = [expected] if isinstance(expected, str) else list(expected)
            return f"found {quoted(found)}, expected {' or '.join(NAMES.get(kind, kind) for kind in kinds)}"
        case "enum":
            hint = nearest(found, expected) if isinstance(found, str) else ""
            return f"found {quoted(found)}{hint}, expected one of {', '.join(map(str, expected))}"
        case "minimum":
            return f"found {quoted(found)}, expected {expected:g} or more"
        case "minLength":
            return "is empty, expected a text"
        case "minItems":
            return "is empty, expected at least one"
        case "uniqueItems":
            return "names something twice"
        case "const":
            return f"found {quoted(found)}, expected {quoted(expected)}"
        case "anyOf" if isinstance(found, dict) and (strange := [key for key in found if key not in KINDS_OF_TOKENS]):
            return f"{quoted(strange[0])} is no kind of tokens{nearest(strange[0], KINDS_OF_TOKENS)}"
        case _:
            return f"found {quoted(found)}, which the schema does not allow here"
