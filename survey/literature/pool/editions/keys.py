"""Published keys, which must not disappear, and the former keys of renamed works."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from survey.literature.bibtex import Block, address_of
from survey.literature.pool.entries import Entry
from survey.literature.problems import Problem, quoted


def aliases(works: Iterable[Entry | Block]) -> dict[str, str]:
    """Return the former keys of works with their current keys (field ``ids``, as in biblatex)."""
    return {old: work.key for work in works for old in _former(work)}


def _former(work: Entry | Block) -> Iterator[str]:
    return filter(None, map(str.strip, work.text("ids").split(",")))


def check_former_keys(works: Collection[Entry]) -> Iterator[Problem]:
    """Yield a problem for every former key whose page would stand in the place of another work, ignoring case."""
    taken = {address_of(work.key).lower(): work for work in works}
    for work in works:
        for old in _former(work):
            first = taken.setdefault(address_of(old).lower(), work)
            if first is not work:
                where = f"{first.key} ({first.path}:{first.block.line})"
                message = f"{quoted(old)} has the same address as {where}, {address_of(old)}"
                yield Problem(work.path, work.block.fields["ids"].line, message, work.key, "ids")


def check_published_keys(path: Path, keys: Collection[str], former: Mapping[str, str]) -> list[Problem]:
    """Return a problem for every published key that is neither a key nor a former key of an entry."""
    if not os.path.lexists(path):
        return []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        return [Problem(str(path), 1, f"cannot be read: {error}")]
    gone = "was published and no longer exists: add to the entry that replaces it the field ids = "
    return [
        Problem(str(path), number, f"{quoted(key)} {gone}{{{key}}}")
        for number, key in enumerate(map(str.strip, lines), 1)
        if key and not key.startswith("#") and key not in keys and key not in former
    ]  # fmt: skip
