"""The form for a new entry: filled in and checked on a page, and exported as BibTeX.

The form itself is in the page, with every axis, value and definition of the taxonomy. The
checks run in the reader's browser (``assets/new-entry*.js``) on the vocabulary that this module
provides; their messages are those of ``survey check``. Works that the pool already has are
looked up in the data of the page on related work.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey.literature import Axis, Pool, Shape
from survey.literature.bibtex import CITED, COMBINING, FONTS, LATEX, MONTHS, REQUIRED_BY_TYPE, SYMBOLS
from survey.literature.bibtex.commands import SWITCHES, symbols
from survey.literature.bibtex.formulas import FRACTIONS, MARKS
from survey.literature.problems import expected
from survey.literature.taxonomy import ADDRESS
from survey.literature.taxonomy.axes import Rule
from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.pages.related.builder import ADDING, PROTOCOL, WORKS

PAGE = "take-part/new-entry.md"

RARE = "related/commands.json"
"""The file with rarer commands of LaTeX, which the script loads beside the list of works: the page would be heavy."""

GUIDES: Final = {PROTOCOL: "which works are retained", ADDING: "how entries are added"}
"""The hand-written pages that tell a contributor more, if the survey has them."""

BEFORE_TAGS: Final = ("authors-incomplete", "code", "submitted", "announced", "version")
AFTER_TAGS: Final = ("ids", "summary", "sources", "third-party", "sought", "added", "route")
"""Our own fields before and after the tags, in the order of the pool."""

FORMULAS: Final = frozenset({
    "tau", "alpha", "beta", "gamma", "lambda", "mu", "pi", "sigma", "epsilon", "infty", "times", "to",
    "cdot", "pm",
})  # fmt: skip
"""Symbols that LaTeX allows in formulas only."""

HOW_MANY: Final = {
    Shape.ONE: "one",
    Shape.RANKED: "one or more, the primary one first",
    Shape.SET: "all that apply",
    Shape.QUANTITY: "with numbers",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A text field of the form: its BibTeX name, its label, and a hint on what to write."""

    name: str
    label: str
    hint: str = ""
    rows: int = 0
    example: str = ""


WORK: Final = (
    Box("title", "Title", "Exactly as printed. Put braces round capitals that must stay: {DNA}, {Bayes}."),
    Box("author", "Authors", "All in order, one a line: Last, First. In braces: {CERN}, or {Van den Poel}, Dirk.", 4),
    Box("eprint", "arXiv id", "Fills in year, month and address.", example="2603.06859"),
    Box("year", "Year", example="2026"),
    Box("doi", "DOI", "Without https://doi.org/.", example="10.1038/s41586"),
    Box("url", "Address", "Where it can be read.", example="https://"),
    Box("code", "Code", "The address that the work itself gives.", example="https://"),
    Box("submitted", "Submitted", "The day of version 1.", example="2026-03-07"),
    Box("announced", "Announced", "When it was first public: YYYY, YYYY-MM or YYYY-MM-DD.", example="2026-03-09"),
    Box("version", "Version", 'Of which version are title and authors? A number, or "published".', example="1"),
)
"""The fields of every work; the month, a list to choose from, is placed beside the year."""

PUBLISHED: Final = (
    Box("journal", "Journal"), Box("booktitle", "Book or proceedings"), Box("publisher", "Publisher"),
    Box("institution", "Institution"), Box("school", "School"), Box("note", "Note"),
    Box("primaryclass", "arXiv class", example="astro-ph.CO"), Box("howpublished", "How published"),
    Box("volume", "Volume"), Box("number", "Number"), Box("pages", "Pages", example="1–20"),
    Box("series", "Series"), Box("edition", "Edition"), Box("chapter", "Chapter"),
    Box("editor", "Editors", "One a line, as authors.", 2), Box("organization", "Organisation"),
    Box("address", "Place"), Box("isbn", "ISBN"), Box("issn", "ISSN"),
    Box("authors-incomplete", "Why the list of authors is incomplete", "Only if the full list is unavailable."),
    Box("ids", "Former key"),
)  # fmt: skip
"""Publication details; the script moves the fields that a type requires out of the folded part."""

READING: Final = (
    Box("summary", "Summary", "One sentence: what the work contributes.", 3),
    Box("sources", "Sources", "The addresses you read, one a line: the work, its authors, its venue.", 3),
    Box("third-party", "Third parties' pages", "What others wrote on it and you read, one a line.", 2),
    Box("sought", "Looked for", "Which fuller text was looked for and not found, and when."),
    Box("added", "Added", "The day it is added to the pool.", example="2026-03-10"),
    Box("route", "Route", "By which searches it was found: ids of searches.toml, semicolons between them."),
)


