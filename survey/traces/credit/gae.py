"""Generalised advantage estimation along the turns, or the tokens, of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.credit.group import actors, turn_rewards
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import output_tokens
from survey.traces.credit.values import recorded
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Critic = Callable[[str], float]
"""The value that a critic predicts at the start of a turn (by event id), or of a token ("e5:0")."""


def gae_advantages(
    rewards: ArrayLike, values: ArrayLike, gamma: float = 1.0, lam: float = 1.0, after: float = 0.0
) -> NDArray[np.float64]:
    """``A_t = delta_t + gamma * lam * A_(t+1)`` with ``delta_t = r_t + gamma * V_(t+1) - V_t``.

    ``values`` are the critic's predictions at each step; ``after`` is the one after the last step, 0 if the run
    ended there. With values of 0 and lam = 1 the result is the discounted return. The recursion is that of verl's
    ``compute_gae_advantage_return`` (0.10.0.dev), without its whitening.

    >>> gae_advantages([0, 0, 1], [0.5, 0.5, 0.5]).tolist()
    [0.5, 0.5, 0.5]
    """
    given, expected = np.asarray(rewards, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if given.shape != expected.shape or given.ndim != 1:
        raise ValueError(f"needs one value for each reward, found {expected.shape} for {given.shape}")
    found = np.zeros(len(given))
    ahead, following = 0.0, after
    for step in range(len(given) - 1, -1, -1):
        ahead = given[step] + gamma * following - expected[step] + gamma * lam * ahead
        found[step], following = ahead, expected[step]
    return found


def gae_credits(
    trace: Trace,
    kind: str = "turn",
    *,
    critic: Critic | None = None,
    gamma: float = 1.0,
    lam: float = 1.0,
    reward: str | None = None,
    by_agent: bool = False,
) -> list[Credit]:
    """Compute advantages of all turns, or tokens, in causal order.

    Rewards of events count at their turn (for tokens: at its last token), the run's reward at the last turn. By
    default the whole team is one sequence; ``by_agent`` makes one sequence per agent, each with the run's reward at
    its last turn. Without a critic, values are 0 and advantages are returns. Raises ``NotMeasurable`` for other
    kinds of units, which form no sequence. Needs a reward or an outcome of the whole run, and for tokens the
    output tokens of every turn.
    """
    if kind not in ("turn", "token"):
        raise NotMeasurable(f"needs turns or tokens; units of kind {kind} do not form a sequence")
    steps = turn_rewards(trace)
    whose = actors(trace, "turn")
    counts = output_tokens(trace) if kind == "token" else dict.fromkeys(steps, 1)
    groups: dict[str, list[str]] = {}
    for turn in steps:
        groups.setdefault(whose[turn] if by_agent else "", []).append(turn)
    found: dict[str, float] = {}
    for turns in groups.values():
        names, rewards = _sequence(turns, counts, steps, kind)
        if names:
            rewards[-1] += recorded(trace, reward)
            values = [critic(name) if critic else 0.0 for name in names]
            found |= dict(zip(names, gae_advantages(rewards, values, gamma, lam).tolist(), strict=True))
    settings = ("a critic" if critic else "no critic", "per agent" if by_agent else "team as one sequence")
    why = f"gamma {gamma:g}, lambda {lam:g}, {', '.join(settings)}"
    inorder = [name for turn in steps for name in _names(turn, counts[turn], kind)]
    return [Credit(kind, name, found[name], "gae", why=why) for name in inorder]


def _names(turn: str, count: int, kind: str) -> list[str]:
    return [turn] if kind == "turn" else [f"{turn}:{number}" for number in range(count)]


def _sequence(
    turns: Sequence[str], counts: dict[str, int], steps: dict[str, float], kind: str
) -> tuple[list[str], list[float]]:
    """Return the steps of a sequence with their rewards; that of a turn without tokens moves to an adjacent token."""
    names: list[str] = []
    rewards: list[float] = []
    carried = 0.0
    for turn in turns:
        own = _names(turn, counts[turn], kind)
        names += own
        rewards += [0.0] * len(own)
        if rewards:
            rewards[-1] += steps[turn] + carried
            carried = 0.0
        else:
            carried += steps[turn]
    return names, rewards
