"""The MkDocs plugin: passes the computed pages to MkDocs in memory. Only this module depends on MkDocs."""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from jinja2 import Environment
from mkdocs.config import base, config_options
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler
from mkdocs.utils.templates import TemplateContext

from survey import garbage_collection
from survey.atomic import atomic_write
from survey.site.publishing.staged_build import NotBuilt, StagedBuild

UNNAMED_SEARCH = 'data-md-component="search" role="dialog"'
NOTEBOOKS = "notebooks"
"""The folder beside docs/ whose notebooks are pages of the site; mkdocs-jupyter renders them."""

RENDERER = "mkdocs-jupyter"
"""The plugin that renders them. It writes its cache files in place and reads them unchecked."""

LOG = logging.getLogger("mkdocs.plugins.survey")

PACKAGE = Path(__file__).parents[2]

SOURCES = frozenset({".py", ".j2", ".js", ".css"})
"""Files of the package from which pages are made: a server reloads the site wing when one of them changes."""


class SurveyConfig(base.Config):
    """Options of the plugin in mkdocs.yml."""

    bib = config_options.Type(str, default="bib")
    """The folder of the data, relative to mkdocs.yml."""

    issues = config_options.Type(str, default="")
    """The address that opens a new issue; on GitHub's runners it is set automatically."""


