"""The two codings from which the misclassification on some axes is estimated, or why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from survey.literature.pool import Coding, Pool
from survey.literature.taxonomy import Absence, Axis, Shape

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Sources:
    """Two codings by their ids, and the entries that both coded. Entries read once are treated as read by the first."""

    first: str
    second: str
    keys: Keys


def sources(pool: Pool, axes: Sequence[str]) -> Sources | str:
    """Return the pair with the most entries that one of the two read blind, the earlier coding first; or a reason."""
    taxonomy = pool.taxonomy
    for axis in (taxonomy[name] for name in axes):
        if axis.on != "entry":
            return f"{axis.label.lower()} is asked of excluded records, which no reader coded"
        if axis.shape is Shape.QUANTITY:
            return f"{axis.label.lower()} is numeric, and numbers are not compared"
    codings = sorted(pool.codings.values(), key=lambda coding: coding.made)
    pairs = [
        (one, other, _shared(pool, one, other, axes))
        for one, other in combinations(codings, 2)
        if one.codebook == other.codebook
    ]
    label = " and ".join(taxonomy[name].label.lower() for name in axes)
    if not any(keys for *_, keys in pairs):
        return f"no entry was read on {label} by two readers whose codings are stored"
    blind = [(one, other, keys, _blind(one, other, keys, axes)) for one, other, keys in pairs if keys]
    one, other, keys, number = max(blind, key=lambda found: found[3])
    if not number:
        return f"nobody read {label} blind to the other reader's tags"
    for coding, name in product((one, other), axes):
        if _lacks_absence(pool, coding, taxonomy[name], keys):
            return f"{coding.id} has no word for absence on {taxonomy[name].label.lower()}, where the pool has some"
    return Sources(one.id, other.id, keys)


def _shared(pool: Pool, one: Coding, other: Coding, axes: Sequence[str]) -> Keys:
    coded = [coding.on(axis).keys() for coding in (one, other) for axis in axes]
    return Keys(set.intersection({entry.key for entry in pool}, *coded))


def _blind(one: Coding, other: Coding, keys: Keys, axes: Sequence[str]) -> int:
    """Return how many of the entries one of the two coded blind, on each of the axes."""
    read = ([*one.on(axis).values(), *other.on(axis).values()] for axis in axes)
    return len(keys.intersection(*({j.key for j in judged if j.notes.get("blind") == "yes"} for judged in read)))


def _lacks_absence(pool: Pool, coding: Coding, axis: Axis, keys: Keys) -> bool:
    """Return whether a reader never said that there is no value, on entries of which the pool says so."""
    said = any(judgement.tags[0].absent for judgement in coding.on(axis.id).values())
    return not said and any(entry.primary(axis.id) in {*Absence} for entry in pool if entry.key in keys)
