"""Claims: every countable sentence is data, judged by every reading on every snapshot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.literature import Pool, load, read_pool
from survey.literature.claims import Judge, Judgement, ledger, question
from survey.literature.claims.tallies import matching, passes, tally
from survey.literature.claims.verdicts import Status
from survey.literature.pool import pairs
from tests.conftest import ROOT, published_data
from tests.literature.claims.growing import with_entry

CLAIM = """
[claim.one]
sentence = "One."
count = { credit = "message" }
is = 0
limit = "l"
changes = "c"
"""
THEN = date(2026, 5, 4)
"""The day of the first edition: as of it, works have the tags with which it was published."""

READINGS = """
[readings]
published = "published-2026-05-04"
second = "second-reading-2026-11"
day = 2026-05-04
"""


@pytest.fixture(scope="module")
def pool(published: Pool) -> Pool:
    """The first edition, which never changes."""
    return published.as_of(THEN)


@pytest.fixture(scope="module")
def judged(pool: Pool) -> dict[str, Judgement]:
    return {id: judgements[-1] for id, judgements in ledger(pool).items()}


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    """The data of the first edition, to be changed."""
    return published_data(tmp_path)


def numbers(judgement: Judgement) -> dict[str, int]:
    return {tally.reading: tally.number for tally in judgement.tallies}


# --------------------------------------------------------- the published numbers


def test_the_pool_reproduces_every_published_number(pool: Pool) -> None:
    assert list(Judge(pool).reproduction_problems()) == []


def test_the_central_claims_of_the_survey_and_their_strict_readings(judged: dict[str, Judgement]) -> None:
    assert numbers(judged["message-credit-sparse"]) == {"pool": 2, "strict": 1, "published": 2, "second": 4}
    assert judged["message-credit-sparse"].broad.counted == ("c3", "debate-as-reward")
    assert numbers(judged["orchestrator-credit-sparse"])["published"] == 8
    strict = next(t for t in judged["orchestrator-credit-sparse"].tallies if t.reading == "strict")
    assert set(strict.counted) == {"kimi-k2-5", "owl2025", "paramanager", "puppeteer", "wideseek-r1-2026"}
    assert judged["kimi-trained-orchestrator"].broad.counted == ("kimi-k2-5",)
    assert judged["no-benchmark-measures-all-four"].status is Status.HOLDS
    assert judged["retained"].broad.number == 84
    assert judged["excluded"].broad.number == 32


def test_stopping_is_contested_and_both_readers_are_named(judged: dict[str, Judgement]) -> None:
    stopping = judged["stopping-untrained"]
    assert stopping.status is Status.CONTESTED
    assert numbers(stopping) == {"pool": 1, "strict": 1, "published": 0, "second": 1}
    assert stopping.verdict == "contested: read differently in the published coding"
    by = {tally.reading: tally.counted for tally in stopping.tallies}
    assert by["pool"] == ("puppeteer",)
    assert by["second"] == ("learning-to-deliberate2025",)
    assert by["published"] == ()


def test_a_published_number_that_is_not_reproduced_fails_the_check(bib: Path) -> None:
    claims = (bib / "claims.toml").read_text()
    (bib / "claims.toml").write_text(claims.replace("published = 23", "published = 24"))
    line = claims[: claims.index("[claim.agent-credit-leads]")].count("\n") + 1
    problems = [str(p).removeprefix(f"{bib}/") for p in read_pool(bib)[1]]
    assert problems == [
        f"claims.toml:{line}: claim.agent-credit-leads: published is 24, but the snapshot of that day gives 23"
    ]


def test_a_departure_from_a_published_number_must_be_named(bib: Path) -> None:
    claims = (bib / "claims.toml").read_text()
    (bib / "claims.toml").write_text(re.sub(r"(?m)^dissent = .*\n", "", claims))
    (problem,) = read_pool(bib)[1]
    message = "claim.stopping-untrained: published is 0, but the count with the named dissent is 1 (puppeteer)"
    assert message in str(problem)


def test_a_published_table_must_be_reproduced_exactly(bib: Path) -> None:
    claims = (bib / "claims.toml").read_text()
    (bib / "claims.toml").write_text(claims.replace("survey = 5, framework = 3", "survey = 4, framework = 3"))
    (problem,) = read_pool(bib)[1]
    assert "table.category: counts: survey is 4, but the published coding gives 5" in str(problem)


# --------------------------------------------------------- changes over time


def stopper(bib: Path, appeared: str) -> Pool:
    return with_entry(bib, "maporl", "stopper2026", "2026-11-21", appeared, decision="stop: learned")


def test_a_claim_that_newer_works_overturn_gives_date_and_cause(bib: Path) -> None:
    pool = stopper(bib, "2026-07-01")
    then, now = ledger(pool)["stopping-untrained"]
    assert then.status is Status.CONTESTED
    assert now.status is Status.OVERTURNED
    assert now.verdict == "no longer holds since 2026-07-01 because of stopper2026"
    assert numbers(now)["published"] == 0, "it speaks of the works that it read"
    assert Judge(pool).judged(pool.claims["stopping-untrained"], date(2026, 5, 4)) == then


def test_a_claim_that_was_true_only_of_what_was_known_says_what_was_missed(bib: Path) -> None:
    now = ledger(stopper(bib, "2026-02-01"))["stopping-untrained"][-1]
    assert now.status is Status.MISSED
    assert now.verdict == "did not hold even then: what had appeared by 2026-05-04 was not all known (stopper2026)"


@pytest.mark.parametrize(
    ("appeared", "status"),
    [("2026-05", Status.OVERTURNED), ("2026-04", Status.MISSED), ("2026", Status.OVERTURNED)],
)
def test_a_work_of_which_only_the_month_is_known_counts_when_the_month_is_over(
    bib: Path, appeared: str, status: Status
) -> None:
    assert ledger(stopper(bib, appeared))["stopping-untrained"][-1].status is status


def test_what_fell_although_one_reader_never_saw_it_was_read_differently(pool: Pool) -> None:
    hybrid = ledger(load(ROOT / "bib").as_of(date(2026, 11, 21)))["hybrid-reward-leads"]
    assert [judgement.status for judgement in hybrid] == [Status.CONTESTED, Status.CONTESTED]
    assert hybrid[-1].differing == ("second",)
    assert not hybrid[-1].broad.holds
    assert "read differently in the second reading" in hybrid[-1].verdict


def test_newer_entries_do_not_affect_a_claim_on_the_published_snapshot(bib: Path) -> None:
    pool = with_entry(bib, "maporl", "later2026", "2026-11-21")
    now = ledger(pool)["retained"][-1]
    assert (now.status, now.day, now.broad.number) == (Status.HOLDS, date(2026, 5, 4), 84)


def test_an_overturned_claim_does_not_fail_the_check(bib: Path) -> None:
    with_entry(bib, "maporl", "stopper2026", "2026-11-21", decision="stop: learned")
    assert read_pool(bib)[1] == ()


def test_a_survey_with_one_coder_has_claims_that_hold_as_read_once(bib: Path) -> None:
    (bib / "claims.toml").write_text(CLAIM.replace("is = 0", "at-most = 5"))
    pool = load(bib)
    judged = Judge(pool).judged(pool.claims["one"])
    assert (judged.status, [t.reading for t in judged.tallies]) == (Status.ONCE, ["pool"])


# ----------------------------------------------------------------- the statuses


def status(pool: Pool, text: str, bib: Path) -> Judgement:
    (bib / "claims.toml").write_text(READINGS + text)
    pool = load(bib).as_of(THEN)
    return Judge(pool).judged(pool.claims["one"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CLAIM.replace("is = 0", "at-most = 5"), Status.HOLDS),
        (CLAIM.replace('credit = "message"', 'read = "abstract"').replace("is = 0", "at-least = 1"), Status.ONCE),
        (CLAIM.replace("is = 0", "at-most = 2\nprimary = true"), Status.CONTESTED),
        (CLAIM.replace("is = 0", 'at-least = 2\nstrict = { credit-counterfactual = "yes" }'), Status.BROADLY),
        (CLAIM.replace("is = 0", "at-least = 80"), Status.FAILS),
        (CLAIM.replace("is = 0", 'more-than = { credit = "agent" }'), Status.FAILS),
        (CLAIM.replace('{ credit = "message" }', '{ credit = "agent" }').replace("is = 0", 'leads = "credit"\nprimary = true'), Status.HOLDS),
        (CLAIM.replace('is = 0', 'share-at-least = 0.5\nof = { reward = "tool", credit = "token", category = "survey" }'), Status.UNMEASURABLE),
    ],
)  # fmt: skip
def test_every_status_occurs(bib: Path, pool: Pool, text: str, expected: Status) -> None:
    assert status(pool, text, bib).status is expected


def test_a_reading_is_counted_on_the_works_that_it_read_and_on_no_others() -> None:
    pool = load(ROOT / "bib")
    for judgement in (judgements[-1] for judgements in ledger(pool).values()):
        for told in judgement.tallies:
            if told.reading in ("published", "second") and pool.claims.readings:
                coding = pool.codings[getattr(pool.claims.readings, told.reading)]
                read = {j.key for j in coding.judgements}
                assert set(told.counted) | set(told.against) <= read or told.number == judgement.claim.published
                assert told.of <= len(read) or judgement.claim.snapshot or judgement.claim.largest


def test_codings_that_differ_on_the_same_works_contest_a_claim_however_many_others_there_are(bib: Path) -> None:
    text = CLAIM.replace("is = 0", "at-most = 2\nprimary = true")
    assert status(load(bib), text, bib).status is Status.CONTESTED
    for number in range(3):
        pool = with_entry(bib, "maporl", f"more{number}", "2026-11-21", credit_grain="run")
    judged = Judge(pool).judged(pool.claims["one"])
    assert (judged.status, judged.differing) == (Status.CONTESTED, ("second",))
    assert [(t.of, t.works) for t in judged.tallies if t.reading == "second"] == [(84, 87)]


def test_a_largest_number_that_nobody_discloses_cannot_be_measured(bib: Path) -> None:
    text = CLAIM.replace('credit = "message"', 'category = "survey"').replace(
        "is = 0", 'largest = "steps"\nat-most = 9'
    )
    assert status(load(bib), text, bib).status is Status.UNMEASURABLE


def test_the_works_behind_a_share_that_fell_are_those_that_do_not_count(bib: Path) -> None:
    before = [entry.primary("credit") for entry in load(bib)]
    share = f"{before.count('agent')}/{len(before)}"
    text = CLAIM.replace('credit = "message"', 'credit = "agent"').replace(
        "is = 0", f'share-at-least = "{share}"\nprimary = true'
    )
    (bib / "claims.toml").write_text(text)
    pool = with_entry(bib, "maporl", "against2026", "2026-11-21", "2026-08-01", credit_grain="turn")
    now = Judge(pool).judged(pool.claims["one"])
    assert (now.status, now.because) == (Status.OVERTURNED, ("against2026",))


def test_a_strict_order_is_held_against_what_is_as_strict() -> None:
    pool = load(ROOT / "bib")
    claim = msgspec.structs.replace(pool.claims["agent-credit-leads"], strict={"credit-explicit": "yes"})
    strict = tally(pool, claim, "strict", claim.strict)
    explicit = [e.primary("credit") for e in pool if "yes" in e.words("credit-explicit")]
    others = Counter(unit for unit in explicit if unit not in ("agent", "na", "none", "unknown"))
    assert (strict.number, len(strict.against)) == (explicit.count("agent"), max(others.values()))


@pytest.mark.parametrize(
    ("test", "number", "of", "holds"),
    [
        ('share-at-most = "1/3"', 28, 84, True), ('share-at-most = "1/3"', 34, 100, False),
        ("share-at-most = 0.1", 3, 30, True), ("share-above = 0.5", 42, 84, False), ("share-above = 0.5", 43, 84, True),
        ("share-below = 0.5", 42, 84, False), ('share-at-least = "1/3"', 28, 84, True),
    ],
)  # fmt: skip
def test_a_share_is_compared_exactly(bib: Path, test: str, number: int, of: int, holds: bool) -> None:
    (bib / "claims.toml").write_text(CLAIM.replace("is = 0", test))
    assert passes(load(bib).claims["one"], number, of, 0) is holds


def test_the_population_can_leave_out_what_the_axis_does_not_apply_to(bib: Path, pool: Pool) -> None:
    text = CLAIM.replace("is = 0", "share-at-most = 0.1\nprimary = true\napplicable = true")
    applies = sum(entry.primary("credit") != "na" for entry in pool)
    assert status(pool, text, bib).broad.of == applies < len(pool)


# ------------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CLAIM.replace("sentence", "sentense"), 'claim.one: "sentense" is not a key (did you mean "sentence"?)'),
        (CLAIM.replace("is = 0\n", ""), "claim.one: has none, expected exactly one of is, at-least"),
        (CLAIM.replace("is = 0", "is = 0\nat-most = 1"), "claim.one: has is, at-most, expected exactly one of"),
        (CLAIM.replace("is = 0", 'is = "0"'), "claim.one: expected `int`, got `str`"),
        (CLAIM.replace("is = 0", "at-least = 0"), "claim.one: at-least = 0 cannot fail (expected a test that some data would fail)"),
        (CLAIM.replace("is = 0", 'share-at-most = "7/7"'), "claim.one: share-at-most = 1 cannot fail"),
        (CLAIM.replace("is = 0", "is = 0\napplicable = true"), "claim.one: applicable: the test is is (expected the test of a share)"),
        (CLAIM.replace("is = 0", 'share-at-most = "4/3"'), "claim.one: share-at-most: found 4/3, expected a share from 0 to 1"),
        (CLAIM.replace("is = 0", 'share-at-most = "a third"'), "claim.one: expected `str` matching regex"),
        (CLAIM.replace("is = 0", "is = -1"), "claim.one: expected `int` >= 0 - at `$.is`"),
        (CLAIM.replace("is = 0", "share-at-most = 30"), "claim.one: expected `float` <= 1.0 - at `$.share-at-most`"),
        (CLAIM.replace("is = 0", "share-at-most = nan"), "claim.one: expected `float` >= 0.0 - at `$.share-at-most`"),
        (CLAIM.replace("credit", "credits"), 'claim.one: count: there is no axis "credits" (did you mean "credit"?)'),
        (CLAIM.replace('"message"', '"mesage"'), 'claim.one: count: "mesage" is not a value of credit (did you mean "message"?)'),
        (CLAIM.replace('"message"', '"message: learned"'), 'claim.one: count: "learned" does not say how'),
        (CLAIM.replace('"message" }', '"message", stage = "abstract-screen" }'), "claim.one: count: mixes axes of entries with axes of excluded records"),
        (CLAIM.replace('"c"', '" "'), "claim.one: changes is empty"),
        (CLAIM.replace("is = 0", "is = 0\nlargest = 'agent'"), 'claim.one: largest: "agent" is not a quantity (did you mean "agents"?)'),
        (CLAIM.replace("is = 0", "leads = 'reward'"), "claim.one: leads: count has no value of reward (expected the value that should lead)"),
        (CLAIM.replace("is = 0", "is = 0\ndissent = { c33 = 'x', c3 = ' ' }"), 'claim.one: dissent: there is no entry "c33"'),
        (CLAIM.replace("claim.one", "claim.One"), "claim.One: is not an id"),
        ("[claims.one]\n", '"claims" is not a table of this file (did you mean "claim"?)'),
        ("[readings]\npublished = 'x'\nsecond = 'second-reading-2026-11'\nday = 2026-05-04\n", 'readings: there is no coding "x"'),
        ("[readings]\nnames = { secnd = 'x' }\n", 'readings: names: there is no reading "secnd" (did you mean "second"?)'),
        ("[readings]\npublished = 'x'\nsecond = 'x'\nday = 7.5\n", "readings: expected `date`, got `float` - at `$.day`"),
        ("claim = 3\n", "claim: found something else, expected tables like [claim.SOME-NAME]"),
        ("[table.t]\naxis = 'credit'\ntitle = 'T'\ncounts = { agents = 3 }\n", 'table.t: counts: "agents" is not a value of credit (did you mean "agent"?)'),
        ("[claim.one", "not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_claim_is_a_problem_with_its_line(bib: Path, text: str, message: str) -> None:
    (bib / "claims.toml").write_text(text)
    problems = [str(p) for p in read_pool(bib)[1]]
    assert any(message in problem for problem in problems), problems
    assert all(re.match(rf"{re.escape(str(bib))}/claims\.toml:\d+: ", problem) for problem in problems)


# -------------------------------------------------------------------- counting


@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, 1000), places=st.sets(st.integers(0, 83)))
def test_strict_is_a_subset_of_broad_and_counts_grow_with_entries(pool: Pool, number: int, places: set[int]) -> None:
    claim = pool.claims.claims[number % len(pool.claims)]
    some = pool.keep(pool.entries[place].key for place in places)
    broad = {e.key for e in matching(pool, claim.count, claim.primary)}
    assert {e.key for e in matching(some, claim.count, claim.primary)} <= broad
    if claim.strict:
        assert {e.key for e in matching(pool.where(pairs(claim.count), claim.primary), claim.strict)} <= broad


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_entries_changes_no_judgement(pool: Pool, random: st.DataObject) -> None:
    keys = [e.key for e in pool]
    random.shuffle(keys)  # type: ignore[attr-defined]
    mixed = ledger(pool.keep(keys))
    for id, judgements in ledger(pool).items():
        assert [j.status for j in mixed[id]] == [j.status for j in judgements]
        assert [numbers(j) for j in mixed[id]] == [numbers(j) for j in judgements]


def test_a_question_states_the_count_and_the_expectation(pool: Pool) -> None:
    asked = {claim.id: question(claim, pool.taxonomy) for claim in pool.claims}
    assert asked["stopping-untrained"] == "entries with orchestration decision: stop (learned); exactly 0"
    assert asked["task-success-measured"] == (
        "entries with what a benchmark measures: task success; more than 50 % of entries with category: Benchmark"
    )
    assert (
        asked["scale-methods-agents"]
        == "the largest number of agents among entries with category: RL method; at most 100"
    )
    assert asked["aggregation-designed"].endswith("more than entries with orchestration decision: aggregate (learned)")


# ----------------------------------------------------- figures that the prose speaks of

FIGURE = re.compile(r"\b(count|share|largest)\(((?:[^()]|\([^()]*\))*)\)")


def figures() -> list[tuple[str, str, frozenset[tuple[str, str]]]]:
    """Every figure of a chapter: page, function, filters."""
    found = []
    for path in [*sorted((ROOT / "docs" / "read").glob("*.md")), ROOT / "docs" / "index.md"]:
        for function, arguments in FIGURE.findall(path.read_text()):
            filters = re.findall(r'"([^"=]+)=([^"]+)"', arguments)
            if filters:
                found.append((path.relative_to(ROOT / "docs").as_posix(), function, frozenset(filters)))
    return found


def resolved(pool: Pool, filters: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Return filters with codes and families resolved to values, so that O5 and stop are the same."""
    out = set()
    for axis, value in filters:
        name, _, how = (part.strip() for part in value.partition(":"))
        words = ",".join(sorted(pool.taxonomy[axis].resolve(name)))
        out.add((axis, f"{words}:{how}" if how else words))
    return frozenset(out)


