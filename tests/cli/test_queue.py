"""``survey queue``: output, what it hides from blind readers, and messages."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from tests.conftest import ROOT

EVERY = "100000"
BREAD = ROOT / "tests" / "literature" / "bread"


def survey(*arguments: str, bib: Path = ROOT / "bib") -> Result:
    result = CliRunner().invoke(main, ["--bib", str(bib), "queue", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def document(once: Path) -> Any:
    found: Any = json.loads(survey("--format", "json", "-n", EVERY, bib=once).stdout)
    return found


def test_the_rows_fall_in_weight_and_say_which_claims_they_could_turn(document: Any) -> None:
    pairs = document["pairs"]
    assert len(pairs) == document["read_once"]
    weights = [pair["weight"] for pair in pairs]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0, "some could turn a claim"
    for pair in pairs[:50]:
        assert pair["weight"] == pytest.approx(sum(c["chance"] / c["changes"] for c in pair["claims"]))


def test_what_was_read_twice_or_follows_from_other_axes_is_not_waiting() -> None:
    # two readings by the latest codebook have every entry, on the axes that they were made for
    with (ROOT / "bib" / "codings" / "facets-a-2026-11.csv").open(newline="") as stream:
        read = {row["axis"] for row in csv.DictReader(stream)}
    waiting = json.loads(survey("--format", "json", "-n", EVERY).stdout)["pairs"]
    assert waiting
    assert {pair["axis"] for pair in waiting}.isdisjoint({*read, "reward", "credit"})


def test_a_claim_has_as_many_pivotal_pairs_as_pairs_name_it(document: Any) -> None:
    for claim in document["claims"]:
        assert claim["pivotal"] == sum(
            claim["claim"] in {stake["claim"] for stake in pair["claims"]} for pair in document["pairs"]
        )


def test_one_axis_and_so_many_rows(once: Path) -> None:
    found = survey("--axis", "credit-grain", "-n", "3", "--format", "csv", bib=once).stdout
    rows = list(csv.DictReader(io.StringIO(found)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert {row["axis"] for row in rows} == {"credit-grain"}


def test_blind_names_no_value_and_no_claim(once: Path) -> None:
    shown = survey("--axis", "decision", "--format", "csv", bib=once).stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    claims = {claim for row in rows for claim in row["claims"].split("; ") if claim}
    words = {*claims, *(row["value"] for row in rows if ":" in row["value"])}
    assert len(words) > len(claims) > 1
    for form in ("table", "json", "csv"):
        hidden = survey("--axis", "decision", "--format", form, "--blind", bib=once).stdout
        assert rows[0]["key"] in hidden
        assert not [word for word in (*words, "chance") if word in hidden]


def test_the_claims_come_with_the_fewest_changes_first(once: Path) -> None:
    found = survey("--claims", "--format", "csv", "-n", "500", bib=once).stdout
    rows = list(csv.DictReader(io.StringIO(found)))
    changes = [int(row["changes"]) if row["changes"] else 999 for row in rows]
    assert changes == sorted(changes)
    assert 1 in changes
    assert survey("--claims", "-n", "500", bib=once).stdout.count("\n") >= len(rows)


def test_an_axis_that_does_not_exist_is_named_with_the_nearest_one() -> None:
    result = survey("--axis", "topologies")
    assert result.exit_code == 2
    assert 'there is no axis "topologies" to be read (did you mean "topology"?)' in result.output
    derived = survey("--axis", "reward")
    assert derived.exit_code == 2
    assert 'there is no axis "reward" to be read' in derived.output, "it follows from others"


def test_another_survey_has_a_queue_too() -> None:
    result = survey(bib=BREAD)
    assert result.exit_code == 0
    assert "9 tags were read once, 0 of them pivotal for a claim; 0 were read twice" in result.stdout
    assert survey("--claims", bib=BREAD).stdout == "there are no claims\n"
