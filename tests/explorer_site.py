"""A site of nothing but the explorer, in the theme of the real one: quick to build for a pool of any size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from mkdocs.commands.build import build
from mkdocs.config import load_config

from survey.literature import Pool
from survey.literature.blocks import Field
from survey.site.explorer import PER_PAGE, explorer, page_of
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
    for path, content in explorer(pool, per_page):
        target = folder / "docs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    (folder / "docs" / "assets").symlink_to(ROOT / "survey" / "site" / "assets")
    config = load_config(
        str(ROOT / "mkdocs.yml"), site_url=url, plugins=[], nav=[{"All entries": page_of(1)}],
        docs_dir=str(folder / "docs"), site_dir=str(folder / "site"),
    )  # fmt: skip
    build(config)
