"""Gaps: counts, probabilities compared with textbook and SciPy results, and the kinds of empty cells."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import combinations, product
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from survey.literature import Pool, Shape, Tag, load
from survey.literature.gaps import (
    OPEN,
    GapMap,
    Kind,
    Surroundings,
    check_impossible_cells,
    every_map,
    gap_map,
    gaps,
    hypergeometric_cdf,
    independence,
    pairs,
    ranked,
    search_start,
    steps,
)
from survey.literature.gaps.independence import corrected
from survey.literature.gaps.indicators import strict_keys, values
from survey.literature.pool import Entry, read_gaps, read_notes
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY

WHOLE = load(ROOT / "bib")
POOL = WHOLE.as_of(date(2026, 5, 4))
MAPS = every_map(POOL)
AROUND = Surroundings(POOL)
SOME = [("reward", "credit"), ("credit", "decision"), ("category", "topology"), ("decision", "algorithm")]


def table(*cells: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return two indicator matrices with a number of entries in each cell (row, column, number)."""
    rows, columns = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
    a = np.array([np.eye(rows, dtype=np.int64)[i] for i, _, n in cells for _ in range(n)])
    b = np.array([np.eye(columns, dtype=np.int64)[j] for _, j, n in cells for _ in range(n)])
    return a, b


def tagged(key: str, like: Entry = POOL.entries[0], **tags: str) -> Entry:
    """Return an entry with these tags on some axes, written as in the pool."""
    made = {
        axis.replace("_", "-"): tuple(
            Tag(axis.replace("_", "-"), *part.strip().partition(": ")[::2]) for part in text.split(";")
        )
        for axis, text in tags.items()
    }
    block = replace(like.block, key=key)
    return replace(like, block=block, tags=MappingProxyType({**like.tags, **made}))


def pool_of(*entries: Entry) -> Pool:
    return replace(POOL, entries=entries)


# ------------------------------------------------------------------ statistics


def test_the_lady_tasting_tea() -> None:
    # Fisher's table: three of four cups right; so few wrong ones by chance 17 times in 70
    found = independence(*table((0, 0, 3), (0, 1, 1), (1, 0, 1), (1, 1, 3)))
    assert found.observed.tolist() == [[3, 1], [1, 3]]
    assert found.expected.tolist() == [[2, 2], [2, 2]]
    assert found.residual == pytest.approx(np.array([[1, -1], [-1, 1]]) * 2**0.5)
    assert found.p == pytest.approx(np.array([[69, 17], [17, 69]]) / 70)


def test_a_hand_worked_table_of_six() -> None:
    # N = 6; the row has 2, the column 3: none together in C(3,2)/C(6,2) = 3/15 of all ways, one or none in 12/15
    assert hypergeometric_cdf(6, 3, 2) == pytest.approx((3 / 15, 12 / 15, 1))
    found = independence(*table((0, 0, 0), (0, 1, 2), (1, 0, 3), (1, 1, 1)))
    assert found.expected.tolist() == [[1, 1], [2, 2]]
    assert found.p[0, 0] == pytest.approx(0.2)
    # (0 - 1) / sqrt(1 * (1 - 2/6) * (1 - 3/6))
    assert found.residual[0, 0] == pytest.approx(-1 / (1 / 3) ** 0.5)


@pytest.mark.parametrize(("rows", "columns"), SOME)
def test_probabilities_are_those_of_scipy(rows: str, columns: str) -> None:
    map = gap_map(POOL, rows, columns)
    inside = [e for e in POOL if values(e, map.rows) and values(e, map.columns)]
    for cell in map:
        if cell.why:
            continue
        down = sum(cell.row in values(e, map.rows) for e in inside)
        across = sum(cell.column in values(e, map.columns) for e in inside)
        assert cell.p == pytest.approx(stats.hypergeom(len(inside), down, across).cdf(cell.count))
        assert cell.expected == pytest.approx(down * across / len(inside))


