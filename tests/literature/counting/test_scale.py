"""The scale gap: disclosed numbers by kind of evidence, and counts of undisclosed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from survey.literature import Pool, load, read_pool
from survey.literature.counting import disclosed_numbers, quantity_axis, undisclosed_counts
from tests.conftest import few_data


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    return few_data(tmp_path)


def test_industrial_numbers_have_their_own_rows(pool: Pool) -> None:
    numbers = disclosed_numbers(pool, pool.evidence).set_index("key")
    assert set(numbers.loc[["kimi-k2-5"], "kind"]) == {"trained-reported"}
    assert set(numbers.loc[["kimi-k2-6"], "kind"]) == {"deployed-reported"}
    tags = pool.tags[pool.tags["axis"] == "category"]
    industry = tags[tags["word"] == "industry"]["key"]
    reported = numbers["kind"].isin(["trained-reported", "deployed-reported"])
    assert list(reported) == list(numbers.index.isin(industry))
    agents = numbers[numbers["quantity"] == "agents"].groupby("kind")["number"].max()
    assert agents["deployed-reported"] > agents["trained-reported"] > agents["trained"]


def test_every_number_of_the_pool_is_shown_once(pool: Pool) -> None:
    numbers = disclosed_numbers(pool, pool.evidence)
    tags = pool.tags[pool.tags["number"].notna()]
    assert sorted(zip(numbers["key"], numbers["quantity"], strict=True)) == sorted(
        zip(tags["key"], tags["word"], strict=True)
    )


def test_undisclosed_counts_and_not_applicable_does_not(pool: Pool) -> None:
    axis = quantity_axis(pool.taxonomy)
    assert axis is not None
    silent = undisclosed_counts(pool, pool.evidence)
    asked = [entry for entry in pool if entry.primary(axis.id) != "na"]
    by_quantity = silent.groupby("quantity")
    assert set(by_quantity["entries"].sum()) == {len(asked)}
    for quantity, number in by_quantity["silent"].sum().items():
        assert number == sum(quantity not in entry.words(axis.id) for entry in asked)


def test_a_pool_without_entries_has_every_kind_with_zero(pool: Pool) -> None:
    empty = undisclosed_counts(pool.keep([]), pool.evidence)
    assert list(dict.fromkeys(empty["kind"])) == [kind.id for kind in pool.evidence]
    assert empty["entries"].sum() == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("where = { categry = 'industry' }", 'where: there is no axis "categry" (did you mean "category"?)'),
        (
            "where = { category = 'industri' }",
            'where: "industri" is not a value of category (did you mean "industry"?)',
        ),
        ("when = {}", "object contains unknown field `when`"),
        ("where = 3", "expected `object`, got `int`"),
    ],
)
def test_a_wrong_kind_is_a_problem_with_its_line(bib: Path, text: str, message: str) -> None:
    (bib / "scale.toml").write_text(f"# kinds\n\n[[kind]]\nid = 'a'\nlabel = 'b'\nsays = 'c'\n{text}\n")
    (problem,) = read_pool(bib)[1]
    assert str(problem).startswith(f"{bib}/scale.toml:3: ")
    assert message in str(problem)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind = 3\n", "kind: found something else, expected tables like [[kind]]"),
        ("[kind]\nid = 'a'\n", "kind: found something else, expected tables like [[kind]]"),
        ("[[kinds]]\nid = 'a'\n", '"kinds" is not a table of this file (did you mean "kind"?)'),
        ("kind = [{ id = 'a' }]\n", "object missing required field `label`"),
        ("[[ kind ]]\nid = 'a'\n", "object missing required field `label`"),
    ],
)
def test_no_kind_is_skipped_whatever_its_notation(bib: Path, text: str, message: str) -> None:
    (bib / "scale.toml").write_text(text)
    (problem,) = read_pool(bib)[1]
    assert str(problem).startswith(f"{bib}/scale.toml:1: ")
    assert message in str(problem)


@pytest.mark.parametrize("header", ["[[ kind ]]", "[[kind]]  # a remark"])
def test_a_kind_is_read_however_its_header_is_written(bib: Path, header: str) -> None:
    (bib / "scale.toml").write_text(f"{header}\nid = 'a'\nlabel = 'b'\nsays = 'c'\nwhere = {{}}\n")
    assert [kind.id for kind in load(bib).evidence] == ["a"]


def test_without_the_file_there_are_no_kinds(bib: Path) -> None:
    assert not (bib / "scale.toml").exists()
    assert load(bib).evidence == ()
