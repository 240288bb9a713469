"""The horizontal axis: seconds with long idle periods compressed, or positions in an order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from survey.traces.exporters.report.formatting import Clock, duration, number

WIDTH = 20_000
"""The width of the axis in units of the drawing: a unit is a pixel at the widest zoom."""

BELOW_A_MINUTE = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0)
LADDER = (*BELOW_A_MINUTE, 60.0, 300.0, 600.0, 1800.0, 3600.0, 14400.0, 43200.0, 86400.0)
"""Distances of ticks, each a multiple of the previous one, so that finer ticks only add to coarser ones."""

TIERS = (5, 11, 40, 150)
"""The most ticks at each tier: on a phone, on a screen, and at two zoom widths."""

FOLDED = 1 / 8
"""An idle period is compressed if it exceeds this share of the total time in which any agent works."""


APART = (4000, 1400, 400, 100)
"""The least distance between two labels on the axis at each tier, in units."""


@dataclass(frozen=True)
class Fold:
    """An idle period that is drawn shorter than it was."""

    left: float
    width: float
    text: str
    tier: int = 0
    """The tier with room for its label; 4: none."""


@dataclass(frozen=True)
class Tick:
    """A tick on the axis; tier 0 fits everywhere, higher tiers need a wider drawing."""

    x: float
    text: str
    tier: int


@dataclass(frozen=True)
class Scale:
    """The mapping of a time, or of a position in the order, to a position on the drawing."""

    times: Sequence[float]
    places: Sequence[float]
    folds: Sequence[Fold]
    ticks: Sequence[Tick]
    caption: str

    def __call__(self, value: float) -> float:
        """Return the position of a value, from 0 to ``WIDTH``."""
        times, places = self.times, self.places
        if value <= times[0]:
            return places[0]
        if value >= times[-1]:
            return places[-1]
        left = bisect_right(times, value) - 1
        part = (value - times[left]) / (times[left + 1] - times[left])
        return places[left] + part * (places[left + 1] - places[left])


def in_seconds(first: float, last: float, busy: Iterable[tuple[float, float]]) -> Scale:
    """Return an axis of seconds from the first event to the last."""
    if not last > first:
        last = first + max(1.0, abs(first) * 1e-9)
    working = list(joined(busy))
    active = sum(end - start for start, end in working)
    bounds = [first, *(bound for stretch in working for bound in stretch), last]
    silences = [(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True) if active and b - a > active * FOLDED]
    drawn = min(active / 28, active * 0.4 / len(silences)) if silences else 0.0
    times, widths = [first], [0.0]
    for start, end in silences:
        for bound, width in ((start, start - times[-1]), (end, drawn)):
            if bound > times[-1]:
                times.append(bound)
                widths.append(widths[-1] + width)
    if last > times[-1]:
        widths.append(widths[-1] + last - times[-1])
        times.append(last)
    factor = WIDTH / widths[-1]
    scale = Scale(times, [width * factor for width in widths], [], [], "")
    folds = [Fold(scale(start), scale(end) - scale(start), duration(end - start, 1)) for start, end in silences]
    shown = last - first - sum(end - start for start, end in silences)
    clock = Clock(last - first)

    def label(t: float) -> str:
        return number(round(t, 3)) if clock.unit == "s" else clock(t)

    hidden = [(start - first, end - first) for start, end in silences]
    ticks = _ticks(last - first, max(shown, (last - first) / 200), lambda t: scale(first + t), label, hidden)
    return Scale(times, scale.places, _spaced_folds(folds), ticks, f"time since the start, {clock.unit}")


def in_order(count: int) -> Scale:
    """Return an axis that counts events."""
    last = float(max(count, 1))
    scale = Scale([0.0, last], [0.0, float(WIDTH)], [], [], "")
    ticks = _ticks(last, last, scale, number, (), whole=True)
    return Scale(scale.times, scale.places, [], ticks, "events in order")


def _ticks(
    span: float,
    shown: float,
    x: Callable[[float], float],
    label: Callable[[float], str],
    hidden: Sequence[tuple[float, float]],
    whole: bool = False,
) -> list[Tick]:
    steps = list(_steps(shown, whole))
    finest = steps[-1]
    ticks, count = [], min(int(span / finest + 1e-9), 2000)
    for k in range(count + 1):
        t = k * finest
        tier = next((tier for tier, step in enumerate(steps) if abs(t / step - round(t / step)) < 1e-6), len(steps) - 1)
        if not any(start < t < end for start, end in hidden):
            ticks.append(Tick(x(t), label(t), tier))
    return _spaced(ticks)


def _spaced(ticks: Sequence[Tick]) -> list[Tick]:
    """Move ticks without room, such as those next to a fold, to a higher tier."""
    words = _Words()
    coarse_first = sorted(ticks, key=lambda tick: (tick.tier, tick.x))
    kept = [replace(tick, tier=words.place(tick.x, tick.tier)) for tick in coarse_first]
    return sorted((tick for tick in kept if tick.tier < len(TIERS)), key=lambda tick: tick.x)


def _spaced_folds(folds: Sequence[Fold]) -> list[Fold]:
    words = _Words()
    return [replace(fold, tier=words.place(fold.left + fold.width / 2, 0)) for fold in folds]


class _Words:
    """Labels on a line, each placed where there is room."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def place(self, x: float, tier: int) -> int:
        """Reserve and return the first tier, from ``tier`` on, with room for a label."""
        at = bisect_right(self.taken, x)
        gap = min((abs(x - other) for other in self.taken[max(at - 1, 0) : at + 1]), default=float(WIDTH))
        while tier < len(TIERS) and gap < APART[tier]:
            tier += 1
        if tier < len(TIERS):
            self.taken.insert(at, x)
        return tier


def _steps(shown: float, whole: bool) -> Iterator[float]:
    """Yield, for every tier, the smallest distance of ticks that fits its maximum."""
    ladder = [1.0, 5.0, 10.0, 50.0, 100.0] if whole else list(LADDER)
    while shown / ladder[-1] > TIERS[0]:
        ladder.append(ladder[-1] * (2 if ladder[-2] * 5 == ladder[-1] else 5))
    for most in TIERS:
        yield next(step for step in ladder if shown / step <= most)


def joined(stretches: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Merge intervals that overlap or touch.

    >>> list(joined([(4, 5), (0, 2), (1, 3)]))
    [(0, 3), (4, 5)]
    """
    start = end = None
    for left, right in sorted(stretches):
        if end is not None and start is not None and left <= end:
            end = max(end, right)
            continue
        if end is not None and start is not None:
            yield start, end
        start, end = left, right
    if end is not None and start is not None:
        yield start, end
