"""The MkDocs plugin: passes the computed pages to MkDocs in memory."""

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
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler
from mkdocs.utils.templates import TemplateContext

from survey import garbage_collection
from survey.atomic import atomic_write
from survey.site.publishing.staged_build import NotBuilt, StagedBuild
from survey.site.publishing.warning_count import Warnings

UNNAMED_SEARCH = 'data-md-component="search" role="dialog"'
NOTEBOOKS = "notebooks"
"""The folder beside docs/ whose notebooks are pages of the site; mkdocs-jupyter renders them."""

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
        self.pages: Any = None
        self.runs: Any = None

    def on_startup(self, *, command: str, dirty: bool = False) -> None:
        """Note the command. A plugin with this event is kept for all rebuilds of a server."""
        self.serving, self.dirty = command == "serve", dirty

    def on_config(self, config: MkDocsConfig) -> None:
        """Watch the files that pages depend on, besides docs/."""
        self.folder = Path(config.config_file_path).parent / self.config.bib
        if self.serving:
            self._cache_folder(NOTEBOOKS)  # watched: a run that ends in the background belongs on its page
        project = self.folder.parent
        for place in (
            self.folder,
            project / NOTEBOOKS,
            project / ".cache" / NOTEBOOKS,
            project / "requirements" / "site.txt",
            PACKAGE,
        ):
            if place.exists() and str(place) not in config.watch:
                config.watch.append(str(place))

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Redirect the site to a staging folder until the build is complete."""
        site = config.site_dir
        try:
            self.building = StagedBuild(site, in_place=self.dirty)
        except NotBuilt as error:
            raise PluginError(str(error)) from None
        config.site_dir = self.building.site
        self.building.steps.callback(setattr, config, "site_dir", site)
        self.warnings = Warnings()
        self.building.steps.enter_context(self.warnings.counted())

    @event_priority(-100)  # after every plugin that writes into the site
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish the new site, unless MkDocs is about to abort over warnings; then it is discarded at the end."""
        if self.building and not (config.strict and _warned()):
            if self.pages:
                self.pages.keep(Path(config.site_dir))
            self.building.publish()
            if self.runs:
                self.runs.begin()

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
        self.cache = self.wing.Cache(self._cache_folder("site"))
        if self.building:
            self.building.steps.enter_context(self.cache)
        overrides = config.theme.custom_dir
        held = (Path(config.docs_dir), project / NOTEBOOKS, Path(overrides) if overrides else None, self.folder)
        if problems := self.wing.links_outside(project, *held):
            raise PluginError("\n".join(map(str, problems)))
        try:
            found, problems = self.wing.read_pool(Path(os.path.relpath(self.folder)))
            pool = self.wing.counted_pool(found, problems)
        except self.wing.InvalidSurvey as error:
            raise PluginError(f"the data has problems:\n{error}") from None
        for problem in problems:
            LOG.warning(str(problem))
        try:
            ran = self._executed(sorted((project / NOTEBOOKS).glob("*.ipynb")), project)
            self.facts = self.wing.Facts(
                pool, config.site_url or "", self._issues(), list(ran.values()), self.cache, self.folder
            )
            pages = self.wing.drafted_files(self.facts)
            notebooks = list(self._notebooks(ran, config))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None
        for path, content in pages.items():
            if files.get_file_from_path(path):
                raise PluginError(f"docs/{path} has the path of a computed page: rename or delete it")
            # the text of a page keeps its placeholders, so that it is recognised
            text = content if path.endswith(".md") else self._filled(content)
            files.append(File.generated(config, path, content=text))
        for file in notebooks:
            files.append(file)
        self.edits = self.wing.source_locations(pool)
        self.computed = set(pages)
        if self.building:
            self.building.steps.enter_context(garbage_collection.frozen())
        return files

    def _executed(self, paths: list[Path], project: Path) -> dict[Path, dict[str, Any]]:
        """Run the notebooks; a server shows the other pages meanwhile."""
        if not self.serving:
            found: dict[Path, dict[str, Any]] = self.wing.executed(paths, project, LOG.info)
            return found
        self.runs = self.runs or self.wing.BackgroundRuns(project, LOG.info)
        return dict(self.runs.executed(paths))

    def _notebooks(self, ran: dict[Path, dict[str, Any]], config: MkDocsConfig) -> Iterator[File]:
        """Yield each notebook as a page with outputs and live figures, and as a file to download."""
        filled = self.folder.parent / ".cache" / "pages"
        for path, notebook in ran.items():
            name = f"{NOTEBOOKS}/{path.name}"
            text = self.wing.filled_notebook(self.facts, notebook, name)
            (filled / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(filled / name, durable=False) as stream:  # another build may read it
                stream.write(text.encode())
            yield File(name, str(filled), config.site_dir, config.use_directory_urls)
            yield File.generated(config, f"{NOTEBOOKS}/files/{path.name}", content=json.dumps(notebook, indent=1))

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Look for the pages that an earlier build has made."""
        self.pages = self.wing.FinishedPages(self.cache, self.warnings, config, files, nav)

    @event_priority(-100)  # after every plugin that changes the text
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Fill in the live figures and citations of a hand-written page; skip a page that is finished."""
        text = self._text(markdown, page.file.src_uri, config)
        if page.is_homepage:
            page.meta["structured"] = self.wing.dataset(self.facts.pool, self.facts.site_url)
            page.meta["published"] = self.facts.pool.last_added.isoformat()
        if page.file.src_uri in self.edits and config.repo_url:
            path, line = self.edits[page.file.src_uri]
            page.edit_url = f"{config.repo_url.rstrip('/')}/blob/HEAD/{path}#L{line}"
        return str(self.pages.begin(page, text))

    def _text(self, markdown: str, path: str, config: MkDocsConfig) -> str:
        if path in self.computed or path.endswith(".ipynb"):
            return markdown
        shown = os.path.relpath(Path(config.docs_dir) / path)
        try:
            return str(self.wing.filled_page(self.facts, markdown, path, shown))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None

    @event_priority(-100)
    def on_page_content(self, html: str, *, page: Page, files: Files, **_: Any) -> str:
        """Reduce a rendered notebook to what a reader needs."""
        if page.file.src_uri.endswith(".ipynb") and not self.pages.is_finished(page):
            try:
                html = str(self.wing.slimmed(html, page.file.src_uri, self.pages.names))
            except self.wing.InvalidSurvey as error:
                raise PluginError(str(error)) from None
        return str(self.pages.rendered(page, html))

    @event_priority(-100)  # after the search has read the page
    def on_page_context(self, context: TemplateContext, *, page: Page, **_: Any) -> TemplateContext:
        """Add the sections of a finished page to the search index."""
        for section in self.pages.index(page):
            section.update({name: self._filled(text) for name, text in section.items() if isinstance(text, str)})
        return context

    def on_env(self, env: Environment, *, config: MkDocsConfig, **_: Any) -> None:
        """Derive the Content-Security-Policy from the inline scripts of the theme; it allows no others."""
        self.policy = None
        if config.theme.name != "material":
            return  # the inline scripts of other themes are unknown
        policy = importlib.import_module("survey.site.publishing.policy").Policy
        self.policy = policy.of(lambda name: env.loader.get_source(env, name)[0] if env.loader else "")

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Add the policy to the page, and an accessible name to Material's search dialog, which lacks one."""
        return self._guarded(self._filled(self.pages.output(page, output)), page.file.src_uri)

    def on_post_template(self, output_content: str, *, template_name: str, **_: Any) -> str:
        """Do the same on the page for addresses that do not exist."""
        return self._guarded(output_content, template_name)

    def _filled(self, content: Any) -> Any:
        """Return a file with the fingerprints of the data in their places."""
        return self.wing.fill(content, self.facts.source) if isinstance(content, str) else content

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

    def _cache_folder(self, name: str) -> Path:
        folder = self.folder.parent / ".cache" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _issues(self) -> str:
        repository = os.environ.get("GITHUB_REPOSITORY")
        if self.config.issues or not repository:
            return self.config.issues
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}/issues/new"


def _warned() -> bool:
    """Return whether MkDocs has counted warnings, which it does when it treats them as errors."""
    handlers = logging.getLogger("mkdocs").handlers
    return any(isinstance(handler, CountHandler) and handler.get_counts() for handler in handlers)
