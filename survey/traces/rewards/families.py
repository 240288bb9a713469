"""The eight families by code, and the computation of all their rewards in one trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Trace
from survey.traces.problems import nearest
from survey.traces.replay import Replay, replay
from survey.traces.rewards.debate import debate
from survey.traces.rewards.mixing import hybrid
from survey.traces.rewards.orchestration import orchestration
from survey.traces.rewards.outcome import individual, per_role, shared
from survey.traces.rewards.parl import parl
from survey.traces.rewards.process import process
from survey.traces.rewards.reward import Family, PartsNotMeasurable, Reward
from survey.traces.rewards.tools import tool_use

if TYPE_CHECKING:
    import pandas as pd

FAMILIES: Mapping[str, Family] = {
    family.code: family
    for family in (
        Family("R1", "shared", "Shared outcome", "r_i = R(x) for every agent i",
               'the run\'s reward "team", outcome.score or outcome.success', shared),
        Family("R2", "individual", "Individual", "r_i = R_i(x)",
               "rewards of the run under the ids or names of agents, or rewards on events", individual),
        Family("R3", "role", "Per role", "r_rho = R_rho(x), or the mean of R2 over the agents of role rho",
               "roles, and rewards of the run under their names or what R2 needs", per_role),
        Family("R4", "process", "Process", "r_(i,t) as scored; or G_(i,t) = r_(i,t) + discount * G_(i,t+1)",
               "rewards on turns", process),
        Family("R5", "tool", "Tool use",
               "r_c = valid * [accepted] + success * [ok] + repeated * [made before] + cost * price(c)",
               "tool calls with results, and content_ref to see repetitions", tool_use),
        Family("R6", "debate", "Debate and verifier",
               "judge * mean_j s_j(m) to a message; agreement * #{k != i: a_k = a_i}/(n-1) "
               "+ zero_sum * sum_k (s_i - s_k)/(n-1) to a debater",
               "rewards on messages; a declared debate with content_ref on answers, or with rewards of the debaters",
               debate),
        Family("R7", "orchestration", "Orchestration", "sum_q w_q * q(organisation), every q between 0 and 1",
               "times in seconds, work handed out and returned, spawns, content_ref on sub-agents' calls",
               orchestration),
        Family("R8", "hybrid", "Hybrid of local and global", "r_i = (1 - local) * R1 + local * R2_i",
               "what R1 and R2 need", hybrid),
    )
}  # fmt: skip
"""R1 to R8."""

VARIANTS: Mapping[str, Family] = {
    "parl": Family("R7", "parl", "Orchestration as in PARL",
                   "lambda_1(p) * r_parallel + lambda_2(p) * r_finish + r_perf", "what R1 needs", parl),
}  # fmt: skip
"""Other forms of a family, by name. They are computed only on request."""


class RewardResult(NamedTuple):
    """The rewards that families pay in a trace, and the reasons for those that cannot be computed."""

    rewards: list[Reward]
    why_not: dict[str, str]
    """By family ("R2"), or by part of a family ("R7 distinct"): why there is no reward."""


def family(word: str) -> Family:
    """Return the family with a code or name, ignoring case; raises ``ValueError``."""
    known = {key.lower(): one for one in [*FAMILIES.values(), *VARIANTS.values()] for key in (one.name, one.code)}
    known |= {code.lower(): one for code, one in FAMILIES.items()}
    if word.lower() not in known:
        expected = ", ".join([*FAMILIES, *VARIANTS])
        raise ValueError(f'"{word}" is not a reward family{nearest(word.lower(), known)}; expected one of {expected}')
    return known[word.lower()]


def rewards(
    of: Trace | Replay | Run,
    families: Iterable[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> RewardResult:
    """Compute the rewards of all families in a trace, or of those given by code or name.

    ``parameters`` holds keyword parameters of the functions by code or name: ``{"R8": {"local": 0.2}}``.
    For a family with several parts, the measurable parts are returned and the others explained. The
    family's own function raises instead, so that sums over different parts are not compared by accident.

        >>> paid = rewards(Trace.of({"trace_id": "r", "task_id": "t", "rewards": {"team": 0.8}, "edges": [],
        ...     "costs": {"tokens": 0, "wall_clock_s": 1},
        ...     "events": [{"id": "e1", "t": 0, "type": "model_call", "agent": "a", "reward": 0.5}]}),
        ...     ["R1", "R2", "R5"])
        >>> [(one.family, one.kind, one.unit, one.reward) for one in paid.rewards]
        [('R1', 'team', 'r', 0.8), ('R2', 'agent', 'a', 0.5)]
        >>> paid.why_not
        {'R5': 'needs tool calls: nobody called a tool'}
    """
    run = of if isinstance(of, Run) else Run(of if isinstance(of, Replay) else replay(of))
    given = {_key(family(word)): values for word, values in (parameters or {}).items()}
    found = RewardResult([], {})
    for one in [family(word) for word in families] if families is not None else FAMILIES.values():
        own = given.get(_key(one), {})
        try:
            found.rewards.extend(_measurable(one, run, own, found.why_not))
        except NotMeasurable as reason:
            found.why_not[_key(one)] = str(reason)
    return found


def _key(one: Family) -> str:
    return one.name if one.name in VARIANTS else one.code


def _measurable(one: Family, run: Run, parameters: Mapping[str, Any], why_not: dict[str, str]) -> list[Reward]:
    """Return all measurable parts of a family; add the reasons for the others to ``why_not``."""
    try:
        return one.function(run, **parameters)
    except PartsNotMeasurable as missing:
        why_not.update({f"{_key(one)} {part}": reason for part, reason in missing.reasons.items()})
        left = {**one.weights, **parameters, **dict.fromkeys(missing.reasons, 0.0)}
        if not any(left[part] for part in one.weights):
            return []
        return one.function(run, **left)


COLUMNS = tuple(field.name for field in fields(Reward))


def table(rewards: Iterable[Reward]) -> list[dict[str, Any]]:
    """Return rewards as rows with kind, unit, reward, family, why and part."""
    return [asdict(one) for one in rewards]


def frame(rewards: Iterable[Reward]) -> pd.DataFrame:
    """Return rewards as a pandas frame, with all columns even without rows."""
    import pandas as pd

    return pd.DataFrame(table(rewards), columns=list(COLUMNS))
