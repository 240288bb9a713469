"""The subcommand edition: publish an edition, keep it as published after an edit, correct it with an erratum."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from survey.atomic import write_atomically
from survey.cli.literature.options import Day, pass_bib
from survey.extras import missing
from survey.literature.loading import EDITIONS, latest_today
from survey.literature.pool.editions import Edition
from survey.literature.problems import expected, quoted
from survey.literature.publishing import (
    Files,
    corrected,
    edition_in_copy,
    editions_of,
    kept,
    published,
    reproduced,
    works_of,
)
from survey.plurals import plural

HISTORY = 100
"""Maximum number of commits in which an edition is looked for."""


ADDRESSES = Path("tests") / "site" / "addresses.txt"
"""Where a project lists its published addresses."""

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _Editions(click.Group):
    """The subcommands, where a day alone stands for the edition of that day, which is new."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments call, and what is left of them."""
        return super().resolve_command(ctx, ["new", *args] if DAY.fullmatch(args[0]) else args)


@click.group(cls=_Editions, short_help="Publish an edition, and keep it as published.")
def edition() -> None:
    """Publish an edition of the pool, keep it as published after an edit, or correct it.

    bib/editions.toml lists the editions. A published one has the fingerprint of its data there, and
    what was changed in its works since is kept, as published, in bib/editions/DAY.csv. Therefore
    --as-of with its day gives the very data that was published. A day alone means "new".

    \b
        survey edition new DAY --title "The third edition"
        survey edition keep
        survey edition correct DAY KEY --reason "The venue was that of another work."
    """


@edition.command(short_help="Publish the pool of a day as an edition.")
@click.argument("day", type=Day())
@click.option("--title", default="", help="The title, for an edition that bib/editions.toml does not list yet.")
@click.option("--note", default="", help="What is new in it.")
@pass_bib
def new(folder: Path, day: date, title: str, note: str) -> None:
    """Publish the pool as of DAY, with all that an edition needs: nothing of it is written by hand.

    \b
    bib/editions.toml          title, note, and the fingerprint of the data
    bib/editions/DAY.sums      checksums, by which a later change is named
    bib/editions/keys.txt      the keys of its works, which must not disappear
    tests/site/addresses.txt   the addresses of the site, which must not disappear either

    An edition that is listed without data is published; otherwise one is added. Addresses are listed
    where the project has such a list, which an empty file starts; that takes the packages of the
    site, and a build of its pages. Without the file the edition says that none were listed.
    """
    if day > latest_today():
        raise click.BadParameter(f"{day} is in the future: more may come in until then", param_hint="DAY")
    try:
        files = published(folder, day, title, note)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _write(files)
    click.echo(f"{day}: published, data {editions_of(folder)[day].data}")
    _list_addresses(folder)
    click.echo(f"next: run the tests, commit, and tag the commit edition-{day}, from which the release is made")


def _list_addresses(folder: Path) -> None:
    """Add the addresses of the site of today to the list of the project, if it has one."""
    project = folder.resolve().parent
    place = project / ADDRESSES
    if not place.is_file():
        click.echo(f"addresses: not listed (an empty file {ADDRESSES.as_posix()} starts the list)")
        return
    try:
        from survey.site.publishing.release.addresses import site_addresses, with_addresses

        found = site_addresses(project, folder)
    except ModuleNotFoundError as error:
        if not (said := missing(error)):
            raise
        click.echo(f"{place.relative_to(project)}: nothing was added, as {said}", err=True)
        return
    before = place.read_text(encoding="utf-8")
    after = with_addresses(before, found)
    write_atomically(place, after.encode())
    added = len(after.splitlines()) - len(before.splitlines())
    click.echo(f"{place.relative_to(project)}: {plural(added, 'address', 'addresses')} added")


