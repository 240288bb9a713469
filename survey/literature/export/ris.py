"""RIS export, for reference managers that do not read BibTeX."""

from __future__ import annotations

from survey.literature.bibtex import parse_names, readable
from survey.literature.pool import Entry, Pool

TYPES = {
    "article": "JOUR", "inproceedings": "CONF", "incollection": "CHAP", "book": "BOOK",
    "techreport": "RPRT", "phdthesis": "THES", "mastersthesis": "THES", "unpublished": "UNPB",
}  # fmt: skip
"""The RIS type of each BibTeX type; @misc is unpublished if it has an eprint, else a web page."""


def to_ris(pool: Pool) -> str:
    """Return one RIS record per entry, with its tags as keywords."""
    return "".join(_record(entry, pool.stamp) for entry in pool)


def _record(entry: Entry, stamp: str) -> str:
    kind = TYPES.get(entry.block.type, "UNPB" if entry.text("eprint") else "ELEC")
    start, _, end = readable(entry.text("pages")).partition("–")
    month = f"{entry.month:02}" if entry.month else ""
    lines = [
        ("TY", kind),
        ("ID", entry.key),
        *(("AU", name.sorted) for name in entry.authors),
        *(("ED", name.sorted) for name in parse_names(entry.text("editor"))),
        ("TI", entry.title),
        ("PY", str(entry.year)),
        ("DA", f"{entry.year}/{month}" if month else ""),
        ("T2", entry.venue),
        ("VL", readable(entry.text("volume"))),
        ("IS", readable(entry.text("number"))),
        ("SP", start),
        ("EP", end),
        ("PB", readable(entry.text("publisher") or entry.text("school") or entry.text("institution"))),
        ("SN", entry.text("isbn") or entry.text("issn")),
        ("DO", entry.text("doi")),
        ("AN", f"arXiv:{entry.text('eprint')}" if entry.text("eprint") else ""),
        ("UR", entry.url),
        ("DB", stamp),
        ("N1", _incomplete(entry)),
        ("N2", entry.text("summary")),
        *(("KW", f"{axis}: {tag}") for axis, tags in entry.tags.items() for tag in tags if not tag.absent),
        ("ER", ""),
    ]
    body = "".join(f"{tag}  - {_one_line(text)}\n" for tag, text in lines if text or tag == "ER")
    return f"{body}\n"


def _incomplete(entry: Entry) -> str:
    reason = entry.text("authors-incomplete")
    return f"The author list is incomplete: {reason}" if reason else ""


def _one_line(text: str) -> str:
    """Return the text on one line: in RIS a line break inside a value would begin a new field."""
    return " ".join(text.splitlines())
