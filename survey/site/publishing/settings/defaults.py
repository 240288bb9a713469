"""The settings that every survey needs, where its mkdocs.yml does not say otherwise.

They are stated once, as mkdocs.yml states them: ``completed`` adds them to settings that were read, ``complete`` to
those of a running MkDocs.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

TEMPLATES: Final = Path(__file__).parents[2] / "theme" / "overrides"
"""Our templates of Material. The folder of a project (``custom_dir``) comes before it."""

THEME: Final[Mapping[str, Any]] = {
    "font": False,  # no fonts from other hosts
    "features": [
        "navigation.footer", "navigation.instant", "navigation.path", "navigation.tabs", "navigation.top",
        "search.suggest", "toc.follow",
    ],
    "palette": [
        {
            "media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "custom", "accent": "custom",
            "toggle": {"icon": "material/weather-night", "name": "Switch to the dark palette"},
        },
        {
            "media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "custom", "accent": "custom",
            "toggle": {"icon": "material/weather-sunny", "name": "Switch to the light palette"},
        },
    ],
}  # fmt: skip
"""Settings of the theme. A survey that names one of them states the whole of it."""

SEARCH: Final[Mapping[str, Any]] = {
    "separator": r"""[\s\-\u200b_:/.,;()"'!?“”’]+""",
    "pipeline": ["stopWordFilter", "stemmer"],
    "fields": {"title": {"boost": 6}, "tags": {"boost": 10}},
}
"""Options of the plugin ``search``: tags are other names of a page, which Material would let bury all else."""

STYLE: Final = "assets/survey.css"
SCRIPT: Final = "assets/survey.js"

EXTENSIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "admonition": {},
    "attr_list": {},
    "md_in_html": {},
    "tables": {},
    "toc": {"permalink": "#", "permalink_title": "Link to this section"},
}
"""The Markdown extensions that computed pages are written in, with their options."""

LINKS: Final = ("anchors", "absolute_links", "unrecognized_links")
"""Kinds of links of which MkDocs would only note that they lead nowhere: here it warns."""


def completed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a mkdocs.yml with all that it leaves to the plugin."""
    theme = settings.get("theme")
    out = dict(settings)
    if is_material(theme):
        own = theme if isinstance(theme, dict) else {"name": theme}
        out["theme"] = {**own, **{name: value for name, value in THEME.items() if name not in own}}
    out["plugins"] = _searching(settings.get("plugins") or [])
    out["markdown_extensions"] = _extended(settings.get("markdown_extensions") or [])
    out["extra_css"] = _first(STYLE, settings.get("extra_css") or [])
    out["extra_javascript"] = _first(SCRIPT, settings.get("extra_javascript") or [])
    out["validation"] = _validation(settings.get("validation") or {})
    return out


def complete(config: MkDocsConfig) -> None:
    """Add to a configuration of MkDocs all that its mkdocs.yml leaves to the plugin."""
    from mkdocs.utils.yaml import yaml_load

    with Path(config.config_file_path).open("rb") as stream:
        said: Mapping[str, Any] = yaml_load(stream)
    whole = completed(said)
    if is_material(said.get("theme")):
        for name in THEME:
            config.theme[name] = whole["theme"][name]
        if str(TEMPLATES) not in config.theme.dirs:
            config.theme.dirs.insert(1 if config.theme.custom_dir else 0, str(TEMPLATES))
    for name, extension in EXTENSIONS.items():
        if name not in config.markdown_extensions:
            config.markdown_extensions.append(name)
        if extension and name not in config.mdx_configs:
            config.mdx_configs[name] = dict(extension)
    config.extra_css = _first(STYLE, config.extra_css)
    config.extra_javascript = _first(SCRIPT, config.extra_javascript)
    for search in (plugin for name, plugin in config.plugins.items() if name.rpartition("/")[2] == "search"):
        own = _options(said.get("plugins"), "search")
        search.config.update({name: value for name, value in SEARCH.items() if name not in own})
    for name in set(LINKS) - _stated(said.get("validation")):
        config.validation.links[name] = logging.WARNING


def is_material(theme: Any) -> bool:
    """Return whether a setting of the theme names Material, for which our templates are."""
    return (theme.get("name") if isinstance(theme, dict) else theme) == "material"


def _first(own: str, listed: Any) -> list[Any]:
    """Return a list of files that begins with ours, so that those of a survey have the last word."""
    return [*listed] if own in map(str, listed) else [own, *listed]


def _options(plugins: Any, name: str) -> Mapping[str, Any]:
    """Return the options of a plugin, in a list of plugins or a mapping."""
    parts = [plugins] if isinstance(plugins, dict) else [part for part in plugins or [] if isinstance(part, dict)]
    return next((part[name] or {} for part in parts if name in part), {})


def _searching(plugins: Any) -> Any:
    options = {**SEARCH, **_options(plugins, "search")}
    if isinstance(plugins, dict):
        return {**plugins, "search": options} if "search" in plugins else plugins
    return [{"search": options} if part == "search" or (isinstance(part, dict) and "search" in part) else part
            for part in plugins]  # fmt: skip


def _extended(extensions: Any) -> list[Any]:
    parts = [{name: options} for name, options in extensions.items()] if isinstance(extensions, dict) else extensions
    named = {name for part in parts for name in (part if isinstance(part, dict) else (part,))}
    return [*parts, *({name: dict(own)} if own else name for name, own in EXTENSIONS.items() if name not in named)]


def _validation(said: Mapping[str, Any]) -> dict[str, Any]:
    missing = {name: "warn" for name in LINKS if name not in _stated(said)}
    return {**said, "links": {**(said.get("links") or {}), **missing}}


def _stated(validation: Any) -> set[str]:
    """Return the kinds of links of which a survey says how it wants to be warned."""
    said = validation or {}
    return {*said, *(said.get("links") or {})}
