"""How certain the numbers of claims are: intervals, thresholds within them, and who read the works."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.agreement import Figure, Uncertainty
from survey.literature.claims import Certainties, Certainty, interval_in_words
from survey.literature.pool import Claim
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def certain(pool: Pool) -> Certainties:
    return Certainties(pool)


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data with the readings of earlier codebooks alone: they leave works that were read once, or are not settled.

    By the codebook of today every entry was read twice, and nearly all is settled: most intervals are single numbers.
    """
    bib = Path(shutil.copytree(ROOT / "bib", tmp_path_factory.mktemp("earlier") / "bib"))
    readers = bib / "codings" / "readers.toml"
    described = readers.read_text()
    for id, reader in tomllib.loads(described).items():
        if "codebook" in reader:
            (bib / "codings" / f"{id}.csv").unlink()
            described = re.sub(rf"(?ms)^\[{id}\].*?(?=^\[|\Z)", "", described)
    readers.write_text(described)
    (bib / "codings" / "adjudications.csv").unlink()  # they settle what those readings differ on
    return bib


@pytest.fixture(scope="module")
def partly(earlier: Path) -> Pool:
    """The pool with the readings of earlier codebooks alone."""
    return load(earlier)


@pytest.fixture(scope="module")
def uncertain(partly: Pool) -> Certainties:
    return Certainties(partly)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def ends(figure: Figure | None) -> tuple[int, int]:
    assert figure
    assert figure.low is not None
    assert figure.high is not None
    return figure.low, figure.high


def test_the_interval_of_a_claim_is_that_of_the_value_it_counts(
    pool: Pool, partly: Pool, certain: Certainties, uncertain: Certainties
) -> None:
    for some, known in ((pool, certain), (partly, uncertain)):
        assert known.of(some.claims["message-credit-sparse"]).number == Uncertainty(some).value("credit", "message")


@pytest.mark.parametrize(("works", "near"), [(-1, False), (0, True), (1, True), (2, True), (3, False)])
def test_a_claim_is_near_its_threshold_if_its_interval_reaches_it(
    pool: Pool, uncertain: Certainties, works: int, near: bool
) -> None:
    """At most so many works: below the interval, at its low end, between, just below its high end, at its high end."""
    claim = pool.claims["message-credit-sparse"]
    low, high = ends(uncertain.of(claim).number)
    assert low < high - 1
    limit = {-1: low - 1, 0: low, 1: (low + high) // 2, 2: high - 1, 3: high}[works]
    assert uncertain.of(replace(claim, share_at_most=Fraction(limit, len(pool)))).near is near


def test_a_number_that_is_certain_is_near_no_threshold(pool: Pool, certain: Certainties) -> None:
    claim = pool.claims["message-credit-sparse"]
    low, high = ends(certain.of(claim).number)
    assert low == high
    for limit in (low - 1, low, low + 1):
        assert certain.of(replace(claim, share_at_most=Fraction(limit, len(pool)))).near is False


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


def test_near_is_what_trying_every_number_in_the_intervals_finds(pool: Pool, uncertain: Certainties) -> None:
    """Every claim with intervals, but for those that must exceed several values: they are tried below."""
    tried = []
    for claim in pool.claims:
        found = uncertain.of(claim)
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
        tried.append(found.near)
    assert len(tried) > 20
    assert set(tried) == {True, False}


def _stretched(figure: Figure) -> tuple[int, int]:
    low, high = ends(figure)
    return low, high + 1


def test_a_leading_value_is_near_if_another_may_overtake_it(partly: Pool, uncertain: Certainties) -> None:
    """The claims as they are, and of each other value of their axes that it leads."""
    intervals = Uncertainty(partly)
    tried = set()
    for id in ("agent-credit-leads", "hybrid-reward-leads", "centralized-leads"):
        axis = partly.taxonomy[str(partly.claims[id].leads)]
        for leader in axis.values:
            claim = replace(partly.claims[id], count={axis.id: leader})
            others = [intervals.value(axis.id, value) for value in axis.values if value != leader]
            low, high = ends(uncertain.of(claim).number)
            leads = intervals.value(axis.id, leader).count > max(other.count for other in others)
            possible = high > max(ends(other)[0] for other in others)
            sure = low > max(ends(other)[1] for other in others)
            assert uncertain.of(claim).near is (not sure if leads else possible), (id, leader)
            tried.add((leads, uncertain.of(claim).near))
    assert tried == {(True, False), (True, True), (False, False), (False, True)}


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


def test_the_command_says_the_same_in_every_format(earlier: Path, partly: Pool, uncertain: Certainties) -> None:
    data = ("--bib", str(earlier))
    document: dict[str, Any] = json.loads(run(*data, "claims", "--format", "json"))
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(run(*data, "claims", "--format", "csv")))}
    for claim in document["claims"]:
        expected = uncertain.of(partly.claims[claim["id"]])
        assert claim["certainty"]["near_threshold"] == expected.near
        if expected.near is None:
            assert claim["certainty"]["none_because"] == expected.reason
            assert rows[claim["id"]]["near_threshold"] == ""
        else:
            assert claim["certainty"]["number"] == as_json(expected)
            row = rows[claim["id"]]
            assert [int(row["low"]), int(row["high"])] == as_json(expected)
            assert row["near_threshold"] == ("yes" if expected.near else "no")
    text = " ".join(run(*data, "claims", "stopping-designed").split())
    low, high = ends(uncertain.of(partly.claims["stopping-designed"]).number)
    assert f"if every entry were read twice (95 %): {low} to {high} of {len(partly)}, against" in text
    assert "near its threshold: some of these numbers turn the test" in text
    assert "reliability, as Cohen's kappa: orchestration decision 0." in text


def test_the_command_gives_one_number_where_it_is_certain(pool: Pool, certain: Certainties) -> None:
    text = " ".join(run("claims", "agent-credit-leads").split())
    low, _ = ends(certain.of(pool.claims["agent-credit-leads"]).number)
    assert f"if every entry were read twice (95 %): {low} of {len(pool)}, against" in text
    assert "none of these numbers turns the test" in text
    assert "reliability, as Cohen's kappa: credit unit 0." in text
