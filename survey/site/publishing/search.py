"""What the search knows of a page besides its text: how much it weighs, and by what other names it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

WEIGHTS = {
    "read/": 4.0,
    "axes/": 4.0,
    "notebooks/": 3.0,
    "traces/": 3.0,
    "take-part/": 3.0,
    "gaps/": 3.0,
    "measure/": 2.5,
    "entries/": 1.5,
    "": 1.0,
}
"""By the beginning of the address: what explains a thing comes before what mentions it. A page may say otherwise."""

SECTION = 0.6
"""What a section weighs as a part of its page: the page itself comes first."""


def weigh(sections: Iterable[dict[str, Any]], titles: Mapping[str, str]) -> None:
    """Give each section of the index its weight, and each page its title in the menus as a further name."""
    for section in sections:
        address, _, anchor = section["location"].partition("#")
        weight = section.get("boost") or next(own for begin, own in WEIGHTS.items() if address.startswith(begin))
        section["boost"] = round(weight * SECTION, 2) if anchor else weight
        if not anchor and address in titles:
            section["tags"] = [*section.get("tags", ()), titles[address]]
