"""A reader's own .bib against the survey, in Chromium: given in every way, shown to everyone, sent nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from survey.literature import Pool, parse_bibtex
from survey.literature.export.bib import to_bib
from survey.literature.related import related
from tests.browser.conftest import Site, Visit, goto, reload, until, violations
from tests.browser.related.own_bib import BROKEN, PAGE, compare, linked, section

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]


@pytest.fixture
def opened(visit: Open) -> Visit:
    found = visit(PAGE)
    expect(found.page.locator("form.bring")).to_be_visible()
    return found


# ------------------------------------------------------------- what is covered


def test_values_and_cells_are_counted_as_the_survey_counts_them(opened: Visit, pool: Pool) -> None:
    mine = pool.where([("reward", "shared")])
    compare(opened, to_bib(mine))
    rows = opened.page.locator("dl.values dd")
    main = [axis for axis in pool.taxonomy.on("entry") if axis.main]
    for n, axis in enumerate(main):
        shown = rows.nth(n).locator("a").all_inner_texts()
        for value in axis.values.values() if not axis.qualifiers else []:
            have, all_ = len(mine.where([(axis.id, value.id)])), len(pool.where([(axis.id, value.id)]))
            assert (f"{value.label} {have} of {all_}" if all_ else f"{value.label} none in the pool") in shown
    opened.page.get_by_label("Rows").select_option(label=pool.taxonomy["credit"].label)
    opened.page.get_by_label("Columns").select_option(label=pool.taxonomy["reward"].label)
    both = related(pool, [("credit", "agent"), ("reward", "shared")], primary=True).entries
    own = related(mine, [("credit", "agent"), ("reward", "shared")], primary=True).entries
    cell = opened.page.locator("table.pair a[href$='measure/credit-by-reward/#agent--shared']")
    expect(cell).to_have_text(f"{len(own)} of {len(both)}")
    opened.page.get_by_label("Rows").select_option(label=pool.taxonomy["reward"].label)
    expect(opened.page.locator(".findings")).to_contain_text("Choose two different axes.")
    opened.clean()


def test_what_is_missed_can_be_taken_as_bibtex_and_then_nothing_is_missed(opened: Visit, tmp_path: Path, pool: Pool) -> None:  # fmt: skip
    mine = to_bib(pool.keep(["c3", "coma2018"]))
    compare(opened, mine)
    proposed = linked(opened.page, "What you miss")[: opened.page.locator(".findings .path > li").count()]
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name=f"These {len(proposed)} as BibTeX").click()
    download.value.save_as(tmp_path / "missed.bib")
    text = (tmp_path / "missed.bib").read_text()
    assert download.value.suggested_filename == "missed.bib"
    assert text.startswith(f"% {pool.stamp}")
    assert [block.key for block in parse_bibtex(text).blocks] == proposed
    compare(opened, f"{mine}\n{text}")
    assert "Nothing: your list has every value" in section(opened.page, "What you miss")
    opened.clean()


def test_what_is_matched_can_be_taken_as_the_survey_cites_it(opened: Visit, tmp_path: Path) -> None:
    compare(opened, "@misc{a, eprint = {1705.08926}}\n@misc{b, doi = {10.1609/aaai.v32i1.11794}}")
    assert "1 entry of the survey, 1 of them listed more than once" in section(opened.page, "What you have")
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="These as the survey cites them").click()
    download.value.save_as(tmp_path / "x.bib")
    assert [block.key for block in parse_bibtex((tmp_path / "x.bib").read_text()).blocks] == ["coma2018"]


def test_what_the_survey_lacks_comes_with_a_command_that_is_safe_to_run(opened: Visit) -> None:
    compare(opened, "@misc{vaswani, title = {Attention Is All You Need}, eprint = {1706.03762v7}}\n"
                    "@misc{$(rm -rf ~); 1é:x/2, title = {Nasty}}\n@misc{, title = {Keyless}}")  # fmt: skip
    commands = opened.page.locator(".findings pre code").evaluate("code => code.textContent").splitlines()
    assert commands == [
        "survey new 1706.03762 >> bib/pool.bib", "survey new rm-rf1e:x/2 >> bib/pool.bib", "survey new KEY >> bib/pool.bib",
    ]  # fmt: skip
    opened.page.locator("summary", has_text="Commands to add them").click()
    opened.page.get_by_role("button", name="Copy the commands").click()
    expect(opened.page.get_by_role("button", name="Copied")).to_be_visible()
    assert opened.page.evaluate("navigator.clipboard.readText()").splitlines() == commands
    assert opened.page.locator(".findings a[href$='adding-an-entry/']").count() == 1


# ------------------------------------------------------------- how it is given


def test_files_are_chosen_several_at_a_time_and_in_any_common_encoding(opened: Visit, tmp_path: Path) -> None:
    (tmp_path / "one.bib").write_text("@misc{x, title = {Grégoire}}", encoding="utf-8")
    (tmp_path / "two.bib").write_bytes("\n@misc{y, title = {Grégoire twice}}".encode("latin-1"))
    (tmp_path / "three.bib").write_text("@misc{z, eprint = {1705.08926}}", encoding="utf-16")
    opened.page.get_by_label("One or more .bib files").set_input_files([tmp_path / f"{n}.bib" for n in ("one", "two", "three")])  # fmt: skip
    expect(opened.page.locator("[role=status]")).to_contain_text("Of 3 works in your list, the survey has 1")
    told = section(opened.page, "What the survey lacks")
    assert "Grégoirex, one.bib line 1" in told
    assert "Grégoire twicey, two.bib line 2" in told
    opened.clean()


def test_a_file_can_be_dropped_where_the_page_says_so(opened: Visit) -> None:
    opened.page.locator(".drop").evaluate(
        """zone => { const data = new DataTransfer();
        data.items.add(new File(["@misc{x, eprint = {1705.08926}}"], "mine.bib"));
        for (const type of ["dragenter", "dragover", "drop"])
          zone.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })); }"""
    )
    expect(opened.page.locator("[role=status]")).to_contain_text("the survey has 1 among")
    assert "over" not in (opened.page.locator(".drop").get_attribute("class") or "")
    opened.clean()


def test_all_of_it_works_by_keyboard_and_clears_again(opened: Visit) -> None:
    opened.page.get_by_label("One or more .bib files").focus()
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.id") == "bib-text"
    opened.page.keyboard.insert_text("@misc{x, eprint = {1705.08926}}")
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Enter")
    expect(opened.page.locator("[role=status]")).to_contain_text("the survey has 1 among")
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Space")
    expect(opened.page.locator("[role=status]")).to_have_text("")
    assert opened.page.locator(".findings").inner_text() == ""
    assert opened.page.get_by_label("or paste BibTeX").input_value() == ""


def test_nothing_is_asked_of_the_network_once_the_page_is_there(opened: Visit, pool: Pool) -> None:
    asked: list[str] = []
    opened.page.on("request", lambda request: asked.append(request.url))
    opened.page.context.set_offline(True)
    compare(opened, f"{to_bib(pool.keep(['c3']))}\n@misc{{x, title = {{Other, by Šćepanović and Nguyễn, on τ}}}}")
    with opened.page.expect_download():
        opened.page.get_by_role("button", name=re.compile("These .* as BibTeX")).click()
    assert [url for url in asked if not url.startswith("blob:")] == []
    opened.clean()


def test_it_works_after_coming_by_a_link_and_coming_back(visit: Open) -> None:
    found = visit("take-part/citing/")
    found.page.evaluate("window.stayed = true")
    for _ in range(2):
        found.page.locator(f".md-nav--primary a[href*='{PAGE.split('/')[1]}'], .md-tabs a").last.evaluate(
            "a => a.blur()"
        )
        found.page.evaluate(f"document.querySelector(\"a[href*='{PAGE.split('/')[1]}']\").click()")
        expect(found.page.locator("form.bring")).to_be_visible()
        assert "the survey has 1 among" in compare(found, "@misc{x, eprint = {1705.08926}}")
        found.page.go_back()
        expect(found.page.locator("h1")).to_contain_text("Citing")
    assert found.page.evaluate("window.stayed") is True
    found.clean()


# ------------------------------------------------------------- for everyone


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_findings_are_accessible_and_fit(visit: Open, pool: Pool, width: int, scheme: str) -> None:
    found = visit(PAGE, width, scheme)
    expect(found.page.locator("form.bring")).to_be_visible()
    compare(found, f"{to_bib(pool.keep(['c3', 'coma2018']))}\n{BROKEN}\n@misc{{e, title = {{{pool.records[0].text('title')}}}}}")  # fmt: skip
    found.page.evaluate("document.querySelectorAll('.findings details').forEach(part => { part.open = true; })")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(found.page) == []
    found.clean()


def test_without_scripts_the_page_says_what_it_would_do_and_names_the_command(visit: Open) -> None:
    found = visit(PAGE, scripts=False)
    expect(found.page.locator("form.bring")).to_be_hidden()
    expect(found.page.get_by_text("Reading your file needs JavaScript")).to_be_visible()
    expect(found.page.locator("code", has_text="survey related --where AXIS=VALUE")).to_be_visible()
    assert found.page.locator("ol.path > li").count() > 5


def test_it_works_under_a_strict_content_security_policy(opened: Visit, site: Site) -> None:
    """The theme has scripts of its own in the page; the tool needs none, nor any style that is written in it."""
    tool = opened.page.content()
    page = f"<!doctype html><meta charset=utf-8><title>x</title>{re.search(r'(?s)<div class=.related. .*?</script>', tool)[0]}"  # type: ignore[index]
    page = page.replace(' data-ready=""', "").replace('<form class="bring">', '<form class="bring" hidden>')
    page = page.replace('<div class="findings">', "<p data-without></p>" + '<div class="findings">')
    policy = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

    def strictly(route: Route) -> None:
        route.fulfill(body=page, content_type="text/html", headers={"Content-Security-Policy": policy})

    opened.page.route("**/take-part/strict/", strictly)
    goto(opened.page, f"{site.url}take-part/strict/")
    assert "the survey has 1 among" in compare(opened, "@misc{x, eprint = {1705.08926}}")
    assert [error for error in opened.errors if "favicon" not in error] == []


def test_if_the_list_of_the_survey_does_not_come_the_page_says_so(opened: Visit) -> None:
    opened.page.route("**/works.json", lambda route: route.fulfill(status=503))
    reload(opened.page)
    expect(opened.page.locator("[role=status]")).to_contain_text("could not be loaded")
    expect(opened.page.locator("form.bring")).to_be_hidden()


def test_the_data_of_the_page_is_light(site: Site, pool: Pool) -> None:
    data = (site.folder / "related" / "works.json").read_text()
    assert len(json.loads(data)["entries"]) == len(pool)
    assert len(data) < 2500 * (len(pool) + len(pool.records) + len(pool.background))


def test_a_value_and_a_cell_can_be_cited_by_what_is_copied(visit: Open, pool: Pool) -> None:
    found = visit("axes/reward/hybrid/")
    about = related(pool, [("reward", "hybrid")])
    found.page.locator("summary", has_text="Draft paragraph").click()
    expect(found.page.get_by_text(about.notice)).to_be_visible()
    for button, text in (
        ("Copy the sentence", about.sentence),
        ("Copy as LaTeX", about.paragraph("latex")),
        ("Copy as Markdown", about.paragraph("markdown")),
    ):
        found.page.get_by_role("button", name=button).click()
        expect(found.page.get_by_role("button", name="Copied").first).to_be_visible()
        assert found.page.evaluate("navigator.clipboard.readText()") == f"{text}\n"
    cell = related(pool, [("reward", "shared"), ("credit", "agent")], primary=True)
    found.page.goto(found.page.url.replace("axes/reward/hybrid/", "measure/credit-by-reward/#agent--shared"))
    line = found.page.locator("#agent--shared")
    expect(line.get_by_role("link", name="BibTeX")).to_be_visible()
    until(found.page, "!!document.querySelector('#agent--shared [data-cite]')?.onclick")
    line.get_by_role("button", name="Cite").click()
    expect(line.get_by_role("button", name="Copied")).to_be_visible()
    assert found.page.evaluate("navigator.clipboard.readText()") == f"{cell.sentence}\n"
    found.clean()
