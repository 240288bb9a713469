"""What a survey says of itself: the table ``[survey]`` of ``taxonomy.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WINGS: Final = ("traces", "dependencies")
"""Pages that a survey builds only if it asks for them: they are about this toolkit and not about its subject."""

ADDRESS: Final = "url"
"""Stands, among what a survey requires, for one of the fields url, doi and eprint."""

CAN_BE_REQUIRED: Final = ("summary", "added", ADDRESS, "sources", "read", "confidence")
"""Fields of this format that a survey may require in every entry."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a survey says of itself. Nothing is obligatory: what is not said does not stand on a page."""

    scope: str = ""
    """What its works are about: words that complete "works on ..."."""

    creator: str = ""
    """Who made the data."""

    licence: str = ""
    """The SPDX identifier of the licence of the data."""

    required: tuple[str, ...] = ()
    """Fields of this format that every entry must have."""

    wings: tuple[str, ...] = ()
    """The optional parts of the site."""

    first: str = ""
    """What the values that come first in reading order stand for: words in the plural."""

    origin: str = ""
    """The key, in ``background.bib``, of the published survey from which this one starts."""