@pytest.mark.parametrize(("rows", "columns"), SOME)
def test_a_residual_squared_is_the_chi_square_of_the_cell_against_all_others(rows: str, columns: str) -> None:
    map = gap_map(POOL, rows, columns)
    inside = [e for e in POOL if values(e, map.rows) and values(e, map.columns)]
    for cell in map:
        if cell.residual is None:
            continue
        a = [cell.row in values(e, map.rows) for e in inside]
        b = [cell.column in values(e, map.columns) for e in inside]
        four = stats.contingency.crosstab(a, b).count
        assert cell.residual**2 == pytest.approx(stats.chi2_contingency(four, correction=False).statistic)


def test_expected_counts_are_those_of_scipy() -> None:
    map = gap_map(POOL, "reward", "credit")
    counts = np.array([[map[a, b].count for b in map.columns.value_cells] for a in map.rows.value_cells])
    expected = np.array([[map[a, b].expected for b in map.columns.value_cells] for a in map.rows.value_cells])
    assert expected == pytest.approx(stats.contingency.expected_freq(counts))


def test_the_correction_is_that_of_all_permutations() -> None:
    a, b = table((0, 0, 0), (0, 1, 3), (1, 0, 3), (1, 1, 1))
    found = independence(a, b, permutations=20_000)
    smallest = []
    for chosen in combinations(range(len(b)), int(b[:, 0].sum())):
        dealt = np.eye(2, dtype=np.int64)[[0 if place in chosen else 1 for place in range(len(b))]]
        smallest.append(independence(a, dealt, permutations=1).p.min())
    exact = np.array([[np.mean(np.array(smallest) <= p + 1e-12) for p in row] for row in found.p])
    assert found.corrected == pytest.approx(exact, abs=0.02)


def test_the_correction_never_lowers_a_probability() -> None:
    for cell in (cell for map in MAPS for cell in map):
        assert cell.p <= cell.corrected <= 1
        assert cell.corrected >= 1 / 2001
    assert corrected(np.array([0.3]), np.array([0.4] * 9)).tolist() == [0.3]


def test_the_values_of_a_set_stay_together_in_a_permutation() -> None:
    # whoever has the first of the two values has the second: both columns tell the same in every permutation
    a = np.array([[1, 0]] * 3 + [[0, 1]] * 3)
    b = np.array([[0, 0]] * 3 + [[1, 1]] * 3)
    doubled = independence(a, b)
    single = independence(a, b[:, :1])
    assert doubled.corrected[0].tolist() == [single.corrected[0, 0]] * 2


def test_probabilities_of_many_entries_equal_those_of_scipy() -> None:
    for marked, drawn in ((40, 3_000), (5_000, 4_990), (9_999, 7), (1, 1)):
        found = hypergeometric_cdf(10_000, marked, drawn)
        expected = stats.hypergeom(10_000, marked, drawn).cdf(np.arange(len(found)))
        assert np.array(found) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def test_many_entries_give_the_same_distribution_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    a, b = np.eye(3, dtype=np.int64)[rng.integers(0, 3, 90)], rng.integers(0, 2, (90, 3))
    few = independence(a, b, permutations=20_000)
    monkeypatch.setattr(sys.modules["survey.literature.gaps.independence"], "MANY", 50)
    hypergeometric_cdf.cache_clear()
    many = independence(a, b, permutations=20_000)
    hypergeometric_cdf.cache_clear()
    assert many.p == pytest.approx(few.p)
    assert many.corrected == pytest.approx(few.corrected, abs=0.02)
    assert not np.array_equal(many.corrected, few.corrected)  # dealt another way


def test_impossible_cells_do_not_affect_the_correction() -> None:
    a, b = table((0, 0, 0), (0, 1, 3), (1, 0, 3), (1, 1, 0))
    tested = np.array([[False, True], [True, True]])
    found = independence(a, b, tested)
    assert found.p[0, 0] == found.corrected[0, 0] == 1
    assert found.p[1, 1] == pytest.approx(1 / 20)


# ------------------------------------------------------------------ invariants


@pytest.mark.parametrize(("rows", "columns"), pairs(POOL))
def test_a_map_has_the_shape_of_the_taxonomy_even_for_an_empty_pool(rows: str, columns: str) -> None:
    for pool in (POOL, pool_of()):
        map = gap_map(pool, rows, columns)
        shape = list(product(POOL.taxonomy[rows].value_cells, POOL.taxonomy[columns].value_cells))
        assert list(map.cells) == shape
    assert all(cell.count == 0 and cell.p == 1 and cell.residual is None for cell in map)
    assert {cell.kind for cell in map} <= {Kind.NOBODY, Kind.PAST, Kind.IMPOSSIBLE}


