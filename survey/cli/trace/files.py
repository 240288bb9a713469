"""Input, output and error reporting of the trace commands."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import click

from survey.cli.output import Terminal, echo, page
from survey.cli.trace import printing
from survey.escaping import LAYOUT, visible
from survey.traces import InvalidTrace, Problems, Reading, Trace, readings
from survey.traces.files import write_compressed
from survey.traces.importers import BadLog, Importer, Log, importers, logs_in
from survey.traces.metrics.prices import BadPrices, Prices, prices
from survey.traces.model import Content, schema
from survey.traces.problems import quoted

PROGRESS_BAR_SIZE = 20_000_000
"""Size in bytes from which reading a file shows a progress bar."""

MANY = 1_000
"""A file that begins with so many documents that are not traces is taken for no file of traces."""

existing = click.Path(exists=True, allow_dash=True, path_type=Path)
file = click.argument("path", metavar="FILE", type=existing)
files = click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=existing)
salt = click.option("--salt", metavar="TEXT",
                    help="Salt of the hashes, to keep several outputs comparable.  [default: a new one]")  # fmt: skip


def _prices(context: click.Context, option: click.Parameter, path: Path | None) -> Prices | None:
    if path is None:
        return None
    try:
        return prices(path.read_text("utf-8"), str(path))
    except (BadPrices, UnicodeDecodeError) as error:
        raise click.BadParameter(str(error), context, option) from None


table_of_prices = click.option("--prices", metavar="FILE", callback=_prices,
                               type=click.Path(exists=True, dir_okay=False, path_type=Path),
                               help="Prices of models in place of the public list.")  # fmt: skip
which = click.option("--trace", "wanted", metavar="ID", help="Trace to use, if the file holds several.")


def reports_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn errors of files and data into a message and an exit status."""

    @wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (InvalidTrace, BadLog) as error:
            echo(str(error), err=True)
            raise SystemExit(1) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader closed the pipe
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'cannot write'}: {(error.strerror or str(error)).lower()}"
            ) from None

    return wrapped


def read_documents(path: Path, limit: int = 100) -> Iterator[Reading]:
    """Yield the documents of a file; for a long file, show a progress bar on standard error.

    A file or folder that holds no trace, but a log that an importer recognises, is imported.
    """
    if str(path) == "-":
        yield from _unseekable(sys.stdin.buffer, Path("standard input"), limit)
    elif path.is_dir():
        known = _logs(Log(path))
        for one in known:
            yield from _imported(*one)
        if not known:
            yield _reading(path, f"found a folder without a log ({_expected()})")
    elif not path.is_file():
        with path.open("rb") as stream:
            yield from _unseekable(stream, path, limit)
    else:
        with path.open("rb") as stream:
            size = path.stat().st_size
            if size < PROGRESS_BAR_SIZE or not sys.stderr.isatty():
                yield from _documents(readings(stream, str(path), limit=limit), path, lambda: Log(path))
                return
            with click.progressbar(length=size, label=visible(f"Reading {path.name}"), file=sys.stderr) as bar:
                counting = io.BufferedReader(_CountingReader(stream, bar.update))
                yield from _documents(readings(counting, str(path), limit=limit), path, lambda: Log(path))


def _unseekable(stream: IO[bytes], path: Path, limit: int) -> Iterator[Reading]:
    """Yield the documents of a pipe. It cannot be read twice, so its first document is kept until it is a trace."""
    read: list[bytes] = []
    recording = _CountingReader(stream, lambda _: None, read)

    def log() -> Log:
        return Log(path, b"".join(read) + stream.read())

    found = readings(io.BufferedReader(recording), str(path), limit=limit)
    for reading in _documents(found, path, log):
        recording.kept = None
        read.clear()
        yield reading


