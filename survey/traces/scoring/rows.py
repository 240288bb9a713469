"""One row for each document: what is measured in it, what it is paid, and what is wrong with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from survey.traces.files import Reading
from survey.traces.metrics import MEASURES, NotMeasurable, Run, measure
from survey.traces.problems import Problems, nearest, quoted
from survey.traces.replay import replay
from survey.traces.rewards import FAMILIES, family, rewards

KEPT = 5
"""How many errors, and how many warnings, a row has in words; all are counted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be scored. Raises ``ValueError`` for what nothing can be scored by.

    >>> Asked(measures=("step",))
    Traceback (most recent call last):
    ValueError: "step" is no measure (did you mean "steps"?)
    """

    measures: tuple[str, ...] = tuple(MEASURES)
    families: tuple[str, ...] = tuple(FAMILIES)
    """Codes or names of families of rewards; empty: no rewards."""
    credit: str = ""
    """A method of credit that looks at one run at a time; "": no credit."""
    unit: str = "agent"
    samples: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.measures:
            if name not in MEASURES:
                raise ValueError(f"{quoted(name)} is no measure{nearest(name, MEASURES)}")
        for word in self.families:
            family(word)
        if self.credit:
            _check_credit(self.credit, self.unit)

    def to_json(self) -> dict[str, Any]:
        """All of it, as a journal notes it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _check_credit(method: str, unit: str) -> None:
    from survey.traces.credit import METHODS

    if method not in METHODS:
        expected = ", ".join(name for name, one in METHODS.items() if not one.group)
        raise ValueError(
            f"{quoted(method)} is no method of credit{nearest(method, METHODS)}; expected one of {expected}"
        )
    chosen = METHODS[method]
    if chosen.group:
        raise ValueError(
            f"{chosen.title} compares runs with one another, and here each is scored alone (use survey trace credit)"
        )
    if unit not in chosen.kinds:
        raise ValueError(f"{chosen.title} does not credit units of kind {unit}: {chosen.refusal}")


def row_of(reading: Reading, asked: Asked) -> dict[str, Any]:
    """The row of a document. Of one that is no trace it has the place and the problems."""
    problems, trace = reading.problems, reading.trace
    if trace is None:
        return blank(reading.place, problems)
    replayed = replay(trace, limit=KEPT)
    problems.extend(replayed.problems)
    row = blank(reading.place, problems) | {"trace_id": trace.id, "task_id": trace.task}
    run = Run(replayed)
    for name, found in measure(run, asked.measures).items():
        if found.why_not:
            row["why_not"][name] = found.why_not
        else:
            row["measures"][name] = found.value
    for word in asked.families:
        paid = rewards(run, [word])
        row["rewards"][word] = [
            {"kind": one.kind, "unit": one.unit, "part": one.part, "reward": one.reward} for one in paid.rewards
        ]
        row["why_not"] |= paid.why_not
    if asked.credit:
        _credit(row, run, asked)
    return row


def blank(place: str, problems: Problems) -> dict[str, Any]:
    """A row in which only the place and the problems are known."""
    return {
        "place": place,
        "trace_id": None,
        "task_id": None,
        "errors": problems.errors,
        "warnings": problems.warnings,
        "problems": [str(problem) for problem in problems],
        "measures": {},
        "rewards": {},
        "why_not": {},
    }


def failed(place: str, reason: str) -> dict[str, Any]:
    """The row of something that could not be scored, with the reason as its only error."""
    problems = Problems()
    problems.add("not-scored", reason)
    return blank(place, problems)


def _credit(row: dict[str, Any], run: Run, asked: Asked) -> None:
    from survey.traces.credit import assign

    row["credit"] = []
    try:
        [found] = assign(run.replayed.trace, asked.unit, asked.credit, samples=asked.samples, seed=asked.seed)
    except (NotMeasurable, ValueError) as reason:
        row["why_not"]["credit"] = str(reason)
        return
    for one in found:
        bounds = {} if one.low is None else {"low": one.low, "high": one.high}
        row["credit"].append({"kind": one.kind, "unit": one.unit, "value": one.value, **bounds})
