"""The explorer of a report: every event of the run to search, sift and follow, from cause to effect."""

from __future__ import annotations

from survey.traces.exporters.report.explorer.contents import events

__all__ = ["events"]