def _documents(found: Iterator[Reading], path: Path, log: Callable[[], Log]) -> Iterator[Reading]:
    """Yield the documents of a file or, if the first is no trace and the file is a log, its imported traces."""
    first = next(found)
    if first.is_trace:
        yield first
        yield from found
        return
    whole = log()
    if known := _logs(whole):
        for one in known:
            yield from _imported(*one)
        return
    if "events" in first.fields:  # a trace that breaks off
        yield first
        yield from found if whole.data is None else islice(readings(io.BytesIO(whole.data), str(path)), 1, None)
        return
    others = [first]
    for reading in found:
        others.append(reading)
        if "events" in reading.fields:
            yield from others
            yield from found
            return
        if len(others) == MANY:
            break
    fields = tuple(dict.fromkeys(name for one in others for name in one.fields))
    if len(set(fields) & set(schema()["required"])) > 1 or (not fields and len(others) == 1):
        yield from others  # traces without events, or one syntax error
        return
    shown = ", ".join(map(quoted, fields[:5])) + (", …" if len(fields) > 5 else "")
    what = "an object" if len(others) == 1 else f"{len(others):,}{' or more' * (len(others) == MANY)} documents"
    yield _reading(path, f"found {what} {f'with the fields {shown}' if fields else 'without fields'} ({_expected()})")


def _expected() -> str:
    return f"expected a trace, with trace_id, events and edges, or a log in a known format: {', '.join(importers())}"


def _reading(path: Path, message: str, kind: str = "not-a-trace") -> Reading:
    problems = Problems()
    problems.add(kind, message)
    return Reading(str(path), None, problems)


def _logs(log: Log) -> Sequence[tuple[Log, Importer]]:
    """Return the log, or the logs in the folder, that an importer recognises."""
    try:
        return [(one, importer) for one, importer in logs_in(log) if importer]
    except BadLog:  # reading it as a trace says why it cannot be unpacked
        return []


def _imported(log: Log, importer: Importer) -> Iterator[Reading]:
    """Yield the traces of a log, imported without its text."""
    article = "an" if importer.name[0] in "aeiou" else "a"
    echo(f"{log.path}: read as {article} {importer.name} log; survey trace import keeps the result", err=True)
    # one salt for a command, so that the traces of two logs can be compared
    content = click.get_current_context().meta.setdefault(__name__, Content())
    try:
        for trace in importer.read(log, content):
            yield Reading(f"{log.path}, trace {trace.id}", trace, Problems())
    except BadLog as error:
        yield _reading(log.path, str(error), "not-a-log")


class _CountingReader(io.RawIOBase):
    """A stream that reports how many bytes were read, and keeps them while ``kept`` is a list."""

    def __init__(self, stream: IO[bytes], progress: Callable[[int], None], kept: list[bytes] | None = None) -> None:
        self._stream, self._progress, self.kept = stream, progress, kept

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        if self.kept is not None:
            self.kept.append(data)
        self._progress(len(data))
        return len(data)


def select_trace(path: Path, wanted: str | None) -> Trace:
    """Return the only trace of a file, or the one with the wanted id."""
    found = (
        list(read_documents(path))
        if wanted is None
        else [r for r in read_documents(path) if r.trace and r.trace.id == wanted]
    )
    if len(found) != 1:
        names = [reading.trace.id for reading in found if reading.trace]
        if wanted is not None:
            raise click.BadParameter(
                f'{path} holds {"no" if not found else "more than one"} trace "{wanted}"', param_hint="--trace"
            )
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise click.UsageError(f"{path} holds {len(found)} traces; name one with --trace ID ({shown})")
    return require_trace(found[0])


def require_trace(reading: Reading) -> Trace:
    """Return the trace of a document; if there is none, print its problems and exit with status 1."""
    if reading.trace is None:
        printing.problems(reading.place, reading.problems, "text")
        raise SystemExit(1)
    return reading.trace


@contextmanager
def open_output(path: Path | None) -> Iterator[IO[bytes]]:
    """Open a file, written atomically and packed if its name says so, or standard output."""
    if path is None:
        yield cast(IO[bytes], Terminal(sys.stdout.buffer)) if sys.stdout.isatty() else sys.stdout.buffer
        return
    with write_compressed(path) as stream:
        yield stream


def write_output(document: dict[str, Any] | list[str] | str, path: Path | None) -> None:
    """Write an object as JSON, a text, or the lines of a page, which is styled on a terminal."""
    if isinstance(document, list) and path is None:
        click.echo(page(document))
        return
    if isinstance(document, dict):
        text = json.dumps(document, ensure_ascii=False, indent=1)
    else:
        text = visible("\n".join(document), LAYOUT) if isinstance(document, list) else document
    with open_output(path) as stream:
        stream.write((text.rstrip("\n") + "\n").encode("utf-8", "surrogatepass"))
