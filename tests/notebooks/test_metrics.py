"""The statements of the notebook on replay and metrics: a simulated swarm, speed-ups, and two counts of steps."""

from __future__ import annotations

import heapq
from collections import defaultdict
from functools import cache
from itertools import pairwise
from random import Random
from statistics import fmean, median

import pytest

from survey.traces import Trace, check, replay
from survey.traces.metrics import Measure, Run, compare, measure
from survey.traces.model import Builder
from survey.traces.replay import without
from survey.traces.simulate import Setting, rollouts, simulate


@cache
def swarm() -> Run:
    return Run(replay(simulate(Setting("swarm", agents=8, seed=0)).trace))


@cache
def found() -> dict[str, Measure]:
    return measure(swarm().replayed)


# one run


def test_most_of_the_team_is_not_on_the_critical_path() -> None:
    line = swarm().timeline
    on_path = {line.actors[place] for place in line.critical_path() if line.ends[place] > line.starts[place]}
    assert len(on_path) == 3
    assert found()["critical_path_s"].value > 0.95 * found()["wall_s"].value


def test_the_critical_path_ends_with_a_second_try() -> None:
    returns = [event for event in swarm().events if event.type == "return" and event.agent == "worker-1"]
    assert [event.status for event in returns] == ["timeout", "ok"]
    assert returns[1] == [event for event in swarm().events if event.type == "return"][-1]


def test_without_one_worker_the_path_is_much_shorter_and_without_any_other_it_is_not() -> None:
    trace, whole = swarm().replayed.trace, found()["critical_path_s"].value
    saved = {
        agent: whole - measure(without(trace, agent), ["critical_path_s"])["critical_path_s"].value
        for agent in list(trace.agents)[1:]
    }
    assert [agent for agent, gain in saved.items() if gain >= 2] == ["worker-1"]
    assert saved["worker-1"] > 100


def test_for_long_only_one_agent_is_at_work() -> None:
    levels = found()["parallelism"].value
    assert max(levels, key=int) == "7"
    assert levels["1"] > levels["7"] > 60


def test_the_lead_waits_nearly_all_the_time_and_hardly_anybody_is_idle() -> None:
    wall = found()["wall_s"].value
    waiting = found()["waiting_s"].value
    assert waiting["lead"] > 0.9 * wall
    assert all(seconds < 0.05 * wall for agent, seconds in waiting.items() if agent != "lead")
    assert max(found()["idle_s"].value.values()) < 0.02 * wall


def test_busy_waiting_and_idle_fit_into_the_run() -> None:
    for agent in swarm().replayed.trace.agents:
        spent = sum(found()[name].value.get(agent, 0) for name in ("busy_s", "waiting_s", "idle_s"))
        assert 0 < spent <= found()["wall_s"].value + 1e-6


# three speed-ups


def seated(seats: int) -> Trace:
    """Reschedule the same events and edges with a limit on busy agents."""
    run = swarm()
    trace, line = run.replayed.trace, run.timeline
    causes = dict(run.replayed.graph.causes())
    free, over = [0.0] * seats, [0.0] * len(run.events)
    ready: dict[str, float] = defaultdict(float)
    events = []
    for place in sorted(range(len(over)), key=line.starts.__getitem__):
        actor = line.actors[place]
        took = line.ends[place] - line.starts[place]
        begin = max([ready[actor], *(over[cause] for cause, _ in causes.get(place, ()))])
        if took:
            begin = max(begin, heapq.heappop(free))
            heapq.heappush(free, begin + took)
        over[place] = ready[actor] = begin + took
        events.append(run.events[place].with_fields(t=round(begin, 6), t_end=round(begin + took, 6), delivered=None))
    return Trace(events, trace.edges, {**trace.head, "costs": {**trace.costs, "wall_clock_s": max(over)}})


def test_a_queue_changes_the_observed_speed_up_and_never_that_of_the_graph() -> None:
    observed = []
    for seats in range(1, 9):
        trace = seated(seats)
        assert not check(trace)
        values = measure(trace, ["speedup_graph", "speedup_observed"])
        assert values["speedup_graph"].value == pytest.approx(found()["speedup_graph"].value, rel=1e-3)
        observed.append(values["speedup_observed"].value)
    assert observed[0] == pytest.approx(1)
    assert observed == sorted(observed)
    assert observed[-1] == pytest.approx(found()["speedup_graph"].value, rel=0.01)


def test_who_queues_with_everything_at_hand_is_idle() -> None:
    idle = [sum(measure(seated(seats), ["idle_s"])["idle_s"].value.values()) for seats in (1, 4, 8)]
    assert idle[0] > idle[1] > 50 * idle[2]


def test_against_one_worker_the_team_gains_less_and_on_one_seat_it_loses() -> None:
    alone = Setting("centralized", agents=2, parts=7, messages=0, seed=0)
    singles = [single.trace for single in rollouts(alone, 20)]
    few, many = (compare([seated(seats)], singles)["speedup_baseline"].value for seats in (1, 8))
    assert few < 1 < many < found()["speedup_graph"].value


