"""Edges between events, one by one and in columns."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, overload


class Edge(NamedTuple):
    """A directed edge between two events, by their ids."""

    src: str
    dst: str
    type: str

    def to_json(self) -> dict[str, str]:
        """Return the object as stored in a trace file."""
        return {"src": self.src, "dst": self.dst, "type": self.type}


class Edges(Sequence[Edge]):
    """Edges in columns of numbers: a long trace has millions, whose ends repeat a limited set of ids.

    ``src`` and ``dst`` are indices into ``ids``, a list without duplicates.
    """

    __slots__ = ("dst", "ids", "src", "type")

    def __init__(self, ids: Sequence[str], src: Sequence[int], dst: Sequence[int], type: Sequence[str]) -> None:
        self.ids, self.src, self.dst, self.type = ids, src, dst, type

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Edges:
        """Return the same edges in columns."""
        if isinstance(edges, Edges):
            return edges
        number: defaultdict[str, int] = defaultdict(count().__next__)
        src, dst, type = array("l"), array("l"), []
        for edge in edges:
            src.append(number[edge.src])
            dst.append(number[edge.dst])
            type.append(edge.type)
        return cls(list(number), src, dst, type)

    def __len__(self) -> int:
        return len(self.src)

    def __iter__(self) -> Iterator[Edge]:
        id = self.ids.__getitem__
        return map(Edge, map(id, self.src), map(id, self.dst), self.type)

    @overload
    def __getitem__(self, place: int) -> Edge: ...
    @overload
    def __getitem__(self, place: slice) -> Edges: ...
    def __getitem__(self, place: int | slice) -> Edge | Edges:
        if isinstance(place, slice):
            return Edges(self.ids, self.src[place], self.dst[place], self.type[place])
        return Edge(self.ids[self.src[place]], self.ids[self.dst[place]], self.type[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
