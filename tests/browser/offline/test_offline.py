"""The site as a folder, opened from a file manager with the network cut off: everything works that works on a server."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from hatchling.builders.sdist import SdistBuilder
from playwright.sync_api import Browser, expect

from survey.literature import Pool, parse_bibtex
from survey.site.publishing.bill_of_materials import sbom
from survey.site.publishing.offline.offline import assemble
from tests.browser.conftest import FILTERS_ANSWER, RECORD, Site, Visit, until
from tests.browser.test_policy import META, RUNS_ON_ITS_OWN, TRIES
from tests.conftest import ROOT

pytestmark = pytest.mark.programs

Open = Callable[[str], Visit]


@pytest.fixture(scope="module")
def kept(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole folder, as ``make offline`` puts it together."""
    built = tmp_path_factory.mktemp("offline") / "built"
    built.mkdir()
    (built / "site").symlink_to(site.folder)
    assert list(SdistBuilder(str(ROOT)).build(directory=str(built / "source"), versions=["standard"]))
    (built / "sbom.cdx.json").write_text(json.dumps(sbom()))
    assemble(built, ROOT, built.parent / "offline")
    return built.parent / "offline"


@pytest.fixture(scope="module")
def folder(kept: Path) -> Path:
    """The site in it."""
    return kept / "site"


@pytest.fixture
def opened(folder: Path, chromium: Browser) -> Iterator[Open]:
    """Open a file of the folder in a browser that has no network."""
    contexts = []

    def visit(path: str) -> Visit:
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True, accept_downloads=True)
        contexts.append(context)
        context.add_init_script(RECORD)
        page = context.new_page()
        made = Visit(page)
        page.on("console", lambda m: made.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: made.errors.append(str(error)))
        page.on(
            "request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else made.foreign.append(r.url)
        )
        page.goto(f"{folder.as_uri()}/{path}")
        return made

    yield visit
    for context in contexts:
        context.close()


def test_a_log_is_opened_without_a_network(opened: Open) -> None:
    found = opened("traces/open/index.html")
    found.page.locator("[data-example]").first.click()
    expect(found.page.locator("[data-said]")).to_contain_text("1 run", timeout=120_000)
    expect(found.page.frame_locator("[data-frame]").locator("h1")).to_have_text(re.compile(r"^[0-9a-f-]{36}$"))
    found.clean()


def test_a_reader_walks_from_the_home_page_to_filters_an_entry_a_chapter_and_the_search(
    opened: Open, pool: Pool
) -> None:
    found = opened("index.html")
    page = found.page
    page.locator(".md-tabs").get_by_role("link", name="Explore").click()
    expect(page.locator("h1")).to_contain_text("All entries")
    until(page, FILTERS_ANSWER)
    page.locator("summary", has_text="Credit unit").click()
    page.locator("fieldset[aria-label='Credit unit']").get_by_label("message").check()
    wanted = {entry.key for entry in pool.where([("credit", "message")])}
    expect(page.locator("tbody tr")).to_have_count(len(wanted))
    assert "credit=message" in page.url
    page.locator("tbody tr#c3 th a").click()
    expect(page.locator("h1")).to_contain_text(pool["c3"].title[:20])
    assert page.url.endswith("/entries/c3/index.html")
    page.locator(".md-tabs").get_by_role("link", name="Read").click()
    page.get_by_role("link", name="Credit", exact=True).locator("visible=true").first.click()
    expect(page.locator("h1")).to_contain_text("Who earned the reward")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("Contextual Counterfactual")
    result = page.locator(".md-search-result__link", has_text=pool["c3"].title[:20]).first
    expect(result).to_be_visible()
    result.click()
    assert "/entries/c3/index.html" in page.url
    expect(page.locator("h1")).to_contain_text(pool["c3"].title[:20])
    found.clean()


def test_the_filters_of_an_address_hold_when_the_page_is_read_again_and_a_row_opens_by_keyboard(
    opened: Open, pool: Pool
) -> None:
    found = opened("explore/index.html?reward=orchestration&credit=role")
    both = pool.where([("reward", "orchestration"), ("credit", "role")])
    for _ in range(2):
        until(found.page, FILTERS_ANSWER)
        assert found.page.eval_on_selector_all("tbody tr", "rows => rows.map(row => row.id)") == [e.key for e in both]
        found.page.reload()
    until(found.page, FILTERS_ANSWER)
    found.page.locator("tbody tr th a").first.focus()
    found.page.keyboard.press("Enter")
    found.page.wait_for_url(f"**/entries/{both.entries[0].key}/index.html")
    found.clean()


