"""The hand-written pages: which works each discusses, and how often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

CITED = re.compile(r"(?<![\w@])@([\w.+:/-]*\w)|\bauthors\(\"([^\"]+)\"")
"""A citation, ``[@key]`` or ``{{ authors("key") }}``; ``[@@key]`` cites a background work, which has no page."""

TITLE = re.compile(r"^title:\s*(.+)$|^# +(.+)$", re.MULTILINE)
CODE = re.compile(r"^[ ]*```.*?^[ ]*```|`[^`\n]+`", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A hand-written page, with the works of the pool that it discusses."""

    page: str
    title: str
    passages: Mapping[str, int]
    """The number of paragraphs that name each work, by key."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A chapter that discusses a work, and in how many paragraphs."""

    page: str
    title: str
    passages: int


def chapters(docs: Path) -> tuple[Chapter, ...]:
    """Return the hand-written pages below a folder, also those that discuss no work."""
    paths = sorted(docs.rglob("*.md")) if docs.is_dir() else []
    return tuple(_chapter(path, path.relative_to(docs).as_posix()) for path in paths)


def _chapter(path: Path, page: str) -> Chapter:
    text = CODE.sub("", path.read_text(encoding="utf-8", errors="replace"))
    passages: Counter[str] = Counter()
    for paragraph in text.splitlines():
        passages.update({plain or called for plain, called in CITED.findall(paragraph)})
    title = TITLE.search(text)
    return Chapter(page, (title[1] or title[2]).strip("\"' ") if title else page, dict(sorted(passages.items())))


def mentions(found: Iterable[Chapter], key: str) -> list[Mention]:
    """Return the chapters that discuss a work, those with most paragraphs on it first."""
    some = [Mention(one.page, one.title, one.passages[key]) for one in found if key in one.passages]
    return sorted(some, key=lambda mention: (-mention.passages, mention.page))
