"""The explorer over more entries than a page holds: every one in reach, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from survey.literature import Pool, parse_bibtex
from survey.site.pages.explorer.builder import PER_PAGE
from tests.browser.conftest import Site, Visit, served, until, visits
from tests.browser.explorer.explorer_site import build_explorer, grown
from tests.browser.test_every_kind_of_page import check

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]

SIZE = 1_200
HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> &amp; *b* {{ 7*7 }}"


@pytest.fixture(scope="module")
def large(pool: Pool) -> Pool:
    """More entries than three pages hold; one that only the script draws has a title that attacks."""
    return grown(pool, SIZE, titles={PER_PAGE + 1: HOSTILE})


@pytest.fixture(scope="module")
def large_site(large: Pool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("large")
    (folder / "site").mkdir()
    with served(folder / "site") as url:
        build_explorer(large, folder, url)
        yield Site(folder / "site", url)


@pytest.fixture
def visit(large_site: Site, chromium: Browser) -> Iterator[Open]:
    with visits(large_site, chromium) as opened:
        yield opened


def keys(found: Visit) -> list[str]:
    """The keys of the rows that are drawn, from top to bottom."""
    drawn: list[str] = found.page.eval_on_selector_all("tbody tr", "rows => rows.map(row => row.id)")
    return drawn


def markup(found: Visit) -> list[str]:
    """The HTML of each row, links written as the places they lead to; a parser and a search read more of a formula."""
    rows: list[str] = found.page.eval_on_selector_all(
        "tbody tr",
        "rows => rows.map(row => { const link = row.querySelector('a'); link.setAttribute('href', link.href); "
        "for (const part of row.querySelectorAll('math, mpadded')) "
        "for (const name of ['xmlns', 'data-search-exclude']) part.removeAttribute(name); "
        "return row.outerHTML; })",
    )
    return rows


def show(found: Visit, button: str, number: int) -> None:
    """Press a button and wait until so many rows are drawn."""
    found.page.get_by_role("button", name=button, exact=True).click()
    expect(found.page.locator("tbody tr")).to_have_count(number)


def every_page(visit: Open) -> Iterator[Visit]:
    """The pages of the table as their links lead from one to the next, without scripts."""
    found = visit("explore/", scripts=False)
    yield found
    while found.page.locator("a[rel=next]").count():
        with found.page.expect_navigation():
            found.page.locator("a[rel=next]").click()
        yield found


def test_without_scripts_the_links_lead_through_every_entry(visit: Open, large: Pool) -> None:
    read = [keys(found) for found in every_page(visit)]
    assert [len(page) for page in read] == [PER_PAGE] * (SIZE // PER_PAGE)
    assert [key for page in read for key in page] == [entry.key for entry in large]


def test_a_row_drawn_by_the_script_is_the_row_of_the_page(visit: Open) -> None:
    written = [row for found in every_page(visit) for row in markup(found)]
    found = visit("explore/")
    show(found, f"Show all {SIZE}", SIZE)
    assert markup(found) == written
    found.clean()


def test_text_from_the_pool_never_acts_in_a_row_drawn_by_the_script(visit: Open, large: Pool) -> None:
    found = visit(f"explore/#{large.entries[PER_PAGE + 1].key}")
    expect(found.page.get_by_text(large.entries[PER_PAGE + 1].title, exact=True)).to_be_visible()
    assert found.page.locator("tbody :is(img, script)").count() == 0
    found.clean()


def test_a_filter_in_the_address_finds_entries_of_every_page(visit: Open, large: Pool) -> None:
    found = visit("explore/?credit=message")
    expected = [e.key for e in large.where([("credit", "message")])]
    expect(found.page.locator("tbody tr")).to_have_count(len(expected))
    assert keys(found) == expected
    expect(found.page.locator(".matches")).to_contain_text(f"{len(expected)} of {SIZE} entries")
    found.clean()


def test_an_address_with_a_search_opens_the_table_and_not_the_search_of_the_site(visit: Open) -> None:
    found = visit("explore/")
    found.page.get_by_role("searchbox").fill("parallel")
    expect(found.page.locator(".matches")).to_contain_text(f"of {SIZE} entries")
    found.page.reload()
    expect(found.page.locator(".matches")).to_contain_text(f"of {SIZE} entries")
    expect(found.page.get_by_placeholder("Search titles, authors, tags")).to_have_value("parallel")
    assert not found.page.locator("#__search").is_checked()


def test_counts_are_those_of_the_whole_pool(visit: Open, large: Pool) -> None:
    found = visit("explore/?category=rl-method")
    label = found.page.locator("fieldset[aria-label='Reward family'] label", has_text="orchestration")
    expected = len(large.where([("category", "rl-method"), ("reward", "orchestration")]))
    assert label.locator(".n").text_content() == str(expected)


def test_sorting_is_over_the_whole_pool(visit: Open, large: Pool) -> None:
    found = visit("explore/")
    found.page.get_by_role("button", name="Year").click()
    expected = [e.key for e in sorted(large, key=lambda e: e.year)]
    expect(found.page.locator("tbody tr")).to_have_count(PER_PAGE)
    assert keys(found) == expected[:PER_PAGE]
    show(found, f"Show all {SIZE}", SIZE)
    assert keys(found) == expected
    found.clean()


def test_more_rows_follow_where_reading_stopped(visit: Open, large: Pool) -> None:
    found = visit("explore/")
    show(found, f"Show {PER_PAGE} more", 2 * PER_PAGE)
    assert keys(found) == [e.key for e in large][: 2 * PER_PAGE]
    assert found.page.evaluate("document.activeElement.closest('tr').id") == large.entries[PER_PAGE].key
    expect(found.page.locator(".pages")).to_have_count(0)


def test_a_filter_draws_no_more_rows_than_the_page_brought(visit: Open, large: Pool) -> None:
    found = visit("explore/")
    show(found, f"Show all {SIZE}", SIZE)
    found.page.get_by_role("searchbox").fill("agent")
    expect(found.page.locator("tbody tr")).to_have_count(PER_PAGE)
    expect(found.page.locator(".matches")).to_contain_text(f"of {SIZE} entries")


WIDTHS = "[...document.querySelectorAll('thead th')].map(head => head.offsetWidth)"
OUTSIDE = """[...document.querySelectorAll('tbody .word')].filter(word =>
    word.getBoundingClientRect().right > word.parentNode.getBoundingClientRect().right).length"""


def test_columns_keep_their_widths_from_filter_to_filter(visit: Open, large: Pool) -> None:
    found = visit("explore/")
    until(found.page, "document.querySelector('table').hasAttribute('data-held')")
    before = found.page.evaluate(WIDTHS)
    found.page.get_by_role("searchbox").fill(large.entries[-1].title)  # few rows, with few words
    expect(found.page.locator(".matches")).to_contain_text(f"1 of {SIZE} entries")
    assert found.page.evaluate(WIDTHS) == before
    found.page.get_by_role("searchbox").fill("")
    show(found, f"Show all {SIZE}", SIZE)
    assert found.page.evaluate(WIDTHS) == before
    assert found.page.evaluate(OUTSIDE) == 0


def test_columns_find_new_widths_when_the_window_changes_and_a_phone_has_none(visit: Open) -> None:
    found = visit("explore/")
    held = "document.querySelector('table').hasAttribute('data-held')"
    until(found.page, held)
    before = found.page.evaluate(WIDTHS)
    found.page.emulate_media(media="print")  # paper has another width
    assert found.page.evaluate("getComputedStyle(document.querySelector('table')).tableLayout") == "auto"
    found.page.emulate_media(media="screen")
    found.page.set_viewport_size({"width": 1800, "height": 900})
    until(found.page, f"{held} && {WIDTHS}.join() !== '{','.join(map(str, before))}'")
    found.page.set_viewport_size({"width": 390, "height": 800})
    until(found.page, f"!({held})")
    found.clean()


@pytest.mark.parametrize("form", ["bib", "ris", "csv"])
def test_every_match_is_exported_drawn_or_not(visit: Open, large: Pool, tmp_path: Path, form: str) -> None:
    found = visit("explore/?category=rl-method")
    expected = [e.key for e in large.where([("category", "rl-method")])]
    assert len(expected) > PER_PAGE
    with found.page.expect_download() as download:
        found.page.locator(f"[data-export={form}]").click()
    download.value.save_as(tmp_path / "x")
    text = (tmp_path / "x").read_text()
    if form == "bib":
        assert [block.key for block in parse_bibtex(text).blocks] == expected
    elif form == "ris":
        assert re.findall(r"(?m)^ID  - (.+)$", text) == expected
    else:
        assert [line.split(",")[0] for line in text.splitlines()] == ["key", *expected]
    found.clean()


@pytest.mark.parametrize("number", [5, PER_PAGE + 150, SIZE - 1])
def test_an_address_may_name_any_entry(visit: Open, large: Pool, number: int) -> None:
    found = visit(f"explore/#{large.entries[number].key}")
    row = found.page.locator(f"tbody tr:nth-child({number + 1})")
    expect(row).to_have_id(large.entries[number].key)
    expect(row).to_be_in_viewport()


def test_until_the_rows_are_here_the_table_stays_and_what_is_chosen_is_kept(visit: Open, large_site: Site) -> None:
    found = visit("explore/page-2/")
    held: list[Route] = []
    found.page.route("**/rows.json", lambda route: held.append(route))
    found.page.goto(f"{large_site.url}explore/?credit=message", wait_until="load")
    expect(found.page.locator("tbody tr")).to_have_count(PER_PAGE)
    found.page.get_by_role("searchbox").fill("no such title")
    expect(found.page.locator("tbody tr")).to_have_count(PER_PAGE)
    held[0].continue_()
    expect(found.page.locator(".matches")).to_contain_text(f"0 of {SIZE} entries")
    expect(found.page.locator("tbody tr")).to_have_count(0)
    found.clean()


def test_rows_that_cannot_be_loaded_leave_the_page_as_it_is_without_scripts(visit: Open, large_site: Site) -> None:
    found = visit("explore/page-2/")
    found.page.route("**/rows.json", lambda route: route.abort())
    found.page.goto(f"{large_site.url}explore/?credit=message")
    expect(found.page.locator(".matches")).to_contain_text("could not be loaded: reload the page")
    expect(found.page.locator(".explorer-tools")).to_be_hidden()
    expect(found.page.locator("tbody tr")).to_have_count(PER_PAGE)
    expect(found.page.locator("a[rel=next]")).to_be_visible()
    assert found.page.get_by_role("button", name="Year").count() == 0


@pytest.mark.parametrize(("path", "width"), [("explore/", 1280), ("explore/page-2/", 360)])
def test_it_is_quiet_accessible_and_fits(visit: Open, path: str, width: int) -> None:
    check(visit(path, width), width)
