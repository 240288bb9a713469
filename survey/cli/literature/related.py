"""The subcommand for a related-work section."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import click

from survey.cli.examples import WithExamples
from survey.cli.literature.options import as_of, pass_bib, primary, where
from survey.cli.literature.printing import json_header, wrapped
from survey.cli.output import formats
from survey.literature import load
from survey.literature.related import NOTICE, Related, Style, related


@click.command(
    "related", cls=WithExamples, short_help="Sentence, covering set and paragraph for a related-work section."
)
@where
@primary
@click.option("--cover", "axes", multiple=True, metavar="AXIS",
              help="Cover every value of this axis; repeatable.")  # fmt: skip
@as_of
@formats("text", "latex", "markdown", "json")
@pass_bib
def related_command(
    folder: Path, filters: list[tuple[str, str]], primary: bool, axes: tuple[str, ...], day: date | None, form: str
) -> None:
    """Prepare a related-work section: a citable count, a covering set, a paragraph skeleton.

    \b
    the sentence       how many entries match, ready to cite with edition and data
    the covering set   the fewest entries that together have every value that occurs on the
                       chosen axes: those that are read first, then by first publication
    the paragraph      the entries by their values on those axes, with citations: a skeleton
                       generated from counts, for the author to rewrite

    Without --cover, the set covers the first three main axes that no --where names and on
    which the entries differ. The citations are keys of: survey export --format bib

    \b
        survey related --where {filter}
        survey related --where {qualified} --format latex
        survey related --cover {rows} --cover {columns} --format markdown
    """
    pool = load(folder).as_of(day)
    try:
        pool.where(filters)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--where") from None
    try:
        found = related(pool, filters, axes or None, primary)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--cover") from None
    if form == "json":
        click.echo(json.dumps(json_header(pool) | _as_dict(found), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(_lines(found, Style(form))))


def _lines(found: Related, style: Style) -> Iterator[str]:
    remark = {Style.TEXT: "{}", Style.LATEX: "% {}", Style.MARKDOWN: "<!-- {} -->"}[style]
    yield from _prose(found.cited(style), style)
    if found.path:
        yield ""
        yield from _prose(f"Covering set: {found.path_summary}", style)
        yield from _steps(found, style)
    yield ""
    yield from (remark.format(line) for line in textwrap.wrap(NOTICE, 90))
    yield ""
    yield from _prose(found.paragraph(style), style)
    if found.entries:
        yield ""
        yield remark.format(f"Citations: {_export(found)}")


def _prose(text: str, style: Style) -> list[str]:
    """Return text wrapped for the terminal; text for other programs stays on one line."""
    return [wrapped(text)] if style is Style.TEXT else [text]


def _steps(found: Related, style: Style) -> Iterator[str]:
    match style:
        case Style.LATEX:
            yield r"\begin{enumerate}"
            yield from (f"  \\item \\cite{{{step.entry.key}}} % {found.describe(step)}" for step in found.path)
            yield r"\end{enumerate}"
        case Style.MARKDOWN:
            yield ""
            yield from (f"1. [@{step.entry.key}] <!-- {found.describe(step)} -->" for step in found.path)
        case _:
            for n, step in enumerate(found.path, 1):
                entry = step.entry
                yield f"\n{n:>3}. {click.style(entry.key, bold=True)}: {entry.by} {entry.year}"
                yield wrapped(entry.title, "     ")
                yield wrapped(found.describe(step), "     ")


def _export(found: Related) -> str:
    """Return the command that exports the entries as BibTeX."""
    asked = "".join(f" --where {_quoted(f'{axis}={value}')}" for axis, value in found.filters)
    asked += " --primary" if found.primary else ""
    day = f" --as-of {found.pool.snapshot}" if found.pool.snapshot else ""
    return f"survey export --format bib{asked}{day}"


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w=,:.-]+", text) else f"'{text}'"


def _as_dict(found: Related) -> dict[str, Any]:
    return {
        "data": found.pool.fingerprint,
        "filters": [{"axis": axis, "value": value} for axis, value in found.filters],
        "by": "first value" if found.primary else "any value",
        "n": len(found.entries),
        "keys": [entry.key for entry in found.entries],
        "sentence": found.sentence,
        "cover": list(found.axes),
        "path": [
            {
                "key": step.entry.key,
                "because": step.reason,
                "adds": [{"axis": axis, "value": cell} for axis, cell in step.new_values],
                "only": [{"axis": axis, "value": cell} for axis, cell in step.unique_values],
            }
            for step in found.path
        ],
        "smallest": found.smallest,
        "notice": NOTICE,
        "paragraph": {str(style): found.paragraph(style) for style in Style},
    }


COMMANDS = (related_command,)