def test_every_figure_of_a_chapter_belongs_to_a_claim_or_a_published_table(pool: Pool) -> None:
    tables = {(table.axis, resolved(pool, frozenset(pairs(table.within)))) for table in pool.claims.tables}
    claimed = {resolved(pool, frozenset([*pairs(c.count), *pairs(c.of)])) for c in pool.claims}
    claimed |= {resolved(pool, frozenset([*pairs(c.count), *pairs(c.of), *pairs(c.strict)])) for c in pool.claims}
    claimed |= {resolved(pool, frozenset(pairs(c.more_than or {}))) for c in pool.claims}
    loose = [
        (page, function, sorted(filters))
        for page, function, filters in figures()
        if resolved(pool, filters) not in claimed
        and not any((axis, resolved(pool, filters - {(axis, value)})) in tables for axis, value in filters)
    ]
    assert loose == []


def test_a_claim_is_listed_on_the_pages_that_discuss_it(pool: Pool) -> None:
    for claim in pool.claims:
        assert claim.source in ("survey", "ours"), claim.id
        assert all((ROOT / "docs" / chapter).is_file() for chapter in claim.chapters), claim.id


def test_without_the_file_there_are_no_claims(folder: Callable[..., Path]) -> None:
    assert len(load(folder()).claims) == 0


