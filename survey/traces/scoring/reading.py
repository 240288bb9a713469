"""Reading rows of scores back, as ``survey trace score`` has written them in JSON Lines, packed or not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from survey.traces.files.compression import opened
from survey.traces.problems import Problems, quoted
from survey.traces.scoring.rows import empty_row

BEGINNING = re.compile(rb'\s*\{\s*"place"\s*:')
FIELDS = empty_row("", Problems())
BLOCK = 1 << 20


class BadRow(ValueError):
    """A line that is no row of scores; the message says where it stands."""


def holds_rows(path: Path) -> bool:
    """Return whether a file begins with a row of scores."""
    try:
        with path.open("rb") as stream:
            return BEGINNING.match(opened(stream).read(200)) is not None
    except (OSError, EOFError, ValueError):  # a folder, or what cannot be unpacked: reading it says what is wrong
        return False


def rows_in(path: Path) -> Iterator[bytes]:
    """Yield the rows of a file, a line each. Raises ``BadRow`` for one that is none."""
    with path.open("rb") as packed:
        for number, line in enumerate(_lines(opened(packed)), 1):
            if not _is_row(line):
                shown = quoted(line.decode("utf-8", "replace").strip())
                raise BadRow(f"{path}: line {number}: found {shown}, expected a row of survey trace score")
            yield line + b"\n"


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream that can do no more than read."""
    rest = b""
    while block := stream.read(BLOCK):
        *whole, rest = (rest + block).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _is_row(line: bytes) -> bool:
    """Return whether a line is a row, with measures that are finite numbers, or such by agent, tool or model."""
    try:
        row = json.loads(line)
    except ValueError:
        return False
    if not (isinstance(row, dict) and row.keys() >= FIELDS.keys()):
        return False
    same = all(isinstance(row[name], type(value)) for name, value in FIELDS.items() if value is not None)
    return same and all(map(_is_value, row["measures"].values()))


def _is_value(value: Any) -> bool:
    numbers = value.values() if isinstance(value, dict) else (value,)
    return all(isinstance(one, (int, float)) and math.isfinite(one) for one in numbers)
