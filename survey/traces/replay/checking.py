"""Everything that can be wrong with a trace, in one call."""

from __future__ import annotations

from typing import Any

from survey.traces.checks import sound, validation
from survey.traces.model import Trace
from survey.traces.problems import LIMIT, Problems
from survey.traces.replay.replay import replay


def check(trace: Trace, *, limit: int = LIMIT) -> Problems:
    """Structural errors, and if there are none, what replay finds.

    For a trace made by a program; ``readings`` has checked the structure of one from a file already.
    """
    problems = Problems(limit)
    added: list[tuple[Any, ...]] = []
    head = {key: sound(value, (key,), problems) for key, value in trace.head.items()}
    events = [sound(event.to_json(), ("events", place), problems) for place, event in enumerate(trace.events)]
    validation.check_head({**head, "events": [None] * bool(events), "edges": []}, problems)
    validation.check_events(events, 0, problems, added)
    validation.check_edges([edge.to_json() for edge in trace.edges], 0, problems)
    validation.check_added(added, "schema_version" in trace.head, problems)
    if not problems.errors:
        problems.extend(replay(trace, limit=limit).problems)
    return problems
