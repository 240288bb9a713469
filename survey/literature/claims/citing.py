"""How to cite a claim so that what does not hold is said before it and not behind it, and how to cite an edition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from survey.literature.bibtex import Block, Field, to_latex, write_bibtex
from survey.literature.claims.tallies import Tally
from survey.literature.claims.verdicts import Judgement, Status
from survey.literature.pool import Pool

LEADS = {
    Status.BROADLY: "Read broadly, but not strictly, it holds that",
    Status.CONTESTED: "Codings of the same works disagree whether it holds that",
    Status.OVERTURNED: "It no longer holds that",
    Status.MISSED: "It does not hold, and did not when it was made, that",
    Status.FAILS: "It does not hold that",
    Status.UNMEASURABLE: "What is coded does not tell whether it holds that",
}
"""How a sentence on a claim begins; one that holds speaks for itself."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim with its number, its status, the edition and the address of its page, in three notations.

    In LaTeX ``\\cite`` names the edition; ``edition_bib`` is its BibTeX.
    """

    plain: str
    latex: str
    markdown: str


def citation(judgement: Judgement, fingerprint: str, url: str = "") -> Citation:
    """Return a claim as a sentence to cite. Where readings disagree, it gives the number of each."""
    lead, sentence, id = LEADS.get(judgement.status), judgement.claim.sentence.rstrip("."), judgement.claim.id
    details = f"{_numbers(judgement)}; {judgement.verdict}; edition {judgement.day}, data {fingerprint}"
    said = f'{lead} "{sentence}"' if lead else sentence
    quoted = f"{lead} ``{to_latex(sentence)}''" if lead else to_latex(sentence)
    linked = f"[{_in_markdown(said)}]({url})" if url else _in_markdown(said)
    cited = f"\\cite[claim {to_latex(id)}]{{{edition_key(judgement.day)}}}"
    frame = "{}: {}" if lead else "{} ({})"
    return Citation(
        frame.format(said, details) + "." + (f" {url}" if url else ""),
        frame.format(quoted, to_latex(details)) + f"~{cited}.",
        frame.format(linked, _in_markdown(details)) + ".",
    )


def edition_key(day: date) -> str:
    """Return the key under which an edition is cited."""
    return f"survey-{day}"


def edition_bib(pool: Pool, day: date, url: str = "") -> str:
    """Return BibTeX for an edition of the survey, or for its pool as it stood on another day."""
    creator = pool.taxonomy.settings.creator
    fields = {
        **({"author": f"{{{to_latex(creator)}}}"} if creator else {}),
        "title": f"{{{to_latex(pool.taxonomy.title)}}}",
        "year": str(day.year),
        "month": day.strftime("%b").lower(),
        "howpublished": f"Executable survey, edition of {day}, data {pool.as_of(day).fingerprint}",
        **({"url": url} if url else {}),
    }
    return write_bibtex([Block("misc", edition_key(day), 1, {name: Field(text, 1) for name, text in fields.items()})])


def _numbers(judgement: Judgement) -> str:
    broad, rest = judgement.tallies[0], judgement.tallies[1:]
    numbers = f"n = {broad.number}" if judgement.claim.largest else f"n = {broad.number} of {broad.of}"
    if judgement.status is not Status.HOLDS and rest:
        others = (f"{t.number} {_of_those_read(t)}in the {judgement.names[t.reading]}" for t in rest)
        numbers += f" {judgement.names['pool']}, {', '.join(others)}"
    return numbers


def _of_those_read(t: Tally) -> str:
    """Return the works that a reading read, if it read fewer than all."""
    return f"of the {t.of} that it read " if t.of < t.works else ""


def _in_markdown(text: str) -> str:
    """Return a text in which no character is read as markup."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)
