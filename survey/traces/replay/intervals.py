"""Intervals of time: their union, and how many overlap at each moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import overload


class Intervals(Sequence[tuple[float, float]]):
    """Disjoint time intervals in order, with adjacent ones merged, stored as two columns."""

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts, self.ends = list[float](), list[float]()

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self.starts, self.ends, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, place: int) -> tuple[float, float]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[float, float]]: ...
    def __getitem__(self, place: int | slice) -> tuple[float, float] | list[tuple[float, float]]:
        if isinstance(place, slice):
            return list(zip(self.starts[place], self.ends[place], strict=True))
        return self.starts[place], self.ends[place]


def union(intervals: Iterable[tuple[float, float]]) -> float:
    """Return the time covered by at least one of the intervals.

    >>> union([(0, 2), (1, 3), (5, 6)])
    4.0
    """
    return sum(seconds for level, seconds in profile(intervals).items() if level)


def profile(intervals: Iterable[tuple[float, float]]) -> dict[int, float]:
    """Return for each number of overlapping intervals how long it lasted, from the first start to the last end.

    >>> profile([(0, 2), (1, 3), (5, 6)])
    {1: 3.0, 2: 1.0, 0: 2.0}
    """
    spans = [span for span in intervals if span[1] > span[0]]
    return levels([[start for start, _ in spans]], [[end for _, end in spans]])


def levels(starts: Iterable[Iterable[float]], ends: Iterable[Iterable[float]]) -> dict[int, float]:
    """Compute ``profile`` of intervals in columns; no interval may be empty."""
    opening, closing = iter(sorted(chain.from_iterable(starts))), sorted(chain.from_iterable(ends))
    start = before = next(opening, inf)
    spent: dict[int, float] = {}
    level = 0
    for end in closing:
        while start < end:
            if start > before:
                spent[level] = spent.get(level, 0.0) + start - before
                before = start
            level += 1
            start = next(opening, inf)
        if end > before:
            spent[level] = spent.get(level, 0.0) + end - before
            before = end
        level -= 1
    return spent
