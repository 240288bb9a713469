"""The report of many runs in a real browser: sorted and sifted, kept in the address, and whole without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from survey.traces.exporters.report.runs import html, summary, table
from tests.browser.conftest import violations
from tests.browser.traces.conftest import VisitFile, errors_of_html
from tests.traces.exporters.test_runs import scored

pytestmark = pytest.mark.programs

SECONDS = [95.0, 20.0, 75.0, 61.0, 45.0, 52.0, 33.0, 88.0, 47.0, 71.0, 64.0, 40_000.0]
Opened = Callable[..., Page]


def page_of(folder: Path, count: int = len(SECONDS)) -> Path:
    """Twelve runs, of which the last took long, one retried, one has errors and one no costs; and a file that is none."""
    rows = [
        scored(place, {"wall_s": seconds, "steps": place % 5, "retries": int(place == 3), "cost_usd": seconds / 100},
               success=[True, False, None][place % 3], errors=int(place == 5))
        for place, seconds in enumerate([*SECONDS, *[60.0] * (count - len(SECONDS))])
    ]  # fmt: skip
    del rows[4]["measures"]["cost_usd"]
    unread = {**scored(99, {}, errors=1), "trace_id": None, "task_id": None, "problems": ["not a trace"]}
    found = summary(table(json.dumps(row).encode() for row in [*rows, unread]))
    path = folder / "runs.html"
    path.write_text(html(found, "nightly"), encoding="utf-8")
    return path


@pytest.fixture
def opened(visit_file: VisitFile, tmp_path: Path) -> Opened:
    """Open the report of the twelve runs, or of more."""

    def open(*how: object, count: int = len(SECONDS), **more: object) -> Page:
        return visit_file(page_of(tmp_path, count), *how, **more)

    return open


def shown(page: Page) -> list[str]:
    names = page.locator(".runs tbody tr:visible th").all_inner_texts()
    return [name.split()[0] for name in names]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_it_is_accessible_and_fits(opened: Opened, width: int, scheme: str) -> None:
    page = opened(width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # the policy forbids scripts of others, and axe is one; the page's own has run, and must not run twice
    policy, script = r'<meta http-equiv="Content-Security-Policy"[^>]*>', r"(?s)<script>.*</script>"
    page.set_content(re.sub(script, "", re.sub(policy, "", page.content())))
    assert violations(page) == []


def test_a_click_on_a_column_sorts_and_what_is_unknown_comes_last(opened: Opened) -> None:
    page = opened()
    cost = page.get_by_role("button", name="Cost")
    before = shown(page)
    cost.click()
    known = sorted((place for place in range(len(SECONDS)) if place != 4), key=lambda place: -SECONDS[place])
    assert shown(page) == [f"{place}.jsonl" for place in [*known, 4]]
    assert page.locator("th[aria-sort=descending]").inner_text().endswith("Cost")
    cost.click()
    assert shown(page) == [f"{place}.jsonl" for place in [*reversed(known), 4]]
    cost.click()
    assert shown(page) == before
    assert page.locator("th[aria-sort]").count() == 0


def test_runs_are_sifted_by_words_outcome_and_what_is_notable(opened: Opened) -> None:
    page = opened()
    page.get_by_label("Outcome").select_option("solved")
    assert shown(page) == ["0.jsonl", "3.jsonl", "6.jsonl", "9.jsonl"]
    page.get_by_label("notable only").check()
    assert shown(page) == ["3.jsonl"]
    assert page.locator(".sieve output").inner_text() == "1 of 12 runs"
    page.get_by_label("Outcome").select_option("")
    assert shown(page) == ["3.jsonl", "5.jsonl", "11.jsonl"], "a retry, an error, and a run that took long"
    page.get_by_label("Find").fill("HIGH time")
    assert shown(page) == ["11.jsonl"]


def test_what_is_chosen_is_kept_in_the_address(opened: Opened) -> None:
    page = opened()
    page.get_by_label("Outcome").select_option("unsolved")
    page.get_by_role("button", name="Time").click()
    chosen, address = shown(page), page.url
    again = opened(at=address[address.index("#") :])
    assert shown(again) == chosen == ["7.jsonl", "10.jsonl", "4.jsonl", "1.jsonl"]


def test_of_many_runs_some_are_laid_out_at_once_and_all_are_counted(opened: Opened) -> None:
    page = opened(count=450)
    assert len(shown(page)) == 200
    assert page.locator(".sieve output").inner_text() == "450 runs"
    more = page.get_by_role("button", name=re.compile("^Show"))
    for said, then in (("Show 200 more", 400), ("Show 50 more", 450)):
        assert more.inner_text() == said
        more.click()
        assert len(shown(page)) == then
    assert more.is_hidden()
    page.get_by_role("button", name="Time").click()
    assert shown(page)[0] == "11.jsonl", "sorted among all, not among those shown"
    page.get_by_label("Find").fill("449.jsonl")
    assert shown(page) == ["449.jsonl"]
    page.get_by_label("Find").fill("")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(shown(page)) == 450, "on paper there is nothing to click"


def test_without_scripts_all_runs_are_there_and_nothing_that_does_nothing(opened: Opened) -> None:
    page = opened(scripts=False)
    assert len(shown(page)) == len(SECONDS)
    assert page.locator(".sieve").is_hidden()
    assert page.locator(".runs button").count() == 0


def test_it_is_valid_html(tmp_path: Path) -> None:
    assert errors_of_html(page_of(tmp_path)) == []
