"""The pages of one build: those made of the same parts as in an earlier build are finished, and not made again.

MkDocs asks twice for the pages that it is to make, and is told only of those that are not finished. To everything else
a finished page is there: menus and the site map show it, links to it are checked, the search index has its sections.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_markdown_title, meta

from survey.site.build import Build
from survey.site.cache import code_fingerprint, digest, files_below, fingerprint
from survey.site.publishing.incremental.html_blocks import anchors, put_back, set_aside
from survey.site.publishing.incremental.last_build import SiteFiles
from survey.site.publishing.incremental.warning_count import Warnings
from survey.site.publishing.search import weighed

Inclusion = Callable[[InclusionLevel], bool]

KNOWN_PLUGINS = {"SearchPlugin", "SurveyPlugin", "Plugin", "MkdocstringsPlugin", "AutorefsPlugin"}
"""Plugins of which we know what they do to a page. Beside any other, every page is made."""

ROOMS = ("site/publishing", "site/theme", "site/notebooks")
"""The code that decides how a text is rendered. What decides the text need not be among it: the text itself counts."""

API = "\n::: "
"""The directive of mkdocstrings. Pages with it link to each other and share two files, so they are made together."""

API_FILES = ("assets/_mkdocstrings.css", "objects.inv")

CODE = re.compile(r"(<pre\b[^<>]*>(?:<span></span>)?<code\b)(?![^>]*\stabindex=)")
"""A block of code. It scrolls if it is wider than the page, and must then be reachable by keyboard."""

TABLE = re.compile(r"^<table>", re.MULTILINE)
"""A table of Markdown. It scrolls too, until a script gives it a frame that does."""

LOCAL = {"site_dir", "config_file_path", "docs_dir", "watch", "dev_addr", "strict", "plugins", "nav", "theme"}
"""Settings that no page depends on, or that are counted in another form."""


@dataclass
class Making:
    """A page that this build makes, and what is worth keeping of it."""

    consulted: dict[str, bool]
    """Which files it asked for, and whether they exist."""
    warnings: int
    blocks: list[str]
    sections: list[dict[str, Any]] = field(default_factory=list)
    output: str = ""
    clean: bool = False
    """Whether it was rendered without a warning: else the next build must warn again."""


class Pages:
    """The pages of one build: which are finished, and which it makes.

    MkDocs first renders each page that is to be made (``begin``, ``rendered``), then puts each into the theme
    (``index``, ``output``). ``texts`` are marks of the texts from which pages are made (``survey.site.build.mark``);
    ``variant`` tells apart builds that differ in nothing else.
    """

    def __init__(
        self, build: Build, site: SiteFiles, warnings: Warnings, config: MkDocsConfig, files: Files, nav: Navigation,
        texts: Mapping[str, str], variant: str,
    ) -> None:  # fmt: skip
        self.build, self.cache, self.site = build, build.cache, site
        self.warnings, self.config, self.files = warnings, config, files
        plugins = [*config.plugins.values()]
        notes_links = logging.getLogger("mkdocs.structure.pages").getEffectiveLevel() > logging.DEBUG
        self.usable = notes_links and {type(plugin).__name__ for plugin in plugins} <= KNOWN_PLUGINS
        """Whether pages can be reused: MkDocs notes links to anchors unless it is told to be verbose."""
        index = next((plugin.search_index for plugin in plugins if hasattr(plugin, "search_index")), None)
        self.sections: list[dict[str, Any]] = getattr(index, "entries", getattr(index, "_entries", []))
        self.indexed = 0
        self.names = Consulted(files)
        self.api = _api_keys(files)
        self.environment = f"{_environment(config, nav)} {variant}"
        self.every = files.documentation_pages()
        self.menus = {page.url: _menu_title(page) for page in nav.pages}
        """The title of each page in the menus, by its address."""
        self.keys = {file.src_uri: self._key(file, texts[file.src_uri]) for file in self.every}
        self.finished: dict[str, dict[str, Any]] = {}
        """What is known of each finished page."""
        self.making: dict[str, Making] = {}
        self.expected_warnings = warnings.count
        self.consulted: dict[str, bool] = {}
        self.all_pages = files.documentation_pages
        files.documentation_pages = self._asked_for  # type: ignore[method-assign]
        find = files.get_file_from_path
        files.get_file_from_path = lambda path: self._consult(path, find(path))  # type: ignore[method-assign]

    # ------------------------------------------------------------ finished pages

    def finish(self) -> None:
        """Let MkDocs take the pages that an earlier build has made as they are."""
        if not self.usable:
            return
        names = self.files.src_uris
        known = self.cache.find(self.site.last.about.get("pages", [])) or {}
        for file in self.every:
            key = self.keys[file.src_uri]
            found = known.get(digest(json.dumps(key))) if self.cache.has(key) else None
            if found is None and (kept := self.cache.find(key)):
                found = kept["about"]
            if found and all((path in names) == there for path, there in found["consulted"].items()):
                self.cache.touch(key)
                self._finish(file, found)

    def _finish(self, file: File, found: dict[str, Any]) -> None:
        page = file.page
        assert page
        self.finished[file.src_uri] = found
        page.meta = found["meta"]
        if not page.title:
            page.title = found["title"]
        page.present_anchor_ids = set(found["anchors"])
        page.links_to_anchors = {self.files.src_uris[path]: links for path, links in found["links"].items()}

    def _asked_for(self, *, inclusion: Inclusion | None = None) -> Sequence[File]:
        """Return the pages to make, for which MkDocs asks with an inclusion; without one, all pages."""
        pages = self.all_pages(inclusion=inclusion or InclusionLevel.is_included)
        return pages if inclusion is None else [page for page in pages if page.src_uri not in self.finished]

    def put_finished(self) -> None:
        """Put the finished pages into the site."""
        for name in self.finished:
            key = self.keys[name]
            load = partial(self.cache.find, key)
            self.site.put(
                self.files.src_uris[name].dest_uri,
                self._made_of(key),
                lambda load=load: self.build.filled(load()["output"]),  # type: ignore[misc]
            )

    def _key(self, file: File, text: str) -> tuple[str, ...]:
        """Return what a page depends on, besides whether other files exist."""
        assert file.page
        about = json.dumps([file.page.edit_url, file.inclusion.name])
        return (self.environment, file.src_uri, text, about, *self.api.get(file.src_uri, ()))

    def _made_of(self, key: tuple[str, ...]) -> str:
        return self.build.made_of(digest(json.dumps(key)), marked=key[2])

    def is_finished(self, page: Page) -> bool:
        """Return whether an earlier build has made the page."""
        return page.file.src_uri in self.finished

    # ------------------------------------------------------------ pages that are made

    def begin(self, page: Page, text: str) -> str:
        """Return the Markdown of a page that is left to convert."""
        name = page.file.src_uri
        self.consulted = {}
        text, blocks = set_aside(text) if name.endswith(".md") else (text, [])
        self.making[name] = Making(self.consulted, self.warnings.count, blocks)
        return text

    def rendered(self, page: Page, html: str) -> str:
        """Return the whole content of a page."""
        making = self.making[page.file.src_uri]
        # MkDocs collects the anchors of Markdown, and knows none of a notebook
        known = anchors([html]) if page.present_anchor_ids is None else page.present_anchor_ids
        page.present_anchor_ids = known | anchors(making.blocks)
        making.clean = making.warnings == self.warnings.count
        self.expected_warnings += self.warnings.count - making.warnings
        html = TABLE.sub('<table tabindex="0">', html)
        return CODE.sub(r'\1 tabindex="0"', put_back(html, making.blocks))

    def index(self, page: Page) -> None:
        """Note the sections of a page in the search index."""
        new = self.sections[self.indexed :]
        self.indexed = len(self.sections)
        self.making[page.file.src_uri].sections = new

    def output(self, page: Page, html: str) -> str:
        """Return the HTML of a page."""
        self.making[page.file.src_uri].output = html
        return html

    # ------------------------------------------------------------ the end of the build

    def check_links(self) -> None:
        """Check the links of finished pages to anchors, if there are new pages; MkDocs checks those that are made."""
        for name in self.finished if self.making else ():
            page = self.files.src_uris[name].page
            if page and page.links_to_anchors:
                page.validate_anchor_links(files=self.files, log_level=self.config.validation.links.anchors)

    def complete_index(self) -> None:
        """Put the sections of all pages into the search index, in the order of the pages."""
        nothing = Making({}, 0, [])
        of_pages = (
            self.finished[name]["sections"] if name in self.finished else self.making.get(name, nothing).sections
            for name in (file.src_uri for file in self.every)
        )  # fmt: skip
        filled = (
            {name: self.build.filled(text) if isinstance(text, str) else text for name, text in section.items()}
            for sections in of_pages
            for section in sections
        )
        self.sections[:] = weighed(filled, self.menus)

    def keep(self, site: Path) -> dict[str, Any]:
        """Keep the pages that this build has made, for the next one; return where they are listed.

        The files that all pages of the API share are written if an earlier build has made these pages.
        """
        clean = self.usable and self.warnings.count == self.expected_warnings
        about = dict(self.finished)
        for name, making in self.making.items():
            page = self.files.src_uris[name].page
            if clean and making.clean and making.output and page and name in self.keys:
                about[name] = _about(page, making)
                self.cache.keep(self.keys[name], {"output": making.output, "about": about[name]})
        for name in about:
            self.site.note(self.files.src_uris[name].dest_uri, self._made_of(self.keys[name]))
        if self.api:
            self._share_api_files(site, clean)
        listed = {digest(json.dumps(self.keys[name])): found for name, found in about.items()}
        place = ["pages", digest(" ".join(sorted(listed)))]
        self.cache.get(place, lambda: listed)
        return {"pages": place}

    def _share_api_files(self, site: Path, clean: bool) -> None:
        key = (self.environment, *next(iter(self.api.values())))
        if self.api.keys() <= self.finished.keys():
            for name, data in self.cache.find(key).items():
                (site / name).parent.mkdir(parents=True, exist_ok=True)
                (site / name).write_bytes(data)
        elif clean:
            self.cache.keep(key, {name: path.read_bytes() for name in API_FILES if (path := site / name).exists()})

    def _consult(self, path: str, file: File | None) -> File | None:
        self.consulted[path] = file is not None
        if file is None and self.build.later is not None and self.build.later.has(path):
            return File(path, None, self.config.site_dir, self.config.use_directory_urls)  # it will be there
        return file


class Consulted(Collection[str]):
    """The names of all files; a page that asks for one depends on the answer."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def __contains__(self, name: object) -> bool:
        return self.files.get_file_from_path(str(name)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.files.src_uris)

    def __len__(self) -> int:
        return len(self.files)


