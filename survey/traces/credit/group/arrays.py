"""Group-relative formulas on arrays of rewards.

Standard deviations are sample deviations (n - 1 in the denominator), as in the released code of verl, TRL and Dr. MAS.
The papers of Dr. MAS (equation 5) and M-GRPO (equations 9 and 12) print n: their advantages are larger by the factor
``sqrt(n / (n - 1))``, 1.07 for n = 8. A reward that is not finite is an error, never a member of a mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy
from survey.traces.metrics import NotMeasurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Numbers: TypeAlias = "NDArray[np.float64]"

FLOOR = 1e-4
"""The smallest standard deviation to divide by, so that noise in the reward stays noise: where the returns of four
runs spread by 1e-6, the largest advantage is 0.015, and would be 1.5. TRL's ``GRPOTrainer`` adds this number to the
standard deviation (verl adds 1e-6): the same for such a group, and within 2e-4 of ours for a spread of 0.5. A floor
leaves ordinary advantages exactly as GRPO defines them."""


def group_relative(returns: ArrayLike, floor: float = FLOOR) -> Numbers:
    """GRPO's advantage: ``A_g = (R_g - mean(R)) / max(std(R), floor)`` over a group of at least two runs of one task.

    The advantages sum to 0. If all runs have the same return, every advantage is 0. Raises ``NotMeasurable`` for a
    single run, and for a return that is not finite.

    >>> group_relative([1, 0, 0, 1]).round(3).tolist()
    [0.866, -0.866, -0.866, 0.866]
    """
    array = _group(returns)
    centred = array - array.mean()
    spread = centred.std(ddof=1)
    # rounding alone must not count as a spread, also where the floor is 0
    if spread <= 1e-12 * max(1.0, float(np.abs(array).max())):
        return np.zeros_like(array)
    return np.asarray(centred / max(spread, floor), dtype=np.float64)


def group_centred(returns: ArrayLike) -> Numbers:
    """``A_g = R_g - mean(R)`` over a group of at least two runs; for a table of runs by turns, turn by turn.

    This centred form, without a division, is MAGRPO's in its authors' documentation (OpenMLRL/CoMLRL, page
    "Multi-Agent REINFORCE", read at e664aef): the return of turn t less the mean over K samples of the same joint
    history, the same number for all agents and all their tokens. Their trainer can divide by the group's deviation
    afterwards (``advantage_normalization``, on by default at bb77955, absent at 1665784); we do not. The paper's own
    text was not read.
    """
    array = finite(returns)
    _group(array[:, 0] if array.ndim == 2 and array.shape[1] else array)
    return np.asarray(array - array.mean(axis=0), dtype=np.float64)


def leave_one_out_baseline(returns: ArrayLike) -> Numbers:
    """RLOO's advantage: ``A_g = R_g - mean of the others' R``, which equals ``G / (G - 1) * (R_g - mean(R))``.

    The baseline leaves out the run's own return, so that it does not bias the gradient (arXiv:2402.14740, and
    ``compute_rloo_outcome_advantage`` of verl).

    >>> leave_one_out_baseline([1, 0, 0.5]).tolist()
    [0.75, -0.75, 0.0]
    """
    array = _group(returns)
    return np.asarray(array - (array.sum() - array) / (len(array) - 1), dtype=np.float64)


def returns_to_go(rewards: ArrayLike, gamma: float = 1.0) -> Numbers:
    """Return ``R_t = r_t + gamma * R_(t+1)`` along the last axis: the return from each turn on."""
    found = np.array(rewards, dtype=np.float64)
    for turn in range(found.shape[-1] - 2, -1, -1):
        found[..., turn] += gamma * found[..., turn + 1]
    return found


def agent_wise(rewards: Mapping[str, Sequence[float]], floor: float = FLOOR) -> dict[str, Numbers]:
    """Normalise rewards by the statistics of each agent: ``A_(i,k) = (R_i - mu_k) / max(sigma_k, floor)``.

    ``rewards`` holds for each agent k one number per step, over all runs of the group: the reward of the run that
    the step belongs to. A run in which an agent acts twice thus counts twice for it. This is Dr. MAS
    (arXiv:2602.08847, section 4.2, equation 5), whose mean and variance run over the steps at which agent k is active.

    Our form differs in three points. The paper's variance divides by the number of steps; ours by one less, as its
    released code does (langfengQ/DrMAS, ``group_by_agent_id``, read at its last commit of February 2026). Algorithm 1
    (appendix D) adds a small number to the deviation, 1e-6 in the code; ours is a floor. For an agent with a single
    step the code leaves the reward unchanged; this function raises, naming all such agents: one step has no
    statistics.
    """
    alone = [f'"{agent}"' for agent, own in rewards.items() if len(own) < 2]
    if alone:
        raise NotMeasurable(f"needs at least two steps of every agent in the group: {', '.join(alone)} has one")
    return {agent: group_relative(own, floor) for agent, own in rewards.items()}


def finite(values: ArrayLike, what: str = "return") -> Numbers:
    """Return numbers as an array; raise ``NotMeasurable`` with the place of those that are not finite."""
    array = np.asarray(values, dtype=np.float64)
    if wrong := np.argwhere(~np.isfinite(array)).tolist():
        named = ", ".join(f"{what} {'/'.join(map(str, place))} is {array[tuple(place)]}" for place in wrong)
        raise NotMeasurable(f"needs finite numbers: {named}")
    return array


def _group(returns: ArrayLike) -> Numbers:
    array = np.asarray(returns, dtype=np.float64)
    if array.ndim != 1 or len(array) < 2:
        raise NotMeasurable("needs a group: at least two runs of the same task")
    return finite(array)
