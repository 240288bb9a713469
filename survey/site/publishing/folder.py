"""The pages written to a folder, for any generator that reads mkdocs.yml and Markdown."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from survey.literature import InvalidSurvey, Pool, Problem
from survey.site.build import build, filled_notebook, filled_page
from survey.site.cache import Cache
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.notebooks.execution import executed
from survey.site.notebooks.rendering import markdown
from survey.site.prose.chapters import chapters
from survey.site.publishing.configuration import DOCS, NAME, OVERRIDES, decoded, links_outside, read_configuration
from survey.site.publishing.staging import staged_folder

NOTEBOOK_LINK = re.compile(r"(\]\((?=[^\]):#\s]*notebooks/)[^\]):#\s]+)\.ipynb")


def write_folder(pool: Pool, project: Path, out: Path, data: Path | None = None) -> int:
    """Write every page and file of the site below ``out``, all or nothing; return the number of files.

    ``project`` is the folder with mkdocs.yml and docs/, ``data`` that of the pool: with it, families of pages that are
    as before are taken from the cache of the project. Prose is written with its figures
    filled in, other files unchanged, and mkdocs.yml without our plugins.

    Raises:
        InvalidSurvey: if mkdocs.yml or a page cannot be read, or refers to something that does not exist.
        FileExistsError: if ``out`` exists and is not empty.
        Busy: if another run is writing to ``out``.

    """
    if out.exists() and any(out.iterdir()):
        raise FileExistsError(f"{out} is not empty: name a new folder, or empty it first")
    configuration = read_configuration(project)
    docs = configuration.docs
    if problems := links_outside(project, docs, project / "notebooks", configuration.overrides, data):
        raise InvalidSurvey(problems)
    written = {path.relative_to(docs).as_posix(): path for path in sorted(docs.rglob("*")) if path.is_file()}
    ran = executed(sorted((project / "notebooks").glob("*.ipynb")), project)
    cache = Cache(project / ".cache" / "site")
    notebooks = list(ran.values())
    repository = configuration.repository
    facts = Facts(pool, configuration.site_url, "", repository, notebooks, chapters(docs), cache, data)
    pages = {name: _content(path, name, facts) for name, path in written.items()}
    for name, content in build(facts).items():
        if name in written:
            shown = os.path.relpath(written[name])
            raise InvalidSurvey([Problem(shown, 1, "has the path of a computed page: rename or delete it")])
        pages[name] = _linked(content) if name.endswith(".md") else content
    for path, notebook in ran.items():
        page = f"notebooks/{path.name}"
        filled = json.loads(filled_notebook(facts, notebook, page))
        pages[page.replace(".ipynb", ".md")] = fill(markdown(filled), pool)
    own = [name for name in (*written, *(f"notebooks/{path.stem}.md" for path in ran)) if name.endswith(".md")]
    with staged_folder(out) as new:
        for name, content in pages.items():
            target = new / DOCS / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        (new / NAME).write_text(configuration.plain(pages, own), encoding="utf-8")
        for overrides in configuration.templates:
            shutil.copytree(overrides, new / OVERRIDES, dirs_exist_ok=True)
    return len(pages)


def _content(path: Path, name: str, facts: Facts) -> str | bytes:
    if path.suffix != ".md":
        return path.read_bytes()
    shown = os.path.relpath(path)
    return _linked(fill(filled_page(facts, decoded(path, shown), name, shown), facts.source))


def _linked(content: str | bytes) -> str | bytes:
    """Return a page with its links to notebooks replaced by links to their pages."""
    return NOTEBOOK_LINK.sub(r"\1.md", content) if isinstance(content, str) else content
