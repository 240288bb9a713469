"""Nearest entries: those that share the rarest tags."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING

from survey.extras import late
from survey.literature.pool import Pool

if TYPE_CHECKING:
    import numpy as np
else:
    np = late("numpy")

HOW_MANY = 5
TOLD = 3
"""So many shared tags are named, the rarest first."""

FINENESS = 1_000_000_000
"""Weights are whole numbers: sums are then the same in any order."""


def neighbours(pool: Pool) -> dict[str, list[tuple[str, list[tuple[str, str]]]]]:
    """For each key the nearest entries, each with the tags both carry (rarest first).

    A shared tag weighs as much as it tells: the logarithm of how few entries carry it.
    """
    axes = [axis.id for axis in pool.taxonomy.main]
    keys = sorted(entry.key for entry in pool)
    tags = [{(a, t.word) for a in axes for t in pool[key].tags.get(a, ()) if not t.absent} for key in keys]
    carried = Counter(tag for own in tags for tag in own)
    weight = {tag: round(FINENESS * log(len(pool) / number)) for tag, number in carried.items()}
    rarest = sorted(carried, key=lambda tag: (-weight[tag], tag))
    having = np.array([[tag in own for tag in rarest] for own in tags], dtype=np.int64).reshape(len(keys), len(rarest))
    weighed = having * np.array([weight[tag] for tag in rarest], dtype=np.int64)
    out = {}
    for place, key in enumerate(keys):
        score = having @ weighed[place]
        score[place] = 0
        best = np.argsort(-score, kind="stable")[:HOW_MANY]  # of equals the first by key
        shared = {other: having[place] * having[other] for other in best.tolist() if score[other]}
        out[key] = [(keys[other], [rarest[n] for n in np.flatnonzero(both)[:TOLD]]) for other, both in shared.items()]
    return out
