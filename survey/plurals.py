"""Counts in messages, each with its noun in the right number."""

from __future__ import annotations


def plural(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun, and a verb behind it if there is one.

    >>> plural(1, "entry"), plural(2, "entry"), plural(1200, "work"), plural(2, "axis", "axes")
    ('1 entry', '2 entries', '1,200 works', '2 axes')
    >>> plural(1, "work was", "works were"), plural(0, "work was", "works were")
    ('1 work was', '0 works were')
    """
    if number == 1:
        return f"1 {one}"
    ending = f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in "aeiou" else f"{one}s"
    return f"{number:,} {many or ending}"
