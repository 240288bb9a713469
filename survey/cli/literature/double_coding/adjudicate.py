"""The subcommand adjudicate: decide, case by case, which value stands where readings differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from survey.cli.literature.double_coding.answers import Skip, Stop, ask
from survey.cli.literature.double_coding.queue import axes_option
from survey.cli.literature.options import fail, pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import echo
from survey.literature import InvalidSurvey, Pool, Tag, load
from survey.literature.double_coding import Open, asked_axes, codebook, open_disagreements
from survey.literature.double_coding import adjudicate as record
from survey.literature.loading import CODINGS, POOL
from survey.literature.pool import ADJUDICATIONS, NOTES, format_tags, parse_tags
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Axis
from survey.plurals import plural


@click.command("adjudicate", short_help="Decide which value stands where readings differ.")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@axes_option
@click.option("--absences", type=click.Choice(["together", "apart"]), default="together", show_default=True,
              help="Whether na, none and unknown count as one value.")  # fmt: skip
@click.option("--codebook", "definitions", is_flag=True, help="Show the codebook of the axis with each case.")
@pass_bib
def adjudicate(folder: Path, keys: tuple[str, ...], axes: tuple[str, ...], absences: str, definitions: bool) -> None:
    """Decide, one by one, the disagreements of the pool with the codings that nobody adjudicated.

    Each case shows the pool's tags with their evidence, and the tags, reason, reading depth and
    confidence of every coding of that entry and axis. The answer is which tags stand, and why:

    \b
      0              those of the pool
      1, 2, ...      those of the coding with that number
      TAGS           others, as in pool.bib ("shared; verifier")
      -              skip this case        .       stop; so does the end of the input

    The decision goes to bib/codings/adjudications.csv. If other tags than the pool's stand, that
    one field of bib/pool.bib changes and nothing else in the file; the tags it had are kept in the
    column "was". Evidence is not rewritten: the command names the field to revise. A tag that was
    na and so had no evidence gets the reason as its evidence. Each decision is tried on a copy
    first: one that breaks a rule of the taxonomy is refused. If it contradicts another file, such
    as a published number in claims.toml, it is recorded, and the run ends with what to put right.
    """
    pool = load(folder)
    for key in keys:
        if key not in pool:
            raise click.BadParameter(f"there is no entry {quoted(key)} {expected(key, [e.key for e in pool])}",
                                     param_hint="KEY")  # fmt: skip
    try:
        asked = asked_axes(pool, axes)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--axis") from None
    cases = open_disagreements(pool, asked, keys, absences == "apart")
    decided = 0
    try:
        for place, case in enumerate(cases, 1):
            echo("\n".join(["", f"{place} of {len(cases)}", *_case(pool, case, definitions)]))
            try:
                tags, why = _decision(pool.taxonomy[case.axis], case)
            except Skip:
                continue
            pool, refused = _recorded(folder, pool, case, tags, why)
            decided += not refused
    except Stop:
        click.echo()
    click.echo(f"{decided} of {plural(len(cases), 'disagreement')} decided in {folder / CODINGS / ADJUDICATIONS}")


def _decision(axis: Axis, case: Open) -> tuple[tuple[Tag, ...], str]:
    numbered = {str(number): tags for number, tags in enumerate([case.tags, *(j.tags for _, j in case.sides)])}
    numbered = {number: tags for number, tags in numbered.items() if number not in axis.words}

    def wrong(text: str) -> str:
        if text.isdigit() and text not in axis.words:
            return "" if text in numbered else f"there is no reading {text} (expected 0 to {len(case.sides)})"
        return "; ".join(parse_tags(text, axis)[1])

    answer = ask("Which stands", wrong)
    return numbered.get(answer) or parse_tags(answer, axis)[0], ask("Why")


def _recorded(folder: Path, pool: Pool, case: Open, tags: tuple[Tag, ...], why: str) -> tuple[Pool, bool]:
    """Record a decision; return the pool as it is then, and whether the decision was refused."""
    entry, axis = pool[case.key], pool.taxonomy[case.axis]
    try:
        problems = record(folder, pool, case, tags, why)
    except InvalidSurvey as error:
        echo("\n".join(["refused, nothing was written:", *map(str, error.problems)]), err=True)
        return pool, True
    if tags != case.tags:
        echo(f"{folder / POOL}:{entry.block.fields[axis.field].line}: {axis.field} is now {quoted(format_tags(tags))}")
        if axis.why in entry.block.fields:
            echo(
                f"{folder / POOL}:{entry.block.fields[axis.why].line}: {axis.why} speaks for the former tags: revise it"
            )
    if problems:
        fail(problems)
    return (load(folder) if tags != case.tags else pool), False


def _case(pool: Pool, case: Open, definitions: bool) -> Iterator[str]:
    entry, axis = pool[case.key], pool.taxonomy[case.axis]
    yield wrapped(f"{entry.key}, {axis.id}: {entry.title}")
    yield f"{', '.join(filter(None, (entry.venue, str(entry.year))))}   {entry.url}".rstrip()
    if definitions:
        yield from (
            wrapped(line.strip(), line[: len(line) - len(line.lstrip())]) for line in codebook(axis, pool.taxonomy)
        )
    depth = "; ".join(f"{name}: {entry.text(name)}" for name in NOTES if name != "why" and entry.text(name))
    yield wrapped(f"0  {format_tags(case.tags)}   (pool{f'; {depth}' if depth else ''})")
    yield wrapped(entry.text(axis.why) or "(no evidence)", "     ")
    for number, (id, judgement) in enumerate(case.sides, 1):
        notes = "; ".join(f"{name}: {judgement.notes[name]}" for name in NOTES[1:] if name in judgement.notes)
        yield wrapped(f"{number}  {format_tags(judgement.tags)}   ({id}{f'; {notes}' if notes else ''})")
        yield wrapped(judgement.notes.get("why") or "(no evidence given)", "     ")


COMMANDS = (adjudicate,)
