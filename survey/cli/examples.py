"""Help texts with examples in the words of the survey at hand."""

from __future__ import annotations

import re
from pathlib import Path

import click

from survey.cli.lazy_group import LazyGroup

PLACE = re.compile(r"\{([a-z]+)\}")
PART = re.compile(r"\S+(?: \S+)*")
"""What stands in one column of a line: words between which there is one blank."""


class WithExamples(click.Command):
    """A command whose help has places like {rows} for axes and filters of the survey."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help with the examples filled in."""
        plain = self.help
        self.help = filled(plain or "", ctx.find_root().params.get("folder"))
        super().format_help_text(ctx, formatter)
        self.help = plain


class GroupWithExamples(WithExamples, LazyGroup):
    """A group of commands whose help has such places."""


def filled(text: str, folder: Path | None) -> str:
    """Return a text with its places filled in, from the taxonomy of a folder if it can be read.

    >>> filled("survey crosstab {rows} {columns}   two axes", Path("no/such/folder"))
    'survey crosstab ROWS COLUMNS       two axes'
    """
    known = _examples(folder)
    return "\n".join(_line(line, known) if PLACE.search(line) else line for line in text.split("\n"))


def _line(line: str, known: dict[str, str]) -> str:
    """Return a line with its places filled in; what follows after several blanks keeps its column."""
    out = ""
    for part in PART.finditer(line):
        gap = max(part.start() - len(out), 2 if out else 0)
        out += " " * gap + PLACE.sub(lambda found: known.get(found[1], found[0]), part[0])
    return out


def _examples(folder: Path | None) -> dict[str, str]:
    # imported for a help text alone: a command on a trace needs no pool
    from survey.literature import InvalidSurvey
    from survey.literature.loading import TAXONOMY
    from survey.literature.taxonomy import NEUTRAL, examples, read_taxonomy

    places = [folder] if folder else [place / "bib" for place in (Path.cwd(), *Path.cwd().parents)]
    path = next((found for place in places if (found := place / TAXONOMY).is_file()), None)
    try:
        return examples(read_taxonomy(path)) if path else dict(NEUTRAL)
    except InvalidSurvey:
        return dict(NEUTRAL)
