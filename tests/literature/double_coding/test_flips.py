"""The smallest number of changes that turn a claim, against an exhaustive search that counts with the judge itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest

from survey.literature import Entry, Pool, Shape, Tag, load
from survey.literature.claims.tallies import tally
from survey.literature.double_coding import every_pair, flip, smallest_change
from survey.literature.pool import Claim
from survey.literature.taxonomy import Axis
from tests.conftest import ROOT
from tests.literature.conftest import TAXONOMY

Change = tuple[tuple[str, str], tuple[Tag, ...]]

READINGS = """
[readings]
published = "one"
second = "two"
day = 2026-05-04
"""

CLAIMS = """
[claim.at-most]
count = { reward = "shared" }
at-most = 1
[claim.at-least]
count = { reward = "process", decision = "stop:learned" }
at-least = 2
[claim.exactly]
count = { reward = "shared" }
primary = true
is = 2
[claim.never]
count = { decision = "stop" }
is = 0
[claim.share]
count = { reward = "shared" }
primary = true
share-at-most = 0.5
[claim.share-of-some]
count = { reward = "shared" }
of = { decision = "stop" }
share-at-least = 0.5
[claim.most]
count = { reward = "shared" }
applicable = true
share-above = 0.5
[claim.fewer]
count = { reward = "process" }
of = { decision = "stop" }
applicable = true
share-below = "1/3"
[claim.applicable]
count = { reward = "shared" }
primary = true
applicable = true
share-at-most = "1/3"
[claim.both]
count = { reward = { all = ["shared", "process"] } }
at-least = 1
[claim.more]
count = { reward = "shared" }
more-than = { reward = "process" }
[claim.more-on-another-axis]
count = { decision = ["stop:learned", "na"] }
more-than = { reward = "unknown" }
[claim.leads]
count = { reward = "process" }
primary = true
leads = "reward"
"""

MOST = 3
"""Largest number of changes that the search tries."""


def with_codings(folder: Callable[..., Path], **files: str) -> Path:
    """Create a folder with two codings that are still empty: claims need their names."""
    bib = folder(**files)
    (bib / "codings").mkdir()
    for id in ("one", "two"):
        (bib / "codings" / f"{id}.csv").write_text("key,axis,value\n")
    readers = (f'[{id}]\nreader = "R"\nmade = 2026-05-04\nstatement = "S."\n' for id in ("one", "two"))
    (bib / "codings" / "readers.toml").write_text("".join(readers))
    return bib


def small(folder: Callable[..., Path], seed: int) -> Pool:
    """Return a pool of four entries with random tags, and all the claims."""
    claims = CLAIMS.replace("]\ncount", ']\nsentence = "S."\nlimit = "L."\nchanges = "C."\ncount')
    pool = load(with_codings(folder, taxonomy=TAXONOMY.partition("[[rule]]")[0], claims_toml=READINGS + claims))
    random = Random(seed)
    entries = [
        replace(ENTRIES(pool, number), tags=MappingProxyType({
            axis.id: random.choice(list(values(axis))) for axis in pool.taxonomy.on("entry")
        }))
        for number in range(4)
    ]  # fmt: skip
    return replace(pool, entries=tuple(entries), root=None)


def ENTRIES(pool: Pool, number: int) -> Entry:  # noqa: N802
    block = replace(pool.entries[0].block, key=f"key{number}")
    return replace(pool.entries[0], block=block)


def values(axis: Axis) -> Iterator[tuple[Tag, ...]]:
    """Yield everything that can be written on an axis: each word for absence, and the values in every order."""
    yield from ((Tag(axis.id, word),) for word in axis.absences)
    tags = [Tag(axis.id, word, how) for word in axis.values for how in (axis.qualifiers or [""])]
    for size in range(1, len(axis.values) + 1 if axis.shape is not Shape.ONE else 2):
        yield from (some for some in permutations(tags, size) if len({tag.word for tag in some}) == size)


def changed(pool: Pool, changes: tuple[Change, ...]) -> Pool:
    new = {(key, axis): tags for (key, axis), tags in changes}
    entries = tuple(
        replace(e, tags=MappingProxyType({a: new.get((e.key, a), tags) for a, tags in e.tags.items()})) for e in pool
    )
    return replace(pool, entries=entries, root=None)


def searched(pool: Pool, claim: Claim, free: set[tuple[str, str]]) -> tuple[int | None, set[tuple[str, str]]]:
    """Try every set of changes, small ones first: the size of those that turn the claim, and the pairs in any of them."""
    pairs = sorted(pair for pair in free if pair[1] in claim.axes)
    before = tally(pool, claim, "pool").holds
    for size in range(1, MOST + 1):
        pivotal: set[tuple[str, str]] = set()
        for some in combinations(pairs, size):
            others = [
                [tags for tags in values(pool.taxonomy[axis]) if tags != pool[key].tags[axis]] for key, axis in some
            ]
            if any(
                tally(changed(pool, tuple(zip(some, new, strict=True))), claim, "pool").holds != before
                for new in product(*others)
            ):
                pivotal |= set(some)
        if pivotal:
            return size, pivotal
    return None, set()


@pytest.mark.parametrize("seed", [0, 1, 2, 42, 58, 76])
def test_no_smaller_set_of_changes_turns_a_claim_and_every_pivotal_pair_is_in_one(
    folder: Callable[..., Path], seed: int
) -> None:
    pool = small(folder, seed)
    random = Random(100 + seed)
    free = {(e.key, axis) for e in pool for axis in ("reward", "decision") if random.random() < 0.8}
    turned = 0
    for claim in pool.claims:
        found = flip(pool, claim, free)
        changes, pivotal = searched(pool, claim, free)
        if found.left_out:
            assert claim.test == "leads", claim.id
            continue
        assert found.holds == tally(pool, claim, "pool").holds, claim.id
        if changes is None:
            assert found.changes is None or found.changes > MOST, claim.id
        else:
            assert (found.changes, set(found.moves)) == (changes, pivotal), claim.id
            turned += 1
    assert turned > 4


def test_the_results_of_all_claims_are_those_that_the_judge_counts() -> None:
    pool = load(ROOT / "bib")
    found = {claim.id: flip(pool, claim, ()) for claim in pool.claims}
    day = pool.claims.readings.day if pool.claims.readings else None
    for claim in pool.claims:
        if not found[claim.id].left_out:
            then = pool.as_of(day) if claim.snapshot else pool
            assert found[claim.id].holds == tally(then, claim, "pool").holds, claim.id
        assert found[claim.id].changes is None  # nothing may change


def test_claims_that_do_not_depend_on_tags_are_left_out_with_the_reason(folder: Callable[..., Path]) -> None:
    text = READINGS + '[claim.size]\nsentence = "S."\nlimit = "L."\nchanges = "C."\ncount = {}\nis = 1\n'
    pool = load(with_codings(folder, claims_toml=text))
    assert flip(pool, pool.claims["size"], {("key2026", "reward")}).left_out == "it does not depend on tags of entries"


POOL_FILE = (ROOT / "bib" / "pool.bib").read_text()
POOLED = len(re.findall(r"(?m)^@", POOL_FILE))
STOPS = len(re.findall(r"(?m)^\s*tag-decision\s*=.*stop: learned", POOL_FILE))
"""Entries that learn to stop: the claim that there is none falls as long as one is left."""
SPEEDS = len(re.findall(r"(?m)^\s*tag-measures\s*=.*parallel-efficiency", POOL_FILE))
"""The same for benchmarks that measure parallel efficiency."""


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("stopping-untrained", f"{STOPS} tags, of all that count"),
        ("parallel-efficiency-unmeasured", f"{SPEEDS} tags, of "),
        ("no-benchmark-measures-all-four", f"one tag, of any of {POOLED} works"),
        ("scale-gap-agents", "not computed: it is about one number, not about how many entries have a value"),
    ],
)
def test_the_smallest_change_says_how_many_tags_and_of_which_works(id: str, said: str) -> None:
    pool = load(ROOT / "bib")
    assert smallest_change(flip(pool, pool.claims[id], every_pair(pool))).startswith(said)
