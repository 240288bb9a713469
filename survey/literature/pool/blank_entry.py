"""A blank entry to fill in: every field, preceded by comments with every axis and its values."""

from __future__ import annotations

from survey.literature.bibtex import MONTHS, arxiv_date
from survey.literature.taxonomy import Axis, Shape, Taxonomy

HOW_MANY = {
    Shape.ONE: "exactly one",
    Shape.RANKED: 'the primary one first, more after ";"',
    Shape.SET: 'all that apply, separated by ";"',
    Shape.QUANTITY: "with numbers",
}


def blank_entry(name: str, taxonomy: Taxonomy, today: str) -> str:
    """Return a commented blank entry for an arXiv id or a key; date and URL are derived from an id.

    ``survey check`` names every field that is still empty. The comments precede the entry, since BibTeX allows none
    inside.
    """
    posted = arxiv_date(name)
    axes = taxonomy.on("entry")
    fields: list[tuple[str, str]] = [("author", "{}"), ("title", "{}")]
    if posted:
        fields += [
            ("year", f"{{{posted[0]}}}"), ("month", MONTHS[posted[1] - 1]), ("eprint", f"{{{name}}}"),
            ("archiveprefix", "{arXiv}"), ("primaryclass", "{}"),
            ("url", f"{{https://arxiv.org/abs/{name}}}"), ("submitted", "{}"), ("announced", "{}"), ("version", "{}"),
        ]  # fmt: skip
    else:
        fields += [("year", "{}"), ("url", "{}"), ("announced", "{}")]
    for axis in axes:
        if not axis.steps:
            fields.append((axis.field, "{}"))
        if axis.evidence:
            fields.append((axis.why, "{}"))
    fields += [("summary", "{}"), ("sources", "{}"), ("third-party", "{}"), ("added", f"{{{today}}}")]
    width = max(len(field) for field, _ in fields)
    key = "" if posted else name
    body = [f"  {field:<{width}} = {value}," for field, value in fields]
    remarks = [f"% {line}".rstrip() for line in (*HELP, *(_remark(axis, width) for axis in axes))]
    return "\n".join([*remarks, "", f"@misc{{{key},", *body, "}", ""])


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
