"""Which traces a command is about, where its output goes, and what goes wrong with either."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any

import click

from survey.cli.trace import printing as tracepages
from survey.traces import InvalidTrace, Reading, Trace, readings
from survey.traces.files import packed_whole
from survey.traces.importers import BadLog

LONG = 20_000_000
"""Bytes from which on reading a file takes long enough to show how far it is."""

file = click.argument(
    "path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                      help="Where to write; .gz and .zst pack.  [default: standard output]")  # fmt: skip
which = click.option("--trace", "wanted", metavar="ID", help="Which trace, if the file holds several.")


def tells(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what can go wrong with files and data into a message and an exit status."""

    @wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (InvalidTrace, BadLog) as error:
            click.echo(str(error), err=True)
            raise SystemExit(1) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read has seen enough
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'cannot write'}: {(error.strerror or str(error)).lower()}"
            ) from None

    return wrapped


def readings_at(path: Path, limit: int = 100) -> Iterator[Reading]:
    """The documents of a file, with a bar on standard error while a long one is read."""
    if str(path) == "-":
        yield from readings(sys.stdin.buffer, "standard input", limit=limit)
        return
    with path.open("rb") as stream:
        size = path.stat().st_size
        if size < LONG or not sys.stderr.isatty():
            yield from readings(stream, str(path), limit=limit)
            return
        with click.progressbar(length=size, label=f"Reading {path.name}", file=sys.stderr) as bar:
            yield from readings(io.BufferedReader(_Counted(stream, bar.update)), str(path), limit=limit)


class _Counted(io.RawIOBase):
    """A stream that tells how much was read from it."""

    def __init__(self, stream: IO[bytes], tell: Callable[[int], None]) -> None:
        self._stream, self._tell = stream, tell

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._tell(len(data))
        return len(data)


def trace_of(path: Path, wanted: str | None) -> Trace:
    """The trace that a command is asked about: the only one, or the one named."""
    found = (
        list(readings_at(path))
        if wanted is None
        else [r for r in readings_at(path) if r.trace and r.trace.id == wanted]
    )
    if len(found) != 1:
        names = [reading.trace.id for reading in found if reading.trace]
        if wanted is not None:
            raise click.BadParameter(
                f'{path} holds {"no" if not found else "more than one"} trace "{wanted}"', param_hint="--trace"
            )
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise click.UsageError(f"{path} holds {len(found)} traces; name one with --trace ID ({shown})")
    return valid(found[0])


def valid(reading: Reading) -> Trace:
    """The trace of a document, or its problems and exit status 1."""
    if reading.trace is None:
        tracepages.problems(reading.place, reading.problems, "text")
        raise SystemExit(1)
    return reading.trace


@contextmanager
def opened(path: Path | None) -> Iterator[IO[bytes]]:
    """A file to write to, whole or not at all and packed if its name says so, or standard output."""
    if path is None:
        yield sys.stdout.buffer
        return
    with packed_whole(path) as stream:
        yield stream


def written(document: dict[str, Any] | str, path: Path | None) -> None:
    """Write an object as JSON, or a text, in colours only if it goes to a terminal."""
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False, indent=1)
    if path is not None or not sys.stdout.isatty():
        text = click.unstyle(text)
    with opened(path) as stream:
        stream.write((text.rstrip("\n") + "\n").encode("utf-8", "surrogatepass"))
