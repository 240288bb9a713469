"""Support for a related-work section: the sentence, the covering set, the paragraph."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.literature import Pool, crosstab
from survey.literature.pool import NOT_CODED, cells, mentioned
from survey.literature.related import Related, by_preference, in_reading_order, related
from survey.literature.related.related import DEFAULT_AXES, DEPTH


def keys(found: Related) -> list[str]:
    return [step.entry.key for step in found.path]


# ------------------------------------------------------------- the sentence


def test_an_empty_cell_is_cited_with_its_number_edition_and_data(then: Pool) -> None:
    sentence = related(then, [("credit", "tool-call")], primary=True).sentence
    assert "n = 0 of 84, edition 2026-05-04" in sentence
    assert sentence == (
        f"The pool of “{then.taxonomy.title}” holds no entry tagged credit unit: tool call, by first value "
        f"(n = 0 of 84, edition 2026-05-04, data {then.fingerprint})."
    )


def test_the_sentence_names_the_filters(four: Pool) -> None:
    def told(*filters: tuple[str, str], primary: bool = False) -> str:
        return related(four, filters, primary=primary).sentence.split(" holds ")[1].split(", edition")[0]

    assert told(("reward", "shared")) == "3 entries tagged reward: shared, at any rank (n = 3 of 4"
    assert told(("reward", "shared"), primary=True) == "2 entries tagged reward: shared, by first value (n = 2 of 4"
    assert told(("reward", "shared,process")) == "3 entries tagged reward: shared or process, at any rank (n = 3 of 4"
    assert told(("decision", "O5:learned")) == "1 entry tagged decision: stop, learned (n = 1 of 4"
    assert told(("reward", "unknown")) == "1 entry tagged reward: does not say, at any rank (n = 1 of 4"
    assert told(("reward", "shared"), ("decision", "stop")) == (
        "3 entries tagged reward: shared and decision: stop, at any rank (n = 3 of 4"
    )
    assert told() == "4 entries (edition 2026-05-04, data " + four.fingerprint + ")."


def test_every_cell_of_a_table_is_cited_with_its_number(then: Pool) -> None:
    for rows, columns in (("reward", "credit"), ("credit", "decision"), ("decision", "algorithm")):
        table: dict[Any, dict[Any, int]] = crosstab(then, rows, columns).to_dict("index")
        for a in cells(then.taxonomy[rows]):
            for b in cells(then.taxonomy[columns]):
                if NOT_CODED not in (a, b):
                    found = related(then, [(rows, a), (columns, b)], primary=True)
                    assert f"(n = {table[a][b]} of 84," in found.sentence, (a, b)


@pytest.mark.parametrize(
    ("filters", "axes", "message"),
    [
        ([("rewad", "shared")], None, r'there is no axis "rewad" \(did you mean "reward"\?\)'),
        ([("reward", "sharred")], None, r'"sharred" is not a value of reward \(did you mean "shared"\?\)'),
        ([], ["decisions"], r'there is no axis "decisions" \(did you mean "decision"\?\)'),
        ([], ["stage"], 'there is no axis "stage"'),
    ],
)
def test_unknown_axes_and_values_are_refused(
    pool: Pool, filters: list[tuple[str, str]], axes: list[str] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        related(pool, filters, axes)


# ------------------------------------------------------------- the covering set


def test_the_path_is_minimal_and_in_the_order_of_publication(four: Pool) -> None:
    found = related(four, [], ["reward", "decision"])
    assert keys(found) == ["early", "late"]
    assert found.smallest
    early, late = found.path
    assert early.new_values == (("reward", "shared"), ("decision", "stop: designed"))
    assert late.new_values == (("reward", "process"), ("decision", "stop: learned"))
    assert late.unique_values == (("decision", "stop: learned"),)
    assert found.covered == (
        ("reward", "shared"), ("reward", "process"), ("decision", "stop: learned"), ("decision", "stop: designed"),
    )  # fmt: skip
    assert found.describe(late) == (
        "first public 2026-01-09; adds reward: process; decision: stop, learned; "
        "no other entry has decision: stop, learned"
    )


def test_with_first_values_only_the_path_is_longer(four: Pool) -> None:
    assert keys(related(four, [], ["reward"])) == ["double"]
    assert keys(related(four, [], ["reward"], primary=True)) == ["early", "double"]


def test_words_for_absence_are_not_covered(four: Pool) -> None:
    found = related(four, [("reward", "unknown")], ["reward", "decision"])
    assert (len(found.entries), found.path, found.path_summary) == (1, (), "")


def test_an_empty_selection_has_no_path_and_reports_each_filter(four: Pool) -> None:
    found = related(four, [("reward", "process"), ("decision", "na")])
    assert (found.entries, found.path) == ((), ())
    assert [(pair, [e.key for e in some]) for pair, some in found.separate_matches] == [
        (("reward", "process"), ["double", "late"]), (("decision", "na"), ["silent"]),
    ]  # fmt: skip


def test_by_default_the_first_main_axes_on_which_entries_differ_are_covered(then: Pool) -> None:
    found = related(then, [("reward", "hybrid")])
    assert found.axes == ("category", "credit", "decision")
    assert len(found.axes) <= DEFAULT_AXES
    assert "reward" not in related(then, [("reward", "shared")]).axes


def test_a_selection_has_a_valid_element_id(pool: Pool) -> None:
    assert related(pool, []).id == "all"
    assert related(pool, [("credit", "turn,message"), ("decision", "stop: learned")]).id == (
        "credit-turn-message-decision-stop-learned"
    )


def test_foundations_and_surveys_are_read_first(then: Pool) -> None:
    axis, first = "category", {"classical-marl", "survey"}
    found = related(then, [], [a.id for a in then.taxonomy.on("entry") if a.main])
    grounds = [step.entry.primary(axis) in first for step in found.path]
    assert True in grounds
    assert grounds == sorted(grounds, reverse=True)
    for group in (True, False):
        days = [step.entry.appeared for step, is_first in zip(found.path, grounds, strict=True) if is_first is group]
        assert days == sorted(days)
    assert found.path[0].reason.endswith(f"hence before the rest; first public {found.path[0].entry.appeared}")


def test_the_axes_of_the_order_are_in_the_taxonomy(pool: Pool) -> None:
    first = [value.id for axis in pool.taxonomy for value in axis.values.values() if value.first]
    assert first == ["survey", "classical-marl"]
    assert pool.taxonomy.core
    assert pool.taxonomy.core.words[0] == "core"
    depth = pool.taxonomy[DEPTH].words
    assert depth.index("abstract") < depth.index("full")


def test_ties_are_broken_by_standing_then_depth_then_date(then: Pool) -> None:
    ranks = [
        (
            then.taxonomy["standing"].words.index(e.primary("standing")),
            -then.taxonomy[DEPTH].words.index(e.primary(DEPTH)),
            e.appeared,
        )
        for e in by_preference(then.entries, then.taxonomy)
    ]
    assert ranks == sorted(ranks)
    assert {e.key for e in in_reading_order(then, then.taxonomy)} == {e.key for e in then}


def test_every_value_has_a_path_that_is_proven_minimal(then: Pool) -> None:
    for axis in then.taxonomy.on("entry"):
        for value in axis.values:
            assert related(then, [(axis.id, value)]).smallest, (axis.id, value)


FILTERS = st.sampled_from([[], [("reward", "hybrid")], [("category", "rl-method")], [("decision", "stop")], [("credit", "team,agent")]])  # fmt: skip
AXES = st.lists(st.sampled_from(["category", "reward", "credit", "decision", "topology", "scale"]), max_size=4)


@settings(deadline=None)
@given(FILTERS, AXES, st.booleans())
def test_a_path_covers_every_value_and_each_entry_adds_one(
    pool: Pool, filters: list[tuple[str, str]], axes: list[str], primary: bool
) -> None:
    found = related(pool, filters, axes, primary)
    carried = {
        (axis, cell)
        for e in found.entries
        for axis in found.axes
        for cell in mentioned(e, pool.taxonomy[axis])
        if cell.partition(": ")[0] in pool.taxonomy[axis].values
    }
    if not primary:
        assert set(found.covered) == carried
    assert set(found.covered) <= carried
    assert all(step.new_values for step in found.path)
    assert {step.entry.key for step in found.path} <= {e.key for e in found.entries}


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_the_pool_changes_nothing(pool: Pool, seed: int) -> None:
    shuffled = list(pool.entries)
    Random(seed).shuffle(shuffled)
    turned = pool.keep(e.key for e in shuffled)
    for filters in ([], [("reward", "hybrid")]):
        one, other = related(pool, filters), related(turned, filters)
        assert keys(one) == keys(other)
        assert one.paragraph() == other.paragraph()
