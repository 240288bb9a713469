"""What the garbage collector is spared once a long trace is read."""

from __future__ import annotations

import gc
import json
from pathlib import Path

from survey import garbage_collection
from survey.traces import read
from tests.traces.strategies import document


def test_a_long_trace_is_not_visited_by_collections_of_the_young(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(document([{"type": "model_call"}] * garbage_collection.MANY)))
    events = read(path).events
    assert not any(found is events for young in (0, 1) for found in gc.get_objects(generation=young))
    assert any(found is events for found in gc.get_objects(generation=2))


def test_what_somebody_else_has_frozen_stays_frozen() -> None:
    kept = [[number] for number in range(10)]
    with garbage_collection.frozen():
        garbage_collection.settle(garbage_collection.MANY)
        assert gc.get_freeze_count() >= len(kept)


def test_what_a_short_trace_leaves_behind_is_collected_soon() -> None:
    with garbage_collection.paused():
        kept = [[number] for number in range(10)]
        garbage_collection.settle(len(kept))
        assert any(found is kept for found in gc.get_objects(generation=0))