# two counts of steps


def scripted(script: str) -> Trace:
    """Build a trace of actions that only have an order: `lead spawn a`, `a turn`, `a return lead`."""
    log = Builder("script", "script", importer="by hand", time="ordinal")
    unread: dict[str | None, list[str]] = defaultdict(list)
    for act in script.split(","):
        who, what, *whom = act.split()
        to = whom[0] if whom else None
        id = log.event({"turn": "model_call"}.get(what, what), who, to=to)
        for source in unread.pop(who, ()):
            log.link(source, id, "causal")
        unread[to].append(id)
    return log.build()


def turns(agent: str, count: int) -> str:
    return ", ".join([f"{agent} turn"] * count)


def counts(trace: Trace) -> tuple[int, int]:
    """Return Kimi's critical steps, and the critical path in steps."""
    values = measure(trace, ["critical_steps", "critical_path_steps"])
    return values["critical_steps"].value, values["critical_path_steps"].value


A, B = turns("a", 4), turns("b", 4)
BACK = "a return lead, b return lead, lead turn"
STORIES = {
    "stages": (f"lead turn, lead spawn a, lead spawn b, {A}, {turns('b', 2)}, {BACK}", (6, 6)),
    "overlap": (f"lead turn, lead spawn a, {A}, lead turn, lead spawn b, {B}, {BACK}", (11, 7)),
    "nesting": (
        f"lead turn, lead spawn a, a turn, a spawn b, {B}, b return a, a turn, a return lead, lead turn",
        (4, 8),
    ),
    "a message": (f"lead turn, lead spawn a, lead spawn b, {A}, a message b, {B}, {BACK}", (6, 10)),
}


@pytest.mark.parametrize(("story", "expected"), STORIES.values(), ids=list(STORIES))
def test_the_two_counts_agree_in_stages_and_differ_in_both_directions_elsewhere(
    story: str, expected: tuple[int, int]
) -> None:
    assert not check(scripted(story))
    assert counts(scripted(story)) == expected


def staged(seed: int) -> Trace:
    random, acts = Random(seed), list[str]()
    for stage in range(random.randint(1, 8)):
        team = [f"s{stage}-{n}" for n in range(random.randint(1, 4))]
        acts += ["lead turn", *(f"lead spawn {name}" for name in team)]
        acts += [turns(name, random.randint(1, 9)) for name in team]
        acts += [f"{name} return lead" for name in team]
    return scripted(", ".join([*acts, "lead turn"]))


def test_in_stages_the_two_counts_are_always_equal() -> None:
    for seed in range(40):
        kimi, graph = counts(staged(seed))
        assert kimi == graph


def test_in_swarms_kimis_count_is_sometimes_higher_and_more_often_lower() -> None:
    pairs = [counts(simulate(Setting("swarm", agents=8, seed=seed)).trace) for seed in range(20)]
    higher, lower = (sum(sign * (kimi - graph) > 0 for kimi, graph in pairs) for sign in (1, -1))
    assert lower > higher > 0


def test_in_hierarchies_kimis_count_is_always_lower() -> None:
    for seed in range(10):
        kimi, graph = counts(simulate(Setting("hierarchical", agents=8, seed=seed)).trace)
        assert kimi < graph


# against one worker


def test_each_doubling_of_the_team_pays_less() -> None:
    def walls(topology: str, workers: int, messages: float | None) -> list[float]:
        settings = [Setting(topology, agents=workers + 1, parts=12, messages=messages, seed=n) for n in range(20)]
        return [measure(simulate(setting).trace, ["wall_s"])["wall_s"].value for setting in settings]

    one = walls("centralized", 1, 0)
    medians = [
        median(single / team for single, team in zip(one, walls("swarm", workers, None), strict=True))
        for workers in (1, 2, 4, 8, 16)
    ]
    gains = [larger / smaller for smaller, larger in pairwise(medians)]
    assert gains == sorted(gains, reverse=True)
    assert 1 < gains[-1] < 1.5
    assert fmean(gains) < 2


# what is not measurable


def test_with_less_in_the_trace_fewer_measures_have_a_value_and_the_rest_say_why() -> None:
    trace = swarm().replayed.trace
    bare = Trace([event.with_fields(tokens=None) for event in trace], trace.edges, trace.head)
    kinds = [trace, bare, trace.with_head(time="ordinal"), bare.with_head(time="ordinal")]
    missing = [{name: m.why_not for name, m in measure(kind).items() if m.why_not} for kind in kinds]
    assert len(missing[0]) < len(missing[1]) < len(missing[2]) < len(missing[3])
    assert missing[3]["wall_s"] == "its times are ordinal: they order events but give no durations"
    assert missing[3]["tokens_by_agent"] == "no event records its tokens"
    assert all(m.value is None for m in measure(kinds[3]).values() if m.why_not)