def test_what_the_filters_show_can_be_saved(opened: Open, tmp_path: Path) -> None:
    found = opened("explore/index.html?credit=message")
    until(found.page, FILTERS_ANSWER)
    with found.page.expect_download() as download:
        found.page.locator("[data-export=bib]").click()
    download.value.save_as(tmp_path / "x.bib")
    shown = found.page.eval_on_selector_all("tbody tr", "rows => rows.map(row => row.id)")
    assert [block.key for block in parse_bibtex((tmp_path / "x.bib").read_text()).blocks] == shown
    found.clean()


def test_a_chart_can_be_turned_interactive_and_its_marks_lead_to_pages(opened: Open) -> None:
    found = opened("axes/reward/index.html")
    found.page.get_by_role("button", name="Make it interactive").click()
    expect(found.page.locator(".picture[data-live] svg")).to_be_visible()
    found.page.locator(".picture .mark-rect path").first.click()
    found.page.wait_for_url(re.compile(r"/axes/reward/[\w-]+/index\.html"))
    found.clean()


def test_a_bib_of_ones_own_is_compared(opened: Open, pool: Pool) -> None:
    found = opened("take-part/related-work/index.html")
    found.page.locator("[data-related] textarea").fill(f"@misc{{x, title={{{pool['c3'].text('title')}}}}}")
    found.page.locator("[data-related] form button").first.click()
    link = found.page.locator("[data-related] a", has_text=pool["c3"].title).first
    expect(link).to_be_attached()
    link.evaluate(
        "link => { for (let up = link; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true; }"
    )
    link.click()
    found.page.wait_for_url("**/entries/c3/index.html")
    found.clean()


def test_the_form_for_a_new_entry_runs_and_knows_the_works_that_are_there(opened: Open, pool: Pool) -> None:
    found = opened("take-part/new-entry/index.html")
    found.page.locator("#f-title").fill(pool["c3"].title)
    found.page.locator(".works a", has_text=pool["c3"].title).first.click()
    found.page.wait_for_url("**/entries/c3/index.html")
    found.clean()


def test_every_kind_of_page_opens_without_an_error(opened: Open, folder: Path) -> None:
    found = opened("index.html")
    for path in ("notebooks/credit", "claims", "gaps", "measure/reward-by-credit", "traces/schema"):
        found.page.goto(f"{folder.as_uri()}/{path}/index.html")
        expect(found.page.locator("h1").first).to_be_visible()
    found.clean()


# --------------------------------------------------------------- the files themselves


ADDRESS = re.compile(
    r'\s(?:(?P<fetched>data-(?:spec|rows|works|exports))|href|src|xlink:href|data-runtime)="(?P<to>[^"#?]+)'
)
"""What a page leads to, loads or, with its scripts, fetches: the last lies in the folder as a script."""


