"""The overview diagram: rewards, credit and decisions, and the entries that connect them.

Each value is a disc whose area is its number of entries; a value without entries is
a hollow, dashed ring. Two values are joined by a band as wide as the entries they
share. Every disc is a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from survey.literature import Axis, Pool, counts, crosstab
from survey.site.html.addresses import url
from survey.site.markup.templates import render

HEIGHT, TOP = 470, 46
LARGEST, WIDEST = 24.0, 14.0
"""The radius of the largest disc, and the width of the widest band."""
EMPTY, THINNEST = 5.0, 0.5
"""The radius of the ring of a value without entries, and the smallest visible width."""


@dataclass(frozen=True)
class Node:
    """A value as a disc."""

    axis: str
    id: str
    code: str
    label: str
    count: int
    x: float
    y: float
    radius: float
    link: str
    note: str = ""


@dataclass(frozen=True)
class Band:
    """The entries that two values share."""

    path: str
    width: float
    hue: str
    title: str
    ends: str
    number: int


def picture(pool: Pool, page: str, axes: Sequence[str]) -> str:
    """Return the diagram as a figure of a page, with the axes from left to right."""
    numbers = {axis: _numbers(pool, pool.taxonomy[axis]) for axis in axes}
    most = max((sum(own.values()) for column in numbers.values() for own in column.values()), default=0) or 1
    columns = [
        _column(pool.taxonomy[axis], numbers[axis], page, 150 + 320 * place, LARGEST / sqrt(most))
        for place, axis in enumerate(axes)
    ]
    empty = [node.label for column in columns for node in column if not node.count]
    return render(
        "charts/overview.html.j2", columns=columns, bands=_bands(pool, columns), axes=[pool.taxonomy[a] for a in axes],
        pool=pool, empty=empty, height=HEIGHT, links=[url(page, f"axes/{a}/index.md") for a in axes],
    )  # fmt: skip


def _numbers(pool: Pool, axis: Axis) -> dict[str, dict[str, int]]:
    """Return the number of entries with each value, by qualifier (learned, designed) if the axis has any."""
    number_of = {cell: number for cell, _, number, *_ in counts(pool, axis.id).itertuples(index=False)}
    return {
        value: {how: number_of[f"{value}: {how}"] for how in axis.qualifiers} or {"": number_of[value]}
        for value in axis.values
    }


def _column(axis: Axis, numbers: Mapping[str, Mapping[str, int]], page: str, x: float, scale: float) -> list[Node]:
    step = (HEIGHT - TOP) / len(axis.values)
    return [
        Node(
            axis.id, value.id, value.code or value.family, value.label, number, x, TOP + step * (place + 0.5),
            scale * sqrt(number) if number else EMPTY, url(page, f"axes/{axis.id}/{value.id}.md"),
            ", ".join(f"{n} {axis.qualifiers[how].label}" for how, n in numbers[value.id].items() if how),
        )
        for place, value in enumerate(axis.values.values())
        for number in [sum(numbers[value.id].values())]
    ]  # fmt: skip


def _bands(pool: Pool, columns: Sequence[list[Node]]) -> list[Band]:
    """Yield a band for each two values of neighbouring columns that share entries, scaled to the widest band."""
    shared = [found for left, right in pairwise(columns) for found in _shared(pool, left, right)]
    most = max((number for _, _, number in shared), default=1)
    return [
        Band(
            f"M{a.x:.0f},{a.y:.0f} C{bend:.0f},{a.y:.0f} {bend:.0f},{b.y:.0f} {b.x:.0f},{b.y:.0f}",
            max(THINNEST, WIDEST * number / most), a.axis, f"{a.label} and {b.label}: {number}",
            f"{a.axis}/{a.id} {b.axis}/{b.id}", number,
        )
        for a, b, number in shared
        for bend in [(a.x + b.x) / 2]
    ]  # fmt: skip


def _shared(pool: Pool, left: list[Node], right: list[Node]) -> Iterator[tuple[Node, Node, int]]:
    table = crosstab(pool, left[0].axis, right[0].axis)
    for a in left:
        rows = [cell for cell in table.index if cell.partition(": ")[0] == a.id]
        for b in right:
            columns = [cell for cell in table.columns if cell.partition(": ")[0] == b.id]
            if number := int(table.loc[rows, columns].to_numpy().sum()):
                yield a, b, number
