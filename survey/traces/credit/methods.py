"""Registry of credit methods: the kinds of units each supports, and why it does not support others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from survey.extras import needed
from survey.traces.credit import gae, group, hierarchical
from survey.traces.credit.counterfactual import counterfactual, leave_one_out
from survey.traces.credit.games import Game, Progress, game_of, no_progress
from survey.traces.credit.rows import Credit
from survey.traces.credit.shapley import Design, exact, sampled
from survey.traces.credit.structure import without_bystanders
from survey.traces.credit.units import KINDS
from survey.traces.credit.values import Value, Valuing, valuing
from survey.traces.model import Trace

Rows = list[list[Credit]]
"""The credits of the units of each run."""


@dataclass(frozen=True)
class Request:
    """The input of a method."""

    traces: Sequence[Trace]
    kind: str
    value: str | Valuing = "reward"
    samples: int | None = None
    seed: int = 0
    level: float = 0.95
    reward: str | None = None
    gamma: float = 1.0
    lam: float = 1.0
    critic: gae.Critics | None = None
    bootstrap: float | Mapping[str, float] = 0.0
    by_agent: bool = False
    baseline: float | None = None
    progress: Progress = no_progress

    def valued(self, trace: Trace) -> Value:
        """Return the value function of a run, for the reward and the baseline."""
        return valuing(self.value, self.reward, self.baseline)(trace)


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
    removes: bool = False
    """Whether it divides the value of a run by removing units."""

    def prepare(self) -> None:
        """Import what it computes with.

        Raises:
            ModuleNotFoundError: if that is not installed, with the extra that brings it.

        """
        if self.arrays:
            needed("numpy")


def _each(function: Callable[[Request, Trace], list[Credit]]) -> Callable[[Request], Rows]:
    return lambda request: [function(request, trace) for trace in request.traces]


def _game(request: Request, trace: Trace) -> Game:
    return game_of(trace, request.kind, request.valued(trace))


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
    value, seed, level = request.valued(trace), request.seed, request.level
    return without_bystanders(trace, request.kind, value, request.samples, seed, "permutation", level, request.progress)


def _bootstrap(request: Request, trace: Trace) -> float:
    given = request.bootstrap
    return given.get(trace.id, 0.0) if isinstance(given, Mapping) else given


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
            "rloo", "Leave-one-out baseline (RLOO)", KINDS, "", True,
            lambda request: group.relative(request.traces, request.kind, request.reward, "rloo"),
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
            _each(lambda request, trace: leave_one_out(_game(request, trace), request.progress)),
            arrays=False, removes=True,
        ),
        Method(
            "counterfactual", "Counterfactual sampling (C3)", EVENTS,
            "alternatives replace one act", True,
            lambda request: counterfactual(request.traces, request.kind, request.reward, request.level), arrays=False,
        ),
        Method(
            "coma", "Policy-weighted counterfactual baseline (COMA)", EVENTS,
            "alternatives replace one act", True,
            lambda request: counterfactual(request.traces, request.kind, request.reward, method="coma"), arrays=False,
        ),
        Method("shapley", "The Shapley value", MEMBERS, ALONE, False, _each(_shapley), removes=True),
        Method(
            "shapley-antithetic", "The Shapley value from antithetic pairs of orders", MEMBERS, ALONE, False,
            _drawn("antithetic"), removes=True,
        ),
        Method(
            "shapley-stratified", "The Shapley value stratified by position", MEMBERS, ALONE, False,
            _drawn("stratified"), removes=True,
        ),
        Method(
            "shapley-latin", "The Shapley value by Latin hypercube sampling", MEMBERS, ALONE, False, _drawn("latin"),
            removes=True,
        ),
        Method(
            "shapley-graph", "The Shapley value without bystanders", MEMBERS, ALONE, False, _each(_graph), removes=True
        ),
        Method("shapley-causal", "The value over causal orders", MEMBERS, ALONE, False, _drawn("causal"), removes=True),
        Method(
            "sharp", "SHARP's composite", ("agent",), "it weights parts of the reward of one agent", False,
            _each(lambda request, trace: hierarchical.composite(
                trace, request.valued(trace), reward=request.reward, progress=request.progress)), arrays=False,
        ),
        Method(
            "sharp-group", "SHARP's advantage", ("agent",), "it compares agents of one role", True,
            lambda request: hierarchical.composite_group(
                request.traces, request.valued, reward=request.reward, progress=request.progress),
        ),
        Method(
            "two-level", "Group-relative on two levels (M-GRPO)", ("agent", "turn"),
            "its levels are the main agent and its sub-agents", True,
            lambda request: hierarchical.two_level(request.traces, reward=request.reward, kind=request.kind),
        ),
        Method(
            "gae", "Generalised advantage estimation", ("turn", "token"), "they do not form a sequence", False,
            _each(lambda request, trace: gae.gae_credits(
                trace, request.kind, critic=request.critic, bootstrap=_bootstrap(request, trace), gamma=request.gamma,
                lam=request.lam, reward=request.reward, by_agent=request.by_agent)),
        ),
    )
}  # fmt: skip
