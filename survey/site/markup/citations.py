"""References: a work in a reference list, and its metadata for reference managers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from survey.literature import Entry, Name


def reference(entry: Entry, most: int | None = None) -> str:
    """Return the reference as plain text: authors, year, title, venue.

    Of a longer list of authors only the first ``most`` are named.
    """
    pages = entry.text("pages").replace("--", "–")
    volume = entry.text("volume") + (f"({entry.text('number')})" if entry.text("number") else "")
    where = ", ".join(part for part in (entry.venue, volume, pages) if part)
    end = f" doi:{entry.text('doi')}" if entry.text("doi") else ""
    arxiv = entry.text("eprint")
    if arxiv and arxiv not in where:
        end += f" arXiv:{arxiv}"
    named = entry.authors[:most]
    others = entry.text("authors-incomplete") or len(named) < len(entry.authors)
    people = ", ".join([*map(str, named), "et al."]) if others else listed(named)
    place = f" {where.rstrip('.')}." if where else ""
    return f"{people} ({entry.year}). {entry.title.rstrip('.')}.{place}{end}"


def listed(names: Sequence[Name]) -> str:
    """Return all authors, in order."""
    everyone = [str(name) for name in names]
    return everyone[0] if len(everyone) == 1 else f"{', '.join(everyone[:-1])} and {everyone[-1]}"


def coins(entry: Entry) -> str:
    """Return the work as an OpenURL ContextObject (COinS), by which Zotero detects it on a page."""
    article = entry.block.type == "article"
    pairs = [
        ("ctx_ver", "Z39.88-2004"),
        (
            "rft_val_fmt",
            f"info:ofi/fmt:kev:mtx:{'journal' if article or entry.block.type == 'inproceedings' else 'dc'}",
        ),
        ("rft.genre", {"article": "article", "inproceedings": "proceeding"}.get(entry.block.type, "")),
        ("rft.atitle" if article or entry.block.type == "inproceedings" else "rft.title", entry.title),
        ("rft.jtitle", entry.venue),
        ("rft.date", entry.appeared),
        ("rft.volume", entry.text("volume")),
        ("rft.pages", entry.text("pages").replace("--", "-")),
        *(("rft.au", name.sorted) for name in entry.authors),
        ("rft_id", f"info:doi/{entry.text('doi')}" if entry.text("doi") else ""),
        ("rft_id", entry.url),
    ]
    return urlencode([pair for pair in pairs if pair[1]])