@pytest.mark.parametrize("map", MAPS, ids=lambda m: f"{m.rows.id}-{m.columns.id}")
def test_the_sums_of_a_map_are_its_margins(map: GapMap) -> None:
    if Shape.SET not in (map.rows.shape, map.columns.shape):
        assert sum(cell.count for cell in map) == map.n
    if map.columns.shape is not Shape.SET:
        for a in map.rows.value_cells:
            inside = [e for e in POOL if a in values(e, map.rows) and values(e, map.columns)]
            assert sum(map[a, b].count for b in map.columns.value_cells) == len(inside)


def test_a_transposed_map_is_the_same_map() -> None:
    one, other = gap_map(POOL, "reward", "decision"), gap_map(POOL, "decision", "reward")
    for (a, b), cell in one.cells.items():
        turned = other[b, a]
        assert (cell.entries, cell.kind, cell.p, cell.hidden) == (turned.entries, turned.kind, turned.p, turned.hidden)
        assert cell.corrected == pytest.approx(turned.corrected, abs=0.05)  # other permutations are drawn


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(len(POOL))), st.sampled_from(SOME))
def test_the_order_of_entries_changes_nothing(order: list[int], axes: tuple[str, str]) -> None:
    shuffled = pool_of(*(POOL.entries[i] for i in order))
    assert gap_map(shuffled, *axes) == gap_map(POOL, *axes)


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, len(POOL) - 1), max_size=40), st.sampled_from(SOME))
def test_added_entries_never_lower_a_count(missing: set[int], axes: tuple[str, str]) -> None:
    fewer = gap_map(pool_of(*(e for i, e in enumerate(POOL.entries) if i not in missing)), *axes)
    for place, cell in gap_map(POOL, *axes).cells.items():
        assert set(fewer[place].entries) <= set(cell.entries)


@pytest.mark.parametrize(("rows", "columns"), SOME)
def test_strict_is_a_subset_of_broad(rows: str, columns: str) -> None:
    broad, strict = gap_map(POOL, rows, columns), gap_map(POOL, rows, columns, strict=True)
    assert strict.n <= broad.n
    assert strict.total == len(strict_keys(POOL)) < broad.total
    for place, cell in broad.cells.items():
        assert strict[place].entries == cell.strict == tuple(k for k in cell.entries if k in strict_keys(POOL))


def test_a_snapshot_ignores_later_entries() -> None:
    later = tagged("later", reward="tool", credit="tool-call")
    later = replace(later, block=replace(later.block, fields=MappingProxyType({
        **later.block.fields, "added": replace(later.block.fields["added"], text="2026-12-01")})))  # fmt: skip
    pool = pool_of(*POOL, later)
    now, then = (gap_map(p, "reward", "credit")["tool", "tool-call"] for p in (pool, pool.as_of(date(2026, 5, 4))))
    assert (now.entries, then.entries) == (("later",), ())
    assert (now.kind, then.kind) == (Kind.THIN, Kind.NOBODY)


# ------------------------------------------------------- kinds of empty cells

KINDS = [
    # what it is, the tags of each entry of the pool, the kind of debate x delegate: learned
    ("three entries", ["debate|delegate: learned"] * 3, Kind.FILLED),
    ("two entries", ["debate|delegate: learned"] * 2, Kind.THIN),
    ("an entry that carries both, one as a further value", ["shared; debate|delegate: learned"], Kind.FURTHER),
    ("nobody has the row's value", ["shared|delegate: learned"], Kind.NOBODY),
    ("nobody has the column's value", ["debate|delegate: designed"], Kind.NOBODY),
    ("nobody has either", [], Kind.NOBODY),
    ("to all with the row's value the other axis does not apply", ["debate|na", "shared|delegate: learned"], Kind.NOT_APPLICABLE),
    ("to all with the column's value the other axis does not apply", ["debate|spawn: learned", "na|delegate: learned"], Kind.NOT_APPLICABLE),
    ("to some it does not apply, others have another value", ["debate|na", "debate|spawn: learned", "shared|delegate: learned"], Kind.UNSTUDIED),
    ("one does not say", ["debate|unknown", "debate|na", "shared|delegate: learned"], Kind.UNDISCLOSED),
    ("one does not say, the other way", ["debate|spawn: learned", "unknown|delegate: learned"], Kind.UNDISCLOSED),
    ("none is not na", ["debate|none", "shared|delegate: learned"], Kind.UNSTUDIED),
    ("all have other values", ["debate|spawn: learned", "shared|delegate: learned"], Kind.UNSTUDIED),
]  # fmt: skip


