"""Checks of BibTeX fields that do not depend on the subject of the survey.

Each check takes a text and yields messages. The checks cover citation data: identifiers, dates, addresses, and the
fields that bibliography styles require. Axes and values are checked against the taxonomy elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from survey.literature.bibtex.blocks import MONTHS, Block, key_problem
from survey.literature.bibtex.commands import UnknownLatex
from survey.literature.bibtex.latex import by_formula, to_unicode
from survey.literature.bibtex.names import parse_names
from survey.literature.problems import expected, quoted

REQUIRED_BY_TYPE: Final = {
    "article": ("journal",), "inproceedings": ("booktitle",), "incollection": ("booktitle",),
    "book": ("publisher",), "techreport": ("institution",), "phdthesis": ("school",),
    "mastersthesis": ("school",), "misc": (), "unpublished": ("note",),
}  # fmt: skip
"""Fields that the standard styles require beyond author, title and year; they cannot cite other types."""

CITED: Final = (
    "author", "title", "booktitle", "journal", "editor", "volume", "number", "pages", "series",
    "edition", "chapter", "publisher", "organization", "institution", "school", "address",
    "howpublished", "year", "month", "note", "isbn", "issn", "eprint", "archiveprefix",
    "primaryclass", "doi", "url",
)  # fmt: skip
"""The fields of plain BibTeX, in the order in which entries are written."""

OWN: Final = (
    "code", "submitted", "announced", "version", "summary", "sources", "third-party", "sought", "authors-incomplete",
    "added", "screened", "ids", "route",
)  # fmt: skip
"""Fields of this format other than tags and evidence: plain text, no LaTeX."""

FORMER: Final = {
    "appeared": 'write "submitted", the day of the first version, or "announced", when it was first public'
}
"""Fields that this format had once, each with what takes its place."""

UNRECORDED: Final = "unrecorded"
"""Stands among the pages of third parties for those whose address nobody kept."""

LATEX: Final = frozenset(CITED) - {
    "year", "month", "eprint", "archiveprefix", "primaryclass", "doi", "url", "isbn", "issn",
}  # fmt: skip
"""The fields whose text is LaTeX."""

ARXIV_NEW = re.compile(r"([0-9]{2})(0[1-9]|1[0-2])\.[0-9]{4,5}")
ARXIV_OLD = re.compile(r"[a-z-]+(?:\.[A-Z]{2})?/([0-9]{2})(0[1-9]|1[0-2])[0-9]{3}")
ARXIV_CLASS = re.compile(r"[a-z][a-z-]+(?:\.[A-Za-z][A-Za-z-]+)?")
DOI = re.compile(r"10\.[0-9]{4,9}/[^\s\"<>{}\\]+")
DOI_INSIDE = re.compile(r"10\.[0-9]{4,9}/\S+")
PARTIAL_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")

FIRST_YEAR, LAST_YEAR = 1800, 2100
"""The range of valid years."""

COMMENT = re.compile(r"(?<!\\)(?:\\\\)*([%#&])")
"""Characters that break a text even inside a formula: a % would comment out the rest of its line."""

BARE_SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*([_^])")
"""Characters that LaTeX reads as commands outside formulas."""


def arxiv_date(eprint: str) -> tuple[int, int] | None:
    """Return the year and month in which arXiv assigned the id; None if it is not an arXiv id."""
    match = ARXIV_NEW.fullmatch(eprint) or ARXIV_OLD.fullmatch(eprint)
    if not match:
        return None
    year, month = int(match.group(1)), int(match.group(2))
    return (1900 if year > 90 else 2000) + year, month


def check_field(name: str, text: str) -> Iterator[str]:
    """Yield the problems of one field."""
    if not text:
        yield "is empty (fill it in or delete the line)"
        return
    if name in LATEX:
        yield from _latex(text)
    if check := CHECKS.get(name):
        yield from check(text)


def check_combinations(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the problems between the fields of one entry, as pairs of field and message."""
    fields = block.fields
    for name in ("author", "title", "year"):
        if name not in fields:
            yield name, "is missing"
    if block.type not in REQUIRED_BY_TYPE:
        yield "", f"@{block.type} is not an entry type here {expected(block.type, REQUIRED_BY_TYPE)}"
    for name in REQUIRED_BY_TYPE.get(block.type, ()):
        if name not in fields:
            yield name, f"is missing (an @{block.type} needs it)"
    if "eprint" in fields and block.text("archiveprefix") != "arXiv":
        yield "archiveprefix", 'is missing or other than "arXiv" (eprint is an arXiv id)'
    if fields.keys() >= {"volume", "number"} and block.type != "article":
        yield "number", "cannot stand beside volume (styles print only one of them; keep one)"
    yield from _dates_together(block)


def _dates_together(block: Block) -> Iterator[tuple[str, str]]:
    posted = arxiv_date(block.text("eprint"))
    year = int(block.text("year")) if re.fullmatch(r"[0-9]{4}", block.text("year")) else None
    if posted and year:
        published = {"journal", "booktitle"} & block.fields.keys()
        if year < posted[0] or (year > posted[0] and not published):
            why = "before it" if year < posted[0] else "after it, yet no journal or booktitle explains that"
            yield "year", f"{year} contradicts eprint {block.text('eprint')} of {posted[0]}: {why}"
    yield from _first_dates(block, posted)
    if "version" in block.fields and "eprint" not in block.fields:
        yield "version", "is that of a preprint (delete it, or say which with eprint)"
    for name in ("added", "screened"):
        taken_in = _date(block.text(name))
        if taken_in and year and year > taken_in.year + 1:
            yield "year", f"{year} lies after the entry was {name} ({block.text(name)})"
        for first in ("submitted", "announced"):
            text = block.text(first)
            if taken_in and PARTIAL_DATE.fullmatch(text) and text > block.text(name)[: len(text)]:
                yield first, f"{text} is later than {name} = {block.text(name)}"
    both = set(block.text("sources").split()) & set(block.text("third-party").split())
    if both:
        yield "third-party", f"{quoted(min(both))} stands in sources too (keep one)"


