"""A reading of MARBLE results: one task on each line, without times.

Choices: the agents of a task are those that an iteration assigns something to or has a result of; the engine that
assigns is not an agent that acts, but counts as the main one if it plans, which it does wherever it assigns. Each
result is taken as one turn; so is each iteration's assignment and each of its summaries. Tool calls are not told apart
in the texts and count as none; tokens are given as one total, which tells no kind.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.traces.oracle.timeline import Reading


def read_line(line: str) -> Reading:
    """The reading of one task."""
    result = json.loads(line)
    agents: set[str] = set()
    turns = delegations = 0
    for iteration in result.get("iterations", ()):
        assigned, results = iteration.get("task_assignments") or {}, iteration.get("task_results") or ()
        names = {each["agent_id"] if "agent_id" in each else next(iter(each)) for each in results}
        agents |= names | set(assigned)
        delegations += len(assigned)
        turns += len(results) + bool(assigned) + bool(iteration.get("summary"))
    return Reading(
        agents=len(agents) + bool(delegations),
        sub_agents=len(agents),
        at_once=None,
        tool_calls=0,
        failed_tool_calls=0,
        delegations=delegations,
        turns=turns,
    )


def read_all(path: Path) -> list[Reading]:
    """The reading of each task in a file."""
    return [read_line(line) for line in path.read_text().splitlines() if line.strip()]
