"""The same pages in a folder, for any generator that reads mkdocs.yml and Markdown."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import yaml

from survey.literature import Pool
from survey.site.beside import beside
from survey.site.notebooks import executed, filled, markdown
from survey.site.pages import build, draw
from survey.site.prose import render_prose

OURS = {"survey", "mkdocs-jupyter"}
"""The plugins that a folder with everything in it no longer needs."""

NOTEBOOK_LINK = re.compile(r"(\]\([^):#\s]*notebooks/[^):#\s]+)\.ipynb")


class _Loader(yaml.SafeLoader):
    """YAML with the one tag that mkdocs.yml knows besides: ``!ENV [NAME, default]``."""

    def env(self, node: yaml.Node) -> Any:
        """The value of the first variable that is set, else the default."""
        *names, default = self.construct_sequence(node)  # type: ignore[arg-type]
        return next((os.environ[name] for name in names if name in os.environ), default)


_Loader.add_constructor("!ENV", _Loader.env)


def write_folder(pool: Pool, project: Path, out: Path) -> int:
    """Write every page and file of the site below ``out``, all or nothing; the number of files written.

    ``project`` is the folder with mkdocs.yml and docs/. Prose is written with its figures
    filled in, other files as they are, and a mkdocs.yml that asks for no plugin of ours.

    Raises:
        InvalidSurvey: if a page asks for what does not exist.
        FileExistsError: if ``out`` is there and holds something.
        Busy: if another run is writing to ``out``.

    """
    if out.exists() and any(out.iterdir()):
        raise FileExistsError(f"{out} is not empty: name a new folder, or empty it first")
    config: dict[str, Any] = yaml.load((project / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)
    docs = project / config.get("docs_dir", "docs")
    pages: dict[str, str | bytes] = {
        path.relative_to(docs).as_posix(): _content(path, pool, docs)
        for path in sorted(docs.rglob("*"))
        if path.is_file()
    }
    ran = executed(sorted((project / "notebooks").glob("*.ipynb")), project)
    computed = build(pool, config.get("site_url", ""), notebooks=ran.values())
    pages |= {name: _linked(content) if name.endswith(".md") else content for name, content in computed.items()}
    for path, notebook in ran.items():
        page = f"notebooks/{path.name}"
        pages[page.replace(".ipynb", ".md")] = markdown(filled(notebook, pool, page, draw))
    with beside(out) as new:
        for name, content in pages.items():
            target = new / "docs" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        _write_config(config, project, new)
    return len(pages)


def _content(path: Path, pool: Pool, docs: Path) -> str | bytes:
    if path.suffix != ".md":
        return path.read_bytes()
    text = render_prose(path.read_text(encoding="utf-8"), pool, path.relative_to(docs).as_posix(), str(path), draw)
    return _linked(text)


def _linked(content: str | bytes) -> str | bytes:
    """A page with its links to notebooks leading to the pages that they have become."""
    return NOTEBOOK_LINK.sub(r"\1.md", content) if isinstance(content, str) else content


def _write_config(config: dict[str, Any], project: Path, out: Path) -> None:
    config["plugins"] = [plugin for plugin in config.get("plugins", []) if OURS.isdisjoint({*_names(plugin)})]
    config["docs_dir"] = "docs"
    config["nav"] = _with_pages(config.get("nav"))
    if overrides := config.get("theme", {}).get("custom_dir"):
        shutil.copytree(project / overrides, out / "overrides")
        config["theme"]["custom_dir"] = "overrides"
    (out / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _with_pages(nav: Any) -> Any:
    """The navigation with notebooks named as the pages they have become."""
    if isinstance(nav, list):
        return [_with_pages(part) for part in nav]
    if isinstance(nav, dict):
        return {label: _with_pages(part) for label, part in nav.items()}
    return nav.replace(".ipynb", ".md") if isinstance(nav, str) else nav


def _names(plugin: Any) -> tuple[str, ...]:
    return tuple(plugin) if isinstance(plugin, dict) else (plugin,)
