"""Checks beyond JSON syntax: duplicate keys, NaN and infinite numbers, unpaired surrogates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from survey.traces.model import LARGEST
from survey.traces.problems import Problems, quoted

HALVES = re.compile("[\ud800-\udfff]")
COUNTED = frozenset({"t", "t_end", "cost", "tokens", "reward", "delivered"})
"""Event fields used in arithmetic, as floating-point numbers."""
ENORMOUS = 1.7e308
DEEPEST = 200
"""Maximum nesting of objects and lists; real traces stay far below."""


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its list of pairs, including duplicate keys."""


def sanitised(value: Any, path: tuple[str | int, ...], problems: Problems) -> Any:
    """Return the value as plain objects; invalid parts are reported and replaced by valid ones.

    Raises ``RecursionError`` if the value is nested too deeply.
    """
    if len(path) > DEEPEST:
        raise RecursionError
    if isinstance(value, str):  # most values are texts, and numbers after them
        return _text(value, path, problems)
    if isinstance(value, (int, float)):
        return value if isinstance(value, bool) else _number(value, path, problems)
    if isinstance(value, (dict, Pairs, Mapping)):
        result: dict[str, Any] = {}
        for key, inner in value if isinstance(value, Pairs) else value.items():
            key = _text(key, path, problems)
            if key in result:
                message = f"the field {quoted(key)} appears twice; the later value is used"
                problems.add("duplicate-key", message, pointer=pointer((*path, key)))
            result[key] = sanitised(inner, (*path, key), problems)
        return result
    if isinstance(value, list):
        return [sanitised(inner, (*path, place), problems) for place, inner in enumerate(value)]
    return value


def _text(value: str, path: tuple[str | int, ...], problems: Problems) -> str:
    if value.isascii() or not (half := HALVES.search(value)):
        return value
    code = ord(half.group())
    found = (
        f"the byte 0x{code - 0xDC00:02x}, which is not UTF-8"
        if 0xDC80 <= code <= 0xDCFF
        else f"an unpaired surrogate (\\u{code:04x})"
    )
    problems.add("text", f"found {found}", pointer=pointer(path))
    return HALVES.sub("�", value)


def _number(value: float, path: tuple[str | int, ...], problems: Problems) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        found = "NaN" if value != value else "an infinite number"
        problems.add("not-a-number", f"found {found}, expected a number", pointer=pointer(path))
        return 0
    counted = path[:1] == ("events",) and len(path) > 2 and path[2] in COUNTED
    if abs(value) >= LARGEST and counted:
        message = f"found {quoted(value)}, which is too large (expected less than 2**53)"
        problems.add("not-a-number", message, pointer=pointer(path))
        return 0
    if abs(value) > ENORMOUS and path[:1] != ("events",):
        problems.add("not-a-number", "found a number of more than 308 digits", pointer=pointer(path))
        return 0
    return value


def pointer(path: tuple[str | int, ...]) -> str:
    """Return the JSON Pointer (RFC 6901) of a path.

    >>> pointer(("events", 3, "a/b"))
    '/events/3/a~1b'
    """
    return "".join("/" + HALVES.sub("�", str(part)).replace("~", "~0").replace("/", "~1") for part in path)
