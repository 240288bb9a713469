"""Open and filter the explorer of a large pool in Chromium, against a single page with all rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser, Page, sync_playwright

from survey.literature import load
from survey.site.pages.explorer.builder import PER_PAGE
from tests.browser.conftest import launched, served
from tests.browser.explorer.explorer_site import build_explorer, grown
from tests.conftest import ROOT

SIZE = 10_000
ROUNDS = 3
LIMIT = 50
"""The limit of a step in milliseconds: three frames of a screen, which are imperceptible."""

ANSWERS = "[...document.querySelectorAll('.facets .n')].some(number => Number(number.textContent) > 0)"
PAINTED = "requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)))"
STEPS = {
    "choose a value": "document.querySelectorAll(`fieldset[aria-label='Reward family'] input`)[1].click()",
    "choose another axis": "document.querySelectorAll(`fieldset[aria-label='Credit unit'] input`)[1].click()",
    "clear all": "[...document.querySelectorAll('.chosen button')].at(-1).click()",
    "search": "const box = document.querySelector('.explorer [type=search]'); box.value = 'credit'; box.dispatchEvent(new Event('input'))",
    "sort by title": "document.querySelector('th[data-sort=work] button').click()",
}


def run() -> Iterator[str]:
    """Yield the seconds until the filters respond, with and without paging, and the steps against their limit."""
    yield f"the explorer of {SIZE} entries in Chromium, against a single page with all rows"
    steps: dict[str, list[float]] = {name: [] for name in STEPS}
    with sync_playwright() as playwright, launched(playwright) as browser:
        ours = opening(browser, PER_PAGE, steps)
        peer = opening(browser, SIZE, {})
    ratios = [a / b for a, b in zip(ours, peer, strict=True)]
    yield (
        f"  until filters respond and the page is stable: {median(ours):.2f} s, {median(ratios):.2f} times "
        f"({min(ratios):.2f} to {max(ratios):.2f}) the {median(peer):.1f} s of one page"
    )
    for name, times in steps.items():
        yield (
            f"  {name}: {median(times) / LIMIT:.2f} times ({min(times) / LIMIT:.2f} to {max(times) / LIMIT:.2f}) "
            f"the limit of {LIMIT} ms, painting included"
        )


def opening(browser: Browser, per_page: int, steps: dict[str, list[float]]) -> list[float]:
    """Return the seconds until the explorer responds, by round; append the milliseconds of each step to ``steps``."""
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "site"
        site.mkdir()
        with served(site) as url:
            build_explorer(grown(load(ROOT / "bib"), SIZE), Path(name), url, per_page)
            return [_round(browser, f"{url}explore/", steps) for _ in range(ROUNDS)]


def _round(browser: Browser, address: str, steps: dict[str, list[float]]) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    start = perf_counter()
    page.goto(address, wait_until="load")
    page.wait_for_function(ANSWERS)
    _time(page, "")
    opened = perf_counter() - start
    for name, times in steps.items():
        times.append(_time(page, STEPS[name]))
        page.wait_for_timeout(500)  # the pause of a reader, in which the remaining rows are drawn
    page.close()
    return opened


def _time(page: Page, act: str) -> float:
    """Return the milliseconds from an action until its first result is painted."""
    return float(
        page.evaluate(f"() => new Promise(done => {{ const start = performance.now(); {{ {act} }}; {PAINTED}; }})")
    )
