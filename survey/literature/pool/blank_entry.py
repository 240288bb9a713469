"""An entry to fill in: every field, preceded by comments with every axis and its values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from survey.literature.taxonomy import Axis, Shape, Taxonomy

HOW_MANY = {
    Shape.ONE: "exactly one",
    Shape.RANKED: 'the primary one first, more after ";"',
    Shape.SET: 'all that apply, separated by ";"',
    Shape.QUANTITY: "with numbers",
}


PUBLISHED = ("booktitle", "journal")
PREPRINT = ("eprint", "archiveprefix", "primaryclass")
BARE = ("month",)
"""Fields whose value is a macro."""


def blank_entry(
    key: str, taxonomy: Taxonomy, today: str, facts: Mapping[str, str] = MappingProxyType({}), type: str = "misc"
) -> str:
    """Return a commented entry to fill in: what ``facts`` say is in it already, and every other field is empty.

    ``survey check`` names every field that is still empty. The comments precede the entry, since BibTeX allows none
    inside.
    """
    preprint = "eprint" in facts
    names = ["author", "title", *(name for name in PUBLISHED if name in facts), "year"]
    names += ["month"] if preprint or "month" in facts else []
    names += PREPRINT if preprint else ()
    names += ["doi"] if "doi" in facts else []
    names += ["url", *(["submitted"] if preprint else []), "announced", *(["version"] if preprint else [])]
    for axis in taxonomy.on("entry"):
        names += [axis.field] if not axis.steps else []
        names += [axis.why] if axis.evidence else []
    names += ["summary", "sources", "third-party", "added"]
    values = {**facts, "added": today}
    width = max(map(len, names))
    texts = {name: values.get(name, "") for name in names}
    body = [f"  {name:<{width}} = {text if text and name in BARE else f'{{{text}}}'}," for name, text in texts.items()]
    remarks = [f"% {line}".rstrip() for line in (*HELP, *(_remark(axis, width) for axis in taxonomy.on("entry")))]
    return "\n".join([*remarks, "", f"@{type}{{{key},", *body, "}", ""])


HELP = (
    "Fill in the empty fields, delete those that do not apply, then run: survey check",
    "  key          after the opening brace; it never changes, since people cite and link to it",
    "  author       Last, First and Last, First: all authors, in order; corporate authors in double braces",
    "  title        exact, with protected capitals in braces",
    "  type         misc for a preprint or a page; inproceedings adds booktitle, article adds journal",
    "  submitted    the day of version 1",
    "  announced    when it could first be read: for a preprint the day of its first listing",
    "  version      of which version title and authors are: its number, published, or unknown",
    "  why-...      in your own words, what in which part of the source supports the tag; not needed for na",
    "  summary      one sentence: what the work contributes",
    "  sources      the URLs you read, separated by blanks: the work, its authors, its venue",
    "  third-party  the URLs of what others wrote on it and you read",
    "",
)


def _remark(axis: Axis, width: int) -> str:
    if axis.steps:
        return f"{axis.why:<{width}}  evidence for {', '.join(axis.parts)}, from which {axis.id} follows"
    how = f" (each followed by {' or '.join(f': {q}' for q in axis.qualifiers)})" if axis.qualifiers else ""
    values = [f"{value}: N" if axis.shape is Shape.QUANTITY else value for value in axis.values]
    return f"{axis.field:<{width}}  {HOW_MANY[axis.shape]}: {' | '.join([*values, *axis.absences])}{how}"
