"""The work of a worker: pieces in, rows out. An error in a document becomes its row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.files import Reading
from survey.traces.importers import BadLog, Importer, Log, recognised
from survey.traces.model import Content
from survey.traces.problems import Problems
from survey.traces.scoring.corpus import has_changed
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
        if piece.source.folder:
            yield from _imported(piece, request)
            return
        for reading in readings_in(piece, MAX_LISTED):
            if not seen and not reading.is_trace and _is_log(piece):
                if piece.start == 0:
                    yield from _imported(piece, request)
                return
            place, seen = reading.place, True
            yield _row(reading, request)
    except FileChanged as error:
        yield _line(failed_row(piece.place, str(error)))
    except Exception as error:  # file systems behind addresses have errors of their own, with no common ancestor
        where = f"cannot be read beyond {place}" if seen else "cannot be read"
        yield _line(failed_row(piece.place, f"{where}: {_message(error)} (does every worker see the same files?)"))


def _row(reading: Reading, request: Request) -> Line:
    try:
        return _line(row_of(reading, request))
    except Exception as error:  # one document must not fail the others
        return _line(failed_row(reading.place, f"cannot be scored: {_message(error)}"))


def _importer(piece: Piece) -> Importer | None:
    """Return the importer that recognises the file of a piece, or its folder."""
    path = Path(piece.source.address)
    return recognised(Log(path) if piece.source.folder else Log(path, opening(piece)))


def _is_log(piece: Piece) -> bool:
    try:
        return _importer(piece) is not None
    except BadLog:  # it cannot be unpacked: reading it as a trace says where
        return False


def _imported(piece: Piece, request: Request) -> Iterator[Line]:
    """Import a log without its text, and yield the rows of its traces."""
    name, path = piece.source.name, Path(piece.source.address)
    try:
        importer = _importer(piece)
        if importer is None or (piece.source.local and has_changed(piece.source)):
            raise FileChanged("the log has changed since the start")
        # files beside a log can belong to it, but only on this machine
        log = Log(path) if piece.source.local else Log(path, opening(piece))
        for trace in importer.read(log, Content(salt=request.salt)):
            yield _row(Reading(f"{name}, trace {trace.id}", trace, Problems(MAX_LISTED)), request)
    except BadLog as error:
        yield _line(failed_row(name, str(error)))


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
