"""One row for each document: its measures, rewards, credit and problems."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from survey.atomic import atomic_write
from survey.traces.files import Reading
from survey.traces.metrics import MEASURES, NotMeasurable, Run, measure
from survey.traces.metrics.prices import prices
from survey.traces.model import Trace
from survey.traces.problems import Problems, nearest, quoted
from survey.traces.replay import replay
from survey.traces.rewards import FAMILIES, family, rewards

UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
"""What is replaced in the names of files."""

MAX_LISTED = 5
"""How many errors, and how many warnings, a row spells out; all are counted."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to compute for each trace. Raises ``ValueError`` for an unknown measure, family, method or unit.

    >>> Request(measures=("step",))
    Traceback (most recent call last):
    ValueError: "step" is no measure (did you mean "steps"?)
    """

    measures: tuple[str, ...] = tuple(MEASURES)
    families: tuple[str, ...] = tuple(FAMILIES)
    """Codes or names of reward families; empty: no rewards."""
    credit: str = ""
    """A credit method that needs one run only; "": no credit."""
    unit: str = "agent"
    samples: int | None = None
    seed: int = 0
    prices: str = ""
    """A table of the prices of models, in TOML; "": the public list."""
    salt: str | None = None
    """Salt of the hashes of texts in logs that are imported, such as that of a task that has no other id; None: any."""
    pages: str = ""
    """The folder that each run's own report is written to; "": no reports."""

    def __post_init__(self) -> None:
        for name in self.measures:
            if name not in MEASURES:
                raise ValueError(f"{quoted(name)} is no measure{nearest(name, MEASURES)}")
        for word in self.families:
            family(word)
        if self.credit:
            _check_credit(self.credit, self.unit)

    def to_json(self) -> dict[str, Any]:
        """Return all settings, as a journal stores them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _check_credit(method: str, unit: str) -> None:
    from survey.traces.credit import METHODS

    if method not in METHODS:
        expected = ", ".join(name for name, one in METHODS.items() if not one.group)
        raise ValueError(
            f"{quoted(method)} is not a method of credit{nearest(method, METHODS)}; expected one of {expected}"
        )
    chosen = METHODS[method]
    if chosen.group:
        raise ValueError(
            f"{chosen.title} compares several runs, but each is scored alone here (use survey trace credit)"
        )
    if unit not in chosen.kinds:
        raise ValueError(f"{chosen.title} does not credit units of kind {unit}: {chosen.refusal}")
    chosen.prepare()


def row_of(reading: Reading, request: Request) -> dict[str, Any]:
    """Return the row of a document; for one that is not a trace, only its place and problems."""
    problems, trace = reading.problems, reading.trace
    if trace is None:
        return empty_row(reading.place, problems)
    replayed = replay(trace, limit=MAX_LISTED)
    problems.extend(replayed.problems)
    row = empty_row(reading.place, problems) | {
        "trace_id": trace.id,
        "task_id": trace.task,
        "outcome": _outcome(trace),
    }
    run = Run(replayed, prices(request.prices, "prices") if request.prices else None)
    for name, found in measure(run, request.measures).items():
        if found.why_not:
            row["why_not"][name] = found.why_not
        else:
            row["measures"][name] = found.value
    for word in request.families:
        paid = rewards(run, [word])
        row["rewards"][word] = [
            {"kind": one.kind, "unit": one.unit, "part": one.part, "reward": one.reward} for one in paid.rewards
        ]
        row["why_not"] |= paid.why_not
    if request.credit:
        _credit(row, run, request)
    if request.pages:
        row["page"] = _page(reading.place, run, Path(request.pages))
    return row


def empty_row(place: str, problems: Problems) -> dict[str, Any]:
    """Return a row with nothing but a place and problems."""
    return {
        "place": place,
        "trace_id": None,
        "task_id": None,
        "outcome": {},
        "errors": problems.errors,
        "warnings": problems.warnings,
        "problems": [str(problem) for problem in problems],
        "measures": {},
        "rewards": {},
        "why_not": {},
    }


def failed_row(place: str, reason: str) -> dict[str, Any]:
    """Return the row of an input that could not be scored, with the reason as its only error."""
    problems = Problems()
    problems.add("not-scored", reason)
    return empty_row(place, problems)


def _outcome(trace: Trace) -> dict[str, Any]:
    """Return what a trace says of its outcome, as far as that is of the types of the schema."""
    found = trace.head.get("outcome")
    known = found if isinstance(found, dict) else {}
    types: dict[str, tuple[type, ...]] = {"success": (bool,), "score": (int, float), "status": (str,)}
    return {
        name: known[name]
        for name, kinds in types.items()
        if isinstance(known.get(name), kinds) and (name == "success" or not isinstance(known[name], bool))
    }


def _page(place: str, run: Run, folder: Path) -> str:
    """Write the report of a run, and return the name of its file: the id of the trace, and what makes it unique."""
    from survey.traces.exporters.report import html

    trace = run.replayed.trace
    words = UNSAFE.sub("-", trace.id).strip("-.")[:60]
    digest = blake2b(place.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    name = "-".join(filter(None, (words, digest))) + ".html"
    with atomic_write(folder / name, durable=False) as stream:
        stream.write(html(trace, run.prices).encode("utf-8", "surrogatepass"))
    return name


def _credit(row: dict[str, Any], run: Run, request: Request) -> None:
    from survey.traces.credit import assign

    row["credit"] = []
    try:
        [found] = assign(run.replayed.trace, request.unit, request.credit, samples=request.samples, seed=request.seed)
    except (NotMeasurable, ValueError) as reason:
        row["why_not"]["credit"] = str(reason)
        return
    for one in found:
        bounds = {} if one.low is None else {"low": one.low, "high": one.high}
        row["credit"].append({"kind": one.kind, "unit": one.unit, "value": one.value, **bounds})
