"""How well the ranking finds what later came in, tried on our own history.

Each month is ranked by what had appeared before it and was kept, as if that had been decided when it appeared. What a
reader of so many a week would have seen is then counted. Nothing of the month, or after it, teaches the ranker.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.literature.pool import BUDGETS, Evaluation, Floor, Month
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.ranking import FEWEST, MOST_UNREAD, SEED, Ranker, above_floor, text_of
from survey.plurals import plural

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

RECALL = 0.95
"""The recall at which work saved is measured."""


def evaluate(
    listing: Sequence[Candidate], kept: Collection[str], floor: Floor, today: date, name: str, seed: int = SEED
) -> Evaluation:
    """Return how many works that came in a reader would have seen, month by month.

    ``kept`` are the ids of works that came in; ``name`` says what the listing is. A week belongs to the month of its
    Monday. Months before which too little had been kept are left out.

    Raises:
        ValueError: if no month is left.

    """
    dated = [candidate for candidate in listing if candidate.first_seen]
    ranked = sorted(above_floor(dated, floor), key=lambda candidate: (candidate.first_seen, candidate.id))
    if not ranked:
        raise ValueError(f"none of {plural(len(listing), 'work')} has a day and passes the floor")
    weeks = np.array([_monday(candidate) for candidate in ranked])
    came = np.array([candidate.id in kept for candidate in ranked])
    ranker = Ranker([text_of(candidate) for candidate in ranked])
    draw = np.random.default_rng(seed)
    listed = Counter(_monday(candidate) for candidate in dated)
    arrived = Counter(_monday(candidate) for candidate in dated if candidate.id in kept)
    months, saved = [], []
    for month, mondays in _months(listed).items():
        before, here = weeks < mondays[0], np.isin(weeks, np.array(mondays))
        if came[before].sum() < FEWEST or (before & ~came).sum() < FEWEST:
            continue
        scores = _scores(ranker, before, came, draw)
        seen, all_that_came = (sum(of[week] for week in mondays) for of in (listed, arrived))
        read = tuple(sum(_found(scores, came, weeks == week, budget) for week in mondays) for budget in BUDGETS)
        months.append(Month(month, seen, all_that_came, read))
        if all_that_came:
            saved.append(work_saved(came[here][np.argsort(-scores[here], kind="stable")], all_that_came, seen))
    if not months:
        raise ValueError(f"no month of the listing has {FEWEST} kept works before it")
    return Evaluation(today, name, sum(saved) / len(saved) if saved else None, tuple(months))


def work_saved(hits: Iterable[bool], relevant: int, works: int, recall: float = RECALL) -> float:
    """Return the work saved over sampling: the share that need not be read, less what reading at random would save.

    ``hits`` says for each work in the order of reading whether it is relevant. Works that are not among them are read
    last. (Cohen and others, 2006: WSS = (TN + FN) / N - (1 - recall).)

    >>> round(work_saved([True, False, True], 2, 100), 3)
    0.92
    >>> round(work_saved([True, False], 2, 100), 3)  # the other one is found at the very end
    -0.05
    """
    needed, found, read = ceil(recall * relevant), 0, works
    for place, hit in enumerate(hits, 1):
        found += bool(hit)
        if found >= needed:
            read = place
            break
    return (works - read) / works - (1 - recall)


def _scores(ranker: Ranker, before: Any, came: Any, draw: Any) -> Any:
    kept, unread = np.flatnonzero(before & came), np.flatnonzero(before & ~came)
    left = draw.choice(unread, min(len(unread), MOST_UNREAD), replace=False)
    return ranker.scores(ranker.rows[kept], ranker.rows[left])


def _found(scores: Any, came: Any, week: Any, budget: int) -> int:
    """Return how many works that came in are among the first of a week."""
    places = np.flatnonzero(week)
    first = places[np.argsort(-scores[places], kind="stable")[:budget]]
    return int(came[first].sum())


def _monday(candidate: Candidate) -> date:
    day = candidate.first_seen or date.min
    return day - timedelta(days=day.weekday())


def _months(mondays: Iterable[date]) -> dict[str, list[date]]:
    found: defaultdict[str, list[date]] = defaultdict(list)
    for monday in sorted(mondays):
        found[f"{monday:%Y-%m}"].append(monday)
    return dict(found)
