"""The keywords of JSON Schema that our schema uses, each compiled to a function that adds violations to a list.

A general validator is a large or a compiled dependency, and has no build for a browser. A keyword that is not here is
an error when the schema is compiled, so that none is passed over. Tests compare with ``jsonschema``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A location where the document violates a keyword of the schema."""

    path: Path
    keyword: str
    found: Any
    expected: Any


Rule = Callable[[Any, Path, list[Violation]], None]
"""Adds the violations of a value at a path."""

ANNOTATIONS = frozenset(("$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "then"))
"""Keywords that forbid nothing by themselves."""


class Rules:
    """The rules of a schema with these definitions."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._named: dict[str, Rule] = {}

    def of(self, part: Mapping[str, Any] | bool) -> Rule:
        """Return the rule of a part of the schema.

        Raises:
            NotImplementedError: if it has a keyword that is not supported.

        """
        if part is True:
            return lambda value, path, found: None
        if part is False or (strange := sorted(part.keys() - ANNOTATIONS - KEYWORDS.keys())):
            raise NotImplementedError(f"no rule for {'false' if part is False else ', '.join(strange)}")
        rules = [make(self, part) for keyword, make in KEYWORDS.items() if keyword in part]
        if len(rules) == 1:
            return rules[0]

        def all_of_them(value: Any, path: Path, found: list[Violation]) -> None:
            for rule in rules:
                rule(value, path, found)

        return all_of_them

    def named(self, reference: str) -> Rule:
        """Return the rule of a definition, compiled on first use, since definitions may name each other."""
        name = reference.removeprefix("#/$defs/")

        def rule(value: Any, path: Path, found: list[Violation]) -> None:
            if name not in self._named:
                self._named[name] = self.of(self._definitions[name])
            self._named[name](value, path, found)

        return rule


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            return _is(value, "number") and (isinstance(value, int) or value.is_integer())
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "boolean":
            return isinstance(value, bool)
        case _:
            return value is None


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal in JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def _type(rules: Rules, part: Mapping[str, Any]) -> Rule:
    expected = part["type"]
    kinds = [expected] if isinstance(expected, str) else list(expected)

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if not any(_is(value, kind) for kind in kinds):
            found.append(Violation(path, "type", value, expected))

    return rule


def _required(rules: Rules, part: Mapping[str, Any]) -> Rule:
    names: Sequence[str] = part["required"]

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if isinstance(value, dict):
            found += [Violation(path, "required", value, name) for name in names if name not in value]

    return rule


def _properties(rules: Rules, part: Mapping[str, Any]) -> Rule:
    known = {name: rules.of(own) for name, own in part["properties"].items()}

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if isinstance(value, dict):
            for name, own in value.items():
                if own_rule := known.get(name):
                    own_rule(own, (*path, name), found)

    return rule


def _additional(rules: Rules, part: Mapping[str, Any]) -> Rule:
    known, more = frozenset(part.get("properties", ())), part["additionalProperties"]
    other = None if more is False else rules.of(more)

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if not isinstance(value, dict):
            return
        strange = [name for name in value if name not in known]
        if other is None and strange:
            found.append(Violation(path, "additionalProperties", value, strange))
        for name in strange if other else ():
            other(value[name], (*path, name), found)  # type: ignore[misc]

    return rule


def _items(rules: Rules, part: Mapping[str, Any]) -> Rule:
    each = rules.of(part["items"])

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if isinstance(value, list):
            for place, item in enumerate(value):
                each(item, (*path, place), found)

    return rule


def _unique(rules: Rules, part: Mapping[str, Any]) -> Rule:
    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if isinstance(value, list) and any(_same(item, other) for n, item in enumerate(value) for other in value[:n]):
            found.append(Violation(path, "uniqueItems", value, True))

    return rule


def _one_of_these(keyword: str) -> Callable[[Rules, Mapping[str, Any]], Rule]:
    def make(rules: Rules, part: Mapping[str, Any]) -> Rule:
        expected = part[keyword]
        values = expected if keyword == "enum" else [expected]

        def rule(value: Any, path: Path, found: list[Violation]) -> None:
            if not any(_same(value, one) for one in values):
                found.append(Violation(path, keyword, value, expected))

        return rule

    return make


def _at_least(keyword: str, kind: str, size: Callable[[Any], float]) -> Callable[[Rules, Mapping[str, Any]], Rule]:
    def make(rules: Rules, part: Mapping[str, Any]) -> Rule:
        least = part[keyword]

        def rule(value: Any, path: Path, found: list[Violation]) -> None:
            if _is(value, kind) and size(value) < least:
                found.append(Violation(path, keyword, value, least))

        return rule

    return make


def _any(rules: Rules, part: Mapping[str, Any]) -> Rule:
    options = [rules.of(option) for option in part["anyOf"]]

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if not any(_fits(option, value) for option in options):
            found.append(Violation(path, "anyOf", value, part["anyOf"]))

    return rule


def _all(rules: Rules, part: Mapping[str, Any]) -> Rule:
    parts = [rules.of(one) for one in part["allOf"]]

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        for own in parts:
            own(value, path, found)

    return rule


def _if(rules: Rules, part: Mapping[str, Any]) -> Rule:
    condition, then = rules.of(part["if"]), rules.of(part["then"])

    def rule(value: Any, path: Path, found: list[Violation]) -> None:
        if _fits(condition, value):
            then(value, path, found)

    return rule


def _fits(rule: Rule, value: Any) -> bool:
    found: list[Violation] = []
    rule(value, (), found)
    return not found


KEYWORDS: Mapping[str, Callable[[Rules, Mapping[str, Any]], Rule]] = {
    "$ref": lambda rules, part: rules.named(part["$ref"]),
    "type": _type,
    "enum": _one_of_these("enum"),
    "const": _one_of_these("const"),
    "minimum": _at_least("minimum", "number", lambda value: value),
    "minLength": _at_least("minLength", "string", len),
    "minItems": _at_least("minItems", "array", len),
    "uniqueItems": _unique,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any,
    "allOf": _all,
    "if": _if,
}
"""The rule of each keyword."""
