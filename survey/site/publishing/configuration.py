"""mkdocs.yml: read for the folder of pages, and rewritten without our plugins."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from survey.literature import InvalidSurvey, Problem
from survey.literature.problems import quoted
from survey.site.publishing.settings.defaults import TEMPLATES, completed, is_material
from survey.site.publishing.settings.navigation import navigation

NAME = "mkdocs.yml"

DOCS, OVERRIDES = "docs", "overrides"
"""The subfolders of the output folder for pages and for the theme's overrides."""

OURS = {"survey", "mkdocs-jupyter"}
"""The plugins that the folder no longer needs, since its pages are complete."""

SHAPES: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "site_url": ("an address", (str, type(None))),
    "repo_url": ("an address", (str, type(None))),
    "theme": ("a name, or settings with a name", (str, dict, type(None))),
    "plugins": ("a list of plugins", (list, dict, type(None))),
    "nav": ("a list of pages", (list, type(None))),
}
"""The settings that are read, and the types that MkDocs allows for them."""


LARGEST = 100_000
"""The most parts of mkdocs.yml, with each alias counted as what it stands for."""

DEEPEST = 60
"""The most levels of mkdocs.yml. What can be read could be too deep to be written, as the stack is at that moment."""


class _Loader(yaml.SafeLoader):
    """YAML with the additional tag of mkdocs.yml: ``!ENV [NAME, default]``."""

    def get_single_node(self) -> yaml.Node | None:
        """Return the document, unless aliases of aliases make it huge: whatever copies or prints it would not end."""
        node = super().get_single_node()
        if node is None:
            return None
        size, depth = _extent(node, {})
        if size < math.inf and depth > DEEPEST:
            raise RecursionError
        if size > LARGEST:
            message = f"aliases make it more than {LARGEST:,} parts (write out what is meant)"
            raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)
        return node

    def env(self, node: yaml.Node) -> Any:
        """Return the value of the first variable that is set, else the default; None if there is none."""
        if not isinstance(node, yaml.SequenceNode):
            return os.environ.get(str(node.value))
        *names, default = self.construct_sequence(node) or [None]
        return next((os.environ[name] for name in names if name in os.environ), default)


_Loader.add_constructor("!ENV", _Loader.env)


def _extent(node: yaml.Node, known: dict[yaml.Node, tuple[float, float]]) -> tuple[float, float]:
    """Return how many parts and levels a document has; without end if a part contains itself."""
    if node not in known:
        known[node] = (math.inf, math.inf)
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = (part for item in inner for part in (item if isinstance(item, tuple) else (item,)))
        extents = [_extent(part, known) for part in parts]
        known[node] = (
            1 + sum(size for size, _ in extents),
            1 + max((depth for _, depth in extents), default=0),
        )
    return known[node]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of mkdocs.yml that the folder of pages needs."""

    docs: Path
    site_url: str
    repository: str
    overrides: Path | None
    """The folder of the theme's overrides, if the survey has its own."""
    settings: Mapping[str, Any]
    """All settings, as they are written."""

    @property
    def templates(self) -> tuple[Path, ...]:
        """The folders of the theme's overrides, ours included; a later one has the last word."""
        ours = (TEMPLATES,) if is_material(self.settings.get("theme")) else ()
        return (*ours, self.overrides) if self.overrides else ours

    def plain(self, pages: Collection[str], own: Iterable[str]) -> str:
        """Return the mkdocs.yml of the output folder, for generators without our plugins.

        ``pages`` are the paths of all its pages, ``own`` of those of the survey itself; they are for the navigation,
        if the survey gives none.
        """
        return _plain(completed(self.settings), self.settings.get("nav") or navigation(own, lambda path: path in pages))


def read_configuration(project: Path) -> Configuration:
    """Read the settings of a project.

    Raises:
        InvalidSurvey: if they cannot be read, or have a type that MkDocs does not allow.

    """
    path = project / NAME
    shown = os.path.relpath(path)
    text = decoded(path, shown)
    try:
        settings = yaml.load(text, Loader=_Loader)
        if problems := list(_problems(settings, text, shown, project)):
            raise InvalidSurvey(problems)
        overrides = _overrides(settings)
        return Configuration(
            docs=project / (settings.get("docs_dir") or DOCS),
            site_url=settings.get("site_url") or "",
            repository=repository(settings.get("repo_url")),
            overrides=project / overrides if overrides else None,
            settings=settings,
        )
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidSurvey([Problem(shown, line, f"not YAML that we can read: {error.problem}")]) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        raise InvalidSurvey([Problem(shown, 1, f"not YAML that we can read: {reason}")]) from None