@pytest.mark.parametrize(("tags", "kind"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS])
def test_each_kind_of_empty_cell_is_distinguished(tags: list[str], kind: Kind) -> None:
    entries = [tagged(f"e{n}", reward=reward, decision=decision) for n, (reward, decision) in enumerate(t.split("|") for t in tags)]  # fmt: skip
    assert gap_map(pool_of(*entries), "reward", "decision")["debate", "delegate: learned"].kind is kind


def test_undisclosed_entries_are_listed_with_the_cell_they_may_fill() -> None:
    entries = [
        tagged("silent", reward="debate", decision="unknown"),
        tagged("other", reward="unknown", decision="stop: learned"),
        tagged("plain", reward="shared", decision="spawn: learned"),
    ]
    map = gap_map(pool_of(*entries), "reward", "decision")
    assert map["debate", "stop: learned"].hidden == ("other", "silent")
    assert map["debate", "spawn: learned"].hidden == ("silent",)
    assert map["shared", "spawn: learned"].hidden == ()


def test_not_coded_yet_is_a_kind_of_its_own(folder: Callable[..., Path]) -> None:
    other = ENTRY.replace("key2026", "b").replace("A Title", "B").replace("{shared}", "{process}")
    other = other.replace("summary ", "tag-decision = {stop: learned},\n  why-decision = {w},\n  summary ")
    pool = load(folder(ENTRY + other))
    map = gap_map(pool, "reward", "decision")
    assert map["shared", "stop: learned"].kind is Kind.NOT_CODED
    assert map["shared", "stop: learned"].hidden == ("key2026",)
    assert map["process", "stop: learned"].kind is Kind.THIN


def test_cells_excluded_by_definition_are_impossible_with_a_reason() -> None:
    map = gap_map(POOL, "category", "decision")
    assert map["benchmark", "stop: learned"].kind is Kind.IMPOSSIBLE
    assert "trains no team" in map["benchmark", "stop: learned"].why
    assert map["survey", "stop: designed"].kind is Kind.IMPOSSIBLE  # by a rule that entries are checked by
    assert map["benchmark", "stop: designed"].kind in OPEN
    assert gap_map(POOL, "topology", "decision")["harness", "spawn: learned"].kind is Kind.IMPOSSIBLE


def test_cells_left_empty_by_foundations_are_history_and_no_gap() -> None:
    map = gap_map(POOL, "category", "algorithm")
    assert map["classical-marl", "grpo"].kind is Kind.PAST
    assert not [gap for gap in ranked(MAPS) if "classical-marl" in (gap.cell.row, gap.cell.column)]


def test_cells_that_only_foundations_fill_are_known() -> None:
    map = gap_map(POOL, "reward", "credit")
    individual = map["individual", "agent"]
    assert individual.foundations_only
    assert set(individual.entries) == {"difference-rewards2001", "ippo2020", "maddpg2017", "markov-games1994"}
    assert not map["shared", "agent"].foundations_only
    assert map["shared", "agent"].foundations


# ------------------------------------------------------------------- the ranking


def test_gaps_are_ranked_by_probability_then_by_expectation() -> None:
    found = gaps(POOL)
    assert found == ranked(MAPS)
    order = [(gap.cell.corrected, -gap.cell.expected) for gap in found]
    assert order == sorted(order)
    assert all(gap.cell.kind in OPEN and gap.cell.count == 0 for gap in found)
    assert len(found) == sum(len(map.of(*OPEN)) for map in MAPS)


def test_in_the_published_pool_one_gap_is_surprising_and_none_after_all_maps() -> None:
    first, *others = gaps(POOL)
    assert (first.cell.row, first.cell.column) == ("rl-method", "harness")
    assert 0.03 < first.cell.corrected < 0.05 < min(gap.cell.corrected for gap in others)
    assert first.cell.corrected * len(MAPS) > 0.05


