"""``survey code``: a second reading in a copy of a survey; what is shown, recorded, refused, and gone on with."""

from __future__ import annotations

import csv
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.pool import format_tags
from tests.conftest import ROOT

BREAD = ROOT / "tests" / "literature" / "bread"
NEW = "Ada\nFrom the abstracts, without the pool.\n"


def survey(bib: Path, *arguments: str, answers: str = "") -> Result:
    result = CliRunner().invoke(main, ["--bib", str(bib), "code", "--reader", "ada-2026", *arguments], input=answers)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def bread(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BREAD, tmp_path / "bread"))


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "bib", tmp_path / "bib"))


def recorded(bib: Path) -> dict[tuple[str, str], tuple[str, dict[str, str]]]:
    coding = load(bib).codings["ada-2026"]
    return {(j.key, j.axis): (format_tags(j.tags), dict(j.notes)) for j in coding.judgements}


def test_answers_become_a_coding_of_a_reader_who_is_described(bread: Path) -> None:
    answers = NEW + "yeast; sourdough\nhigh\nfull\nThe method adds yeast.\nrye\n\n\n\n.\n"
    result = survey(bread, "--blind", "levain2019", answers=answers)
    assert result.exit_code == 0
    assert "2 tags recorded" in result.stdout
    notes = {"confidence": "high", "read": "full", "blind": "yes"}
    assert recorded(bread) == {
        ("levain2019", "leavening"): ("yeast; sourdough", {"why": "The method adds yeast.", **notes}),
        ("levain2019", "grain"): ("rye", notes),
    }
    coding = load(bread).codings["ada-2026"]
    assert (coding.reader, coding.statement) == ("Ada", "From the abstracts, without the pool.")


def test_a_second_run_goes_on_where_the_first_stopped(bread: Path) -> None:
    survey(bread, "--blind", "levain2019", answers=NEW + "soda\nlow\nfull\n\n.\n")
    result = survey(bread, "--blind", "levain2019", answers="rye\nlow\nfull\n\nhours: 9\n\n\n\n")
    assert "Reader" not in result.stdout
    assert {pair: value for pair, (value, _) in recorded(bread).items()} == {
        ("levain2019", "leavening"): "soda",
        ("levain2019", "grain"): "rye",
        ("levain2019", "proofing"): "hours: 9",
    }
    assert "nothing is left to read" in survey(bread, "levain2019").stdout


def test_an_end_in_the_middle_of_a_question_loses_nothing_that_was_answered(bread: Path) -> None:
    assert survey(bread, "levain2019", answers=NEW + "soda\nlow\nfull\n\nrye\nlow\n").exit_code == 0
    assert [*recorded(bread)] == [("levain2019", "leavening")]


def test_a_run_killed_between_the_two_files_of_a_new_reader_is_made_good(bread: Path) -> None:
    survey(bread, answers=NEW)
    (bread / "codings" / "ada-2026.csv").unlink()
    assert survey(bread, "levain2019", answers="soda\nlow\nfull\n\n").exit_code == 0
    assert len(recorded(bread)) == 1


def test_a_reader_who_has_coded_nothing_yet_is_no_problem(bread: Path) -> None:
    survey(bread, answers=NEW)
    for command in (["check"], ["queue"], ["agreement"]):
        assert "Traceback" not in CliRunner().invoke(main, ["--bib", str(bread), *command]).output
    assert CliRunner().invoke(main, ["--bib", str(bread), "check"]).exit_code == 0


WRONG = [
    ("soad", '"soad" is not a value of leavening (did you mean "soda"?)'),
    ("soda; na", '"na" cannot stand beside a value: "soda; na"'),
    ("soda\u202e", "contains the character U+202E (delete it)"),
]


@pytest.mark.parametrize(("value", "message"), WRONG)
def test_an_invalid_answer_on_standard_input_ends_the_run_as_check_would_put_it(
    bread: Path, value: str, message: str
) -> None:
    result = survey(bread, "levain2019", answers=NEW + f"{value}\nlow\nfull\n\n")
    assert result.exit_code == 1
    assert f"leavening: {message}" in result.output
    assert recorded(bread) == {}


