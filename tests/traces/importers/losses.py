"""What an import says that it lost."""

from __future__ import annotations

from survey.traces import Trace


def lost(trace: Trace) -> dict[str, int]:
    return {item["what"]: item["count"] for item in trace.source.get("lost", [])}
