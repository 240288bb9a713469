"""The MkDocs plugin: passes the computed pages to MkDocs in memory."""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from jinja2 import Environment
from mkdocs.config import base, config_options
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler, meta
from mkdocs.utils.templates import TemplateContext

from survey import garbage_collection
from survey.atomic import atomic_write
from survey.site.publishing.configuration import repository
from survey.site.publishing.incremental.warning_count import Warnings
from survey.site.publishing.serving.background import TO_COME, Background
from survey.site.publishing.settings.defaults import complete
from survey.site.publishing.settings.navigation import navigation
from survey.site.publishing.staged_build import NotBuilt, StagedBuild

UNNAMED_SEARCH = 'data-md-component="search" role="dialog"'
NOTEBOOKS = "notebooks"
"""The folder beside docs/ whose notebooks are pages of the site; mkdocs-jupyter renders them."""

RENDERER = "mkdocs-jupyter"
TO_RENDER = f"""add to the plugins in mkdocs.yml (execute: false, since the survey plugin runs notebooks):
  - {RENDERER}:
      include: ["*.ipynb"]
      ignore: ["*.md"]
      execute: false
      cache: false"""

INDENTS = re.compile(r"\n\s+")
"""White space between the tags of a page."""

BROWSER = "browser"
"""The folder of the cache into which make browser puts Python for browsers, as files of the site."""

TOOLKIT = "assets/python/toolkit.js"
"""What the page that opens a log loads with it."""

WITHOUT = "(self.surveyArchives ??= {}).runtime = null;\n"

STEMMERS = "assets/javascripts/lunr/"
"""Where Material has what its search needs for other languages than English."""

RECORD = "site-files"
"""The file, beside the cache, in which a build tells the next one what it left in the folder of the site."""

LOG = logging.getLogger("mkdocs.plugins.survey")

PACKAGE = Path(__file__).parents[2]

SOURCES = frozenset({".py", ".j2", ".js", ".css"})
"""Files of the package from which pages are made: a server reloads the site wing when one of them changes."""


class SurveyConfig(base.Config):
    """Options of the plugin in mkdocs.yml."""

    bib = config_options.Type(str, default="bib")
    """The folder of the data, relative to mkdocs.yml."""

    issues = config_options.Type(str, default="")
    """The address that opens a new issue, if it is another than that of the repository (``repo_url``)."""