def test_every_link_of_every_page_leads_to_a_file(folder: Path) -> None:
    files = {str(path) for path in folder.rglob("*") if path.is_file()}
    broken, followed = set(), 0
    for path in sorted(folder.rglob("*.html")):
        text = re.sub(r"<pre\b.*?</pre>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = {(m["to"], f"{m['to']}.js" if m["fetched"] else m["to"]) for m in ADDRESS.finditer(text)}
        for address, target in found:
            if re.match(r"[a-z]+:|//", address):
                continue
            followed += 1
            if os.path.normpath(f"{path.parent}/{unquote(target)}") not in files:
                broken.add(f"{path.relative_to(folder)}: {address}")
    assert followed > 10_000
    assert sorted(broken)[:10] == []


def test_nothing_is_left_that_only_a_server_can_give(folder: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in folder.rglob("*.html")]
    assert len(pages) > 500
    assert not [page for page in pages if 'type="module"' in page or "navigation.instant" in page]
    assert not (folder / "404.html").exists()
    assert not [path for name in ("charts", "explore", "related") for path in (folder / name).glob("*.json")]


def test_every_page_has_the_policy_of_the_site_for_files_and_nothing_looser(folder: Path, site: Site) -> None:
    (before,) = META.findall((site.folder / "index.html").read_text(encoding="utf-8"))
    alone = {folder / path for path in RUNS_ON_ITS_OWN}
    for path in sorted({*folder.rglob("*.html")} - alone):
        (policy,) = META.findall(path.read_text(encoding="utf-8"))
        allowed, was = (dict(one.split(" ", 1) for one in text.split("; ")) for text in (policy, before))
        assert list(allowed) == list(was), path
        assert (allowed["connect-src"], allowed["worker-src"], allowed["default-src"]) == ("'none'", "blob:", "'none'")
        for name, sources in allowed.items():
            assert set(sources.split()) - set(was[name].split()) <= {"file:", "'none'"}, (path, name)


REFUSED = ("an inline script", "a handler", "a script of another host", "a picture of another host",
           "a request to another host", "a frame", "a form", "another base")  # fmt: skip


def test_what_an_attack_needs_is_refused_here_too(opened: Open) -> None:
    page = opened("index.html").page
    for name in REFUSED:
        code, refused = TRIES[name]
        page.evaluate("() => { window.__forbidden.length = 0; document.querySelector('#t')?.remove(); }")
        page.evaluate(f"() => {{ {code} }}")
        until(page, "window.__forbidden.length > 0")
        assert [said for said in page.evaluate("window.__forbidden") if said.startswith(refused)], name
    page.evaluate("window.__forbidden.length = 0")
    page.evaluate("setTimeout('window.__ran = 1')")
    until(page, "window.__forbidden.length > 0")
    assert page.evaluate("window.__ran") is None


def test_every_file_has_its_fingerprint(kept: Path) -> None:
    lines = (line.split("  ", 1) for line in (kept / "SHA256SUMS").read_text().splitlines())
    listed = {name: fingerprint for fingerprint, name in lines}
    found = {path.relative_to(kept).as_posix(): path for path in kept.rglob("*") if path.is_file()}
    del found["SHA256SUMS"]
    assert {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items()} == listed


# ------------------------------------------------------------- every figure again


@pytest.fixture(scope="module")
def source(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder's own source, unpacked."""
    (packed,) = (kept / "source").iterdir()
    out = tmp_path_factory.mktemp("source")
    with tarfile.open(packed) as archive:
        archive.extractall(out, filter="data")
    (unpacked,) = out.iterdir()
    return unpacked


def test_the_source_in_the_folder_is_the_whole_source(source: Path, kept: Path) -> None:
    for name in ("Makefile", "README.md", "mkdocs.yml", "pyproject.toml"):
        assert (source / name).read_bytes() == (ROOT / name).read_bytes()
    for part in ("bib", "docs", "notebooks", "requirements", "survey", "tests"):
        files = {path.relative_to(ROOT) for path in (ROOT / part).rglob("*") if path.is_file()}
        caches = {path for path in files if any(re.match(r"\.|__pycache__$", name) for name in path.parts[:-1])}
        assert [path for path in sorted(files - caches) if not (source / path).is_file()] == []
    assert {path.name: path.read_bytes() for path in (source / "bib").glob("*.*")} == {
        path.name: path.read_bytes() for path in (kept / "bib").glob("*.*")
    }


@pytest.fixture(scope="module")
def again(kept: Path, source: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures, computed again from the folder with the network cut off."""
    out = tmp_path_factory.mktemp("again")
    command = [sys.executable, "-m", "tests.browser.offline.recompute", str(kept / "bib"), str(out), site.url]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_the_source_in_the_folder_makes_every_machine_readable_copy_again_to_the_byte(
    again: Path, folder: Path
) -> None:
    copies = {path.relative_to(folder) for path in (folder / "data").rglob("*") if path.is_file()}
    assert len(copies) > 280
    assert copies == {path.relative_to(again) for path in (again / "data").rglob("*") if path.is_file()}
    assert [path for path in sorted(copies) if (again / path).read_bytes() != (folder / path).read_bytes()] == []


def test_its_statistics_are_those_of_the_copies(again: Path, folder: Path) -> None:
    stats = json.loads((again / "stats.json").read_text())
    assert stats["entries"] == len(list((folder / "data" / "entries").glob("*.json")))
    for axis, rows in stats["axes"].items():
        copy = json.loads((folder / "data" / "axes" / f"{axis}.json").read_text())
        assert [(row["cell"], row["count"], row["mentions"]) for row in copy["counts"]] == [
            (row["cell"], row["count"], row["mentions"]) for row in rows
        ]


def test_every_page_that_a_copy_names_is_one_of_the_folder(folder: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (folder / "data").glob("*/*.json")]
    named = {found for text in texts for found in re.findall(r'"page": ?"([^"]+)"', text)}
    assert len(named) > 300
    assert sorted(page for page in named if not (folder / page / "index.html").is_file()) == []
