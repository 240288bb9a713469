"""What was screened and by whom it was decided, ``screened.csv``: a row for every candidate that entered the queue.

A row without a decision waits to be read. Kept works are in the pool or among the records; all others have the
criterion that excludes them, or were passed over when no criterion was noted.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from survey.literature.pool.codings.rows import csv_rows
from survey.literature.pool.duplicates import arxiv_id
from survey.literature.pool.entries import Entry
from survey.literature.problems import Problem, expected, quoted

COLUMNS = ("id", "title", "first-seen", "route", "score", "screened", "decision", "criterion")


class Screening(StrEnum):
    """What was decided on a candidate."""

    WAITS = ""
    """Nobody has read it."""

    KEPT = "kept"
    EXCLUDED = "excluded"
    SKIPPED = "skipped"
    """It was read, and is to be read again by somebody else."""

    PASSED_OVER = "passed over"
    """It was seen among the hits of a search and not taken; by which criterion was not noted."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A candidate that entered the queue, and what was decided on it."""

    id: str
    title: str
    first_seen: date | None
    route: str
    score: float | None
    """How the ranking placed it; None if it came by another way."""

    screened: date | None
    decision: Screening
    criterion: str = ""
    line: int = 0

    @property
    def waits(self) -> bool:
        """Whether somebody has still to read it."""
        return self.decision in (Screening.WAITS, Screening.SKIPPED)


def screening_ids(works: Iterable[Entry]) -> dict[str, str]:
    """Return the keys of works by what they are called in ``screened.csv``: arXiv id, else DOI, else address."""
    found: dict[str, str] = {}
    for work in works:
        eprint, doi, url = (work.text(name) for name in ("eprint", "doi", "url"))
        arxiv = arxiv_id(eprint) or arxiv_id(url)
        names = (arxiv and f"arxiv:{arxiv}", doi and f"doi:{doi.lower()}", url)
        found |= {name: work.key for name in names if name}
    return found


def read_screened(
    path: Path, routes: Collection[str], criteria: Collection[str], works: Mapping[str, str]
) -> tuple[tuple[Screened, ...], list[Problem]]:
    """Return the rows of the file and a problem for every row that cannot be one; nothing if there is no file.

    ``criteria`` are those of exclusion; ``works`` the ids of all entries and records, with their keys.
    """
    if not os.path.lexists(path):
        return (), []
    rows, problems = csv_rows(path, COLUMNS)
    found: dict[str, Screened] = {}
    for line, row in rows:
        messages = list(_messages(row, routes, criteria, works))
        if row["id"] in found:
            messages.append(("id", f"is in line {found[row['id']].line} already"))
        problems += [Problem(str(path), line, message, row["id"], field) for field, message in messages]
        if not messages:
            found[row["id"]] = _screened(row, line)
    return tuple(found.values()), sorted(problems)


def _messages(
    row: Mapping[str, str], routes: Collection[str], criteria: Collection[str], works: Mapping[str, str]
) -> list[tuple[str, str]]:
    messages = [(name, "is empty") for name in ("id", "title", "route") if not row[name].strip()]
    decision, criterion, id = row["decision"], row["criterion"], row["id"]
    if row["route"] and row["route"] not in routes:
        messages.append(("route", f"there is no route {quoted(row['route'])} {expected(row['route'], routes)}"))
    messages += [
        (name, f"found {quoted(row[name])}, expected a day like 2026-11-23")
        for name in ("first-seen", "screened")
        if row[name] and _day(row[name]) is None
    ]
    if row["score"] and _score(row["score"]) is None:
        messages.append(("score", f"found {quoted(row['score'])}, expected a number"))
    if decision not in [*Screening]:
        return [
            *messages,
            ("decision", f"{quoted(decision)} is no decision {expected(decision, filter(None, Screening))}"),
        ]
    if bool(decision) != bool(row["screened"]):
        messages.append(("screened", "a decision has a day, and only a decision"))
    if (decision == Screening.EXCLUDED) != bool(criterion):
        messages.append(("criterion", "what is excluded has a criterion, and nothing else has"))
    if criterion and criterion not in criteria:
        messages.append(("criterion", f"there is no criterion {quoted(criterion)} {expected(criterion, criteria)}"))
    if decision == Screening.KEPT and id not in works:
        messages.append(("decision", f"{quoted(id)} was kept, and is neither an entry nor a record"))
    if decision != Screening.KEPT and id in works:
        messages.append(("decision", f"{quoted(id)} is {quoted(works[id])}, so that it was kept"))
    return messages


def _screened(row: Mapping[str, str], line: int) -> Screened:
    return Screened(
        row["id"], row["title"], _day(row["first-seen"]), row["route"], _score(row["score"]), _day(row["screened"]),
        Screening(row["decision"]), row["criterion"], line,
    )  # fmt: skip


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == len("2026-11-23") else None
    except ValueError:
        return None


def _score(text: str) -> float | None:
    try:
        return float(text) if text and abs(float(text)) < 1e6 else None
    except ValueError:
        return None
