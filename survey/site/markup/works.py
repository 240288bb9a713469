"""Lists of works: their order, and the link and label of each work."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

from survey.literature import Entry
from survey.site.html.addresses import url
from survey.site.markup.formulas import title_of
from survey.site.markup.links import entry_page

LISTED = 100
"""Works in one list at most: a page shows the newest and links to the filtered table of all entries for the rest."""


def newest_first(works: Iterable[Entry]) -> list[Entry]:
    """Return the works in list order: by the displayed year, then by first publication, newest first."""
    by_key = sorted(works, key=lambda work: work.key)
    return sorted(by_key, key=lambda work: (work.year, work.appeared), reverse=True)


def work(entry: Entry, page: str) -> Markup:
    """Return a work as a list item: its title linked to its page, authors and year."""
    return _work(url(page, entry_page(entry.key)), title_of(entry), entry.by, entry.year)


SHORT = 30
"""Letters of a name at most, before the colon of a title."""


def name_of(entry: Entry) -> str:
    """Return the name that a work gives to what it presents; empty if its title does not begin with one."""
    name, colon, _ = entry.title.partition(":")
    return name.strip() if colon and len(name) <= SHORT else ""


def short(entry: Entry, page: str) -> Markup:
    """Return a work in as few words as a list of many has room for, linked to its page."""
    shown = name_of(entry) or f"{entry.by}, {entry.year}"
    return Markup('<a href="{}">{}</a>').format(url(page, entry_page(entry.key)), shown)


@lru_cache(maxsize=1 << 17)  # a work is in a hundred lists
def _work(address: str, title: Markup, by: str, year: int) -> Markup:
    named = Markup('<a href="{}"><span class="work-title">{}</span></a> <span class="work-by">{}, {}</span>')
    return named.format(address, title, by, year)
