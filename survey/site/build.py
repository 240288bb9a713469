"""All computed pages and files of the site: a pool in, ``{path: content}`` out.

Paths are relative to ``docs/``; pages are Markdown, other files text or bytes. Nothing
here depends on a site generator.

Each family of pages is computed again only if something that it reads has changed (``survey.site.drafts``). A
``Build`` reads the data only if a family, or a page with live figures, must be computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from survey import garbage_collection
from survey.literature import Pool, Problem, counted_pool, read_pool
from survey.site.cache import Cache, digest, files_below, fingerprint
from survey.site.drafts import (
    CHAPTERS,
    MARK,
    NO_PROSE,
    PROSE,
    TABLES,
    Reads,
    data_fingerprints,
    filled,
    placeholders,
    preview_placeholders,
)
from survey.site.facts import Facts, cached_name, facts_fingerprint
from survey.site.families import FAMILIES, Content, Family, families_of
from survey.site.markup.optional import OPTIONAL, has
from survey.site.notebooks.rendering import with_figures
from survey.site.pages.data_files.dataset import dataset
from survey.site.pages.entries.builder import source_locations
from survey.site.prose.chapters import Chapter, chapters
from survey.site.prose.prose import render_prose

T = TypeVar("T")


def _made(family: Family, facts: Facts) -> dict[str, Content]:
    with garbage_collection.paused():
        return dict(family.make(facts))


def build(facts: Facts) -> dict[str, Content]:
    """Return all computed files of the site."""
    out: dict[str, Content] = {}
    fills = placeholders(facts.source)
    for family in families_of(facts.source.taxonomy.settings.wings):
        part = facts.reading(frozenset(family.reads or NO_PROSE))
        made = part.cached(family.name, partial(_made, family, part), family.reads is not None)
        _add(out, {path: filled(content, fills) for path, content in made.items()})
    return out


def _add(out: dict[str, T], more: Mapping[str, T]) -> None:
    for path, content in more.items():
        if path in out:
            raise ValueError(f"two families make {path}")
        out[path] = content


def filled_page(facts: Facts, text: str, page: str, shown: str) -> str:
    """Return a hand-written page with its figures; ``shown`` is the name of its file in messages.

    Raises:
        InvalidSurvey: if it refers to an entry, axis, value or function that does not exist.

    """
    part = facts.reading(NO_PROSE)
    return part.cached(
        _page_name(text, shown),
        lambda: render_prose(text, part.pool, page, shown, part.pictures, part.site_url, part.repository),
    )


def filled_notebook(facts: Facts, notebook: Mapping[str, Any], page: str) -> str:
    """Return a notebook with the figures of its text, as JSON.

    Raises:
        InvalidSurvey: as above.

    """
    part, text = facts.reading(NO_PROSE), json.dumps(notebook)

    def with_its_figures() -> str:
        return json.dumps(with_figures(json.loads(text), part.pool, page, part.pictures))

    return part.cached(_page_name(text, page), with_its_figures)


def _page_name(text: str, shown: str) -> str:
    return f"{shown}\n{text}"


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed file: a mark of its content, which has placeholders and is loaded on demand."""

    path: str
    mark: str
    family: Callable[[], Mapping[str, Content]]

    def load(self) -> Content:
        """Return the content."""
        return self.family()[self.path]


@dataclass
class Later:
    """What a build leaves to be computed later; until then it shows what an earlier build of the process has."""

    families: list[Family] = field(default_factory=list)
    pages: list[tuple[str, str, str]] = field(default_factory=list)
    """Hand-written pages: text, path, and name in messages."""

    def __bool__(self) -> bool:
        return bool(self.families or self.pages)

    def has(self, path: str) -> bool:
        """Return whether a path can be that of a file that is computed later."""
        return any(family.has(path) for family in self.families)


