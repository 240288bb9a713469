"""Robustness: every conclusion under every variant, and the entries on which it depends."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from survey.literature import Pool, load, read_pool
from survey.literature.claims import (
    READINGS,
    Conclusion,
    Judge,
    Outcome,
    Ranking,
    Standing,
    by_standing,
    conclusions,
    rankings,
    turning_entries,
    variant_pool,
)
from survey.literature.claims.rankings import tau_b
from survey.literature.claims.tallies import measurable, tally
from survey.literature.pool.claims.reading import READ
from tests.conftest import published_data

THEN = date(2026, 5, 4)
"""The day of the first edition: as of it, works have the tags with which it was published."""

NEAR_MISSES = ("E003", "E006", "E007", "E013", "E020", "E021", "E022", "E025", "E030", "E032")
SPARSE = ("message-credit-sparse", "orchestrator-credit-sparse", "stopping-untrained")

CLAIM = """
[claim.one]
sentence = "One."
count = { credit = "message" }
at-most = 5
limit = "l"
changes = "c"
"""
READINGS_TABLE = """
[readings]
published = "published-2026-05-04"
second = "second-reading-2026-11"
day = 2026-05-04
"""
VARIANT = """
[variant.sure]
label = "sure"
says = "Keeps what is sure."
keep = { confidence = "high" }
"""
READMIT = """
[variant.worst]
label = "worst"
says = "As bad as can be."
readmit = ["E003", "E006", "E007"]
at-worst = true
"""


@pytest.fixture(scope="module")
def pool(published: Pool) -> Pool:
    """The first edition, which never changes."""
    return published.as_of(THEN)


@pytest.fixture(scope="module")
def found(pool: Pool) -> dict[str, Conclusion]:
    return {conclusion.claim.id: conclusion for conclusion in conclusions(pool)}


@pytest.fixture(scope="module")
def orders(pool: Pool) -> dict[str, Ranking]:
    return {ranking.axis.id: ranking for ranking in rankings(pool)}


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    """The data of the first edition, to be changed."""
    return published_data(tmp_path)


def by(conclusion: Conclusion) -> dict[str, Outcome]:
    return {outcome.variant.id: outcome for outcome in conclusion.outcomes}


def concluded(bib: Path, text: str) -> Conclusion:
    (bib / "claims.toml").write_text(READINGS_TABLE + text)
    return conclusions(load(bib).as_of(THEN))[0]


# ------------------------------------------------------- what the survey states


def test_the_sparse_credit_claims_survive_near_miss_exclusions(pool: Pool, found: dict[str, Conclusion]) -> None:
    for id in SPARSE:
        conclusion, readmitted = found[id], by(found[id])["near-misses"]
        assert readmitted.variant.readmit == NEAR_MISSES
        assert (readmitted.of, readmitted.number) == (94, conclusion.broad.number)
        assert readmitted.holds == conclusion.broad.holds, "re-admitting changes none of them"


def test_readmission_does_not_change_their_strict_reading(pool: Pool) -> None:
    judge = Judge(pool)
    (variant,) = (v for v in pool.claims.variants if v.id == "near-misses")
    more = variant_pool(judge, variant, pool.day)
    assert more is not None
    for id, number in zip(SPARSE, (1, 5, 1), strict=True):
        claim = pool.claims[id]
        strictly = [tally(p, claim, "strict", claim.strict) for p in (pool, more)]
        assert [t.number for t in strictly] == [number, number]
        assert strictly[0].holds == strictly[1].holds


def test_the_number_of_near_misses_that_would_change_them(found: dict[str, Conclusion]) -> None:
    worst = {id: by(found[id])["near-misses-at-worst"] for id in SPARSE}
    assert [worst[id].number for id in SPARSE] == [12, 18, 11]
    assert not any(outcome.holds for outcome in worst.values())
    # 10 of 94 is the first count above a tenth; the claim on stopping fails as coded
    assert [worst[id].breaks for id in SPARSE] == [8, 2, None]


def test_the_worst_case_is_a_bound_and_does_not_count(found: dict[str, Conclusion]) -> None:
    message = found["message-credit-sparse"]
    assert (message.survived, len(message.tests), message.standing) == (6, 6, Standing.ROBUST)
    assert "near-misses-at-worst" not in [o.variant.id for o in message.tests]


def test_a_variant_in_which_a_claim_must_pass_is_not_counted(found: dict[str, Conclusion]) -> None:
    idle = {o.variant.id for o in found["message-credit-sparse"].outcomes if o.idle}
    assert idle == {"strict", "near-misses"}, "a narrower selection, and works that only enlarge the population"
    idle = {o.variant.id for o in found["no-benchmark-measures-all-four"].outcomes if o.idle}
    assert idle == {"high-confidence", "peer-reviewed", "near-misses", "leave-one-out"}, "fewer works than none"


@pytest.mark.parametrize("seed", range(25))
def test_a_variant_that_is_not_counted_cannot_fail_whatever_the_tags(pool: Pool, seed: int) -> None:
    chance = random.Random(seed)
    tags = [entry.tags for entry in pool.entries]
    chance.shuffle(tags)
    other = replace(pool, entries=tuple(replace(e, tags=t) for e, t in zip(pool.entries, tags, strict=True)))
    for conclusion in conclusions(other, chance.sample(list(pool.claims), 8)):
        if conclusion.broad.holds:
            assert all(o.holds for o in conclusion.outcomes if o.idle), conclusion.claim.id


# ------------------------------------------------------------------ the findings


def test_hybrid_rewards_lead_in_the_published_coding_only(
    found: dict[str, Conclusion], orders: dict[str, Ranking]
) -> None:
    hybrid = found["hybrid-reward-leads"]
    assert [o.variant.id for o in hybrid.failed] == ["second-reading", "high-confidence", "peer-reviewed"]
    assert (by(hybrid)["second-reading"].number, by(hybrid)["second-reading"].against) == (3, 19)
    reward = orders["reward"]
    assert {o.variant.id: o.leaders for o in reward.orders if not o.stays} == {
        "second-reading": ("shared",),
        "high-confidence": ("shared",),
        "peer-reviewed": ("shared",),
    }


def test_agents_lead_among_credit_units_in_every_variant(orders: dict[str, Ranking]) -> None:
    credit = orders["credit"]
    assert credit.ordered[:5] == ("agent", "role", "orchestrator", "turn", "message")
    assert credit.survived == len(credit.orders) == 6
    strict = next(o for o in credit.orders if o.variant.id == "strict")
    assert [strict.counts[unit] for unit in credit.ordered[:5]] == [17, 4, 5, 3, 1]
    assert strict.reversed == 1, "roles and orchestrators change places"


def test_conclusions_that_depend_on_one_entry(found: dict[str, Conclusion]) -> None:
    hanging = turning_entries(found.values())
    assert "message-credit-counterfactual" in [c.claim.id for c in hanging["c3"]]
    assert "kimi-trained-orchestrator" in [c.claim.id for c in hanging["kimi-k2-5"]]
    assert len(hanging["kimi-k2-6"]) == max(map(len, hanging.values())) == len(next(iter(hanging.values())))


def test_a_claim_that_fails_as_coded_names_the_entries_it_depends_on(found: dict[str, Conclusion]) -> None:
    stopping = found["stopping-untrained"]
    assert stopping.standing is Standing.FAILS
    assert stopping.turns == ("puppeteer",), "without it the claim would pass"
    assert stopping in by_standing(found.values())[Standing.FAILS]


def test_peer_review_is_journals_and_proceedings(pool: Pool) -> None:
    (variant,) = (v for v in pool.claims.variants if v.types)
    kept = variant_pool(Judge(pool), variant, pool.day)
    assert kept is not None
    assert {"coma2018", "dec-pomdp2002", "mas-zero2025"} <= {e.key for e in kept}, "workshops are in"
    assert not {"kimi-k2-5", "kimi-k2-6", "depart2026", "c3"} & {e.key for e in kept}
    assert {e.block.type for e in kept} == {"article", "inproceedings"}


def test_readings_equal_those_of_the_verdicts(pool: Pool, found: dict[str, Conclusion]) -> None:
    assert set(READ) < set(READINGS)
    judge = Judge(pool)
    for claim in pool.claims:
        outcomes = {o.variant.reading: o for o in found[claim.id].outcomes if o.variant.reading}
        for told in judge.judged(claim).tallies[1:]:
            outcome = outcomes[told.reading]
            if told.of == told.works:  # on works that a reading did not read, its variant keeps our tags
                assert (outcome.number, outcome.of, outcome.holds) == (told.number, told.of, told.holds)


def test_the_size_of_the_pool_is_tested_in_readings_only(found: dict[str, Conclusion]) -> None:
    for id in ("retained", "excluded"):
        assert found[id].standing is Standing.OF_THE_POOL
        assert [o.variant.id for o in found[id].tests] == ["published"]


def test_nothing_is_measurable_before_the_first_entry(pool: Pool) -> None:
    day = date(2026, 1, 1)
    assert rankings(pool, day) == ()
    for conclusion in conclusions(pool, [claim for claim in pool.claims if claim.count and not claim.snapshot], day):
        assert (conclusion.broad.holds, conclusion.tests, conclusion.turns) == (None, (), ())


# ------------------------------------------------------- small and worked by hand


@pytest.mark.parametrize(
    ("test", "number", "of", "breaks"),
    [
        ("at-most = 5", 5, 87, None),  # 2 as coded, three more
        ("at-most = 4", 5, 87, 3),
        ("is = 2", 5, 87, 1),
        ("share-at-most = 0.05", 5, 87, 3),  # 4 of 87 is below, 5 above
        ("at-least = 2", 2, 87, None),  # a record cannot take anything away
        ("share-at-least = 0.023", 2, 87, 0),  # 2 of 84 is above, 2 of 87 below: the population grows
        ('of = { reward = "R6" }\nshare-at-most = 0.2', 4, 18, 3),  # 1 of 15; 3 of 17 is below a fifth, 4 of 18 above
        ('more-than = { credit = "team" }', 2, 87, 2),
    ],
)
def test_the_worst_case_by_hand(bib: Path, test: str, number: int, of: int, breaks: int | None) -> None:
    text = CLAIM.replace("at-most = 5", f"primary = true\n{test}") + READMIT
    conclusion = concluded(bib, text)
    (worst,) = conclusion.outcomes
    assert (worst.number, worst.of, worst.breaks) == (number, of, breaks)
    assert worst.holds == (worst.breaks is None)


def test_a_largest_number_has_no_worst_case(found: dict[str, Conclusion]) -> None:
    assert by(found["scale-gap-agents"])["near-misses-at-worst"].holds is None


def test_a_variant_without_entries_does_not_apply(bib: Path) -> None:
    text = CLAIM.replace("at-most", 'of = { category = "industry" }\nshare-at-most').replace("= 5", "= 0.5")
    reviewed = VARIANT.replace('keep = { confidence = "high" }', 'types = ["article"]')
    conclusion = concluded(bib, text + reviewed)
    assert conclusion.outcomes[0].holds is None
    assert conclusion.tests == ()


def test_published_tags_do_not_apply_to_earlier_days(pool: Pool) -> None:
    for variant in pool.claims.variants:
        if variant.reading == "published":
            assert variant_pool(Judge(pool), variant, date(2026, 5, 3)) is None


# ---------------------------------------------------- comparison with others


def test_leaving_out_one_of_each_group_equals_leaving_out_each_entry(pool: Pool, found: dict[str, Conclusion]) -> None:
    rest = [replace(pool, entries=(*pool.entries[:n], *pool.entries[n + 1 :])) for n in range(len(pool))]
    for id, conclusion in found.items():
        if conclusion.about_the_pool or conclusion.broad.holds is None:
            continue
        held = [measurable(some, conclusion.claim) and tally(some, conclusion.claim, "").holds for some in rest]
        turning = tuple(e.key for e, holds in zip(pool, held, strict=True) if holds != conclusion.broad.holds)
        assert conclusion.turns == turning, id


counted_values = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
)


@settings(deadline=None)
@given(counted_values)
def test_tau_equals_that_of_scipy(counts: tuple[list[int], list[int]]) -> None:
    tau, _ = tau_b(*counts)
    if len(set(counts[0])) == 1 or len(set(counts[1])) == 1:
        assert tau is None
    else:
        assert tau == pytest.approx(kendalltau(*counts).statistic)


@settings(deadline=None)
@given(counted_values)
def test_tau_is_symmetric_and_1_for_the_same_order(counts: tuple[list[int], list[int]]) -> None:
    one, other = counts
    assert tau_b(one, other) == tau_b(other, one)
    assume(len(set(one)) > 1)
    tau, turned = tau_b(one, [3 * number + 1 for number in one])
    assert tau is not None
    assert math.isclose(tau, 1)
    assert turned == 0


# --------------------------------------------------------------------- invariants


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_entries_changes_nothing(pool: Pool, shuffled: random.Random) -> None:
    entries = list(pool.entries)
    shuffled.shuffle(entries)
    claims = shuffled.sample(list(pool.claims), 6)
    other = replace(pool, entries=tuple(entries))
    for one, again in zip(conclusions(pool, claims), conclusions(other, claims), strict=True):
        assert [(o.variant.id, o.holds, o.number, o.of, o.breaks) for o in one.outcomes] == [
            (o.variant.id, o.holds, o.number, o.of, o.breaks) for o in again.outcomes
        ]
        assert set(one.turns) == set(again.turns)


def test_the_numbers_are_consistent(pool: Pool, found: dict[str, Conclusion], orders: dict[str, Ranking]) -> None:
    assert sum(map(len, by_standing(found.values()).values())) == len(pool.claims)
    for conclusion in found.values():
        assert len(conclusion.outcomes) == len(pool.claims.variants)
        assert conclusion.survived + len(conclusion.failed) == len(conclusion.tests)
        kept = [o for o in conclusion.outcomes if o.variant.keep and o.holds is not None]
        assert conclusion.claim.largest or all(o.number <= conclusion.broad.number for o in kept)
    for ranking in orders.values():
        for order in ranking.orders:
            assert order.reversed <= ranking.pairs
            assert not order.counts or set(order.counts) == set(ranking.full.counts), "zeros included"


# ------------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VARIANT.replace("label", "lable"), 'variant.sure: "lable" is not a key (did you mean "label"?)'),
        (VARIANT.replace('label = "sure"\n', ""), "variant.sure: object missing required field `label`"),
        (VARIANT.replace('"Keeps what is sure."', '" "'), "variant.sure: says is empty"),
        (VARIANT.replace("keep = { confidence = \"high\" }", ""), "variant.sure: has none, expected exactly one of keep, types, reading, denominator, readmit, leave-one-out"),
        (VARIANT + 'leave-one-out = true\n', "variant.sure: has keep, leave-one-out, expected exactly one of"),
        (VARIANT.replace("high", "hihg"), 'variant.sure: keep: "hihg" is not a value of confidence (did you mean "high"?)'),
        (VARIANT.replace("confidence", "confidense"), 'variant.sure: keep: there is no axis "confidense" (did you mean "confidence"?)'),
        (VARIANT.replace('confidence = "high"', 'stage = "abstract-screen"'), "variant.sure: keep: found axes of excluded records, expected axes of entries"),
        (VARIANT.replace('keep = { confidence = "high" }', 'types = ["artcle"]'), 'variant.sure: types: there is no "artcle" (did you mean "article"?)'),
        (VARIANT.replace('keep = { confidence = "high" }', 'reading = "pool"'), 'variant.sure: reading: there is no "pool" (expected one of: published, second, strict)'),
        (VARIANT.replace('keep = { confidence = "high" }', 'readmit = ["E0003"]'), 'variant.sure: readmit: there is no "E0003" (did you mean "E003"?)'),
        (VARIANT + "at-worst = true\n", "variant.sure: at-worst: there is no readmit (expected the keys of excluded records)"),
        (VARIANT + 'rankings = { credits = { rl = "yes" } }\n', 'variant.sure: rankings: there is no axis "credits" (did you mean "credit"?)'),
        (VARIANT + 'rankings = { credit = { rl = "yess" } }\n', 'variant.sure: rankings.credit: "yess" is not a value of rl (did you mean "yes"?)'),
        (VARIANT.replace("variant.sure", "variant.Sure"), "variant.Sure: is not an id"),
        ("variant = 3\n", "variant: found something else, expected tables like [variant."),
        ("[variants.a]\n", '"variants" is not a table of this file (did you mean "variant"?)'),
    ],
)  # fmt: skip
def test_a_wrong_variant_is_a_problem_with_its_line(bib: Path, text: str, message: str) -> None:
    (bib / "claims.toml").write_text(text)
    problems = [str(p) for p in read_pool(bib)[1]]
    assert any(message in problem for problem in problems), problems
    assert all(re.match(rf"{re.escape(str(bib))}/claims\.toml:\d+: ", problem) for problem in problems)


def test_claims_need_no_variants(bib: Path) -> None:
    conclusion = concluded(bib, CLAIM)
    assert (conclusion.outcomes, conclusion.standing) == ((), Standing.UNTESTED)
