"""Weighted combination of rewards, and R8, the mix of shared and individual reward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import fsum

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.rewards.outcome import individual, shared
from survey.traces.rewards.reward import Kind, Reward, formatted

Unit = tuple[Kind, str]


def combined(
    a: Iterable[Reward],
    b: Iterable[Reward],
    weights: tuple[float, float] = (0.5, 0.5),
    *,
    missing: float | None = None,
    family: str = "R8",
) -> list[Reward]:
    """Pay each unit ``w_a * a(unit) + w_b * b(unit)``; several rewards of a unit on one side are summed.

    A side with weight 0 is ignored. Otherwise every unit must be paid on both sides, or ``missing``
    must give the substitute for a missing reward; else raises ``ValueError``. The result is a list
    of rewards again, and can be combined further.
    """
    sides = [(weight, _by_unit(side)) for weight, side in zip(weights, (a, b), strict=True) if weight]
    units = list(dict.fromkeys(unit for _, side in sides for unit in side))
    lacking = [unit for unit in units if any(unit not in side for _, side in sides)]
    if lacking and missing is None:
        kind, name = lacking[0]
        raise ValueError(
            f'{kind} "{name}" is paid on one side only ({len(lacking)} such units; give a substitute: missing)'
        )
    found = []
    for unit in units:
        terms = [(weight, *_paid(side.get(unit), missing or 0.0)) for weight, side in sides]
        value = fsum(weight * amount for weight, amount, _ in terms)
        why = " + ".join(f"{formatted(weight)} × {formatted(amount)} ({source})" for weight, amount, source in terms)
        found.append(Reward(*unit, value, family, why))
    return found


def _by_unit(rewards: Iterable[Reward]) -> dict[Unit, list[Reward]]:
    found: dict[Unit, list[Reward]] = {}
    for one in rewards:
        found.setdefault((one.kind, one.unit), []).append(one)
    return found


def _paid(own: list[Reward] | None, missing: float) -> tuple[float, str]:
    if own is None:
        return missing, "substitute for a missing reward"
    return fsum(one.reward for one in own), ", ".join(dict.fromkeys(one.family for one in own))


def hybrid(run: Run, *, local: float = 0.5) -> list[Reward]:
    """R8, local and global: ``r_i = (1 - w) * R1 + w * R2_i`` for every agent i, with w = ``local`` from 0 to 1.

    At 0 it is R1, paid to each agent, and at 1 it is R2. In between, an agent without a reward of its own has no
    row. For other mixes, use ``combined``.

    Needs what R1 and R2 need, at the ends only one of them; raises ``NotMeasurable`` otherwise.
    """
    if not 0 <= local <= 1:
        raise ValueError(f"the weight of the local part is {formatted(local)} (expected 0 to 1)")
    if local == 0:
        return [replace(one, family="R8", why=f"R1 alone: {one.why}") for one in shared(run, broadcast=True)]
    if local == 1:
        return [replace(one, family="R8", why=f"R2 alone: {one.why}") for one in individual(run)]
    reasons: list[str] = []
    sides: list[list[Reward]] = []
    both: dict[str, Callable[[], list[Reward]]] = {
        "R1": lambda: shared(run, broadcast=True),
        "R2": lambda: individual(run),
    }
    for code, function in both.items():
        try:
            sides.append(function())
        except NotMeasurable as reason:
            reasons.append(f"{code} {reason}")
    if reasons:
        raise NotMeasurable("needs R1 and R2, and " + "; ".join(reasons))
    own = {one.unit for one in sides[1]}
    return combined([one for one in sides[0] if one.unit in own], sides[1], (1 - local, local))
