"""Agreement: the exact published figures, worked examples from the literature, and invariances."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from survey.literature import InvalidSurvey, Pool, load, read_pool
from survey.literature.agreement import POOL, Absences, Agreement, Estimate, agreement, reading, reading_pairs
from survey.literature.agreement.reliability import reliability
from tests.conftest import ROOT

PUBLISHED, SPOT_CHECK, SECOND = "published-2026-05-04", "published-spotcheck-2026-05-03", "second-reading-2026-11"
ONE, OTHER = "facets-a-2026-11", "facets-b-2026-11"
ADDITIONS, UNSEEN = "first-additions-2026-11", "blind-additions-2026-11"
READERS = (
    '[one]\nreader = "a"\nmade = 2026-01-01\nstatement = "s"\n[two]\nreader = "b"\nmade = 2026-01-02\nstatement = "t"\n'
)

pairs_of_readings = st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), min_size=1, max_size=40)


def figures(said: Sequence[tuple[str, str]]) -> tuple[Estimate, Estimate, Estimate]:
    raw, kappa, alpha, _ = reliability([((a,), (b,)) for a, b in said])
    return raw, kappa, alpha


def spread(table: Sequence[Sequence[int]]) -> list[tuple[str, str]]:
    """Return the pairs behind a confusion matrix."""
    return [(str(i), str(j)) for i, row in enumerate(table) for j, number in enumerate(row) for _ in range(number)]


# ------------------------------------------------------------------ our own data


@pytest.mark.parametrize("axis", ["category", "rl", "reward", "topology"])
def test_the_published_spot_check_agrees_on_all_of_its_32_works(pool: Pool, axis: str) -> None:
    found = agreement(pool, PUBLISHED, SPOT_CHECK, axis)
    assert (found.alike, found.n, found.kappa.value, found.alpha.value) == (32, 32, 1, 1)


def test_the_only_exception_of_the_spot_check_is_the_credit_of_halo(pool: Pool) -> None:
    found = agreement(pool, PUBLISHED, SPOT_CHECK, "credit")
    assert (found.alike, found.n) == (31, 32)
    assert [d.key for d in found.disagreements] == ["halo"]


BLIND = [
    ("category", 75, 0.91, 0.9124),
    ("rl", 72, 0.83, 0.8267),
    ("reward", 49, 0.49, 0.4926),
    ("credit", 50, 0.52, 0.5189),
    ("topology", 46, 0.43, 0.4329),
]


@pytest.mark.parametrize(("axis", "alike", "stated", "kappa"), BLIND, ids=[b[0] for b in BLIND])
def test_the_second_reading_agrees_far_less_on_its_80_blind_works(
    pool: Pool, axis: str, alike: int, stated: float, kappa: float
) -> None:
    found = agreement(pool, PUBLISHED, SECOND, axis, blind_only=True)
    assert (found.alike, found.n) == (alike, 80)
    assert float(f"{found.kappa.value:.2f}") == stated
    assert found.kappa.value == pytest.approx(kappa, abs=5e-5)


def test_the_published_figures_count_all_absences_as_one(pool: Pool) -> None:
    """The published coding has only "not applicable"; the second reading also has "does not say"."""
    apart, left_out = (
        agreement(pool, PUBLISHED, SECOND, "reward", blind_only=True, absences=how)
        for how in (Absences.APART, Absences.LEFT_OUT)
    )
    assert (apart.alike, apart.n) == (47, 80)
    assert (left_out.alike, left_out.n) == (19, 41)


def test_the_pool_is_compared_with_every_coding_and_they_with_each_other(pool: Pool) -> None:
    found = {(pair.first, pair.second): pair for pair in reading_pairs(pool)}
    assert [*found] == [
        (UNSEEN, ADDITIONS), (ONE, OTHER), (PUBLISHED, SPOT_CHECK), (PUBLISHED, SECOND), (SPOT_CHECK, SECOND),
        (POOL, UNSEEN), (POOL, ONE), (POOL, OTHER), (POOL, ADDITIONS), (POOL, PUBLISHED), (POOL, SPOT_CHECK),
        (POOL, SECOND),
    ]  # fmt: skip
    assert (found[PUBLISHED, SECOND].entries, found[PUBLISHED, SECOND].blind) == (84, 80)
    assert found[PUBLISHED, SPOT_CHECK].blind == 0
    assert (found[ONE, OTHER].entries, found[ONE, OTHER].blind) == (len(pool), len(pool))
    assert not found[POOL, ONE].independent
    numbers = [axis.id for axis in pool.taxonomy if axis.shape == "quantity"]
    assert all(axis not in pair.axes for pair in found.values() for axis in numbers)


def test_a_confusion_matrix_has_the_shape_of_the_taxonomy_and_all_shared_entries(pool: Pool) -> None:
    table = agreement(pool, PUBLISHED, SECOND, "credit").confusion
    assert tuple(table.index) == tuple(table.columns) == pool.taxonomy["credit"].words
    assert table.to_numpy().sum() == 84
    assert table.loc["na", "tool-call"] == 3


def test_disagreements_are_symmetric(pool: Pool) -> None:
    there, back = agreement(pool, PUBLISHED, SECOND, "topology"), agreement(pool, SECOND, PUBLISHED, "topology")
    assert (there.raw, there.kappa, there.alpha) == (back.raw, back.kappa, back.alpha)
    assert there.confusion.to_numpy().T.tolist() == back.confusion.to_numpy().tolist()
    assert [(d.key, d.first.tags, d.second.tags) for d in there.disagreements] == [
        (d.key, d.second.tags, d.first.tags) for d in back.disagreements
    ]


def test_a_disagreement_has_the_evidence_of_both_sides_and_the_adjudication(pool: Pool) -> None:
    with (ROOT / "bib" / "codings" / "adjudications.csv").open(encoding="utf-8", newline="") as stream:
        reasons = {(row["key"], row["axis"]): row["why"] for row in csv.DictReader(stream)}
    found = [d for d in agreement(pool, ONE, OTHER, "topology").disagreements if d.first.notes.get("why")]
    assert found
    for d in found:
        assert d.first.tags != d.second.tags
        assert d.adjudication is not None and d.adjudication.why == reasons[d.key, "topology"]
        assert d.adjudication.tags == pool[d.key].tags["topology"]


def test_what_is_settled_on_the_parts_is_settled_on_what_follows(pool: Pool) -> None:
    found = agreement(pool, ONE, OTHER, "credit").disagreements
    assert found and all(d.adjudication is not None for d in found)
    for d in found:
        parts = {part for part in pool.taxonomy["credit"].parts if (d.key, part) in pool.adjudications}
        assert d.adjudication is not None and parts
        assert all(pool.adjudications[d.key, part].why in d.adjudication.why for part in parts)


def test_a_disagreement_may_be_about_rank_alone(pool: Pool) -> None:
    found = {d.key: d for d in agreement(pool, PUBLISHED, SECOND, "credit").disagreements}
    assert found["maporl"].ranking  # agent, or turn before agent
    assert not found["magrpo"].ranking  # agent, or team


def test_the_figures_of_a_snapshot_count_its_entries_only(pool: Pool) -> None:
    few = pool.keep(["c3", "halo"])
    assert agreement(few, PUBLISHED, SPOT_CHECK, "credit").n == 2


# ------------------------------------------------- worked tables and other programs


@pytest.mark.parametrize(
    ("table", "kappa"),
    [([[75, 1, 4], [5, 4, 1], [0, 0, 10]], 0.676), ([[106, 10, 4], [22, 28, 10], [2, 12, 6]], 0.4286)],
    ids=["two diagnosticians (Fleiss 1981)", "200 patients (Fleiss, Cohen and Everitt 1969)"],
)
def test_kappa_of_worked_tables(table: list[list[int]], kappa: float) -> None:
    assert figures(spread(table))[1].value == pytest.approx(kappa, abs=5e-4)


@pytest.mark.parametrize(
    ("first", "second", "alpha"),
    [("0100000010", "1110010000", 0.095), ("aabbdcccedda", "babbbccceddd", 0.692)],
    ids=["two values, ten units", "Ben and Gerry, five values, twelve units"],
)
def test_alpha_of_krippendorffs_examples(first: str, second: str, alpha: float) -> None:
    """From "Computing Krippendorff's Alpha-Reliability" (2011), sections A and B."""
    assert figures([*zip(first, second, strict=True)])[2].value == pytest.approx(alpha, abs=5e-4)


@given(pairs_of_readings)
def test_kappa_and_alpha_equal_those_of_other_programs(said: list[tuple[str, str]]) -> None:
    _, kappa, alpha = figures(said)
    first, second = zip(*said, strict=True)
    if len({*first, *second}) == 1:
        assert math.isnan(kappa.value) and math.isnan(alpha.value)  # nothing else was ever said
        return
    assert kappa.value == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)
    data = [[float("abcd".index(word)) for word in reader] for reader in (first, second)]
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert alpha.value == pytest.approx(theirs, abs=1e-9)


# ------------------------------------------------------------------- invariances


@given(pairs_of_readings)
def test_it_does_not_matter_which_reader_is_first(said: list[tuple[str, str]]) -> None:
    assert same(figures(said), figures([(b, a) for a, b in said]))


@given(pairs_of_readings, st.randoms(use_true_random=False))
def test_the_order_of_the_entries_does_not_matter(said: list[tuple[str, str]], random: object) -> None:
    shuffled = sorted(said, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert same(figures(said), figures(shuffled))


@given(pairs_of_readings, st.permutations("wxyz"))
def test_the_names_of_the_categories_do_not_matter(said: list[tuple[str, str]], names: list[str]) -> None:
    renamed = [(names["abcd".index(a)], names["abcd".index(b)]) for a, b in said]
    ours, theirs = ([e.value for e in figures(some)] for some in (said, renamed))
    assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=30).filter(lambda words: len({*words}) > 1))
def test_a_reading_agrees_with_itself(words: list[str]) -> None:
    assert all(estimate.value == 1 for estimate in figures([(word, word) for word in words]))


@given(pairs_of_readings)
def test_an_interval_is_reproducible_and_within_bounds(said: list[tuple[str, str]]) -> None:
    raw = figures(said)[0]
    assert figures(said)[0] == raw
    assert 0 <= raw.low <= raw.high <= 1


def test_an_interval_equals_that_of_resampled_entries() -> None:
    said = spread([[30, 10], [10, 30]])
    raw, kappa, alpha = figures(said)
    error = math.sqrt(0.75 * 0.25 / 80)
    assert (raw.low, raw.high) == pytest.approx((0.75 - 1.96 * error, 0.75 + 1.96 * error), abs=0.015)
    draws = np.random.default_rng(1).integers(0, 80, (400, 80))
    kappas = [cohen_kappa_score(*zip(*[said[i] for i in draw], strict=True)) for draw in draws]
    assert (kappa.low, kappa.high) == pytest.approx(tuple(np.percentile(kappas, [2.5, 97.5])), abs=0.06)
    assert alpha.low < alpha.value < alpha.high


def same(ours: Sequence[Estimate], theirs: Sequence[Estimate]) -> bool:
    return str(ours) == str(theirs)  # as text, NaN equals NaN


# ------------------------------------------------------------------------ small pools


@pytest.fixture
def read(folder: Callable[..., Path]) -> Callable[..., Path]:
    """A pool of three entries and two readers of them, with more files beside their codings."""

    def make(one: str, two: str, **files: str) -> Path:
        entry = (
            "@misc{{{0},\n author = {{Last, First}},\n title = {{{0}}},\n year = {{2026}},\n"
            " url = {{https://example.org/{0}}},\n"
            " tag-reward = {{shared}},\n why-reward = {{Said so.}},\n tag-decision = {{stop: learned}},\n"
            " why-decision = {{Said so.}},\n summary = {{s}},\n added = {{2026-05-04}}\n}}\n"
        )
        bib = folder("".join(map(entry.format, "abc")))
        (bib / "codings").mkdir()
        (bib / "codings" / "readers.toml").write_text(READERS)
        for name, rows in (("one", one), ("two", two)):
            (bib / "codings" / f"{name}.csv").write_text(f"key,axis,value,blind\n{rows}")
        for name, text in files.items():
            (bib / "codings" / f"{name}.csv").write_text(text)
        return bib

    return make


def between(bib: Path, axis: str, **options: object) -> Agreement:
    return agreement(load(bib), "one", "two", axis, **options)  # type: ignore[arg-type]


def test_first_values_of_ranked_axes_are_compared(read: Callable[..., Path]) -> None:
    found = between(
        read("a,reward,shared; process,\nb,reward,shared,\n", "a,reward,shared,\nb,reward,process; shared,\n"), "reward"
    )
    assert (found.alike, found.n, found.jaccard) == (1, 2, None)
    assert [(d.key, d.ranking) for d in found.disagreements] == [("b", True)]


def test_sets_are_compared_in_any_order_with_qualifiers_and_overlap(read: Callable[..., Path]) -> None:
    bib = read("a,decision,stop: learned,\nb,decision,na,\n", "a,decision,stop: designed,\nb,decision,na,\n")
    found = between(bib, "decision")
    assert (found.alike, found.n) == (1, 2)
    assert found.jaccard is not None
    assert found.jaccard.value == 0.5
    assert found.confusion.to_dict("index") == {
        "stop: learned": {"both": 0, "first only": 1, "second only": 0, "neither": 1},
        "stop: designed": {"both": 0, "first only": 0, "second only": 1, "neither": 1},
        "na": {"both": 1, "first only": 0, "second only": 0, "neither": 1},
    }


@pytest.mark.parametrize(
    ("how", "alike", "n"), [(Absences.TOGETHER, 2, 3), (Absences.APART, 1, 3), (Absences.LEFT_OUT, 1, 1)]
)
def test_absences_count_together_apart_or_not(read: Callable[..., Path], how: Absences, alike: int, n: int) -> None:
    bib = read(
        "a,reward,na,\nb,reward,shared,\nc,reward,process,\n", "a,reward,unknown,\nb,reward,shared,\nc,reward,na,\n"
    )
    found = between(bib, "reward", absences=how)
    assert (found.alike, found.n) == (alike, n)


def test_entries_without_a_value_from_either_reader_are_not_compared(read: Callable[..., Path]) -> None:
    found = between(read("a,reward,na,\n", "a,reward,shared,\n"), "reward", absences=Absences.LEFT_OUT)
    assert found.n == 0
    assert math.isnan(found.raw.value) and math.isnan(found.kappa.low)


def test_blind_entries_are_those_that_a_reader_coded_blind(read: Callable[..., Path]) -> None:
    bib = read(
        "a,reward,shared,\nb,reward,shared,\nc,reward,shared,no\n",
        "a,reward,shared,yes\nb,reward,shared,no\nc,reward,shared,yes\n",
    )
    assert between(bib, "reward", blind_only=True).n == 1
    (pair,) = (p for p in reading_pairs(load(bib)) if p.independent)
    assert (pair.entries, pair.blind) == (3, 1)


def test_blind_entries_may_differ_by_axis(read: Callable[..., Path]) -> None:
    bib = read(
        "a,reward,shared,\na,decision,stop: learned,\nb,decision,stop: learned,\n",
        "a,reward,shared,yes\na,decision,stop: learned,no\nb,decision,na,no\n",
    )
    (pair,) = (p for p in reading_pairs(load(bib)) if p.independent)
    assert (pair.axes, pair.blind_axes) == (("reward", "decision"), ("reward",))
    assert (pair.entries, pair.blind) == (2, 1)


@pytest.mark.parametrize(
    ("first", "axis", "blind", "message"),
    [
        ("onne", "reward", False, 'there is no coding "onne" (did you mean "one"?)'),
        ("one", "rewrd", False, 'there is no axis "rewrd" (did you mean "reward"?)'),
        ("one", "decision", False, "one and two share no entry on decision"),
        ("one", "reward", True, "one and two share no entry on reward that was read blind"),
    ],
)
def test_incomparable_readings_are_named(
    read: Callable[..., Path], first: str, axis: str, blind: bool, message: str
) -> None:
    pool = load(read("a,reward,shared,\n", "a,reward,shared,\n"))
    with pytest.raises(ValueError) as error:
        agreement(pool, first, "two", axis, blind)
    assert str(error.value) == message


def test_a_numeric_axis_is_not_compared(pool: Pool) -> None:
    with pytest.raises(ValueError, match="it is numeric"):
        agreement(pool, POOL, SECOND, "scale")


def test_the_pool_itself_is_a_reading_with_its_evidence(pool: Pool) -> None:
    own = reading(pool, POOL).of("c3")
    assert own["credit"].tags == pool["c3"].tags["credit"]
    assert own["credit"].notes["why"] == pool["c3"].why("credit")


# -------------------------------------------------------------------------- recoded


def test_a_recoded_pool_has_the_readers_tags_where_the_reader_coded_and_the_pools_elsewhere(
    read: Callable[..., Path],
) -> None:
    pool = load(read("a,reward,process,\n", "a,reward,shared,\n"))
    other = pool.recoded("one")
    assert [e.words("reward") for e in other] == [("process",), ("shared",), ("shared",)]
    assert [e.words("decision") for e in other] == [e.words("decision") for e in pool]
    assert pool["a"].words("reward") == ("shared",)
    assert [*other["a"].tags] == [axis.id for axis in pool.taxonomy.on("entry")]


def test_a_recoded_pool_counts_and_filters_by_the_readers_tags(pool: Pool) -> None:
    pool = pool.as_of(date(2026, 5, 4))
    other = pool.recoded(SECOND)
    assert len(other) == len(pool)
    assert len(other.where([("decision", "stop:learned")])) == 1
    assert other.tags.query("axis == 'credit' and primary and word == 'message'").shape[0] == 4
    assert other.where([("standing", "core")]).frame.equals(pool.where([("standing", "core")]).frame)


def test_an_unknown_coding_is_named(pool: Pool) -> None:
    with pytest.raises(ValueError, match="there is no coding"):
        pool.recoded("third-reading")


# --------------------------------------------------------------------- adjudications

HEAD = "key,axis,value,why\n"

WRONG = [
    ("not the pool's", "a,reward,process,It is so.", '2: entry a: reward: value is "process", the pool has "shared" (decide again, and change one of the two)'),
    ("no reason", "a,reward,shared, ", "2: entry a: reward: why is empty (explain in your own words why this value was preferred)"),
    ("no disagreement", "b,reward,shared,It is so.", "2: entry b: reward: no two readings differ here (delete the row)"),
    ("no such entry", "z,reward,shared,It is so.", '2: entry z: reward: there is no entry "z" (expected one of: a, b, c)'),
    ("no such axis", "a,rewards,shared,It is so.", '2: entry a: rewards: there is no axis "rewards" (did you mean "reward"?)'),
]  # fmt: skip


@pytest.mark.parametrize(("row", "problem"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_adjudication_is_a_problem_with_its_line(read: Callable[..., Path], row: str, problem: str) -> None:
    bib = read("a,reward,process,\nb,reward,shared,\n", "a,reward,shared,\n", adjudications=f"{HEAD}{row}\n")
    assert [str(p).removeprefix(f"{bib}/codings/adjudications.csv:") for p in read_pool(bib)[1]] == [problem]
    with pytest.raises(InvalidSurvey):
        load(bib)


def test_an_adjudication_is_shown_with_the_disagreement_and_is_no_coding(read: Callable[..., Path]) -> None:
    bib = read("a,reward,process,\n", "a,reward,shared,\n", adjudications=f"{HEAD}a,reward,shared,The text says so.\n")
    assert [*load(bib).codings] == ["one", "two"]
    (found,) = between(bib, "reward").disagreements
    assert found.adjudication is not None
    assert found.adjudication.why == "The text says so."
