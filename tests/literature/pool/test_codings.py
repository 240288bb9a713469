"""Codings: one reader's tags in a file; every wrong row is a problem and none is skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Pool, load, read_pool, read_taxonomy
from survey.literature.pool.codings import CONFUSIONS, read_confusions

HEADER = "key,axis,value,why\n"
READER = '[mine]\nreader = "me"\nmade = 2026-11-21\nstatement = "I read."\n'

WRONG = [
    ("unknown entry", "ke2026,reward,shared,x", '2: entry ke2026: reward: there is no entry "ke2026" (did you mean "key2026"?)'),
    ("unknown axis", "key2026,rewards,shared,x", '2: entry key2026: rewards: there is no axis "rewards" (did you mean "reward"?)'),
    ("unknown value", "key2026,reward,sharde,x", '2: entry key2026: reward: "sharde" is not a value of reward (did you mean "shared"?)'),
    ("a row twice", "key2026,reward,shared,x\nkey2026,reward,process,y", "3: entry key2026: reward: repeats an entry and axis of an earlier row"),
    ("too few cells", "key2026,reward", "2: entry key2026: reward: has more or fewer cells than the header line"),
    ("too many cells", "key2026,reward,shared,x,y", "2: entry key2026: reward: has more or fewer cells than the header line"),
    ("an open quote", 'key2026,reward,"shared', "2: not CSV: unexpected end of data"),
]  # fmt: skip


def lines(bib: Path, rows: str, reader: str = READER, header: str = HEADER) -> list[str]:
    (bib / "codings").mkdir()
    (bib / "codings" / "mine.csv").write_text(header + rows + "\n")
    (bib / "codings" / "readers.toml").write_text(reader)
    return [str(p).removeprefix(f"{bib}/codings/") for p in read_pool(bib)[1]]


@pytest.mark.parametrize(("rows", "problem"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_row_is_a_problem_with_its_line(folder: Callable[..., Path], rows: str, problem: str) -> None:
    assert lines(folder(), rows) == [f"mine.csv:{problem}"]


def test_a_trial_of_rules_is_a_folder_of_codings_that_nothing_counts(folder: Callable[..., Path]) -> None:
    bib = folder()
    trial = bib / "codings" / "trials" / "ladder"
    trial.mkdir(parents=True)
    (trial / "mine.csv").write_text(HEADER + "key2026,reward,shared,x\n")
    (trial / "readers.toml").write_text(READER)
    pool, found = read_pool(bib)
    assert pool and not found and not pool.codings
    assert [j.axis for j in pool.trials["ladder"]["mine"].judgements] == ["reward"]
    assert list(pool.tried("ladder").codings) == ["mine"]
    with pytest.raises(ValueError, match=r'there is no trial "lader" .did you mean "ladder"'):
        pool.tried("lader")
    (trial / "mine.csv").write_text(HEADER + "key2026,reward,shred,x\n")
    assert [str(p).removeprefix(f"{trial}/") for p in read_pool(bib)[1]] == [
        'mine.csv:2: entry key2026: reward: "shred" is not a value of reward (did you mean "shared"?)'
    ]


def test_a_column_that_is_missing_is_named(folder: Callable[..., Path]) -> None:
    assert lines(folder(), "key2026,reward", header="key,axis\n") == [
        "mine.csv:1: there is no column value (found ['key', 'axis'])"
    ]


def test_a_coding_must_say_who_made_it_and_how(folder: Callable[..., Path]) -> None:
    assert lines(folder(), "key2026,reward,shared,x", reader="") == [
        "readers.toml:1: does not describe mine.csv (expected a table [mine] with reader, made, statement)"
    ]


@pytest.mark.parametrize("reader", ["mine = 1", "[[mine]]", "[mine]\nreader = ' '\nmade = 2026-11-21\nstatement = 'x'"])
def test_a_reader_that_is_not_described_is_a_problem_and_no_crash(folder: Callable[..., Path], reader: str) -> None:
    found = lines(folder(), "key2026,reward,shared,x", reader=reader)
    assert any("needs a reader (text), made (a date) and a statement (text)" in line for line in found)


def test_a_reader_whose_tags_the_pool_took_over_is_marked_with_true_or_false(folder: Callable[..., Path]) -> None:
    bib = folder()
    assert lines(bib, "key2026,reward,shared,x", reader=READER + "taken-over = true\n") == []
    assert load(bib).codings["mine"].taken_over
    (bib / "codings" / "readers.toml").write_text(READER + 'taken-over = "yes"\n')
    assert any("taken-over: found" in p.message and "true or false" in p.message for p in read_pool(bib)[1])


def test_a_reader_without_a_file_is_a_problem(folder: Callable[..., Path]) -> None:
    other = READER + READER.replace("[mine]", "[yours]")
    found = lines(folder(), "key2026,reward,shared,x", reader=other)
    assert len(found) == 1
    assert "there is no file yours.csv" in found[0]


def test_codings_that_are_no_folder_are_a_problem(folder: Callable[..., Path]) -> None:
    bib = folder()
    (bib / "codings").write_text("not a folder")
    assert [p.message for p in read_pool(bib)[1]] == ["cannot be read: not a directory"]


def test_judgements_keep_the_readers_notes(folder: Callable[..., Path]) -> None:
    bib = folder()
    assert lines(bib, "key2026,reward,process; shared,Because.") == []
    pool = read_pool(bib)[0]
    assert pool is not None
    judgement = pool.codings["mine"].of("key2026")["reward"]
    assert [str(tag) for tag in judgement.tags] == ["process", "shared"]
    assert judgement.notes == {"why": "Because."}
    assert pool.codings["mine"].statement == "I read."


def test_a_comment_on_a_confusion_names_two_codings_an_axis_and_two_values(tmp_path: Path, pool: Pool) -> None:
    comment = (
        '[[comment]]\nreadings = ["a", "b"]\naxis = "leavening"\nvalues = ["sourdough", "yeast"]\nsays = "Both."\n'
    )
    taxonomy = read_taxonomy(Path(__file__).parents[1] / "bread" / "taxonomy.toml")
    (tmp_path / CONFUSIONS).write_text(comment)
    assert read_confusions(tmp_path, taxonomy, ["a", "b"]) == (
        {("a", "b", "leavening", "sourdough", "yeast"): "Both."},
        [],
    )
    wrong = comment.replace("yeast", "yest") + comment.replace('"a", ', "") + comment.replace("leavening", "levening")
    (tmp_path / CONFUSIONS).write_text(wrong)
    found, problems = read_confusions(tmp_path, taxonomy, ["a", "b"])
    assert (found, len(problems)) == ({}, 3)
    assert 'confusions.toml:1: entry comment: values: "yest" is not known here (did you mean "yeast"?)' in str(
        problems[0]
    )
    assert len(pool.comments) == 28
