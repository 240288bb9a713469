"""The subcommand code: a second reading, blind or not, written to the reader's coding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import click

from survey.atomic import write_atomically
from survey.cli.literature.double_coding.answers import HELP, Skip, Stop, ask
from survey.cli.literature.double_coding.queue import axes_option
from survey.cli.literature.options import fail, pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import echo
from survey.literature import Entry, Pool, load
from survey.literature.double_coding import (
    CONTEXT,
    append_judgements,
    asked_axes,
    begin,
    blank_sheet,
    codebook,
    complete,
    queue,
    reader_problem,
    text_problem,
    work,
)
from survey.literature.loading import CODINGS
from survey.literature.pool import Judgement, format_tags, parse_tags, read_sheet
from survey.literature.problems import expected, quoted
from survey.literature.taxonomy import Axis
from survey.plurals import plural

SEEN = "!"

KEYS = f'"{HELP}" shows the codebook, "-" skips a question, "." stops'


@click.command("code", short_help="Read entries a second time and record the tags.")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@click.option("--reader", "id", required=True, metavar="ID", help="Who reads: the coding is bib/codings/ID.csv.")
@axes_option
@click.option("--blind", is_flag=True, help="Show nothing that the first reader wrote.")
@click.option("-n", "--number", type=click.IntRange(min=1), help="Number of entries (with --sheet, of rows).  "
              "[default: until stopped; 20 for a sheet]")  # fmt: skip
@click.option("--sheet", is_flag=True, help="Print a blank CSV sheet to fill in elsewhere; record nothing.")
@click.option("--from", "sheet_file", type=click.Path(dir_okay=False, path_type=Path), metavar="SHEET",
              help="Record a sheet that was filled in.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="With --sheet: output file.  [default: standard output]")  # fmt: skip
@pass_bib
def code(
    folder: Path, keys: tuple[str, ...], id: str, axes: tuple[str, ...], blind: bool, number: int | None,
    sheet: bool, sheet_file: Path | None, output: Path | None,
) -> None:  # fmt: skip
    """Read entries a second time: show a work and the codebook, ask for its tags, record them.

    Without KEY, the entries come in the order of survey queue. Every axis given with --axis is
    asked (without it, all axes); what this reader coded before is left out. The answers go to
    bib/codings/ID.csv after each axis, so that the run can be stopped at any time and goes on where
    it stopped. A new reader is asked for a name and a statement: how the reading is made, and what
    the reader knew before.

    \b
    --blind   shows title, authors, venue, links, and the abstract if the entry has one. Summary,
              evidence, confidence and reading depth are the first reader's words and are hidden, as
              are examples in the codebook that name the work. Recorded as blind = yes
    without   shows the tags and their evidence as well. Recorded as blind = no

    \b
    Answers   tags as in pool.bib ("VALUE; VALUE", "VALUE: HOW", "VALUE: 100"), then your
              confidence, how far you read, and, if you like, the reason
      ?       show the codebook again        -       skip this axis
      !       you know the pool's tags of this work: what follows on it is not recorded as blind
      .       stop; so does the end of the input

    Answers can come from a file on standard input, one per line; an invalid one ends the run. The
    sheet has a row per entry and axis: fill in value, why, read, confidence, and blind = no where
    you knew the tags. Rows without a value are skipped; if any row is wrong, none is recorded.
    """
    if problem := reader_problem(id):
        raise click.BadParameter(f"{quoted(id)} cannot be the id of a reader: {problem}", param_hint="--reader")
    if sheet and sheet_file:
        raise click.UsageError("--sheet prints a sheet and --from records one (expected one of them)")
    complete(folder / CODINGS, id)
    pool = load(folder)
    for key in keys:
        if key not in pool:
            raise click.BadParameter(f"there is no entry {quoted(key)} {expected(key, [e.key for e in pool])}",
                                     param_hint="KEY")  # fmt: skip
    try:
        session = _Session(pool, folder / CODINGS / f"{id}.csv", asked_axes(pool, axes), blind)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--axis") from None
    waiting = session.waiting(keys)
    if sheet:
        _print_sheet(pool, [(key, axis) for key, some in waiting.items() for axis in some], number or 20, output)
        return
    try:
        if id not in pool.codings:
            name = ask("Reader (a name, as it is to be cited)")
            statement = ask("Statement (how the reading is made, what the reader knew before)")
            begin(folder / CODINGS, id, name, statement, date.today())
        if sheet_file:
            session.take(sheet_file)
        else:
            session.read(list(waiting.items())[:number])
    except (Stop, Skip):
        click.echo()
    tags = f"{plural(session.recorded, 'tag')} recorded in {session.path}"
    click.echo(f"{tags}{f', {session.known} already there' if session.known else ''}")


def _print_sheet(pool: Pool, pairs: list[tuple[str, str]], number: int, output: Path | None) -> None:
    text = blank_sheet(pool, pairs[:number])
    if output is None or str(output) == "-":
        click.echo(text, nl=False)
    else:
        write_atomically(output, text.encode())
        click.echo(f"{plural(min(number, len(pairs)), 'row')} written to {output}", err=True)


@dataclass
class _Session:
    """One reader at work: what is left to read, and how much was recorded."""

    pool: Pool
    path: Path
    axes: tuple[str, ...]
    blind: bool
    recorded: int = 0
    known: int = 0
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> set[tuple[str, str]]:
        """The pairs that the reader coded before this session."""
        coding = self.pool.codings.get(self.path.stem)
        return {(j.key, j.axis) for j in coding.judgements} if coding else set()

    def waiting(self, keys: tuple[str, ...]) -> dict[str, list[str]]:
        """Return the axes to ask, by entry: of the given entries all, else those that were read once."""
        done, found = self.done, dict[str, list[str]]()
        if keys:
            pairs = [(key, axis) for key in dict.fromkeys(keys) for axis in self.axes]
        else:
            pairs = [(row.key, row.axis) for row in queue(self.pool, self.axes).waiting]
        for key, axis in pairs:
            if (key, axis) not in done:
                found.setdefault(key, []).append(axis)
        # in the order of the taxonomy: the order in the queue would tell which axis matters
        return {key: [axis for axis in self.axes if axis in some] for key, some in found.items()}

    def read(self, waiting: list[tuple[str, list[str]]]) -> None:
        """Show entry after entry and record the answers."""
        if not waiting:
            click.echo("nothing is left to read")
        for place, (key, axes) in enumerate(waiting, 1):
            entry, blind = self.pool[key], self.blind
            echo("\n".join(["", *self._card(entry, place, len(waiting)), "", KEYS]))
            for axis in axes:
                echo("\n".join(["", *self._question(entry, self.pool.taxonomy[axis])]))
                try:
                    blind = self._judge(entry, self.pool.taxonomy[axis], blind)
                except Skip:
                    continue

    def take(self, path: Path) -> None:
        """Record a sheet; what the reader coded before stays as it is."""
        keys = {e.key for e in self.pool}
        rows, problems = read_sheet(path, self.pool.taxonomy, keys, CONTEXT)
        if problems:
            fail(sorted(problems))
        done = self.done
        new = [row for row in rows if (row.key, row.axis) not in done]
        self.known = len(rows) - len(new)
        append_judgements(self.path, new)
        self.recorded += len(new)

    def _judge(self, entry: Entry, axis: Axis, blind: bool) -> bool:
        """Ask for the tags of one axis and record them; return whether the reading is still blind."""
        while (value := ask(axis.id, lambda text: self._wrong(text, axis))) in (HELP, SEEN):
            if value == SEEN:
                blind = False
                click.echo("what follows on this work is recorded as blind = no")
            else:
                echo("\n".join(self._question(entry, axis)))
        tags, _ = parse_tags(value, axis)
        notes = {"confidence": self._note("confidence"), "read": self._note("read")}
        notes |= {"why": ask("why (optional)", required=False), "blind": "yes" if blind else "no"}
        append_judgements(self.path, [Judgement(entry.key, axis.id, tags, notes)])
        self.recorded += 1
        return blind

    def _note(self, name: str) -> str:
        """Ask for a note on the reading, in the words of the taxonomy if it has any; Enter repeats the last answer."""
        axis = self.pool.taxonomy.axes.get(name)
        words = f" ({' | '.join(axis.words)})" if axis else ""
        last = self.notes.get(name, "")
        answer = ask(f"{name}{words}{f' [{last}]' if last else ''}",
                     lambda text: "; ".join(parse_tags(text, axis)[1]) if axis else text_problem(text),
                     required=not last) or last  # fmt: skip
        self.notes[name] = answer
        return answer

    @staticmethod
    def _wrong(text: str, axis: Axis) -> str:
        return "" if text in (HELP, SEEN) else "; ".join(parse_tags(text, axis)[1])

    def _card(self, entry: Entry, place: int, of: int) -> Iterator[str]:
        about = work(entry)
        yield f"{place} of {of}: {entry.key}"
        yield wrapped(about["title"])
        yield wrapped(about["authors"])
        yield about["venue"]
        yield from about["links"].split()
        if about["abstract"]:
            yield wrapped(about["abstract"], "  ")
        if not self.blind and entry.text("summary"):
            yield wrapped(entry.text("summary"), "  ")

    def _question(self, entry: Entry, axis: Axis) -> Iterator[str]:
        for line in codebook(axis, self.pool.taxonomy, entry if self.blind else None):
            yield wrapped(line.strip(), line[: len(line) - len(line.lstrip())])
        if not self.blind and (tags := entry.tags.get(axis.id)):
            yield wrapped(f"The pool has {quoted(format_tags(tags))}. {entry.text(axis.why)}")


COMMANDS = (code,)
