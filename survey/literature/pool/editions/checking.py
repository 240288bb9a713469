"""Whether every published edition can still be recomputed, and whether its rows fit the survey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from survey.literature.pool.editions.edition import Edition, fingerprint
from survey.literature.pool.editions.restoring import DATED, Works, published_works
from survey.literature.pool.editions.sums import arrivals, described_difference
from survey.literature.pool.entries import Entry
from survey.literature.pool.tags import parse_tags
from survey.literature.problems import Problem, expected, quoted
from survey.literature.taxonomy import Taxonomy

REMEDY = "record what was published with: survey edition keep"


def check_editions(
    entries: Iterable[Entry], records: Iterable[Entry], editions: Iterable[Edition], taxonomy: Taxonomy
) -> list[Problem]:
    """Return a problem for every published edition that the data does not reproduce, with what differs.

    A new work whose date is not after a published edition is a problem of that work, and not of the edition.
    """
    every = list(editions)
    listed = {work.key: work for work in (*entries, *records)}
    works = Works([entry.block for entry in entries], [record.block for record in records])
    late: dict[str, Edition] = {}
    problems: list[Problem] = []
    for edition in every:
        problems += _rows(edition, taxonomy)
        if edition.data:
            then = published_works(works, edition)
            new = arrivals(then, _sums(edition))
            late |= dict.fromkeys(new, edition)
            problems += _problems(works, then.without(new), edition)
    return problems + [_too_early(listed[key], edition, works.kinds[key]) for key, edition in late.items()]


def _too_early(work: Entry, edition: Edition, kind: str) -> Problem:
    name, day = DATED[kind], edition.day.isoformat()
    lacks = f"the edition of {day}, which was published without it"
    if name in work.block.fields:
        line, message = work.block.fields[name].line, f"{work.text(name)} is not after {lacks} (expected a later day)"
    else:
        line, message = (
            work.block.line,
            f"is missing: it can have been in {lacks} (expected the later day on which it came in)",
        )
    return Problem(work.path, line, message, work.key, name, is_of_record=True)


def _sums(edition: Edition) -> Path:
    return Path(edition.path).parent / "editions" / f"{edition.day.isoformat()}.sums"


def _problems(works: Works, then: Works, edition: Edition) -> Iterator[Problem]:
    day = edition.day.isoformat()
    if (found := fingerprint(then)) != edition.data:
        what = described_difference(_sums(edition), then)
        message = f"data is {edition.data}, but recomputed it is {found}: {what or 'works differ'} ({REMEDY})"
        yield Problem(edition.path, edition.line, message, field=day, is_of_record=True)
    keys = then.kinds | works.kinds  # a correction may say that a work was not in the edition
    for key in (key for erratum in edition.errata for key in erratum.works if key not in keys):
        message = f"errata: there is no work {quoted(key)} in this edition {expected(key, keys)}"
        yield Problem(edition.path, edition.line, message, field=day)


def _rows(edition: Edition, taxonomy: Taxonomy) -> Iterator[Problem]:
    """Yield a problem for every published tag that the taxonomy no longer has: counts could not include it."""
    axes = {axis.field: axis for axis in taxonomy.axes.values()}
    path = str(Path(edition.path).parent / "editions" / f"{edition.day.isoformat()}.csv")
    for key, rows in edition.rows.items():
        for name, row in rows.items():
            for message in parse_tags(row.value, axes[name])[1] if name in axes and row.value else ():
                yield Problem(path, row.line, f"{message}; a published value stays in the taxonomy", key, name)
