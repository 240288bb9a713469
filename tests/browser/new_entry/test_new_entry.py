"""The form for a new entry in Chromium: what it gives is what `survey check` accepts, and what it says is what that says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from playwright.sync_api import Route, expect

from survey.cli import main
from survey.literature import Pool, parse_bibtex
from survey.literature.bibtex import Field, check_field, write_bibtex
from survey.literature.bibtex.latex import to_unicode
from survey.literature.pool.tags import format_tags
from survey.site.facts import Facts
from survey.site.pages.new_entry.builder import new_entry_pages
from tests.browser.conftest import Site, Visit, goto, reload, violations
from tests.browser.new_entry.form import PAGE, bibtex, empty, following, put, told, written
from tests.conftest import ROOT

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def opened(visit: Open) -> Visit:
    found = visit(PAGE)
    expect(found.page.locator("[data-new-entry] form")).to_be_visible()
    return found


# ------------------------------------------------------------------- the proof


def test_a_work_typed_by_keyboard_and_mouse_is_accepted_by_survey_check(opened: Visit, tmp_path: Path, pool: Pool) -> None:  # fmt: skip
    page = opened.page
    page.get_by_label("Title").focus()
    keys = page.keyboard
    keys.type("{LLM} Teams & Their 100% Quiet_Zebras")
    keys.press("Tab")
    keys.type("Grégoire, Zoë\nvan der Zebra, Jan\n{Quiet Zebras}")
    keys.press("Tab")
    keys.type("2605.98765")
    keys.press("Tab")
    keys.type("quietzebras2026")
    assert page.get_by_label("Year", exact=True).input_value() == "2026"
    assert page.get_by_label("Month").input_value() == "may"
    keys.press("Tab")
    keys.type("inproc")  # a list is chosen from by typing
    for _ in range(3):
        keys.press("Tab")
    keys.type("Proceedings of Zebras")
    expect(page.get_by_label("Book or proceedings")).to_have_value("Proceedings of Zebras")
    page.get_by_label("Code", exact=True).fill("https://example.org/zebras")
    page.get_by_label("Version", exact=True).fill("1")
    for axis in pool.taxonomy.on("entry"):
        group = page.locator(f"[data-axis={axis.id}]")
        word = "na" if axis.id == "measures" else next(iter(axis.values))
        if axis.steps:
            assert group.count() == 0  # it follows: nobody is asked
        elif axis.shape == "quantity":
            group.get_by_label("agents", exact=True).fill("12")
        elif axis.qualifiers:
            group.get_by_role("radiogroup").first.get_by_label("learned").focus()
            keys.press("Space")
        elif axis.shape == "one":
            group.locator(f"input[value={word}]").click()
        else:
            group.locator(f"input[value={word}]").focus()
            keys.press("Space")
        if axis.evidence and word != "na":
            page.locator(f"#f-{axis.why}").fill(f"Section 2 says so of {axis.id}.\nIt is plain; 100% & more_so.")
    first = {"reward": "shared", "credit": "team", "credit-explicit": "yes", "credit-counterfactual": "yes"}
    assert following(page) == first  # from the first value of each part
    page.get_by_label("Summary").fill("Trains zebras to be quiet.")
    page.get_by_label("Sources").fill("https://arxiv.org/abs/2605.98765\nhttps://example.org/zebras")
    page.get_by_label("Added").fill("2026-11-24")
    expect(page.locator("[data-status]")).to_have_text("Nothing is missing or wrong: survey check will accept it.")
    expect(page.locator("[data-missing]")).to_be_hidden()
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("[data-said]")).to_have_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download .bib").click()
    download.value.save_as(tmp_path / "mine.bib")
    assert download.value.suggested_filename == "quietzebras2026.bib"
    assert (tmp_path / "mine.bib").read_text() == text == bibtex(page)
    entry = parse_bibtex(text).blocks[0]
    assert entry.text("title") == r"{LLM} Teams \& Their 100\% Quiet\_Zebras"
    assert entry.text("author") == r"Gr{\'e}goire, Zo{\"e} and van der Zebra, Jan and {Quiet Zebras}"
    assert entry.text("why-category") == "Section 2 says so of category. It is plain; 100% & more_so."
    assert entry.text("why-reward") == "Section 2 says so of reward. It is plain; 100% & more_so."
    assert {axis.field for axis in pool.taxonomy.on("entry") if axis.steps}.isdisjoint(entry.fields)
    assert write_bibtex([entry]) == text
    accepted(text, tmp_path)
    opened.clean()


def accepted(text: str, folder: Path) -> None:
    """Fail unless the command finds no problem in a copy of the pool with this text at its end."""
    bib = shutil.copytree(ROOT / "bib", folder / "bib")
    with (bib / "pool.bib").open("a") as file:
        file.write(f"\n{text}")
    result = CliRunner().invoke(main, ["--bib", str(bib), "check"])
    assert result.exit_code == 0, result.output
    assert "no problems" in result.output


def test_every_entry_of_the_pool_typed_into_the_form_comes_out_as_it_stands(opened: Visit, pool: Pool) -> None:
    derived = [axis.id for axis in pool.taxonomy.on("entry") if axis.steps]
    assert following(opened.page) == dict.fromkeys(derived, "nothing yet")
    different = []
    for entry in pool:
        follows = {axis: format_tags(entry.tags[axis]) for axis in derived}
        if written(opened.page, entry.block, pool.taxonomy) != (write_bibtex([entry.block]), follows):
            different.append(entry.key)
    assert different == []
    opened.clean()


@pytest.mark.parametrize("key", ["gaia2023", "c3"])
def test_an_entry_typed_as_it_is_read_comes_out_with_the_latex_of_the_pool(opened: Visit, pool: Pool, key: str) -> None:
    entry = pool[key] if key in pool else next(e for e in pool if "{\\'e}" in e.text("author"))
    read = {"author": "\n".join(name.sorted for name in entry.authors)}
    put(opened.page, entry.block, pool.taxonomy, {f"f-{name}": text for name, text in read.items()})
    assert parse_bibtex(bibtex(opened.page)).blocks[0].text("author") == entry.text("author")


@pytest.mark.parametrize("text", [
    "50% & more #1_b", "Grégoire Ångström Ødegård Łukasz", "Façade: ñ ü ö ć š ő ễ Đ ß æ", "naïve ĩ ǐ í", "Pages 1–20—more",
    "τ and ε ± π × 2 → ∞", "a^b c$d", "“Quoted” … ®", "强化学习",
])  # fmt: skip
def test_text_is_written_as_latex_that_shows_the_same(opened: Visit, text: str) -> None:
    opened.page.get_by_label("Title").fill(text)
    written = parse_bibtex(bibtex(opened.page)).blocks[0].text("title")
    assert to_unicode(written) == text
    assert list(check_field("title", written)) == []
    assert written.isascii() or text == "强化学习"


def test_an_accented_i_is_written_as_other_programs_read_it(opened: Visit, program: Run, tmp_path: Path) -> None:
    opened.page.get_by_label("Title").fill("í ì î ï")
    title = parse_bibtex(bibtex(opened.page)).blocks[0].text("title")
    (tmp_path / "typed.bib").write_text(f"@misc{{typed, title = {{{title}}}}}")
    read = program("pandoc", "-f", "bibtex", "-t", "csljson", "typed.bib", cwd=tmp_path)
    assert json.loads(read.stdout)[0]["title"] == "í ì î ï"


# ------------------------------------------------------------------ duplicates


def test_a_work_that_is_there_is_suspected_while_it_is_typed(opened: Visit, pool: Pool) -> None:
    near = opened.page.locator("[data-near]")
    entry = pool["coma2018"]
    for field, text in (("DOI", entry.text("doi")), ("arXiv id", entry.text("eprint")), ("Title", entry.title.upper())):
        opened.page.get_by_label(field).fill(text)
        expect(near).to_contain_text("The survey has this work already:")
        expect(near.get_by_role("link").first).to_have_attribute("href", re.compile("entries/coma2018/$"))
        opened.page.get_by_label(field).fill("")
        expect(near).to_have_text("")
    opened.page.get_by_label("Title").fill("Counterfactual Policy Gradients for Several Agents")
    expect(near).to_contain_text("a similar work")
    expect(near.get_by_role("link", name=entry.title)).to_be_visible()
    assert near.get_by_role("link").count() <= 3
    opened.page.get_by_label("Title").fill("Zebras Quietly Juggling Porcelain")
    expect(near).to_have_text("")
    record = pool.records[0]
    opened.page.get_by_label("Title").fill(record.title)
    expect(near).to_contain_text("Screened and excluded:")
    opened.clean()


# --------------------------------------------------------- what a reader can do


def test_the_first_value_that_is_ticked_is_the_primary_one_until_another_is_made_so(opened: Visit) -> None:
    paid = opened.page.locator("[data-axis=reward-for]")
    for label in ("process", "outcome"):
        paid.get_by_label(label, exact=False).first.check()
    assert "{process; outcome}" in bibtex(opened.page)
    paid.get_by_role("button", name="make first: outcome").click()
    assert "{outcome; process}" in bibtex(opened.page)
    paid.locator("input[value=outcome]").uncheck()
    assert "{process}" in bibtex(opened.page)


def test_what_follows_changes_with_every_answer_and_is_not_written(opened: Visit) -> None:
    page = opened.page

    def shown() -> tuple[str, str, str, str]:
        now = following(page)
        return now["reward"], now["credit"], now["credit-explicit"], now["credit-counterfactual"]

    page.locator("#f-tag-reward-for--process").check()
    assert shown() == ("process", "nothing yet", "nothing yet", "nothing yet")
    page.locator("#f-tag-reward-payee--agent").check()
    assert shown()[0] == "individual; process"  # in the order of the steps, not of the answers
    page.locator("#f-tag-reward-payee--team").check()
    assert shown()[0] == "hybrid; individual; process"
    page.locator("#f-tag-reward-payee--agent").uncheck()
    page.locator("#f-tag-reward-for--unknown").check()
    assert shown()[0] == "process; unknown"
    page.locator("#f-tag-credit-grain--run").check()
    page.locator("#f-tag-credit-holder--role").check()
    page.locator("#f-tag-credit-method--relative").check()
    assert shown()[1:] == ("role", "yes", "no")
    page.locator("#f-tag-credit-grain--message").check()
    assert shown()[1:] == ("message; role", "yes", "no")
    page.locator("#f-tag-credit-method--unknown").check()
    assert shown()[1:] == ("message; role", "unknown", "unknown")
    fields = parse_bibtex(bibtex(page)).blocks[0].fields
    assert {name for name in fields if name.startswith(("tag-", "why-"))} == {
        "tag-reward-payee", "tag-reward-for", "tag-credit-holder", "tag-credit-grain", "tag-credit-method",
    }  # fmt: skip
    empty(page)
    assert set(following(page).values()) == {"nothing yet"}
    opened.clean()


def test_the_meaning_of_every_value_is_one_act_away(opened: Visit, pool: Pool) -> None:
    group = opened.page.locator("[data-axis=credit-grain]")
    value = pool.taxonomy["credit-grain"].values["message"]
    expect(group.get_by_text(value.definition)).to_be_hidden()
    group.get_by_role("button", name="What each value means").click()
    expect(group.get_by_text(value.definition)).to_be_visible()
    expect(group.get_by_text(value.rule)).to_be_visible()


def test_what_was_typed_outlives_a_reload_until_the_form_is_cleared(opened: Visit, pool: Pool) -> None:
    page = opened.page
    put(page, pool["magrpo"].block, pool.taxonomy)
    before = bibtex(page)
    reload(page)
    assert bibtex(page) == before
    empty(page)
    assert parse_bibtex(bibtex(page)).blocks[0].fields.keys() == {"added"}
    page.get_by_role("button", name="Undo").click()
    assert bibtex(page) == before
    empty(page)
    reload(page)
    assert parse_bibtex(bibtex(page)).blocks[0].fields.keys() == {"added"}
    opened.clean()


def test_nothing_is_asked_of_the_network_once_the_page_is_there(opened: Visit, pool: Pool) -> None:
    asked: list[str] = []
    opened.page.on("request", lambda request: asked.append(request.url))
    opened.page.context.set_offline(True)
    put(opened.page, pool["c3"].block, pool.taxonomy)
    told(opened.page)
    with opened.page.expect_download():
        opened.page.get_by_role("button", name="Download .bib").click()
    assert [url for url in asked if not url.startswith("blob:")] == []
    opened.clean()


def test_it_works_after_coming_by_a_link_and_coming_back(visit: Open) -> None:
    found = visit(PAGE)
    found.page.get_by_label("Title").fill("Zebras")
    found.page.evaluate("window.stayed = true")
    for _ in range(2):
        found.page.locator("a.md-logo").first.click()
        expect(found.page.locator("[data-new-entry]")).to_have_count(0)
        found.page.go_back()
        expect(found.page.locator("[data-new-entry] form")).to_be_visible()
        assert "title = {Zebras}" in bibtex(found.page)
    assert found.page.evaluate("window.stayed") is True
    found.clean()


# ------------------------------------------------------------------ for everyone


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_form_is_accessible_and_fits(visit: Open, pool: Pool, width: int, scheme: str) -> None:
    found = visit(PAGE, width, scheme)
    block = pool["coma2018"].block
    short = replace(block, fields=MappingProxyType({**block.fields, "doi": Field("abc", 1)}))
    put(found.page, short, pool.taxonomy)
    assert told(found.page)
    for button in found.page.locator("[data-meanings]").all()[:4]:
        button.click()
    found.page.evaluate("document.querySelectorAll('.new-entry details').forEach(part => { part.open = true; })")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(found.page) == []
    found.clean()


def test_without_scripts_the_page_names_the_command_and_the_vocabulary(visit: Open, pool: Pool) -> None:
    found = visit(PAGE, scripts=False)
    expect(found.page.locator("[data-new-entry] form")).to_be_hidden()
    expect(found.page.locator("code", has_text="survey new 1706.03762 >> bib/pool.bib")).to_be_visible()
    assert found.page.locator("[data-without] li a").count() == len(pool.taxonomy.on("entry"))


def test_if_the_list_of_the_survey_does_not_come_the_form_still_works_and_says_so(opened: Visit) -> None:
    opened.page.route("**/works.json", lambda route: route.fulfill(status=503))
    reload(opened.page)
    expect(opened.page.locator("[data-said]")).to_contain_text("could not be loaded")
    opened.page.get_by_label("Title").fill("Zebras")
    assert "{Zebras}" in bibtex(opened.page)


def test_it_works_under_a_strict_policy_and_opens_an_issue_or_the_file(opened: Visit, site: Site, pool: Pool) -> None:  # fmt: skip
    """The theme has scripts of its own in the page; the form needs none, nor any style that is written in it."""
    known = Facts(pool, issues="https://example.org/issues/new", repository="https://example.org")
    made = dict(new_entry_pages(known))["take-part/new-entry.md"]
    form = made[made.index('<div class="new-entry"') :]
    page = f"<!doctype html><meta charset=utf-8><title>x</title>{form}"
    policy = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; style-src-attr 'unsafe-inline'"

    def strictly(route: Route) -> None:
        route.fulfill(body=page, content_type="text/html", headers={"Content-Security-Policy": policy})

    opened.page.route("**/take-part/strict/", strictly)
    goto(opened.page, f"{site.url}take-part/strict/")
    opened.page.get_by_label("Title").fill("Zebras & Co")
    link = opened.page.locator("[data-issue]")
    href = link.get_attribute("href") or ""
    assert href.startswith("https://example.org/issues/new?title=New%20entry%3A%20a%20work&body=")
    assert "%7BZebras%20%5C%26%20Co%7D" in href
    opened.page.get_by_label("Summary").fill("long " * 2000)
    href = link.get_attribute("href") or ""
    assert len(href) < 1000
    assert "Paste%20the%20BibTeX%20here" in href
    link.evaluate("link => link.addEventListener('click', event => event.preventDefault())")
    link.click()
    expect(opened.page.locator("[data-said]")).to_contain_text("Copied, to be pasted into the issue.")
    assert opened.page.evaluate("navigator.clipboard.readText()") == bibtex(opened.page)
    opened.page.get_by_label("Summary").fill("short")
    pull = opened.page.locator("[data-pull]")
    assert pull.get_attribute("href") == "https://example.org/edit/HEAD/bib/pool.bib"
    pull.evaluate("link => link.addEventListener('click', event => event.preventDefault())")
    pull.click()
    expect(opened.page.locator("[data-said]")).to_contain_text("Copied: paste it at the end of the file")
    assert opened.page.evaluate("navigator.clipboard.readText()") == bibtex(opened.page)
    assert [error for error in opened.errors if "favicon" not in error] == []
