"""The statements of the notebook on rewards, checked against the functions it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any

import pytest

from survey.traces import Trace, replay
from survey.traces.model import Builder, Content
from survey.traces.rewards import Reward, Run, hybrid, orchestration, parl, per_role, process, rewards, shared, tool_use
from survey.traces.simulate import Setting, rollouts

Head = Mapping[str, Any]


def team(plan: Mapping[str, str], head: Head | None = None) -> Run:
    """A lead and those of the plan, each word of which is a turn with a call; "think" has none, ">" is a report."""
    log = Builder("run", "question", importer="by hand", content=Content(salt=""))
    asked, returned = log.event("orchestrator_decision", "lead", 0, t_end=1), []
    for name, acts in plan.items():
        spawned, now = log.event("spawn", "lead", 1, to=name, role="searcher"), 1.5
        log.agent(name, role="searcher")
        log.link(asked, spawned, "causal")
        for act in acts.split():
            turn = log.event("model_call", name, now, t_end=now + 2, reward=0.25)
            log.link(spawned, turn, "causal")
            now += 2
            if act.startswith(">"):
                log.event("message", name, now, to="lead", text=act, reward=len(act) / 2)
            elif act != "think":
                call = log.event("tool_call", name, now, tool="web", text=act)
                now += 1
                log.event("tool_result", name, now, tool="web", parent=call)
        returned.append(log.event("return", name, now, to="lead", text=acts.split()[-1] if acts else "nothing"))
    last = log.event("aggregate", "lead", 40, t_end=42)
    for back in returned:
        log.link(back, last, "aggregate")
    log.head |= head or {"rewards": {"team": 1.0}}
    return Run(replay(log.build()))


def of(agent: str, run: Run, paid: Iterable[Reward]) -> float:
    """What an agent is paid for itself and for what it did."""
    own = {event.id for event in run.events if event.agent == agent} | {agent}
    return fsum(one.reward for one in paid if one.unit in own)


PLAN = {"A": "f1 >", "B": "?b x f2 >", "C": "?c f3 >", "D": "f2 x"}


def test_a_shared_reward_pays_an_agent_alike_whether_it_works_or_not() -> None:
    busy, idle = team(PLAN), team(PLAN | {"C": ""})
    assert of("C", busy, shared(busy, broadcast=True)) == of("C", idle, shared(idle, broadcast=True)) == 1


def test_a_judge_of_turns_pays_twice_for_a_turn_that_is_split() -> None:
    whole, split = team(PLAN), team(PLAN | {"B": "think ?b think x think f2 think >"})
    assert of("B", split, process(split)) == 2 * of("B", whole, process(whole))


def test_new_calls_that_are_good_for_nothing_are_paid_in_full_and_a_checkers_calls_are_not() -> None:
    plain, padded = team(PLAN), team(PLAN | {"A": "f1 ?1 ?2 ?3 >"})
    assert of("A", plain, tool_use(plain)) == 1
    assert of("A", padded, tool_use(padded)) == 4
    late = team(PLAN | {"D": "think think think think think f2 x"})
    assert of("D", late, tool_use(late)) == 1  # two calls, each made before


def test_agents_who_repeat_one_answer_agree_perfectly_whatever_it_is() -> None:
    three = {"outcome": {"score": 1.0}, "topology": "debate"}
    asked = {"R6": {"judge": 0.0, "zero_sum": 0.0}}
    found = [
        fsum(one.reward for one in rewards(team(plan, three).replayed, ["R6"], asked).rewards)
        for plan in ({"A": "f1", "B": "f1", "C": "x"}, {"A": "x", "B": "x", "C": "x"})
    ]
    assert found == [1, 3]


def test_idle_workers_raise_the_pay_for_organisation() -> None:
    plain, show = team(PLAN), team(PLAN | dict.fromkeys("EFG", "think think think think"))
    before, after = ({one.part: one.reward for one in orchestration(run)} for run in (plain, show))
    assert after["parallelism"] > before["parallelism"]
    assert after["economy"] == after["coverage"] == 1
    assert sum(after.values()) > sum(before.values())


def test_a_role_that_is_paid_by_the_record_is_paid_for_what_the_record_counts() -> None:
    run = team(PLAN, {"rewards": {"team": 0.5, "searcher": 1.0}})
    assert [(one.unit, one.reward) for one in per_role(run)] == [("searcher", 1.0)]


def course(plan: Mapping[str, str], outcome: float, weight: float, progress: float) -> float:
    run = team(plan, {"rewards": {"team": outcome}})
    return fsum(one.reward for one in parl(run, parallel=weight, progress=progress))


def test_annealing_takes_back_what_a_run_for_show_is_paid() -> None:
    alone, show = {"A": "f1 f2 f3"}, {"A": "f1"} | dict.fromkeys("BCEFGHIJ", "think")
    assert course(show, 1 / 3, 2.0, 0.0) > course(alone, 1.0, 2.0, 0.0)
    assert course(show, 1 / 3, 2.0, 1.0) < course(alone, 1.0, 2.0, 1.0)
    assert course(show, 1 / 3, 0.2, 0.0) < course(alone, 1.0, 0.2, 0.0)


def test_the_finish_rate_does_not_see_workers_who_come_back_with_nothing() -> None:
    show = team(dict.fromkeys("ABCDE", "think"))
    assert {one.part: one.reward for one in parl(show, finish=1.0)}["r_finish"] == 1


def test_leaving_the_hard_part_pays_from_a_weight_of_one_half_on() -> None:
    def paid(team_score: float, own: float, local: float) -> float:
        run = team(PLAN, {"rewards": {"team": team_score, "B": own}})
        return next(one.reward for one in hybrid(run, local=local) if one.unit == "B")

    for local, better in ((0.25, True), (0.75, False)):
        assert (paid(1, 1 / 3, local) > paid(2 / 3, 2 / 3, local)) is better
    assert paid(1, 1 / 3, 0.5) == pytest.approx(paid(2 / 3, 2 / 3, 0.5))


def test_the_weight_never_changes_who_is_paid_more_in_one_run() -> None:
    own = {"A": 0.3, "B": 0.1, "C": 0.2}
    run = team(PLAN, {"rewards": {"team": 0.7, **own}})
    for local in (0.1, 0.5, 0.9):
        paid = {one.unit: one.reward for one in hybrid(run, local=local)}
        assert sorted(paid, key=paid.__getitem__) == ["B", "C", "A"]


def test_a_shared_reward_and_that_of_a_role_put_workers_of_one_role_in_no_order() -> None:
    sims = rollouts(Setting("swarm", agents=5, steps=12, messages=0.6, seed=3), 2)
    for sim in sims:
        own = {agent: 0.1 * place for place, agent in enumerate(sim.trace.agents) if agent != "lead"}
        trace: Trace = sim.trace.with_head(rewards={**sim.trace.rewards, **own})
        found = rewards(trace, ["R1", "R3"], {"R1": {"broadcast": True}}).rewards
        assert len({one.reward for one in found if one.family == "R1"}) == 1
        assert [one.unit for one in found if one.family == "R3"] == ["worker"]