@dataclass
class Shown:
    """What the last build of a process has shown."""

    files: dict[str, dict[str, Computed]] = field(default_factory=dict)
    """By the names of families."""
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Hand-written pages: the text as written, and as shown."""


@dataclass(frozen=True)
class Build:
    """What one build computes from a folder of data. The data are read only if something must be computed again."""

    data: Path
    cache: Cache
    site_url: str = ""
    issues: str = ""
    repository: str = ""
    notebooks: Sequence[Mapping[str, Any]] = ()
    docs: Path | None = None
    """The folder of the hand-written pages."""
    preview: bool = False
    """Whether this is for an editor's eyes: an edit then changes no file merely because it shows the fingerprint."""
    later: Later | None = None
    """What this build leaves for later; without it everything is computed at once."""
    shown: Shown = field(default_factory=Shown)
    kept: Mapping[str, Facts] = field(default_factory=dict)
    """Facts of an earlier build in this process, by their fingerprints."""

    def after(self, former: Build | None) -> Build:
        """Return this build with what a former one of the same process has read and computed, where it is still right.

        If nothing has changed, it goes on with all that the former build knows.
        """
        if former is None:
            return self
        kept = former.facts.readings if "facts" in former.__dict__ else {}
        facts = {former._fingerprint(reads): part for reads, part in kept.items()}
        new = replace(self, shown=former.shown, kept=facts)
        if former._made_of == self._made_of:
            new.__dict__.update({name: former.__dict__[name] for name in CARRIED if name in former.__dict__})
        return new

    @cached_property
    def _made_of(self) -> list[Any]:
        data = fingerprint(files_below(self.data))
        return [
            str(self.data),
            self.preview,
            facts_fingerprint(data, self._addresses, self.notebooks, self._chapters, self._written),
        ]

    @property
    def _addresses(self) -> tuple[str, str, str]:
        return self.site_url, self.issues, self.repository

    @cached_property
    def _chapters(self) -> Sequence[Chapter]:
        return chapters(self.docs) if self.docs else ()

    @property
    def _written(self) -> list[str]:
        return [one.page for one in self._chapters]

    def files(self) -> dict[str, Computed]:
        """Return all computed files of the site, but those that are left for later and were never computed.

        Raises:
            InvalidSurvey: if the data cannot be counted.

        """
        out: dict[str, Computed] = {}
        for family in families_of(self._known["wings"]):
            found = self.shown.files.get(family.name, {})
            if self._waits(family):
                assert self.later is not None
                self.later.families.append(family)
            else:
                found = self.shown.files[family.name] = self.family(family)
            _add(out, found)
        return out

    def family(self, family: Family) -> dict[str, Computed]:
        """Return the files of a family."""
        load = cache(partial(self._contents, family))
        marks = self.cache.get((*self._name(family), "marks"), partial(_marks, load))
        return {path: Computed(path, mark, load) for path, mark in marks.items()}

    def _waits(self, family: Family) -> bool:
        """Return whether a family can be left for later."""
        was_shown = family.name in self.shown.files
        can_wait = self.later is not None and family.paths and (family.slow or not was_shown)
        return bool(can_wait) and not self.cache.has((*self._name(family), "marks"))

    def _contents(self, family: Family) -> dict[str, Content]:
        def compute() -> dict[str, Content]:
            return _made(family, self.facts.reading(frozenset(family.reads or NO_PROSE)))

        return self.cache.get(self._name(family), compute)

    def _name(self, family: Family) -> tuple[str, ...]:
        return cached_name(family.name, "" if family.reads is None else self._fingerprint(family.reads))

    def page(self, text: str, page: str, shown: str) -> str:
        """Return a hand-written page with its figures, as ``filled_page`` does."""
        found: str | None = self.cache.find(cached_name(_page_name(text, shown), self._fingerprint(NO_PROSE)))
        if found is None:
            before = self.shown.pages.get(page)
            if self.later is not None and before and before[0] == text:
                if (text, page, shown) not in self.later.pages:
                    self.later.pages.append((text, page, shown))
                return before[1]
            found = filled_page(self.facts, text, page, shown)
        self.shown.pages[page] = text, found
        return found

    def notebook(self, notebook: Mapping[str, Any], page: str) -> str:
        """Return a notebook with the figures of its text, as ``filled_notebook`` does."""
        found = self.cache.find(cached_name(_page_name(json.dumps(notebook), page), self._fingerprint(NO_PROSE)))
        return found or filled_notebook(self.facts, notebook, page)

    def filled(self, content: Content) -> Content:
        """Return a file with the fingerprints of the data in their places."""
        return filled(content, self._known["placeholders"])

    def made_of(self, name: str, marked: str) -> str:
        """Return what a file is made of: all that ``name`` stands for, and the fingerprints, if it shows them."""
        return f"{name} {self._known['filled']}" if marked.endswith(FILLED) else name

    @property
    def home(self) -> dict[str, Any]:
        """Metadata for the home page: the data set for schema.org, when it was last added to, and who made it."""
        return {name: self._known[name] for name in ("structured", "published", "creator")}

    def can_come(self, path: str) -> bool:
        """Return whether a path can be that of a page that is computed later, and has something to show."""
        return self.later is not None and self.later.has(path) and path not in self._known["absent"]

    @property
    def sources(self) -> Mapping[str, tuple[str, int]]:
        """The file and line of the source of each computed page that has one."""
        return {page: (path, line) for page, (path, line) in self._known["sources"].items()}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the data, but does not keep them from being counted.

        Raises:
            InvalidSurvey: if they cannot be counted.

        """
        return () if self._known["sound"] else self._read[1]

    @cached_property
    def facts(self) -> Facts:
        """The data, read when they are first asked for."""
        facts = Facts(self._read[0], *self._addresses, self.notebooks, self._chapters, self.cache, self.data)
        for reads in {frozenset(family.reads) for family in FAMILIES if family.reads is not None}:
            if part := self.kept.get(self._fingerprint(reads)):
                facts.readings[reads] = part
        return facts

    @cached_property
    def _read(self) -> tuple[Pool, tuple[Problem, ...]]:
        found, problems = read_pool(self.data)
        return counted_pool(found, problems), problems

    def _fingerprint(self, reads: Reads) -> str:
        data = self._known["fingerprints"][_written(reads & PROSE)]
        tables, discussed = self.notebooks if TABLES in reads else (), self._chapters if CHAPTERS in reads else ()
        return facts_fingerprint(data, self._addresses, tables, discussed, self._written)

    @cached_property
    def _known(self) -> dict[str, Any]:
        """What every build needs to know of the data; of sound data an earlier build has kept it."""
        name = cached_name(json.dumps(self._made_of), "")
        found: dict[str, Any] | None = self.cache.find(name)
        if found is None:
            pool, problems = self._read
            every: set[Reads] = {frozenset(family.reads & PROSE) for family in FAMILIES if family.reads is not None}
            found = {
                "sound": not problems,
                "placeholders": (fills := preview_placeholders(pool) if self.preview else placeholders(pool)),
                "filled": digest(json.dumps(fills)),
                "fingerprints": {
                    _written(reads): found for reads, found in data_fingerprints(pool, self.data, *every).items()
                },
                "structured": dataset(pool, self.site_url),
                "published": pool.last_added.isoformat(),
                "creator": pool.taxonomy.settings.creator,
                "sources": source_locations(pool),
                "wings": list(pool.taxonomy.settings.wings),
                "absent": [page for page in OPTIONAL if not has(pool, page)],
            }
            if not problems:
                self.cache.keep(name, found)
        return found


CARRIED = ("_made_of", "facts", "_read", "_known")
"""What a build goes on with if nothing has changed since the former one."""

FILLED = "*"


def _marks(family: Callable[[], Mapping[str, Content]]) -> dict[str, str]:
    return {path: mark(content) for path, content in family().items()}


def mark(content: Content) -> str:
    """Return a digest of a content, which ends with a star if fingerprints are filled into it."""
    return digest(content) + (FILLED if isinstance(content, str) and MARK in content else "")


def _written(reads: Reads) -> str:
    return " ".join(sorted(reads))
