"""What the search knows of a page besides its text: how much it weighs, and by what other names it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

WEIGHTS = {
    "read/": 4.0,
    "axes/": 4.0,
    "notebooks/": 3.0,
    "traces/": 3.0,
    "take-part/": 3.0,
    "gaps/": 3.0,
    "measure/": 2.5,
    "entries/": 1.1,
    "": 1.0,
}
"""By the beginning of the address: what explains a thing comes before what mentions it. A page may say otherwise."""

SECTION = 0.6
"""What a section weighs as a part of its page: the page itself comes first."""


WHOLE = "entries/"
"""Pages so short that they are found as a whole: their sections are no places of their own in the index."""

PARAGRAPH = re.compile(r"</?p>")

REFERENCES = "references"
"""The anchor of a list of references. Its works have pages of their own, which are to be found instead."""


def weighed(sections: Iterable[dict[str, Any]], titles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the sections of the index, each with its weight, and each page with its title in the menus as another name.

    Material takes names for HTML.
    """
    for section in _joined(sections):
        address, _, anchor = section["location"].partition("#")
        if anchor == REFERENCES:
            continue
        found = {name: value for name, value in section.items() if name not in ("tags", "boost")}
        weight = section.get("boost") or next(own for begin, own in WEIGHTS.items() if address.startswith(begin))
        names = [*section.get("tags", ()), *([titles[address]] if address in titles else [])]
        if names and not anchor:
            found["tags"] = [escape(name) for name in names]
        yield found | {"boost": round(weight * SECTION, 2) if anchor else weight}


def _joined(sections: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the sections, those of a page that is found as a whole as one; they follow one another."""
    page: dict[str, Any] = {}
    for section in sections:
        address, _, anchor = section["location"].partition("#")
        if page and anchor and address == page["location"]:
            page["text"] += f" {section['text']}"
            continue
        if page:
            yield page | {"text": _plain(page["text"])}
        page = dict(section) if address.startswith(WHOLE) and not anchor else {}
        if not page:
            yield section
    if page:
        yield page | {"text": _plain(page["text"])}


def _plain(text: str) -> str:
    """Return the text without its paragraphs and without the dots between parts that are not searched."""
    return " ".join(PARAGRAPH.sub(" ", text).replace(" · ", " ").split())
