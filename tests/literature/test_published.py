"""The published survey, recomputed: the pool as of its date reproduces every table.

Numbers are those the survey prints (arXiv:2605.02801 and its artifact, 2026-05-04).
"""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from survey.literature import Pool, counts, crosstab
from survey.literature.pool import cells

SNAPSHOT = date(2026, 5, 4)
PUBLISHED = "published-2026-05-04"


@pytest.fixture(scope="module")
def snapshot(pool: Pool) -> Pool:
    return pool.as_of(SNAPSHOT)


def test_84_entries_were_retained_and_32_records_excluded(snapshot: Pool) -> None:
    assert (len(snapshot), len(snapshot.records), len(snapshot) + len(snapshot.records)) == (84, 32, 116)


COUNTS = {
    "category": {"rl-method": 42, "benchmark": 18, "classical-marl": 10, "industry": 6, "survey": 5, "framework": 3},
    "rl": {"yes": 49, "no": 26, "partial": 9},
    "reward": {
        "na": 33, "hybrid": 15, "shared": 10, "orchestration": 7, "verifier": 6, "debate": 4, "individual": 4,
        "role": 3, "process": 2,
    },
    "credit": {"na": 36, "agent": 23, "role": 10, "orchestrator": 8, "turn": 5, "message": 2},
    "topology": {
        "na": 34, "centralized": 18, "hierarchical": 13, "debate": 8, "planner-executor-critic": 4, "swarm": 4,
        "harness": 3,
    },
    "stage": {"abstract-screen": 16, "full-text-screen": 9, "artifact-screen": 6, "duplicate-screen": 1},
}  # fmt: skip


@pytest.mark.parametrize("axis", list(COUNTS))
def test_the_published_counts_are_reproduced(snapshot: Pool, axis: str) -> None:
    table = counts(snapshot, axis)
    assert {cell: n for cell, n in zip(table["cell"], table["count"], strict=True) if n} == COUNTS[axis]
    assert list(table["cell"]) == list(cells(snapshot.taxonomy[axis]))


REWARD_BY_CREDIT = {
    ("shared", "agent"): 9, ("shared", "message"): 1, ("individual", "agent"): 4, ("role", "role"): 3,
    ("process", "agent"): 1, ("process", "turn"): 1, ("debate", "agent"): 3, ("debate", "message"): 1,
    ("verifier", "role"): 2, ("verifier", "na"): 4, ("orchestration", "orchestrator"): 6,
    ("orchestration", "role"): 1, ("hybrid", "orchestrator"): 1, ("hybrid", "role"): 4, ("hybrid", "agent"): 6,
    ("hybrid", "turn"): 4, ("na", "orchestrator"): 1, ("na", "na"): 32,
}  # fmt: skip

TOPOLOGY_BY_CREDIT = {
    ("centralized", "orchestrator"): 3, ("centralized", "agent"): 14, ("centralized", "message"): 1,
    ("planner-executor-critic", "role"): 4, ("debate", "role"): 1, ("debate", "agent"): 3, ("debate", "turn"): 2,
    ("debate", "message"): 1, ("debate", "na"): 1, ("swarm", "orchestrator"): 2, ("swarm", "na"): 2,
    ("hierarchical", "orchestrator"): 3, ("hierarchical", "role"): 5, ("hierarchical", "agent"): 2,
    ("hierarchical", "turn"): 3, ("harness", "agent"): 1, ("harness", "na"): 2, ("na", "agent"): 3,
    ("na", "na"): 31,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "columns", "published"),
    [("reward", "credit", REWARD_BY_CREDIT), ("topology", "credit", TOPOLOGY_BY_CREDIT)],
    ids=["reward x credit", "topology x credit"],
)
def test_the_published_cross_tables_are_reproduced(
    snapshot: Pool, rows: str, columns: str, published: dict[tuple[str, str], int]
) -> None:
    table = crosstab(snapshot, rows, columns)
    found = {(a, b): int(table.loc[a, b]) for a in table.index for b in table.columns if table.loc[a, b]}
    assert found == published
    assert sum(found.values()) == 84


@pytest.mark.parametrize("axis", ["category", "rl", "reward", "credit", "topology", "scenario", "standing", "verified"])
def test_the_published_value_of_every_entry_is_its_primary_tag(snapshot: Pool, axis: str) -> None:
    coding = snapshot.codings[PUBLISHED]
    published = {j.key: j.tags[0].word for j in coding.judgements if j.axis == axis}
    assert published == {entry.key: entry.primary(axis) for entry in snapshot}


@pytest.mark.parametrize(("rows", "columns"), [("reward", "credit"), ("topology", "credit"), ("category", "rl")])
def test_tables_from_the_coding_file_and_from_the_pool_are_the_same(snapshot: Pool, rows: str, columns: str) -> None:
    values: dict[str, dict[str, str]] = {}
    for judgement in snapshot.codings[PUBLISHED].judgements:
        values.setdefault(judgement.key, {})[judgement.axis] = judgement.tags[0].word
    pairs = Counter((v[rows], v[columns]) for v in values.values())
    table = crosstab(snapshot, rows, columns)
    assert all(pairs[a, b] == table.loc[a, b] for a in table.index for b in table.columns)


# the claims that the survey counts in words


def test_two_entries_credit_messages_and_one_of_them_strictly(snapshot: Pool) -> None:
    broad = snapshot.where([("credit", "message")], primary=True)
    strict = broad.where([("credit-explicit", "yes")])
    assert [e.key for e in broad] == ["c3", "debate-as-reward"]
    assert [e.key for e in strict] == ["c3"]


def test_eight_entries_credit_the_orchestrator_and_five_of_them_strictly_or_nearly(snapshot: Pool) -> None:
    broad = snapshot.where([("credit", "orchestrator")], primary=True)
    strict = broad.where([("credit-explicit", "yes")])
    assert len(broad) == 8
    assert {e.key for e in strict} == {"kimi-k2-5", "owl2025", "paramanager", "puppeteer", "wideseek-r1-2026"}


def test_the_spot_check_agrees_as_published(snapshot: Pool) -> None:
    coding = snapshot.codings["published-spotcheck-2026-05-03"]
    first = snapshot.codings[PUBLISHED]
    agreed: Counter[str] = Counter()
    exceptions = []
    for judgement in coding.judgements:
        published = first.of(judgement.key).get(judgement.axis)
        if published is None:
            continue
        agreed[judgement.axis] += judgement.tags == published.tags
        exceptions += [judgement.key] if judgement.tags != published.tags else []
    assert agreed == {"category": 32, "rl": 32, "reward": 32, "topology": 32, "credit": 31}
    assert exceptions == ["halo"]


def test_the_spot_check_decides_explicit_credit_wherever_credit_applies(snapshot: Pool) -> None:
    for judgement in snapshot.codings["published-spotcheck-2026-05-03"].judgements:
        if judgement.axis == "credit-explicit":
            entry = snapshot[judgement.key]
            expected = "na" if entry.primary("credit") == "na" else judgement.tags[0].word
            assert entry.primary("credit-explicit") == expected, entry.key
