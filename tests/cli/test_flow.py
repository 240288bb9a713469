"""``survey flow``: text, JSON and CSV say the same, and what is not recorded is not zero."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool
from tests.conftest import PUBLISHED, ROOT


def output(*arguments: str, bib: Path = ROOT / "bib") -> str:
    result = CliRunner().invoke(main, ["--bib", str(bib), "flow", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_three_formats_say_the_same(pool: Pool) -> None:
    text = [line.rsplit("  ", 1) for line in output().splitlines()]
    known = json.loads(output("--format", "json"))
    rows = list(csv.DictReader(io.StringIO(output("--format", "csv"))))
    listed = [
        (flow["edition"], step["label"], "" if step["count"] is None else str(step["count"]))
        for flow in known["flows"]
        for step in flow["steps"]
    ]
    assert [(row["edition"], row["label"], row["count"]) for row in rows] == listed
    printed = [(label.strip(), number.strip()) for label, number in filter(lambda line: len(line) == 2, text)]
    said = [(label, number or "not recorded") for _, label, number in listed]
    assert [pair for pair in printed if pair in said] == said
    assert known["flows"][-1]["steps"][-1]["count"] == len(pool)


def test_an_earlier_day_knows_nothing_of_later_searches() -> None:
    known = json.loads(output("--format", "json", "--as-of", PUBLISHED))
    assert [flow["edition"] for flow in known["flows"]] == [PUBLISHED]
    assert known["estimates"] == []
    assert "not recorded" in output("--as-of", PUBLISHED)


def test_another_survey_has_a_flow_without_estimates() -> None:
    text = output(bib=ROOT / "tests" / "literature" / "bread")
    assert "no estimate: no route lists" in text
    assert "no figure: nothing was searched" in text
