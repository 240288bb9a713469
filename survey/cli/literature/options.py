"""Options and error handling shared by the subcommands."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from survey.literature import InvalidSurvey, Pool, Problem, load
from survey.literature.loading import TAXONOMY
from survey.literature.problems import quoted
from survey.plurals import plural


def pass_bib(command: Callable[..., None]) -> Callable[..., None]:
    """Pass the data folder to the command, and report problems in the data with exit status 1."""

    @wraps(command)
    def wrapped(folder: Path | None, **arguments: Any) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # characters missing from the encoding become question marks
                stream.reconfigure(errors="replace")
        try:
            command(folder or _nearest_bib(), **arguments)
            sys.stdout.flush()
        except InvalidSurvey as error:
            fail(error.problems)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader closed the pipe, as head does
        except OSError as error:
            place = error.filename or "cannot write"
            raise click.ClickException(f"{place}: {(error.strerror or str(error)).lower()}") from None

    return click.pass_obj(wrapped)


def _nearest_bib() -> Path:
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / "bib" / TAXONOMY).is_file():
            return Path(os.path.relpath(place / "bib", here))
    raise click.UsageError(f"found no bib/{TAXONOMY} here or in a parent folder (name the folder with --bib DIR)")


def fail(problems: Iterable[Problem]) -> NoReturn:
    """Print every problem and exit with status 1."""
    problems = tuple(problems)
    for problem in problems:
        click.echo(str(problem), err=True)
    click.echo(plural(len(problems), "problem"), err=True)
    raise SystemExit(1)


class Day(click.ParamType[date]):
    """A date on the command line."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Return the date; otherwise fail with a message that shows the expected format."""
        if isinstance(value, date):
            return value
        try:
            if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
                raise ValueError(value)
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{quoted(value)} is not a date (expected YYYY-MM-DD, as in 2026-05-04)", param, ctx)


def _pairs(form: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], list[tuple[str, str]]]:
    """Return a callback that parts the values of an option at their first equals sign; ``form`` is for its message."""

    def convert(context: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
        for value in values:
            if not re.fullmatch(r"[^=]+=.+", value):
                raise click.BadParameter(f"{quoted(value)}: expected {form}")
        return [(name.strip(), words.strip()) for name, _, words in (value.partition("=") for value in values)]

    return convert


as_of = click.option("--as-of", "day", type=Day(), metavar="DATE",
                     help="Use the pool as of this day (YYYY-MM-DD).")  # fmt: skip
where = click.option("--where", "filters", multiple=True, metavar="AXIS=VALUE",
                     callback=_pairs("AXIS=VALUE"),
                     help="Only entries that match; repeatable.")  # fmt: skip
appraised = click.option("--appraised", "answers", multiple=True, metavar="ITEM=ANSWER",
                         callback=_pairs("ITEM=ANSWER"),
                         help="Count only works whose study has this answer; repeatable.")  # fmt: skip
primary = click.option("--primary", is_flag=True, help="Match first values only.")


def select_entries(folder: Path, day: date | None, filters: list[tuple[str, str]], primary: bool) -> Pool:
    """Return the entries that match a command's filters."""
    try:
        return load(folder).as_of(day).where(filters, primary)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--where") from None
