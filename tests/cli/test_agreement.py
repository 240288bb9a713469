"""``survey agreement``: output, exit status and messages."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli.literature.agreement import agreement_command
from tests.conftest import ROOT

PUBLISHED, SPOT_CHECK, SECOND = "published-2026-05-04", "published-spotcheck-2026-05-03", "second-reading-2026-11"


def survey(*arguments: str, bib: Path = ROOT / "bib") -> Result:
    result = CliRunner().invoke(agreement_command, list(arguments), obj=bib)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_blind_shows_only_axes_that_were_read_blind() -> None:
    result = survey("--blind", "--format", "csv", bib=ROOT / "tests" / "fuzz" / "seeds" / "bib")
    assert result.exit_code == 0
    assert {row["axis"] for row in csv.DictReader(io.StringIO(result.stdout))} == {"reward"}


def test_it_shows_every_pair_with_the_statement_of_both_readers() -> None:
    result = survey()
    assert result.exit_code == 0
    assert f"{PUBLISHED} and {SPOT_CHECK}" in result.stdout
    assert f"pool and {SECOND}" in result.stdout
    assert "model-assisted" in result.stdout
    assert "84 shared entries, 80 of them read blind (--blind for those only)" in result.stdout


def test_a_table_holds_the_figures_with_their_intervals() -> None:
    lines = survey(PUBLISHED, SECOND, "--axis", "topology", "--blind").stdout.splitlines()
    row = next(line.split() for line in lines if line.startswith("topology"))
    assert row[:4] == ["topology", "80", "46", "0.575"]
    assert row[4].startswith("[0.")


def test_a_named_axis_comes_with_its_confusion_matrix() -> None:
    lines = survey(PUBLISHED, SECOND, "--axis", "rl").stdout.splitlines()
    assert next(line.split() for line in lines if line.strip().startswith("yes")) == ["yes", "45", "2", "2"]


def test_readings_may_be_named_in_either_order() -> None:
    there, back = (
        json.loads(survey(*pair, "--axis", "credit", "--format", "json").stdout)["pairs"][0]
        for pair in ((PUBLISHED, SECOND), (SECOND, PUBLISHED))
    )
    assert (there["first"], back["first"]) == (PUBLISHED, SECOND)
    assert there["axes"][0]["kappa"] == back["axes"][0]["kappa"]
    assert there["axes"][0]["confusion"]["agent"]["turn"] == back["axes"][0]["confusion"]["turn"]["agent"] == 5


def test_a_disagreement_is_printed_with_both_sides_and_how_to_adjudicate_it() -> None:
    lines = survey("pool", SECOND, "--axis", "credit", "--disagreements").stdout
    hint = "open: adjudicate it with a line maporl,credit,VALUE,WHY in codings/adjudications.csv"
    assert hint in " ".join(lines.split())
    assert "adjudicated: na." in lines


def test_json_is_strict_and_says_what_was_compared() -> None:
    whole = json.loads(survey(PUBLISHED, SPOT_CHECK, "--format", "json", "--disagreements").stdout)
    assert (whole["absences"], whole["blind"]) == ("together", False)
    by_axis = {row["axis"]: row for row in whole["pairs"][0]["axes"]}
    assert (by_axis["credit"]["alike"], by_axis["credit"]["n"]) == (31, 32)
    (halo,) = by_axis["credit"]["disagreements"]
    assert (halo["key"], halo["first_value"], halo["second_value"]) == ("halo", "role", "orchestrator")
    assert whole["pairs"][0]["readers"][1]["statement"].startswith("The spot check")


def test_csv_is_a_row_per_axis_or_per_disagreement() -> None:
    rows = list(csv.DictReader(io.StringIO(survey(PUBLISHED, SPOT_CHECK, "--format", "csv").stdout)))
    assert [row["alike"] for row in rows] == ["32", "32", "32", "31", "32"]
    rows = list(csv.DictReader(io.StringIO(survey(PUBLISHED, SECOND, "--format", "csv", "--disagreements").stdout)))
    assert len(rows) == 140
    assert set(rows[0]) >= {
        "key",
        "axis",
        "first_value",
        "first_why",
        "second_value",
        "second_why",
        "stands",
        "because",
    }
    identical = survey("pool", PUBLISHED, "--format", "csv", "--disagreements").stdout
    assert identical.strip() == "key,axis,first,first_value,first_why,second,second_value,second_why,stands,because"


def test_absences_may_be_left_out_and_entries_filtered() -> None:
    (found,) = json.loads(survey(PUBLISHED, SECOND, "--axis", "reward", "--blind", "--absences", "left-out",
                                 "--format", "json").stdout)["pairs"][0]["axes"]  # fmt: skip
    assert (found["alike"], found["n"]) == (19, 41)
    (found,) = json.loads(survey(PUBLISHED, SECOND, "--axis", "reward", "--where", "category=rl-method",
                                 "--format", "json").stdout)["pairs"][0]["axes"]  # fmt: skip
    assert found["n"] == 42


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pol", SECOND], 'there is no coding "pol" (did you mean "pool"?)'),
        (["pool"], "expected two different readings, FIRST and SECOND"),
        (["pool", "pool"], "expected two different readings, FIRST and SECOND"),
        (["--axis", "rewrd"], 'there is no axis "rewrd" (did you mean "reward"?)'),
        (["--axis", "scale"], "no two readings share an entry on scale"),
        (["pool", PUBLISHED, "--blind"], f"pool and {PUBLISHED} do not share an entry that was read blind"),
        (["--where", "reward=sharde"], '"sharde" is not a value of reward (did you mean "shared"?)'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_usage_error_names_the_nearest_right_word(arguments: list[str], message: str) -> None:
    result = survey(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
