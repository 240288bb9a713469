"""Links to the pages of entries, cells and selections."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode
from uuid import NAMESPACE_URL, uuid5

from survey.literature.bibtex import address_of
from survey.site.html.addresses import url


def entry_page(key: str) -> str:
    """Return the path of the page of an entry.

    >>> entry_page("chen2026word"), entry_page("Araz:2026img")
    ('entries/chen2026word.md', 'entries/Araz.2026img.md')
    """
    return f"entries/{address_of(key)}.md"


def urn(survey: str, path: str) -> str:
    """Return a name for a page or file of a survey whose site has no address: the title and the path make it unique.

    >>> urn("On bread", "feed.atom")
    'urn:uuid:7bc1dcc0-c3fc-533f-948b-db6388318987'
    """
    return f"urn:uuid:{uuid5(NAMESPACE_URL, chr(10).join((survey, path)))}"


def filtered(page: str, chosen: Mapping[str, str]) -> str:
    """Return the address of the table of all entries with filters set: cells by axis.

    >>> filtered("measure/credit-by-decision.md", {"credit": "message", "decision": "stop: learned"})
    '../../explore/?credit=message&decision=stop:+learned'
    """
    return f"{url(page, 'explore/index.md')}?{urlencode(chosen, safe=':')}"


def anchor(row: str, column: str) -> str:
    """Return the anchor of a cell on the page of its pair of axes.

    >>> anchor("shared", "stop: learned")
    'shared--stop-learned'
    """
    return f"{row}--{column}".replace(": ", "-")
