"""Subcommand that starts a new survey: init."""

from __future__ import annotations

import textwrap
from importlib.metadata import version
from pathlib import Path

import click
from tabulate import tabulate

from survey.atomic import write_atomically
from survey.literature.loading.conversion import Conversion, convert

WIDTH = 60
"""Letters of an example in the report."""


@click.command(short_help="Start a new survey, on any subject.")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--from", "source", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="A BibTeX file whose entries become the pool.")  # fmt: skip
@click.option("--title", default="", help="The title of the survey.  [default: the name of DIR]")
@click.option("--creator", default="", help="Who makes the data; without it the site names nobody.")
@click.option("--licence", default="", metavar="SPDX",
              help="The licence of the data, such as CC-BY-4.0; without it the site states none.")  # fmt: skip
def init(folder: Path, source: Path | None, title: str, creator: str, licence: str) -> None:
    """Write the files of a new survey into DIR: data, pages to write, settings, a workflow that publishes it.

    With --from the entries of a BibTeX file become the pool. Keys stay as they are, but for letters
    and signs that no key can have. What can be read in one way is brought into this format: months,
    dates, types and names of biblatex, macros, DOIs and arXiv ids with prefixes, lists of authors
    that end in "and others". Whatever else fails a check is kept under original-FIELD, and what
    cannot be an entry goes to bib/set-aside.bib as it was written. Keywords, groups or headings of
    the file become the first axis. The history of git, if the file has one, tells when each entry
    was added.

    Nothing that exists is overwritten. The new survey passes survey check and builds strictly.
    """
    from survey.site.scaffold import Survey, new_survey

    title = title or folder.resolve().name.replace("-", " ").replace("_", " ").capitalize()
    conversion = convert(source) if source else None
    if conversion and not conversion.blocks:
        raise click.UsageError(f"there is no entry in {source} (expected BibTeX: @article{{key, ...}})")
    about = Survey(title, creator, licence, source.name if source else "", version("orchestration-survey"))
    files = new_survey(about, conversion)
    if there := sorted(path for path in files if (folder / path).exists()):
        raise click.UsageError(f"{folder} has {', '.join(there)} already (choose another folder, or move them)")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / path, text.encode())
    if conversion and source:
        _report(conversion, source.name)
    click.echo(f"{len(files)} files written to {folder}")
    click.echo(f"\nNext:\n  cd {folder}\n  survey check\n  mkdocs serve")


def _report(conversion: Conversion, name: str) -> None:
    lost, axis = conversion.lost_entries, conversion.axis
    click.echo(f"{name}: {len(conversion.blocks)} entries taken over, {len(lost)} set aside\n")
    if conversion.changes:
        rows = [(c.number, textwrap.fill(c.kind, WIDTH), textwrap.shorten(c.example, WIDTH, placeholder=" …"))
                for c in conversion.changes]  # fmt: skip
        click.echo(tabulate(rows, headers=["times", "changed", "for example"], tablefmt="simple"))
    if lost:
        click.echo("\nset aside in bib/set-aside.bib, as written:")
        for one in lost[:MOST]:
            click.echo(textwrap.shorten(f"  line {one.line}: {one.why}", 100, placeholder=" …"))
        if len(lost) > MOST:
            click.echo(f"  and {len(lost) - MOST} more")
    values = f"{len(axis.labels)} value{'s' if len(axis.labels) != 1 else ''}"
    rare = f"; {axis.left} rarer ones stay in the entries" if axis.left else ""
    click.echo(f"\nfirst axis: {axis.label}, with {values}{rare}")
    click.echo(f"added: {f'from {conversion.dated}' if conversion.dated else 'not known'}\n")


MOST = 12
"""Lines that say why an entry was set aside; the file has all."""

COMMANDS = (init,)