def test_a_person_at_a_terminal_is_asked_again(bread: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "survey", "--bib", str(bread), "code", "--reader", "ada-2026", "soda2001"]
    process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
    os.write(ours, (NEW + "soad\nsoda\nlow\nfull\n\n.\n").encode())
    output = process.communicate(timeout=60)[0].decode()
    os.close(ours)
    os.close(theirs)
    assert 'did you mean "soda"?' in output
    assert recorded(bread)["soda2001", "leavening"][0] == "soda"


def first_readers_words(pool: Pool, key: str) -> list[str]:
    """Everything in an entry that its first reader wrote."""
    entry = pool[key]
    fields = [n for n in entry.block.fields if n.startswith("why-") or n in ("summary",)]
    return [entry.text(name) for name in fields]


def test_a_blind_reader_sees_no_word_of_the_first_reader(real: Path) -> None:
    pool = load(real)
    keys = [entry.key for entry in pool.entries[::25]]
    result = survey(
        real, "--blind", "--axis", "reward-for", "--axis", "credit-grain", *keys, answers=NEW + "-\n" * 2 * len(keys)
    )
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    for key in keys:
        assert key in shown
        for text in first_readers_words(pool, key):
            assert " ".join(text.split())[:40] not in shown
    assert "The pool has" not in shown


def test_a_reader_who_is_not_blind_sees_tags_and_evidence_and_is_recorded_so(real: Path) -> None:
    result = survey(real, "--axis", "reward-payee", "magrpo", answers=NEW + "agent\nlow\nabstract\n\n")
    # the parts of a reward have their evidence in common
    evidence = load(real)["magrpo"].text("why-reward")
    assert evidence
    assert f'The pool has "team". {evidence}' in " ".join(result.stdout.split())
    assert recorded(real)["magrpo", "reward-payee"][1]["blind"] == "no"


def test_the_codebook_leaves_out_examples_that_name_the_work(real: Path) -> None:
    example = "M-GRPO trains a main agent"
    key = next(entry.key for entry in load(real) if entry.title.startswith("COMA") or entry.key.startswith("coma"))
    other, own = (
        " ".join(survey(real, "--blind", "--axis", "category", name, answers=NEW + "-\n").stdout.split())
        for name in ("magrpo", key)
    )
    assert example in other
    assert example in own
    assert "COMA, which defined" in other
    assert "COMA, which defined" not in own


def test_a_reader_can_say_that_the_tags_of_a_work_are_known(real: Path) -> None:
    answers = NEW + "agent\nlow\nabstract\n\n!\nturn\n\n\n\nteam\n\n\n\n.\n"
    survey(real, "--blind", "--axis", "reward-payee", "--axis", "credit-grain", "magrpo", "marft", answers=answers)
    assert {pair: notes["blind"] for pair, (_, notes) in recorded(real).items()} == {
        ("magrpo", "reward-payee"): "yes",
        ("magrpo", "credit-grain"): "no",
        ("marft", "reward-payee"): "yes",
    }


def test_how_far_was_read_is_said_in_the_words_of_the_taxonomy(real: Path) -> None:
    result = survey(real, "--axis", "reward-payee", "magrpo", answers=NEW + "team\nhihg\n")
    assert result.exit_code == 1
    assert '"hihg" is not a value of confidence (did you mean "high"?)' in result.output


def test_without_a_key_the_next_of_the_queue_comes_and_what_was_read_twice_does_not(once: Path, tmp_path: Path) -> None:
    bib = Path(shutil.copytree(once, tmp_path / "bib"))
    asked = ["--bib", str(bib), "queue", "--axis", "decision", "--format", "csv"]
    waiting = [
        row["key"] for row in csv.DictReader(CliRunner().invoke(main, [*asked, "-n", "999"]).stdout.splitlines())
    ]
    # not the first in the pool either: what could turn a claim comes first
    assert waiting[0] != load(bib).entries[0].key
    result = survey(bib, "--blind", "--axis", "decision", "-n", "1", answers=NEW + "none\nlow\nabstract\n\n")
    assert f"1 of 1: {waiting[0]}" in result.stdout
    left = [row["key"] for row in csv.DictReader(CliRunner().invoke(main, [*asked, "-n", "999"]).stdout.splitlines())]
    assert {*left} == {*waiting[1:]}


