"""The events of a report in a browser: searched, sifted, followed from cause to effect, kept in the address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from survey.traces import Trace
from survey.traces.exporters.report import html
from survey.traces.model import Builder, Content
from survey.traces.simulate import Setting, simulate
from tests.browser.conftest import until
from tests.browser.traces.conftest import VisitFile
from tests.traces.exporters.test_report import HOSTILE, example

pytestmark = pytest.mark.programs

Opened = Callable[..., Page]


@pytest.fixture
def opened(visit_file: VisitFile, tmp_path: Path) -> Opened:
    """Open the report of a run."""

    def open(trace: Trace, *how: object, **more: object) -> Page:
        path = tmp_path / "run.html"
        path.write_text(html(trace), encoding="utf-8")
        return visit_file(path, *how, **more)

    return open


def rows(page: Page) -> list[str]:
    """What the rows in sight say, from top to bottom."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.all > div')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)"
        ".map((row) => [...row.querySelectorAll('span')].map((span) => span.textContent).join('|'))"
    )
    return found


def said(page: Page) -> str:
    return (page.locator(".explorer output").text_content() or "").strip()


def heading(page: Page) -> str:
    return (page.locator(".event h3").text_content() or "").strip()


def test_all_events_are_listed_in_order_with_their_agents(opened: Opened) -> None:
    page = opened(example())
    assert said(page) == "10 events"
    assert rows(page)[:4] == [
        "0.0|planner_1|deciding|",
        "0.0|planner_1|spawning → executor_1|1.0\u00a0s",
        "1.0|planner_1|spawning → critic_1|",
        "1.0|executor_1|browser.search|1.0\u00a0s",
    ]
    page.get_by_role("link", name="Events").click()
    assert page.locator(".explorer").evaluate("(section) => section.getBoundingClientRect().top < innerHeight")


def test_events_are_found_by_words_agent_activity_and_path(opened: Opened) -> None:
    page = opened(example())
    page.locator(".sieve [name=text]").fill("BROWSER executor")
    assert said(page) == "2 of 10 events"
    assert [row.split("|")[2] for row in rows(page)] == ["browser.search", "browser.search, result"]
    page.locator(".sieve [name=text]").fill("")
    page.locator(".sieve [name=agent]").select_option(label="\u00a0\u00a0critic_1 (1)")
    assert [row.split("|")[1:3] for row in rows(page)] == [["critic_1", "work up to the return → planner_1"]]
    page.locator(".sieve [name=agent]").select_option("")
    page.locator(".sieve [name=path]").check()
    on_path = page.locator(".all > .on-path").count()
    assert said(page) == f"{on_path} of 10 events"
    page.locator(".sieve [name=failed]").check()
    assert (said(page), rows(page)) == ("0 of 10 events", [])


def test_an_event_leads_to_its_causes_and_to_what_followed(opened: Opened) -> None:
    page = opened(example())
    page.locator(".all > div").nth(4).click()
    assert heading(page) == "browser.search, result"
    causes, effects = page.locator(".event ul").nth(0), page.locator(".event ul").nth(1)
    assert causes.all_text_contents() == ["1.0 executor_1: browser.searchtool dependency"]
    assert effects.all_text_contents() == ["9.0 executor_1: message → critic_1causal"]
    effects.get_by_role("button").click()
    assert heading(page) == "message → critic_1"
    assert "Had to wait for" in (page.locator(".event").text_content() or "")
    assert (
        page.locator("[role=option][aria-selected=true]").text_content() == "9.0executor_1message → critic_13.0\u00a0s"
    )


def test_the_list_is_walked_by_keyboard(opened: Opened) -> None:
    page = opened(example())
    page.locator(".list").focus()
    for key, id in (
        ("ArrowDown", 0),
        ("ArrowDown", 1),
        ("End", 9),
        ("ArrowUp", 8),
        ("PageUp", 0),
        ("PageDown", 9),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert page.locator(".list").get_attribute("aria-activedescendant") == f"event-{id}"


def test_what_is_chosen_is_kept_in_the_address(opened: Opened, visit_file: VisitFile, tmp_path: Path) -> None:
    page = opened(example())
    page.locator(".sieve [name=text]").fill("search")
    page.locator(".sieve [name=path]").check()
    page.locator(".sieve [name=activity]").select_option(label="browser.search (2)")
    page.locator(".all > div").last.click()
    address = page.evaluate("location.hash")
    assert address == "#events?text=search&activity=browser.search&path=1&event=e5"
    again = visit_file(tmp_path / "run.html", at=address)
    assert (said(again), rows(again), heading(again)) == (said(page), rows(page), heading(page))
    assert again.locator(".explorer").evaluate("(section) => Math.abs(section.getBoundingClientRect().top) < 2")
    again.evaluate("location.hash = '#events?event=e1'")
    until(again, "document.querySelector('.event h3').textContent === 'deciding'")


def test_of_a_long_run_only_the_rows_in_sight_are_in_the_page(opened: Opened) -> None:
    trace = simulate(Setting("swarm", agents=60, parts=60, steps=1500)).trace
    page = opened(trace)
    assert said(page) == f"{len(trace):,} events"
    assert len(trace) > 5000
    for top in (0, 70_001, 3000):
        page.locator(".list").evaluate(f"(list) => list.scrollTop = {top}")
        until(page, f"document.querySelector('.all > div').ariaPosInSet > {top // 26 - 20}")
        until(page, "document.querySelectorAll('.all > div').length < 60")
        first, last = page.evaluate(
            "((places) => [Math.min(...places), Math.max(...places)])"
            "([...document.querySelectorAll('.all > div')].map((row) => Number(row.ariaPosInSet)))"
        )
        assert first <= top // 26 + 1
        assert last >= (top + 470) // 26
    page.locator(".list").press("End")
    assert page.locator("[aria-selected=true]").get_attribute("aria-posinset") == str(len(trace))


def test_texts_cannot_become_markup(opened: Opened) -> None:
    events = [{"id": HOSTILE, "t": 0, "type": "tool_call", "agent": HOSTILE, "tool": HOSTILE, "content": HOSTILE}]
    page = opened(example(events=events, edges=[]))
    page.locator(".all > div").click()
    assert page.locator(".explorer :is(img, script:not([type]))").count() == 0
    assert "<script>alert(1)</script>" in (page.locator(".event .text").text_content() or "")


def test_a_text_that_was_kept_is_shown_with_its_lines(opened: Opened) -> None:
    builder = Builder("run", "t", importer="by hand", content=Content(keep=True))
    builder.event("message", "lead", 0.0, to="user", text="one\n  two")
    page = opened(builder.build())
    page.locator(".all > div").click()
    assert page.locator(".event .text").inner_text() == "one\n  two"


def test_without_script_the_explorer_is_not_there(opened: Opened) -> None:
    page = opened(example(), scripts=False)
    assert not page.locator(".explorer").is_visible()
    assert not page.get_by_role("link", name="Events").is_visible()