def test_many_causes_are_abbreviated_and_none_was_known(published: Pool) -> None:
    pool = load(ROOT / "bib").as_of(date(2026, 11, 21))
    judged = ledger(pool)["agent-credit-leads"][-1]
    assert judged.status is Status.MISSED
    assert len(judged.because) > 3
    first = ", ".join(judged.because[:3])
    assert judged.verdict.endswith(f"({first} and {len(judged.because) - 3} more)")
    assert all(pool[key].appeared <= "2026-05-04" for key in judged.because)
    assert not any(key in published for key in judged.because), "who spoke against it before did not overturn it"


@pytest.mark.parametrize("id", ["hybrid-reward-leads", "agent-credit-leads"])
def test_a_claim_that_falls_on_the_works_of_an_edition_read_anew_is_contested(id: str) -> None:
    real = load(ROOT / "bib")
    claim = real.claims[id]
    ((axis, value),) = claim.count.items()
    then = {entry.key for entry in real.as_of(THEN)}
    published, today = (
        Counter(
            entry.primary(axis)
            for entry in some
            if entry.key in then and entry.primary(axis) in real.taxonomy[axis].values
        )
        for some in (real.as_of(THEN), real)
    )
    assert published.most_common(1)[0][0] == value, "it held on these works as they were tagged then"
    assert today.most_common(1)[0][0] != value, "and does not as they are tagged today"
    found = Judge(real).judged(claim)
    assert (found.status, found.reread, found.held) == (Status.CONTESTED, True, THEN)
    assert found.verdict == f"contested: the works of {THEN} are read differently since"
