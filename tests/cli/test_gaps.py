"""``survey gaps``: output, exit status and messages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from math import comb
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.cli.literature.gaps import _chance
from survey.literature import Pool, load
from survey.literature.gaps import PERMUTATIONS, Kind, gap_map, gaps
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY, TAXONOMY

DAY = "2026-05-04"
Survey = Callable[..., Result]
RULES = {"-" * number for number in range(1, 40)}
"""The lines below the heads of a table."""


@pytest.fixture
def survey(monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Run the command in the project's folder (or in ``cwd``)."""

    def run(*arguments: str, cwd: Path = ROOT) -> Result:
        monkeypatch.chdir(cwd)
        result = CliRunner().invoke(main, ["gaps", *arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_without_axes_the_least_likely_gaps_come_first(survey: Survey, pool: Pool) -> None:
    result = survey("--top", "3", "--as-of", DAY)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "84 entries, 32 excluded records, as of 2026-05-04"
    assert lines[-1].startswith("3 of ")
    first = survey("--top", "1", "--as-of", DAY, "--format", "json")
    [gap] = json.loads(first.stdout)["gaps"]
    assert (gap["row"], gap["column"]) == ("rl-method", "harness")
    assert "rl-method" in lines[4]


def test_with_two_axes_the_map_has_every_value_and_explains_its_signs(survey: Survey, pool: Pool) -> None:
    result = survey("reward", "credit", "--as-of", DAY)
    text = result.stdout
    assert result.exit_code == 0
    for value in (*pool.taxonomy["reward"].values, *pool.taxonomy["credit"].values):
        assert value in text
    individual = next(line for line in text.splitlines() if line.startswith("individual")).split()
    assert individual[1] == "×"
    assert "impossible by definition" in text
    assert "unstudied" in text


def words(text: str) -> set[str]:
    return {word.strip(":,") for word in text.split()}


@pytest.mark.parametrize("axes", [(), ("reward", "credit"), ("reward", "credit", "topology")])
@pytest.mark.parametrize("columns", [80, 120])
def test_every_list_and_map_fits_the_terminal_and_loses_nothing(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, columns: int, axes: tuple[str, ...]
) -> None:
    whole = survey(*axes).stdout
    monkeypatch.setenv("COLUMNS", str(columns))
    fitting = survey(*axes).stdout
    assert max(map(len, fitting.splitlines())) <= columns
    assert words(whole) - words(fitting) <= RULES


def test_json_and_csv_say_the_same_as_the_library(survey: Survey, pool: Pool) -> None:
    map = gap_map(pool, "credit", "decision")
    cells = json.loads(survey("credit", "decision", "--format", "json").stdout)["cells"]
    rows = list(csv.DictReader(io.StringIO(survey("credit", "decision", "--format", "csv").stdout)))
    assert len(cells) == len(rows) == len(map.cells)
    for cell, row in zip(cells, rows, strict=True):
        known = map[cell["row"], cell["column"]]
        assert cell["kind"] == row["kind"] == known.kind
        assert cell["count"] == int(row["count"]) == known.count
        assert cell["entries"] == row["entries"].split() == list(known.entries)
        assert cell["p"] == pytest.approx(known.p, abs=1e-4)


@pytest.mark.parametrize("axes", [("credit", "decision"), ("category", "algorithm"), ()], ids="-".join)
def test_no_figure_is_rounded_to_nothing_or_to_certainty(survey: Survey, axes: tuple[str, ...]) -> None:
    whole = load(ROOT / "bib")
    known = [*gap_map(whole, axes[0], axes[1])] if axes else [gap.cell for gap in gaps(whole)]
    found = json.loads(survey(*axes, "--format", "json", "--top", "10000").stdout)
    assert found["permutations"] == PERMUTATIONS
    for cell, row in zip(known, found["cells" if axes else "gaps"], strict=True):
        for figure, name in ((cell.p, "p"), (cell.corrected, "p_map"), (cell.expected, "expected")):
            assert row[name] == pytest.approx(figure, rel=1e-3)
            assert (row[name] in (0, 1)) == (figure in (0, 1))
        assert row["p_map"] >= 1 / (PERMUTATIONS + 1)


def test_a_probability_of_one_in_a_hundred_billion_is_printed_as_such(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "bib").mkdir()
    (tmp_path / "bib" / "taxonomy.toml").write_text(TAXONOMY)
    decision = "tag-decision = {{stop: {how}}},\n  why-decision = {{w}},\n  summary "
    entries = [
        ENTRY.replace("key2026", f"e{n}").replace("A Title", f"Title {n}").replace("org/a", f"org/{n}")
        .replace("{shared}", "{shared}" if n < 20 else "{process}")
        .replace("summary ", decision.format(how="learned" if n < 20 else "designed"))
        for n in range(40)
    ]  # fmt: skip
    (tmp_path / "bib" / "pool.bib").write_text("".join(entries))
    by_form = {form: survey("reward", "decision", "--format", form, cwd=tmp_path).stdout for form in ("json", "csv")}
    empty = next(c for c in json.loads(by_form["json"])["cells"] if (c["row"], c["column"]) == ("shared", "stop: designed"))  # fmt: skip
    assert empty["count"] == 0
    assert empty["p"] == pytest.approx(1 / comb(40, 20), rel=1e-3)
    assert empty["p_map"] == pytest.approx(1 / (PERMUTATIONS + 1), rel=1e-3)
    line = next(r for r in csv.DictReader(io.StringIO(by_form["csv"])) if r["row"] == "shared" and r["count"] == "0")
    assert float(line["p"]) == empty["p"]
    assert (line["read_once"], line["read_twice"], line["adjudicated"]) == ("0", "0", "0")
    assert json.loads(by_form["json"])["reliability"] == {"reward": None, "decision": None}


def test_a_map_says_how_reliable_its_axes_are_and_how_often_its_entries_were_read(survey: Survey) -> None:
    found = json.loads(survey("credit", "decision", "--format", "json").stdout)
    assert found["less_reliable"] == "decision"
    credit, decision = (found["reliability"][axis] for axis in ("credit", "decision"))
    both = [(ROOT / "bib" / "codings" / f"facets-{id}-2026-11.csv").read_text().splitlines() for id in "ab"]
    shared = set.intersection(*({row.partition(",")[0] for row in rows[1:]} for rows in both))
    assert credit["blind"] and credit["n"] == decision["n"] == len(shared)
    assert decision["kappa"] < credit["kappa"]
    assert credit["low"] < credit["kappa"] < credit["high"]
    assert all(c["read_once"] + c["read_twice"] == c["count"] for c in found["cells"])
    other = json.loads(survey("credit", "topology", "--format", "json").stdout)
    assert other["less_reliable"] == min(("credit", "topology"), key=lambda axis: other["reliability"][axis]["kappa"])
    assert any(c["read_twice"] for c in other["cells"])


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0, "0.000"), (3e-7, "<0.001"), (0.0006, "0.001"), (0.25, "0.250"), (0.9999, ">0.999"), (1.0, "1.000")]
)  # fmt: skip
def test_the_table_prints_a_small_probability_as_a_bound(p: float, shown: str) -> None:
    assert _chance(p) == shown


