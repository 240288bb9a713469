"""Whether every published edition can still be recomputed, and whether its rows fit the survey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from survey.literature.pool.editions.edition import Edition, fingerprint
from survey.literature.pool.editions.restoring import Works, published_works
from survey.literature.pool.editions.sums import described_difference
from survey.literature.pool.tags import parse_tags
from survey.literature.problems import Problem, expected, quoted
from survey.literature.taxonomy import Taxonomy

REMEDY = "record what was published with: survey edition keep"


def check_editions(works: Works, editions: Iterable[Edition], taxonomy: Taxonomy) -> list[Problem]:
    """Return a problem for every published edition that the data does not reproduce, with what differs."""
    return [problem for edition in editions for problem in _problems(works, edition, taxonomy)]


def _problems(works: Works, edition: Edition, taxonomy: Taxonomy) -> Iterator[Problem]:
    yield from _rows(edition, taxonomy)
    if not edition.data:
        return
    then, day = published_works(works, edition), edition.day.isoformat()
    if (found := fingerprint(then)) != edition.data:
        what = described_difference(Path(edition.path).parent / "editions" / f"{day}.sums", then)
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
