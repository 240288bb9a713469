"""Typed access to untrusted JSON: each function returns a value of one type, or an empty one.

Logs come from many versions of many programs, and a field can hold anything. An importer that reads fields
through these functions cannot fail on a wrong type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from survey.traces.model import NOTHING, OUTSIDE, number

__all__ = ["Fields", "flag", "instance", "instant", "items", "mapping", "number", "parsed", "text", "tokens"]

Fields = Mapping[str, Any]
"""An object of a log."""


def mapping(value: object) -> Fields:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else NOTHING


def items(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


WORD = re.compile(r"[\w.:/$-]{1,100}")


def word(value: object) -> str | None:
    """Return a text that is one word, such as the name of a class; None for any other value."""
    return value if isinstance(value, str) and WORD.fullmatch(value) else None


def text(value: object) -> str | None:
    """Return the value if it is a string and not empty, else None."""
    return value if isinstance(value, str) and value else None


def instance(value: object) -> str | None:
    """Return the id of an instance; an id reserved for participants outside the team gets a suffix.

    >>> instance("a3f"), instance("user"), instance(None)
    ('a3f', 'user-agent', None)
    """
    id = text(value)
    return f"{id}-agent" if id in OUTSIDE else id


def flag(value: object) -> bool:
    """Return whether the value is ``True`` itself."""
    return value is True


def parsed(value: Any, only_with: str = "tool_call") -> Any:
    """Parse a value that may be JSON in a text; irrelevant texts are not parsed."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if only_with in value else None
    except (ValueError, RecursionError):
        return None


def tokens(**kinds: object) -> dict[str, float] | None:
    """Return the tokens by kind that a log records; None if it records none."""
    known = {kind: count for kind, value in kinds.items() if (count := number(value)) is not None and count >= 0}
    return known or None


def instant(value: object) -> float | None:
    """Return seconds since 1970, from an ISO 8601 text or a number of seconds, milli-, micro- or nanoseconds.

    >>> instant("2026-03-08T09:30:00.250Z"), instant(1772962200250), round(instant("1772962200250000000"), 3)
    (1772962200.25, 1772962200.25, 1772962200.25)
    """
    if isinstance(value, str):
        if value.isascii() and value.isdigit():
            return instant(int(value[:30]))
        try:
            moment = datetime.fromisoformat(value)
            return _plausible((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        except (ValueError, OverflowError):
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1 < value < 2**63:
        return None
    for unit in (1e9, 1e6, 1e3):
        if value >= 1e8 * unit:  # 1973 in that unit, and far beyond any date in the next smaller one
            return _plausible(value / unit)
    return _plausible(float(value))


def _plausible(stamp: float) -> float | None:
    """Return the time if it lies between 1970 and 2200, else None: no log has other times."""
    return stamp if 0 <= stamp < 7_258_118_400 else None
