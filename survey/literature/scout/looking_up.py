"""Looking a work up: its facts, from the source that knows its identifier best, and from others what that one lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, merged
from survey.literature.scout.references import Reference


class Knows(Protocol):
    """A source of the facts of single works."""

    @property
    def name(self) -> str:
        """What the source is called."""
        ...

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these ids. Raises ``OutOfReach`` if it gives no usable answer."""
        ...


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What sources say of a work, who answered, and who could not be asked, with the reason."""

    work: Candidate | None
    asked: tuple[str, ...]
    failed: Mapping[str, str]


def look_up(reference: Reference, client: Client, sources: Mapping[str, Knows]) -> LookedUp:
    """Return the facts of a work. Sources are asked one by one until one knows it.

    Then arXiv is asked for its preprint, and Crossref for its publication, if the first source names one. Title and
    authors are those of the source that knew it first.
    """
    asked: list[str] = []
    failed: dict[str, str] = {}

    def ask(name: str, id: str) -> Candidate | None:
        if name in asked:
            return None
        asked.append(name)
        try:
            return next(iter(sources[name].facts(client, [id])), None)
        except OutOfReach as error:
            failed[name] = error.why
            return None

    first = next((found for name, id in reference.questions() if (found := ask(name, id))), None)
    if first is None:
        return LookedUp(None, tuple(name for name in asked if name not in failed), failed)
    more = [ask("arxiv", first.arxiv) if first.arxiv else None, ask("crossref", first.doi) if first.doi else None]
    facts = merged([first, *(one for one in more if one)])[0]
    led = replace(facts, title=first.title, authors=first.authors, parted=first.parted, version=first.version)
    if led.arxiv:  # the day is that of the publication: arXiv's answers do not have that of the first listing
        led = replace(led, announced=None)
    return LookedUp(led, tuple(name for name in asked if name not in failed), failed)