def _first_dates(block: Block, posted: tuple[int, int] | None) -> Iterator[tuple[str, str]]:
    """Check the first dates against each other and against the arXiv id, which carries the month of its assignment.

    An id is assigned after the first version was handed in and before it is announced.
    """
    submitted, announced, eprint = (block.text(name) for name in ("submitted", "announced", "eprint"))
    if submitted and announced and submitted[: len(announced)] > announced:
        yield "announced", f"{announced} is before submitted = {submitted}"
    if not posted:
        return
    month = f"{posted[0]}-{posted[1]:02}"
    if submitted and submitted[: len(month)] > month:
        yield "submitted", f"{submitted} is later than eprint {eprint} says"
    if announced and announced < month[: len(announced)]:
        yield "announced", f"{announced} is before eprint {eprint} was assigned"
    if announced and month.startswith(announced):
        yield "announced", f"{announced} says no more than eprint {eprint} (expected the day, or no announced)"


def _latex(text: str) -> Iterator[str]:
    try:
        if not to_unicode(text).strip():
            yield f"shows nothing: {quoted(text)}"
    except UnknownLatex as error:
        yield f"{error} in {quoted(text)} (write the character itself)"
        return
    if match := COMMENT.search(text) or (BARE_SPECIAL.search(text) and BARE_SPECIAL.search(_words(text))):
        yield f"{quoted(match.group(1))} is a command in LaTeX (write \\{match.group(1)})"


def _words(text: str) -> str:
    return " ".join(part for part, maths in by_formula(text) if not maths)


def _names(text: str) -> Iterator[str]:
    try:
        if not parse_names(text):
            yield "names nobody"
    except ValueError as error:
        yield str(error)


def _year(text: str) -> Iterator[str]:
    if not re.fullmatch(r"[0-9]{4}", text) or not FIRST_YEAR <= int(text) <= LAST_YEAR:
        yield f"{quoted(text)} is not a year (expected four digits)"


def _month(text: str) -> Iterator[str]:
    if text not in MONTHS:
        yield f"{quoted(text)} is not a month {expected(text[:3], MONTHS)}"


def _eprint(text: str) -> Iterator[str]:
    if arxiv_date(text) is None:
        bare = re.sub(r"(?i)^(arxiv:|https?://arxiv.org/(abs|pdf)/)|v\d+$", "", text)
        near = f'did you mean "{bare}"?' if arxiv_date(bare) else 'expected an id like "2603.06859"'
        yield f"{quoted(text)} is not an arXiv id ({near})"


def _primary_class(text: str) -> Iterator[str]:
    if not ARXIV_CLASS.fullmatch(text):
        yield f'{quoted(text)} is not an arXiv class (expected one like "cs.MA")'


def _doi(text: str) -> Iterator[str]:
    if not DOI.fullmatch(text):
        inside = DOI_INSIDE.search(text)
        bare = re.sub(r"\\([_&%#])", r"\1", inside.group()) if inside else ""
        near = f'did you mean "{bare}"?' if DOI.fullmatch(bare) else 'expected one like "10.1038/s41586"'
        yield f"{quoted(text)} is not a DOI ({near})"


def _url(text: str) -> Iterator[str]:
    try:
        parts = urlsplit(text)
        web = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r'[\s"<>\\^`{}]', text)
    except ValueError:
        web = False
    if not web:
        yield f"{quoted(text)} is not a web address (expected http:// or https://)"


def _urls(text: str) -> Iterator[str]:
    for url in text.split(" "):
        if url.endswith((",", ";")) or url.count("://") > 1:
            yield f"{quoted(url)} is not one web address (put a blank between two, and nothing else)"
        else:
            yield from _url(url)


def _pages(text: str) -> Iterator[str]:
    """Check addresses of pages; the address of one may not have been kept."""
    for url in text.split(" "):
        if url != UNRECORDED:
            yield from _urls(url)


def _day(text: str) -> Iterator[str]:
    if _date(text) is None:
        yield f"{quoted(text)} is not a date (expected YYYY-MM-DD)"


def _version(text: str) -> Iterator[str]:
    if not re.fullmatch(r"[1-9][0-9]{0,2}|published|unknown", text):
        yield f'{quoted(text)} is not a version (expected its number, as in "2", or "published", or "unknown")'


def _partial_date(text: str) -> Iterator[str]:
    match = PARTIAL_DATE.fullmatch(text)
    filled = "-".join(part or "01" for part in match.groups()) if match else ""
    if _date(filled) is None:
        yield f"{quoted(text)} is not a date (expected YYYY, YYYY-MM or YYYY-MM-DD)"


def _date(text: str) -> date | None:
    try:
        day = date.fromisoformat(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None
    return day if day and FIRST_YEAR <= day.year <= LAST_YEAR else None


def _keys(text: str) -> Iterator[str]:
    """Check former keys: each keeps its page, so each must be a key."""
    yield from filter(None, (key_problem(key.strip()) for key in text.split(",")))


CHECKS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "author": _names, "editor": _names, "year": _year, "month": _month, "eprint": _eprint,
    "primaryclass": _primary_class, "doi": _doi, "url": _url, "code": _url, "sources": _urls,
    "third-party": _pages, "submitted": _day, "announced": _partial_date, "version": _version, "added": _day,
    "screened": _day, "ids": _keys,
}  # fmt: skip
