"""Score a corpus: unfinished pieces go to an engine, their results into the journal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial

from survey.traces.scoring.journal import Journal
from survey.traces.scoring.pieces import PIECE_SIZE, Piece
from survey.traces.scoring.processes import Work
from survey.traces.scoring.rows import Request
from survey.traces.scoring.work import PieceResult, Task, score_task

BATCH = 64
"""The maximum number of pieces in a task. Small files share a task, which keeps the overhead low."""

Engine = Callable[[Iterable[Task], Work], Iterator[list[PieceResult]]]
"""Returns the result of every piece of every task once, in any order."""


def score(
    found: Iterable[Piece],
    request: Request,
    engine: Engine,
    journal: Journal,
    *,
    batch: int = PIECE_SIZE,
    progress: Callable[[int], None] = lambda size: None,
) -> Generator[list[str]]:
    """Score the pieces that the journal lacks, and yield the keys of all pieces in input order.

    Keys are yielded as soon as their rows and those of all earlier pieces are in the journal. ``progress`` is
    called with the bytes of each finished piece. Closing the iterator stops the work; the journal stays valid.
    """
    order: list[str] = []
    sizes: dict[str, int] = {}
    given = 0

    def unfinished() -> Iterator[Piece]:
        for piece in found:
            order.append(piece.key)
            if piece.key in journal:
                progress(piece.size)
            else:
                sizes[piece.key] = piece.size
                yield piece

    for done in engine(_batches(unfinished(), batch), partial(score_task, request=request)):
        for one in done:
            journal.add(one)
            progress(sizes.pop(one.key))
        ready = given
        while ready < len(order) and order[ready] in journal:
            ready += 1
        if ready > given:
            yield order[given:ready]
            given = ready
    if sizes:
        raise RuntimeError(f"{len(sizes)} pieces were not scored")  # a fault of the engine
    if given < len(order):
        yield order[given:]


def _batches(found: Iterable[Piece], most: int) -> Iterator[Task]:
    batch: list[Piece] = []
    for piece in found:
        if batch and (len(batch) == BATCH or sum(one.size for one in batch) + piece.size > most):
            yield tuple(batch)
            batch = []
        batch.append(piece)
    if batch:
        yield tuple(batch)
