"""A survey on another subject is data alone: a taxonomy, three entries, no Python."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from survey.literature import Pool, counts, crosstab, load
from survey.literature.export import FORMATS
from survey.literature.pool import blank_entry

BREAD = Path(__file__).parent / "bread"


@pytest.fixture(scope="module")
def bread() -> Pool:
    return load(BREAD)


def test_it_is_read_without_a_problem(bread: Pool) -> None:
    assert [entry.key for entry in bread] == ["levain2019", "soda2001", "oven2024"]


def test_what_it_does_not_require_may_be_missing(bread: Pool, tmp_path: Path) -> None:
    """An entry without ``added`` counts from the first day on which it can have appeared."""
    assert bread.taxonomy.settings.required == ()
    copy = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    text = "\n".join(line for line in (copy / "pool.bib").read_text().split("\n") if "added " not in line)
    (copy / "pool.bib").write_text(text)
    pool = load(copy)
    assert [(entry.key, entry.added) for entry in pool] == [
        ("levain2019", "2019-03-01"),
        ("soda2001", "2001-01-01"),
        ("oven2024", "2024-01-01"),
    ]
    assert [entry.key for entry in pool.as_of(date(2019, 5, 2))] == ["levain2019", "soda2001"]


def test_a_work_that_nothing_leads_to_has_no_address(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    text = "\n".join(
        line
        for line in (copy / "pool.bib").read_text().split("\n")
        if not line.startswith(("  url", "  doi", "  eprint", "  archive", "  primary"))
    )
    (copy / "pool.bib").write_text(text)
    pool = load(copy)
    assert {entry.url for entry in pool} == {""}
    assert all(b"arxiv.org" not in FORMATS[form](pool) for form in FORMATS)


def test_its_axes_are_counted_with_a_row_for_every_value(bread: Pool) -> None:
    table = counts(bread, "leavening")
    assert table[["cell", "count", "mentions"]].to_numpy().tolist() == [
        ["sourdough", 1, 1],
        ["yeast", 0, 1],
        ["soda", 1, 1],
        ["na", 1, 1],
        ["unknown", 0, 0],
    ]


def test_an_optional_axis_has_a_row_for_entries_that_are_not_coded(bread: Pool) -> None:
    assert counts(bread, "grain")[["cell", "count"]].to_numpy().tolist() == [
        ["wheat", 2],
        ["rye", 1],
        ["na", 0],
        ["not-coded", 1],
    ]


def test_its_axes_are_crossed(bread: Pool) -> None:
    assert crosstab(bread, "leavening", "grain").loc["sourdough"].to_dict() == {
        "wheat": 1,
        "rye": 1,
        "na": 0,
        "not-coded": 0,
    }


def test_it_has_snapshots_and_filters(bread: Pool) -> None:
    assert len(bread.as_of(date(2024, 1, 31))) == 2
    assert [entry.key for entry in bread.where([("grain", "rye")])] == ["levain2019"]


@pytest.mark.parametrize("form", list(FORMATS))
def test_it_is_exported(bread: Pool, form: str) -> None:
    assert b"levain2019" in FORMATS[form](bread)


def test_its_blank_entry_has_its_own_axes(bread: Pool) -> None:
    text = blank_entry("rye2025", bread.taxonomy, "2025-01-01")
    assert "tag-leavening" in text
    assert "tag-reward" not in text


def test_its_languages_are_its_own(bread: Pool) -> None:
    assert bread.taxonomy.label("leavening", "sourdough", "fr") == "levain"
    assert bread.taxonomy.languages == ("en", "fr")
