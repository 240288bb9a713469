"""The survey as one drawing: rewards, credit and decisions, and what joins them.

Each value is a disc whose area is its number of entries; a value without entries is
a hollow, dashed ring. Two values are joined by a band as wide as the entries they
share. Every disc is a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from survey.literature import Axis, Pool, counts, crosstab
from survey.site.markup.links import url
from survey.site.markup.templates import render

HEIGHT, TOP, LEAST, LARGEST = 430, 40, 4.5, 19.0


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
    """What two values share."""

    path: str
    width: float
    hue: str
    title: str


def picture(pool: Pool, page: str, axes: Sequence[str]) -> str:
    """The drawing as a figure, seen from a page; the axes from left to right."""
    columns = [_column(pool, pool.taxonomy[axis], page, 150 + 320 * n) for n, axis in enumerate(axes)]
    bands = [band for left, right in pairwise(columns) for band in _bands(pool, left, right)]
    empty = [node.label for column in columns for node in column if not node.count]
    return render(
        "charts/overview.html.j2", columns=columns, bands=bands, axes=[pool.taxonomy[a] for a in axes], pool=pool,
        empty=empty,
        height=HEIGHT, links=[url(page, f"axes/{a}/index.md") for a in axes],
    )  # fmt: skip


def _column(pool: Pool, axis: Axis, page: str, x: float) -> list[Node]:
    frame = counts(pool, axis.id)
    number_of = dict(zip(frame["cell"], map(int, frame["count"]), strict=True))
    step = (HEIGHT - TOP) / len(axis.values)
    nodes = []
    for position, value in enumerate(axis.values.values()):
        own = {how: number_of[f"{value.id}: {how}"] for how in axis.qualifiers}
        number = sum(own.values()) if own else number_of[value.id]
        nodes.append(
            Node(
                axis.id, value.id, value.code or value.family, value.label, number, x, TOP + step * (position + 0.5),
                max(LEAST, min(LARGEST, 3.4 * sqrt(number))), url(page, f"axes/{axis.id}/{value.id}.md"),
                ", ".join(f"{n} {axis.qualifiers[how].label}" for how, n in own.items()),
            )
        )  # fmt: skip
    return nodes


def _bands(pool: Pool, left: list[Node], right: list[Node]) -> list[Band]:
    table = crosstab(pool, left[0].axis, right[0].axis)
    bands = []
    for a in left:
        for b in right:
            rows = [cell for cell in table.index if cell.partition(": ")[0] == a.id]
            columns = [cell for cell in table.columns if cell.partition(": ")[0] == b.id]
            number = int(table.loc[rows, columns].to_numpy().sum())
            if number:
                bend = (a.x + b.x) / 2
                path = f"M{a.x:.0f},{a.y:.0f} C{bend:.0f},{a.y:.0f} {bend:.0f},{b.y:.0f} {b.x:.0f},{b.y:.0f}"
                bands.append(Band(path, min(14.0, 1.1 * number), a.axis, f"{a.label} and {b.label}: {number}"))
    return bands
