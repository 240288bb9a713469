"""The keywords of JSON Schema that our schema uses: whether a value fits a part of it, and where it does not.

A general validator is a large or a compiled dependency, and has no build for a browser. Fitting is compiled to
functions, since nearly every value fits; what is wrong with the others is looked up in the schema. A keyword that is
not here is an error when the schema is compiled, so that none is passed over. Tests compare with ``jsonschema``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]

Fits = Callable[[Any], bool]
"""Whether a value fits a part of the schema."""

Part = Mapping[str, Any] | bool
"""A part of the schema: keywords, or true for anything."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A location where the document violates a keyword of the schema."""

    path: Path
    keyword: str
    found: Any
    expected: Any


ANNOTATIONS = frozenset(("$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "then"))
"""Keywords that forbid nothing by themselves."""


class Rules:
    """A schema with definitions, of which any part can be asked."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._compiled: dict[int, tuple[Part, Fits]] = {}

    def fits(self, part: Part) -> Fits:
        """Return the compiled part.

        Raises:
            NotImplementedError: if it has a keyword that is not supported.

        """
        known = self._compiled.get(id(part))
        if known is None:  # the part is kept with its function, so that no other takes its id
            known = self._compiled[id(part)] = part, self._all_of(self._keywords(part))
        return known[1]

    def violations(self, part: Part, value: Any, path: Path = ()) -> Iterator[Violation]:
        """Yield where a value does not fit; nothing if it does."""
        if self.fits(part)(value) or isinstance(part, bool):
            return
        for keyword in (keyword for keyword in FITS if keyword in part):
            if descend := WITHIN.get(keyword):
                for inner, own, at in descend(self, part, value):
                    yield from self.violations(inner, own, (*path, *at))
            if keyword in ALONE and not FITS[keyword](self, part)(value):
                yield Violation(path, keyword, value, part[keyword])
        if "required" in part and isinstance(value, dict):
            yield from (Violation(path, "required", value, name) for name in part["required"] if name not in value)
        if part.get("additionalProperties") is False and (strange := [*_others(part, value)]):
            yield Violation(path, "additionalProperties", value, strange)

    def definition(self, reference: str) -> Mapping[str, Any]:
        """Return the part to which a ``$ref`` leads."""
        found: Mapping[str, Any] = self._definitions[reference.removeprefix("#/$defs/")]
        return found

    def _keywords(self, part: Part) -> list[Fits]:
        if part is True:
            return []
        if part is False or (strange := sorted(part.keys() - ANNOTATIONS - FITS.keys())):
            raise NotImplementedError(f"no rule for {'false' if part is False else ', '.join(strange)}")
        return [make(self, part) for keyword, make in FITS.items() if keyword in part]

    @staticmethod
    def _all_of(every: list[Fits]) -> Fits:
        match every:
            case []:
                return lambda value: True
            case [one]:
                return one
            case [one, two]:
                return lambda value: one(value) and two(value)
        return lambda value: all(fits(value) for fits in every)


# ------------------------------------------------------------------ what fits


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and (isinstance(value, int) or value % 1 == 0)


TYPES: Mapping[str, Fits] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": _is_integer,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _type(rules: Rules, part: Mapping[str, Any]) -> Fits:
    if isinstance(part["type"], str):
        return TYPES[part["type"]]
    kinds = [TYPES[kind] for kind in part["type"]]
    return lambda value: any(fits(value) for fits in kinds)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal in JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def _among(values: list[Any]) -> Fits:
    words = frozenset(value for value in values if isinstance(value, str))
    others = [value for value in values if not isinstance(value, str)]
    if not others:
        return lambda value: isinstance(value, str) and value in words
    return lambda value: value in words if isinstance(value, str) else any(_same(value, one) for one in others)


def _at_least(keyword: str, kind: str, size: Callable[[Any], float]) -> Callable[[Rules, Mapping[str, Any]], Fits]:
    is_kind = TYPES[kind]

    def make(rules: Rules, part: Mapping[str, Any]) -> Fits:
        least = part[keyword]
        return lambda value: not is_kind(value) or size(value) >= least

    return make


def _is_without_repetition(value: Any) -> bool:
    if not isinstance(value, list):
        return True
    return not any(_same(item, other) for place, item in enumerate(value) for other in value[:place])


def _required(rules: Rules, part: Mapping[str, Any]) -> Fits:
    names = frozenset(part["required"])
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _properties(rules: Rules, part: Mapping[str, Any]) -> Fits:
    known = {name: rules.fits(own) for name, own in part["properties"].items()}

    def fits(value: Any) -> bool:
        if isinstance(value, dict):
            for name, own in value.items():
                if (check := known.get(name)) and not check(own):
                    return False
        return True

    return fits


def _additional(rules: Rules, part: Mapping[str, Any]) -> Fits:
    names, more = frozenset(part.get("properties", ())), part["additionalProperties"]
    if more is False:
        return lambda value: not isinstance(value, dict) or value.keys() <= names
    other = rules.fits(more)
    return lambda value: all(other(value[name]) for name in _others(part, value))


def _others(part: Mapping[str, Any], value: Any) -> Iterator[str]:
    """Yield the names in a value that the part does not describe."""
    if isinstance(value, dict):
        yield from (name for name in value if name not in part.get("properties", ()))


def _items(rules: Rules, part: Mapping[str, Any]) -> Fits:
    each = rules.fits(part["items"])
    return lambda value: not isinstance(value, list) or all(map(each, value))


def _any(rules: Rules, part: Mapping[str, Any]) -> Fits:
    options = [rules.fits(option) for option in part["anyOf"]]
    return lambda value: any(fits(value) for fits in options)


def _all(rules: Rules, part: Mapping[str, Any]) -> Fits:
    every = [rules.fits(one) for one in part["allOf"]]
    return lambda value: all(fits(value) for fits in every)


def _if(rules: Rules, part: Mapping[str, Any]) -> Fits:
    condition, then = rules.fits(part["if"]), rules.fits(part["then"])
    return lambda value: not condition(value) or then(value)


def _named(rules: Rules, part: Mapping[str, Any]) -> Fits:
    """Compile a definition when it is first needed, since definitions may name each other."""
    made: list[Fits] = []

    def fits(value: Any) -> bool:
        if not made:
            made.append(rules.fits(rules.definition(part["$ref"])))
        return made[0](value)

    return fits


FITS: Mapping[str, Callable[[Rules, Mapping[str, Any]], Fits]] = {
    "$ref": _named,
    "type": _type,
    "enum": lambda rules, part: _among(part["enum"]),
    "const": lambda rules, part: _among([part["const"]]),
    "minimum": _at_least("minimum", "number", lambda value: value),
    "minLength": _at_least("minLength", "string", len),
    "minItems": _at_least("minItems", "array", len),
    "uniqueItems": lambda rules, part: _is_without_repetition,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any,
    "allOf": _all,
    "if": _if,
}
"""Every keyword, compiled."""

ALONE = frozenset(("type", "enum", "const", "minimum", "minLength", "minItems", "uniqueItems", "anyOf"))
"""Keywords that are violated as a whole, by the value at which they stand."""

# ------------------------------------------------------------------ what does not fit

Within = Iterator[tuple[Part, Any, Path]]
"""Parts of the schema, each with the value that it is about and where that stands."""


def _within_properties(rules: Rules, part: Mapping[str, Any], value: Any) -> Within:
    if isinstance(value, dict):
        yield from (
            (part["properties"][name], own, (name,)) for name, own in value.items() if name in part["properties"]
        )


def _within_others(rules: Rules, part: Mapping[str, Any], value: Any) -> Within:
    if part["additionalProperties"] is not False:
        yield from ((part["additionalProperties"], value[name], (name,)) for name in _others(part, value))


def _within_items(rules: Rules, part: Mapping[str, Any], value: Any) -> Within:
    if isinstance(value, list):
        yield from ((part["items"], item, (place,)) for place, item in enumerate(value))


def _within_then(rules: Rules, part: Mapping[str, Any], value: Any) -> Within:
    if rules.fits(part["if"])(value):
        yield part["then"], value, ()


WITHIN: Mapping[str, Callable[[Rules, Mapping[str, Any], Any], Within]] = {
    "$ref": lambda rules, part, value: iter([(rules.definition(part["$ref"]), value, ())]),
    "properties": _within_properties,
    "additionalProperties": _within_others,
    "items": _within_items,
    "allOf": lambda rules, part, value: ((one, value, ()) for one in part["allOf"]),
    "if": _within_then,
}
"""Where to look on, for each keyword that is about other parts of the schema."""
