"""Mutations of logs, like damage by other versions and full disks."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from survey.traces import check
from survey.traces.importers.log import BadLog
from survey.traces.model import Trace

MISFITS: tuple[Any, ...] = (None, True, -1, 1e300, 10**30, "", [], [[]], {}, float("nan"))
"""Values that hardly any field of a log has."""

STRANGE: list[Any] = [None, True, False, 0, -1, 1e300, 3.5, "", "x", "ü" * 300, [], {}, [[]], [None, 1], {"a": {}}]

FAULTS_OF_AN_IMPORTER = {
    "schema", "duplicate-id", "unknown-event", "causal-cycle", "effect-before-cause", "edge-type", "duplicate-edge",
    "total", "second-result", "result-without-call", "ends-early", "record-outside", "negative-cost", "before-spawn", "never-spawned",
}  # fmt: skip
"""Kinds of problem that no log may cause; a damaged log may record a delegation to an agent that has ended."""


def faults(read: Callable[[], Iterable[Trace]], warned: bool = True) -> list[str]:
    """Return the problems that no log may cause, in the traces that reading a damaged log gives.

    There are none if the log is refused. Without ``warned``, a problem of which the trace only warns is none.
    """
    try:
        found = list(read())
    except BadLog:
        return []
    problems = [problem for trace in found for problem in check(trace) if problem.kind in FAULTS_OF_AN_IMPORTER]
    return [str(problem) for problem in problems if warned or not problem.warning]


def mutant(original: Any, chance: random.Random) -> Any:
    """Mutate a JSON value: one to four of its parts are dropped, doubled, moved or replaced by strange values."""
    value = copy.deepcopy(original)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(value))
        if not places:
            return value
        container, key = chance.choice(places)
        act = chance.randrange(6)
        if act == 0:
            del container[key]
        elif act == 1 and isinstance(container, list):
            container.insert(chance.randrange(len(container) + 1), copy.deepcopy(container[key]))
        elif act == 2 and isinstance(container, list):
            chance.shuffle(container)
        elif act == 3:
            other, place = chance.choice(places)
            if isinstance(other, dict) or place < len(other):
                container[key] = copy.deepcopy(other[place])
        else:
            container[key] = copy.deepcopy(chance.choice(STRANGE))
    return value


def thinned(value: Any, chance: random.Random, rate: float, strange: Sequence[Any]) -> Any:
    """Return a copy in which values are dropped, replaced by strange ones, doubled or reordered."""
    if chance.random() < rate:
        return chance.choice(strange)
    if isinstance(value, dict):
        return {key: thinned(part, chance, rate, strange) for key, part in value.items() if chance.random() > rate}
    if isinstance(value, list):
        parts = [thinned(part, chance, rate, strange) for part in value if chance.random() > rate]
        if chance.random() < 10 * rate:
            chance.shuffle(parts)
        return parts + parts[: chance.random() < 5 * rate]
    return value


def damage(value: Any, chance: random.Random, strange: Sequence[Any], early: float) -> None:
    """Drop one part of a JSON value, or replace it by a strange value; ``early`` favours whole branches."""
    while isinstance(value, (dict, list)) and value:
        key = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        if not isinstance(value[key], (dict, list)) or not value[key] or chance.random() < early:
            if chance.random() < 0.3:
                del value[key]
            else:
                value[key] = chance.choice(strange)
            return
        value = value[key]


def _places(value: Any) -> Any:
    """Yield every position in a JSON value, as its container and the key or index."""
    waiting = [value]
    while waiting:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
