"""CSL-JSON export, for citeproc, Zotero and Pandoc."""

from __future__ import annotations

import json
import re
from typing import Any

from survey.literature.bibtex import Name, parse_names, readable
from survey.literature.pool import Entry, Pool

TYPES = {
    "article": "article-journal", "inproceedings": "paper-conference", "incollection": "chapter",
    "book": "book", "techreport": "report", "phdthesis": "thesis", "mastersthesis": "thesis",
    "unpublished": "manuscript",
}  # fmt: skip
"""The CSL type of each BibTeX type; @misc is a preprint if it has an eprint, else a web page."""

TEXTS = {
    "volume": "volume", "number": "issue", "pages": "page", "publisher": "publisher",
    "institution": "publisher", "school": "publisher", "series": "collection-title",
    "edition": "edition", "address": "publisher-place", "isbn": "ISBN", "issn": "ISSN", "doi": "DOI",
    "note": "note",
}  # fmt: skip
"""BibTeX fields that map to a single CSL variable."""

PROTECTED = re.compile(
    r"\\[A-Za-z]+\s*\{[^{}]*\}|\\.\s*(?:\{[^{}]*\})?|(?<!\\)\$[^$]*\$|\{(?!\\)((?:[^{}\\]|\{[^{}]*\})*)\}",
    re.DOTALL,
)
"""Commands with their argument and formulas, which stay as they are; and braces that protect capitals, captured."""


def to_csl_json(pool: Pool) -> str:
    """Return a CSL-JSON list, one item per entry."""
    return json.dumps([csl_item(entry) | {"source": pool.stamp} for entry in pool], ensure_ascii=False, indent=1) + "\n"


def csl_item(entry: Entry) -> dict[str, Any]:
    """Return one entry as a CSL item."""
    item: dict[str, Any] = {
        "id": entry.key,
        "type": TYPES.get(entry.block.type, "article" if entry.text("eprint") else "webpage"),
        "title": _title(entry.text("title")),
        "author": [csl_name(name) for name in entry.authors],
        "issued": {"date-parts": [[entry.year, entry.month] if entry.month else [entry.year]]},
    }
    if entry.text("authors-incomplete"):
        item["author"].append({"literal": "others"})
    if editors := entry.text("editor"):
        item["editor"] = [csl_name(name) for name in parse_names(editors)]
    container = entry.text("journal") or entry.text("booktitle") or entry.text("howpublished")
    if container:
        item["container-title"] = readable(container)
    for field, variable in TEXTS.items():
        if entry.text(field):
            item[variable] = readable(entry.text(field))
    if entry.url:
        item["URL"] = entry.url
    if entry.text("eprint"):
        item |= {"archive": "arXiv", "archive_location": entry.text("eprint")}
        if entry.block.type == "misc":
            item |= {"publisher": "arXiv", "number": f"arXiv:{entry.text('eprint')}", "genre": "preprint"}
    return item


def csl_name(name: Name) -> dict[str, str]:
    """Return a person as name parts, a corporate author as a literal."""
    if name.corporate:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    parts["non-dropping-particle"] = name.particle
    return {part: text for part, text in parts.items() if text}


def _title(raw: str) -> str:
    """Return the title, with the capitals that BibTeX protects in CSL markup."""
    return readable(PROTECTED.sub(lambda m: (m[1] and f'<span class="nocase">{m[1]}</span>') or m[0], raw))
