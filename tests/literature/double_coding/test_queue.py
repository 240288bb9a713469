"""What to read next: hand-worked weights, and the disagreement of an axis against the agreement of readings."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.agreement import agreement
from survey.literature.double_coding import queue, readings, reliabilities
from survey.literature.double_coding.smallest import Choice, Group, smallest
from tests.conftest import ROOT
from tests.literature.claims.growing import with_entry
from tests.literature.conftest import ENTRY

PUBLISHED, SPOT_CHECK, SECOND = "published-2026-05-04", "published-spotcheck-2026-05-03", "second-reading-2026-11"
ADDITIONS, BLIND = "first-additions-2026-11", "blind-additions-2026-11"
ONE, OTHER = "facets-a-2026-11", "facets-b-2026-11"

CLAIM = """
[readings]
published = "one"
second = "two"
day = 2026-05-04

[claim.few]
sentence = "At most two share."
limit = "L."
changes = "C."
count = { reward = "shared" }
primary = true
at-most = 2
"""

ON_THE_EDGE = """
[claim.on-the-edge]
sentence = "At most {most} entries have the message as their first unit of credit."
source = "ours"
chapters = ["read/credit.md"]
count = {{ credit = "message" }}
primary = true
at-most = {most}
limit = "L."
changes = "One more."
"""
"""A claim that falls with one more entry."""


@pytest.fixture(scope="module")
def pool() -> Pool:
    return load(ROOT / "bib")


@pytest.mark.parametrize("axis", ["topology", "category", "rl", "scenario", "credit-holder"])
def test_the_disagreement_of_an_axis_is_that_of_its_blind_comparisons(pool: Pool, axis: str) -> None:
    pairs = [(ONE, OTHER), (PUBLISHED, SECOND), (SPOT_CHECK, SECOND), (ADDITIONS, BLIND)]
    coded = {id: {judgement.axis for judgement in coding.judgements} for id, coding in pool.codings.items()}
    both = [pair for pair in pairs if all(axis in coded[id] for id in pair)]
    found = [agreement(pool, first, second, axis, blind_only=True) for first, second in both]
    assert found
    share = 1 - sum(f.alike for f in found) / sum(f.n for f in found)
    assert reliabilities(pool, readings(pool))[axis].disagreement == pytest.approx(share)


def test_the_published_coding_and_the_pools_tag_are_one_reading(pool: Pool) -> None:
    read = readings(pool)
    assert [reading.by for reading in read["magrpo", "topology"]] == [ONE, OTHER, PUBLISHED, SPOT_CHECK, SECOND]
    assert [reading.by for reading in read["magrpo", "decision"]] == ["pool", ONE, OTHER, SECOND]
    assert [reading.by for reading in read["neuromas2026", "decision"]] == [BLIND, ONE, OTHER, ADDITIONS]
    assert [reading.by for reading in read["magrpo", "algorithm"]] == ["pool", ONE, OTHER]


def test_what_follows_from_other_axes_is_not_waiting_to_be_read(pool: Pool) -> None:
    axes = {row.axis for row in queue(pool).waiting}
    assert axes == {"standing", "verified"}, "every other axis of every entry was read twice"
    with pytest.raises(ValueError, match='there is no axis "reward" to be read'):
        queue(pool, ["reward"])


def test_what_a_claim_has_at_stake_on_a_derived_axis_it_has_on_each_part_that_was_read_once(tmp_path: Path) -> None:
    """A new entry with message credit was read once; three parts decide its unit of credit."""
    bib = Path(shutil.copytree(ROOT / "bib", tmp_path / "bib"))
    most = len(load(bib).where([("credit", "message")], primary=True))
    with (bib / "claims.toml").open("a") as file:
        file.write(ON_THE_EDGE.format(most=most))
    new = with_entry(bib, "c3", "late2026", "2026-11-23", "2026-11-20")
    rows = {row.axis: row for row in queue(new, keys=["late2026"]).waiting}
    parts = new.taxonomy["credit"].parts
    assert parts and set(parts) <= rows.keys() and "credit" not in rows
    stakes = [{(stake.claim, stake.changes) for stake in rows[part].stakes} for part in parts]
    assert stakes[0] and all(some == stakes[0] for some in stakes if some)
    turned = {claim for claim, _ in stakes[0]}
    assert "on-the-edge" in turned
    credit = {"credit", "credit-explicit", "credit-counterfactual"}
    assert turned <= {claim.id for claim in new.claims if credit & {*claim.axes}}


def small(folder: Callable[..., Path], second: str, claims: str = CLAIM) -> Pool:
    """Return a pool of eight entries, of which the first six were read twice: a to f, and g, h only once."""
    tags = dict(zip("abcdefgh", ["shared"] * 2 + ["process"] * 4 + ["shared", "process"], strict=True))
    text = "".join(
        ENTRY.replace("key2026", key).replace("A Title", f"Title {key * 9}").replace("org/a", f"org/{key}").replace(
            "tag-reward = {shared}", f"tag-reward = {{{tag}}}"
        )
        for key, tag in tags.items()
    )  # fmt: skip
    bib = folder(text, claims_toml=claims)
    (bib / "codings").mkdir(exist_ok=True)
    head = "key,axis,value,blind\n"
    (bib / "codings" / "one.csv").write_text(head + "".join(f"{k},reward,{tags[k]},\n" for k in "abcdef"))
    (bib / "codings" / "two.csv").write_text(
        head + "".join(f"{k},reward,{v},yes\n" for k, v in zip("abcdef", second.split(), strict=True))
    )
    readers = (
        f'[{id}]\nreader = "R"\nmade = 2026-05-04\nstatement = "S."\ntaken-over = {over}\n'
        for id, over in (("one", "true"), ("two", "false"))
    )
    (bib / "codings" / "readers.toml").write_text("".join(readers))
    return load(bib)


def test_a_weight_worked_by_hand(folder: Callable[..., Path]) -> None:
    """Three share and two may: rereading g as process turns the claim; h cannot help.

    a is reread as process, c as shared, d as unknown: 3 of 6 differ. Beside a reading "shared" stand process, shared
    (a, b) and, in the other order, shared (b), process (c): 2 of 4 no longer share. Not "shared" are on the axis
    c, d, e, f of the first reader and a, d, e, f of the second: all 8 are other values. So one reading more moves g
    with chance 0.5 * 1, and the chance is (2 + 0.5) / (4 + 1).
    """
    found = queue(small(folder, "process shared shared unknown process process"), ["reward"])
    assert [(row.key, row.tags) for row in found.waiting] == [("g", "shared"), ("h", "process")]
    assert found.flips[0].changes == 1
    assert not found.flips[0].holds
    assert found.waiting[0].disagreement == pytest.approx(0.5)
    assert found.waiting[0].weight == pytest.approx(2.5 / 5)
    assert found.waiting[1].stakes == ()


def test_a_change_that_no_reader_ever_made_weighs_nothing(folder: Callable[..., Path]) -> None:
    text = CLAIM.replace("at-most = 2", "at-most = 3")  # now h must be read as shared
    never = queue(small(folder, "shared shared process process process process", text), ["reward"])
    assert [(row.key, len(row.stakes), row.weight) for row in never.waiting] == [("g", 0, 0), ("h", 1, 0)]
    once = queue(small(folder, "shared shared process shared process process", text), ["reward"])
    # 1 of 6 differs; beside "process" stands shared once in 7 readings; of the 5 that are not process, all are shared
    assert once.waiting[0].key == "h"
    assert once.waiting[0].weight == pytest.approx((1 + 1 / 6) / (7 + 1))


def test_the_second_reader_of_a_tag_takes_it_out_of_the_queue(folder: Callable[..., Path]) -> None:
    pool = small(folder, "process shared shared unknown process process")
    path = Path(pool.entries[0].path).parent / "codings" / "two.csv"
    path.write_text(path.read_text() + "g,reward,shared,yes\n")
    assert [row.key for row in queue(load(path.parent.parent), ["reward"]).waiting] == ["h"]


def test_axes_that_nobody_read_twice_come_with_the_worst_disagreement(pool: Pool) -> None:
    found = {r.axis: r for r in reliabilities(pool, readings(pool)).values()}
    assert not found["standing"].measured
    assert found["standing"].disagreement == max(r.disagreement for r in found.values() if r.measured)


def test_a_survey_without_claims_and_codings_has_a_queue_of_all_its_tags() -> None:
    found = queue(load(ROOT / "tests" / "literature" / "bread"))
    assert [(row.key, row.axis) for row in found.waiting[:3]] == [
        ("levain2019", "leavening"),
        ("levain2019", "grain"),
        ("levain2019", "proofing"),
    ]
    assert len(found.waiting) == 9
    assert {row.weight for row in found.waiting} == {0}


def test_the_cheaper_of_two_choices_is_found_when_the_dearer_gains_more() -> None:
    groups = [Group(2, (Choice(1, 1),)), Group(1, (Choice(3, 4),)), Group(1, ())]
    assert smallest(groups, 2) == (2, {0: (Choice(1, 1),)})
    assert smallest(groups, 4) == (3, {1: (Choice(3, 4),)})
    assert smallest(groups, 6) == (5, {0: (Choice(1, 1),), 1: (Choice(3, 4),)})
    assert smallest(groups, 7) == (None, {})
