"""Works in a list: their order, and how each is named and linked."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

from survey.literature import Entry
from survey.site.markup.links import url

LISTED = 100
"""Works in one list: of more, a page shows the newest and leads to the table of all entries, which filters them."""


def newest_first(works: Iterable[Entry]) -> list[Entry]:
    """The order of works in a list: by the year that it shows, then by first publication, the last first."""
    by_key = sorted(works, key=lambda work: work.key)
    return sorted(by_key, key=lambda work: (work.year, work.appeared), reverse=True)


def work(entry: Entry, page: str) -> Markup:
    """A work in a list: its title, which leads to its page, by whom and when."""
    return _work(url(page, f"entries/{entry.key}.md"), entry.title, entry.by, entry.year)


@lru_cache(maxsize=1 << 17)  # a work stands in a hundred lists
def _work(address: str, title: str, by: str, year: int) -> Markup:
    named = Markup('<a href="{}"><span class="work-title">{}</span></a> <span class="work-by">{}, {}</span>')
    return named.format(address, title, by, year)
