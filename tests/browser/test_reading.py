"""What a reader does: filter, search, sort, copy, download, turn charts interactive, walk about, print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from survey.literature import Pool, parse_bibtex
from survey.site.markup.works import LISTED
from survey.site.pages.explorer.builder import PER_PAGE
from tests.browser.conftest import REPOSITORY, Site, Visit, reload

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]


def rows(found: Visit) -> list[str]:
    """The keys of the rows that are shown, from top to bottom."""
    keys: list[str] = found.page.eval_on_selector_all("tbody tr", "rows => rows.map(row => row.id)")
    return keys


def test_a_filter_in_the_address_is_applied_and_shown(visit: Open, pool: Pool) -> None:
    found = visit("explore/?credit=message")
    assert set(rows(found)) == {e.key for e in pool.where([("credit", "message")])}
    expect(found.page.locator(".matches")).to_contain_text(f"{len(rows(found))} of {len(pool)} entries")
    expect(found.page.locator(".chosen button").first).to_have_text("message ×")
    found.clean()


def test_choosing_a_value_filters_and_is_kept_in_the_address(visit: Open, pool: Pool) -> None:
    found = visit("explore/")
    found.page.locator("summary", has_text="Reward family").click()
    found.page.locator("fieldset[aria-label='Reward family']").get_by_label("orchestration").check()
    found.page.locator("summary", has_text="Credit unit").click()
    found.page.locator("fieldset[aria-label='Credit unit']").get_by_label("role").check()
    both = pool.where([("reward", "orchestration"), ("credit", "role")])
    assert set(rows(found)) == {e.key for e in both}
    assert "reward=orchestration" in found.page.url
    assert "credit=role" in found.page.url
    reload(found.page)
    assert set(rows(found)) == {e.key for e in both}
    found.clean()


def test_the_values_of_an_axis_open_over_the_table_and_the_main_axes_come_first(visit: Open, pool: Pool) -> None:
    found = visit("explore/", width=1440)
    buttons = found.page.locator(".facets > details > summary")
    assert buttons.all_inner_texts() == [*(axis.label for axis in pool.taxonomy.main), "More filters"]
    table = found.page.locator(".explorer table")
    before = table.bounding_box()
    summary = found.page.locator(".facets summary", has_text="Reward family")
    summary.click()
    expect(found.page.locator("fieldset[aria-label='Reward family']")).to_be_visible()
    assert table.bounding_box() == before
    found.page.keyboard.press("Escape")
    expect(found.page.locator("fieldset[aria-label='Reward family']")).to_be_hidden()
    expect(summary).to_be_focused()
    for one in buttons.all():  # none is cut off at the edge of the page
        one.click()
        assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = found.page.locator(".facets > details[open] > :last-child").bounding_box()
        assert box
        assert 0 <= box["x"] <= 1440 - box["width"]
    summary.click()
    found.page.locator(".matches").click()
    expect(found.page.locator("fieldset[aria-label='Reward family']")).to_be_hidden()
    found.clean()


def test_every_other_axis_is_among_the_further_filters(visit: Open, pool: Pool) -> None:
    found = visit("explore/", width=1440)
    found.page.locator("summary", has_text="More filters").click()
    others = [axis for axis in pool.taxonomy.on("entry") if not axis.main]
    assert found.page.locator(".further summary").all_inner_texts() == [axis.label for axis in others]
    found.page.locator(".further summary", has_text="Read depth").click()
    found.page.locator("fieldset[aria-label='Read depth']").get_by_label("code").check()
    chosen = {e.key for e in pool.where([("read", "code")])}
    expect(found.page.locator(".matches")).to_contain_text(f"{len(chosen)} of {len(pool)} entries")
    expect(found.page.locator("tbody tr")).to_have_count(min(len(chosen), PER_PAGE))  # drawn in several frames
    assert set(rows(found)) <= chosen
    expect(found.page.locator(".facets > details[data-active] > summary")).to_have_text("More filters")
    found.clean()


def test_on_a_phone_the_filters_are_a_sheet(visit: Open, pool: Pool) -> None:
    found = visit("explore/", width=390)
    page = found.page
    expect(page.locator(".facets")).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    page.locator(".sheet summary", has_text="Credit unit").click()
    page.locator("fieldset[aria-label='Credit unit']").get_by_label("message").check()
    chosen = {e.key for e in pool.where([("credit", "message")])}
    page.get_by_role("button", name=f"Show {len(chosen)} entries").click()
    expect(page.locator(".sheet")).to_be_hidden()
    expect(page.locator("tbody tr")).to_have_count(len(chosen))  # drawn in several frames
    assert set(rows(found)) == chosen
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("dialog").get_by_role("button", name="Clear all").click()
    page.keyboard.press("Escape")
    expect(page.locator(".sheet")).to_be_hidden()
    expect(page.locator("tbody tr")).to_have_count(min(len(pool), PER_PAGE))
    page.set_viewport_size({"width": 1200, "height": 800})  # turned, or a larger window
    expect(page.locator(".facets")).to_be_visible()
    found.clean()


@pytest.mark.parametrize("path", ["gaps/", "gaps/reward-by-credit/"])
def test_on_a_phone_every_cell_of_a_map_is_as_large_as_a_finger(visit: Open, path: str) -> None:
    page = visit(path, width=390).page
    sides = page.eval_on_selector_all(
        "table.gapmap td a",
        "all => all.flatMap((a) => [a.getBoundingClientRect().width, a.getBoundingClientRect().height])",
    )
    assert len(sides) > 20
    assert min(sides) >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the map scrolls, the page does not"


@pytest.mark.parametrize("width", [800, 1100, 1440])
def test_the_head_of_the_table_stays(visit: Open, width: int) -> None:
    page = visit("explore/", width=width).page
    page.evaluate("window.scrollTo(0, 1200)")
    page.locator(".explorer .wide").evaluate("(box) => box.scrollTop = 600")
    page.wait_for_timeout(100)
    places = (".explorer thead th", "tbody tr", ".explorer .wide", ".md-header")
    head, row, box, header = (
        page.locator(place).first.evaluate("(e) => e.getBoundingClientRect()") for place in places
    )
    assert row["y"] < head["y"], "the first row has left the window"
    if width == 1440:
        assert head["y"] == pytest.approx(header["bottom"], abs=1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    else:
        assert head["y"] == pytest.approx(box["y"], abs=1)


def test_summaries_are_shown_on_demand_and_kept_in_the_address(visit: Open, pool: Pool) -> None:
    found = visit("explore/?credit=message")
    asked: list[str] = []
    found.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    reload(found.page)
    button = found.page.get_by_role("button", name="Show summaries")
    assert found.page.locator(".about").count() == asked.count("summaries.json") == 0
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(found.page.locator("#c3 .about")).to_have_text(pool["c3"].text("summary"))
    reload(found.page)
    expect(found.page.locator("#c3 .about")).to_be_visible()
    assert found.page.locator(".about").count() == len(rows(found))
    found.page.get_by_role("button", name="Remove Credit unit: message").click()  # rows that are drawn now have theirs
    expect(found.page.locator(".about")).to_have_count(min(len(pool), PER_PAGE))
    button.click()
    expect(found.page.locator("#c3 .about")).to_be_hidden()
    assert "summaries" not in found.page.url
    found.clean()


def test_no_column_of_the_printed_table_is_cut_off(visit: Open, pool: Pool) -> None:
    page = visit("explore/?summaries=shown", width=1440).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 with margins of 1 cm
    page.wait_for_timeout(300)
    heads = page.locator(".explorer thead th")
    assert heads.count() == 2 + len(pool.taxonomy.main)
    cells = page.eval_on_selector_all(
        ".explorer :is(th, td)",
        "all => all.flatMap((c) => [c.getBoundingClientRect().right, c.scrollWidth - c.clientWidth])",
    )
    assert max(cells[::2]) <= 718
    assert max(cells[1::2]) <= 1
    expect(page.locator(".explorer-tools")).to_be_hidden()


def test_on_a_phone_the_counts_stand_under_each_claim(visit: Open) -> None:
    page = visit("claims/", width=390).page
    row = page.locator("table.claims tbody tr").first
    claim, here = row.locator("th").bounding_box(), row.locator("td[data-of='here']").bounding_box()
    assert claim and here
    assert here["y"] >= claim["y"] + claim["height"] - 1
    assert here["x"] + here["width"] <= 390
    assert page.evaluate(
        "[...document.querySelectorAll('.wide:has(table.claims)')].every((box) => box.scrollWidth <= box.clientWidth)"
    )


def test_a_decision_can_be_filtered_by_how_and_whatever_the_how_in_one_step(visit: Open, pool: Pool) -> None:
    found = visit("explore/?decision=stop:+learned")
    assert set(rows(found)) == {e.key for e in pool.where([("decision", "stop:learned")])}
    found.page.get_by_role("button", name="Remove Orchestration decision: stop, learned").click()
    found.page.locator("summary", has_text="Orchestration decision").click()
    either = found.page.get_by_label("stop, learned or designed")
    stops = {e.key for e in pool.where([("decision", "stop")])}
    expect(either.locator("xpath=..").locator(".n")).to_have_text(str(len(stops)))
    either.check()
    expect(found.page.locator(".matches")).to_contain_text(f"{len(stops)} of {len(pool)} entries")
    expect(found.page.locator("tbody tr")).to_have_count(min(len(stops), PER_PAGE))  # drawn in several frames
    assert set(rows(found)) <= stops


def test_a_long_list_leads_to_all_of_its_works_in_the_table(visit: Open, pool: Pool) -> None:
    axis, value = next(
        (a.id, v)
        for a in pool.taxonomy.on("entry")
        for v in a.values
        if not a.qualifiers and len(pool.where([(a.id, v)])) > LISTED
    )
    works = pool.where([(axis, value)])
    found = visit(f"axes/{axis}/{value}/")
    expect(found.page.locator("ul.works").first.locator("li")).to_have_count(LISTED)
    found.page.get_by_role("link", name="All in the table of entries").click()
    expect(found.page.locator(".matches")).to_contain_text(f"{len(works)} of {len(pool)} entries")
    for shown in range(PER_PAGE, len(works), PER_PAGE):
        expect(found.page.locator("tbody tr")).to_have_count(shown)
        found.page.get_by_role("button", name=f"Show {min(PER_PAGE, len(works) - shown)} more").click()
    expect(found.page.locator("tbody tr")).to_have_count(len(works))  # they are drawn in several frames
    assert set(rows(found)) == {e.key for e in works}
    found.clean()


def test_counts_beside_values_say_what_choosing_them_would_show(visit: Open, pool: Pool) -> None:
    found = visit("explore/?category=rl-method")
    found.page.locator("summary", has_text="Reward family").click()
    label = found.page.locator("fieldset[aria-label='Reward family'] label", has_text="orchestration")
    expected = len(pool.where([("category", "rl-method"), ("reward", "orchestration")]))
    assert label.locator(".n").inner_text() == str(expected)


def test_nothing_matches_says_which_filter_to_drop(visit: Open, pool: Pool) -> None:
    found = visit("explore/?category=survey&reward=shared")
    assert rows(found) == []
    expect(found.page.locator(".matches")).to_contain_text("0 of")
    expect(found.page.locator(".matches")).to_contain_text("Without")
    found.page.get_by_role("button", name="Clear all").click()
    expect(found.page.locator("tbody tr")).to_have_count(min(len(pool), PER_PAGE))


def test_search_finds_by_title_author_and_tag(visit: Open, pool: Pool) -> None:
    found = visit("explore/")
    box = found.page.get_by_role("searchbox", name="Search titles, authors, tags")
    box.fill("counterfactual contextual")
    assert rows(found) == ["c3"]
    assert "text=counterfactual" in found.page.url
    box.fill("orchestration learned")
    assert rows(found)
    box.fill("stopping")
    assert rows(found), "other forms of a word are found"
    box.fill("when to stop")
    assert rows(found), "words that say nothing are left out"
    box.fill("DPO")
    for entry in pool.where([("algorithm", "preference")]):  # other names of a value are understood
        expect(found.page.locator(f"#{entry.key}")).to_be_visible()
    box.fill("magrpo")
    assert "magrpo" in rows(found), "a work is found by its key"


def test_columns_sort_up_and_down(visit: Open, pool: Pool) -> None:
    found = visit("explore/")
    shown = min(len(pool), PER_PAGE)
    year = found.page.get_by_role("button", name="Year")
    year.click()
    expect(found.page.locator("tbody tr")).to_have_count(shown)
    years = found.page.eval_on_selector_all("tbody td.number", "cells => cells.map(cell => Number(cell.textContent))")
    assert years == sorted(entry.year for entry in pool)[:shown]
    year.click()
    expect(found.page.locator("tbody tr")).to_have_count(shown)
    years = found.page.eval_on_selector_all("tbody td.number", "cells => cells.map(cell => Number(cell.textContent))")
    assert years == sorted((entry.year for entry in pool), reverse=True)[:shown]
    assert "sort=year&order=down" in found.page.url


@pytest.mark.parametrize("form", ["bib", "ris", "csv"])
def test_what_is_shown_is_what_is_exported(visit: Open, tmp_path: Path, form: str) -> None:
    found = visit("explore/?credit=message")
    with found.page.expect_download() as download:
        found.page.locator(f"[data-export={form}]").click()
    path = tmp_path / "x"
    download.value.save_as(path)
    text = path.read_text()
    shown = rows(found)
    assert download.value.suggested_filename == f"entries.{form}"
    if form == "bib":
        assert [block.key for block in parse_bibtex(text).blocks] == shown
    elif form == "ris":
        assert re.findall(r"(?m)^ID  - (.+)$", text) == shown
    else:
        assert [line.split(",")[0] for line in text.splitlines()] == ["key", *shown]
    found.clean()


def test_copying_gives_the_bibtex_of_the_entry(visit: Open) -> None:
    found = visit("entries/c3/")
    found.page.get_by_role("button", name="Copy BibTeX").click()
    expect(found.page.get_by_role("button", name="Copied")).to_be_visible()
    copied = found.page.evaluate("navigator.clipboard.readText()")
    assert [block.key for block in parse_bibtex(copied).blocks] == ["c3"]
    found.clean()


def test_evidence_is_one_act_away_and_works_by_keyboard(visit: Open, pool: Pool) -> None:
    found = visit("entries/c3/")
    place = found.page.locator("#credit")  # the parts of it have the same evidence
    evidence = place.get_by_text(pool["c3"].why("credit"))
    expect(evidence).to_be_hidden()
    place.locator("> summary").focus()
    found.page.keyboard.press("Enter")
    expect(evidence).to_be_visible()


# What has the focus, or the label by which a field is drawn: its name, whether it has a ring, whether
# it is seen, in the window and over everything else there.
FOCUSED = """() => {
    const field = document.activeElement, box = field.getBoundingClientRect();
    const node = box.width ? field : [...field.labels || [], field.nextElementSibling].find((label) => label?.getBoundingClientRect().width) || field;
    const style = getComputedStyle(node), first = node.getClientRects()[0];
    let shown = Boolean(first && first.width && first.height);
    for (let n = node; n; n = n.parentElement) shown &&= getComputedStyle(n).visibility === "visible" && Number(getComputedStyle(n).opacity) > 0.5;
    if (shown) {
        const within = (low, place, high) => Math.min(Math.max(place, low), high);
        const [x, y] = [within(0, first.x + first.width / 2, innerWidth - 1), within(0, first.y + Math.min(first.height, innerHeight) / 2, innerHeight - 1)];
        const top = document.elementFromPoint(x, y);
        shown = Boolean(top) && (node.contains(top) || top.contains(node) && top !== document.documentElement && top !== document.body);
    }
    return [field.className.baseVal ?? field.className, field.textContent.trim().slice(0, 30), style.outlineStyle !== "none" || style.boxShadow !== "none", shown];
}"""


@pytest.mark.parametrize(
    ("width", "scripts"), [(390, True), (1200, True), (1200, False)], ids=["phone", "wide", "no-scripts"]
)
@pytest.mark.parametrize("path", ["", "explore/", "measure/reward-by-credit/", "take-part/new-entry/"])
def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(
    visit: Open, path: str, width: int, scripts: bool
) -> None:
    found = visit(path, scripts=scripts, width=width)
    page = found.page
    page.emulate_media(reduced_motion="reduce")
    stops = []
    for _ in range(25):
        page.keyboard.press("Tab")
        if not page.evaluate(FOCUSED)[-1]:
            page.wait_for_timeout(500)  # the theme opens its search when the field has the focus
        stops.append(page.evaluate(FOCUSED))
    assert "md-skip" in stops[0][0]
    assert len({(name, text) for name, text, _, _ in stops}) > 10
    assert [stop for stop in stops if not (stop[2] and stop[3])] == []


def test_the_keyboard_opens_the_menu_of_a_narrow_window(visit: Open) -> None:
    page = visit("entries/c3/", width=390).page
    link = page.locator(".md-sidebar--primary").get_by_role("link", name="Glossary")
    expect(link).to_be_hidden()
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    expect(link).to_be_visible()
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press(" ")
    expect(link).to_be_hidden()


def test_a_chart_loads_its_runtime_only_when_turned_interactive_and_follows_the_palette(
    visit: Open, pool: Pool
) -> None:
    found = visit("axes/reward/")
    assert not found.page.evaluate("performance.getEntriesByType('resource').some(e => e.name.includes('vega'))")
    found.page.get_by_role("button", name="Make it interactive").click()
    expect(found.page.locator(".picture[data-live] svg")).to_be_visible()
    found.page.locator(".picture .mark-rect path").first.hover()
    expect(found.page.locator("#vg-tooltip-element")).to_contain_text(
        str(len(pool.where([("reward", "shared")], primary=True)))
    )
    expect(found.page.locator('.picture .mark-rect path[opacity="0.3"]').first).to_be_visible()
    ink = found.page.locator(".picture text").first.get_attribute("fill")
    found.page.locator("label[for=__palette_1], label[for=__palette_0]").locator("visible=true").click()
    expect(found.page.locator(".picture text").first).not_to_have_attribute("fill", ink or "")
    found.clean()


@pytest.mark.parametrize("path", ["", "take-part/adding-an-entry/", "take-part/new-entry/", "traces/"])
def test_the_repository_is_one_step_away_where_it_is_needed(visit: Open, path: str) -> None:
    found = visit(path)
    expect(found.page.locator("main").get_by_text(f"git clone {REPOSITORY}").first).to_be_visible()
    link = found.page.locator(".md-header").get_by_role("link", name="Repository")
    expect(link).to_have_attribute("href", REPOSITORY)
    found.clean()  # the theme would ask its host for stars


def test_instant_navigation_there_and_back_keeps_everything_working(visit: Open) -> None:
    found = visit("measure/screening/")
    found.page.evaluate("window.stayed = true")
    found.page.get_by_role("link", name="All records that are not included, with reasons").click()
    expect(found.page.locator("h1")).to_contain_text("Excluded records")
    found.page.locator(".md-tabs").get_by_role("link", name="Explore").click()
    expect(found.page.locator("h1")).to_contain_text("All entries")
    expect(found.page.locator(".facets details").first).to_be_visible()
    assert found.page.evaluate("window.stayed") is True
    found.page.go_back()
    expect(found.page.locator("h1")).to_contain_text("Excluded records")
    found.clean()


def test_the_picture_on_the_home_page_leads_to_the_values(visit: Open) -> None:
    found = visit("")
    found.page.locator(".atlas-wide a", has_text="hybrid").locator("circle").click()
    expect(found.page.locator("h1")).to_contain_text("hybrid")
    found.clean()


def test_the_index_of_the_search_is_asked_for_when_somebody_searches_and_once(visit: Open) -> None:
    found = visit()
    asked: list[str] = []
    found.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    reload(found.page)
    assert asked.count("survey.js") == 1
    assert asked.count("search_index.json") == 0
    found.page.keyboard.press("/")
    found.page.keyboard.type("counterfactual")
    expect(found.page.locator(".md-search-result__link").first).to_be_visible()
    found.page.locator(".md-search-result__link").first.click()
    found.page.locator(".md-search__input").click()
    found.page.locator(".md-search__input").fill("")
    found.page.locator(".md-search__input").press_sequentially("delegate")
    expect(found.page.locator(".md-search-result__link").first).to_contain_text("elegat")
    assert asked.count("search_index.json") == 1
    found.clean()


@pytest.mark.parametrize("query", ["Contextual Counterfactual", "Foerster", "orchestration hybrid"])
def test_search_finds_entries_by_title_author_and_tag(visit: Open, query: str) -> None:
    found = visit()
    found.page.locator(".md-search__input").click()
    found.page.locator(".md-search__input").press_sequentially(query)
    expect(found.page.locator(".md-search-result__link").first).to_be_visible()
    links = found.page.eval_on_selector_all(".md-search-result__link", "links => links.map(link => link.href)")
    assert any("/entries/" in link for link in links)


@pytest.mark.parametrize(
    "path", ["", "read/credit/", "explore/", "entries/c3/", "measure/reward-by-credit/", "glossary/"]
)
def test_everything_can_be_read_without_scripts(visit: Open, pool: Pool, path: str) -> None:
    found = visit(path, scripts=False)
    assert len(found.page.locator("main").inner_text()) > 400
    if path == "explore/":
        expect(found.page.locator(".explorer-tools")).to_be_hidden()
        read = rows(found)
        while (later := found.page.locator("a[rel=next]")).count():
            with found.page.expect_navigation():  # a click alone waits for no page
                later.first.click()
            read += rows(found)
        assert read == [entry.key for entry in pool], "the pages of the table have all entries between them"
    if path == "read/credit/":
        assert found.page.locator("math").count() > 5
        assert found.page.locator("figure.chart svg").count() >= 1


def test_a_chapter_prints_like_a_paper(visit: Open) -> None:
    found = visit("read/credit/")
    found.page.emulate_media(media="print")
    expect(found.page.locator(".md-header")).to_be_hidden()
    expect(found.page.locator("figure.chart svg").first).to_be_visible()
    assert len(found.page.pdf()) > 20_000


def test_nothing_moves_while_a_page_loads(visit: Open) -> None:
    found = visit("measure/")
    shift = found.page.evaluate(
        """() => new Promise(done => { let sum = 0;
        new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value; })
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(sum), 300); })"""
    )
    assert shift < 0.1


def test_an_entry_page_is_understood_by_machines(visit: Open, pool: Pool) -> None:
    found = visit("entries/coma2018/")
    data = json.loads(found.page.locator("script[type='application/ld+json']").inner_text())
    assert (data["@type"], data["name"]) == ("ScholarlyArticle", pool["coma2018"].title)
    assert [a["name"] for a in data["author"]] == [str(n) for n in pool["coma2018"].authors]
    assert found.page.locator("meta[property='og:title']").count() == 1
    assert "Counterfactual" in (found.page.locator("span.Z3988").get_attribute("title") or "")


def test_the_site_of_the_tests_is_the_one_that_is_published(site: Site) -> None:
    assert (site.folder / "data" / "pool.bib").is_file()
    assert (site.folder / "feed.atom").is_file()
