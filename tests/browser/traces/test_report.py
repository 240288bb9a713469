"""The report of a run in a real browser: quiet, accessible, alone in the world, and readable without script."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from survey.traces import Trace
from survey.traces.exporters.report import html
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.model import Content
from tests.browser.conftest import violations
from tests.browser.traces.conftest import VisitFile, errors_of_html
from tests.traces.importers.samples import sample

pytestmark = pytest.mark.programs

LOG = sample("claude-code/folders/deep.jsonl")


def session() -> Trace:
    """A session whose sub-agents spawned others."""
    return next(iter(IMPORTER.read(Log(LOG), Content(salt=""))))


KINDS: dict[str, Callable[[], Trace]] = {"seconds": session, "ordinal": lambda: session().with_head(time="ordinal")}

Opened = Callable[..., Page]


@pytest.fixture
def opened(visit_file: VisitFile, tmp_path: Path) -> Opened:
    """Open the report of a run."""

    def open(kind: str, *how: object, **more: object) -> Page:
        path = tmp_path / f"{kind}.html"
        path.write_text(html(KINDS[kind]()), encoding="utf-8")
        return visit_file(path, *how, **more)

    return open


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("kind", list(KINDS))
def test_it_is_quiet_accessible_and_fits(opened: Opened, kind: str, width: int, scheme: str) -> None:
    page = opened(kind, width, scheme)
    page.evaluate("for (const closed of document.querySelectorAll('details')) closed.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # the report forbids scripts of others, and axe is one: it runs in a copy that does not
    page.set_content(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.content()))
    assert violations(page) == []


def test_without_script_all_of_it_is_there_and_wider(opened: Opened) -> None:
    page = opened("seconds", scripts=False)
    assert page.locator("h2").all_inner_texts()[:4] == [
        "Consistency checks",
        "Losses in the import",
        "Links between events",
        "Timeline",
    ]
    assert page.locator(".scroller rect > title").count() > 0
    assert page.locator("#detail").is_hidden()
    before = page.locator(".plane").bounding_box()
    page.locator("label[for=zoom-4]").click()
    after = page.locator(".plane").bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] == pytest.approx(4 * before["width"])
    page.locator(".measures summary").first.click()
    assert page.locator(".measures details p").first.is_visible()


def test_a_figure_leads_to_its_definition_and_opens_it(opened: Opened) -> None:
    page = opened("seconds")
    definition = page.locator("#m-critical_path_s")
    assert not definition.is_visible()
    page.get_by_role("link", name="Critical path", exact=True).last.click()
    definition.wait_for()
    assert page.evaluate("location.hash") == "#m-critical_path_s"


def test_the_width_can_be_chosen_from_the_keyboard(opened: Opened) -> None:
    page = opened("seconds")
    page.locator("#zoom-1").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#zoom-2").is_checked()


@pytest.mark.parametrize("kind", list(KINDS))
def test_it_is_valid_html(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(KINDS[kind]()), encoding="utf-8")
    assert errors_of_html(path) == []


def test_it_prints_with_everything_unfolded(opened: Opened) -> None:
    page = opened("seconds")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    assert len(page.pdf()) > 10_000