class SurveyPlugin(BasePlugin[SurveyConfig]):
    """Reads the pool before each build and passes its pages to MkDocs."""

    def __init__(self) -> None:
        self.code_of: float = 0.0
        self.serving = self.dirty = False
        self.building: StagedBuild | None = None
        self.policy: Any = None

    def on_startup(self, *, command: str, dirty: bool = False) -> None:
        """Note the command. A plugin with this event is kept for all rebuilds of a server."""
        self.serving, self.dirty = command == "serve", dirty

    def on_config(self, config: MkDocsConfig) -> None:
        """Watch the files that pages depend on, besides docs/."""
        self.folder = Path(config.config_file_path).parent / self.config.bib
        for place in (self.folder, self.folder.parent / NOTEBOOKS, self.folder.parent / "constraints.txt", PACKAGE):
            if place.exists() and str(place) not in config.watch:
                config.watch.append(str(place))

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Redirect the site and the cache of mkdocs-jupyter to staging folders until the build is complete."""
        options: Any = config.plugins[RENDERER].config if RENDERER in config.plugins else {"cache_dir": ""}
        site, cache = config.site_dir, options["cache_dir"]
        try:
            self.building = StagedBuild(site, cache, in_place=self.serving or self.dirty)
        except NotBuilt as error:
            raise PluginError(str(error)) from None
        config.site_dir, options["cache_dir"] = self.building.site, self.building.cache
        self.building.steps.callback(setattr, config, "site_dir", site)
        self.building.steps.callback(options.__setitem__, "cache_dir", cache)

    @event_priority(-100)  # after every plugin that writes into the site
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish the new site, unless MkDocs is about to abort over warnings; then it is discarded at the end."""
        if self.building and not (config.strict and _warned()):
            self.building.publish()

    @event_priority(-100)
    def on_build_error(self, *, error: Exception) -> None:
        """Discard a failed build."""
        if self.building and (message := self.building.abort(error)):
            raise PluginError(message) from None

    def on_shutdown(self) -> None:
        """Discard an interrupted build."""
        if self.building:
            self.building.abort(KeyboardInterrupt())

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add every computed page and file; refuse to replace a hand-written one."""
        self.wing = self._current_code()
        project = self.folder.parent
        self.cache = self.wing.Cache(project / ".cache" / "site")
        if self.building:
            self.building.steps.enter_context(self.cache)
        try:
            pool = self.wing.load(Path(os.path.relpath(self.folder)))
        except self.wing.InvalidSurvey as error:
            raise PluginError(f"the data has problems:\n{error}") from None
        try:
            ran = self.wing.executed(sorted((project / NOTEBOOKS).glob("*.ipynb")), project, LOG.info)
            self.facts = self.wing.Facts(pool, config.site_url or "", self._issues(), list(ran.values()), self.cache)
            pages = self.wing.cached_build(self.facts, self.folder)
            notebooks = list(self._notebooks(ran, config))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None
        for path, content in pages.items():
            if files.get_file_from_path(path):
                raise PluginError(f"docs/{path} has the path of a computed page: rename or delete it")
            files.append(File.generated(config, path, content=content))
        for file in notebooks:
            files.append(file)
        self.known = frozenset(file.src_uri for file in files)
        self.edits = self.wing.source_locations(pool)
        self.computed = set(pages)
        if self.building:
            self.building.steps.enter_context(garbage_collection.frozen())
        return files

    def _notebooks(self, ran: dict[Path, dict[str, Any]], config: MkDocsConfig) -> Iterator[File]:
        """Yield each notebook as a page with outputs and live figures, and as a file to download."""
        filled = self.folder.parent / ".cache" / "pages"
        for path, notebook in ran.items():
            name = f"{NOTEBOOKS}/{path.name}"
            text = self.wing.with_figures(notebook, self.facts.pool, name, self.facts.pictures)
            (filled / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(filled / name, durable=False) as stream:  # another build may read it
                stream.write(json.dumps(text).encode())
            yield File(name, str(filled), config.site_dir, config.use_directory_urls)
            yield File.generated(config, f"{NOTEBOOKS}/files/{path.name}", content=json.dumps(notebook, indent=1))

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Fill in the live figures and citations of a hand-written page."""
        path = page.file.src_uri
        if path in self.computed or path.endswith(".ipynb"):
            return markdown
        shown = os.path.relpath(Path(config.docs_dir) / path)
        try:
            return str(self.wing.render_prose(markdown, self.facts.pool, path, shown, self.facts.pictures))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None

    def on_page_content(self, html: str, *, page: Page, **_: Any) -> str:
        """Reduce a rendered notebook to what a reader needs."""
        if not page.file.src_uri.endswith(".ipynb"):
            return html
        try:
            return str(self.wing.slimmed(html, page.file.src_uri, self.known, self.cache))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, **_: Any
    ) -> TemplateContext:
        """Describe the data on the home page; point the edit link of an entry to its line in the pool."""
        if page.is_homepage:
            page.meta["structured"] = self.wing.dataset(self.facts.pool, self.facts.site_url)
            page.meta["published"] = self.facts.pool.last_added.isoformat()
        if page.file.src_uri in self.edits and config.repo_url:
            path, line = self.edits[page.file.src_uri]
            page.edit_url = f"{config.repo_url.rstrip('/')}/blob/HEAD/{path}#L{line}"
        return context

    def on_env(self, env: Environment, *, config: MkDocsConfig, **_: Any) -> None:
        """Derive the Content-Security-Policy from the inline scripts of the theme; it allows no others."""
        self.policy = None
        if config.theme.name != "material":
            return  # the inline scripts of other themes are unknown
        policy = importlib.import_module("survey.site.publishing.policy").Policy
        self.policy = policy.of(lambda name: env.loader.get_source(env, name)[0] if env.loader else "")

    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Add the policy to the page, and an accessible name to Material's search dialog, which lacks one."""
        return self._guarded(output, page.file.src_uri)

    def on_post_template(self, output_content: str, *, template_name: str, **_: Any) -> str:
        """Do the same on the page for addresses that do not exist."""
        return self._guarded(output_content, template_name)

    def _guarded(self, html: str, name: str) -> str:
        html = html.replace(UNNAMED_SEARCH, f'{UNNAMED_SEARCH} aria-label="Search"')
        if self.serving or self.policy is None:  # a server adds its own reload script to each page
            return html
        try:
            return str(self.policy.applied(html))
        except ValueError as error:
            raise PluginError(f"{name}: {error}") from None

    def _current_code(self) -> ModuleType:
        """Return the site wing, reloaded if its files have changed: a server outlives many edits of them."""
        newest = max(path.stat().st_mtime for path in PACKAGE.rglob("*") if path.suffix in SOURCES)
        if self.code_of and newest > self.code_of:
            for name in [name for name in sys.modules if name.startswith("survey.") and name != __name__]:
                del sys.modules[name]
        self.code_of = newest
        return importlib.import_module("survey.site")

    def _issues(self) -> str:
        repository = os.environ.get("GITHUB_REPOSITORY")
        if self.config.issues or not repository:
            return self.config.issues
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}/issues/new"


def _warned() -> bool:
    """Return whether MkDocs has counted warnings, which it does when it treats them as errors."""
    handlers = logging.getLogger("mkdocs").handlers
    return any(isinstance(handler, CountHandler) and handler.get_counts() for handler in handlers)
