"""Files that hold works: listings in JSON lines, feeds, bibliographies."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from survey.literature.bibtex import MONTHS, REQUIRED_BY_TYPE, Block, parse_bibtex, parse_names, read_bibtex, readable
from survey.literature.problems import InvalidSurvey, Problem, expected
from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate, identifiers
from survey.literature.scout.sources.asked import day, one_line
from survey.literature.scout.sources.feeds import plain, read_feed

LINES, FEEDS, BIBLIOGRAPHIES = (".jsonl", ".ndjson"), (".xml", ".rss", ".atom"), (".bib",)

NAMES = {
    "title": ("title",),
    "abstract": ("abstract", "summary"),
    "authors": ("authors", "author", "creators"),
    "classes": ("classes", "categories", "primary_category", "primaryclass"),
    "submitted": ("submitted", "published", "submitted_date"),
    "announced": ("announced", "first_public", "date", "listed"),
    "venue": ("venue", "journal", "booktitle"),
    "links": ("links", "link", "url", "abs_url", "pdf_url"),
}
"""Under which names listings have what; the first that is there counts."""

IDS = ("arxiv", "arxiv_id", "id", "eprint", "doi", "link", "url", "abs_url", "pdf_url")


def read_file(path: Path) -> Iterator[Candidate]:
    """Yield the works of a file, by the ending of its name.

    Raises:
        InvalidSurvey: if it is of no kind that we read, or cannot be read as what it is called.

    """
    kind = path.suffix.lower()
    if kind in LINES:
        yield from _lines(path)
    elif kind in FEEDS:
        try:
            yield from read_feed(path.read_bytes(), path.name)
        except OutOfReach as error:
            raise InvalidSurvey([Problem(str(path), 1, error.why)]) from None
    elif kind in BIBLIOGRAPHIES:
        document = read_bibtex(path)
        if document.problems:
            raise InvalidSurvey(document.problems)
        for block in document.blocks:
            if not block.text("title"):
                raise InvalidSurvey([Problem(str(path), block.line, "a work without a title", block.key)])
            yield work(block, path.name)
    else:
        kinds = (*LINES, *FEEDS, *BIBLIOGRAPHIES)
        raise InvalidSurvey([Problem(str(path), 1, f"ends in {kind or 'nothing'} {expected(kind, kinds)}")])


def _lines(path: Path) -> Iterator[Candidate]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidSurvey([Problem(str(path), 1, "not UTF-8 text")]) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _candidate(_table(line), path.name)
        except ValueError as error:
            raise InvalidSurvey([Problem(str(path), number, str(error))]) from None


def _table(line: str) -> dict[str, Any]:
    """Return the table of a line: in JSON, or as Python prints it, which some listings have."""
    try:
        table = json.loads(line) if not line.startswith("{'") else ast.literal_eval(line)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        table = None
    if not isinstance(table, dict):
        raise ValueError('not a work (expected one JSON object a line, as in {"title": "...", "abstract": "..."})')
    return table


def _candidate(table: dict[str, Any], source: str) -> Candidate:
    found = {name: next((table[key] for key in keys if table.get(key)), "") for name, keys in NAMES.items()}
    title = plain(str(found["title"]))
    if not title:
        raise ValueError(
            f'a work without a title (expected "title" among {", ".join(map(repr, table)) or "its fields"})'
        )
    texts = [str(table[key]).strip() for key in IDS if table.get(key)]
    arxiv, doi = identifiers(*(re.sub(r"^arxiv:", "", text, flags=re.IGNORECASE) for text in texts))
    versions = (re.search(r"v([0-9]+)(?:\.pdf)?$", text) for text in texts if arxiv and identifiers(text)[0])
    version = next((found[1] for found in versions if found), "")
    given = str(table.get("version") or version).removeprefix("v")
    return Candidate(
        title=title,
        authors=tuple(_words(_listed(found["authors"]), ",")),
        abstract=one_line(str(found["abstract"])),
        arxiv=arxiv,
        doi=doi,
        classes=tuple(_words(found["classes"], " ,;")),
        submitted=day(str(found["submitted"])),
        announced=day(str(found["announced"])),
        version=int(given) if given.isdecimal() else None,
        venue=one_line(str(found["venue"])),
        links=tuple(link for link in _words(found["links"], " ") if link.startswith(("http://", "https://"))),
        withdrawn=table.get("withdrawn") is True,
        sources=tuple(_words(table.get("sources"), ",")) or (source,),
    )


def _listed(authors: Any) -> Any:
    """Return authors with commas between them, where a text has "and" before the last."""
    return one_line(authors).replace(", and ", ",").replace(" and ", ",") if isinstance(authors, str) else authors


def _words(value: Any, separators: str) -> list[str]:
    """Return the words of a list, or of a text in which one of some characters stands between them."""
    if isinstance(value, list):
        named = (one.get("name") if isinstance(one, dict) else one for one in value)
        return [one_line(str(one)) for one in named if one and str(one).strip()]
    text = one_line(str(value or ""))
    for other in separators[1:]:
        text = text.replace(other, separators[0])
    return [one_line(one) for one in text.split(separators[0]) if one.strip()]


def record(client: Client, source: str, address: str) -> Iterator[Candidate]:
    """Yield the one work of a page in BibTeX; nothing if there is no such page.

    Raises:
        OutOfReach: if the page is not what it is called.

    """
    try:
        body = client.get(source, address)
    except OutOfReach as error:
        if error.status != 404:
            raise
        return
    document = parse_bibtex(body.decode("utf-8", "replace"))
    if len(document.blocks) != 1 or not document.blocks[0].text("title"):
        client.forget(source, address)
        raise OutOfReach(source, f"gave no entry in BibTeX at {address}")
    yield work(document.blocks[0], source)


def work(block: Block, source: str) -> Candidate:
    """Return an entry in BibTeX as a candidate. Its authors end before "and others"."""

    def text(name: str) -> str:
        return one_line(readable(block.text(name)))

    arxiv, doi = identifiers(*(text(name) for name in ("eprint", "doi", "url")))
    return Candidate(
        title=text("title"),
        authors=_names(block.text("author")),
        abstract=text("abstract"),
        arxiv=arxiv,
        doi=doi or identifiers(text("doi"))[1],
        venue=text("booktitle") or text("journal"),
        submitted=day(text("submitted")),
        announced=day(text("announced")),
        links=(text("url"),) if text("url").startswith(("http://", "https://")) else (),
        sources=(source,),
        parted=_parted(block.text("author")),
        kind=block.type if {"journal", "booktitle"} & {*REQUIRED_BY_TYPE.get(block.type, ())} else "",
        published=_published(text("year"), text("month")),
    )


def _published(year: str, month: str) -> str:
    """Return a date as far as an entry says it."""
    if not re.fullmatch("[0-9]{4}", year):
        return ""
    name = month.lower()[:3]
    return f"{year}-{MONTHS.index(name) + 1:02}" if name in MONTHS else year


def _parted(text: str) -> tuple[str, ...]:
    """Return the names of a field of authors as BibTeX sorts them; none if it cannot read them all."""
    try:
        names = parse_names(one_line(text).removesuffix(" and others"))
    except ValueError:
        return ()
    return tuple(f"{{{name}}}" if name.corporate else name.sorted for name in names if str(name))


def _names(text: str) -> tuple[str, ...]:
    """Return the names of a field of authors. Braces keep the "and" of an institution, so they are read as they are."""
    text = one_line(text).removesuffix(" and others")
    try:
        return tuple(map(str, parse_names(text))) if text else ()
    except ValueError:  # not as BibTeX writes names, but still a list of them
        return tuple(one_line(readable(name)) for name in text.split(" and "))
