"""Credits of single units, with their origin, and their tabular form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Credit:
    """The credit of one unit by one method."""

    kind: str
    unit: str
    value: float
    method: str
    low: float | None = None
    high: float | None = None
    """The bounds of a confidence interval; None if the number is exact for its input."""
    why: str = ""


class BadRuns(NotMeasurable):
    """Raised for the runs of a batch that cannot be credited: the reason for each, by its place in the batch."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__("\n".join(reasons.values()) or "needs runs: there are none")
        self.reasons = dict(reasons)


COLUMNS = ("trace", *(field.name for field in fields(Credit)))


def rows(traces: Iterable[Trace], credits: Iterable[Iterable[Credit]]) -> list[dict[str, Any]]:
    """Return credits as flat objects, each with the id of its trace."""
    return [
        {"trace": trace.id, **asdict(credit)}
        for trace, own in zip(traces, credits, strict=True)
        for credit in own
    ]  # fmt: skip


def frame(traces: Iterable[Trace], credits: Iterable[Iterable[Credit]]) -> pd.DataFrame:
    """Return credits as a tidy pandas frame, with a row for each unit of each trace."""
    import pandas as pd

    table = pd.DataFrame(rows(traces, credits), columns=list(COLUMNS))
    return table.astype({"low": "float64", "high": "float64", "value": "float64"})
