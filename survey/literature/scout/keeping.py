"""Keeping a candidate: its entry, with the facts of the metadata, and every tag that it admits unknown."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

from msgspec.structs import replace

from survey.literature.bibtex import (
    FORBIDDEN,
    MONTHS,
    arxiv_date,
    check_field,
    escaped,
    parse_bibtex,
    protected,
    unwritable,
    write_bibtex,
)
from survey.literature.pool import Pool, title_words
from survey.literature.scout.candidates import Candidate
from survey.literature.taxonomy import Axis

PARTICLES = frozenset({
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "la", "le", "ten", "ter", "van",
    "von",
})  # fmt: skip
"""What belongs to the last name of a person."""

SUFFIXES = frozenset({"Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV"})
"""What follows the last name of a person."""

GROUPS = frozenset({
    "ai", "collaboration", "community", "consortium", "foundation", "group", "inc", "inc.", "initiative", "institute",
    "lab", "labs", "laboratory", "project", "research", "team", "university",
})  # fmt: skip
"""Last words of the names of groups, which are not parted into first and last names."""

VENUE = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
"""The field that names the venue, by type of entry."""

NOT_READ = "Not read yet: what the scout found is only the metadata and the abstract."


def bibliographic_fields(candidate: Candidate) -> dict[str, str]:
    """Return the fields of an entry that metadata give, as BibTeX. What the source does not say is not among them.

    A text that its field cannot hold is left out as well, since metadata may be anything.
    """
    year, month = _date(candidate)
    fields = {
        "author": " and ".join(_written(name) for name in candidate.parted or map(last_first, candidate.authors)),
        "title": protected(candidate.title),
        "year": str(year or ""),
        "month": MONTHS[month - 1] if 1 <= month <= 12 else "",
    }
    if candidate.kind in VENUE:
        fields[VENUE[candidate.kind]] = protected(candidate.venue)
    address = next(iter(candidate.links), "") or (f"https://doi.org/{candidate.doi}" if candidate.doi else "")
    if candidate.arxiv:
        address = f"https://arxiv.org/abs/{candidate.arxiv}"
        fields |= {"eprint": candidate.arxiv, "archiveprefix": "arXiv", "primaryclass": "".join(candidate.classes[:1])}
    fields |= {"doi": candidate.doi, "url": address}
    days = {"submitted": candidate.submitted, "announced": candidate.announced}
    fields |= {name: found.isoformat() for name, found in days.items() if found}
    if candidate.arxiv:
        fields["version"] = str(candidate.version or ("published" if candidate.kind else "unknown"))
    return {name: text for name, text in fields.items() if _fits(name, text)}


def _date(candidate: Candidate) -> tuple[int, int]:
    """Return year and month: of the publication if a venue has it, else of the preprint's id, else of its first day."""
    year, _, rest = candidate.published.partition("-")
    published = (int(year), int(rest[:2] or 0)) if year else None
    seen = candidate.submitted or candidate.first_seen
    first = arxiv_date(candidate.arxiv) or ((seen.year, seen.month) if seen else None)
    return (published or first if candidate.kind else first or published) or (0, 0)


def _written(name: str) -> str:
    """Return a name that is sorted, as LaTeX; braces around all of it mark a group."""
    return f"{{{escaped(name[1:-1])}}}" if name.startswith("{") and name.endswith("}") else escaped(name)


def _fits(name: str, text: str) -> bool:
    return bool(text) and not FORBIDDEN.search(text) and not unwritable(text) and not list(check_field(name, text))


def filled_entry(
    candidate: Candidate, pool: Pool, today: date, summary: str, criterion: str, defaults: dict[str, str]
) -> str:
    """Return a BibTeX entry for a candidate that was kept.

    Facts are those of the metadata. A tag is ``unknown`` where its axis admits that; for an axis that does not,
    ``defaults`` has the value, or the field stays empty and ``survey check`` asks for it. Nothing is guessed from the
    text.
    """
    fields = bibliographic_fields(replace(candidate, kind=""))  # a person decides what its publication is
    fields = {"year": str(today.year), "month": MONTHS[today.month - 1]} | fields
    fields = {name: fields[name] for name in dict.fromkeys(["author", "title", *fields]) if name in fields}
    for axis in pool.taxonomy.on("entry"):
        if not axis.steps:
            fields[axis.field] = defaults.get(axis.id, "unknown" if "unknown" in axis.absences else "")
        if axis.evidence or axis.parts:
            fields[axis.why] = _evidence(axis, criterion, today)
    fields |= {"summary": summary, "sources": fields.get("url", ""), "added": today.isoformat()}
    body = [f"  {name} = {value if name == 'month' else f'{{{value}}}'}," for name, value in fields.items()]
    key = new_key(candidate, {*(work.key for work in (*pool.entries, *pool.records))}, int(fields["year"]))
    text = "\n".join([f"@misc{{{key},", *body, "}", ""])
    document = parse_bibtex(text, "the candidate")
    return write_bibtex(document.blocks) if not document.problems else text


def _evidence(axis: Axis, criterion: str, today: date) -> str:
    return f"Kept at screening on {today}: {criterion}." if axis.core else NOT_READ


def new_key(candidate: Candidate, taken: Collection[str], year: int) -> str:
    """Return a key that no work has: the name that a title begins with, or the first author, and the year.

    >>> new_key(Candidate(title="Swarm: Teams that grow", authors=("Ada Lovelace",)), set(), 2026)
    'swarm2026'
    >>> new_key(Candidate(title="On teams", authors=("Ada Lovelace",)), {"lovelace2026teams"}, 2026)
    'lovelace2026teamsb'
    """
    name, colon, _ = candidate.title.partition(":")
    plain = re.sub(r"[^A-Za-z0-9-]", "", name)
    if colon and len(name.split()) == 1 and plain:
        key = f"{plain.lower()}{year}"
    else:
        author = (
            "".join(title_words(last_first(candidate.authors[0]).partition(",")[0])) if candidate.authors else "anon"
        )
        long_words = (word for word in title_words(candidate.title) if len(word) > LONG and word.isascii())
        key = f"{re.sub('[^a-z]', '', author) or 'anon'}{year}{next(long_words, 'work')}"
    return next(name for name in (key, *(f"{key}{letter}" for letter in "bcdefghijklmnop")) if name not in taken)


LONG = 3
"""Letters that a word of a title has at most if it says little."""


def last_first(name: str) -> str:
    """Return a name as BibTeX sorts it.

    >>> last_first("Ludwig van Beethoven"), last_first("Plato"), last_first("Knuth, Donald E.")
    ('van Beethoven, Ludwig', '{Plato}', 'Knuth, Donald E.')
    >>> last_first("Martin Luther King Jr."), last_first("Qwen Team")
    ('King, Jr., Martin Luther', '{Qwen Team}')
    """
    if "," in name:
        return name
    words = name.split()
    if len(words) < 2 or words[-1].lower() in GROUPS or words[0] == "The" or "and" in words:
        return f"{{{name}}}"
    suffix = [words.pop()] if len(words) > 2 and words[-1] in SUFFIXES else []
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES:
        start -= 1
    return ", ".join(map(" ".join, filter(None, [words[start:], suffix, words[:start]])))
