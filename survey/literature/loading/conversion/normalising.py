"""Putting the fields of a foreign entry into the form of this one, step by step.

A step changes what can be read in one way only. What it cannot read it leaves, or puts away under ``original-...``,
so that no text is lost. The names of biblatex become those of BibTeX, which every program reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from bibtexparser.middlewares.names import split_multiple_persons_names

from survey.literature.bibtex import (
    LATEX,
    MONTHS,
    REQUIRED_BY_TYPE,
    arxiv_date,
    by_formula,
    check_field,
    parse_names,
    unknown_latex,
)
from survey.literature.loading.conversion.foreign import Draft

FIELDS: Final = {
    "journaltitle": "journal", "location": "address", "eprinttype": "archiveprefix", "eprintclass": "primaryclass",
    "annotation": "annote", "pagetotal": "pages-total",
}  # fmt: skip
"""Names of fields in biblatex, and in BibTeX."""

TYPES: Final = {
    "conference": "inproceedings", "report": "techreport", "collection": "book", "proceedings": "book",
    "mvbook": "book", "mvcollection": "book", "mvproceedings": "book", "inbook": "incollection",
}  # fmt: skip
"""Types that every style can cite in place of those that some cannot; all that is not named becomes ``misc``."""

PUBLISHED: Final = frozenset({"journal", "booktitle", "publisher", "school", "institution"})
"""Fields that say where a work was published, before it was on arXiv if its year is earlier."""

MONTH = re.compile("|".join(MONTHS))
YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
ARXIV_INSIDE = re.compile(
    r"(?i)(?:https?://)?(?:arxiv(?:\.org)?[.:/ ]*(?:abs/|pdf/)?)?"
    r"([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v(\d+))?"
)
DOI_PREFIX = re.compile(r"(?i)^(?:https?://(?:dx\.)?doi\.org/|doi:? ?)")
OTHERS = re.compile(r"(?i)[ ,;]{0,4}\b(?:and )?(?:others|et\.? al\.?)$")
INITIALS = re.compile(r"(?:[A-Z]\.[ ~-]?)+[A-Z][a-z]")
JUNIOR = re.compile(r"(?i)jr\.?|sr\.?|[ivx]+")
BARE = re.compile(r"(?<!\\)([%#&])")
BARE_OUTSIDE = re.compile(r"(?<!\\)([_^])")
OUTSIDE: Final = {"_": r"\_", "^": r"\textasciicircum{}"}
"""How signs that are commands outside formulas are written there; a backslash before a ^ makes an accent of it."""


PREPRINT = "preprints and others without a place of publication: cited as @misc"
ADDRESS = "addresses: cleaned"
IDENTIFIER = "DOIs and arXiv ids: cleaned"
UNREADABLE = "what cannot be read as {}: kept as original-{}"


def normalise(draft: Draft) -> None:
    """Put one entry into the form of this format."""
    for step in STEPS:
        step(draft)


def inherit(draft: Draft, others: Mapping[str, Draft]) -> None:
    """Write out what an entry takes from the one that its ``crossref`` names."""
    parent = others.get(draft.text("crossref").lower()) if "crossref" in draft.fields else None
    if parent is None or parent is draft:
        if "crossref" in draft.fields:
            draft.put_away("crossref", "crossref to what is not in the file: kept as original-crossref")
        return
    for name, text in parent.fields.items():
        name = "booktitle" if name == "title" else name
        if name not in draft.fields and name not in ("crossref", "url", "doi", "isbn", "eprint", "author"):
            draft.fields[name] = text
    draft.put_away("crossref", "crossref: what it stands for is written out")


def _names_of_fields(draft: Draft) -> None:
    for name, ours in FIELDS.items():
        if name in draft.fields and ours not in draft.fields:
            draft.fields[ours] = draft.fields.pop(name)
            draft.note("fields of biblatex: under their names in BibTeX", f"{name} -> {ours}")


def _type(draft: Draft) -> None:
    if draft.type == "thesis":
        kind = "mastersthesis" if "mast" in draft.text("type").lower() else "phdthesis"
        draft.type = kind
        if "institution" in draft.fields and "school" not in draft.fields:
            draft.fields["school"] = draft.fields.pop("institution")
    elif draft.type not in REQUIRED_BY_TYPE:
        found, draft.type = draft.type, TYPES.get(draft.type, "misc")
        draft.fields["original-type"] = found
        draft.note("types that some styles cannot cite: the nearest one that all can", f"@{found} -> @{draft.type}")


def _arxiv(draft: Draft) -> None:
    """Read an arXiv id wherever it stands; another archive's id is kept, but is no ``eprint`` here."""
    for name in ("arxiv", "arxivid"):
        if name in draft.fields and "eprint" not in draft.fields:
            draft.fields["eprint"] = draft.fields.pop(name)
    found = draft.text("eprint")
    inside = ARXIV_INSIDE.fullmatch(found)
    archive = draft.text("archiveprefix").lower()
    if inside and archive in ("", "arxiv") and arxiv_date(inside[1]):
        draft.set("eprint", inside[1], IDENTIFIER)
        if inside[2]:
            draft.fields.setdefault("version", inside[2])
        draft.set("archiveprefix", "arXiv", "archivePrefix of arXiv ids: added")
    elif found:
        draft.put_away("eprint", UNREADABLE.format("an arXiv id", "eprint"))
        if "archiveprefix" in draft.fields:
            draft.put_away("archiveprefix", UNREADABLE.format("an arXiv id", "eprint"))
    elif "archiveprefix" in draft.fields:
        draft.put_away("archiveprefix", "archivePrefix without an eprint: kept as original-archiveprefix")
    if "primaryclass" in draft.fields and "eprint" not in draft.fields:
        draft.put_away("primaryclass", "primaryClass without an eprint: kept as original-primaryclass")


