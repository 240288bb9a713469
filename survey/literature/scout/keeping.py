"""Keeping a candidate: its entry, with the facts of the metadata, and every tag that it admits unknown."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import date

from survey.literature.bibtex import MONTHS, parse_bibtex, write_bibtex
from survey.literature.pool import Pool, title_words
from survey.literature.scout.candidates import Candidate
from survey.literature.taxonomy import Axis

PARTICLES = frozenset(
    (
        "al",
        "bin",
        "da",
        "de",
        "del",
        "della",
        "den",
        "der",
        "di",
        "dos",
        "du",
        "el",
        "la",
        "le",
        "ten",
        "ter",
        "van",
        "von",
    )
)
"""What belongs to the last name of a person."""

NOT_READ = "Not read yet: what the scout found is only the metadata and the abstract."


def filled_entry(
    candidate: Candidate, pool: Pool, today: date, summary: str, criterion: str, defaults: dict[str, str]
) -> str:
    """Return a BibTeX entry for a candidate that was kept.

    Facts are those of the metadata. A tag is ``unknown`` where its axis admits that; for an axis that does not,
    ``defaults`` has the value, or the field stays empty and ``survey check`` asks for it. Nothing is guessed from the
    text.
    """
    seen = candidate.submitted or candidate.first_seen or today
    fields = {
        "author": " and ".join(map(last_first, candidate.authors)),
        "title": protected(candidate.title),
        "year": str(seen.year),
        "month": MONTHS[seen.month - 1],
    }
    if candidate.arxiv:
        fields |= {"eprint": candidate.arxiv, "archiveprefix": "arXiv"}
        fields |= {"primaryclass": candidate.classes[0]} if candidate.classes else {}
    fields |= {"doi": candidate.doi} if candidate.doi else {}
    address = f"https://arxiv.org/abs/{candidate.arxiv}" if candidate.arxiv else next(iter(candidate.links), "")
    fields["url"] = address or (f"https://doi.org/{candidate.doi}" if candidate.doi else "")
    days = {"submitted": candidate.submitted, "announced": candidate.announced}
    fields |= {name: found.isoformat() for name, found in days.items() if found}
    if candidate.arxiv:
        fields["version"] = str(candidate.version or "unknown")
    for axis in pool.taxonomy.on("entry"):
        if not axis.steps:
            fields[axis.field] = defaults.get(axis.id, "unknown" if "unknown" in axis.absences else "")
        if axis.evidence or axis.parts:
            fields[axis.why] = _evidence(axis, criterion, today)
    fields |= {"summary": summary, "sources": fields["url"], "added": today.isoformat()}
    body = [f"  {name} = {value if name == 'month' else f'{{{value}}}'}," for name, value in fields.items()]
    key = new_key(candidate, {*(work.key for work in (*pool.entries, *pool.records))}, seen.year)
    text = "\n".join([f"@misc{{{key},", *body, "}", ""])
    document = parse_bibtex(text, "the candidate")
    return write_bibtex([replace(block) for block in document.blocks]) if not document.problems else text


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
    """
    if "," in name:
        return name
    words = name.split()
    if len(words) < 2:
        return f"{{{name}}}"
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES:
        start -= 1
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}"


def protected(title: str) -> str:
    """Return a title as LaTeX, with words in braces whose capitals a style must not change.

    >>> protected("LLM teams & their pRoles at 5%")
    '{LLM} teams \\\\& their {pRoles} at 5\\\\%'
    """
    escaped = re.sub(r"(?<!\\)([%&#_$])", r"\\\1", title)
    return re.sub(
        "[A-Za-z0-9]+", lambda word: f"{{{word[0]}}}" if word[0][1:] != word[0][1:].lower() else word[0], escaped
    )
