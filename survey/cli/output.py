"""Output that commands of every wing share: options, and text of unknown origin on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import click

from survey.escaping import LAYOUT, visible

output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                      help="Output file; .gz and .zst compress it.  [default: standard output]")  # fmt: skip


def formats(*names: str, about: str = "Output format.") -> Callable[..., Any]:
    """Return an option --format with these choices; the first is the default."""
    return click.option("--format", "form", type=click.Choice(names), default=names[0], show_default=True, help=about)


class Heading(str):
    """A line to print in bold."""


class Alert(str):
    """A line to print in red."""


STYLES: dict[type[str], dict[str, Any]] = {Heading: {"bold": True}, Alert: {"fg": "red"}}


def page(lines: Iterable[str]) -> str:
    """Return lines as a text for a terminal, styled; nothing else in them can control it."""
    return "\n".join(map(_styled, lines))


def _styled(line: str) -> str:
    style = STYLES.get(type(line))
    return click.style(visible(line), **style) if style else visible(line, LAYOUT)


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text that may hold names from a log or a file; nothing in it can control the terminal."""
    click.echo(visible(text, LAYOUT), err=err, nl=nl)


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
