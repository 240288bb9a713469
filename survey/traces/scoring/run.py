"""A corpus from end to end: what is left to do goes to an engine, and what comes back to the journal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial

from survey.traces.scoring.journal import Journal
from survey.traces.scoring.pieces import CUT, Piece
from survey.traces.scoring.processes import Work
from survey.traces.scoring.rows import Asked
from survey.traces.scoring.work import Done, Task, scored

BATCH = 64
"""The most pieces of a task. Small files go together, so that handing them over takes no time to speak of."""

Engine = Callable[[Iterable[Task], Work], Iterator[list[Done]]]
"""Gives back every piece of every task once, in any order."""


def score(
    found: Iterable[Piece],
    asked: Asked,
    engine: Engine,
    journal: Journal,
    *,
    batch: int = CUT,
    tell: Callable[[int], None] = lambda size: None,
) -> Generator[list[str]]:
    """Score what the journal does not have yet, and give the keys of pieces in the order of the input.

    Keys are given as soon as their turn has come and their rows are in the journal. ``tell`` hears of the
    bytes of each piece that is done. Closing the iterator stops the work; the journal stays whole.
    """
    order: list[str] = []
    sizes: dict[str, int] = {}
    given = 0

    def left() -> Iterator[Piece]:
        for piece in found:
            order.append(piece.key)
            if piece.key in journal:
                tell(piece.size)
            else:
                sizes[piece.key] = piece.size
                yield piece

    for done in engine(_batches(left(), batch), partial(scored, asked=asked)):
        for one in done:
            journal.add(one)
            tell(sizes.pop(one.key))
        ready = given
        while ready < len(order) and order[ready] in journal:
            ready += 1
        if ready > given:
            yield order[given:ready]
            given = ready
    if sizes:
        raise RuntimeError(f"{len(sizes)} pieces were not scored")  # no engine may do that
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
