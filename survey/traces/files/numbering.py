"""Integer indices for ids, for the millions of edge ends in a long trace."""

from __future__ import annotations

import collections
from itertools import count, repeat


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
        self._number: collections.defaultdict[str, int] = collections.defaultdict(count().__next__)
        self._seen_again = False
        self._ids: list[str] = []
        self._near: dict[str, int] = {}
        self._reached = self._filled = 0

    def ids(self) -> list[str]:
        """Return all ids in the order of their numbers."""
        if len(self._ids) < len(self._number):
            self._ids = list(self._number)
        return self._ids

    def add(self, ids: list[str]) -> None:
        """Number these ids: in bulk while all are new, one by one after the first duplicate."""
        if self._seen_again:
            collections.deque(map(self._number.__getitem__, ids), 0)
            return
        number = self._number
        first = len(number)
        number.update(zip(ids, count(first), strict=False))
        if len(number) < first + len(ids):  # a known id was given another number
            self._seen_again = True
            self._number = number = collections.defaultdict(None, zip(number, count(), strict=False))
        number.default_factory = count(len(number)).__next__

    def ends(self, targets: list[str], sources: list[str]) -> tuple[list[int], list[int]]:
        """Return the numbers of the ends of edges.

        Edges mostly come in the order of their events and start at a recent one. Such ends are
        looked up in a small moving table first: in a table of a million ids nearly every lookup
        is a cache miss.
        """
        self._move(len(targets))
        found = self._numbers(targets)
        self._reached = found[-1] if found else self._reached
        return found, self._numbers(sources)

    def _move(self, reach: int) -> None:
        """Fill the small table with the ids around the current position of the targets."""
        ids = self._ids or self.ids()  # ids added since then are looked up in the large table
        start, stop = self._filled, min(self._reached + reach, len(ids))
        if not self._reached - reach <= start <= stop or len(self._near) > 4 * reach:
            self._near.clear()
            start = max(self._reached - reach // 2, 0)
        self._near.update(zip(ids[start:stop], range(start, stop), strict=True))
        self._filled = max(start, stop)

    def _numbers(self, ids: list[str]) -> list[int]:
        numbers = list(map(self._near.get, ids, repeat(-1)))
        if -1 in numbers:
            number = self._number.__getitem__
            return [number(id) if found < 0 else found for id, found in zip(ids, numbers, strict=True)]
        return numbers
