"""``survey robustness``: output, exit status and messages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli.literature.robustness import COMMANDS, robustness
from survey.literature import Pool
from survey.literature.claims import by_standing, conclusions
from tests.conftest import PUBLISHED
from tests.literature.conftest import ENTRY, TAXONOMY


@pytest.fixture(scope="module")
def pool(published: Pool) -> Pool:
    """The pool of the first edition with the tags of that day, which never changes."""
    return published.as_of(date.fromisoformat(PUBLISHED))


@pytest.fixture
def survey(published_bib: Path) -> Callable[..., Result]:
    """Run the command on the first edition (or on the data in ``bib``), with the tags of that day unless asked."""

    def run(*arguments: str, bib: Path = published_bib) -> Result:
        then = () if bib != published_bib or "--as-of" in arguments else ("--as-of", PUBLISHED)
        result = CliRunner().invoke(robustness, [*then, *arguments], obj=bib)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_it_is_the_one_command_of_its_module() -> None:
    assert [command.name for command in COMMANDS] == ["robustness"]


def test_the_table_groups_claims_and_names_the_variants_in_which_they_fail(
    survey: Callable[..., Result], pool: Pool
) -> None:
    lines = survey().stdout.splitlines()
    for standing, found in by_standing(conclusions(pool)).items():
        assert not found or f"{standing}: {len(found)}" in lines
    (claim,) = [line.split() for line in lines if line.startswith("kimi-trained-orchestrator ")]
    assert claim[:5] == ["kimi-trained-orchestrator", "1", "2", "of", "5"]
    assert any(line.strip() == "leave one out (kimi-k2-5)" or line.endswith("one out (kimi-k2-5)") for line in lines)
    assert any(line.startswith("c3: message-credit-counterfactual") for line in lines)
    assert any(line.split()[:5] == ["reward", "hybrid", "2", "of", "5"] for line in lines)
    assert (
        lines[-1]
        == f"{len(pool.claims)} claims, {len(pool.claims.variants)} variants, 84 entries, 32 excluded records, as of {pool.day}"
    )


def test_a_claim_is_shown_variant_by_variant(survey: Callable[..., Result]) -> None:
    text = " ".join(survey("message-credit-sparse", "stopping-untrained").stdout.split())
    for words in (
        "passes in every variant that could overturn it (6 of 6 passed), as of 2026-05-04",
        "peer reviewed 0 of 45 passes",
        "where it applies 2 of 48 passes",
        "near misses cannot fail",
        "near misses, at worst 12 of 94 fails (fails from 8 of 10 on)",
        "leave one out passes: no single entry changes it",
        "stopping-untrained: fails as coded (2 of 7 passed)",
        "leave one out fails: changes without puppeteer",
    ):
        assert words in text
    assert "the leading value" not in text, "no rankings when claims are named"


def test_json_has_null_where_a_variant_does_not_apply(survey: Callable[..., Result], pool: Pool) -> None:
    told = json.loads(survey("--format", "json").stdout)
    assert (told["as_of"], told["entries"]) == ("2026-05-04", 84)
    assert told["data"] == pool.fingerprint
    assert [v["id"] for v in told["variants"] if not v["is_test"]] == ["near-misses-at-worst"]
    claims = {claim["id"]: claim for claim in told["claims"]}
    assert list(claims) == [claim.id for claim in pool.claims]
    message = claims["message-credit-sparse"]
    assert (message["survived"], message["tests"], message["standing"]) == (
        6, 6, "passes in every variant that could overturn it",
    )  # fmt: skip
    assert message["variants"]["near-misses-at-worst"]["falls_with"] == 8
    assert claims["hybrid-reward-leads"]["variants"]["strict"] is None
    assert claims["kimi-trained-orchestrator"]["variants"]["leave-one-out"] == {
        "holds": False,
        "can_fail": True,
        "turned_by": ["kimi-k2-5"],
    }
    (reward,) = [r for r in told["rankings"] if r["axis"] == "reward"]
    assert reward["order"][0] == "hybrid"
    assert reward["variants"]["second-reading"]["leaders"] == ["shared"]


def test_csv_has_a_row_per_claim_and_applicable_variant(survey: Callable[..., Result]) -> None:
    rows = list(csv.DictReader(io.StringIO(survey("message-credit-sparse", "--format", "csv").stdout)))
    assert [row["variant"] for row in rows] == [
        "all", "strict", "published", "second-reading", "applicable", "high-confidence", "peer-reviewed", "near-misses",
        "near-misses-at-worst", "leave-one-out",
    ]  # fmt: skip
    assert {row["claim"] for row in rows} == {"message-credit-sparse"}
    assert [row["number"] for row in rows] == ["2", "1", "2", "4", "2", "1", "0", "2", "12", ""]
    assert [row["falls-with"] for row in rows if row["falls-with"]] == ["8"]


def test_before_there_were_entries_nothing_is_measurable(survey: Callable[..., Result]) -> None:
    text = survey("--as-of", "2026-05-01").stdout
    assert "not measurable: " in text
    assert "the leading value" not in text
    assert text.endswith("0 entries, 32 excluded records, as of 2026-05-01\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mesage-credit-sparse"], 'there is no claim "mesage-credit-sparse" (did you mean "message-credit-sparse"?)'),
        (["--as-of", "yesterday"], '"yesterday" is not a date'),
        (["--format", "xml"], "'xml' is not one of"),
    ],
)
def test_a_usage_error_says_what_was_expected(
    survey: Callable[..., Result], arguments: list[str], message: str
) -> None:
    result = survey(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_variants_it_says_where_to_add_one(survey: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "taxonomy.toml").write_text(TAXONOMY)
    (tmp_path / "pool.bib").write_text(ENTRY)
    result = survey(bib=tmp_path)
    assert result.exit_code == 2
    assert "there is no variant to test with (add one to claims.toml, as [variant.ID])" in result.stderr
