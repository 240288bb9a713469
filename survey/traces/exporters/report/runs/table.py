"""Runs as rows of a table: what each row of scores says of its run, and the columns that a report shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from survey.traces.metrics import MEASURES

DIGITS = 9
"""Values are equal that agree in so many digits: the order of a sum changes the last of them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A figure that each run can have: a measure, summed over agents, tools or models if it is given by these."""

    name: str
    """The measure's name, as ``survey trace check --max`` has it."""
    title: str
    unit: str
    more: tuple[str, ...] = ()
    """Measures that are added to it."""
    instead: str = ""
    """The measure that stands in where a run has no value."""

    @property
    def definition(self) -> str:
        """How the measure is defined, and what became of it here."""
        blank = MEASURES[self.name][0]
        parts = [blank.definition]
        if " by " in blank.unit or blank.title.partition(" by ")[2]:
            parts.append("Here: the sum.")
        parts += [f"With it: {MEASURES[name][0].title.lower()}." for name in self.more]
        if self.instead:
            parts.append(f"Where a run records none: {MEASURES[self.instead][0].title.lower()}.")
        return " ".join(parts)

    def value(self, measures: Mapping[str, Any]) -> float | None:
        """Return the value in a row of scores."""
        found = measures.get(self.name)
        if found is None:
            found = measures.get(self.instead)
        if found is None:
            return None
        total = _total(found) + sum(_total(measures.get(name) or 0) for name in self.more)
        return float(f"{total:.{DIGITS}g}")


def _total(value: Any) -> float:
    return float(sum(value.values())) if isinstance(value, dict) else float(value)


COLUMNS: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column("wall_s", "Time", "s"),
        Column("critical_path_s", "Critical path", "s"),
        Column("work_s", "Work", "s"),
        Column("waiting_s", "Waiting for agents", "s"),
        Column("waiting_people_s", "Waiting for people", "s", more=("waiting_permission_s",)),
        Column("model_s", "Model time", "s"),
        Column("tool_s", "Tool time", "s"),
        Column("cost_usd", "Cost", "US dollars", instead="list_cost_usd"),
        Column("tokens", "Tokens", "tokens"),
        Column("steps", "Steps", "steps"),
        Column("agents", "Agents", "agents"),
        Column("sub_agents_at_once", "Sub-agents at once", "agents"),
        Column("messages", "Messages", "messages"),
        Column("calls_by_tool", "Tool calls", "calls"),
        Column("failures_by_tool", "Failed calls", "calls"),
        Column("speedup_observed", "Observed speed-up", "times"),
        Column("coordination_share", "Coordination share", "share"),
        Column("returns_used", "Returns used", "share"),
        Column("looping_calls", "Calls in loops", "calls"),
        Column("retries", "Retries", "calls"),
        Column("silent_sub_agents", "Silent sub-agents", "agents"),
        Column("unused_results", "Unused results", "results"),
        Column("last_sub_agent_s", "Time on the last sub-agent", "s"),
    )
}
"""The columns by name, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run, or a document that could not be read as one."""

    at: int
    """Its number among the rows: two rows can have one place."""
    place: str
    id: str
    """The trace id; "" for what is no run."""
    task: str
    success: bool | None
    score: float | None
    errors: int
    problems: Sequence[str]
    page: str
    """The file name of the run's own report; "" if it has none."""
    values: Mapping[str, float]


def row_of(at: int, scored: Mapping[str, Any]) -> Row:
    """Return the row of a document from its row of scores."""
    measures, outcome = scored["measures"], scored.get("outcome") or {}
    success, score = outcome.get("success"), outcome.get("score")
    values = {name: value for name, column in COLUMNS.items() if (value := column.value(measures)) is not None}
    return Row(
        at, scored["place"], scored["trace_id"] or "", scored["task_id"] or "",
        success if isinstance(success, bool) else None, None if score is None else float(score),
        scored["errors"], scored["problems"], scored.get("page") or "", values,
    )  # fmt: skip


@dataclass(frozen=True)
class Table:
    """All runs of a report, in the order of their files."""

    rows: Sequence[Row]

    @cached_property
    def runs(self) -> list[Row]:
        """The documents that are runs."""
        return [row for row in self.rows if row.id]

    @cached_property
    def unread(self) -> list[Row]:
        """The documents that are none."""
        return [row for row in self.rows if not row.id]

    @cached_property
    def sound(self) -> list[Row]:
        """The runs without errors. The measures of the others mean little: no figure of several runs counts them."""
        return [row for row in self.runs if not row.errors]

    def holders(self, name: str) -> list[Row]:
        """Return the sound runs that have a value in a column."""
        return [row for row in self.sound if name in row.values]


def table(lines: Iterable[bytes]) -> Table:
    """Return the table of rows of scores, given as JSON Lines."""
    every = (json.loads(line) for some in lines for line in some.splitlines())
    return Table([row_of(at, scored) for at, scored in enumerate(every)])
