"""R4 process: what is paid on the way, turn by turn."""

from __future__ import annotations

from collections.abc import Collection
from math import fsum

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE
from survey.traces.rewards.reward import Reward, added, said, scores


def process(run: Run, *, names: Collection[str] | None = None, discount: float | None = None) -> list[Reward]:
    """R4, scores of turns: ``r_(i,t)`` for turn t of agent i, as events carry them.

    Turns are the decisions, model calls and aggregations; of an agent whose turns are not in the trace,
    its tool calls and messages. A turn's several rewards by name are added up.

    - ``names``: which rewards by name count, for instance those of one judge; all of them by default.
    - ``discount``: where given, between 0 and 1, a turn is paid its return-to-go
      ``G_(i,t) = r_(i,t) + discount * G_(i,t+1)`` over the agent's own turns, to which a turn
      without a score adds nothing. Turns after the last that is scored have no row.

    Needs a reward on a turn; raises ``NotMeasurable`` without. Without a discount, turns that nobody
    scored have no row. Rewards on other events are no matter of this family: see R2 and R6.
    """
    if discount is not None and not 0 <= discount <= 1:
        raise ValueError(f"the discount is {said(discount)} (expected 0 to 1)")
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
            f"scored {added(own)} on this turn of {actors[place]}",
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
        score = "no score of its own" if own is None else f"{said(own)} of its own"
        why = f"{score} and, at discount {said(discount)}, {said(after)} from later turns of {agent}"
        found.append(Reward("turn", run.events[place].id, ahead[agent], "R4", why))
    return found[::-1]
