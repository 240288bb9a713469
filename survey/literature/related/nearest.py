"""Nearest entries, by shared tags weighted by rarity."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.literature.pool import Pool

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

MAX_NEIGHBOURS = 5
MAX_SHARED_TAGS = 3
"""Maximum number of shared tags listed per neighbour, rarest first."""

RESOLUTION = 1_000_000_000
"""Factor that turns weights into integers, so that sums do not depend on the order."""


Neighbours = dict[str, list[tuple[str, list[tuple[str, str]]]]]
"""For each key the keys of the nearest entries, each with axis and value of the tags both have."""


def neighbours(pool: Pool) -> Neighbours:
    """Return for each key the nearest entries, each with the tags both have, rarest first.

    The weight of a shared tag is its information content: the logarithm of its inverse frequency.
    """
    axes = [axis.id for axis in pool.taxonomy.main]
    keys = sorted(entry.key for entry in pool)
    tags = [{(a, t.word) for a in axes for t in pool[key].tags.get(a, ()) if not t.absent} for key in keys]
    carried = Counter(tag for own in tags for tag in own)
    weight = {tag: round(RESOLUTION * log(len(pool) / number)) for tag, number in carried.items()}
    rarest = sorted(carried, key=lambda tag: (-weight[tag], tag))
    having = np.array([[tag in own for tag in rarest] for own in tags], dtype=np.int64).reshape(len(keys), len(rarest))
    weighed = having * np.array([weight[tag] for tag in rarest], dtype=np.int64)
    out = {}
    for place, key in enumerate(keys):
        score = having @ weighed[place]
        score[place] = 0
        best = np.argsort(-score, kind="stable")[:MAX_NEIGHBOURS]  # ties are broken by key
        shared = {other: having[place] * having[other] for other in best.tolist() if score[other]}
        out[key] = [
            (keys[other], [rarest[n] for n in np.flatnonzero(both)[:MAX_SHARED_TAGS]]) for other, both in shared.items()
        ]
    return out
