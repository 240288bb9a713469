"""Author names: BibTeX name lists, split as BibTeX splits them and converted for display."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)

from survey.literature.bibtex.latex import readable

OTHERS = re.compile(r"(?i)^others$|\bet al\b")
SEPARATOR = re.compile(r"(?i)(?<!\S)and(?!\S)|;")


@dataclass(frozen=True, slots=True)
class Name:
    """A person, or a corporate author (then only ``family`` is set)."""

    family: str
    given: str = ""
    particle: str = ""
    suffix: str = ""
    corporate: bool = False

    @property
    def last(self) -> str:
        """The last name used in citations, including the particle."""
        return f"{self.particle} {self.family}".strip()

    @property
    def sorted(self) -> str:
        """Last name first: ``de Witt, Christian Schroeder``."""
        return ", ".join(part for part in (self.last, self.suffix, self.given) if part)

    def __str__(self) -> str:
        return " ".join(part for part in (self.given, self.last, self.suffix) if part)


@lru_cache(maxsize=10_000)
def parse_names(text: str) -> tuple[Name, ...]:
    """Return the people and corporate authors of an author field, in order.

    Raises:
        ValueError: if a name cannot be split, or the list ends in "others".

    """
    names = []
    for raw in split_multiple_persons_names(text):
        name = _name(raw.strip())
        if OTHERS.search(str(name)):
            raise ValueError('ends in "and others" (name every author, or say why not in authors-incomplete)')
        if not name.corporate and (wrong := SEPARATOR.search(f"{name.given} , {name.last} , {name.suffix}")):
            raise ValueError(
                f'"{raw.strip()}" is not one name: it contains "{wrong.group().strip()}" (join names with " and ")'
            )
        names.append(name)
    return tuple(names)


@lru_cache(maxsize=100_000)
def _name(raw: str) -> Name:
    if _braced(raw):
        if not readable(raw).strip():
            raise ValueError(f'"{raw}" names nobody')
        return Name(readable(raw), corporate=True)
    try:
        parts = parse_single_name_into_parts(raw)
    except InvalidNameError as error:
        raise ValueError(f"{error.reason}: {raw}") from None
    given, particle, family, suffix = (
        readable(" ".join(words)) for words in (parts.first, parts.von, parts.last, parts.jr)
    )
    if not family:
        raise ValueError(f'"{raw}" has no last name (expected "Last, First")')
    return Name(family, given, particle, suffix)


def _braced(raw: str) -> bool:
    """Return whether one pair of braces encloses the entire name, which marks a corporate author."""
    if not (raw.startswith("{") and raw.endswith("}")):
        return False
    depth = 0
    for position, character in enumerate(raw):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0 and position < len(raw) - 1:
            return False
    return not re.match(r"\{\s*\\", raw)  # {\'E}va is an accent
