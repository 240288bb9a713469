"""What a worker does: pieces in, rows out. Whatever goes wrong with a document becomes its row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from survey.traces.scoring.pieces import Changed, Piece, readings_in
from survey.traces.scoring.rows import KEPT, Asked, failed, row_of

Task = tuple[Piece, ...]
"""Pieces that are handed to a worker together."""


@dataclass(frozen=True, slots=True)
class Done:
    """A piece that was scored."""

    key: str
    rows: int
    bad: int
    """How many of the rows have errors."""
    data: bytes
    """The rows in JSON, one on each line."""


def scored(task: Task, asked: Asked) -> list[Done]:
    """Score pieces, one after the other."""
    return [_done(piece, _rows(piece, asked)) for piece in task]


def lost(piece: Piece, reason: str) -> Done:
    """What is said of a piece that no worker came back with."""
    return _done(piece, [_line(failed(piece.place, reason))])


Line = tuple[bytes, bool]
"""A row in JSON, and whether it has errors."""


def _rows(piece: Piece, asked: Asked) -> Iterator[Line]:
    place, seen = piece.place, False
    try:
        for reading in readings_in(piece, KEPT):
            place, seen = reading.place, True
            try:
                line = _line(row_of(reading, asked))
            except Exception as error:  # one document must not take the others with it
                line = _line(failed(place, f"cannot be scored: {_said(error)}"))
            yield line
    except Changed as error:
        yield _line(failed(piece.place, str(error)))
    except Exception as error:  # file systems behind addresses have errors of their own, with no common ancestor
        where = f"cannot be read on from {place}" if seen else "cannot be read"
        yield _line(failed(piece.place, f"{where}: {_said(error)} (does every worker see the same files?)"))


def _done(piece: Piece, lines: Iterable[Line]) -> Done:
    kept = list(lines)
    return Done(piece.key, len(kept), sum(bad for _, bad in kept), b"".join(line for line, _ in kept))


def _line(row: dict[str, Any]) -> Line:
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # half a character, or a byte in a file name: it is told by its number
        text = json.dumps(row, allow_nan=False).encode()
    return text + b"\n", bool(row["errors"])


def _said(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