class SurveyPlugin(BasePlugin[SurveyConfig]):
    """Reads the pool before each build and passes its pages to MkDocs."""

    def __init__(self) -> None:
        self.code_of: float = 0.0
        self.serving = self.dirty = False
        self.building: StagedBuild | None = None
        self.policy: Any = None
        self.pages: Any = None
        self.computed: dict[str, Any] = {}
        self.cache: Any = None
        self.build: Any = None
        self.last: Any = None
        self.background = Background(LOG)

    def on_startup(self, *, command: str, dirty: bool = False) -> None:
        """Note the command. A plugin with this event is kept for all rebuilds of a server."""
        self.serving, self.dirty = command == "serve", dirty

    @event_priority(100)  # before other plugins read their settings
    def on_config(self, config: MkDocsConfig) -> None:
        """Complete the settings; watch the files that pages depend on, besides docs/; find out the repository."""
        complete(config)
        config.repo_url = repository(config.repo_url) or None
        self.folder = Path(config.config_file_path).parent / self.config.bib
        if self.serving:
            self.background.folder = self._cache_folder("background")
        project = self.folder.parent
        for place in (
            self.folder,
            project / NOTEBOOKS,
            project / ".cache" / "background",
            project / "requirements" / "site.txt",
            PACKAGE,
        ):
            if place.exists() and str(place) not in config.watch:
                config.watch.append(str(place))

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Redirect the site to a staging folder until the build is complete."""
        site = config.site_dir
        try:
            # a server's pages stay where they are, but for those that change
            self.stays = self.serving and not self.dirty and bool(self.last and self.last.files)
            self.building = StagedBuild(
                site, in_place=self.dirty, gone=(lambda: self.site.gone()) if self.stays else None
            )
        except NotBuilt as error:
            raise PluginError(str(error)) from None
        config.site_dir = self.building.site
        self.building.steps.callback(setattr, config, "site_dir", site)
        self.warnings = Warnings()
        self.building.steps.enter_context(self.warnings.counted())

    @event_priority(100)
    def _before_post_build(self, *, config: MkDocsConfig) -> None:
        """Complete the checks of links, and the search index before its plugin writes it."""
        if self.pages and not self.dirty:
            self.pages.check_links()
            self.pages.complete_index()

    @event_priority(-100)  # after every plugin that writes into the site
    def _after_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish the new site, unless MkDocs is about to abort over warnings; then it is discarded at the end."""
        if self.building and not (config.strict and _warned()):
            if self.cache:
                self.cache.partial = bool(self.build.later)
            left = self.pages and self.site.left(self.pages.keep(Path(config.site_dir)))
            self.building.publish()
            self.last = left
            if left and not self.serving:  # the folder of a server is gone when it ends
                left.write(self._cache_folder("") / RECORD)
            if self.build and self.serving:
                self.background.follow(self.build)

    on_post_build = CombinedEvent(_before_post_build, _after_post_build)

    @event_priority(-100)
    def on_build_error(self, *, error: Exception) -> None:
        """Discard a failed build."""
        if self.building and (message := self.building.abort(error)):
            raise PluginError(message) from None

    @event_priority(-100)
    def on_serve(self, server: LiveReloadServer, **_: Any) -> None:
        """Show on every page what is still being computed, and serve the pages of the last build during the next."""
        self.background.attach(server)

    def on_shutdown(self) -> None:
        """Discard an interrupted build."""
        self.background.stop()
        if self.building:
            self.building.abort(KeyboardInterrupt())

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add every computed page and file; refuse to replace a hand-written one."""
        self.wing = self._current_code()
        project = self.folder.parent
        overrides = config.theme.custom_dir
        held = (Path(config.docs_dir), project / NOTEBOOKS, Path(overrides) if overrides else None, self.folder)
        if problems := self.wing.links_outside(project, *held):
            raise PluginError("\n".join(map(str, problems)))
        own = files.documentation_pages()
        found = sorted((project / NOTEBOOKS).glob("*.ipynb"))
        if found and RENDERER not in config.plugins:
            raise PluginError(f"{NOTEBOOKS}/{found[0].name} is rendered by no plugin: {TO_RENDER}")
        try:
            ran = self._executed(found, project)
            with garbage_collection.paused():
                problems = self._begin(config, list(ran.values()))
                notebooks = list(self._notebooks(ran, config))
                self._check(own, config, problems)
                computed = self.build.files()
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None
        if taken := [path for path in computed if files.get_file_from_path(path)]:
            docs = os.path.relpath(config.docs_dir)
            raise PluginError(
                "\n".join(f"{docs}/{path} has the path of a computed page: rename or delete it" for path in taken)
            )
        for file in self._runtime(computed, config):
            files.append(file)
        for path, content in computed.items():
            files.append(self.wing.ComputedFile(config, path, content, self.build, self.site))
        self.computed = computed
        for file in [file for file in files if _is_unused(file, config)]:
            files.remove(file)
        if config.nav is None:
            pages = [file.src_uri for file in own] + [f"{NOTEBOOKS}/{path.name}" for path in ran]
            config.nav = navigation(pages, lambda path: path in computed or self.build.can_come(path))
        for file in [*notebooks, *self._to_come(files, config)]:
            files.append(file)
        if self.building:
            self.building.steps.enter_context(garbage_collection.frozen())
        return files

    def _runtime(self, computed: Collection[str], config: MkDocsConfig) -> Iterator[File]:
        """Yield Python for browsers as files of the site, or, if it was not fetched, one that says so."""
        folder = self._cache_folder(BROWSER)
        if (folder / ".ready").exists():
            for path in sorted(folder.rglob("*.js")):
                name = path.relative_to(folder).as_posix()
                yield File(name, str(folder), config.site_dir, config.use_directory_urls)
        elif TOOLKIT in computed:
            yield File.generated(config, f"{TOOLKIT.rpartition('/')[0]}/runtime.js", content=WITHOUT)

    def _begin(self, config: MkDocsConfig, notebooks: list[dict[str, Any]]) -> int:
        """Prepare what one build needs: the data, the cache, the last build; return how many problems the data have."""
        self.cache = self.cache or self.wing.Cache(self._cache_folder("site"))
        if self.building:
            self.building.steps.enter_context(self.cache)
        data = Path(os.path.relpath(self.folder))
        later = self.wing.Later() if self.serving and not config.strict and not self.background.failed else None
        docs = Path(os.path.relpath(config.docs_dir))
        build = self.wing.Build(
            data,
            self.cache,
            config.site_url or "",
            self._issues(config),
            config.repo_url or "",
            notebooks,
            docs,
            self.serving,
            later,
        )
        self.build = build.after(self.build)
        try:
            problems = self.build.problems
        except self.wing.InvalidSurvey as error:
            raise PluginError(f"the data has problems:\n{error}") from None
        for problem in problems:
            LOG.warning(str(problem))
        place = os.path.realpath(self.building.place if self.building else config.site_dir)
        if self.last is None or self.last.site != place:
            self.last = self.wing.LastBuild.read(place, self._cache_folder("") / RECORD)
        self.site = self.wing.SiteFiles(self.last, config.site_dir, stay=self.stays)
        self.computed = {}
        self.notebooks: dict[str, str] = {}
        self.wrong: list[str] = []
        return len(problems)

    def _check(self, pages: Sequence[File], config: MkDocsConfig, problems: int) -> None:
        """Raise an error for all that would end the build, before it computes and renders pages.

        What the hand-written pages were found to show is in the cache, where the build finds it again.
        """
        for file in pages:
            try:
                self._mark(file, config)
            except PluginError as error:
                self.wrong.append(str(error))
        if problems and config.strict:
            self.wrong.append(f"{problems} {'problem' if problems == 1 else 'problems'} in the data, as warned above, "
                              "and this build is strict: nothing was rendered")  # fmt: skip
        if self.wrong:
            raise PluginError("\n".join(self.wrong))

    def _to_come(self, files: Files, config: MkDocsConfig) -> Iterator[File]:
        """Yield a page for each address in the navigation that is computed later."""
        for path in _addresses(config.nav or ()):
            if path not in self.computed and not files.get_file_from_path(path) and self.build.can_come(path):
                yield File.generated(config, path, content=TO_COME)

    def _executed(self, paths: list[Path], project: Path) -> dict[Path, dict[str, Any]]:
        """Run the notebooks; a server shows the other pages meanwhile."""
        if not self.serving:
            found: dict[Path, dict[str, Any]] = self.wing.executed(paths, project, LOG.info)
            return found
        if self.background.runs is None:
            self.background.runs = self.wing.BackgroundRuns(project, LOG.info, self.background.run_ended)
        return dict(self.background.runs.executed(paths))

    def _notebooks(self, ran: dict[Path, dict[str, Any]], config: MkDocsConfig) -> Iterator[File]:
        """Yield each notebook as a page with outputs and live figures, and as a file to download."""
        filled = self.folder.parent / ".cache" / "pages"
        for path, notebook in ran.items():
            name = f"{NOTEBOOKS}/{path.name}"
            try:
                text = self.build.notebook(notebook, name)
            except self.wing.InvalidSurvey as error:
                self.wrong.append(str(error))
                continue
            self.notebooks[name] = self.wing.mark(text)
            (filled / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(filled / name, durable=False) as stream:  # another build may read it
                stream.write(text.encode())
            yield File(name, str(filled), config.site_dir, config.use_directory_urls)
            yield File.generated(config, f"{NOTEBOOKS}/files/{path.name}", content=json.dumps(notebook, indent=1))

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Find the pages that an earlier build has made."""
        self.sections = {page.url: page.parent for page in nav.pages}
        pages = files.documentation_pages()
        sources = self.build.sources
        for file in pages:
            if config.repo_url and file.page and file.src_uri in sources:
                path, line = sources[file.src_uri]
                file.page.edit_url = f"{config.repo_url.rstrip('/')}/blob/HEAD/{path}#L{line}"
        texts = {file.src_uri: self._mark(file, config) for file in pages}
        if config.strict:
            self._check_links(pages, files, config)
            if _warned():  # such as an address in the navigation that leads nowhere
                raise PluginError("there are warnings, as told above, and this build is strict: nothing was rendered")
        variant = "served" if self.serving else ""
        self.pages = self.wing.Pages(self.build, self.site, self.warnings, config, files, nav, texts, variant)
        if not self.dirty:
            self.pages.finish()

    def _check_links(self, pages: Sequence[File], files: Files, config: MkDocsConfig) -> None:
        """Raise an error for links to missing files or parts, if hand-written pages are as MkDocs will render them."""
        if len(config.plugins.events["page_markdown"]) > 1 or config.plugins.events["page_read_source"]:
            return  # another plugin changes their texts
        texts = {}
        for file in pages:
            if file.src_uri not in self.computed and file.src_uri.endswith(".md"):
                try:
                    text, _ = meta.get_data(file.content_string)
                except (OSError, ValueError):  # MkDocs reports it when it reads the page
                    continue
                texts[file] = self._shown(text, file.src_uri, config)

        def source(file: File) -> str | None:
            made = self.computed.get(file.src_uri)
            return texts.get(file) if made is None else str(made.load())

        if wrong := self.wing.broken_links(texts, source, files, config):
            raise PluginError("\n".join([*wrong, "this build is strict: nothing was rendered"]))

    def _mark(self, file: File, config: MkDocsConfig) -> str:
        """Return a mark of the text of a page: of a hand-written one with its live figures and citations."""
        if file.src_uri in self.computed:
            return str(self.computed[file.src_uri].mark)
        if file.src_uri in self.notebooks:
            return self.notebooks[file.src_uri]
        try:
            text, about = meta.get_data(file.content_string)
        except (OSError, ValueError):  # MkDocs reports it when it reads the page
            return ""
        if file.page and file.page.is_homepage:  # pages are known once there is a navigation
            about |= self.build.home
        shown = self._shown(text, file.src_uri, config)
        return str(self.wing.mark(f"{json.dumps(about, sort_keys=True, default=str)}\n{shown}"))

    @event_priority(-100)  # after every plugin that changes the text
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Fill in the live figures and citations of a hand-written page."""
        if page.is_homepage:
            page.meta |= self.build.home
        if page.parent is None and (crumbs := page.meta.get("crumbs")):
            page.parent = self.sections.get(crumbs[0][1])  # its tab is then the active one, and its section the menu
        return str(self.pages.begin(page, self._shown(markdown, page.file.src_uri, config)))

    def _shown(self, text: str, path: str, config: MkDocsConfig) -> str:
        """Return the text of a page with live figures and citations: other texts than hand-written ones have them."""
        if path in self.computed or path in self.notebooks:
            return text
        try:
            return str(self.build.page(text, path, os.path.relpath(Path(config.docs_dir) / path)))
        except self.wing.InvalidSurvey as error:
            raise PluginError(str(error)) from None

    @event_priority(-100)
    def on_page_content(self, html: str, *, page: Page, **_: Any) -> str:
        """Reduce a rendered notebook to what a reader needs."""
        if page.file.src_uri.endswith(".ipynb"):
            try:
                html = str(self.wing.slimmed(html, page.file.src_uri, self.pages.names))
            except self.wing.InvalidSurvey as error:
                raise PluginError(str(error)) from None
        return str(self.pages.rendered(page, html))

    @event_priority(-100)  # after the search has read the page
    def on_page_context(self, context: TemplateContext, *, page: Page, **_: Any) -> TemplateContext:
        """Note the sections of a page in the search index."""
        self.pages.index(page)
        return context

    def on_env(self, env: Environment, *, config: MkDocsConfig, **_: Any) -> None:
        """Derive the Content-Security-Policy from the inline scripts of the theme; it allows no others."""
        if self.pages:
            self.pages.put_finished()
        self.policy = None
        if config.theme.name != "material":
            return  # the inline scripts of other themes are unknown
        policy = importlib.import_module("survey.site.publishing.policy").Policy
        self.policy = policy.of(lambda name: env.loader.get_source(env, name)[0] if env.loader else "")

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Add the policy to the page, and an accessible name to Material's search dialog, which lacks one."""
        return str(self.build.filled(self.pages.output(page, self._guarded(output, page.file.src_uri))))

    def on_post_template(self, output_content: str, *, template_name: str, **_: Any) -> str:
        """Do the same on the page for addresses that do not exist."""
        return self._guarded(output_content, template_name)

    def _guarded(self, html: str, name: str) -> str:
        html = _folded(html.replace(UNNAMED_SEARCH, f'{UNNAMED_SEARCH} aria-label="Search"'))
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
            self.cache = self.build = None
            self.background.stop()
        self.code_of = newest
        return importlib.import_module("survey.site")

    def _cache_folder(self, name: str) -> Path:
        folder = self.folder.parent / ".cache" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _issues(self, config: MkDocsConfig) -> str:
        return self.config.issues or (f"{config.repo_url}/issues/new" if config.repo_url else "")


def _is_unused(file: File, config: MkDocsConfig) -> bool:
    """Return whether a file of the theme is for its developers, or for a search in a language that the site has not."""
    is_foreign = file.src_uri.startswith(STEMMERS) and config.theme.get("language", "en") == "en"
    return is_foreign or file.src_uri.endswith((".js.map", ".css.map"))


def _folded(html: str) -> str:
    """Return a page without the blank lines and indents of the theme's templates, a third of its navigation.

    Scripts stay as they are: the policy names them by digests of their texts.
    """
    before, article, rest = html.partition("<article")
    first, *others = before.split("<script")
    folded = [INDENTS.sub("\n", first)]
    for other in others:
        script, end, after = other.partition("</script>")
        folded += ["<script", script, end, INDENTS.sub("\n", after)]
    return "".join(folded) + article + rest


def _addresses(nav: Any) -> Iterator[str]:
    """Yield every address in a navigation."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        yield from _addresses(list(nav.values()))
    else:
        for item in nav:
            yield from _addresses(item)


def _warned() -> bool:
    """Return whether MkDocs has counted warnings, which it does when it treats them as errors."""
    handlers = logging.getLogger("mkdocs").handlers
    return any(isinstance(handler, CountHandler) and handler.get_counts() for handler in handlers)
