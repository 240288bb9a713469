"""A site made of text that attacks, page by page in Chromium: nothing runs, nothing is asked for, all of it is shown.

The policy of the site is switched off here: the pages must be harmless by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Browser, Dialog, Page, expect

from survey.literature import Pool, load
from tests.browser.conftest import FILTERS_ANSWER, Site, served, until
from tests.browser.test_policy import RUNS_ON_ITS_OWN
from tests.conftest import ROOT
from tests.site.hostile import FORMULAS, HOST, attack, write_hostile

pytestmark = pytest.mark.programs

WATCH = """window.__attacked = [];
window.attacked = (how) => __attacked.push(String(how));
for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = () => __attacked.push(name);"""
"""Runs before anything of the page: whatever an attack calls leaves a trace."""

ACTIVE = r"""() => [...document.querySelectorAll("*")].flatMap((element) => [
  ...[...element.attributes].filter(({ name, value }) => /^on/i.test(name) || (/^(href|xlink:href|src|action|formaction|data|srcdoc)$/i.test(name) && /^\s*(javascript|data|vbscript):/i.test(value))).map(({ name, value }) => `<${element.tagName}> ${name}=${value.slice(0, 60)}`),
  ...(/^(IFRAME|FRAME|OBJECT|EMBED|BASE|STYLE|IMG)$/i.test(element.tagName) && !element.matches('iframe[sandbox="allow-scripts"][src$="/report-frame.html"]') ? [`<${element.tagName}>`] : []),
])"""
"""Every element of the page that could act, ask for something, or lead to what acts; but for the empty frame for
reports, which has no right of the site."""


class Watched:
    """A page in the browser, and all that happened on it that must not."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.events: list[str] = []
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.events.append(f"error {error}"))
        page.on("console", lambda said: self.events.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith((url, "blob:", "data:")) else self.events.append(f"request {asked.url}"))  # fmt: skip

    def _dialog(self, dialog: Dialog) -> None:
        self.events.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def open(self, path: str, until: str = "networkidle") -> Page:
        self.page.goto(self.url + path, wait_until="load")
        if until != "load":
            self.page.wait_for_load_state("networkidle")
        return self.page

    def happened(self) -> list[str]:
        """What happened since the last call, and what on the page could still happen."""
        found = [*self.events, *self.page.evaluate("window.__attacked"), *self.page.evaluate(ACTIVE)]
        self.events.clear()
        return found


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    bib = write_hostile(folder)
    (folder / "site").mkdir()
    with served(folder / "site") as url:
        plugins = ["search", {"survey": {"bib": str(bib), "issues": f"{HOST}/issues/new"}}]
        places = {
            "docs_dir": str(folder / "docs"),
            "site_dir": str(folder / "site"),
            "site_url": url,
            "repo_url": f"{HOST}/survey",
        }
        build(load_config(str(ROOT / "mkdocs.yml"), nav=[{"Home": "index.md"}], not_in_nav="*", plugins=plugins, **places))  # fmt: skip
        yield Site(folder / "site", url)


@pytest.fixture(scope="module")
def pool(hostile: Site) -> Pool:
    return load(hostile.folder.parent / "bib")


