"""All checks of a trace in one call."""

from __future__ import annotations

from typing import Any

from survey.traces.checks import sanitised, validation
from survey.traces.model import Trace
from survey.traces.problems import LIMIT, Problems
from survey.traces.replay.replay import replay


def check(trace: Trace, *, limit: int = LIMIT) -> Problems:
    """Return structural errors, or if there are none, the problems found by replay.

    For traces built by a program; for traces from files, ``readings`` has already checked the structure.
    """
    problems = Problems(limit)
    added: list[tuple[Any, ...]] = []
    head = {key: sanitised(value, (key,), problems) for key, value in trace.head.items()}
    events = [sanitised(event.to_json(), ("events", place), problems) for place, event in enumerate(trace.events)]
    validation.check_head({**head, "events": [None] * bool(events), "edges": []}, problems)
    validation.check_events(events, 0, problems, added)
    validation.check_edges([edge.to_json() for edge in trace.edges], 0, problems)
    validation.check_added(added, "schema_version" in trace.head, problems)
    if not problems.errors:
        problems.extend(replay(trace, limit=limit).problems)
    return problems