def test_message_credit_is_thin_and_strictly_a_single_work() -> None:
    map = gap_map(POOL, "credit", "topology")
    message = [cell for cell in map if cell.row == "message"]
    assert sum(cell.count for cell in message) == 2
    assert [key for cell in message for key in cell.strict] == ["c3"]


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (("reward", "credits"), 'there is no axis "credits" of entries (did you mean "credit"?)'),
        (("stage", "credit"), 'there is no axis "stage" of entries'),
        (("credit", "credit"), "cannot cross credit with itself (expected different axes)"),
    ],
    ids=["unknown", "of records", "the same"],
)
def test_axes_that_do_not_cross_are_named(axes: tuple[str, str], message: str) -> None:
    with pytest.raises(ValueError) as error:
        gap_map(POOL, *axes)
    assert message in str(error.value)


def test_a_missing_strict_reading_is_an_error() -> None:
    taxonomy = replace(POOL.taxonomy, gaps=replace(POOL.taxonomy.gaps, strict=()))
    with pytest.raises(ValueError, match="defines no strict reading"):
        gap_map(replace(POOL, taxonomy=taxonomy), "reward", "credit", strict=True)


# ------------------------------------------------------------------ neighbours

STEPS = [
    ("credit", "message", "message", 0),
    ("credit", "turn", "message", 1),
    ("credit", "team", "message", 5),
    ("reward", "debate", "verifier", 1),
    ("reward", "debate", "shared", 2),
    ("decision", "stop: designed", "stop: learned", 1),
    ("decision", "spawn: learned", "stop: learned", 2),
]


@pytest.mark.parametrize(("axis", "found", "wanted", "far"), STEPS, ids=[f"{f} to {w}" for _, f, w, _ in STEPS])
def test_neighbours_share_value_or_family_or_are_adjacent(axis: str, found: str, wanted: str, far: int) -> None:
    assert steps(found, wanted, POOL.taxonomy[axis]) == steps(wanted, found, POOL.taxonomy[axis]) == far


def test_the_nearest_entries_come_first() -> None:
    cell = gap_map(POOL, "credit", "decision")["message", "stop: learned"]
    with_message, with_stop = AROUND.neighbours(cell)
    assert {n.entry.key for n in with_message} == {"c3", "debate-as-reward", "comas2026"}
    assert [n.entry.key for n in with_stop] == ["puppeteer"]
    assert [n.steps for n in with_message] == sorted(n.steps for n in with_message)
    assert {n.entry.key for n in (*with_message, *with_stop) if n.steps <= 1} == {e.key for e in AROUND.near(cell)}


def test_a_trend_counts_every_entry_in_its_year() -> None:
    for map in MAPS[:6]:
        for cell in map.of(Kind.THIN, *OPEN)[:4]:
            found = AROUND.trend(cell)
            assert sum(found.cell.values()) == cell.count
            assert sum(found.row.values()) == sum(cell.row in values(e, map.rows) for e in POOL)
            assert set(found.row) | set(found.column) <= set(found.years)
            assert found.near is None or found.near in found.years


def test_gaps_are_observed_since_the_first_screening() -> None:
    assert search_start(POOL) == "2026-04-26"


# ------------------------------------------------- notes and impossible cells


def test_the_notes_of_the_real_file_are_read() -> None:
    notes, problems = read_notes(ROOT / "bib" / "gaps.toml", POOL.taxonomy)
    assert not problems
    assert len(notes) == len(re.findall(r"(?m)^\[\[note\]\]", (ROOT / "bib" / "gaps.toml").read_text())) > 0
    assert all(note.matters and note.fills for note in notes)


