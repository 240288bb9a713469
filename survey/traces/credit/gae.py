"""Generalised advantage estimation along the turns, or the tokens, of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from survey.extras import late
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
    np = late("numpy")

Critic = Callable[[str], float]
"""What a critic expected to come when a turn (by its event's id), or a token ("e5:0"), began."""


def estimates(
    rewards: ArrayLike, values: ArrayLike, gamma: float = 1.0, lam: float = 1.0, after: float = 0.0
) -> NDArray[np.float64]:
    """``A_t = delta_t + gamma * lam * A_(t+1)`` with ``delta_t = r_t + gamma * V_(t+1) - V_t``.

    ``values`` is what a critic expected at each step; ``after`` what it expected behind the last, 0 where the run
    was over. With values of 0 and lam = 1 it is the discounted return. The recursion as in verl's
    ``compute_gae_advantage_return`` (0.10.0.dev), without its whitening.

    >>> estimates([0, 0, 1], [0.5, 0.5, 0.5]).tolist()
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


def along(
    trace: Trace,
    kind: str = "turn",
    *,
    critic: Critic | None = None,
    gamma: float = 1.0,
    lam: float = 1.0,
    reward: str | None = None,
    by_agent: bool = False,
) -> list[Credit]:
    """Advantages of every turn, or token, in causal order.

    Rewards are those of events, each with its turn (for tokens: on the turn's last), and the run's own with the last
    turn of all. By default the whole team is one sequence; ``by_agent`` makes one of each agent's turns, and the
    run's reward comes with the last turn of each. Without a critic nothing is expected, and advantages are returns.
    Refused for other kinds of units: they do not follow one another. Needs a reward or an outcome of the whole run,
    and for tokens the output tokens of every turn.
    """
    if kind not in ("turn", "token"):
        raise NotMeasurable(f"goes along turns or tokens; units of kind {kind} do not follow one another")
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
            found |= dict(zip(names, estimates(rewards, values, gamma, lam).tolist(), strict=True))
    told = ("a critic" if critic else "no critic", "agent by agent" if by_agent else "the team as one")
    why = f"gamma {gamma:g}, lambda {lam:g}, {', '.join(told)}"
    inorder = [name for turn in steps for name in _names(turn, counts[turn], kind)]
    return [Credit(kind, name, found[name], "gae", why=why) for name in inorder]


def _names(turn: str, count: int, kind: str) -> list[str]:
    return [turn] if kind == "turn" else [f"{turn}:{number}" for number in range(count)]


def _sequence(
    turns: Sequence[str], counts: dict[str, int], steps: dict[str, float], kind: str
) -> tuple[list[str], list[float]]:
    """The steps of a sequence and their rewards; that of a turn without tokens comes with a token beside it."""
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
