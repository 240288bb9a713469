"""All families: on the example, on any run, under other names, as tables."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from math import inf, isfinite, nan
from typing import Any

import pytest
from hypothesis import given

import survey.traces.rewards as package
from survey.traces import Trace, replay
from survey.traces.rewards import FAMILIES, VARIANTS, RewardResult, Run, family, frame, rewards, table
from tests.traces.rewards.runs import debate_run, paid_documents, paid_runs, search
from tests.traces.strategies import MODEST, Json, published_example, small


def example(**head: Any) -> Trace:
    """The bundled example."""
    return Trace.of({**json.loads(files("survey.traces.model").joinpath("example.json").read_text("utf-8")), **head})


def shown(paid: RewardResult) -> dict[tuple[str, str, str], float]:
    return {(one.family, one.part, one.unit): round(one.reward, 4) for one in paid.rewards}


def test_what_the_example_is_paid() -> None:
    assert shown(rewards(example())) == {
        ("R1", "", "example"): 1.0,
        ("R5", "", "e7"): 1.0,
        ("R5", "", "e8"): 1.0,
        ("R5", "", "e16"): 0.5,
        ("R7", "parallelism", "lead"): 0.1431,  # 1 - 42.5 s with any agent busy / 49.6 s of work
        ("R7", "coverage", "lead"): 1.0,
        ("R7", "distinct", "lead"): 1.0,
        ("R7", "balance", "lead"): 0.6667,  # 2, 3 and 1 steps
        ("R7", "aggregation", "lead"): 1.0,
        ("R7", "economy", "lead"): 1.0,
        ("R7", "latency", "lead"): 0.1492,  # 1 - 42.2 s on the critical path / 49.6 s
    }


def test_what_the_example_does_not_say_enough_for() -> None:
    assert list(rewards(example()).why_not) == ["R2", "R3", "R4", "R6 judge", "R6 agreement", "R6 zero_sum", "R8"]


def test_the_example_with_rewards_for_its_agents_pays_three_families_more() -> None:
    given_ = {"team": 1.0, "lead": 0.5, "searcher-1": 0.25, "searcher-2": 0.75, "writer": 1.0}
    assert shown(rewards(example(rewards=given_), ["R2", "R3", "R8"])) == {
        ("R2", "", "lead"): 0.5,
        ("R2", "", "searcher-1"): 0.25,
        ("R2", "", "searcher-2"): 0.75,
        ("R2", "", "writer"): 1.0,
        ("R3", "", "lead"): 0.5,
        ("R3", "", "writer"): 1.0,
        ("R8", "", "lead"): 0.75,
        ("R8", "", "searcher-1"): 0.625,
        ("R8", "", "searcher-2"): 0.875,
        ("R8", "", "writer"): 1.0,
    }


def test_what_the_published_example_is_paid() -> None:
    paid = rewards(Trace.of(published_example()))
    assert {code for code, _, _ in shown(paid)} == {"R1", "R5", "R7"}
    assert shown(paid)["R5", "", "e5"] == 1.0
    assert set(paid.why_not) >= {"R2", "R3", "R4", "R5 repeated", "R8"}


def test_an_empty_trace_is_paid_what_its_outcome_says_and_nothing_else() -> None:
    assert not rewards(small([])).rewards
    assert rewards(small([])).why_not["R7"] == "needs an orchestrator: nobody acts"
    paid = rewards(small([], rewards={"team": 1}), ["R1", "R7", "parl"])
    assert shown(paid) == {("R1", "", "r"): 1}
    assert paid.why_not == dict.fromkeys(["R7", "parl"], "needs an orchestrator: nobody acts")


@pytest.mark.parametrize(
    ("family", "event", "head", "said"),
    [
        ("R1", {}, {"rewards": {"team": nan}, "outcome": {"score": 1}}, 'the reward "team" of "r" is nan'),
        ("R1", {}, {"outcome": {"score": inf, "success": True}}, 'outcome.score of "r" is inf'),
        ("R2", {}, {"rewards": {"lead": nan}}, 'the reward "lead" of "r" is nan'),
        ("R2", {"reward": nan}, {}, 'the reward of "e1" is nan'),
        ("R3", {"role": "boss"}, {"rewards": {"boss": -inf}}, 'the reward "boss" of "r" is -inf'),
        ("R4", {"reward": {"judge": nan}}, {}, 'the reward of "e1" is nan'),
        ("R6 judge", {"type": "message", "to": "a", "reward": nan}, {}, 'the reward of "e1" is nan'),
    ],
)
def test_a_reward_that_is_not_finite_is_named_and_never_passed_over(
    family: str, event: Json, head: Json, said: str
) -> None:
    paid = rewards(small([{"type": "model_call", **event}], **head), [family[:2]])
    assert (paid.rewards, paid.why_not[family]) == ([], f"needs a finite number: {said}")


def test_parl_is_computed_when_it_is_asked_for() -> None:
    assert shown(rewards(example(), ["parl"])) == {
        ("R7", "r_parallel", "lead"): 0.08,
        ("R7", "r_finish", "lead"): 0.1,
        ("R7", "r_perf", "lead"): 1.0,
    }


@MODEST
@given(paid_runs())
def test_no_family_is_silent_and_every_reward_is_a_number_with_a_sentence(run: Run) -> None:
    paid = rewards(run, [*FAMILIES, *VARIANTS])
    said = {one.family for one in paid.rewards} | {name.split()[0] for name in paid.why_not}
    assert said - {"parl"} == set(FAMILIES)
    assert "parl" in paid.why_not or any(one.part == "r_perf" for one in paid.rewards)
    for one in paid.rewards:
        assert isfinite(one.reward)
        assert one.why
    for reason in paid.why_not.values():
        assert reason


def renamed(document: Json, agents: dict[str, str], ids: dict[str, str]) -> Json:
    """The same run under other names of agents and events."""
    made: Json = json.loads(json.dumps(document))
    for event in made["events"]:
        event["id"] = ids[event["id"]]
        for field in ("agent", "from", "to"):
            if field in event:
                event[field] = agents.get(event[field], event[field])
        if "parent" in event:
            event["parent"] = ids[event["parent"]]
    made["edges"] = [{**edge, "src": ids[edge["src"]], "dst": ids[edge["dst"]]} for edge in made["edges"]]
    for label in made.get("labels", []):
        label["event"] = ids[label["event"]]
    for agent in made.get("agents", []):
        agent["id"] = agents[agent["id"]]
    made["rewards"] = {agents.get(name, name): value for name, value in made["rewards"].items()}
    return made


@MODEST
@given(paid_documents())
def test_what_is_paid_does_not_depend_on_names(document: Json) -> None:
    document = {**document, "topology": "debate"}
    names = {event["agent"] for event in document["events"]} | {
        event["to"] for event in document["events"] if "to" in event
    }
    agents = {name: f"x{number}" for number, name in enumerate(sorted(names - {"user"}, reverse=True))}
    ids = {event["id"]: f"n{number}" for number, event in enumerate(reversed(document["events"]))}
    before, after = rewards(Trace.of(document)), rewards(Trace.of(renamed(document, agents, ids)))
    known = {**agents, **ids}
    assert [replace(one, unit=known.get(one.unit, one.unit), why="") for one in before.rewards] == [
        replace(one, why="") for one in after.rewards
    ]
    assert list(before.why_not) == list(after.why_not)


def test_a_family_is_found_by_code_or_name() -> None:
    assert family("r7") is family("orchestration") is FAMILIES["R7"]
    assert family("PARL") is VARIANTS["parl"]
    with pytest.raises(
        ValueError,
        match=r'^"orchestraton" is not a reward family \(did you mean "orchestration"\?\); expected one of R1, ',
    ):
        family("orchestraton")


def test_every_family_says_what_it_is() -> None:
    assert list(FAMILIES) == [f"R{number}" for number in range(1, 9)]
    for one in [*FAMILIES.values(), *VARIANTS.values()]:
        assert one.title
        assert one.formula
        assert one.needs
        assert (one.function.__doc__ or "").startswith(one.code)


def test_the_weights_of_a_family_are_its_functions_own() -> None:
    assert FAMILIES["R5"].weights == {"valid": 0.5, "success": 0.5, "repeated": -0.5, "cost": 0.0}
    assert FAMILIES["R8"].weights == {"local": 0.5}
    assert FAMILIES["R1"].weights == {}


def test_parameters_reach_their_family_and_no_other() -> None:
    run = search(rewards={"team": 1})
    paid = rewards(run, ["R7", "R8"], {"orchestration": {"coverage": 0.0}, "R8": {"local": 1.0}})
    assert "coverage" not in {one.part for one in paid.rewards}
    assert [one.why[:8] for one in paid.rewards if one.family == "R8"] == ["R2 alone"] * 3


def test_of_a_family_in_parts_the_rest_is_paid_and_the_missing_explained() -> None:
    paid = rewards(debate_run(), ["R6"])
    assert {one.part for one in paid.rewards} == {"judge", "agreement"}
    assert list(paid.why_not) == ["R6 zero_sum"]


def test_rewards_are_rows_and_a_frame() -> None:
    paid = rewards(search(rewards={"team": 1}), ["R1"]).rewards
    row = {
        "kind": "team",
        "unit": "r",
        "reward": 1.0,
        "family": "R1",
        "why": 'the run\'s reward "team" is 1',
        "part": "",
    }
    assert table(paid) == [row]
    assert frame(paid).to_dict("records") == [row]
    assert list(frame([]).columns) == list(row)


def test_a_trace_a_replay_and_a_run_are_paid_alike() -> None:
    trace = example()
    assert rewards(trace) == rewards(replay(trace)) == rewards(Run(replay(trace)))


def test_the_public_names_are_those_that_are_there() -> None:
    assert sorted(package.__all__) == sorted(set(package.__all__))
    assert all(hasattr(package, name) for name in package.__all__)
