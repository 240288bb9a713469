"""Credit for a batch of runs: their groups, and what becomes of runs and units that cannot be credited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan
from typing import Literal, get_args

from survey.traces.credit.counterfactual import departure
from survey.traces.credit.gae import Critics
from survey.traces.credit.games import Progress, no_progress
from survey.traces.credit.methods import METHODS, Method, Request, Rows
from survey.traces.credit.rows import BadRuns, Credit
from survey.traces.credit.units import KINDS, units
from survey.traces.credit.values import Valuing, valuing
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.problems import nearest

Policy = Literal["raise", "skip", "zero"]
"""What becomes of a run, or a unit, that cannot be credited: an error, no rows, or a credit of 0."""


def assign(
    traces: Trace | Sequence[Trace],
    kind: str,
    method: str,
    *,
    value: str | Valuing = "reward",
    baseline: float | None = None,
    samples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    reward: str | None = None,
    gamma: float = 1.0,
    lam: float = 1.0,
    critic: Critics | None = None,
    bootstrap: float | dict[str, float] = 0.0,
    by_agent: bool = False,
    bad: Policy = "raise",
    report: Callable[[str], object] | None = None,
    progress: Progress = no_progress,
) -> Rows:
    """Credit all units of a kind in each trace, by the named method (see ``METHODS``).

    ``reward`` names the reward of the run to assign. ``value`` is what methods that remove units divide: a name (see
    ``VALUES``), by default an estimate of the reward of what is left, or a function that maps a whole run to the
    value of its parts (``lambda trace: mine`` wraps any ``Trace -> float``). ``baseline`` is the reward of doing
    nothing, 0 by default. ``critic``, ``bootstrap`` and ``by_agent`` are those of ``gae_credits``.

    Methods that compare runs treat each group separately: by ``group.id`` if traces have one, else by task, and for
    counterfactual sampling by the run they branch from.

    Raises ``NotMeasurable`` with every run and unit that cannot be credited, and what each needs: a run without a
    reward or alone in its group, an agent that acts once in a group, a value that no unit of the kind changes. With
    ``bad="skip"`` these have no rows, with ``bad="zero"`` a credit of 0; ``report`` is called with each reason.
    """
    if method not in METHODS:
        raise ValueError(f'"{method}" is not a method{nearest(method, METHODS)}; expected one of {", ".join(METHODS)}')
    if kind not in KINDS:
        raise ValueError(f'"{kind}" is not a kind of unit{nearest(kind, KINDS)}; expected one of {", ".join(KINDS)}')
    if bad not in get_args(Policy):
        raise ValueError(f'"{bad}" is not a policy{nearest(bad, get_args(Policy))}; expected raise, skip or zero')
    chosen = METHODS[method]
    if kind not in chosen.kinds:
        raise NotMeasurable(f"{chosen.title} does not credit units of kind {kind}: {chosen.refusal}")
    _taken(
        chosen,
        ("baseline", baseline is not None, chosen.removes or method.startswith("sharp")),
        ("critic", critic is not None, method == "gae"),
        ("bootstrap", bootstrap != 0.0, method == "gae"),
        ("sequence per agent", by_agent, method == "gae"),
    )
    chosen.prepare()
    every = [traces] if isinstance(traces, Trace) else list(traces)
    _known(reward, every)
    if chosen.removes:
        valuing(value, reward, baseline)
    request = Request(
        every, kind, value, samples, seed, level, reward, gamma, lam, critic, bootstrap, by_agent, baseline, progress
    )
    found, reasons = _grouped(chosen, request) if chosen.group else _each(chosen, request)
    for place, rows in enumerate(found):
        own = [f'{every[place].id}: "{row.unit}" {row.why}' for row in rows if isnan(row.value)]
        reasons += [(place, reason) for reason in own]
    if reasons and bad == "raise":
        raise BadRuns({number: reason for number, (_, reason) in enumerate(reasons)})
    for _, reason in reasons if report else ():
        report(reason)  # type: ignore[misc]
    if bad == "skip":
        return [[row for row in rows if not isnan(row.value)] for rows in found]
    for place, rows in enumerate(found):
        why = [reason for other, reason in reasons if other == place]
        if why and not rows:
            rows = [Credit(kind, unit, 0.0, method, why=f"0: {why[0]}") for unit in _units(every[place], kind)]
        found[place] = [replace(row, value=0.0, why=f"0: {row.why}") if isnan(row.value) else row for row in rows]
    return found


Reasons = list[tuple[int, str]]
"""Why runs cannot be credited, each with the place of the run in the batch."""


def _each(chosen: Method, request: Request) -> tuple[Rows, Reasons]:
    found: Rows = []
    reasons: Reasons = []
    for place, trace in enumerate(request.traces):
        try:
            [own] = chosen.credit(replace(request, traces=[trace]))
            found.append(_told_apart(own, request, trace) if chosen.removes else own)
        except NotMeasurable as reason:
            found.append([])
            reasons.append((place, _named(trace, str(reason))))
    return found, reasons


def _grouped(chosen: Method, request: Request) -> tuple[Rows, Reasons]:
    """Credit each group; runs that cannot be credited are left out of it, and the others compared without them."""
    every = request.traces
    found: Rows = [[] for _ in every]
    reasons: Reasons = []
    for places in _branching(every) if chosen.name in BRANCHING else _groups(every):
        left = list(places)
        while left:
            try:
                rows = chosen.credit(replace(request, traces=[every[place] for place in left]))
            except BadRuns as bad:
                reasons += [(left[number], _named(every[left[number]], why)) for number, why in bad.reasons.items()]
                left = [place for number, place in enumerate(left) if number not in bad.reasons]
            except NotMeasurable as reason:
                culprits = {} if chosen.name in BRANCHING else _culprits(chosen, request, left)
                wrong = culprits or dict.fromkeys(left, str(reason))
                reasons += [(place, _named(every[place], why)) for place, why in wrong.items()]
                left = [place for place in left if place not in wrong]
            else:
                for place, own in zip(left, rows, strict=True):
                    found[place] += own
                left = []
    return found, reasons


BRANCHING = ("counterfactual", "coma")
"""Methods whose groups are reruns of one run."""


def _culprits(chosen: Method, request: Request, places: Sequence[int]) -> dict[int, str]:
    """Return the runs that cannot be credited even beside themselves, each with the reason."""
    found = {}
    for place in places:
        try:
            chosen.credit(replace(request, traces=[request.traces[place]] * 2))
        except BadRuns as bad:
            found[place] = next(iter(bad.reasons.values()))
        except NotMeasurable as reason:
            found[place] = str(reason)
    return found


def _told_apart(rows: list[Credit], request: Request, trace: Trace) -> list[Credit]:
    """Refuse credit that no unit earns although there is some to divide, and say where all units earn the same."""
    values = [row.value for row in rows]
    near = 1e-12 * max(1.0, *map(abs, values))
    if max(map(abs, values)) <= near:
        value = request.valued(trace)
        whole = value(trace)
        if abs(whole - getattr(value, "baseline", 0.0)) > near:
            shown = ", ".join(row.unit for row in rows[:3]) + (", ..." if len(rows) > 3 else "")
            raise NotMeasurable(
                f"needs a record in which some {request.kind} counts: the value stays {whole:g} without any of the "
                f"{len(rows)} ({shown}); what they were worth takes a rerun"
            )
    if len(rows) > 1 and max(values) - min(values) <= near:
        return [replace(row, why=f"{row.why}; the same for all {len(rows)} {ALIKE}") for row in rows]
    return rows


ALIKE = "units: a share, not credit"
"""How ``why`` ends where the units of a run cannot be told apart."""


def _named(trace: Trace, reason: str) -> str:
    return reason if reason.startswith(f"{trace.id}: ") else f"{trace.id}: {reason}"


def _units(trace: Trace, kind: str) -> list[str]:
    try:
        return units(trace, kind)
    except NotMeasurable:
        return []


def _taken(chosen: Method, *options: tuple[str, bool, bool]) -> None:
    """Raise ``ValueError`` for an option that is given to a method which would ignore it."""
    for name, given, used in options:
        if given and not used:
            raise ValueError(f"{chosen.title} takes no {name}, and would ignore it")


def _known(reward: str | None, traces: Sequence[Trace]) -> None:
    """Raise ``NotMeasurable`` for the name of a reward that no run has: that is a wrong name, and not a bad run."""
    there = dict.fromkeys(name for trace in traces for name in trace.rewards)
    if reward is not None and traces and reward not in there:
        shown = ", ".join(there) or "none"
        raise NotMeasurable(f'no run has the reward "{reward}"{nearest(reward, there)}; there is {shown}')


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
