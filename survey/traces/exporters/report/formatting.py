"""Formatting of numbers, durations and names for readers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

LONGEST_NAME = 120

FIXED = "\u00a0"
"""A no-break space."""

UNSEEN = {
    code: "\ufffd"
    for first, last in (
        (0, 8), (11, 31), (127, 159), (0x202A, 0x202E), (0x2066, 0x2069),
        (0xD800, 0xDFFF), (0xFDD0, 0xFDEF), (0xFFFE, 0xFFFF),
    )
    for code in range(first, last + 1)
}  # fmt: skip
"""Characters that HTML forbids, that files cannot hold, or that reverse the text around them."""


def visible(value: Any) -> Any:
    """Replace invalid characters in a text; return any other value unchanged.

    >>> visible("a\\x00b")
    'a\ufffdb'
    """
    return value.translate(UNSEEN) if isinstance(value, str) else value


def short(text: object, longest: int = LONGEST_NAME) -> str:
    """Return a name on one line, cut if it is too long."""
    line = " ".join(str(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def number(value: float) -> str:
    """Format a number with its significant digits.

    >>> number(1175318.0), number(14.625), number(0.0625), number(1e30), number(0)
    ('1,175,318', '14.6', '0.0625', '1e+30', '0')
    """
    if not math.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.3g}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3g}"


def share(value: float) -> str:
    """Format a share as a percentage.

    >>> share(0.4567), share(0.0001), share(0), share(0.9999)
    ('46\xa0%', '<\xa01\xa0%', '0\xa0%', '>\xa099\xa0%')
    """
    if 0 < value < 0.005:
        return f"<{FIXED}1{FIXED}%"
    return f">{FIXED}99{FIXED}%" if 0.995 < value < 1 else f"{number(round(100 * value))}{FIXED}%"


def money(dollars: float) -> str:
    """Format an amount of money, small ones with two digits.

    >>> money(1234.5), money(0.01234), money(0)
    ('$1,234.50', '$0.012', '$0')
    """
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.2g}" if dollars else "$0"


def plural(count: float, noun: str) -> str:
    """Format a count with its noun.

    >>> plural(1, "agent"), plural(2, "reply"), plural(1200, "event")
    ('1 agent', '2 replies', '1,200 events')
    """
    if count == 1:
        return f"1 {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{number(count)} {many}"


UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def duration(seconds: float, units: int = 2) -> str:
    """Format seconds as a duration of at most ``units`` units.

    >>> [duration(s).replace(FIXED, " ") for s in (0.1834, 4.26, 59.99, 185, 7500, 0, 2e-7)]
    ['0.18 s', '4.3 s', '60 s', '3 min 5 s', '2 h 5 min', '0 s', '< 1 ms']
    >>> duration(239, 1).replace(FIXED, " ")
    '4 min'
    """
    if seconds <= 0:
        return f"0{FIXED}s"
    if seconds < 0.001:
        return f"<{FIXED}1{FIXED}ms"
    if seconds < 60:
        digits = 3 if seconds < 0.1 else 2 if seconds < 1 else 1 if seconds < 10 else 0
        return f"{seconds:.{digits}f}{FIXED}s"
    if seconds >= 86400 * 10000:
        return f"{number(round(seconds / 86400))}{FIXED}d"
    for (size, unit), (below, word) in zip(UNITS, [*UNITS[1:], (1, "s")], strict=True):
        if seconds >= size:
            whole = round(seconds / (size if units == 1 else below)) * (size if units == 1 else below)
            rest = whole % size // below
            return f"{whole // size}{FIXED}{unit}" + (f"{FIXED}{rest}{FIXED}{word}" if rest else "")
    return f"{seconds:.0f}{FIXED}s"


@dataclass(frozen=True)
class Clock:
    """One format for all times of a column or an axis, so that their digits align.

    >>> Clock(50).unit, Clock(50)(4.26), Clock(1500)(618.7), Clock(9000)(618.7), Clock(0.5)(0.04)
    ('s', '4.3', '10:19', '0:10:19', '0.040')
    """

    largest: float

    @property
    def unit(self) -> str:
        """The unit of the figures."""
        limits = ((100, "s"), (3600, "min:s"), (86400 * 4, "h:min:s"))
        return next((unit for limit, unit in limits if self.largest < limit), "days")

    def __call__(self, seconds: float) -> str:
        """Format a time."""
        if self.unit == "s":
            return f"{seconds:.{3 if self.largest < 1 else 1}f}"
        if self.unit == "days":
            return number(round(seconds / 86400, 2))
        if 0 < seconds < 0.5:
            return f"<{FIXED}0:{'00:' if self.unit == 'h:min:s' else ''}01"
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}:{rest:02}" if self.unit == "min:s" else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
