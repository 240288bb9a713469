"""Validation against the schema, with messages of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from survey.traces.checks.rules import Rules, Violation
from survey.traces.checks.sanitising import pointer
from survey.traces.model import ADDED_FIELDS, EVENT_FIELDS, definition, schema
from survey.traces.problems import Problems, nearest, quoted

KINDS_OF_TOKENS = tuple(definition("tokens")["anyOf"][1]["properties"])

NAMES = {
    "string": "a string", "number": "a number", "integer": "an integer", "object": "an object",
    "array": "a list", "boolean": "true or false", "null": "null",
}  # fmt: skip


class Validator:
    """A validator for a part of the schema."""

    def __init__(self, part: Mapping[str, Any]) -> None:
        self._part, self._rules = part, Rules(schema()["$defs"])
        self._rules.fits(part)

    def __call__(self, value: object) -> Iterator[Violation]:
        """Yield every violation; nothing if the value is valid.

        For a value of the wrong type, only the type violation is reported.
        """
        found = list(self._rules.violations(self._part, value))
        mistyped = {violation.path for violation in found if violation.keyword == "type"}
        return (v for v in found if v.keyword == "type" or v.path not in mistyped)


EVENTS = {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/event"}, {"$ref": "#/$defs/event_added"}]}}
EDGES = {"type": "array", "items": {"$ref": "#/$defs/edge"}}


@cache
def validators() -> tuple[Validator, Validator, Validator]:
    """Return the validators for the head of a document, lists of events, and lists of edges."""
    head = {key: value for key, value in schema().items() if key not in ("$id", "$defs", "if", "then")}
    lists = {key: {**head["properties"][key], "items": True} for key in ("events", "edges")}
    return Validator({**head, "properties": {**head["properties"], **lists}}), Validator(EVENTS), Validator(EDGES)


def check_head(document: Mapping[str, Any], problems: Problems) -> None:
    """Report violations at the top level; the long lists are only checked for presence."""
    for violation in validators()[0](document):
        _report(violation, (), schema()["properties"], problems)


def check_events(events: Sequence[object], first: int, problems: Problems, later: list[tuple[Any, ...]]) -> None:
    """Report violations in a batch of events that starts at index ``first`` of its document.

    Violations in fields that version 1 adds go to ``later``: whether they are errors depends on
    ``schema_version``, which may come later in the document.
    """
    for violation in validators()[1](events):
        number, *rest = violation.path or (0,)
        place = ("events", first + int(number), *rest)
        if rest and rest[0] in ADDED_FIELDS:
            later.append((violation, place))
        else:
            _report(violation, place, EVENT_FIELDS, problems)


def check_edges(edges: Sequence[object], first: int, problems: Problems) -> None:
    """Report violations in a batch of edges."""
    for violation in validators()[2](edges):
        number, *rest = violation.path or (0,)
        _report(violation, ("edges", first + int(number), *rest), definition("edge")["properties"], problems)


def check_added(later: Sequence[tuple[Any, ...]], binding: bool, problems: Problems) -> None:
    """Report violations in added fields: errors if ``binding`` (the trace declares version 1), else warnings."""
    for violation, place in later:
        _report(violation, place, EVENT_FIELDS, problems, warning=not binding)


def _report(
    violation: Violation, place: tuple[str | int, ...], fields: Any, problems: Problems, warning: bool = False
) -> None:
    problems.add("schema", words(violation, fields), pointer=pointer(place or violation.path), warning=warning)


def words(violation: Violation, fields: Any) -> str:
    """Return the message for a violation: what was found, what was expected, and the most similar valid value."""
    found, expected = violation.found, violation.expected
    match violation.keyword:
        case "required":
            similar = (
                nearest(str(expected), [key for key in found if key not in fields]) if isinstance(found, dict) else ""
            )
            return f'"{expected}" is missing' + similar.replace("did you mean", "is it")
        case "additionalProperties":
            return "; ".join(f"{quoted(name)} is not a known field{nearest(name, fields)}" for name in expected)
        case "type":
            kinds = [expected] if isinstance(expected, str) else list(expected)
            return f"found {quoted(found)}, expected {' or '.join(NAMES.get(kind, kind) for kind in kinds)}"
        case "enum":
            hint = nearest(found, expected) if isinstance(found, str) else ""
            return f"found {quoted(found)}{hint}, expected one of {', '.join(map(str, expected))}"
        case "minimum":
            return f"found {quoted(found)}, expected {expected:g} or more"
        case "minLength":
            return "is empty, expected a non-empty string"
        case "minItems":
            return "is empty, expected at least one"
        case "uniqueItems":
            return "contains a duplicate"
        case "const":
            return f"found {quoted(found)}, expected {quoted(expected)}"
        case "anyOf" if isinstance(found, dict) and (strange := [key for key in found if key not in KINDS_OF_TOKENS]):
            return f"{quoted(strange[0])} is not a kind of tokens{nearest(strange[0], KINDS_OF_TOKENS)}"
        case _:
            return f"found {quoted(found)}, which the schema does not allow here"
