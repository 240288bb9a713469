"""The work of a worker: pieces in, rows out. An error in a document becomes its row."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.importers import BadLog, Log, recognised
from survey.traces.scoring.pieces import FileChanged, Piece, opening, readings_in
from survey.traces.scoring.rows import MAX_LISTED, Request, failed_row, row_of

Task = tuple[Piece, ...]
"""Pieces that a worker receives together."""


@dataclass(frozen=True, slots=True)
class PieceResult:
    """The rows of a scored piece."""

    key: str
    rows: int
    bad: int
    """How many of the rows have errors."""
    data: bytes
    """The rows as JSON Lines."""


def score_task(task: Task, request: Request) -> list[PieceResult]:
    """Score the pieces of a task, one after the other."""
    return [_done(piece, _rows(piece, request)) for piece in task]


def failed_piece(piece: Piece, reason: str) -> PieceResult:
    """Return the result of a piece that no worker could finish: one row with the reason."""
    return _done(piece, [_line(failed_row(piece.place, reason))])


Line = tuple[bytes, bool]
"""A row in JSON, and whether it has errors."""


def _rows(piece: Piece, request: Request) -> Iterator[Line]:
    place, seen = piece.place, False
    try:
        for reading in readings_in(piece, MAX_LISTED):
            if not seen and "events" not in reading.fields and (log := _log_format(piece)):
                if piece.start == 0:
                    yield _line(failed_row(piece.source.name, _how_to_import(log, piece.source.name)))
                return
            place, seen = reading.place, True
            try:
                line = _line(row_of(reading, request))
            except Exception as error:  # one document must not fail the others
                line = _line(failed_row(place, f"cannot be scored: {_message(error)}"))
            yield line
    except FileChanged as error:
        yield _line(failed_row(piece.place, str(error)))
    except Exception as error:  # file systems behind addresses have errors of their own, with no common ancestor
        where = f"cannot be read beyond {place}" if seen else "cannot be read"
        yield _line(failed_row(piece.place, f"{where}: {_message(error)} (does every worker see the same files?)"))


def _log_format(piece: Piece) -> str:
    """Return the format of a file that is no trace but the log of a system; "" if it is in no known format."""
    try:
        found = recognised(Log(Path(piece.source.name), opening(piece)))
    except BadLog:
        return ""
    return found.name if found else ""


def _how_to_import(name: str, path: str) -> str:
    plain = path.removesuffix(".gz").removesuffix(".zst").removesuffix(".jsonl").removesuffix(".json")
    command = shlex.join(["survey", "trace", "import", name, path, "-o", f"{plain}.trace.jsonl"])
    return f"found a log of the format {name}, expected a trace (run {command} and score its output)"


def _done(piece: Piece, lines: Iterable[Line]) -> PieceResult:
    kept = list(lines)
    return PieceResult(piece.key, len(kept), sum(bad for _, bad in kept), b"".join(line for line, _ in kept))


def _line(row: dict[str, Any]) -> Line:
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # half a character, or a byte in a file name: written as an escape
        text = json.dumps(row, allow_nan=False).encode()
    return text + b"\n", bool(row["errors"])


def _message(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
