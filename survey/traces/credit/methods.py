"""All methods by name: for which units each makes sense, what it needs, and why it is refused elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from survey.traces.credit import gae, group, hierarchical
from survey.traces.credit.counterfactual import counterfactual, departure, leave_one_out
from survey.traces.credit.games import Game, Progress, game_of, silent
from survey.traces.credit.rows import Credit
from survey.traces.credit.shapley import Design, exact, sampled
from survey.traces.credit.structure import structured
from survey.traces.credit.units import KINDS
from survey.traces.credit.values import Value, outcome, reach
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest

Rows = list[list[Credit]]
"""For each run the credits of its units."""

Valuing = Callable[[Trace], Value]
"""From a whole run, what the parts of it are worth."""

VALUES: dict[str, Valuing] = {
    "reach": reach,
    "reach-tokens": lambda trace: reach(trace, "tokens"),
    "outcome": outcome,
    "outcome-returns": lambda trace: outcome(trace, needs="returns"),
}
"""The values that a record alone can give, by name."""


@dataclass(frozen=True)
class Asked:
    """What a method is to work with."""

    traces: Sequence[Trace]
    kind: str
    value: Valuing = reach
    samples: int | None = None
    seed: int = 0
    level: float = 0.95
    reward: str | None = None
    gamma: float = 1.0
    lam: float = 1.0
    progress: Progress = silent


@dataclass(frozen=True)
class Method:
    """A way to credit units."""

    name: str
    title: str
    kinds: tuple[str, ...]
    """The kinds of units for which it makes sense."""
    refusal: str
    """Why not for the others."""
    group: bool
    """Whether it looks at several runs of one task at a time."""
    credit: Callable[[Asked], Rows]


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
    progress: Progress = silent,
) -> Rows:
    """The credits of all units of a kind, for each trace, by the method of that name (see ``METHODS``).

    ``value`` makes, from a whole run, the value of its parts; ``lambda trace: mine`` takes any ``Trace -> float``.
    Methods that compare runs take each group by itself: ``group.id`` where traces have one, else the task, and
    for counterfactual sampling the runs that depart from one run. Raises ``NotMeasurable`` with what is needed.
    """
    if method not in METHODS:
        raise ValueError(f'"{method}" is no method{nearest(method, METHODS)}; expected one of {", ".join(METHODS)}')
    if kind not in KINDS:
        raise ValueError(f'"{kind}" is no kind of unit{nearest(kind, KINDS)}; expected one of {", ".join(KINDS)}')
    chosen = METHODS[method]
    if kind not in chosen.kinds:
        raise NotMeasurable(f"{chosen.title} does not credit units of kind {kind}: {chosen.refusal}")
    every = [traces] if isinstance(traces, Trace) else list(traces)
    asked = Asked(every, kind, value, samples, seed, level, reward, gamma, lam, progress)
    if not chosen.group:
        return chosen.credit(asked)
    found: list[list[Credit]] = [[] for _ in every]
    for places in _branching(every) if method == "counterfactual" else _groups(every):
        rows = chosen.credit(replace(asked, traces=[every[place] for place in places]))
        for place, own in zip(places, rows, strict=True):
            found[place] += own
    return found


def _groups(traces: Sequence[Trace]) -> list[list[int]]:
    """Which traces belong together: by their group, else by their task."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, trace in enumerate(traces):
        given = trace.head.get("group")
        groups.setdefault(("group", str(given["id"])) if given else ("task", trace.task), []).append(place)
    return list(groups.values())


def _branching(traces: Sequence[Trace]) -> list[list[int]]:
    """The same for runs that branch: each set that departs from one run at one event, with that run if it is there."""
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


def _each(function: Callable[[Asked, Trace], list[Credit]]) -> Callable[[Asked], Rows]:
    return lambda asked: [function(asked, trace) for trace in asked.traces]


def _game(asked: Asked, trace: Trace) -> Game:
    return game_of(trace, asked.kind, asked.value(trace))