def filled(bib: Path, sheet: Path, values: dict[tuple[str, str], str], bom: bool = False) -> None:
    """Print a sheet and fill in some of its rows, as a spreadsheet would save it."""
    assert survey(bib, "--blind", "--sheet", "-o", str(sheet)).exit_code == 0
    with sheet.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["value"] = values.get((row["key"], row["axis"]), "")
        row["confidence"] = "low" if row["value"] else ""
    with sheet.open("w", newline="", encoding="utf-8-sig" if bom else "utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_has_no_tag_and_comes_back_as_a_coding(bread: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    filled(bread, sheet, {("soda2001", "grain"): "wheat; rye", ("levain2019", "leavening"): "yeast"}, bom=True)
    assert "Overnight rests" not in sheet.read_text()
    assert "The method section" not in sheet.read_text()
    result = survey(bread, "--from", str(sheet), answers=NEW)
    assert result.exit_code == 0
    assert {pair: value for pair, (value, _) in recorded(bread).items()} == {
        ("soda2001", "grain"): "wheat; rye",
        ("levain2019", "leavening"): "yeast",
    }
    assert recorded(bread)["soda2001", "grain"][1] == {"confidence": "low", "blind": "yes"}
    again = survey(bread, "--from", str(sheet))
    assert "0 tags recorded" in again.stdout
    assert "2 already there" in again.stdout


def test_a_sheet_with_a_wrong_row_is_refused_as_a_whole_with_line_and_nearest_value(
    bread: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    filled(bread, sheet, {("levain2019", "leavening"): "yeast", ("soda2001", "leavening"): "soad"})
    result = survey(bread, "--from", str(sheet), answers=NEW)
    assert result.exit_code == 1
    assert (
        f'{sheet}:5: entry soda2001: leavening: "soad" is not a value of leavening (did you mean "soda"?)'
        in result.output
    )
    assert recorded(bread) == {}


def test_an_empty_pool_of_answers_prints_a_sheet_and_writes_nothing(bread: Path) -> None:
    result = survey(bread, "--sheet", "-n", "2", "--axis", "grain")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [(row["key"], row["value"], row["blind"]) for row in rows] == [
        ("levain2019", "", "yes"),
        ("soda2001", "", "yes"),
    ]
    assert not (bread / "codings").exists()


def test_rows_go_to_the_columns_that_a_coding_has_and_its_text_stays(bread: Path) -> None:
    survey(bread, answers=NEW)
    path = bread / "codings" / "ada-2026.csv"
    before = 'axis,key,value\ngrain,oven2024,"rye"'  # other order, needless quotes, no line end
    path.write_text(before)
    survey(bread, "--axis", "grain", "soda2001", answers="wheat\nlow\nfull\n\n")
    assert recorded(bread)["soda2001", "grain"] == ("wheat", {"confidence": "low", "read": "full", "blind": "no"})
    assert recorded(bread)["oven2024", "grain"] == ("rye", {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--axis", "leavenin"], '"leavenin" to be read (did you mean "leavening"?)'),
        (["soda2002"], 'there is no entry "soda2002" (did you mean "soda2001"?)'),
        (["--reader", "Ada L"], '"Ada L" cannot be the id of a reader'),
        (["--reader", "adjudications"], "the name is taken by something else"),
        (["--sheet", "--from", "x.csv"], "expected one of them"),
    ],
)
def test_a_wrong_argument_is_named(bread: Path, arguments: list[str], message: str) -> None:
    result = survey(bread, *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (bread / "codings").exists()
