"""What a JSON text can hold and no trace can mean: a key said twice, a number that is none, half a character."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from survey.traces.model import LARGEST
from survey.traces.problems import Problems, quoted

HALVES = re.compile("[\ud800-\udfff]")
COUNTED = frozenset({"t", "t_end", "cost", "tokens", "reward", "delivered"})
"""Fields of events that are counted with, as floating-point numbers."""
ENORMOUS = 1.7e308
DEEPEST = 200
"""Objects and lists in one another. The schema's validator stops a little below, and nothing real comes near it."""


class Pairs(list[tuple[str, Any]]):
    """An object as the pairs that stand in the text, doubled keys and all."""


def sound(value: Any, path: tuple[str | int, ...], problems: Problems) -> Any:
    """The value in plain objects, with what cannot be meant reported and replaced by what can.

    Raises ``RecursionError`` for what is nested too deeply.
    """
    if len(path) > DEEPEST:
        raise RecursionError
    if isinstance(value, (Pairs, Mapping)):
        made: dict[str, Any] = {}
        for key, inner in value if isinstance(value, Pairs) else value.items():
            key = _text(key, path, problems)
            if key in made:
                said = f"the field {quoted(key)} is there twice; the later one counts"
                problems.add("duplicate-key", said, pointer=pointer((*path, key)))
            made[key] = sound(inner, (*path, key), problems)
        return made
    if isinstance(value, list):
        return [sound(inner, (*path, place), problems) for place, inner in enumerate(value)]
    if isinstance(value, str):
        return _text(value, path, problems)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value, path, problems)
    return value


def _text(value: str, path: tuple[str | int, ...], problems: Problems) -> str:
    if value.isascii() or not (half := HALVES.search(value)):
        return value
    code = ord(half.group())
    found = (
        f"the byte 0x{code - 0xDC00:02x}, which is not UTF-8"
        if 0xDC80 <= code <= 0xDCFF
        else f"half a character (\\u{code:04x})"
    )
    problems.add("text", f"found {found}", pointer=pointer(path))
    return HALVES.sub("�", value)


def _number(value: float, path: tuple[str | int, ...], problems: Problems) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        found = "something that is not a number (NaN)" if value != value else "an infinite number"
        problems.add("not-a-number", f"found {found}, expected a number", pointer=pointer(path))
        return 0
    counted = path[:1] == ("events",) and len(path) > 2 and path[2] in COUNTED
    if abs(value) >= LARGEST and counted:
        said = f"found {quoted(value)}, which is too large to be counted with (expected less than 2**53)"
        problems.add("not-a-number", said, pointer=pointer(path))
        return 0
    if abs(value) > ENORMOUS and path[:1] != ("events",):
        problems.add("not-a-number", "found a number of more than 308 digits", pointer=pointer(path))
        return 0
    return value


def pointer(path: tuple[str | int, ...]) -> str:
    """A JSON Pointer (RFC 6901).

    >>> pointer(("events", 3, "a/b"))
    '/events/3/a~1b'
    """
    return "".join("/" + HALVES.sub("�", str(part)).replace("~", "~0").replace("/", "~1") for part in path)
