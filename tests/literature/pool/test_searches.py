"""The search log: queries, totals, and problems of a log."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from survey.literature import Pool
from survey.literature.pool import read_searches

LOG = """
[family.credit]
label = "Credit"

[[search]]
date = 2026-11-21
source = "a listing"
family = "credit"
query = 'credit|blame'
hits = 12
screened = 5
kept = 2

[[search]]
date = 2026-12-01
source = "another"
family = "credit"
query = "shapley"
hits = 3
screened = 3
kept = 0
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "searches.toml"


def test_totals_by_family_and_day(path: Path) -> None:
    path.write_text(LOG)
    log, problems = read_searches(path)
    assert problems == []
    assert (len(log), log.totals) == (2, (15, 8, 2))
    assert log.until(date(2026, 11, 30)).totals == (12, 5, 2)
    assert log.of("credit").totals == log.totals
    assert log.of("other").totals == (0, 0, 0)


def test_no_file_is_an_empty_log(path: Path) -> None:
    log, problems = read_searches(path)
    assert (len(log), log.totals, problems) == (0, (0, 0, 0), [])


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    [
        ('family = "credit"', 'family = "credits"', '"credits" is not known here (did you mean "credit"?)'),
        ("hits = 12", 'hits = "12"', 'found "12", expected a whole number'),
        ("hits = 12", "hits = -1", "expected a whole number"),
        ("kept = 2", "kept = 6", "12 hits, 5 screened, 6 kept"),
        ("screened = 5", "screened = 13", "13 screened"),
        ("date = 2026-11-21", 'date = "today"', 'found "today", expected a date like 2026-11-21'),
        ('source = "a listing"', 'source = ""', "is missing"),
        ("query =", "qurey =", '"qurey" is not known here (did you mean "query"?)'),
    ],
)
def test_a_mistake_is_reported_with_its_line(path: Path, said: str, instead: str, message: str) -> None:
    path.write_text(LOG.replace(said, instead, 1))
    problems = [str(problem) for problem in read_searches(path)[1]]
    assert any(message in problem and problem.startswith(f"{path}:5: ") for problem in problems), problems


def test_the_search_log_covers_every_family_and_keeps_no_more_than_the_pool_holds(pool: Pool) -> None:
    log = pool.searches
    assert len(log.families) == 7
    assert all(len(log.of(family)) for family in log.families)
    for day in {search.day for search in log.searches}:
        came = sum(entry.text("added") == day.isoformat() for entry in pool)
        assert log.until(day).totals[2] <= came
