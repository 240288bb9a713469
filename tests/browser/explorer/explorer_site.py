"""A site of nothing but the explorer, in the theme of the real one: quick to build for a pool of any size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from mkdocs.commands.build import build
from mkdocs.config import load_config

from survey.literature import Pool
from survey.literature.bibtex import Field
from survey.site.cache import Cache
from survey.site.facts import Facts
from survey.site.pages.explorer.builder import PER_PAGE, explorer_pages, page_of
from survey.site.publishing.settings.defaults import complete
from survey.site.theme.assets import STYLE, scripts, style_sheet, typefaces
from tests.conftest import ROOT


def grown(pool: Pool, size: int, titles: Mapping[int, str] = MappingProxyType({})) -> Pool:
    """A pool of so many entries: the real ones again and again, each with a key and title of its own."""
    entries = []
    for number in range(size):
        entry = pool.entries[number % len(pool)]
        title = titles.get(number, f"{entry.text('title')} {number}")
        fields = MappingProxyType({**entry.block.fields, "title": Field(title, 1)})
        entries.append(replace(entry, block=replace(entry.block, key=f"{entry.key}.{number}", fields=fields)))
    return replace(pool, entries=tuple(entries))


def build_explorer(pool: Pool, folder: Path, url: str, per_page: int = PER_PAGE) -> None:
    """Build the explorer of a pool for the address ``url``: pages in ``folder/docs``, the site in ``folder/site``."""
    style = [(STYLE, style_sheet(pool.taxonomy))]
    files: Iterator[tuple[str, str | bytes]] = chain(
        explorer_pages(Facts(pool), per_page), scripts(), typefaces(Cache()), style
    )
    for path, content in files:
        target = folder / "docs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    config = load_config(
        str(ROOT / "mkdocs.yml"), site_url=url, plugins=[], nav=[{"All entries": page_of(1)}],
        docs_dir=str(folder / "docs"), site_dir=str(folder / "site"),
    )  # fmt: skip
    complete(config)
    build(config)
