"""What all trainers share: runs with the rows in which a trainer holds them, credited in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.traces.credit import Credit, NotMeasurable, Policy, advantages, assign, units
from survey.traces.model import OUTSIDE, Builder, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Report = Callable[[str], object]
"""Called with the reason for each run that cannot be credited."""

SHORTEST = 8
"""Tokens of a reply that is looked for in later prompts: shorter ones recur."""


@dataclass(frozen=True)
class Row:
    """A turn as a trainer holds it: one call of a model."""

    agent: str
    tokens: int | None = None
    """The tokens that are trained, by the trainer's own mask."""
    prompt: Sequence[int] = ()
    response: Sequence[int] = ()


@dataclass(frozen=True)
class Run:
    """A run as a trainer holds it: its trace, and the event of each of its rows."""

    name: str
    trace: Trace | None
    """None if there is no run: a rollout that failed."""
    turns: Sequence[str] = ()
    missing: str = ""
    """What a rollout that failed lacks."""


def run_of(name: str, task: str, group: str, rows: Sequence[Row], rewards: dict[str, float], *, system: str) -> Run:
    """Return the run of these rows, in the order in which its agents took turns.

    Who heard whom is not in the rows. Where the prompt of a turn holds the tokens of a reply by another agent, it
    follows from that turn.
    """
    if not rows:
        return Run(name, None, missing="needs turns: there are none")
    builder = Builder(name, task or name, importer=system, system=system, time="ordinal")
    if group:
        builder.head["group"] = {"id": group}
    builder.head["rewards"] = rewards
    prompts = [_Tokens(row.prompt) for row in rows]
    turns: list[str] = []
    for place, row in enumerate(rows):
        agent = f"{row.agent}-agent" if row.agent in OUTSIDE else row.agent
        builder.agent(agent, name=agent)
        tokens = None if row.tokens is None else {"output": row.tokens}
        turn = builder.event("model_call", agent, tokens=tokens)
        for before in range(place):
            if rows[before].agent != row.agent and rows[before].response in prompts[place]:
                builder.link(turns[before], turn, "causal", derived=True)
        turns.append(turn)
    trace = builder.build()
    return Run(name, trace, [event.id for event in trace.events])


def numbers(
    runs: Sequence[Run],
    unit: str,
    method: str,
    bad: Policy,
    report: Report | None,
    **options: Any,
) -> list[list[NDArray[np.float64]] | None]:
    """Return for each run the advantages of its rows, each an array with a number, or with one for each token.

    None stands for a run that was skipped. Every run that cannot be credited is named, in one ``NotMeasurable`` if
    ``bad`` is "raise"; otherwise the others are compared as if it were not there.
    """
    whole = [run for run in runs if run.trace is not None]
    reasons = [f"{run.name}: {run.missing}" for run in runs if run.trace is None]
    if bad not in ("raise", "skip", "zero"):
        raise ValueError(f'"{bad}" is not a policy; expected raise, skip or zero')
    traces = [run.trace for run in whole if run.trace is not None]
    credits = assign(traces, unit, method, bad="skip", report=reasons.append, **options) if traces else []
    found: dict[int, list[NDArray[np.float64]]] = {}
    for run, trace, own in zip(whole, traces, credits, strict=True):
        if own:
            try:
                found[id(run)] = _of_rows(advantages(_whole(own, trace), trace, per_token=unit == "token"), run, unit)
            except NotMeasurable as error:
                reasons.append(f"{run.name}: {error}")
        elif not any(reason.startswith(f"{trace.id}: ") for reason in reasons):  # no turn has a token to credit
            found[id(run)] = [np.zeros(0)] * len(run.turns)
    if reasons and bad == "raise":
        raise NotMeasurable("\n".join(reasons))
    for reason in reasons if report else ():
        report(reason)  # type: ignore[misc]
    nothing = np.zeros(1)
    return [found.get(id(run)) or ([nothing] * len(run.turns) if bad == "zero" else None) for run in runs]


def _whole(own: list[Credit], trace: Trace) -> list[Credit]:
    """Return the credit of every token: those of an agent that cannot be compared get 0, as its turns do."""
    kind, method, there = own[0].kind, own[0].method, {credit.unit for credit in own}
    missing = (unit for unit in units(trace, kind) if unit not in there) if kind == "token" else ()
    return [*own, *(Credit(kind, unit, 0.0, method) for unit in missing)]


def _of_rows(arrays: dict[str, NDArray[Any]], run: Run, unit: str) -> list[NDArray[np.float64]]:
    place = {turn: number for number, turn in enumerate(arrays["turn_ids"].tolist())}
    if unit != "token":
        return [arrays["advantages"][place[turn]].reshape(1) for turn in run.turns]
    ends = np.cumsum(arrays["token_counts"])
    tokens = np.split(arrays["token_advantages"], ends[:-1])
    return [tokens[place[turn]] for turn in run.turns]


def single(values: NDArray[np.float64]) -> float:
    """Return one number for a row: the mean over its tokens, 0 if it has none."""
    return float(values.mean()) if len(values) else 0.0


def spread(given: Sequence[NDArray[np.float64] | None], mask: NDArray[Any]) -> NDArray[np.float32]:
    """Return the numbers of rows on the tokens that the trainer's mask marks with 1, by row and token; 0 elsewhere."""
    marked = mask != 0
    counts = marked.sum(axis=1)
    kinds = {1 if own is None else len(own) for own in given}
    if kinds <= {1}:
        whole = np.array([0.0 if own is None else own[0] for own in given], dtype=np.float32)
        repeated: NDArray[np.float32] = whole[:, None] * marked
        return repeated
    found = np.zeros(mask.shape, dtype=np.float32)
    for row, own in enumerate(given):
        if own is not None and len(own) not in (1, counts[row]):
            raise ValueError(f"row {row} has {counts[row]} tokens in the mask, but credit for {len(own)}")
        if own is not None:
            found[row, marked[row]] = own
    return found


def array(values: Any) -> NDArray[Any]:
    """Return an array of an array, a list, or a tensor on any device (bfloat16 too, which numpy lacks)."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "is_floating_point") and values.is_floating_point():
        values = values.float()
    return np.asarray(values)


def plain(value: Any) -> Any:
    """Return an object of a trainer as JSON would hold it: its fields by name; lists of numbers stay as they are."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # arrays, tensors and their numbers
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return list(value) if value and isinstance(value[0], (int, float)) else [plain(item) for item in value]
    return {name: plain(item) for name, item in vars(value).items()} if hasattr(value, "__dict__") else None


def got(item: Any, name: str, otherwise: Any = None) -> Any:
    """Return a field of an object, or of a dictionary that holds the same."""
    return item.get(name, otherwise) if isinstance(item, dict) else getattr(item, name, otherwise)


def ids(values: Any) -> list[int]:
    """Return token ids as a list."""
    return (
        [] if values is None else [int(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]
    )


class _Tokens:
    """The tokens of a prompt, in which the tokens of a reply are looked for."""

    def __init__(self, tokens: Iterable[int]) -> None:
        self.written = _written(tokens)

    def __contains__(self, reply: Sequence[int]) -> bool:
        """Whether the reply is here, but for its last token, which ends a turn and often is not repeated."""
        return len(reply) >= SHORTEST and _written(reply[:-1]) in self.written


def _written(tokens: Iterable[int]) -> str:
    return f",{','.join(map(str, tokens))},"


def like(given: Any, numbers: NDArray[np.float32]) -> Any:
    """Return the numbers as a tensor on the device of another, in 32 bits; as an array beside arrays."""
    return given.float().new_tensor(numbers) if hasattr(given, "new_tensor") else numbers
