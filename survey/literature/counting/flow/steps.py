"""The flow into an edition as rows: one list for the terminal, for CSV and for the table of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from survey.literature.counting.flow.editions import Flow

IDENTIFICATION, SCREENING, ASSESSMENT, INCLUDED = "identification", "screening", "assessment", "included"


@dataclass(frozen=True, slots=True)
class Step:
    """One number of a flow; ``None`` if it was not recorded."""

    phase: str
    step: str
    """An id that does not change: hits, excluded, included and so on."""
    item: str
    """Of what it is the number, where a step has several: a route or a criterion."""
    label: str
    count: int | None


def steps(flow: Flow) -> tuple[Step, ...]:
    """Return every number of a flow, in the order of the diagram."""
    return (*_identification(flow), *_screening(flow), *_assessment(flow), *_included(flow))


def _identification(flow: Flow) -> Iterator[Step]:
    phase = IDENTIFICATION
    if flow.after:
        yield Step(phase, "earlier", "", "entries of the edition before", flow.earlier)
        yield Step(phase, "waiting", "", "records of earlier editions that wait for a decision", flow.waiting)
    yield Step(phase, "hits", "", "hits of logged searches", flow.hits)
    for one in flow.identified:
        yield Step(phase, "hits", one.route, f"hits: {one.label}", one.hits)
    yield Step(phase, "repeated", "", "hits that were the same works again, where that was counted", flow.repeated)
    for one in flow.identified:
        if one.works is not None:
            yield Step(phase, "repeated", one.route, f"the same works again: {one.label}", one.hits - one.works)


def _screening(flow: Flow) -> Iterator[Step]:
    phase = SCREENING
    yield Step(phase, "unread", "", "hits passed over on the title, or known already (at most)", flow.unread)
    yield Step(phase, "screened", "", "abstracts read, by the log", flow.screened)
    yield Step(phase, "lost", "", "abstracts read and not kept, without a record (at least)", flow.lost)
    yield Step(phase, "records", "", "works with a record", flow.records)
    yield Step(phase, "duplicates", "", "duplicates among them", len(flow.duplicates))
    yield Step(phase, "excluded-screening", "", "excluded on title and abstract", flow.out_at_screening)
    for one in flow.excluded:
        if one.screening and not one.duplicate:
            yield Step(phase, "excluded-screening", one.criterion, one.label, len(one.screening))
    yield Step(phase, "open", "", "eligible, not yet included", len(flow.open))


def _assessment(flow: Flow) -> Iterator[Step]:
    phase = ASSESSMENT
    yield Step(phase, "sought", "", "works of which more than the abstract was read", flow.sought)
    yield Step(phase, "not-retrieved", "", "sought and not retrieved", None)
    yield Step(phase, "excluded-assessment", "", "excluded after that", flow.out_at_assessment)
    for one in flow.excluded:
        if one.assessment and not one.duplicate:
            yield Step(phase, "excluded-assessment", one.criterion, one.label, len(one.assessment))


def _included(flow: Flow) -> Iterator[Step]:
    phase = INCLUDED
    yield Step(phase, "additions", "", "entries added", len(flow.additions))
    for one in flow.identified:
        yield Step(phase, "additions", one.route, f"first found by: {one.label}", one.first)
    yield Step(phase, "additions", "not-recorded", "route not recorded", flow.unrecorded)
    again = None if flow.again is None else len(flow.again)
    yield Step(phase, "again", "", "entries added that a logged search lists, whoever found them first", again)
    alone = None if flow.abstract_only is None else len(flow.abstract_only)
    yield Step(phase, "abstract-only", "", "entries added on the abstract alone", alone)
    yield Step(phase, "included", "", "entries of the edition", flow.included)
