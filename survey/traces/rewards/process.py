"""R4, process rewards: a reward per turn."""

from __future__ import annotations

from collections.abc import Collection
from math import fsum

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE
from survey.traces.rewards.reward import Reward, formatted, formatted_scores, scores


def process(run: Run, *, names: Collection[str] | None = None, discount: float | None = None) -> list[Reward]:
    """R4, scores of turns: ``r_(i,t)`` for turn t of agent i, as recorded on events.

    Turns are the decisions, model calls and aggregations; for an agent whose turns are not in the trace,
    its tool calls and messages. Several named rewards of a turn are summed.

    - ``names``: which named rewards count, for instance those of one judge; all by default.
    - ``discount``: if given, between 0 and 1, a turn is paid its return-to-go
      ``G_(i,t) = r_(i,t) + discount * G_(i,t+1)`` over the agent's own turns, where a turn without a
      score adds nothing. Turns after the last scored one have no row.

    Needs a reward on a turn; raises ``NotMeasurable`` otherwise. Without a discount, turns without a
    score have no row. For rewards on other events see R2 and R6.
    """
    if discount is not None and not 0 <= discount <= 1:
        raise ValueError(f"the discount is {formatted(discount)} (expected 0 to 1)")
    actors = run.timeline.actors
    turns = [place for place, step in enumerate(run.timeline.steps) if step and actors[place] not in OUTSIDE]
    scored = {place: own for place in turns if (own := scores(run.events[place], names))}
    if not scored:
        wanted = f" named {' or '.join(sorted(names))}" if names else ""
        raise NotMeasurable(f"needs a reward{wanted} on a turn (a decision, model call or aggregation)")
    if discount is not None:
        return _to_go(run, turns, {place: fsum(own.values()) for place, own in scored.items()}, discount)
    return [
        Reward(
            "turn",
            run.events[place].id,
            fsum(own.values()),
            "R4",
            f"scored {formatted_scores(own)} on this turn of {actors[place]}",
        )
        for place, own in scored.items()
    ]


def _to_go(run: Run, turns: list[int], scored: dict[int, float], discount: float) -> list[Reward]:
    ahead: dict[str, float] = {}
    found = []
    for place in reversed(turns):
        agent, own = run.timeline.actors[place], scored.get(place)
        if own is None and agent not in ahead:
            continue
        after = discount * ahead.get(agent, 0.0)
        ahead[agent] = (own or 0.0) + after
        score = "no score of its own" if own is None else f"{formatted(own)} of its own"
        why = f"{score} and, at discount {formatted(discount)}, {formatted(after)} from later turns of {agent}"
        found.append(Reward("turn", run.events[place].id, ahead[agent], "R4", why))
    return found[::-1]
