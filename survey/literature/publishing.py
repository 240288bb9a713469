"""Publishing editions: adding one, keeping it as published after an edit, and correcting it with an erratum.

Each function returns the files to write, by path, and leaves the writing to its caller. None in place of a text means
that the file is not needed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

from survey.literature.bibtex import read_bibtex
from survey.literature.loading import EDITIONS, EXCLUDED, KEYS, POOL, load
from survey.literature.pool import Works, read_editions
from survey.literature.pool.editions import (
    FOLDER,
    Edition,
    Erratum,
    fingerprint,
    formatted_rows,
    formatted_sums,
    published_works,
    rows_between,
    with_data,
    with_edition,
    with_erratum,
    works_by_date,
)
from survey.literature.problems import InvalidSurvey

Files = dict[Path, str | None]


def works_of(folder: Path) -> Works:
    """Return the entries and records in a folder as they are written.

    Raises:
        InvalidSurvey: if a file has syntax problems.

    """
    documents = {name: read_bibtex(folder / name) for name in (POOL, EXCLUDED) if os.path.lexists(folder / name)}
    if problems := [problem for document in documents.values() for problem in document.problems]:
        raise InvalidSurvey(problems)
    return Works(*(documents[name].blocks if name in documents else () for name in (POOL, EXCLUDED)))


def editions_of(folder: Path) -> dict[date, Edition]:
    """Return the editions of a folder. Raises ``InvalidSurvey`` if they cannot be read."""
    editions, problems = read_editions(folder / EDITIONS)
    if problems:
        raise InvalidSurvey(problems)
    return editions


def edition_in_copy(folder: Path, edition: Edition) -> Works | None:
    """Return the works of an edition in an older copy of the data; None if that copy does not reproduce it."""
    try:
        works, there = works_of(folder), editions_of(folder).get(edition.day)
    except InvalidSurvey:
        return None
    then = published_works(works, there) if there else works_by_date(works, edition.day.isoformat())
    return then if fingerprint(then) == edition.data else None


def reproduced(works: Works, edition: Edition) -> bool:
    """Return whether the data gives an edition as it was published."""
    return fingerprint(published_works(works, edition)) == edition.data


def kept(folder: Path, edition: Edition, then: Works, today: date) -> Files:
    """Return the files that keep an edition as published: what was changed since, and the checksums."""
    rows = rows_between(then, works_of(folder), edition, today)
    sums = folder / FOLDER / f"{edition.day}.sums"
    return {folder / FOLDER / f"{edition.day}.csv": formatted_rows(rows) if rows else None, sums: formatted_sums(then)}


def published(folder: Path, day: date, title: str, note: str = "") -> Files:
    """Return the files that publish the pool of a day as an edition. Its title may be in the file already.

    Raises:
        ValueError: if there is such an edition, or a later one, or no title, or nobody can tell what is in it.
        InvalidSurvey: if the data has problems.

    """
    pool = load(folder)
    editions = pool.editions
    text = _text(folder / EDITIONS)
    if day in editions and editions[day].data:
        raise ValueError(f"the edition of {day} is published already")
    if later := [other for other, edition in editions.items() if edition.data and other > day]:
        raise ValueError(f"the edition of {max(later)} is published already, and editions are published in order")
    if day not in editions:
        if not title.strip():
            raise ValueError("a new edition needs a title (--title)")
        text = with_edition(text, day, title, note)
    if undated := [entry.key for entry in pool if entry.known]:
        more = f", and so for {len(undated) - 1} more" if len(undated) > 1 else ""
        raise ValueError(
            f"{undated[0]} appears after today and does not say when it was added, so nobody could tell later whether "
            f"the edition has it (expected added = {{{day}}}, or a later day{more})"
        )
    works = works_by_date(works_of(folder), day.isoformat())
    return {
        folder / EDITIONS: with_data(text, day, fingerprint(works)),
        folder / FOLDER / f"{day}.sums": formatted_sums(works),
        folder / KEYS: _with_keys(_text(folder / KEYS), [work.key for work in works]),
    }


def corrected(
    folder: Path, edition: Edition, keys: Collection[str], fields: Collection[str], reason: str, today: date
) -> Files:
    """Return the files that correct works of an edition: what they are today is what the edition has from now on.

    Raises:
        ValueError: if the edition is not as published, or there is nothing to correct in a work.

    """
    works, day = works_of(folder), edition.day
    if not reproduced(works, edition):
        raise ValueError(f"first record what the edition of {day} published: survey edition keep")
    for key in keys:
        dropped = edition.rows.get(key, {}).keys() & (fields or edition.rows.get(key, {}).keys())
        if not dropped:
            where = f" in {', '.join(fields)}" if fields else ""
            raise ValueError(f"{key} is today as in the edition of {day}{where} (change it first, then keep)")
    left = {
        key: {name: row for name, row in rows.items() if key not in keys or (fields and name not in fields)}
        for key, rows in edition.rows.items()
    }
    new = replace(edition, rows={key: rows for key, rows in left.items() if rows})
    then = published_works(works, new)
    data = fingerprint(then)
    if data == edition.data or data in {erratum.was for erratum in edition.errata}:
        raise ValueError(f"this would give the edition of {day} data that it has or had ({data})")
    erratum = Erratum(max(today, day), reason, edition.data, tuple(keys))
    text = with_erratum(with_data(_text(folder / EDITIONS), day, data), day, erratum)
    return {folder / EDITIONS: text} | kept(folder, replace(new, data=data), then, today)


def _with_keys(text: str, keys: Iterable[str]) -> str:
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("#")] or ["# Every key that an edition has published."]
    known = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    return "\n".join([*comments, *sorted({*known, *keys})]) + "\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if os.path.lexists(path) else ""
