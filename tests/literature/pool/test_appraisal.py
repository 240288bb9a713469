"""Study-level appraisal: what the file may hold, what is asked of whom, and claims on works with an answer."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool
from survey.literature.pool import Answer, Appraisal, read_appraisal
from tests.conftest import ROOT

DATA: dict[str, Any] = tomllib.loads((ROOT / "bib" / "appraisal.toml").read_text())

ASKED = """
[of]
category = ["rl-method"]
[item.repeats]
label = "repeated runs"
question = "More than one?"
"""

SOUND = """
[work.c3.repeats]
answer = "yes"
evidence = "Section 5 gives three seeds."
source = "https://example.org/c3"
"""


def read(tmp_path: Path, pool: Pool, text: str) -> tuple[Appraisal, list[str]]:
    path = tmp_path / "appraisal.toml"
    path.write_text(text)
    appraisal, problems = read_appraisal(path, pool.taxonomy, pool.entries, "appraisal.toml")
    return appraisal, [str(problem) for problem in problems]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


# ------------------------------------------------------------------- the file


def test_an_answer_has_its_evidence_and_source(tmp_path: Path, pool: Pool) -> None:
    appraisal, problems = read(tmp_path, pool, ASKED + SOUND)
    assert problems == []
    assert appraisal.answer("c3", "repeats") is Answer.YES
    assert appraisal.works["c3"]["repeats"].evidence == "Section 5 gives three seeds."
    assert appraisal.answer("coma2018", "repeats") is None
    assert set(appraisal.asked) == {entry.key for entry in pool if "rl-method" in entry.words("category")}


def test_without_a_file_nothing_is_asked(tmp_path: Path, pool: Pool) -> None:
    appraisal, problems = read_appraisal(tmp_path / "none.toml", pool.taxonomy, pool.entries)
    assert not appraisal
    assert problems == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SOUND.replace("c3", "c33"), 'work.c33: there is no entry "c33" (did you mean "c3"?)'),
        (SOUND.replace("c3", "gaia2023"), "work.gaia2023: this entry is not asked (see [of])"),
        (SOUND.replace("repeats", "repeat"), 'work.c3: "repeat" is not known here (did you mean "repeats"?)'),
        (SOUND.replace('"yes"', '"yess"'), 'work.c3.repeats: answer: "yess" is not known here (did you mean "yes"?)'),
        (SOUND.replace("Section 5 gives three seeds.", " "), "work.c3.repeats: evidence: is missing"),
        (SOUND.replace("https://example.org/c3", "c3.org"), 'work.c3.repeats: source: "c3.org" is not a web address'),
        (SOUND + 'note = "x"\n', '"note" is not known here (expected one of: answer, evidence, source)'),
        ("[work]\nc3 = 1\n", 'work.c3: found "1", expected a table'),
        ("[work.c3]\nrepeats = 1\n", 'work.c3.repeats: found "1", expected a table'),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line_and_what_was_expected(
    tmp_path: Path, pool: Pool, text: str, said: str
) -> None:
    _, problems = read(tmp_path, pool, ASKED + text)
    assert len(problems) == 1
    assert said in problems[0]
    lines = (ASKED + text).splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("[work"))
    assert problems[0].startswith(f"appraisal.toml:{first}:")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ('categories = ["rl-method"]', '"categories" is not known here (did you mean "category"?)'),
        ('category = ["rl"]', 'of: category: "rl" is not known here'),
        ('category = "rl-method"', "expected a list of texts"),
    ],
)
def test_a_mistake_in_who_is_asked_is_named(tmp_path: Path, pool: Pool, of: str, said: str) -> None:
    _, problems = read(tmp_path, pool, ASKED.replace('category = ["rl-method"]', of))
    assert any(said in problem for problem in problems)


def test_a_table_of_another_name_is_a_problem(tmp_path: Path, pool: Pool) -> None:
    _, problems = read(tmp_path, pool, ASKED + "[items.x]\n")
    assert problems == ['appraisal.toml:1: "items" is not known here (did you mean "item"?)']


def test_a_file_that_asks_nothing_is_a_problem(tmp_path: Path, pool: Pool) -> None:
    assert "asks no question" in read(tmp_path, pool, "[of]\n")[1][0]


def test_the_answers_of_this_survey_rest_on_an_address_and_a_place() -> None:
    for key, items in DATA["work"].items():
        for item, found in items.items():
            assert found["source"].startswith("https://"), (key, item)
            assert 20 <= len(found["evidence"]) <= 200, (key, item)
            if "github.com" in found["source"]:  # a snapshot, not what a branch has today
                assert "/blob/" in found["source"], (key, item)


# --------------------------------------------------------------------- figures


def test_the_command_counts_what_the_file_holds(pool: Pool) -> None:
    rows = list(csv.DictReader(io.StringIO(run("appraisal", "--format", "csv"))))
    assert [(row["key"], row["item"], row["answer"]) for row in rows] == [
        (key, item, found["answer"]) for key, items in DATA["work"].items() for item, found in items.items()
    ]
    table = run("appraisal")
    for item in DATA["item"]:
        answers = Counter(items[item]["answer"] for items in DATA["work"].values() if item in items)
        numbers = next(line.split()[1:] for line in table.splitlines() if line.startswith(item))
        assert numbers == [
            str(answers.total()),
            *(str(answers[answer]) for answer in ("yes", "partly", "no", "not-said")),
        ]
    asked = [entry.key for entry in pool if entry.primary("category") in DATA["of"]["category"]]
    assert f"{len(DATA['work'])} works assessed of {len(asked)} that are asked" in table


def test_claims_are_counted_on_the_works_with_every_answer(pool: Pool) -> None:
    """Counted anew from the file, for a claim that any entry with hybrid reward would join."""
    wanted = {
        key
        for key, items in DATA["work"].items()
        if all(items.get(i, {}).get("answer") == "yes" for i in ("held-out", "code"))
    }
    document = json.loads(run("claims", "--appraised", "held-out=yes", "--appraised", "code=yes", "--format", "json"))
    assert set(document["works"]) == wanted
    by_id = {claim["id"]: claim for claim in document["claims"]}
    found = by_id["message-credit-somewhere"]
    applies = [key for key in wanted if pool[key].primary("credit") not in ("", "na")]
    mention = [key for key in applies if "message" in pool[key].words("credit")]
    assert (found["number"], found["of"]) == (len(mention), len(applies))
    assert found["holds"] is (len(mention) * 10 <= len(applies))
    assert found["all"]["of"] == len([entry for entry in pool if entry.primary("credit") not in ("", "na")])
    assert by_id["delegation-anchored"]["holds"] is None, "a fixed number says nothing on fewer works"
    assert "retained" not in by_id
    text = run("claims", "--appraised", "held-out=yes", "--appraised", "code=yes", "message-credit-somewhere")
    assert f"{len(mention)} of {len(applies)}" in text
    assert f"{len(wanted)} works with held-out: yes and code: yes" in text


def test_an_edition_counts_its_own_works_alone(pool: Pool) -> None:
    then = {entry.key for entry in pool.as_of(date(2026, 5, 4))}
    document = json.loads(run("claims", "--as-of", "2026-05-04", "--appraised", "code=yes", "--format", "json"))
    assert set(document["works"]) == {
        key for key, items in DATA["work"].items() if key in then and items.get("code", {}).get("answer") == "yes"
    }
    assert document["works"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["claims", "--appraised", "repeat=yes"],
            'there is no item "repeat" of the appraisal (did you mean "repeats"?)',
        ),
        (["claims", "--appraised", "repeats=yeah"], '"yeah" is not an answer'),
        (["claims", "--appraised", "repeats"], "expected ITEM=ANSWER"),
        (["appraisal", "gaia2023"], '"gaia2023" was not assessed'),
        (["appraisal", "nobody"], '"nobody" is no entry'),
    ],
)
def test_a_wrong_question_is_answered_with_the_nearest_right_one(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_answers_are_shown_with_their_evidence() -> None:
    key, items = next(iter(DATA["work"].items()))
    text = " ".join(run("appraisal", key).split())
    for found in items.values():
        assert found["evidence"][:30] in text