@pytest.fixture
def watched(hostile: Site, chromium: Browser) -> Iterator[Watched]:
    """A page on which, in the end, nothing happened."""
    context = chromium.new_context(bypass_csp=True, viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    found = Watched(context.new_page(), hostile.url)
    yield found
    happened = found.happened()
    context.close()
    assert happened == []


def test_nothing_runs_on_any_page_and_nothing_is_asked_for(watched: Watched, hostile: Site) -> None:
    happened = {}
    paths = sorted(path.relative_to(hostile.folder).as_posix() for path in hostile.folder.rglob("*.html"))
    assert len(paths) > 70
    for path in paths:
        if path not in RUNS_ON_ITS_OWN:
            watched.open(path.removesuffix("index.html"), until="load")
            happened[path] = watched.happened()
    assert {path: found for path, found in happened.items() if found} == {}


# ------------------------------------------------- what the scripts of pages draw


def test_nothing_runs_when_the_explorer_filters_sorts_and_draws(watched: Watched, pool: Pool) -> None:
    page = watched.open("explore/")
    until(page, FILTERS_ANSWER)
    page.locator(".facets summary").first.click()
    page.locator(".facets details").first.get_by_role("checkbox").first.check()
    expect(page.locator(".chosen button").first).to_contain_text(attack("shareden"))
    page.get_by_role("searchbox").fill("title4")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr a")).to_have_text(attack("title4", FORMULAS[4]))
    page.get_by_role("searchbox").fill("nothing of the kind")
    expect(page.locator(".matches")).to_contain_text("Without")


def test_nothing_runs_in_the_results_of_the_search(watched: Watched) -> None:
    page = watched.open("")
    page.keyboard.press("/")
    page.keyboard.type("title2")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    expect(page.locator(".md-search-result__item").first).to_contain_text("title2")


@pytest.mark.parametrize("path", ["axes/reward/", "measure/reward-by-credit/", "measure/scale/"])
def test_nothing_runs_in_an_interactive_chart(watched: Watched, path: str) -> None:
    page = watched.open(path)
    page.get_by_role("button", name="Make it interactive").first.click()
    expect(page.locator("[data-live] svg").first).to_be_visible()
    for mark in page.locator("[data-live] svg").first.locator("[class*=mark-] path, [class*=mark-] text").all()[:6]:
        mark.dispatch_event("pointerover")
        mark.dispatch_event("mousemove")


def test_nothing_runs_when_a_list_is_compared(watched: Watched) -> None:
    page = watched.open("take-part/related-work/")
    own = "@misc{own<b>, title = {" + attack("own").replace("{", "").replace("}", "") + "}}\n"
    page.get_by_label("or paste BibTeX").fill(own + f"@misc{{y, title = {{{attack('title3', FORMULAS[3])}}}}}")
    page.get_by_role("button", name="Compare what is pasted").click()
    expect(page.locator("[role=status]")).to_contain_text("Of 2 works")


def test_nothing_runs_when_one_page_is_swapped_for_another(watched: Watched) -> None:
    page = watched.open("axes/")
    page.evaluate("window.same = true")
    page.locator("main .terms a").first.click()
    expect(page.locator("h1")).to_contain_text("rewarden")
    page.locator("main a[href*='shared']").last.click()
    expect(page.locator("h1")).to_contain_text("shareden")
    assert page.evaluate("window.same")


# ------------------------------------------------------------ shown as it is written

SHOWN: dict[str, tuple[str, str, Callable[[Pool], str]]] = {
    "title": ("entries/hostile0/", "h1", lambda pool: pool["hostile0"].title),
    "summary": ("entries/hostile1/", ".summary", lambda _: attack("summary1", FORMULAS[1])),
    "evidence": ("entries/hostile2/", "#reward > p", lambda _: attack("whyreward", FORMULAS[2])),
    "reason of an excluded record": ("explore/excluded/", "tbody", lambda _: attack("reason", "=1")),
    "label of an axis": ("axes/reward/", "h1", lambda _: attack("rewarden")),
    "label of a value": ("axes/reward/shared/", "h1", lambda _: attack("shareden")),
    "rule of a value": ("axes/reward/shared/", ".card .rule", lambda _: attack("sharedrule")),
    "label in Chinese": ("glossary/", "table", lambda _: attack("sharedzh")),
    "claim": ("claims/most/", "main", lambda _: attack("sentence")),
    "note on a gap": ("gaps/", "main", lambda _: attack("matters")),
    "edition": ("measure/changes/", "main", lambda _: attack("editionnote")),
    "search": ("measure/screening/", ".searches", lambda _: attack("query")),
    "reader": ("measure/agreement/", "main", lambda _: attack("statement")),
    "adjudication": ("measure/agreement/settled/reward/", "main", lambda _: attack("settled", "@")),
    "variant": ("measure/robustness/", "main", lambda _: attack("variantsays")),
    "kind of evidence": ("measure/scale/", ".rule", lambda _: attack("says")),
    "label under a chart": ("axes/reward/", "figure table", lambda _: attack("shareden")),
    "background in prose": ("", "main", lambda _: "corporate"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "place", "text"), list(SHOWN.values()), ids=list(SHOWN))
def test_the_text_is_shown_as_it_is_written(
    watched: Watched, pool: Pool, path: str, place: str, text: Callable[[Pool], str]
) -> None:
    shown = watched.open(path, until="load").locator(place).evaluate_all("found => found.map(one => one.textContent)")
    assert text(pool) in " ".join(" ".join(shown).split())


def test_a_name_for_search_engines_cannot_end_its_script(watched: Watched, pool: Pool) -> None:
    page = watched.open("entries/hostile0/", until="load")
    (data,) = page.locator("script[type='application/ld+json']").evaluate_all("found => found.map(one => one.textContent)")  # fmt: skip
    assert json.loads(data)["name"] == pool["hostile0"].title


def test_every_link_of_an_entry_leads_to_the_web_or_within_the_site(watched: Watched) -> None:
    page = watched.open("entries/hostile0/", until="load")
    links: list[str] = page.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert [
        link for link in links if link and not link.startswith((watched.url, f"{HOST}/", "https://squidfunk"))
    ] == []


def test_the_report_of_a_trace_keeps_its_own_policy(hostile: Site) -> None:
    for path in RUNS_ON_ITS_OWN:
        html = (hostile.folder / path).read_text("utf-8")
        assert html.count("Content-Security-Policy") == 1
