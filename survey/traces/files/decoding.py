"""Fast path: decode JSON texts of many events or edges and validate them in the same pass.

``msgspec`` decodes directly into the fields of the schema; what it accepts is valid, and a test
compares this with the schema. For anything unusual (an unknown field, a duplicate key, NaN, an
error) the functions return None, and the caller falls back to the slow path, which preserves
everything and reports what is wrong.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError
from msgspec.json import Decoder, encode

from survey.traces.model import EDGE_TYPES, LARGEST, Event


class EdgeShape(Struct, forbid_unknown_fields=True, gc=False):
    """An edge as stored in a file."""

    src: Annotated[str, Meta(min_length=1)]
    dst: Annotated[str, Meta(min_length=1)]
    type: Literal[EDGE_TYPES]  # type: ignore[valid-type]


_events, _edges = Decoder(list[Event]), Decoder(list[EdgeShape])


def events(text: str) -> list[Event] | None:
    """Return the events of a list; None if it needs the slow path. Raises ``ValueError`` for invalid JSON."""
    found = _fitting(_events, text)
    return found if found is not None and _complete(found, text) and all(map(_sound, _uncommon(found))) else None


def edges(text: str) -> list[EdgeShape] | None:
    """Return the edges of a list; None if it needs the slow path. Raises ``ValueError`` for invalid JSON."""
    found = _fitting(_edges, text)
    if found is None or text.count(":") == 3 * len(found):  # exactly the three required keys each
        return found
    return found if _complete(found, text) else None


def _fitting(decoder: Decoder[list[Any]], text: str) -> list[Any] | None:
    """Return the decoded list, or None if it does not fit the types."""
    try:
        return decoder.decode(text)
    except (ValidationError, UnicodeEncodeError):
        json.loads(text)
        return None


def _complete(found: list[Any], text: str) -> bool:
    """Return whether the objects preserve the whole text: no duplicate keys and no nulls.

    Every key is followed by a colon. Encoded again, the objects contain as many colons as the text,
    inside and outside strings, unless a key or its value was lost.
    """
    if "\\" in text and "\\u003" in text:  # an escaped colon would distort the count
        return False
    return encode(found).count(b":") == text.count(":")


def _uncommon(events: list[Event]) -> list[Event]:
    """Return the events with fields whose constraints the types do not fully express."""
    return [
        event
        for event in events
        if ((spent := event.tokens_) is not None and (spent.__class__ is not float or spent >= LARGEST))
        or event.t >= LARGEST
        or event.t_end is not None
        or event.t_first is not None
        or event.cost is not None
        or event.delivered is not None
        or event.decision is not None
        or event.reward is not None
        or event.other is not None
    ]


def _sound(event: Event) -> bool:
    """Return whether an event meets the constraints that its types cannot express."""
    if event.other is not None or event.delivered is True:
        return False
    if event.decision is not None and len(set(event.decision)) < len(event.decision):
        return False
    if event.reward is not None:
        rewards = event.reward.values() if isinstance(event.reward, dict) else [event.reward]
        if any(abs(reward) >= LARGEST for reward in rewards):
            return False
    counted = (event.t, event.t_end, event.t_first, event.cost, event.delivered, event.tokens)
    return all(number is None or number < LARGEST for number in counted)
