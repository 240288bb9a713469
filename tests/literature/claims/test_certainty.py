"""How certain the numbers of claims are: intervals, thresholds within them, and who read the works."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from survey.cli import main
from survey.literature import Pool
from survey.literature.agreement import Figure, Uncertainty
from survey.literature.claims import Certainties, Certainty, interval_in_words
from survey.literature.pool import Claim


@pytest.fixture(scope="module")
def certain(pool: Pool) -> Certainties:
    return Certainties(pool)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def ends(figure: Figure | None) -> tuple[int, int]:
    assert figure
    assert figure.low is not None
    assert figure.high is not None
    return figure.low, figure.high


def test_the_interval_of_a_claim_is_that_of_the_value_it_counts(pool: Pool, certain: Certainties) -> None:
    found = certain.of(pool.claims["message-credit-sparse"]).number
    assert found == Uncertainty(pool).value("credit", "message")


@pytest.mark.parametrize(("works", "near"), [(-1, False), (0, True), (1, True), (2, True), (3, False)])
def test_a_claim_is_near_its_threshold_if_its_interval_reaches_it(
    pool: Pool, certain: Certainties, works: int, near: bool
) -> None:
    """At most so many works: below the interval, at its low end, between, just below its high end, at its high end."""
    claim = pool.claims["message-credit-sparse"]
    low, high = ends(certain.of(claim).number)
    limit = {-1: low - 1, 0: low, 1: (low + high) // 2, 2: high - 1, 3: high}[works]
    assert certain.of(replace(claim, share_at_most=Fraction(limit, len(pool)))).near is near


def turned(claim: Claim, number: int, of: int, rivals: list[int]) -> bool:
    """The sentence of a claim, read by hand: whether it is true of these numbers."""
    share = Fraction(number, of) if of else None
    if claim.share_at_most is not None:
        return share is not None and share <= Fraction(str(claim.share_at_most))
    if claim.share_at_least is not None:
        return share is not None and share >= Fraction(str(claim.share_at_least))
    if claim.share_above is not None:
        return share is not None and share > Fraction(str(claim.share_above))
    if claim.share_below is not None:
        return share is not None and share < Fraction(str(claim.share_below))
    if claim.is_ is not None:
        return number == claim.is_
    if claim.at_least is not None:
        return number >= claim.at_least
    if claim.at_most is not None:
        return number <= claim.at_most
    return all(number > rival for rival in rivals)


def test_near_is_what_trying_every_number_in_the_intervals_finds(pool: Pool, certain: Certainties) -> None:
    """Every claim with intervals, but for those that must exceed several values: they are tried below."""
    tried = 0
    for claim in pool.claims:
        found = certain.of(claim)
        if found.near is None or claim.leads:
            continue
        assert found.number
        low, high = ends(found.number)
        wholes = range(*_stretched(found.of)) if found.of else [found.number.of]
        rivals = range(*_stretched(found.against)) if found.against else [0]
        answers = {
            turned(claim, min(n, of) if found.of else n, of, [rival])
            for n in range(low, high + 1)
            for of in wholes
            for rival in rivals
        }
        assert found.near is (len(answers) == 2), claim.id
        tried += 1
    assert tried > 20


def _stretched(figure: Figure) -> tuple[int, int]:
    low, high = ends(figure)
    return low, high + 1


def test_a_leading_value_is_near_if_another_may_overtake_it(pool: Pool, certain: Certainties) -> None:
    uncertain = Uncertainty(pool)
    for id in ("agent-credit-leads", "hybrid-reward-leads", "centralized-leads"):
        claim = pool.claims[id]
        axis = pool.taxonomy[str(claim.leads)]
        leader = str(claim.count[axis.id])
        others = [ends(uncertain.value(axis.id, value)) for value in axis.values if value != leader]
        low, high = ends(certain.of(claim).number)
        leads = uncertain.value(axis.id, leader).count > max(uncertain.value(axis.id, v).count for v in axis.values if v != leader)  # fmt: skip
        possible = high > max(least for least, _ in others)
        sure = low > max(most for _, most in others)
        assert certain.of(claim).near is (not sure if leads else possible), id


@pytest.mark.parametrize(("id", "reason"), [
    ("retained", "every work of the pool counts"),
    ("excluded", "excluded records were read by one person"),
    ("scale-gap-agents", "the number is the largest that a work discloses, and no count"),
    ("read-in-full", "no entry was read on read depth by two readers whose codings are stored"),
])  # fmt: skip
def test_a_claim_without_an_interval_says_why(pool: Pool, certain: Certainties, id: str, reason: str) -> None:
    found = certain.of(pool.claims[id])
    assert found.near is None
    assert found.reason == reason
    assert interval_in_words(found) == f"no interval: {reason}"


def test_readings_and_reliability_are_those_of_the_works_and_axes_of_the_claim(
    pool: Pool, certain: Certainties
) -> None:
    claim = pool.claims["debate-and-message-credit"]
    found = certain.of(claim)
    assert {one.axis.id for one in found.reliability} == {"topology", "credit"}
    coders = {
        (entry.key, axis): sum(any(j.key == entry.key and j.axis == axis for j in c.judgements) for c in pool.codings.values())
        for entry in pool for axis in ("topology", "credit")
    }  # fmt: skip
    works = [e.key for e in pool if "debate" in e.words("topology") and "message" in e.words("credit")]
    twice = [key for key in works if min(coders[key, "topology"], coders[key, "credit"]) > 1]
    assert (found.readings.entries, found.readings.twice) == (len(works), len(twice))


def test_a_claim_about_the_published_snapshot_has_the_certainty_of_its_day(pool: Pool, certain: Certainties) -> None:
    claim = next(c for c in pool.claims if c.snapshot and c.count)
    then = certain.of(replace(pool.claims["message-credit-sparse"], snapshot=True))
    assert then.number
    assert then.number.of == len(pool.as_of(pool.claims.readings.day)) < len(pool)  # type: ignore[union-attr]
    assert certain.of(claim)


# ----------------------------------------------------------------- command line


def as_json(certainty: Certainty) -> list[int] | None:
    return list(ends(certainty.number)) if certainty.near is not None else None


def test_the_command_says_the_same_in_every_format(pool: Pool, certain: Certainties) -> None:
    document: dict[str, Any] = json.loads(run("claims", "--format", "json"))
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(run("claims", "--format", "csv")))}
    for claim in document["claims"]:
        expected = certain.of(pool.claims[claim["id"]])
        assert claim["certainty"]["near_threshold"] == expected.near
        if expected.near is None:
            assert claim["certainty"]["none_because"] == expected.reason
            assert rows[claim["id"]]["near_threshold"] == ""
        else:
            assert claim["certainty"]["number"] == as_json(expected)
            row = rows[claim["id"]]
            assert [int(row["low"]), int(row["high"])] == as_json(expected)
            assert row["near_threshold"] == ("yes" if expected.near else "no")
    text = " ".join(run("claims", "agent-credit-leads").split())
    low, high = ends(certain.of(pool.claims["agent-credit-leads"]).number)
    assert f"if every entry were read twice (95 %): {low} to {high} of {len(pool)}, against" in text
    assert "near its threshold: some of these numbers turn the test" in text
    assert "reliability, as Cohen's kappa: credit unit 0." in text
