"""Inter-rater reliability of two readers: raw agreement, Cohen's kappa and Krippendorff's alpha.

Both coefficients compare the observed disagreement with the disagreement expected by chance. Kappa estimates chance
from each reader's own distribution, alpha from the pooled distribution of both. For two readers without missing values
they differ little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

RESAMPLES, SEED, COVERAGE = 2000, 20260504, (2.5, 97.5)

Category = tuple[str, ...]
"""The compared values of a reader on an axis: one word, or on a set all of them."""

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % percentile interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


def reliability(
    ratings: Sequence[tuple[Category, Category]], overlap: Callable[[Category, Category], float] | None = None
) -> tuple[Estimate, Estimate, Estimate, Estimate | None]:
    """Return raw agreement, kappa, alpha and, if a measure of overlap is given, its mean over the entries.

    Entries are resampled with replacement, always with the same seed. The result depends only on how often each pair
    of categories occurs, not on the order of the entries or of the readers.
    """
    n = len(ratings)
    if n == 0:
        undefined = Estimate(nan, nan, nan)
        return undefined, undefined, undefined, undefined if overlap else None
    tally = Counter(min(ratings, [(b, a) for a, b in ratings], key=sorted))
    pairs, numbers = zip(*sorted(tally.items()), strict=True)
    drawn = np.random.default_rng(SEED).multinomial(n, np.array(numbers) / n, RESAMPLES)
    samples = np.vstack([numbers, drawn]).astype(float)  # first the observed sample, then each resample
    place = {category: number for number, category in enumerate(sorted({c for pair in pairs for c in pair}))}
    rows, columns = (samples @ np.eye(len(place))[[place[pair[side]] for pair in pairs]] / n for side in (0, 1))
    raw = samples @ np.array([a == b for a, b in pairs], dtype=float) / n
    common = _estimate(samples @ np.array([overlap(a, b) for a, b in pairs]) / n) if overlap else None
    return _estimate(raw), _estimate(kappa(raw, rows, columns)), _estimate(alpha(raw, rows, columns, n)), common


def kappa(raw: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return Cohen's kappa from the share of agreement and each reader's shares of the categories."""
    by_chance = (rows * columns).sum(axis=-1)
    return _corrected(1 - raw, 1 - by_chance)


def alpha(raw: Floats, rows: Floats, columns: Floats, n: int) -> Floats:
    """Return Krippendorff's alpha for nominal data from two readers of the same ``n`` entries."""
    values = n * (rows + columns)
    by_chance = (values * (values - 1)).sum(axis=-1) / (2 * n * (2 * n - 1))
    return _corrected(1 - raw, 1 - by_chance)


def _corrected(observed: Floats, expected: Floats) -> Floats:
    """Return one minus observed over expected disagreement; NaN where no disagreement is expected."""
    defined = expected > 1e-12
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), nan)


def _estimate(values: Floats) -> Estimate:
    defined = values[1:][~np.isnan(values[1:])]
    low, high = np.percentile(defined, COVERAGE) if len(defined) else (nan, nan)
    return Estimate(float(values[0]), float(low), float(high))
