"""Giving the page on related work a list, and reading what it says."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.browser.conftest import Visit

PAGE = "take-part/related-work/"

BROKEN = """@article{good1, eprint = {1705.08926}}
@misc{open, title = {Never closed, year = 2020}

@misc{good2, title = {Another work}}
@misc{noequals, title {x}}
@misc{bare, title = }
@article{empty, year = {2020}}
@ not an entry
@misc{good3, title = "A third work"}
@misc{quote, title = "never closed}
"""
"""Six passages that cannot be read, among three works that can."""


PASTED = "(area, text) => { area.value = text; area.dispatchEvent(new Event('input', { bubbles: true })); }"


def compare(found: Visit, bib: str) -> str:
    """Paste a list and have it compared; what the page says in one sentence."""
    # put there at once: typed in as by a person, five thousand lines take a slow machine half a minute
    found.page.get_by_label("or paste BibTeX").evaluate(PASTED, bib)
    found.page.get_by_role("button", name="Compare what is pasted").click()
    return found.page.locator("[role=status]").inner_text()


def section(page: Page, title: str) -> str:
    """The text of one part of the findings; empty if it is not there."""
    part = page.locator(".findings section", has=page.get_by_role("heading", name=title, exact=True))
    return str(part.evaluate("part => part.textContent")) if part.count() else ""


def linked(page: Page, title: str) -> list[str]:
    """The keys of the entries that a part of the findings links to, in order."""
    part = page.locator(".findings section", has=page.get_by_role("heading", name=title, exact=True))
    links: list[str] = part.locator(".works > li > a:first-child, .path a").evaluate_all(
        "links => links.map(a => a.href)"
    )
    return [match.group(1) for link in links if (match := re.search(r"/entries/([^/]+)/", link))]