def _doi(draft: Draft) -> None:
    if not (found := draft.text("doi")):
        return
    clean = re.sub(r"\\([_&%#])|[{}]", lambda match: match[1] or "", found)
    doi, *more = re.split(r"[,;] ?(?=10\.|https?:)| ", DOI_PREFIX.sub("", clean))
    doi = doi.rstrip(".")
    if any(check_field("doi", doi)):  # also where a part of it would pass: that is the DOI of another work, or of none
        draft.put_away("doi", UNREADABLE.format("a DOI", "doi"))
        return
    if more:
        draft.keep("doi")
    draft.set("doi", doi, IDENTIFIER)


def _url(draft: Draft) -> None:
    if not (found := draft.text("url")):
        return
    clean = re.sub(r"^\\url\s*\{(.*)\}$|^<(.*)>$", lambda match: match[1] or match[2], found)
    clean = re.sub(r"\\([_&%#~{}])", r"\1", clean).replace(r"\textasciitilde", "~").strip()
    if re.match(r"(?i)www\.|[a-z0-9.-]+\.(?:org|com|net|edu|gov|io|ch)/", clean):
        clean = f"https://{clean}"
    first, *more = re.split(r"[ ,;]{1,5}(?=https?://)", clean)
    if not re.match(r"https?://[^/\s]", first):
        draft.put_away("url", UNREADABLE.format("a web address", "url"))
        return
    if more:
        draft.keep("url")
    draft.set("url", quote(first, safe="%/:=&?~#+!$,;'@()*[]"), ADDRESS)


def _dates(draft: Draft) -> None:
    if "date" in draft.fields and "year" not in draft.fields:
        if match := ISO.match(draft.text("date")):
            draft.fields["year"] = match[1]
            if match[2] and "01" <= match[2] <= "12":
                draft.fields.setdefault("month", MONTHS[int(match[2]) - 1])
        draft.put_away("date", "date: as year and month")
    year = draft.text("year")
    if year and not re.fullmatch(r"\d{4}", year):
        if match := YEAR.search(year):
            draft.keep("year")
            draft.set("year", match.group(), "years with other words: the year alone")
        else:
            draft.put_away("year", UNREADABLE.format("a year", "year"))
    month = draft.text("month")
    if month and month not in MONTHS:
        number = re.match(r"0?([1-9]|1[0-2])\b", month)
        name = MONTH.search(month.lower())
        if number or name:
            read = MONTHS[int(number[1]) - 1] if number else name.group()  # type: ignore[union-attr]
            if not re.fullmatch(r"[0-9]+|[A-Za-z]+\.?", month):
                draft.keep("month")
            draft.set("month", read, "months as numbers or names: as the macros of BibTeX")
        else:
            draft.put_away("month", UNREADABLE.format("a month", "month"))


def _year_of_the_preprint(draft: Draft) -> None:
    """A preprint is of the year of its id; what was published before it was posted keeps the id as an address."""
    posted, year = arxiv_date(draft.text("eprint")), draft.text("year")
    if not posted or year == str(posted[0]):
        return
    if not year:
        draft.set("year", str(posted[0]), "years that are missing: that of the arXiv id")
    elif int(year) < posted[0] and draft.fields.keys() & PUBLISHED:
        draft.fields.setdefault("url", f"https://arxiv.org/abs/{draft.text('eprint')}")
        for name in ("eprint", "archiveprefix", "primaryclass"):
            if name in draft.fields:
                draft.put_away(name, "published before it was on arXiv: the arXiv id is kept as an address")
    elif int(year) < posted[0] or not draft.fields.keys() & {"journal", "booktitle"}:
        draft.keep("year")
        draft.set("year", str(posted[0]), "preprints of another year than their arXiv id: the year of the id")


