"""Checks between files: routes and found works that exist, and a criterion for every excluded record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from survey.literature.pool.entries import Entry, Record
from survey.literature.pool.screening.protocol import Protocol
from survey.literature.pool.screening.searches import SearchLog
from survey.literature.problems import Problem, expected, quoted

FIELD = "route"


def routes_of(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the routes that a work itself names, in the order in which they found it."""
    return tuple(part.strip() for part in entry.text(FIELD).split(";") if part.strip())


def check_routes(log: SearchLog, works: Collection[Entry]) -> Iterator[Problem]:
    """Yield a problem for every route that the log lacks, and for every found work that does not exist."""
    for work in works:
        named = routes_of(work)
        line = work.block.fields[FIELD].line if FIELD in work.block.fields else work.block.line
        for place, route in enumerate(named):
            if route not in log.routes:
                message = f"{quoted(route)} is not a route of the search log {expected(route, log.routes)}"
                yield Problem(work.path, line, message, work.key, FIELD)
            elif route in named[:place]:
                yield Problem(work.path, line, f"names {quoted(route)} twice", work.key, FIELD)
    keys = {work.key for work in works}
    listed: Iterable[tuple[int, str, str, Iterable[str]]] = (
        *((s.line, "search", "found", s.found or ()) for s in log.searches),
        *((r.line, f"route.{r.id}", "holds", sorted(r.holds)) for r in log.routes.values()),
    )
    for line, table, name, found in listed:
        for key in found:
            if key not in keys:
                message = f"there is no entry or excluded record {quoted(key)} {expected(key, keys)}"
                yield Problem(log.path, line, message, table, name)


def check_rulings(protocol: Protocol, records: Iterable[Record]) -> Iterator[Problem]:
    """Yield a problem for every excluded record for which nothing names a criterion, if there are criteria."""
    if not protocol:
        return
    ids = [criterion.id for criterion in protocol.of(excludes=True)]
    for record in records:
        if protocol.ruling(record) is None:
            reason = record.primary(protocol.reasons)
            field = record.block.fields.get(protocol.reasons)
            message = (
                f"{quoted(reason)} is the reason of no criterion of exclusion in {protocol.path}: add it to "
                f"the reasons of one ({', '.join(ids)}), or a [[decision]] on this record"
            )
            line = field.line if field else record.block.line
            yield Problem(record.path, line, message, record.key, protocol.reasons)
