"""The subcommand appraisal: how the studies were made, as far as that was assessed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click
from tabulate import tabulate

from survey.cli.literature.options import pass_bib
from survey.cli.literature.printing import json_header, summary_line, wrapped
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.pool import Answer, Appraisal
from survey.literature.problems import expected, quoted
from survey.plurals import plural


@click.command("appraisal", short_help="Show how the studies were made, as far as assessed.")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@formats("table", "json", "csv")
@pass_bib
def appraisal(folder: Path, keys: tuple[str, ...], form: str) -> None:
    """Show how the studies of the entries were made, as far as that was assessed.

    The questions and answers are in bib/appraisal.toml. An answer needs evidence from a source that
    was read that far; not-said means that the whole text was read and does not say. A work without
    an answer was not assessed: nothing follows from that.

    With KEY, show every answer of that work with its evidence. survey claims --appraised
    ITEM=yes counts the claims on the works with an answer alone.
    """
    pool = load(folder)
    found = pool.appraisal
    if not found:
        raise click.UsageError("there is no appraisal (bib/appraisal.toml names the questions)")
    for key in keys:
        if key not in found.works:
            missing = "was not assessed" if key in pool else "is no entry"
            raise click.UsageError(f"{quoted(key)} {missing} {expected(key, found.works)}")
    rows = [
        [key, item, finding.answer, finding.evidence, finding.source]
        for key in (keys or found.works)
        for item, finding in found.works[key].items()
    ]
    header = ["key", "item", "answer", "evidence", "source"]
    if form == "json":
        questions = {item.id: item.question for item in found.items.values()}
        document = {"asked": list(found.asked), "items": questions, "answers": [dict(zip(header, row)) for row in rows]}  # noqa: B905
        click.echo(json.dumps(json_header(pool) | document, ensure_ascii=False, indent=1))
    elif form == "csv":
        click.echo(csv_text(header, *rows), nl=False)
    elif keys:
        for key, item, answer, evidence, source in rows:
            click.echo(wrapped(f"{key}, {found.items[item].label}: {answer}. {evidence} ({source})"))
    else:
        _table(pool)


def _table(pool: Pool) -> None:
    found = pool.appraisal
    lines = []
    for item in found.items.values():
        answers = Counter(found.answer(key, item.id) for key in found.assessed(item.id))
        lines.append([item.id, len(found.assessed(item.id)), *(answers[answer] for answer in Answer)])
    click.echo(tabulate(lines, ["item", "assessed", *Answer]))
    click.echo(
        f"\n{plural(len(found.works), 'work')} assessed of {len(found.asked)} that are asked; {summary_line(pool)}\n"
    )
    for item in found.items.values():
        click.echo(wrapped(f"{item.id}: {item.question}"))


def matching(appraisal: Appraisal, answers: list[tuple[str, str]]) -> frozenset[str]:
    """Return the works with these answers; an unknown item or answer is an error of the option."""
    try:
        return appraisal.matching(answers)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--appraised") from None


COMMANDS = (appraisal,)
