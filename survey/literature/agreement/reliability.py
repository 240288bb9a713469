"""How far two readers agree: raw, and allowing for chance by kappa (Cohen) and by alpha (Krippendorff).

Both coefficients compare the disagreement that was found with what chance would give. Kappa
takes each reader's own habits as chance, alpha what both readers together said, as if every
value could have come from either. For two readers without missing values they differ little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import late

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")

RESAMPLES, SEED, COVERAGE = 2000, 20260504, (2.5, 97.5)

Category = tuple[str, ...]
"""What a reader said on an axis: one word, or on a set all of them."""

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % percentile interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


def reliability(
    said: Sequence[tuple[Category, Category]], overlap: Callable[[Category, Category], float] | None = None
) -> tuple[Estimate, Estimate, Estimate, Estimate | None]:
    """Raw agreement, kappa, alpha and, if a measure of overlap is given, its mean over the entries.

    Entries are resampled with replacement, always with the same seed. What counts is how often
    each pair of categories occurs, neither the order of the entries nor which reader comes first.
    """
    n = len(said)
    if n == 0:
        undefined = Estimate(nan, nan, nan)
        return undefined, undefined, undefined, undefined if overlap else None
    tally = Counter(min(said, [(b, a) for a, b in said], key=sorted))
    pairs, numbers = zip(*sorted(tally.items()), strict=True)
    drawn = np.random.default_rng(SEED).multinomial(n, np.array(numbers) / n, RESAMPLES)
    samples = np.vstack([numbers, drawn]).astype(float)  # first the entries as they are, then each resample
    place = {category: number for number, category in enumerate(sorted({c for pair in pairs for c in pair}))}
    rows, columns = (samples @ np.eye(len(place))[[place[pair[side]] for pair in pairs]] / n for side in (0, 1))
    raw = samples @ np.array([a == b for a, b in pairs], dtype=float) / n
    common = _estimate(samples @ np.array([overlap(a, b) for a, b in pairs]) / n) if overlap else None
    return _estimate(raw), _estimate(kappa(raw, rows, columns)), _estimate(alpha(raw, rows, columns, n)), common


def kappa(raw: Floats, rows: Floats, columns: Floats) -> Floats:
    """Cohen's kappa from the share of agreement and the shares of each category for each reader."""
    by_chance = (rows * columns).sum(axis=-1)
    return _corrected(1 - raw, 1 - by_chance)


def alpha(raw: Floats, rows: Floats, columns: Floats, n: int) -> Floats:
    """Krippendorff's alpha for nominal data from two readers of the same ``n`` entries."""
    values = n * (rows + columns)
    by_chance = (values * (values - 1)).sum(axis=-1) / (2 * n * (2 * n - 1))
    return _corrected(1 - raw, 1 - by_chance)


def _corrected(observed: Floats, expected: Floats) -> Floats:
    """One minus observed over expected disagreement; NaN where none could be expected."""
    defined = expected > 1e-12
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), nan)


def _estimate(values: Floats) -> Estimate:
    defined = values[1:][~np.isnan(values[1:])]
    low, high = np.percentile(defined, COVERAGE) if len(defined) else (nan, nan)
    return Estimate(float(values[0]), float(low), float(high))
