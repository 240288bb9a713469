"""``survey agreement``: output, exit status and messages."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli.literature.agreement import agreement_command
from tests.conftest import ROOT

PUBLISHED, SPOT_CHECK, SECOND = "published-2026-05-04", "published-spotcheck-2026-05-03", "second-reading-2026-11"
FACETS = "facets-a-2026-11", "facets-b-2026-11"
CODINGS = ROOT / "bib" / "codings"


def survey(*arguments: str, bib: Path = ROOT / "bib") -> Result:
    result = CliRunner().invoke(agreement_command, list(arguments), obj=bib)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def coded(coding: str, axis: str) -> dict[str, str]:
    """What a coding says on an axis, by entry, as its file has it."""
    with (CODINGS / f"{coding}.csv").open(newline="") as stream:
        return {row["key"]: row["value"] for row in csv.DictReader(stream) if row["axis"] == axis}


def tagged(axis: str) -> dict[str, str]:
    """What the pool says on an axis, by entry, as its file has it."""
    blocks = re.split(r"(?m)^(?=@)", (ROOT / "bib" / "pool.bib").read_text())[1:]
    return {
        re.findall(r"^@\w+\{([^,]+),", block)[0]: value
        for block in blocks
        for value in re.findall(rf"(?m)^ *tag-{axis} *= \{{(.*)\}},$", block)
    }


def test_blind_shows_only_axes_that_were_read_blind() -> None:
    result = survey("--blind", "--format", "csv", bib=ROOT / "tests" / "fuzz" / "seeds" / "bib")
    assert result.exit_code == 0
    assert {row["axis"] for row in csv.DictReader(io.StringIO(result.stdout))} == {"reward"}


def test_it_shows_every_pair_with_the_statement_of_both_readers() -> None:
    result = survey()
    assert result.exit_code == 0
    readers = tomllib.loads((CODINGS / "readers.toml").read_text())
    keys = {
        id: {line.partition(",")[0] for line in (CODINGS / f"{id}.csv").read_text().splitlines()[1:]} for id in readers
    }
    # what two codebooks ask is not the same, so the codings by one of them are not compared with those by the other
    books = {id: reader.get("codebook") for id, reader in readers.items()}
    pairs = [(a, b) for a, b in combinations(sorted(readers), 2) if keys[a] & keys[b] and books[a] == books[b]]
    pairs += [("pool", id) for id in sorted(readers)]
    assert {(PUBLISHED, SPOT_CHECK), FACETS, ("pool", FACETS[0]), ("pool", PUBLISHED)} <= {*pairs}
    assert re.findall(r"(?m)^([\w-]+) and ([\w-]+)$", result.stdout) == pairs
    assert "model-assisted" in result.stdout
    assert "84 shared entries, 80 of them read blind (--blind for those only)" in result.stdout


def test_a_table_holds_the_figures_with_their_intervals() -> None:
    lines = survey(PUBLISHED, SECOND, "--axis", "topology", "--blind").stdout.splitlines()
    row = next(line.split() for line in lines if line.startswith("topology"))
    assert row[:4] == ["topology", "80", "46", "0.575"]
    assert row[4].startswith("[0.")


def test_a_named_axis_comes_with_its_confusion_matrix() -> None:
    lines = survey(PUBLISHED, SECOND, "--axis", "rl").stdout.splitlines()
    assert next(line.split() for line in lines if line.strip().startswith("yes")) == ["yes", "45", "2", "2", "."]


def test_readings_may_be_named_in_either_order() -> None:
    there, back = (
        json.loads(survey(*pair, "--axis", "credit", "--format", "json").stdout)["pairs"][0]
        for pair in ((PUBLISHED, SECOND), (SECOND, PUBLISHED))
    )
    assert (there["first"], back["first"]) == (PUBLISHED, SECOND)
    assert there["axes"][0]["kappa"] == back["axes"][0]["kappa"]
    assert there["axes"][0]["confusion"]["agent"]["turn"] == back["axes"][0]["confusion"]["turn"]["agent"] == 5


def test_a_disagreement_is_printed_with_both_sides_and_how_to_adjudicate_it(tmp_path: Path) -> None:
    ours, theirs = tagged("credit-grain"), coded(FACETS[0], "credit-grain")
    decided = coded("adjudications", "credit-grain")
    # of a ranked axis the first values are compared, and the words for absence count as one
    first, second = (
        {key: re.sub("^(na|none|unknown)$", "", side[key].split(";")[0]) for key in theirs} for side in (ours, theirs)
    )
    differ = [key for key in theirs if first[key] != second[key]]
    bib = Path(shutil.copytree(ROOT / "bib", tmp_path / "bib"))
    path = bib / "codings" / "adjudications.csv"
    undecided = next(key for key in differ if key in decided)
    rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join(row for row in rows if not row.startswith(f"{undecided},credit-grain,")))
    del decided[undecided]
    lines = survey("pool", FACETS[0], "--axis", "credit-grain", "--disagreements", bib=bib).stdout
    shown = " ".join(lines.split())
    assert any(key in decided for key in differ)
    for key in differ:
        both = rf" {key} pool: {ours[key]}\. .*? {FACETS[0]}: {theirs[key]}\. .*? "
        hint = f"open: adjudicate it with a line {key},credit-grain,VALUE,WHY in codings/adjudications.csv"
        found = re.search(rf"{both}(adjudicated: [^.]*|open: .*?\.csv)", shown)
        assert found, key
        assert found[1] == (f"adjudicated: {decided[key]}" if key in decided else hint)


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
    assert tagged("verified").items() >= coded(PUBLISHED, "verified").items()
    identical = survey("pool", PUBLISHED, "--axis", "verified", "--format", "csv", "--disagreements").stdout
    assert identical.strip() == "key,axis,first,first_value,first_why,second,second_value,second_why,stands,because"


def test_absences_may_be_left_out_and_entries_filtered() -> None:
    (found,) = json.loads(survey(PUBLISHED, SECOND, "--axis", "reward", "--blind", "--absences", "left-out",
                                 "--format", "json").stdout)["pairs"][0]["axes"]  # fmt: skip
    assert (found["alike"], found["n"]) == (19, 41)
    (found,) = json.loads(survey(PUBLISHED, SECOND, "--axis", "reward", "--where", "category=rl-method",
                                 "--format", "json").stdout)["pairs"][0]["axes"]  # fmt: skip
    categories = tagged("category")
    assert found["n"] == sum(categories[key] == "rl-method" for key in coded(PUBLISHED, "reward"))
    assert 0 < found["n"] < len(coded(PUBLISHED, "reward"))


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
