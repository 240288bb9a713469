"""Finished pages: a page made of the same parts as in an earlier build is neither rendered nor put into the theme.

MkDocs makes every page of every build. Two of its doors let a plugin skip that: ``page.render`` may be replaced for
one page, as mkdocs-jupyter does, and the metadata of a page may name another template. A finished page renders to
nothing, and its template prints what an earlier build made of it. Its links, its anchors and its sections in the
search index are restored, so that MkDocs checks and finds every page as if it had made all of them.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import get_markdown_title, meta

from survey.site.cache import Cache, code_fingerprint, fingerprint
from survey.site.publishing.html_blocks import anchors, put_back, set_aside
from survey.site.publishing.warning_count import Warnings

TEMPLATE = "finished.html"

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
    """A page that this build makes: what it depends on, and what is worth keeping of it."""

    key: tuple[str, ...]
    consulted: dict[str, bool]
    """Which files it asked for, and whether they exist."""
    warnings: int
    blocks: list[str]
    sections: list[dict[str, Any]] = field(default_factory=list)
    output: str = ""


class FinishedPages:
    """The pages of one build: which are finished, and which it makes.

    MkDocs first renders each page (``begin``, ``rendered``), then puts each into the theme (``index``, ``output``).
    """

    def __init__(self, cache: Cache, warnings: Warnings, config: MkDocsConfig, files: Files, nav: Navigation) -> None:
        self.cache, self.warnings, self.files = cache, warnings, files
        plugins = [*config.plugins.values()]
        notes_links = logging.getLogger("mkdocs.structure.pages").getEffectiveLevel() > logging.DEBUG
        self.usable = notes_links and {type(plugin).__name__ for plugin in plugins} <= KNOWN_PLUGINS
        """Whether pages can be reused: MkDocs notes links to anchors unless it is told to be verbose."""
        index = next((plugin.search_index for plugin in plugins if hasattr(plugin, "search_index")), None)
        self.sections: list[dict[str, Any]] = getattr(index, "entries", getattr(index, "_entries", []))
        self.indexed = 0
        self.names = Consulted(files)
        self.environment = _environment(config, files, nav)
        self.api = _api_keys(files)
        self.restored: dict[str, dict[str, Any]] = {}
        self.making: dict[str, Making] = {}
        self.expected_warnings = warnings.count
        self.consulted: dict[str, bool] = {}
        find = files.get_file_from_path
        files.get_file_from_path = lambda path: self._consult(path, find(path))  # type: ignore[method-assign]

    def is_finished(self, page: Page) -> bool:
        """Return whether an earlier build has made the page."""
        return page.file.src_uri in self.restored

    def begin(self, page: Page, text: str) -> str:
        """Return the Markdown of a page that is left to convert: none if an earlier build has made the page."""
        name = page.file.src_uri
        about = json.dumps([page.meta, page.edit_url, page.file.inclusion.name], sort_keys=True, default=str)
        key = (self.environment, name, text, about, *self.api.get(name, ()))
        self.consulted = {}
        found = self.cache.find(key) if self.usable else None
        if not found or any((path in self.files.src_uris) != exists for path, exists in found["consulted"].items()):
            text, blocks = set_aside(text) if name.endswith(".md") else (text, [])
            self.making[name] = Making(key, self.consulted, self.warnings.count, blocks)
            return text
        self.restored[name] = found
        page.render = lambda config, files: self._restore(page, found)  # type: ignore[method-assign]
        return ""

    def rendered(self, page: Page, html: str) -> str:
        """Return the whole content of a page. One with a warning is not kept: the next build must warn again."""
        making = self.making.get(page.file.src_uri)
        if making is None:
            return html
        if page.present_anchor_ids is not None:
            page.present_anchor_ids |= anchors(making.blocks)
        if making.warnings != self.warnings.count:
            self.expected_warnings += self.warnings.count - making.warnings
            del self.making[page.file.src_uri]
        html = TABLE.sub('<table tabindex="0">', html)
        return CODE.sub(r'\1 tabindex="0"', put_back(html, making.blocks))

    def index(self, page: Page) -> list[dict[str, Any]]:
        """Return the sections of a page in the search index, where those of a finished page are added."""
        if found := self.restored.get(page.file.src_uri):
            self.sections.extend(found["sections"])
        new = self.sections[self.indexed :]
        self.indexed = len(self.sections)
        if making := self.making.get(page.file.src_uri):
            making.sections = [dict(section) for section in new]
        return new

    def output(self, page: Page, html: str) -> str:
        """Return the HTML of a page."""
        if making := self.making.get(page.file.src_uri):
            making.output = html
        return html

    def keep(self, site: Path) -> None:
        """Keep the pages that this build has made, and write the files of API pages if an earlier one made these."""
        clean = self.usable and self.warnings.count == self.expected_warnings
        for name, making in self.making.items():
            page = self.files.src_uris[name].page
            if clean and making.output and page:
                self.cache.keep(making.key, _kept(page, making))
        if self.api:
            self._share_api_files(site, clean)

    def _share_api_files(self, site: Path, clean: bool) -> None:
        key = (self.environment, *next(iter(self.api.values())))
        if self.api.keys() <= self.restored.keys():
            for name, data in self.cache.find(key).items():
                (site / name).parent.mkdir(parents=True, exist_ok=True)
                (site / name).write_bytes(data)
        elif clean:
            self.cache.keep(key, {name: path.read_bytes() for name in API_FILES if (path := site / name).exists()})

    def _restore(self, page: Page, found: dict[str, Any]) -> None:
        page.content, page.toc = "", get_toc([])
        page.present_anchor_ids = set(found["anchors"])
        page.links_to_anchors = {self.files.src_uris[path]: links for path, links in found["links"].items()}
        page.meta = {"template": TEMPLATE, "search": {"exclude": True}}
        page.title = found["title"]
        page.finished = found["output"]  # type: ignore[attr-defined]

    def _consult(self, path: str, file: File | None) -> File | None:
        self.consulted[path] = file is not None
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


def _kept(page: Page, making: Making) -> dict[str, Any]:
    return {
        "title": page.title,
        "output": making.output,
        "sections": making.sections,
        "consulted": making.consulted,
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()},
    }


def _environment(config: MkDocsConfig, files: Files, nav: Navigation) -> str:
    """Return a fingerprint of what every page is made of: the code, the theme, the settings and the navigation."""
    settings = {name: value for name, value in config.items() if name not in LOCAL}
    plugins = [[type(plugin).__name__, dict(plugin.config)] for plugin in config.plugins.values()]
    own = config.theme.custom_dir
    theme = [config.theme.name, dict(config.theme), fingerprint(sorted(_files_below(own))) if own else ""]
    items = [[item.url, item.__dict__.get("title") or _title(item)] for item in nav.pages]
    return fingerprint(
        [], *map(code_fingerprint, ROOMS), json.dumps([settings, plugins, theme, items, config.nav], default=_plain)
    )


def _plain(value: object) -> object:
    """Return a setting in a form that is the same in every process: of a function or an object, only its type."""
    if isinstance(value, Mapping):
        return dict(value)
    return str(value) if isinstance(value, (bytes, Path)) else type(value).__qualname__


def _files_below(folder: str) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


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
