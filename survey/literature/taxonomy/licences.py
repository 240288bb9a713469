"""Licences under which data are usually published: the name and the address of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CREATIVE_COMMONS: Final = "https://creativecommons.org"

KNOWN: Final[Mapping[str, tuple[str, str]]] = {
    "CC0-1.0": ("CC0 1.0 Universal", f"{CREATIVE_COMMONS}/publicdomain/zero/1.0/"),
    "CC-BY-4.0": ("Creative Commons Attribution 4.0 International", f"{CREATIVE_COMMONS}/licenses/by/4.0/"),
    "CC-BY-SA-4.0": (
        "Creative Commons Attribution-ShareAlike 4.0 International",
        f"{CREATIVE_COMMONS}/licenses/by-sa/4.0/",
    ),
    "CC-BY-NC-4.0": (
        "Creative Commons Attribution-NonCommercial 4.0 International",
        f"{CREATIVE_COMMONS}/licenses/by-nc/4.0/",
    ),
    "ODbL-1.0": ("Open Data Commons Open Database License 1.0", "https://opendatacommons.org/licenses/odbl/1-0/"),
    "ODC-By-1.0": ("Open Data Commons Attribution License 1.0", "https://opendatacommons.org/licenses/by/1-0/"),
    "PDDL-1.0": ("Open Data Commons Public Domain Dedication 1.0", "https://opendatacommons.org/licenses/pddl/1-0/"),
    "MIT": ("MIT License", "https://opensource.org/license/mit/"),
    "Apache-2.0": ("Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
}


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence by its SPDX identifier; one that is not known here has neither title nor address."""

    name: str
    title: str = ""
    address: str = ""

    @property
    def said(self) -> str:
        """The address if it is known, else the identifier."""
        return self.address or self.name


def licence(name: str) -> Licence | None:
    """Return the licence with an SPDX identifier; None if no identifier is given.

    >>> licence("CC-BY-4.0").said
    'https://creativecommons.org/licenses/by/4.0/'
    >>> licence("Bakers-1.0").said, licence("")
    ('Bakers-1.0', None)
    """
    return Licence(name, *KNOWN.get(name, ())) if name else None