def _shapley(asked: Asked, trace: Trace) -> list[Credit]:
    if asked.samples is None:
        return exact(_game(asked, trace), asked.progress)
    return sampled(_game(asked, trace), asked.samples, asked.seed, "permutation", asked.level, asked.progress)


def _drawn(design: Design) -> Callable[[Asked], Rows]:
    def draw(asked: Asked, trace: Trace) -> list[Credit]:
        return sampled(_game(asked, trace), asked.samples or 1000, asked.seed, design, asked.level, asked.progress)

    return _each(draw)


def _graph(asked: Asked, trace: Trace) -> list[Credit]:
    value, seed, level = asked.value(trace), asked.seed, asked.level
    return structured(trace, asked.kind, value, asked.samples, seed, "permutation", level, asked.progress)


REMOVABLE = tuple(kind for kind in KINDS if kind != "token")
MEMBERS = tuple(kind for kind in REMOVABLE if kind != "team")
EVENTS = tuple(kind for kind in MEMBERS if kind not in ("role", "agent"))
ALONE = "there is only one team, and no single token can be taken out of a record"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "broadcast", "Broadcast", KINDS, "", False,
            _each(lambda asked, trace: group.broadcast(trace, asked.kind, asked.reward)),
        ),
        Method(
            "group", "Group-relative advantage (GRPO)", KINDS, "", True,
            lambda asked: group.relative(asked.traces, asked.kind, asked.reward),
        ),
        Method(
            "agent-wise", "Agent-wise normalisation (Dr. MAS)",
            tuple(kind for kind in KINDS if kind not in ("team", "role")),
            "its statistics are those of one agent", True,
            lambda asked: group.by_agent(asked.traces, asked.kind, asked.reward),
        ),
        Method(
            "magrpo", "MAGRPO's group-centred advantage", KINDS, "", True,
            lambda asked: group.centred(asked.traces, asked.kind, asked.reward, asked.gamma),
        ),
        Method(
            "leave-one-out", "Leave-one-out", MEMBERS, ALONE, False,
            _each(lambda asked, trace: leave_one_out(_game(asked, trace), asked.progress)),
        ),
        Method(
            "counterfactual", "Counterfactual sampling (C3)", EVENTS,
            "alternatives stand in the place of one act", True,
            lambda asked: counterfactual(asked.traces, asked.kind, asked.reward, asked.level),
        ),
        Method("shapley", "The Shapley value", MEMBERS, ALONE, False, _each(_shapley)),
        Method(
            "shapley-antithetic", "The Shapley value by pairs of orders", MEMBERS, ALONE, False, _drawn("antithetic")
        ),
        Method(
            "shapley-stratified", "The Shapley value stratified by position", MEMBERS, ALONE, False,
            _drawn("stratified"),
        ),
        Method("shapley-latin", "The Shapley value by evenly spread orders", MEMBERS, ALONE, False, _drawn("latin")),
        Method("shapley-graph", "The Shapley value without bystanders", MEMBERS, ALONE, False, _each(_graph)),
        Method("shapley-causal", "The value over causal orders", MEMBERS, ALONE, False, _drawn("causal")),
        Method(
            "sharp", "SHARP's composite", ("agent",), "it weighs parts of the reward of one agent", False,
            _each(lambda asked, trace: hierarchical.composite(
                trace, asked.value(trace), reward=asked.reward, progress=asked.progress)),
        ),
        Method(
            "sharp-group", "SHARP's advantage", ("agent",), "it compares agents of one role", True,
            lambda asked: hierarchical.composite_group(
                asked.traces, asked.value, reward=asked.reward, progress=asked.progress),
        ),
        Method(
            "two-level", "Group-relative on two levels", ("agent",),
            "its levels are the main agent and its sub-agents", True,
            lambda asked: hierarchical.two_level(asked.traces, reward=asked.reward),
        ),
        Method(
            "gae", "Generalised advantage estimation", ("turn", "token"), "they do not follow one another", False,
            _each(lambda asked, trace: gae.along(
                trace, asked.kind, gamma=asked.gamma, lam=asked.lam, reward=asked.reward)),
        ),
    )
}  # fmt: skip
