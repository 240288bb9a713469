"""``survey adjudicate``: both sides' evidence, the record of a decision, and the one field of the pool that changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.literature import load
from survey.literature.double_coding import open_disagreements, readings
from survey.literature.pool import format_tags
from tests.conftest import ROOT

BREAD = ROOT / "tests" / "literature" / "bread"


def survey(bib: Path, *arguments: str, answers: str = "") -> Result:
    result = CliRunner().invoke(main, ["--bib", str(bib), "adjudicate", *arguments], input=answers)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def bread(tmp_path: Path) -> Path:
    """The small survey, with a second reader who differs on four tags."""
    bib = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    (bib / "codings").mkdir()
    (bib / "codings" / "ada.csv").write_text(
        "key,axis,value,why,read,confidence,blind\n"
        "levain2019,leavening,yeast,Table 1 has yeast in every arm.,full,high,yes\n"
        "levain2019,grain,rye; wheat,,full,high,yes\n"
        "soda2001,leavening,sourdough,,abstract,low,yes\n"
        "oven2024,leavening,yeast,,abstract,low,yes\n"
        "soda2001,proofing,na,,abstract,low,yes\n"
        "oven2024,grain,rye,,abstract,low,yes\n"
    )
    (bib / "codings" / "readers.toml").write_text('[ada]\nreader = "Ada"\nmade = 2026-01-01\nstatement = "S."\n')
    return bib


def test_both_sides_are_shown_with_their_evidence(bread: Path) -> None:
    output = survey(bread, "levain2019").stdout
    assert "0  sourdough; yeast   (pool)" in output
    assert "The method section feeds a starter" in output
    assert "1  yeast   (ada; read: full; confidence: high; blind: yes)" in output
    assert "Table 1 has yeast in every arm." in output


def test_only_what_differs_and_was_not_decided_is_asked(bread: Path) -> None:
    pool = load(bread)
    axes = ["leavening", "grain", "proofing"]
    # "unknown" and "na" are one value unless asked apart; what the pool does not code is no disagreement
    assert [(c.key, c.axis) for c in open_disagreements(pool, axes)] == [
        ("levain2019", "leavening"),
        ("soda2001", "leavening"),
        ("oven2024", "leavening"),
    ]
    assert ("soda2001", "proofing") in [(c.key, c.axis) for c in open_disagreements(pool, axes, apart=True)]
    survey(bread, answers="0\nThe pool is right.\n.\n")
    assert "1 of 2" in survey(bread).stdout


def test_a_decision_for_the_pool_is_recorded_and_the_pool_stays(bread: Path) -> None:
    before = (bread / "pool.bib").read_bytes()
    result = survey(bread, "levain2019", answers='0\nThe starter does the work, and "yeast" helps.\n')
    assert result.exit_code == 0
    assert "1 of 1 disagreement decided" in result.stdout
    assert (bread / "pool.bib").read_bytes() == before
    assert (bread / "codings" / "adjudications.csv").read_text() == (
        'key,axis,value,why\nlevain2019,leavening,sourdough; yeast,"The starter does the work, and ""yeast"" helps."\n'
    )


def test_a_decision_for_the_reader_changes_one_field_and_keeps_what_stood_there(bread: Path) -> None:
    before = (bread / "pool.bib").read_text()
    result = survey(bread, "levain2019", answers="1\nYeast is in every arm.\n")
    assert result.exit_code == 0
    assert (bread / "pool.bib").read_text() == before.replace(
        "tag-leavening = {sourdough; yeast}", "tag-leavening = {yeast}"
    )
    assert "why-leavening speaks for the former tags: revise it" in result.stdout
    pool = load(bread)
    decided = pool.adjudications["levain2019", "leavening"]
    assert (format_tags(decided.tags), format_tags(decided.was)) == ("yeast", "sourdough; yeast")
    assert decided.why == "Yeast is in every arm."
    # the first reading stays on record: the two readers differed, whatever was decided
    assert [format_tags(reading.tags) for reading in readings(pool)["levain2019", "leavening"]] == [
        "sourdough; yeast",
        "yeast",
    ]


def test_other_tags_than_those_of_either_side_may_stand(bread: Path) -> None:
    survey(bread, "levain2019", answers="yeast; sourdough\nBoth, and yeast first.\n")
    assert load(bread)["levain2019"].words("leavening") == ("yeast", "sourdough")


def test_a_decision_that_breaks_a_rule_is_refused_and_nothing_is_written(bread: Path) -> None:
    before = {path.name: path.read_bytes() for path in bread.rglob("*.*")}
    result = survey(bread, "soda2001", answers="na\nNothing rises.\n")
    assert "refused, nothing was written" in result.output
    assert "what does not rise is not proofed" in result.output
    assert "0 of 1 disagreement decided" in result.stdout
    assert {path.name: path.read_bytes() for path in bread.rglob("*.*")} == before


def test_a_tag_that_was_not_applicable_gets_the_reason_as_its_evidence(bread: Path) -> None:
    survey(bread, "oven2024", answers="1\nThe appendix adds yeast.\n")
    entry = load(bread)["oven2024"]
    assert (entry.words("leavening"), entry.why("leavening")) == (("yeast",), "The appendix adds yeast.")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("2\nx\n", "there is no reading 2 (expected 0 to 1)"),
        ("yeats\nx\n", '"yeats" is not a value of leavening (did you mean "yeast"?)'),
        ("0\n\n", "Why: an answer is needed"),
    ],
)
def test_an_invalid_answer_ends_the_run_with_what_was_expected(bread: Path, answers: str, message: str) -> None:
    result = survey(bread, "levain2019", answers=answers)
    assert result.exit_code == 1
    assert message in result.output
    assert not (bread / "codings" / "adjudications.csv").exists()


def test_a_case_can_be_skipped_and_the_next_decided(bread: Path) -> None:
    survey(bread, "--axis", "leavening", answers="-\n0\nIt says soda.\n.\n")
    assert [*load(bread).adjudications] == [("soda2001", "leavening")]


def test_the_real_files_keep_every_other_line(tmp_path: Path) -> None:
    bib = Path(shutil.copytree(ROOT / "bib", tmp_path / "bib"))
    settled = bib / "codings" / "adjudications.csv"
    lines = settled.read_text().splitlines(keepends=True)
    rows = [line for line in lines if ",reward-when," not in line]  # as if nobody had settled these
    assert 0 < len(rows) < len(lines)
    settled.write_text("".join(rows))
    newest = max(load(bib).editions)
    kept = (bib / "editions" / f"{newest}.csv").read_text()  # where it holds the former tag, a new one changes nothing
    case, number = next(
        (case, number)
        for case in open_disagreements(load(bib), ["reward-when"])
        for number, (_, judgement) in enumerate(case.sides, 1)
        if judgement.tags != case.tags and "na" not in (judgement.tags[0].word, case.tags[0].word)
        if f"\n{case.key},tag-reward-when," not in kept
    )
    value = format_tags(case.sides[number - 1][1].tags)
    result = survey(bib, "--axis", "reward-when", case.key, answers=f"{number}\nIts own words.\n")
    assert f"{newest}: data is" in result.stderr and "survey edition keep" in result.stderr
    old, new = ((folder / "pool.bib").read_text().split("\n") for folder in (ROOT / "bib", bib))
    (line,) = (number for number, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    assert new[line] == old[line].partition("{")[0] + f"{{{value}}},"
    was = "".join(rows).splitlines()
    assert [row[: len(old_row)] for row, old_row in zip(settled.read_text().splitlines(), was, strict=False)] == was
    for then in (["edition", "keep", "--from", str(ROOT / "bib")], ["check"]):
        assert CliRunner().invoke(main, ["--bib", str(bib), *then]).exit_code == 0


def test_a_published_number_that_no_longer_comes_out_is_named_and_ends_the_run(bread: Path) -> None:
    (bread / "claims.toml").write_text(
        '[readings]\npublished = "ada"\nsecond = "ada"\nday = 2024-06-01\n\n'
        '[claim.starters]\nsentence = "One work keeps a starter."\nlimit = "L."\nchanges = "C."\n'
        'count = { grain = "rye" }\nstrict = { leavening = "sourdough" }\nis = 1\npublished-strict = 1\n'
    )
    assert CliRunner().invoke(main, ["--bib", str(bread), "check"]).exit_code == 0
    result = survey(bread, "--axis", "leavening", "levain2019", answers="1\nYeast is in every arm.\n")
    assert result.exit_code == 1
    assert "claims.toml" in result.output
    assert "published-strict is 1, but the snapshot of that day gives 0" in result.output
    assert 'tag-leavening is now "yeast"' in result.output
    # it is recorded all the same: what to put right is in another file
    assert [*load(bread).adjudications] == [("levain2019", "leavening")]