def _about(page: Page, making: Making) -> dict[str, Any]:
    """Return what the next build must know of a page besides its HTML."""
    return {
        "title": page.title,
        "meta": json.loads(json.dumps(page.meta, default=str)),
        "sections": making.sections,
        "consulted": making.consulted,
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()},
    }


def _menu_title(page: Page) -> str:
    return str(page.__dict__.get("title") or _title(page))


def _environment(config: MkDocsConfig, nav: Navigation) -> str:
    """Return a fingerprint of what every page is made of: the code, the theme, the settings and the navigation."""
    settings = {name: value for name, value in config.items() if name not in LOCAL}
    plugins = [[type(plugin).__name__, dict(plugin.config)] for plugin in config.plugins.values()]
    own = config.theme.custom_dir
    theme = [config.theme.name, dict(config.theme), fingerprint(files_below(Path(own)), below=Path(own)) if own else ""]
    items = [[item.url, _menu_title(item)] for item in nav.pages]
    return fingerprint(
        [], *map(code_fingerprint, ROOMS), json.dumps([settings, plugins, theme, items, config.nav], default=_plain)
    )


def _plain(value: object) -> object:
    """Return a setting in a form that is the same in every process: of a function or an object, only its type."""
    if isinstance(value, Mapping):
        return dict(value)
    return str(value) if isinstance(value, (bytes, Path)) else type(value).__qualname__


def _title(page: Page) -> str:
    """Return what decides the title of a page to which the navigation gives none: every page shows it in its menu."""
    text, about = meta.get_data(page.file.content_string)
    title = about.get("title") or get_markdown_title(text)
    return title if title and "{" not in title and page.file.src_uri.endswith(".md") else fingerprint([], text)


def _api_keys(files: Files) -> dict[str, tuple[str, str]]:
    """Return what each page on the API depends on: the code, and the texts of all of them."""
    written = [file for file in files.documentation_pages() if file.generated_by is None]
    texts = {file.src_uri: text for file in written if API in (text := file.content_string)}
    return {name: (fingerprint([], *texts.values()), code_fingerprint()) for name in texts}
