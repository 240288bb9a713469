"""Registry of credit methods: the kinds of units each supports, and why it does not support others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from survey.extras import needed
from survey.traces.credit import gae, group, hierarchical
from survey.traces.credit.counterfactual import counterfactual, departure, leave_one_out
from survey.traces.credit.games import Game, Progress, game_of, no_progress
from survey.traces.credit.rows import Credit
from survey.traces.credit.shapley import Design, exact, sampled
from survey.traces.credit.structure import without_bystanders
from survey.traces.credit.units import KINDS
from survey.traces.credit.values import Value, outcome, reach
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest

Rows = list[list[Credit]]
"""The credits of the units of each run."""

Valuing = Callable[[Trace], Value]
"""Maps a whole run to the value function for its parts."""

VALUES: dict[str, Valuing] = {
    "reach": reach,
    "reach-tokens": lambda trace: reach(trace, "tokens"),
    "outcome": outcome,
    "outcome-returns": lambda trace: outcome(trace, needs="returns"),
}
"""Value functions that need only the trace, by name."""


@dataclass(frozen=True)
class Request:
    """The input of a method."""

    traces: Sequence[Trace]
    kind: str
    value: Valuing = reach
    samples: int | None = None
    seed: int = 0
    level: float = 0.95
    reward: str | None = None
    gamma: float = 1.0
    lam: float = 1.0
    progress: Progress = no_progress


@dataclass(frozen=True)
class Method:
    """A method of credit assignment."""

    name: str
    title: str
    kinds: tuple[str, ...]
    """The kinds of units that it supports."""
    refusal: str
    """Why it does not support the others."""
    group: bool
    """Whether it compares several runs of one task."""
    credit: Callable[[Request], Rows]
    arrays: bool = True
    """Whether it needs numpy."""

    def prepare(self) -> None:
        """Import what it computes with.

        Raises:
            ModuleNotFoundError: if that is not installed, with the extra that brings it.

        """
        if self.arrays:
            needed("numpy")


def assign(
    traces: Trace | Sequence[Trace],
    kind: str,
    method: str,
    *,
    value: Valuing = reach,
    samples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    reward: str | None = None,
    gamma: float = 1.0,
    lam: float = 1.0,
    progress: Progress = no_progress,
) -> Rows:
    """Credit all units of a kind in each trace, by the named method (see ``METHODS``).

    ``value`` maps a whole run to the value function of its parts; ``lambda trace: mine`` wraps any ``Trace -> float``.
    Methods that compare runs treat each group separately: by ``group.id`` if traces have one, else by task, and for
    counterfactual sampling by the run they branch from. Raises ``NotMeasurable`` with what is needed.
    """
    if method not in METHODS:
        raise ValueError(f'"{method}" is not a method{nearest(method, METHODS)}; expected one of {", ".join(METHODS)}')
    if kind not in KINDS:
        raise ValueError(f'"{kind}" is not a kind of unit{nearest(kind, KINDS)}; expected one of {", ".join(KINDS)}')
    chosen = METHODS[method]
    if kind not in chosen.kinds:
        raise NotMeasurable(f"{chosen.title} does not credit units of kind {kind}: {chosen.refusal}")
    chosen.prepare()
    every = [traces] if isinstance(traces, Trace) else list(traces)
    request = Request(every, kind, value, samples, seed, level, reward, gamma, lam, progress)
    if not chosen.group:
        return chosen.credit(request)
    found: list[list[Credit]] = [[] for _ in every]
    for places in _branching(every) if method == "counterfactual" else _groups(every):
        rows = chosen.credit(replace(request, traces=[every[place] for place in places]))
        for place, own in zip(places, rows, strict=True):
            found[place] += own
    return found


def _groups(traces: Sequence[Trace]) -> list[list[int]]:
    """Group traces by their group, else by their task."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, trace in enumerate(traces):
        given = trace.head.get("group")
        groups.setdefault(("group", str(given["id"])) if given else ("task", trace.task), []).append(place)
    return list(groups.values())


