"""JSON texts of many events or edges into Python, held to the schema in passing.

``msgspec`` decodes straight into the fields that the schema describes; what fits them is valid, and
a test holds that to the schema. Whatever is unusual in any way (an unknown field, a key said twice,
a number that is none, a slip) is left to the careful reader, by giving None: it is slow, keeps
everything, and finds the words for what is wrong.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError
from msgspec.json import Decoder, encode

from survey.traces.model import EDGE_TYPES, LARGEST, Event


class EdgeShape(Struct, forbid_unknown_fields=True, gc=False):
    """An edge as a file holds it."""

    src: Annotated[str, Meta(min_length=1)]
    dst: Annotated[str, Meta(min_length=1)]
    type: Literal[EDGE_TYPES]  # type: ignore[valid-type]


_events, _edges = Decoder(list[Event]), Decoder(list[EdgeShape])


def events(text: str) -> list[Event] | None:
    """The events of a list; None if it takes more care. Raises ``ValueError`` where it is no JSON."""
    found = _fitting(_events, text)
    return found if found is not None and _complete(found, text) and all(map(_sound, _uncommon(found))) else None


def edges(text: str) -> list[EdgeShape] | None:
    """The edges of a list; None if it takes more care. Raises ``ValueError`` where it is no JSON."""
    found = _fitting(_edges, text)
    if found is None or text.count(":") == 3 * len(found):  # three keys each, which are all there, and no others
        return found
    return found if _complete(found, text) else None


def _fitting(decoder: Decoder[list[Any]], text: str) -> list[Any] | None:
    """What fits the shape."""
    try:
        return decoder.decode(text)
    except (ValidationError, UnicodeEncodeError):
        json.loads(text)
        return None


def _complete(found: list[Any], text: str) -> bool:
    """Whether the objects hold all that the text says: no key is there twice, and none has a null.

    Behind every key there is a colon. Written out again, the objects have as many colons as the text
    had, within texts and without, unless some key or its value was lost.
    """
    if "\\" in text and "\\u003" in text:  # a colon written as an escape would upset the balance
        return False
    return encode(found).count(b":") == text.count(":")


def _uncommon(events: list[Event]) -> list[Event]:
    """Those that say something of which the types of the fields cannot say all that must hold."""
    return [
        event
        for event in events
        if ((spent := event.tokens_) is not None and (spent.__class__ is not float or spent >= LARGEST))
        or event.t >= LARGEST
        or event.t_end is not None
        or event.cost is not None
        or event.delivered is not None
        or event.decision is not None
        or event.reward is not None
        or event.other is not None
    ]


def _sound(event: Event) -> bool:
    """What the types of the fields cannot say."""
    if event.other is not None or event.delivered is True:
        return False
    if event.decision is not None and len(set(event.decision)) < len(event.decision):
        return False
    if event.reward is not None:
        rewards = event.reward.values() if isinstance(event.reward, dict) else [event.reward]
        if any(abs(reward) >= LARGEST for reward in rewards):
            return False
    counted = (event.t, event.t_end, event.cost, event.delivered, event.tokens)
    return all(number is None or number < LARGEST for number in counted)