def _authors(draft: Draft) -> None:
    for name in ("collaboration", "organization", "editor"):
        if "author" not in draft.fields and name in draft.fields:
            text = draft.text(name)
            draft.set("author", text if name == "editor" else f"{{{text}}}", f"no author: the {name} is cited")
    for name in ("author", "editor"):
        if not (found := draft.text(name)):
            continue
        if OTHERS.search(found) and (shorter := OTHERS.sub("", found).strip()):
            draft.fields[name] = found = shorter
            if name == "author":
                draft.fields["authors-incomplete"] = 'The list of authors ends in "and others" in the source.'
            draft.note('lists of people that end in "and others": marked as incomplete', shorter)
        if not _can_be_read(found) or _joined(found):
            draft.keep(name)
            draft.set(name, _people(found), "lists of people that BibTeX cannot split: split at commas or semicolons")


def _can_be_read(people: str) -> bool:
    try:
        return bool(parse_names(people))
    except ValueError:
        return False


def _joined(people: str) -> bool:
    """Return whether commas join people: BibTeX would read "J. Doe, M. Roe" as one person."""
    for name in people.split(" and "):
        parts = [part.strip() for part in name.split(",")]
        if len(parts) == 2 and all(map(INITIALS.match, parts)):
            return True
        if len(parts) > 2 and not JUNIOR.fullmatch(parts[1]):
            return True
    return False


def _people(text: str) -> str:
    """Return a list of people in the form of BibTeX; who cannot be read is named as written, like a corporation."""
    listed = [one.strip(" ,") for one in split_multiple_persons_names(text) if one.strip(" ,")]
    for sign in (";", ","):
        split = [one.strip() for whole in listed for one in whole.split(sign) if one.strip()]
        readable = _can_be_read(" and ".join(split)) and all(" " in one for one in split)
        if readable and len(split) > len(listed):
            return " and ".join(split)
    return " and ".join(one if _can_be_read(one) else f"{{{re.sub('[{}]', '', one)}}}" for one in listed)


def _latex(draft: Draft) -> None:
    """Write a backslash before signs that are commands in LaTeX and were meant as signs."""
    for name in sorted(LATEX & draft.fields.keys()):
        escaped = "".join(
            part if maths else BARE_OUTSIDE.sub(lambda sign: OUTSIDE[sign[1]], part)
            for part, maths in by_formula(BARE.sub(r"\\\1", draft.fields[name]))
        )
        if name == "title" and escaped != draft.fields[name]:
            draft.keep(name)
        draft.set(name, escaped, "signs that are commands in LaTeX: with a backslash")


def _unknown_commands(draft: Draft) -> None:
    """Take commands that cannot be shown out of titles and names; what they format stays."""
    for name in ("title", "author", "editor", "booktitle", "journal"):
        text = draft.text(name).replace("\\''", '\\"')
        if name == "title" and text != draft.text(name):
            draft.keep(name)
        draft.set(name, text, "two apostrophes as an accent: as the sign for two dots")
        while fault := unknown_latex(text):
            command = fault.split(" without ")[0]  # an accent without its letter, a formula without its end
            shorter = text.replace("$", r"\$") if command == "$" else text.replace(command, "", 1)
            if shorter == text:
                return  # the check of the field says why
            text = shorter
        if text != draft.text(name):
            draft.keep(name)
            draft.set(name, text, f"LaTeX that cannot be shown: left out, as written in original-{name}")


def _places(draft: Draft) -> None:
    if any(name not in draft.fields for name in REQUIRED_BY_TYPE[draft.type]):
        draft.note(PREPRINT, f"@{draft.type} {draft.key}")
        if draft.type != "article":
            draft.fields.setdefault("original-type", draft.type)
        draft.type = "misc"
    if draft.type != "article" and draft.fields.keys() >= {"volume", "number"}:
        draft.put_away("number", "number beside volume, of which styles print one: kept as original-number")


STEPS: Final[tuple[Callable[[Draft], None], ...]] = (
    _names_of_fields, _type, _arxiv, _doi, _url, _dates, _year_of_the_preprint, _unknown_commands, _authors,
    _latex, _places,
)  # fmt: skip
