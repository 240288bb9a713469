"""Outcome rewards: R1 shared by the team, R2 per agent, R3 per role."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from math import fsum
from statistics import fmean
from typing import Any, Literal

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import OUTSIDE
from survey.traces.problems import quoted
from survey.traces.rewards.reward import Reward, count, finite, formatted, formatted_scores, scores, team

TEAM = "team"
"""The name of the reward of the whole team in a trace. It is never the reward of an agent or a role."""


def shared(
    run: Run, *, of: Literal["reward", "score", "success"] | None = None, name: str = TEAM, broadcast: bool = False
) -> list[Reward]:
    """R1, the team's result: ``r = R(x)``, and with ``broadcast`` ``r_i = R(x)`` for every agent i.

    - ``of``: the result to use: the run's ``reward`` of this ``name``, the ``score`` of its outcome, or its
      ``success`` as 1 or 0. By default the first of these that the trace has, since the reward was
      actually paid and the others could have been.
    - ``name``: the name of the reward.
    - ``broadcast``: pay it to each agent instead of to the team.

    Needs one of the three; raises ``NotMeasurable`` otherwise.
    """
    value, why = _result(run, of, name)
    if not broadcast:
        return [Reward("team", run.replayed.trace.id, value, "R1", why)]
    return [Reward("agent", agent, value, "R1", f"{why}, the same for all agents") for agent in team(run)]


def _result(run: Run, of: str | None, name: str) -> tuple[float, str]:
    trace = run.replayed.trace
    outcome: Mapping[str, Any] = trace.head.get("outcome") or {}
    reward = finite(trace.rewards.get(name), f'the reward "{name}" of {quoted(trace.id)}')
    score = finite(outcome.get("score"), f"outcome.score of {quoted(trace.id)}")
    success = outcome.get("success")
    known = {
        "reward": (reward, f'the run\'s reward "{name}" is {formatted(reward or 0)}'),
        "score": (score, f"the outcome's score is {formatted(score or 0)}"),
        "success": (
            float(success) if isinstance(success, bool) else None,
            "the run succeeded" if success else "the run did not succeed",
        ),
    }
    for source, (value, why) in known.items():
        if value is not None and of in (None, source):
            return value, why
    words = {"reward": f'a reward "{name}" of the run', "score": "outcome.score", "success": "outcome.success"}
    raise NotMeasurable(
        f"needs {words[of] if of else ', '.join(words.values()).replace(', outcome.su', ' or outcome.su')}"
    )


def individual(
    run: Run,
    *,
    of: Literal["recorded", "events"] | None = None,
    prefix: str = "",
    names: Collection[str] | None = None,
    how: Literal["sum", "mean"] = "sum",
) -> list[Reward]:
    """R2, each agent's own result: ``r_i = R_i(x)``.

    ``recorded`` uses the run's rewards whose name is an agent's id, or its name if no other agent shares
    it. ``events`` uses the sum (or mean) of the rewards on the events of agent i; a reward on the result
    of a call belongs to the caller.

    - ``of``: the source. By default recorded rewards if any agent has one, else events; never both,
      since their scales may differ.
    - ``prefix``: the prefix of the agent in the name of a recorded reward (MARBLE's are "kpi/...").
    - ``names``: which of several rewards of an event count; all by default.
    - ``how``: the sum of the rewards of events, or their mean, which does not grow with the number of acts.

    Needs a recorded reward or a reward on an event; raises ``NotMeasurable`` otherwise. An agent without
    a reward has no row: no reward is not a reward of 0.
    """
    found: list[Reward] = []
    if of != "events":
        found = _recorded(run, prefix)
    if not found and of != "recorded":
        found = _from_events(run, names, how)
    if not found:
        words = {"recorded": "a reward of the run under the id or name of an agent", "events": "a reward on an event"}
        raise NotMeasurable(f"needs {words[of] if of else ', or '.join(words.values())}")
    return found


def _recorded(run: Run, prefix: str) -> list[Reward]:
    trace, members = run.replayed.trace, team(run)
    called = {agent: str(trace.agents.get(agent, {}).get("name") or "") for agent in members}
    bearers = Counter(called.values())
    found = []
    for agent in members:
        own = [agent] + [called[agent]] * (bearers[called[agent]] == 1 and called[agent] not in members)
        for key in (prefix + name for name in own if prefix + name not in ("", TEAM)):
            value = finite(trace.rewards.get(key), f'the reward "{key}" of {quoted(trace.id)}')
            if value is not None:
                found.append(Reward("agent", agent, value, "R2", f'the run\'s reward "{key}" is {formatted(value)}'))
                break
    return found


def _from_events(run: Run, names: Collection[str] | None, how: str) -> list[Reward]:
    given: dict[str, list[float]] = defaultdict(list)
    members = set(team(run))
    for event, actor in zip(run.events, run.timeline.actors, strict=True):
        if event.reward is not None and actor in members and (own := scores(event, names)):
            given[actor].append(fsum(own.values()))
    found = []
    for agent, values in given.items():
        value = fsum(values) if how == "sum" else fmean(values)
        verb = "add up to" if how == "sum" else "are on average"
        why = f"the rewards of {count(len(values), 'event')} of its own {verb} {formatted(value)}"
        found.append(Reward("agent", agent, value, "R2", why))
    return found


def per_role(
    run: Run,
    *,
    of: Literal["recorded", "agents"] | None = None,
    how: Literal["mean", "sum"] = "mean",
    names: Collection[str] | None = None,
) -> list[Reward]:
    """R3, the reward of a role: ``r_rho = R_rho(x)``, the same for all agents of role rho.

    ``recorded`` uses the run's rewards named after a role. ``agents`` uses the mean (or sum) of R2, the
    individual reward, over the agents of the role.

    - ``of``: the source; by default recorded rewards if any role has one.
    - ``how``: the mean over the agents of a role, which does not grow with their number, or the sum.
    - ``names``: which rewards of events count where R2 comes from events.

    Needs roles, and a recorded reward or what R2 needs; raises ``NotMeasurable`` otherwise. A role without
    a paid agent has no row.
    """
    roles = {agent: role for agent, role in run.roles.items() if agent not in OUTSIDE}
    if not roles:
        raise NotMeasurable("needs roles: no agent has one")
    rewards, found = run.replayed.trace.rewards, []
    for role in sorted(set(roles.values()) - {TEAM}) if of != "agents" else ():
        value = finite(rewards.get(role), f'the reward "{role}" of {quoted(run.replayed.trace.id)}')
        if value is not None:
            found.append(Reward("role", role, value, "R3", f'the run\'s reward "{role}" is {formatted(value)}'))
    if found:
        return found
    if of == "recorded":
        raise NotMeasurable("needs a reward of the run under the name of a role")
    try:
        own = individual(run, names=names)
    except NotMeasurable as reason:
        raise NotMeasurable(
            str(reason).replace("needs", "needs a reward of the run under the name of a role,")
        ) from None
    return _by_role(own, roles, how)


def _by_role(own: list[Reward], roles: Mapping[str, str], how: str) -> list[Reward]:
    paid: dict[str, dict[str, float]] = defaultdict(dict)
    for one in own:
        if one.unit in roles:
            paid[roles[one.unit]][one.unit] = one.reward
    if not paid:
        raise NotMeasurable("needs a reward of an agent with a role: those that are paid have none")
    found = []
    for role, values in sorted(paid.items()):
        value = fmean(values.values()) if how == "mean" else fsum(values.values())
        shown = formatted_scores(dict(list(values.items())[:3])) + (", ..." if len(values) > 3 else "")
        why = f"the {how} over {count(len(values), 'agent')} of the role ({shown})"
        found.append(Reward("role", role, value, "R3", why))
    return found
