"""The queue: which candidates are new, ranked by what was decided so far, and written into ``screened.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from survey.atomic import write_atomically
from survey.escaping import csv_text
from survey.extras import lazy
from survey.literature.pool import SCREENED_COLUMNS, Pool, Screened, Screening, screening_ids, title_words
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.ranking import FEWEST_UNREAD, MOST_UNREAD, SEED, Ranker, above_floor, text_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

RESEMBLING = 3
"""How many entries of the pool are named beside a candidate, since they resemble it most."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A candidate with its score."""

    candidate: Candidate
    score: float


def unknown_to(pool: Pool, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that are neither works of the pool nor in the queue, and are not withdrawn."""
    works = [*pool.entries, *pool.records]
    ids = {*screening_ids(works), *(row.id for row in pool.screened)}
    titles = {"".join(title_words(work.title)) for work in works}
    titles |= {"".join(title_words(row.title)) for row in pool.screened}

    def known(candidate: Candidate) -> bool:
        names = (candidate.id, f"doi:{candidate.doi.lower()}", *candidate.links)
        return any(name in ids for name in names) or candidate.letters in titles

    return [candidate for candidate in candidates if not candidate.withdrawn and not known(candidate)]


def ranked(pool: Pool, listing: Sequence[Candidate]) -> list[Queued]:
    """Return the candidates of a listing that are new and pass the floor, best first.

    What was kept is the pool. What was left out are the excluded records, what the queue excluded and, of a long
    listing, a sample of candidates that nobody has read.

    Raises:
        ValueError: if too little was kept or left out to learn from.

    """
    passing = above_floor(listing, pool.scouting.floor)
    new = unknown_to(pool, passing)
    if not new:
        return []
    texts = {candidate.id: text_of(candidate) for candidate in listing}
    kept = [_text(entry.title, screening_ids([entry]), texts) for entry in pool.entries]
    left = [
        *(_text(one.title, screening_ids([one]), texts) for one in pool.records if not pool.protocol.waits(one)),
        *(_text(row.title, [row.id], texts) for row in pool.screened if row.decision == Screening.EXCLUDED),
    ]
    unread = [text_of(candidate) for candidate in new]
    ranker = Ranker([*kept, *left, *unread])
    rows, first = ranker.rows, len(kept) + len(left)
    draw = np.random.default_rng(SEED)
    halves = np.array_split(draw.permutation(len(unread)), 2)
    teaching = MOST_UNREAD if len(unread) >= FEWEST_UNREAD else 0
    scores = np.empty(len(unread))
    for mine, other in (halves, halves[::-1]):  # a candidate must not teach the ranker that it is to be left out
        left_out = np.concatenate([np.arange(len(kept), first), other[:teaching] + first])
        scores[mine] = ranker.scores(rows[: len(kept)], rows[left_out])[first:][mine]
    order = np.argsort(-scores, kind="stable")
    return [Queued(new[place], float(scores[place])) for place in order]


def resembling(pool: Pool, candidate: Candidate) -> tuple[str, ...]:
    """Return the keys of the entries whose title and summary resemble a candidate most."""
    texts = [f"{entry.title}. {entry.text('summary')}" for entry in pool.entries]
    ranker = Ranker([*texts, text_of(candidate)])
    likeness: Any = (ranker.rows[:-1] @ ranker.rows[-1].T).toarray().ravel()
    order = np.argsort(-likeness, kind="stable")[:RESEMBLING]
    return tuple(pool.entries[place].key for place in order if likeness[place] > 0)


def _text(title: str, ids: Iterable[str], texts: Mapping[str, str]) -> str:
    """Return what a listing says of a work, or its title: words of ours would tell the kept from the others."""
    return next((texts[name] for name in ids if name in texts), f"{title}. {title}.")


def waiting_row(queued: Queued, route: str) -> Screened:
    """Return the row of a candidate that waits to be read."""
    candidate = queued.candidate
    return Screened(
        candidate.id, candidate.title, candidate.first_seen, route, round(queued.score, 3), None, Screening.WAITS
    )


def write_screened(path: Path, rows: Iterable[Screened]) -> None:
    """Write the queue with its decisions: what was decided in the order of the days, then what waits, best first."""
    ordered = sorted(rows, key=lambda row: (row.screened or date.max, -(row.score or 0.0), row.id))
    lines = [
        (row.id, row.title, row.first_seen or "", row.route, "" if row.score is None else row.score,
         row.screened or "", str(row.decision), row.criterion)
        for row in ordered
    ]  # fmt: skip
    write_atomically(path, csv_text(SCREENED_COLUMNS, *lines).encode())