def _branching(traces: Sequence[Trace]) -> list[list[int]]:
    """Group branching runs by original run and event, together with the original run if present."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, trace in enumerate(traces):
        departs = trace.head.get("counterfactual_of")
        if departs:
            groups.setdefault((str(departs["trace_id"]), departure(trace)), []).append(place)
    for place, trace in enumerate(traces):
        if not trace.head.get("counterfactual_of"):
            own = [group for (origin, _), group in groups.items() if origin == trace.id]
            for group in own or [groups.setdefault((trace.id, ""), [])]:
                group.insert(0, place)
    return list(groups.values())


def _each(function: Callable[[Request, Trace], list[Credit]]) -> Callable[[Request], Rows]:
    return lambda request: [function(request, trace) for trace in request.traces]


def _game(request: Request, trace: Trace) -> Game:
    return game_of(trace, request.kind, request.value(trace))


def _shapley(request: Request, trace: Trace) -> list[Credit]:
    if request.samples is None:
        return exact(_game(request, trace), request.progress)
    return sampled(_game(request, trace), request.samples, request.seed, "permutation", request.level, request.progress)


def _drawn(design: Design) -> Callable[[Request], Rows]:
    def draw(request: Request, trace: Trace) -> list[Credit]:
        return sampled(
            _game(request, trace), request.samples or 1000, request.seed, design, request.level, request.progress
        )

    return _each(draw)


def _graph(request: Request, trace: Trace) -> list[Credit]:
    value, seed, level = request.value(trace), request.seed, request.level
    return without_bystanders(trace, request.kind, value, request.samples, seed, "permutation", level, request.progress)


REMOVABLE = tuple(kind for kind in KINDS if kind != "token")
MEMBERS = tuple(kind for kind in REMOVABLE if kind != "team")
EVENTS = tuple(kind for kind in MEMBERS if kind not in ("role", "agent"))
ALONE = "there is only one team, and a single token cannot be removed from a trace"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "broadcast", "Broadcast", KINDS, "", False,
            _each(lambda request, trace: group.broadcast(trace, request.kind, request.reward)), arrays=False,
        ),
        Method(
            "group", "Group-relative advantage (GRPO)", KINDS, "", True,
            lambda request: group.relative(request.traces, request.kind, request.reward),
        ),
        Method(
            "agent-wise", "Agent-wise normalisation (Dr. MAS)",
            tuple(kind for kind in KINDS if kind not in ("team", "role")),
            "its statistics are those of one agent", True,
            lambda request: group.by_agent(request.traces, request.kind, request.reward),
        ),
        Method(
            "magrpo", "MAGRPO's group-centred advantage", KINDS, "", True,
            lambda request: group.centred(request.traces, request.kind, request.reward, request.gamma),
        ),
        Method(
            "leave-one-out", "Leave-one-out", MEMBERS, ALONE, False,
            _each(lambda request, trace: leave_one_out(_game(request, trace), request.progress)), arrays=False,
        ),
        Method(
            "counterfactual", "Counterfactual sampling (C3)", EVENTS,
            "alternatives replace one act", True,
            lambda request: counterfactual(request.traces, request.kind, request.reward, request.level), arrays=False,
        ),
        Method("shapley", "The Shapley value", MEMBERS, ALONE, False, _each(_shapley)),
        Method(
            "shapley-antithetic", "The Shapley value from antithetic pairs of orders", MEMBERS, ALONE, False,
            _drawn("antithetic"),
        ),
        Method(
            "shapley-stratified", "The Shapley value stratified by position", MEMBERS, ALONE, False,
            _drawn("stratified"),
        ),
        Method(
            "shapley-latin", "The Shapley value by Latin hypercube sampling", MEMBERS, ALONE, False, _drawn("latin")
        ),
        Method("shapley-graph", "The Shapley value without bystanders", MEMBERS, ALONE, False, _each(_graph)),
        Method("shapley-causal", "The value over causal orders", MEMBERS, ALONE, False, _drawn("causal")),
        Method(
            "sharp", "SHARP's composite", ("agent",), "it weights parts of the reward of one agent", False,
            _each(lambda request, trace: hierarchical.composite(
                trace, request.value(trace), reward=request.reward, progress=request.progress)), arrays=False,
        ),
        Method(
            "sharp-group", "SHARP's advantage", ("agent",), "it compares agents of one role", True,
            lambda request: hierarchical.composite_group(
                request.traces, request.value, reward=request.reward, progress=request.progress),
        ),
        Method(
            "two-level", "Group-relative on two levels", ("agent",),
            "its levels are the main agent and its sub-agents", True,
            lambda request: hierarchical.two_level(request.traces, reward=request.reward),
        ),
        Method(
            "gae", "Generalised advantage estimation", ("turn", "token"), "they do not form a sequence", False,
            _each(lambda request, trace: gae.gae_credits(
                trace, request.kind, gamma=request.gamma, lam=request.lam, reward=request.reward)),
        ),
    )
}  # fmt: skip