def new_entry_pages(facts: Facts) -> Files:
    """Yield the page with the form."""
    pool = facts.pool
    axes = pool.taxonomy.on("entry")
    yield (
        PAGE,
        render(
            "pages/new_entry/new-entry.md.j2",
            pool=pool,
            page=PAGE,
            works=WORKS,
            commands=RARE,
            issues=facts.issues,
            repository=facts.repository,
            vocabulary=vocabulary(pool),
            tagged=[axis for axis in axes if axis.coded or (axis.steps and axis.evidence)],
            plain=[axis for axis in axes if not axis.evidence and not axis.part_of],
            follow={
                axis.id: [other for other in axes if other.steps and axis.id in (other.id, other.part_of)]
                for axis in axes
            },
            how_many=HOW_MANY,
            months=MONTHS,
            guides=[(path, words) for path, words in GUIDES.items() if path in facts.written],
            types=REQUIRED_BY_TYPE,
            boxes={box.name: box for box in (*WORK, *PUBLISHED, *READING)},
            published=PUBLISHED,
        ),
    )
    yield RARE, json.dumps(rare_commands(), ensure_ascii=False, separators=(",", ":"))


def rare_commands() -> dict[str, Mapping[str, str] | list[str]]:
    """Return what the script knows of LaTeX beyond what the page brings."""
    return {
        "more": symbols(),
        "switches": sorted(SWITCHES),
        "marks": sorted(MARKS),
        "fractions": sorted(FRACTIONS),
    }


def vocabulary(pool: Pool) -> dict[str, Any]:
    """Return what the script needs to write an entry and to check it as ``survey check`` does."""
    taxonomy = pool.taxonomy
    axes = taxonomy.on("entry")
    ids = {axis.id for axis in axes}
    tagged = [
        field
        for axis in axes
        for field in (*([] if axis.steps else [axis.field]), *([axis.why] if axis.evidence else []))
    ]
    sourcing = pool.protocol.sourcing
    needs, hosts, said_as = sourcing.preprint, sourcing.third_parties, sourcing.said_as
    return {
        "axes": [_axis(axis, taxonomy.field_of(axis.id)) for axis in axes],
        "rules": _rules(rule for rule in taxonomy.rules if rule.when.keys() <= ids),
        "impossible": [{"cells": _lists(found.cells), "why": found.why} for found in taxonomy.impossible],
        "types": REQUIRED_BY_TYPE,
        "order": [*CITED, *BEFORE_TAGS, *tagged, *AFTER_TAGS],
        "edition": max((day.isoformat() for day, edition in pool.editions.items() if edition.data), default=""),
        "required": ["author", "title", "year", *(name for name in taxonomy.settings.required if name != ADDRESS)],
        "addressed": ADDRESS in taxonomy.settings.required,
        "sourcing": {"preprint": needs, "thirdParties": hosts, "saidAs": said_as},
        "latex": sorted(LATEX),
        "commands": {
            "accents": COMBINING,
            "symbols": SYMBOLS,
            "fonts": sorted(FONTS),
            **{name: type(names)() for name, names in rare_commands().items()},  # until they are loaded
        },
        "written": written(),
    }


def written() -> dict[str, str]:
    r"""Return the LaTeX that the pool uses for each character that plain LaTeX lacks: the inverse of ``latex.SYMBOLS``.

    >>> written()["ß"], written()["τ"], written()["–"]
    ('{\\ss}', '$\\tau$', '--')
    """
    out = {"–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~"}
    for name, character in SYMBOLS.items():
        alone = len(character) == 1 and not character.isascii() and unicodedata.category(character) != "Zs"
        if name.isalpha() and alone and character not in out:
            out[character] = f"$\\{name}$" if name in FORMULAS else f"{{\\{name}}}"
    return out


def _rules(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return rules with the same condition and reason as one: most lines of the table of what applies are."""
    out: dict[str, dict[str, Any]] = {}
    for rule in rules:
        when, name = _lists(rule.when), repr((rule.when, rule.because))
        one = out.setdefault(name, {"when": when, "only": {}, "because": rule.because})
        if one["only"].keys() & rule.only.keys():  # two rules on one axis are two
            out[f"{name} {len(out)}"] = {"when": when, "only": _lists(rule.only), "because": rule.because}
        else:
            one["only"] |= _lists(rule.only)
    return list(out.values())


def _axis(axis: Axis, field: str) -> dict[str, Any]:
    missing = f"is missing {expected('', axis.words)}"
    listed = f"is missing (expected one of: {', '.join(axis.words)})"  # which the script can say by itself
    return {
        "id": axis.id,
        "field": field,
        "tag": axis.field,
        "why": axis.why if axis.evidence else "",
        "shape": axis.shape,
        "required": axis.required,
        "values": list(axis.values),
        "absences": list(axis.absences),
        "qualifiers": list(axis.qualifiers),
        "steps": [
            {"gives": step.gives, "when": [[part, list(words)] for part, words in step.when]} for step in axis.steps
        ],
        "parts": list(axis.parts),
    } | ({} if missing == listed else {"missing": missing})


def _lists(words: Any) -> dict[str, list[str]]:
    return {axis: list(values) for axis, values in words.items()}
