"""An empty entry, ready to fill: every field, and above it every axis with its values."""

from __future__ import annotations

from survey.literature.bibtex import MONTHS, arxiv_date
from survey.literature.taxonomy import Axis, Shape, Taxonomy

HOW_MANY = {
    Shape.ONE: "exactly one",
    Shape.RANKED: 'the primary one first, more after ";"',
    Shape.SET: 'all that apply, with ";" between',
    Shape.QUANTITY: "with numbers",
}


def skeleton(name: str, taxonomy: Taxonomy, today: str) -> str:
    """A commented entry for an arXiv id or a key; what the id tells is filled in.

    ``survey check`` names every field that is still empty. Remarks stand above the
    entry, since BibTeX has none inside.
    """
    posted = arxiv_date(name)
    axes = taxonomy.on("entry")
    fields: list[tuple[str, str]] = [("author", "{}"), ("title", "{}")]
    if posted:
        fields += [
            ("year", f"{{{posted[0]}}}"), ("month", MONTHS[posted[1] - 1]), ("eprint", f"{{{name}}}"),
            ("archiveprefix", "{arXiv}"), ("primaryclass", "{}"),
            ("url", f"{{https://arxiv.org/abs/{name}}}"),
        ]  # fmt: skip
    else:
        fields += [("year", "{}"), ("url", "{}")]
    for axis in axes:
        fields.append((axis.field, "{}"))
        if axis.evidence:
            fields.append((axis.why, "{}"))
    fields += [("summary", "{}"), ("sources", "{}"), ("added", f"{{{today}}}")]
    width = max(len(field) for field, _ in fields)
    key = "" if posted else name
    body = [f"  {field:<{width}} = {value}," for field, value in fields]
    remarks = [f"% {line}".rstrip() for line in (*HELP, *(_remark(axis, width) for axis in axes))]
    return "\n".join([*remarks, "", f"@misc{{{key},", *body, "}", ""])


HELP = (
    "Fill in what is empty, delete what does not apply, then run: survey check",
    "  key      after the opening brace; people cite and link to it, so it never changes",
    "  author   Last, First and Last, First: everyone, in order; a body in double braces",
    "  title    exact, capitals that must stay in braces",
    "  type     misc for a preprint or a page; inproceedings adds booktitle, article adds journal",
    "  why-...  in your own words, what in which part of the source supports the tag; not needed for na",
    "  summary  one sentence: what the work contributes",
    "  sources  the addresses you read, with a blank between",
    "",
)


def _remark(axis: Axis, width: int) -> str:
    how = f" (each followed by {' or '.join(f': {q}' for q in axis.qualifiers)})" if axis.qualifiers else ""
    values = [f"{value}: N" if axis.shape is Shape.QUANTITY else value for value in axis.values]
    return f"{axis.field:<{width}}  {HOW_MANY[axis.shape]}: {' | '.join([*values, *axis.absences])}{how}"