@edition.command(short_help="Keep published editions as they were, after an edit.")
@click.option("--from", "copy", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="An older copy of bib/, before the edit.")  # fmt: skip
@click.option("--rev", metavar="REV", help="A git revision before the edit.  [default: the newest that fits]")
@pass_bib
def keep(folder: Path, copy: Path | None, rev: str | None) -> None:
    """Keep every published edition as it was: write what was changed since to bib/editions/DAY.csv.

    What was published is read from an older copy of the data: a folder, or a revision of the git
    repository that bib/ is in. Only a copy with the fingerprint of the edition will do. Without
    --from and --rev only the editions are kept that the data no longer reproduces.
    """
    if copy and rev:
        raise click.UsageError("expected --from or --rev, but not both")
    works, today = works_of(folder), date.today()
    with ExitStack() as stack:
        copies: dict[str, Path] = {}
        for day, found in editions_of(folder).items():
            if not found.data or (not copy and not rev and reproduced(works, found)):
                continue
            for place in [copy] if copy else _revisions(folder, rev, copies, stack):
                if (then := edition_in_copy(place, found)) is not None:
                    _write(kept(folder, found, then, today))
                    click.echo(f"{day}: {_changed(editions_of(folder)[day])}")
                    break
            else:
                raise click.ClickException(f"{day}: {_not_found(found, copy, rev)}")
    if all(reproduced(works, found) for found in editions_of(folder).values() if found.data):
        click.echo("every published edition is as published")


@edition.command(short_help="Correct works of a published edition, with an erratum.")
@click.argument("day", type=Day())
@click.argument("keys", metavar="KEY...", nargs=-1, required=True)
@click.option("--field", "fields", multiple=True, metavar="FIELD", help="Only this field; repeatable.")
@click.option("--reason", required=True, help="Why the edition itself was wrong.")
@pass_bib
def correct(folder: Path, day: date, keys: tuple[str, ...], fields: tuple[str, ...], reason: str) -> None:
    """Correct works of the edition of DAY: it takes their values of today, and lists an erratum.

    Edit the entry first, then run "survey edition keep". An edition is corrected only if what it
    published was wrong on its day; a work that has changed since needs no correction.
    """
    editions = editions_of(folder)
    if day not in editions or not editions[day].data:
        known = [str(other) for other, found in editions.items() if found.data]
        raise click.UsageError(f"there is no published edition of {day} {expected(str(day), known)}")
    if not reason.strip():
        raise click.BadParameter("is empty", param_hint="--reason")
    try:
        files = corrected(folder, editions[day], keys, fields, reason.strip(), date.today())
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _write(files)
    click.echo(f"{day}: corrected, data {editions_of(folder)[day].data} (was {editions[day].data})")


def _write(files: Files) -> None:
    for path, text in files.items():
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, text.encode())


def _changed(found: Edition) -> str:
    fields = sum(len(rows) for rows in found.rows.values())
    works = len(found.rows)
    return f"{plural(fields, 'value')} of {plural(works, 'work')} kept as published"


def _not_found(found: Edition, copy: Path | None, rev: str | None) -> str:
    if copy or rev:
        return f"{copy or rev} does not give data {found.data}, which this edition published"
    return f"no revision of {EDITIONS} and its data gives {found.data} (name an older copy with --from or --rev)"


def _revisions(folder: Path, rev: str | None, copies: dict[str, Path], stack: ExitStack) -> Iterator[Path]:
    """Yield the data of revisions, newest first, each in a folder of its own; each revision is unpacked once."""
    if rev:
        commits = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").decode().split()
    else:
        commits = _git(folder, "rev-list", f"--max-count={HISTORY}", "HEAD", "--", ".").decode().split()
    for commit in commits:
        if commit not in copies:
            target = Path(stack.enter_context(TemporaryDirectory()))
            archive = _git(folder, "archive", "--format=tar", commit, "--", ".")
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(target, filter="data")
            copies[commit] = target
        yield copies[commit]


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise click.ClickException("git is not installed (name an older copy with --from)") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines() or ["failed"]
        raise click.ClickException(f"git: {quoted(said[-1], 200)} (name an older copy with --from)") from None


COMMANDS = (edition,)
