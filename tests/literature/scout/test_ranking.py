"""The ranking, and how well it finds works, held against counts that share no code with it."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from survey.literature.pool import Floor
from survey.literature.scout import Candidate, evaluate
from survey.literature.scout.evaluating import work_saved
from survey.literature.scout.ranking import Ranker, above_floor, pattern_of

FLOOR = Floor((("team*", "multi-agent*"), ("language model*",)))
BEGIN = date(2026, 1, 5)
"""A Monday."""


def work(number: int, week: int, abstract: str) -> Candidate:
    day = BEGIN + timedelta(weeks=week)
    return Candidate(title=f"Work {number}", abstract=abstract, arxiv=f"2601.{number:05}", announced=day)


def listing(weeks: int, alike: bool) -> tuple[list[Candidate], set[str]]:
    """Two works a week that came in among thirty that did not; alike in words, or with words of their own."""
    draw, works, kept = random.Random(4), [], set()
    common = [f"word{n}" for n in range(80)]
    for week in range(weeks):
        for place in range(32):
            came = place < 2
            own = [] if alike or not came else ["credit", "orchestrator", "delegates"]
            words = " ".join([*draw.sample(common, 12), *own])
            one = work(week * 32 + place, week, f"A team of language models: {words}.")
            works.append(one)
            kept |= {one.id} if came else set()
    draw.shuffle(works)
    return works, kept


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["multi-agent*"], "Multiagent systems", True),
        (["multi-agent*"], "multi agents talk", True),
        (["team*"], "a steam engine", False),
        (["llm*"], "VLLMs", False),
        (["c++"], "in c++ code", False),
    ],
)
def test_a_word_of_the_floor_is_a_whole_word_with_any_ending_for_a_star(
    words: list[str], text: str, found: bool
) -> None:
    assert bool(pattern_of(words).search(text)) is found


def test_a_candidate_passes_the_floor_with_a_word_of_every_group() -> None:
    passing = work(1, 0, "Teams of language models")
    assert above_floor([passing, work(2, 0, "Teams of people"), work(3, 0, "One language model")], FLOOR) == [passing]


def test_works_that_tell_themselves_apart_are_all_found_by_a_reader_of_twenty_a_week() -> None:
    works, kept = listing(20, alike=False)
    found = evaluate(works, kept, FLOOR, date(2026, 11, 23), "invented")
    assert found.came == sum(month.came for month in found.months) > 20
    assert found.found(20) == found.found(50) == found.came
    assert found.work_saved is not None and found.work_saved > 0.8


def test_works_that_nothing_tells_apart_are_found_as_often_as_by_chance() -> None:
    works, kept = listing(40, alike=True)
    found = evaluate(works, kept, FLOOR, date(2026, 11, 23), "invented")
    assert found.found(20) / found.came == pytest.approx(20 / 32, abs=0.2)
    assert found.found(50) == found.came, "a week has no more than 32 works"


def test_works_below_the_floor_came_in_and_are_not_found() -> None:
    works, kept = listing(20, alike=False)
    below = work(99_999, 15, "Nothing of the kind")
    found = evaluate([*works, below], kept | {below.id}, FLOOR, date(2026, 11, 23), "invented")
    assert found.found(100) == found.came - 1


def test_nothing_of_a_month_or_after_it_teaches_the_ranker() -> None:
    """The months before a day come out alike, whatever follows."""
    works, kept = listing(20, alike=False)
    early = [one for one in works if one.announced and one.announced < BEGIN + timedelta(weeks=12)]
    whole = {month.month: month.read for month in evaluate(works, kept, FLOOR, BEGIN, "all").months}
    part = {month.month: month.read for month in evaluate(early, kept, FLOOR, BEGIN, "early").months}
    shared = sorted(part)[:-1]  # the last month of the part may be cut
    assert shared and all(whole[month] == part[month] for month in shared)


def test_the_order_of_a_listing_changes_nothing() -> None:
    works, kept = listing(12, alike=True)
    one = evaluate(works, kept, FLOOR, BEGIN, "x")
    assert evaluate(works[::-1], kept, FLOOR, BEGIN, "x") == one


def test_too_little_history_is_refused_with_the_number_that_is_needed() -> None:
    with pytest.raises(ValueError, match="no month of the listing has 8 kept works before it"):
        evaluate(listing(3, alike=False)[0], set(), FLOOR, BEGIN, "x")
    ranker = Ranker(["team one", "team two", "team three"])
    with pytest.raises(ValueError, match="1 work kept and 1 not kept"):
        ranker.scores(ranker.rows[:1], ranker.rows[1:2])


def test_the_work_saved_is_that_of_its_definition() -> None:
    """Counted from a list of works: those unread when 95 % are found, less what a random order would leave."""
    draw = random.Random(7)
    for _ in range(50):
        works = draw.randrange(20, 400)
        hits = [draw.random() < 0.2 for _ in range(works)]
        relevant = sum(hits)
        if not relevant:
            continue
        enough = next(n for n in range(1, works + 1) if sum(hits[:n]) >= 0.95 * relevant - 1e-9)
        assert work_saved(hits, relevant, works) == pytest.approx((works - enough) / works - 0.05)