def test_the_strict_reading_has_fewer_entries(survey: Survey) -> None:
    broad, strict = (
        json.loads(survey("credit", "decision", "--format", "json", *more).stdout) for more in ([], ["--strict"])
    )
    assert strict["n"] < broad["n"]
    assert strict["strict"] and not broad["strict"]


def test_three_axes_give_combinations_whose_pairs_occur(survey: Survey) -> None:
    found = json.loads(survey("credit", "decision", "topology", "--format", "json").stdout)
    assert all(all(gap["pairs"]) and gap["count"] == 0 for gap in found["gaps"])
    assert "combinations that never occur although each pair in them does" in (
        survey("credit", "decision", "topology").stdout
    )
    assert survey("credit", "decision", "topology", "--format", "csv").stdout.startswith("credit,decision,topology,")


def test_all_open_cells_can_be_listed(survey: Survey, pool: Pool) -> None:
    found = json.loads(survey("--format", "json", "--top", "10000").stdout)
    assert found["open"] == len(found["gaps"]) == len(gaps(pool))
    assert {gap["kind"] for gap in found["gaps"]} <= {Kind.UNSTUDIED, Kind.UNDISCLOSED}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reward", "credits"), 'there is no axis "credits" of entries (did you mean "credit"?)'),
        (("reward",), "expected no axes for the list, two for a map, or three (found 1)"),
        (
            ("reward", "credit", "decision", "topology"),
            "expected no axes for the list, two for a map, or three (found 4)",
        ),
        (("reward", "reward"), "cannot cross reward with itself (expected different axes)"),
        (("reward", "stage"), 'there is no axis "stage" of entries'),
        (("--top", "0"), "0 is not in the range x>=1"),
        (("--as-of", "today"), '"today" is not a date (expected YYYY-MM-DD, as in 2026-05-04)'),
    ],
    ids=["unknown", "one", "four", "the same", "of records", "none", "no date"],
)
def test_a_usage_error_says_what_was_expected(survey: Survey, arguments: tuple[str, ...], message: str) -> None:
    result = survey(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_pool_without_main_axes_has_nothing_to_list(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "bib").mkdir()
    (tmp_path / "bib" / "taxonomy.toml").write_text(TAXONOMY)
    (tmp_path / "bib" / "pool.bib").write_text(ENTRY)
    assert survey(cwd=tmp_path).stdout.endswith("0 of 0 open cells\n")
    assert survey("--format", "csv", cwd=tmp_path).stdout == ""
    strict = survey("reward", "decision", "--strict", cwd=tmp_path)
    assert strict.exit_code == 2
    assert "the taxonomy defines no strict reading" in strict.stderr


def test_the_pool_of_a_day_before_anything_is_empty(survey: Survey) -> None:
    result = survey("reward", "credit", "--as-of", "2000-01-01")
    assert result.exit_code == 0
    assert result.stdout.startswith("0 entries")
