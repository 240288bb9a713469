"""Generalised advantage estimation along the turns, or the tokens, of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING

from survey.extras import lazy
from survey.traces.credit.group import actors, rounds, turn_rewards
from survey.traces.credit.group.arrays import finite
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

Critics = Critic | Mapping[str, Critic | Mapping[str, float]]
"""A critic for all runs, or for each run by its id a critic or its predictions by unit."""


def gae_advantages(
    rewards: ArrayLike,
    values: ArrayLike,
    gamma: float = 1.0,
    lam: float = 1.0,
    after: float = 0.0,
    advantage_after: float = 0.0,
) -> NDArray[np.float64]:
    """``A_t = delta_t + gamma * lam * A_(t+1)`` with ``delta_t = r_t + gamma * V_(t+1) - V_t``.

    ``values`` are the critic's predictions at each step; ``after`` is the one after the last step, 0 if the run
    ended there, and ``advantage_after`` the advantage there, if the steps go on in others. With values of 0 and
    lam = 1 the result is the discounted return. The recursion is that of verl's ``compute_gae_advantage_return``
    (0.10.0.dev), without its whitening.

    >>> gae_advantages([0, 0, 1], [0.5, 0.5, 0.5]).tolist()
    [0.5, 0.5, 0.5]
    """
    given, expected = finite(rewards, "reward"), finite(values, "value")
    if given.shape != expected.shape or given.ndim != 1:
        raise ValueError(f"needs one value for each reward, found {expected.shape} for {given.shape}")
    found = np.zeros(len(given))
    ahead, following = advantage_after, after
    for step in range(len(given) - 1, -1, -1):
        ahead = given[step] + gamma * following - expected[step] + gamma * lam * ahead
        found[step], following = ahead, expected[step]
    return found


def gae_credits(
    trace: Trace,
    kind: str = "turn",
    *,
    critic: Critics | None = None,
    bootstrap: float = 0.0,
    gamma: float = 1.0,
    lam: float = 1.0,
    reward: str | None = None,
    by_agent: bool = False,
) -> list[Credit]:
    """Compute advantages of all turns, or tokens, in causal order.

    The steps of the team are its rounds (``group.rounds``): turns that could be taken at once are one step, share its
    reward and are discounted alike, in whatever order the log names them. A step is paid the rewards of the events of
    its turns (for tokens: at their last tokens), the last step the run's reward as well. What follows a step is the
    mean over the turns of the next one. ``by_agent`` makes one sequence of the turns of each agent, with its own
    rewards and the run's reward at its last step.

    ``critic`` predicts the value at the start of a turn or token, by its id; for several runs it may be a mapping
    from their ids. ``bootstrap`` is the prediction after the last step, for a run that was cut off. Without a critic,
    values are 0 and advantages are returns. Raises ``NotMeasurable`` for other kinds of units, which form no
    sequence. Needs a reward or an outcome of the whole run, and for tokens the output tokens of every turn.
    """
    if kind not in ("turn", "token"):
        raise NotMeasurable(f"needs turns or tokens; units of kind {kind} do not form a sequence")
    if not isfinite(bootstrap):
        raise NotMeasurable(f"{trace.id}: needs a finite number: the bootstrap is {bootstrap}")
    score, paid, step_of = recorded(trace, reward), turn_rewards(trace), rounds(trace)
    whose, predicted = actors(trace, "turn"), _predictions(trace, critic)
    counts = output_tokens(trace) if kind == "token" else dict.fromkeys(paid, 1)
    names = {turn: [turn] if kind == "turn" else [f"{turn}:{n}" for n in range(counts[turn])] for turn in paid}
    sequences: dict[str, dict[int, list[str]]] = {}
    for turn in paid:
        sequences.setdefault(whose[turn] if by_agent else "", {}).setdefault(step_of[turn], []).append(turn)
    found: dict[str, float] = {}
    for sequence in sequences.values():
        steps = [sequence[number] for number in sorted(sequence)]
        earned = [sum(paid[turn] for turn in turns) for turns in steps]
        earned[-1] += score
        after, ahead = bootstrap, 0.0
        for turns, got in _with_units(steps, earned, names):
            values = {turn: [predicted(name) for name in names[turn]] for turn in turns}
            own = {
                turn: gae_advantages([0.0] * (len(values[turn]) - 1) + [got], values[turn], gamma, lam, after, ahead)
                for turn in turns
            }
            for turn in turns:
                found |= dict(zip(names[turn], own[turn].tolist(), strict=True))
            after, ahead = fmean(values[turn][0] for turn in turns), fmean(float(own[turn][0]) for turn in turns)
    settings = ("a critic" if critic else "no critic", "per agent" if by_agent else "the team by rounds")
    why = f"gamma {gamma:g}, lambda {lam:g}, {', '.join(settings)}"
    return [Credit(kind, name, found[name], "gae", why=why) for turn in paid for name in names[turn]]


def _with_units(
    steps: Sequence[list[str]], earned: Sequence[float], names: Mapping[str, list[str]]
) -> list[tuple[list[str], float]]:
    """Return the steps from last to first, with their rewards; that of one without tokens moves to the one before."""
    found: list[tuple[list[str], float]] = []
    carried = 0.0
    for turns, got in zip(reversed(steps), reversed(earned), strict=True):
        if written := [turn for turn in turns if names[turn]]:
            found.append((written, got + carried))
            carried = 0.0
        else:
            carried += got
    if carried and found:
        turns, got = found[-1]
        found[-1] = turns, got + carried
    return found


def _predictions(trace: Trace, critic: Critics | None) -> Critic:
    """Return the critic of a run; its predictions must be finite."""
    if isinstance(critic, Mapping) and trace.id not in critic:
        raise NotMeasurable(f"{trace.id}: needs the critic's predictions for this run")
    own = critic[trace.id] if isinstance(critic, Mapping) else critic

    def predicted(name: str) -> float:
        if own is None:
            return 0.0
        if isinstance(own, Mapping) and name not in own:
            raise NotMeasurable(f'{trace.id}: needs the critic\'s prediction for "{name}"')
        value = own[name] if isinstance(own, Mapping) else own(name)
        if not isfinite(value):
            raise NotMeasurable(f'{trace.id}: needs finite numbers: the critic predicts {value} for "{name}"')
        return float(value)

    return predicted
