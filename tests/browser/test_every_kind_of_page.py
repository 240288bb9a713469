"""Every kind of page, at two widths and in both palettes: quiet, accessible, self-contained."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from survey.literature import load
from tests.browser.conftest import COLOURS, Site, Visit, axe, served, violations, visits
from tests.conftest import ROOT
from tests.site.publishing.test_another_survey import BREAD, built, survey

pytestmark = pytest.mark.programs

KINDS = {
    "home": "",
    "chapter": "read/credit/",
    "explorer": "explore/",
    "entry": "entries/c3/",
    "entry with many authors": "entries/deepseek-r12025/",
    "vocabulary": "axes/",
    "axis": "axes/decision/",
    "derived axis": "axes/credit/",
    "part of an axis": "axes/credit-grain/",
    "value": "axes/reward/orchestration/",
    "excluded records": "explore/excluded/",
    "glossary": "glossary/",
    "statistics": "measure/",
    "list of pairs": "measure/crosstabs/",
    "pair": "measure/reward-by-credit/",
    "benchmarks": "measure/benchmarks/",
    "screening": "measure/screening/",
    "ledger": "claims/",
    "claim": "claims/stopping-untrained/",
    "new entry": "take-part/new-entry/",
    "gaps": "gaps/",
    "gap map": "gaps/reward-by-credit/",
    "related work": "take-part/related-work/",
    "scale": "measure/scale/",
    "agreement": "measure/agreement/",
    "adjudications": "measure/agreement/settled/",
    "adjudications on an axis": "measure/agreement/settled/topology/",
    "audits": "measure/agreement/audits/",
    "trials of the codebook": "measure/agreement/trials/",
    "robustness": "measure/robustness/",
    "log in the browser": "traces/open/",
    "notebook": "notebooks/credit/",
    "data format": "take-part/data-format/",
    "api": "take-part/api/",
    "missing page": "404.html",
}


DARK = "slate"
"""Material's name of the dark palette."""

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = sorted(path.stem for path in (ROOT / "docs" / "read").glob("*.md"))


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("kind", list(KINDS))
def test_it_is_quiet_accessible_and_fits(visit: Callable[..., Visit], kind: str, width: int) -> None:
    in_both_palettes(visit(KINDS[kind], width), width)


def test_a_value_without_entries_is_quiet_accessible_and_fits(chromium: Browser, tmp_path: Path) -> None:
    """Our own pool may have none; a small one has a grain that nobody bakes."""
    grain = '[axis.grain.value.oats]\nlabel = { en = "oats", fr = "avoine" }\ndefinition = "Oats."\n'
    grain += 'rule = "Oats are named."\npositive = "Oat bread."\nnegative = "Oat milk."\n\n'
    mark = "[axis.grain.value.rye]"
    project = survey(tmp_path / "bread", taxonomy=(BREAD / "taxonomy.toml").read_text().replace(mark, grain + mark))
    built(project)
    assert not len(load(project / "bib").where([("grain", "oats")]))
    with served(project / "site") as url, visits(Site(project / "site", url), chromium) as opened:
        for width in (1280, 360):
            in_both_palettes(opened("axes/grain/oats/", width), width)


def test_a_reader_with_a_dark_screen_gets_the_dark_palette(visit: Callable[..., Visit]) -> None:
    for scheme, palette in (("light", "default"), ("dark", DARK)):
        assert visit("", scheme=scheme).page.evaluate("document.body.dataset.mdColorScheme") == palette


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_is_accessible_and_fits_on_a_phone(visit: Callable[..., Visit], chapter: str) -> None:
    check(visit(f"read/{chapter}/", 360), 360)


def test_chapters_and_a_page_with_a_long_title_fit_on_a_phone_without_scripts(visit: Callable[..., Visit]) -> None:
    for path in [*(f"read/{chapter}/" for chapter in CHAPTERS), KINDS["gap map"]]:
        page = visit(path, 360, scripts=False).page
        assert (path, page.evaluate("document.documentElement.scrollWidth")) == (path, 360)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_notebook_is_accessible_and_fits_on_a_phone(visit: Callable[..., Visit], notebook: str) -> None:
    check(visit(f"notebooks/{notebook}/", 360), 360)


CODE = ["notebooks/metrics/", "notebooks/rewards/", "take-part/api/", "read/trace/", "traces/", "entries/c3/"]
"""Pages with blocks of code or formulas that are wider than a phone."""


@pytest.mark.parametrize("path", CODE)
def test_code_and_formulas_are_reached_by_keyboard_before_any_script_has_run(
    site: Site, chromium: Browser, path: str
) -> None:
    with closing(chromium.new_context(viewport={"width": 360, "height": 800}, bypass_csp=True)) as context:
        page = context.new_page()
        page.route("**/*.js", lambda route: route.abort())
        page.goto(site.url + path)
        assert [found for found in violations(page) if found.startswith("scrollable-region-focusable")] == []


def test_what_is_planted_is_found(visit: Callable[..., Visit]) -> None:
    page = visit().page
    page.set_content("<html lang='en'><title>x</title><main><h1>x</h1><p style='color: #999'>pale</p><img src='x.png'>")
    assert {violation.partition(":")[0] for violation in violations(page)} == {"color-contrast", "image-alt"}


PALE = """() => {
  const pale = new CSSStyleSheet();
  pale.replaceSync(`.md-content :is(li:nth-child(7n), td:nth-child(3n), code, h3, dd:nth-child(2n), p:nth-of-type(3n) a),
    .md-nav__item:nth-child(3) a { color: #c3c3c3 !important }`);
  document.adoptedStyleSheets.push(pale);
}"""
"""Makes texts here and there hard to read."""


@pytest.mark.parametrize("kind", ["entry", "chapter", "robustness", "notebook"])
def test_every_pale_look_is_found_although_one_text_of_each_is_measured(visit: Callable[..., Visit], kind: str) -> None:
    page = visit(KINDS[kind]).page
    page.evaluate(PALE)
    everywhere = {look(node) for rule in axe(page, {"runOnly": ["color-contrast"]}) for node in rule["nodes"]}
    assert len(everywhere) > 1
    assert {text.rpartition("contrast of ")[2] for text in violations(page, "color-contrast")} == everywhere


def look(node: dict[str, Any]) -> str:
    """What axe says of a text: its contrast, colours, size and weight."""
    found: str = node["failureSummary"].rpartition("contrast of ")[2]
    return found


def test_a_request_to_another_host_is_found(visit: Callable[..., Visit]) -> None:
    found = visit()
    found.page.goto("about:blank")  # a page of ours may not even ask
    found.page.evaluate("fetch('http://elsewhere.invalid/').catch(() => null)")
    assert found.foreign == ["http://elsewhere.invalid/"]


def in_both_palettes(found: Visit, width: int) -> None:
    """Check a page as it is, and in the dark."""
    check(found, width)
    found.page.evaluate(f"document.body.dataset.mdColorScheme = '{DARK}'")
    found.page.evaluate("Promise.allSettled(document.getAnimations().map((fading) => fading.finished))")
    check(found, width, *COLOURS)


def check(found: Visit, width: int, *rules: str) -> None:
    """No error, no foreign request, nothing refused or wider than the screen, no violation that axe can see."""
    found.clean()
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(found.page, *rules) == []
