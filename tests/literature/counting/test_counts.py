"""Counts have a row for every value, whatever the data holds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.literature import Shape, counts, crosstab, load, timeline
from survey.literature.pool import cells
from tests.conftest import ROOT

POOL = load(ROOT / "bib")
ENTRY_AXES = [axis.id for axis in POOL.taxonomy.on("entry")]


@pytest.mark.parametrize("axis", list(POOL.taxonomy.axes))
def test_a_table_has_the_shape_of_the_taxonomy_even_for_an_empty_pool(axis: str) -> None:
    empty = replace(POOL, entries=(), records=())
    table = counts(empty, axis)
    assert list(table["cell"]) == list(cells(POOL.taxonomy[axis]))
    assert table["count"].sum() == 0
    assert (table["share"] == 0).all()


@pytest.mark.parametrize(("rows", "columns"), list(combinations(ENTRY_AXES, 2)))
def test_a_cross_table_has_every_pair_of_cells_and_agrees_with_its_margins(rows: str, columns: str) -> None:
    table = crosstab(POOL, rows, columns)
    down, across = POOL.taxonomy[rows], POOL.taxonomy[columns]
    assert table.shape == (len(cells(down)), len(cells(across)))
    if across.shape in (Shape.ONE, Shape.RANKED):
        assert list(table.sum(axis=1)) == list(counts(POOL, rows)["count"])
    assert crosstab(POOL, columns, rows).T.equals(table)


@pytest.mark.parametrize("axis", [a.id for a in POOL.taxonomy.on("entry") if a.shape in (Shape.ONE, Shape.RANKED)])
def test_each_entry_counts_once_on_an_axis_with_a_primary_value(axis: str) -> None:
    table = counts(POOL, axis)
    assert table["count"].sum() == len(POOL)
    assert table["share"].sum() == pytest.approx(1)
    assert (table["mentions"] >= table["count"]).all()


def test_the_count_of_a_cell_is_the_number_of_entries_listed_for_it() -> None:
    for axis in POOL.taxonomy.on("entry"):
        table = counts(POOL, axis.id).set_index("cell")
        for cell in cells(axis):
            if cell != "not-coded":
                listed = POOL.where([(axis.id, cell.replace(": ", ":"))])
                assert table.loc[cell, "mentions"] == len(listed), (axis.id, cell)


@settings(max_examples=30)
@given(st.permutations(range(len(POOL))))
def test_the_order_of_entries_changes_no_count(order: list[int]) -> None:
    shuffled = replace(POOL, entries=tuple(POOL.entries[i] for i in order))
    for axis in ("reward", "decision", "scale"):
        assert counts(shuffled, axis).equals(counts(POOL, axis))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, len(POOL) - 1))
def test_an_added_entry_never_lowers_a_count(position: int) -> None:
    fewer = replace(POOL, entries=POOL.entries[:position] + POOL.entries[position + 1 :])
    for axis in ENTRY_AXES:
        assert (counts(fewer, axis)["count"] <= counts(POOL, axis)["count"]).all()


def test_excluded_records_are_counted_on_their_axes_and_do_not_cross_with_entries() -> None:
    assert counts(POOL, "stage")["count"].sum() == len(POOL.records)
    with pytest.raises(ValueError, match="cannot cross"):
        crosstab(POOL, "stage", "reward")


def test_the_timeline_has_every_year_between_the_first_and_the_last() -> None:
    table = timeline(POOL)
    assert list(table["year"]) == list(range(1994, 2027))
    assert table["count"].sum() == len(POOL)
    assert (table["count"] == 0).any()
    assert timeline(replace(POOL, entries=())).empty
