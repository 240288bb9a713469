"""The page that opens a log: Python in the browser gives the reports of the command line, and nothing leaves the page."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from survey.cli import main
from survey.site.publishing.plugin import WITHOUT
from survey.traces import read
from survey.traces.importers import importers
from tests.browser.conftest import Site, Visit, goto, until, violations, visits
from tests.conftest import ROOT
from tests.test_light_install import LOG
from tests.traces.importers.samples import sample

pytestmark = pytest.mark.programs

ADDRESS = "traces/open/"
REAL = ROOT.parent / "shared" / "traces" / "real"
"""Logs of real systems, where they are at hand."""

HASH = re.compile(r"blake2b:[0-9a-f]{16}")
"""What stands for a text: each reading of a log has a salt of its own."""

ONE = re.compile(r"^1 run\b")

IDLE = "!document.querySelector('[data-open-log]').hasAttribute('aria-busy')"
EXAMPLE = ROOT / "survey" / "traces" / "model" / "example.json"


def files(folder: bool = False) -> str:
    return f"[data-files]{'' if folder else ':not('}[data-folder]{'' if folder else ')'}"


def choose(page: Page, path: Path) -> str:
    """Choose a file or folder, wait for the answer, and return what the page says."""
    page.set_input_files(files(path.is_dir()), path)
    until(page, IDLE)
    return page.locator("[data-said]").inner_text()


def saved(page: Page, form: str) -> bytes:
    with page.expect_download() as download:
        page.locator(f"[data-save='{form}']").click()
    until(page, IDLE)
    return Path(download.value.path()).read_bytes()


def run(*words: str | Path) -> str:
    """What a command prints."""
    result = CliRunner().invoke(main, ["trace", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def opened(site: Site, chromium: Browser) -> Iterator[Visit]:
    """The page, with Python started by an example."""
    assert (site.folder / "assets/python/runtime.js").is_file(), "Python for browsers is missing: make test fetches it"
    with visits(site, chromium) as visit:
        found = visit(ADDRESS)
        found.page.locator("[data-example]").first.click()
        until(found.page, IDLE)
        expect(found.page.locator("[data-said]")).to_have_text(ONE)
        yield found


@pytest.fixture
def page(opened: Visit) -> Iterator[Page]:
    """The page with Python at work; in the end nothing has erred and nothing was asked of another host."""
    yield opened.page
    opened.clean()


# ------------------------------------------------------------------ the same reports


def logs() -> list[Path]:
    """A log for each importer, and every real one."""
    real = (path for path in sorted(REAL.glob("*/*")) if path.suffix not in (".txt", ".md"))
    return [EXAMPLE, *(sample(name) for name in LOG.values()), *real, *REAL.glob("*.traj")]


def test_there_is_a_log_for_each_importer() -> None:
    assert LOG.keys() == importers().keys()


@pytest.mark.parametrize("log", logs(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_report_is_that_of_the_command_line_to_the_byte(page: Page, log: Path) -> None:
    choose(page, log)
    runs = page.locator("tr[data-run] button").all_inner_texts()
    which = ["--trace", runs[0]] if runs else []  # of several runs the first is shown
    reported = CliRunner().invoke(main, ["trace", "report", str(log), "--format", "html", *which])
    if reported.exit_code:  # part of a log, which holds no run
        assert page.locator("[data-troubles] li").count() == 1
        assert page.locator("[data-report]").is_hidden()
        return
    assert HASH.sub("hash", saved(page, "html").decode()) == HASH.sub("hash", reported.stdout)


def test_a_run_is_saved_as_a_trace_and_in_the_formats_of_other_programs(page: Page, tmp_path: Path) -> None:
    choose(page, EXAMPLE)
    for form in ("perfetto", "otlp"):
        assert saved(page, form).decode() == run("export", form, EXAMPLE)
    (tmp_path / "saved.jsonl").write_bytes(saved(page, "trace"))
    ours, theirs = (read(path) for path in (EXAMPLE, tmp_path / "saved.jsonl"))
    assert theirs.to_json() == ours.to_json()


def test_of_several_runs_each_is_shown_when_it_is_chosen(page: Page, tmp_path: Path) -> None:
    example = json.loads(EXAMPLE.read_text())
    lines = [json.dumps({**example, "trace_id": name}) for name in ("first", "second")]
    (tmp_path / "both.jsonl").write_text("\n".join(lines))
    assert choose(page, tmp_path / "both.jsonl") == "2 runs (by hand)."
    report = page.frame_locator("[data-frame]")
    expect(report.locator("h1")).to_have_text("first")
    page.get_by_role("button", name="second").click()
    expect(report.locator("h1")).to_have_text("second")
    assert page.locator("tr[aria-current]").inner_text().startswith("second")


def test_links_within_the_report_lead_to_its_parts(page: Page) -> None:
    choose(page, EXAMPLE)
    report = page.frame_locator("[data-frame]")
    report.get_by_role("link", name="Measures").click()
    expect(report.locator("#measures")).to_be_in_viewport()


# ------------------------------------------------------------------ nothing leaves


def test_once_a_log_is_open_the_browser_lets_nothing_out(opened: Visit, page: Page, site: Site) -> None:
    asked: list[str] = []
    went_out: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfinished", lambda request: went_out.append(request.url))
    choose(page, sample("claude-code/inline.jsonl"))
    assert asked == []
    tries = {
        "a fetch": f"fetch('{site.url}?secret').then(() => r('out'), () => r('kept'))",
        "a beacon": f"navigator.sendBeacon('{site.url}?secret'); setTimeout(() => r('kept'), 300)",
        "a picture": f"const i = new Image(); i.onload = () => r('out'); i.onerror = () => r('kept'); i.src = '{site.url}assets/images/favicon.png?secret'",
        "a script": f"const s = document.createElement('script'); s.onload = () => r('out'); s.onerror = () => r('kept'); s.src = '{site.url}assets/survey.js?secret'; document.head.append(s)",
    }  # fmt: skip
    kept = {name: page.evaluate(f"new Promise((r) => {{ {code} }})") for name, code in tries.items()}
    assert set(kept.values()) == {"kept"}
    inside = [worker for worker in page.workers if worker.url.startswith("blob:")]
    code = f"new Promise((r) => {{ const x = new XMLHttpRequest(); x.onload = () => r('out'); x.onerror = () => r('kept'); x.open('GET', '{site.url}?secret'); x.send() }})"
    assert [worker.evaluate(code) for worker in inside] == ["kept"]
    assert went_out == []
    assert opened.errors != []  # the browser tells of each try
    assert page.evaluate("window.__forbidden.splice(0).length") == len(tries)
    opened.errors.clear()


def test_the_size_is_named_and_nothing_of_python_is_loaded_before_a_log_is_chosen(
    site: Site, chromium: Browser
) -> None:
    with visits(site, chromium) as visit:
        asked: list[str] = []
        found = visit()
        found.page.on("request", lambda request: asked.append(request.url))
        goto(found.page, site.url + ADDRESS)
        megabytes = re.search(r"first log is opened: (\d+\.\d) MB", found.page.locator("[data-size]").inner_text())
        assert megabytes
        assert 5 < float(megabytes[1]) < 8
        of_python = [Path(url).name for url in asked if "assets/python" in url]
        assert sorted(of_python) == ["runtime.js", "toolkit.js"]
        found.clean()


def test_who_leaves_a_page_with_a_log_finds_the_site_as_it_was(site: Site, chromium: Browser) -> None:
    with visits(site, chromium) as visit:
        found = visit(ADDRESS)
        found.page.locator("[data-example]").first.click()
        until(found.page, IDLE)
        expect(found.page.locator(".md-search")).to_be_hidden()
        found.page.locator("article").get_by_role("link", name="formats").click()
        expect(found.page.locator("h1")).to_contain_text("formats")
        expect(found.page.locator(".md-search")).to_be_visible()
        assert found.page.evaluate("fetch(location.href).then((answer) => answer.ok)")


# ------------------------------------------------------------------ logs that are none

HOSTILE = {
    "empty.jsonl": b"",
    "blank.json": b" \n\n ",
    "zeros.bin": bytes(100_000),
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
    "page.html": b"<!DOCTYPE html><script>alert(1)</script>",
    "half.json": b'{"trace_id": "x", "events": [',
    "list.json": b"[1, 2, 3]",
    "number.json": b"1e999",
    "null.jsonl": b"null\n" * 2000,
    "deep.json": b"[" * 200_000,
    "deep-objects.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "latin.json": '{"trace_id": "é"}'.encode("latin-1"),
    "surrogate.json": b'{"trace_id": "\\ud800", "events": [], "edges": []}',
    "wrong.json": b'{"trace_id": 1, "events": {}, "edges": "none"}',
    "nan.json": b'{"trace_id": "x", "events": [{"id": "e", "t": NaN}]}',
    "long-line.jsonl": b'{"a": "' + b"x" * 5_000_000 + b'"}',
    "not-packed.json.gz": b"\x1f\x8b\x08\x00broken",
    "bomb.json.gz": gzip.compress(bytes(60_000_000)),
    "<img src=x onerror=alert(1)>.jsonl": b"{}",
    "ends.jsonl": b'{"type":"user","sessionId":"s","uuid":"u"',
}


def test_a_file_that_is_no_log_is_said_to_be_none_and_the_next_one_opens(
    site: Site, chromium: Browser, tmp_path: Path
) -> None:
    with visits(site, chromium) as visit:
        found = visit(ADDRESS)
        for name, content in HOSTILE.items():
            (tmp_path / name).write_bytes(content)
            said = choose(found.page, tmp_path / name)
            shown = found.page.locator("[data-troubles] li").all_inner_texts()
            assert shown or "Python ended" in said, (name, said)
            assert not any("Traceback" in text for text in [said, *shown]), (name, said, shown)
            assert found.page.locator("[data-report]").is_hidden(), name
        assert ONE.match(choose(found.page, EXAMPLE))
        found.clean()


def test_a_folder_of_nothing_known_is_said_to_hold_no_log(page: Page, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("buy milk")
    assert choose(page, tmp_path / "notes").startswith("No run was found")
    assert "found a folder without a log" in page.locator("[data-troubles]").inner_text()


def test_work_that_takes_too_long_is_stopped_and_python_starts_again(page: Page, tmp_path: Path) -> None:
    example = json.loads(EXAMPLE.read_text())
    with (tmp_path / "many.jsonl").open("w") as stream:
        for number in range(20_000):
            stream.write(json.dumps({**example, "trace_id": str(number)}) + "\n")
    page.set_input_files(files(), tmp_path / "many.jsonl")
    expect(page.locator("[data-said]")).to_contain_text("Reading 1 file")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-said]")).to_have_text("Stopped.")
    assert ONE.match(choose(page, EXAMPLE))


# ------------------------------------------------------------------ who uses it


def test_a_site_without_python_says_so_and_names_the_command(site: Site, chromium: Browser) -> None:
    with visits(site, chromium) as visit:
        page = visit().page
        page.route("**/assets/python/runtime.js", lambda route: route.fulfill(body=WITHOUT))
        goto(page, site.url + ADDRESS)
        expect(page.locator("[data-without]")).to_contain_text("was built without Python for browsers")
        expect(page.locator("[data-without]")).to_contain_text("survey trace report")
        expect(page.locator("[data-drop]")).to_be_hidden()


def test_without_scripts_the_page_names_the_command(site: Site, chromium: Browser) -> None:
    with visits(site, chromium) as visit:
        page = visit(ADDRESS, scripts=False).page
        expect(page.locator("[data-without]")).to_contain_text("survey trace report session.jsonl")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")])
def test_it_works_by_keyboard_at_every_width_in_both_palettes(
    site: Site, chromium: Browser, width: int, scheme: str
) -> None:
    with visits(site, chromium) as visit:
        found = visit(ADDRESS, width, scheme)
        page = found.page
        page.locator("[data-files]").first.focus()
        for _ in range(3):  # another way to choose, an example, the other one
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        until(page, IDLE)
        expect(page.locator("[data-said]")).to_have_text(ONE)
        expect(page.frame_locator("[data-frame]").locator("h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found.clean()  # before axe, which a sealed page does not let in
        assert violations(page) == []
