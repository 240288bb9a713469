"""Keys of other collections: shown as they are, and every link to an entry leads to a page that exists."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.export import FORMATS
from survey.site.build import build
from survey.site.charts.drawing import Pictures
from survey.site.facts import Facts
from survey.site.html.addresses import address
from survey.site.prose.chapters import chapters, mentions
from survey.site.prose.prose import render_prose
from tests.conftest import ROOT

BREAD = ROOT / "tests" / "literature" / "bread"

INSPIRE, DBLP, OURS = "Dupain:2019lev", "DBLP:books/invented/OSoda2001", "oven2024"
KEYS = {"levain2019": INSPIRE, "soda2001": DBLP}
"""Keys of the survey of bread, each with another one for the same work; a third work keeps its own."""

PAGES = {INSPIRE: "Dupain.2019lev", DBLP: "DBLP.books.invented.OSoda2001", OURS: "oven2024"}

LINK = re.compile(r'(?:href|data-entries)="([^"#?]*)|\]\(([^)#?\s]+)')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The survey of bread with keys of both styles wherever a key can stand in its data."""
    bib = Path(shutil.copytree(BREAD, tmp_path_factory.mktemp("bread") / "bib"))
    for path in (path for path in bib.rglob("*") if path.is_file()):
        text = path.read_text()
        for old, new in KEYS.items():
            text = text.replace(old, f'"{new}"' if path.suffix == ".toml" else new)
        path.write_text(text)
    text = (bib / "pool.bib").read_text()
    (bib / "pool.bib").write_text(
        text.replace(
            "  title         = {Quick", "  ids           = {soda2001, DBLP:books/OSoda},\n  title         = {Quick"
        )
    )
    (bib / "editions").mkdir()
    (bib / "editions" / "keys.txt").write_text(f"{INSPIRE}\n{DBLP}\n{OURS}\nsoda2001\n")
    return bib


@pytest.fixture(scope="module")
def pool(folder: Path) -> Pool:
    return load(folder)


@pytest.fixture(scope="module")
def files(pool: Pool) -> dict[str, str | bytes]:
    return build(Facts(pool, "https://example.org/", "https://example.org/issues/new"))


def links(files: dict[str, str | bytes]) -> Iterator[tuple[str, str]]:
    """Each page with the addresses that it links to, from the root of the site."""
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        for here, source in LINK.findall(str(text)):
            target = unescape(here or source)
            if re.match("[a-z]+:", target):
                continue
            base = posixpath.dirname(path) if source else address(path)  # in Markdown, links join source files
            yield path, posixpath.normpath(posixpath.join(base, target))


def test_every_link_to_an_entry_leads_to_a_page_or_a_file(files: dict[str, str | bytes]) -> None:
    there = {posixpath.normpath(address(path)) for path in files} | set(files) | {"entries"}
    to_entries = [(page, target) for page, target in links(files) if target.split("/")[0] == "entries"]
    assert {target for _, target in to_entries} >= {f"entries/{name}" for name in PAGES.values()}
    assert [(page, target) for page, target in to_entries if target not in there] == []


def test_the_pages_and_files_of_an_entry_have_names_for_any_server_and_disk(files: dict[str, str | bytes]) -> None:
    for name in PAGES.values():
        assert {f"entries/{name}.md", f"entries/{name}.bib", f"data/entries/{name}.json"} <= set(files)
    assert [path for path in files if re.search(r'[:\\*?"<>|]', path)] == []
    assert [path for path in files if path.startswith("entries/") and path.count("/") > 1] == []


@pytest.mark.parametrize("old", ["soda2001", "DBLP.books.OSoda"])
def test_a_former_key_of_either_style_leads_to_the_page_of_today(files: dict[str, str | bytes], old: str) -> None:
    assert f"(../entries/{PAGES[DBLP]}.md)" in str(files[f"entries/{old}.md"])


@pytest.mark.parametrize("key", PAGES)
def test_a_page_shows_the_key_as_it_is(pool: Pool, files: dict[str, str | bytes], key: str) -> None:
    page = str(files[f"entries/{PAGES[key]}.md"])
    assert f"{{{key},\n" in unescape(page)
    assert f"{{{key},\n" in str(files[f"entries/{PAGES[key]}.bib"])
    assert json.loads(files[f"data/entries/{PAGES[key]}.json"])["page"] == f"entries/{PAGES[key]}/"


def test_anchors_are_addresses_too(files: dict[str, str | bytes]) -> None:
    ids = {one for text in files.values() if isinstance(text, str) for one in re.findall(r' id="([^"]+)"', text)}
    assert ids >= set(PAGES.values())
    assert [one for one in ids if ":" in one or "/" in one] == []


def test_data_for_scripts_and_programs_have_the_keys_themselves(files: dict[str, str | bytes]) -> None:
    assert {row[0] for row in json.loads(files["explore/rows.json"])} == set(PAGES)
    assert {work["key"] for work in json.loads(files["related/works.json"])["entries"]} == set(PAGES)
    assert set(json.loads(files["explore/exports.json"])["entries"]) == set(PAGES)


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_export_keeps_the_keys(pool: Pool, form: str) -> None:
    data = FORMATS[form](pool)
    if form == "parquet":
        assert all(key.encode() in data for key in PAGES)
    else:
        assert all(key.encode() in data or json.dumps(key).encode() in data for key in PAGES)


def test_a_chapter_cites_both_styles(pool: Pool, tmp_path: Path) -> None:
    text = f'{{{{ authors("{INSPIRE}") }}}} and others [@{DBLP}; @{OURS}].'
    shown = render_prose(text, pool, "read/x.md", "docs/read/x.md", Pictures())
    assert shown.startswith(
        f"[Dupain and Guild of Bakers (2019)](../entries/{PAGES[INSPIRE]}.md) and others "
        f"[O&#39;Soda, 2001](../entries/{PAGES[DBLP]}.md); [de la Bakker, 2024](../entries/oven2024.md)."
    )
    assert f'<a href="../../entries/{PAGES[INSPIRE]}/">entry</a></li>' in shown
    (tmp_path / "x.md").write_text(f"# Bread\n\n{text} Also @{INSPIRE}.\n")
    for key in PAGES:
        assert [one.page for one in mentions(chapters(tmp_path), key)] == ["x.md"]