def repository(configured: str | None) -> str:
    """Return the address of the repository: as configured, else on a runner its own, elsewhere nothing."""
    name = os.environ.get("GITHUB_REPOSITORY")
    own = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}" if name else ""
    return (configured or own).rstrip("/")


def links_outside(project: Path, *folders: Path | None) -> list[Problem]:
    """Return a problem for each link in the folders of a project to a file elsewhere, which a build would publish."""
    found = []
    for folder in filter(None, folders):
        inside = (project.resolve(), folder.resolve())
        for path in sorted(path for path in folder.rglob("*") if path.is_symlink()):
            place = path.resolve()
            if not any(place.is_relative_to(one) for one in inside):
                message = f"is a link to {place}, outside of {folder} (expected a file: copy it into the folder)"
                found.append(Problem(os.path.relpath(path), 1, message))
    return found


def decoded(path: Path, shown: str) -> str:
    """Return the text of a file, with uniform line ends.

    Raises:
        InvalidSurvey: if it is not UTF-8.

    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{error.object[error.start]:02x} is not UTF-8 (save the file as UTF-8)"
        raise InvalidSurvey([Problem(shown, line, found)]) from None


def _problems(settings: Any, text: str, shown: str, project: Path) -> Iterator[Problem]:
    if not isinstance(settings, dict):
        yield Problem(shown, 1, "found no settings, expected lines as in site_name: My survey")
        return
    lines = {line.partition(":")[0].strip(): number for number, line in reversed([*enumerate(text.splitlines(), 1)])}
    for name, (shape, types) in SHAPES.items():
        if name in settings and not isinstance(settings[name], types):
            found = quoted(str(settings[name]))
            yield Problem(shown, lines.get(name, 1), f"found {found}, expected {shape}", field=name)
    if "INHERIT" in settings:
        yield Problem(shown, lines.get("INHERIT", 1), "is not followed here: write all settings into one file",
                      field="INHERIT")  # fmt: skip
    for name, folder in (("docs_dir", settings.get("docs_dir") or DOCS), ("custom_dir", _overrides(settings))):
        if folder is not None and (wrong := _wrong_folder(project, folder)):
            yield Problem(shown, lines.get(name, 1), wrong, field=name)


def _wrong_folder(project: Path, folder: Any) -> str:
    """Return why a folder cannot be used; empty if it can."""
    try:
        place = (project / folder).resolve(strict=True)
    except (OSError, TypeError):  # also for a name that is too long, or not a name
        place = None
    if place is None or not place.is_dir():
        return f"there is no folder {quoted(str(folder))}"
    return f"found {quoted(folder)}, which holds {NAME} itself" if project.resolve().is_relative_to(place) else ""


def _overrides(settings: Mapping[str, Any]) -> Any:
    theme = settings.get("theme")
    return theme.get("custom_dir") if isinstance(theme, dict) else None


def _plain(settings: Mapping[str, Any], nav: Any) -> str:
    plugins = settings.get("plugins") or []
    if isinstance(plugins, dict):
        kept: Any = {name: options for name, options in plugins.items() if name not in OURS}
    else:
        kept = [plugin for plugin in plugins if OURS.isdisjoint(plugin if isinstance(plugin, dict) else {str(plugin)})]
    changed = {"plugins": kept, "docs_dir": DOCS, "nav": _with_pages(nav)}
    if is_material(settings.get("theme")) or _overrides(settings):
        changed["theme"] = {**settings["theme"], "custom_dir": OVERRIDES}
    return yaml.safe_dump({**settings, **changed}, sort_keys=False, allow_unicode=True)


def _with_pages(nav: Any) -> Any:
    """Return the navigation with each notebook replaced by its page."""
    if isinstance(nav, list):
        return [_with_pages(part) for part in nav]
    if isinstance(nav, dict):
        return {label: _with_pages(part) for label, part in nav.items()}
    return nav.replace(".ipynb", ".md") if isinstance(nav, str) else nav