NOTE = '[[note]]\ncells = { credit = "message", decision = "stop: learned" }\nmatters = "m"\nfills = "f"\n'
WRONG = [
    ("a value", '"message"', '"mesage"', 'g.toml:1: entry note: cells.credit: "mesage" is not known here (did you mean "message"?)'),
    ("an axis", "credit =", "credits =", 'g.toml:1: entry note: cells: "credits" is not known here (did you mean "credit"?)'),
    ("a how", "stop: learned", "stop: learnt", 'g.toml:1: entry note: cells.decision: "stop: learnt" is not known here (did you mean "stop: learned"?)'),
    ("a key", "matters", "mattes", 'g.toml:1: entry note: "mattes" is not known here (did you mean "matters"?)'),
    ("no reason", '"m"', '""', "g.toml:1: entry note: matters: is missing"),
    ("no cells", 'cells = { credit = "message", decision = "stop: learned" }\n', "", 'g.toml:1: entry note: cells: names 0 axes, expected 1 or more: { AXIS = "VALUE", AXIS = ["VALUE"] }'),
    ("another table", "[[note]]", "[[notes]]", 'g.toml:1: "notes" is not known here (did you mean "note"?)'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "problem"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_note_says_where_and_what(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "gaps.toml"
    path.write_text(NOTE.replace(old, new, 1))
    assert problem in [str(p) for p in read_notes(path, POOL.taxonomy, "g.toml")[1]]


SEARCHED = '[[searched]]\ncells = { credit = "message", decision = "stop" }\ndate = 2026-05-01\nwhy = "w"\n'
NOT_SEARCHED = [
    ("no date", "date = 2026-05-01\n", "", 'g.toml:1: entry searched: date: found "None", expected a date like 2026-11-21'),
    ("a date in quotes", "2026-05-01", '"2026-05-01"', 'g.toml:1: entry searched: date: found "2026-05-01", expected a date like 2026-11-21'),
    ("a value", '"message"', '"mesage"', 'g.toml:1: entry searched: cells.credit: "mesage" is not known here (did you mean "message"?)'),
    ("no reason", '"w"', '""', "g.toml:1: entry searched: why: is missing"),
    ("a key", "why", "wy", 'g.toml:1: entry searched: "wy" is not known here (did you mean "why"?)'),
]  # fmt: skip


def test_what_was_searched_on_purpose_stands_beside_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "gaps.toml"
    path.write_text(NOTE + SEARCHED)
    notes, [searched], problems = read_gaps(path, POOL.taxonomy)
    assert len(notes) == 1 and not problems
    assert (searched.day, searched.why) == (date(2026, 5, 1), "w")
    assert dict(searched.cells) == {"credit": ("message",), "decision": ("stop: learned", "stop: designed")}
    assert WHOLE.searched and "stop: learned" in WHOLE.searched[0].cells["decision"]


@pytest.mark.parametrize(("old", "new", "problem"), [w[1:] for w in NOT_SEARCHED], ids=[w[0] for w in NOT_SEARCHED])
def test_a_wrong_search_on_purpose_says_where_and_what(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "gaps.toml"
    path.write_text(SEARCHED.replace(old, new, 1))
    assert problem in [str(p) for p in read_gaps(path, POOL.taxonomy, "g.toml")[2]]


def test_a_second_note_on_the_same_cells_is_a_problem_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "gaps.toml"
    path.write_text(f"{NOTE}\n{NOTE}")
    problems = read_notes(path, POOL.taxonomy, "g.toml")[1]
    assert [str(p) for p in problems] == ["g.toml:6: entry note: cells: an earlier note has the same cells"]
    assert read_notes(tmp_path / "none.toml", POOL.taxonomy) == ((), [])


def test_no_entry_of_the_pool_is_in_an_impossible_cell() -> None:
    assert check_impossible_cells(WHOLE, WHOLE.taxonomy) == []
    assert check_impossible_cells(POOL, POOL.taxonomy) == []


def test_an_entry_in_an_impossible_cell_is_a_problem_with_its_line() -> None:
    entry = WHOLE["c3"]
    wrong = replace(entry, tags=MappingProxyType({
        **entry.tags,
        "reward": (Tag("reward", "hybrid"),),
        "credit": (Tag("credit", "team"), Tag("credit", "agent")),
    }))  # fmt: skip
    [problem] = check_impossible_cells([wrong], POOL.taxonomy)
    assert str(problem).startswith(
        f'{entry.path}:{entry.block.fields["tag-credit-grain"].line}: entry c3: tag-credit-grain: "team" cannot stand beside reward = "hybrid": '
    )
    further = replace(wrong, tags=MappingProxyType({**wrong.tags, "credit": tuple(reversed(wrong.tags["credit"]))}))
    assert check_impossible_cells([further], POOL.taxonomy) == []  # the first value is what is meant
