"""Input, output and error reporting of the trace commands."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, cast

import click

from survey.cli.output import echo, page
from survey.cli.trace import printing
from survey.escaping import LAYOUT, visible
from survey.traces import InvalidTrace, Reading, Trace, readings
from survey.traces.files import write_compressed
from survey.traces.importers import BadLog

PROGRESS_BAR_SIZE = 20_000_000
"""Size in bytes from which reading a file shows a progress bar."""

file = click.argument(
    "path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
salt = click.option("--salt", metavar="TEXT",
                    help="Salt of the hashes, to keep several outputs comparable.  [default: a new one]")  # fmt: skip
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
    """Yield the documents of a file; for a long file, show a progress bar on standard error."""
    if str(path) == "-":
        yield from readings(sys.stdin.buffer, "standard input", limit=limit)
        return
    with path.open("rb") as stream:
        size = path.stat().st_size
        if size < PROGRESS_BAR_SIZE or not sys.stderr.isatty():
            yield from readings(stream, str(path), limit=limit)
            return
        with click.progressbar(length=size, label=visible(f"Reading {path.name}"), file=sys.stderr) as bar:
            yield from readings(io.BufferedReader(_CountingReader(stream, bar.update)), str(path), limit=limit)


class _CountingReader(io.RawIOBase):
    """A stream that reports how many bytes were read."""

    def __init__(self, stream: IO[bytes], progress: Callable[[int], None]) -> None:
        self._stream, self._progress = stream, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
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


class Terminal:
    """Standard output that is a terminal: it gets text, and nothing that would control it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write whole characters in UTF-8."""
        self._stream.write(visible(data.decode("utf-8", "surrogatepass"), LAYOUT).encode())

    def flush(self) -> None:
        """Flush the terminal."""
        self._stream.flush()


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
