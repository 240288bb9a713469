"""Integer indices for ids, for the millions of edge ends in a long trace."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import count

FIRST = 256
"""How many ids at the start stay within reach: acts of any time may follow from the plan and the spawns of a run."""

REACH = 1 << 10
"""The fewest ids around the current position that stay within reach."""


class Numbering:
    """Assigns consecutive numbers to ids in order of appearance, starting at 0.

    >>> numbers = Numbering()
    >>> numbers.add(["plan", "search"])
    >>> numbers.ends(["search", "answer"], ["plan", "search"])
    ([1, 2], [0, 1])
    >>> numbers.ids()
    ['plan', 'search', 'answer']
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._known: set[str] = set()
        self._number: defaultdict[str, int] | None = None
        self._near: dict[str, int] = {}
        self._reached = self._filled = 0

    def ids(self) -> list[str]:
        """Return all ids in the order of their numbers."""
        if self._number is not None and len(self._ids) < len(self._number):
            self._ids = list(self._number)
        return self._ids

    def add(self, ids: list[str]) -> None:
        """Number these ids: in bulk while all are new, one by one after the first duplicate."""
        if self._number is None:
            self._known.update(ids)
            if len(self._known) == len(self._ids) + len(ids):
                self._ids += ids
                return
        deque(map(self._table().__getitem__, ids), 0)

    def _table(self) -> defaultdict[str, int]:
        """Return the numbers of all ids by id. It is made when it is first needed, which in most files is never."""
        if self._number is None:
            self._number = defaultdict(count(len(self._ids)).__next__, zip(self._ids, count(), strict=False))
            self._known = set()
        return self._number

    def ends(self, targets: list[str], sources: list[str]) -> tuple[list[int], list[int]]:
        """Return the numbers of the ends of edges.

        Edges mostly come in the order of their events and start at a recent one, or at one of the first. Such ends
        are looked up in a small moving table: in a table of a million ids nearly every lookup is a cache miss.
        """
        self._move(max(len(targets), REACH))
        found = self._numbers(targets)
        self._reached = found[-1] if found else self._reached
        return found, self._numbers(sources)

    def _move(self, reach: int) -> None:
        """Fill the small table with the ids around the current position of the targets."""
        ids = self._ids or self.ids()  # ids added since then are looked up in the large table
        start, stop = self._filled, min(self._reached + reach, len(ids))
        if not self._reached - reach <= start <= stop or len(self._near) > 4 * reach + FIRST:
            self._near = dict(zip(ids[:FIRST], range(FIRST), strict=False))
            start = max(self._reached - reach // 2, 0)
        self._near.update(zip(ids[start:stop], range(start, stop), strict=True))
        self._filled = max(start, stop)

    def _numbers(self, ids: list[str]) -> list[int]:
        near = self._near
        try:
            return list(map(near.__getitem__, ids))
        except KeyError:
            number = self._table().__getitem__
            return [near[id] if id in near else number(id) for id in ids]
