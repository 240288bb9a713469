"""The formal model of the chapter on the trace: its properties, its map to the schema, and its worked run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import product
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from survey.traces import Trace, check, credit, states
from survey.traces.metrics import measure
from survey.traces.model import EDGE_TYPES, EVENT_FIELDS, EVENT_TYPES, graph, schema
from survey.traces.problems import Problems
from survey.traces.rewards import FAMILIES
from tests.conftest import ROOT

CHAPTER = (ROOT / "docs" / "read" / "trace.md").read_text()


def section(start: str) -> str:
    found = re.search(rf"(?ms)^## {start}.*?(?=^## )", CHAPTER)
    assert found, start
    return found[0]


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


MAP = section("Every term of the model")
STORY = section("Seventeen events")

# ------------------------------------------------------------------ the gradient of a run that may stop

BUDGET = 3
WORTH = (0.2, 0.7, 0.6)
"""What the answer is worth if the team ends after one, two or three decisions."""
Run = tuple[tuple[int, int], ...]
"""For each decision its two tokens: the second of the first act that is (1, 1) ends the run."""


def runs() -> Iterator[Run]:
    acts = [(first, second) for first in (0, 1) for second in (0, 1)]
    for number in range(1, BUDGET + 1):
        for before in product([act for act in acts if act != (1, 1)], repeat=number - 1):
            for last in acts if number == BUDGET else [(1, 1)]:
                yield (*before, last)


def chance(theta: float, decision: int, earlier: tuple[int, ...], token: int) -> float:
    """The probability of a token: it depends on the history, and on the weight of a trained agent."""
    one = 1 / (1 + exp(-(theta * (1 + 0.5 * decision) - 0.3 * sum(earlier))))
    return one if token else 1 - one


def chances(theta: float, run: Run) -> list[float]:
    """Of every token of every decision until the run ends, and of none after it."""
    return [chance(theta, k, act[:place], token) for k, act in enumerate(run) for place, token in enumerate(act)]


def probability(theta: float, run: Run) -> float:
    return exp(sum(map(log, chances(theta, run))))


def value(theta: float) -> float:
    return sum(probability(theta, run) * WORTH[len(run) - 1] for run in runs())


@pytest.mark.parametrize("theta", [-1.0, 0.0, 0.4, 1.5])
@pytest.mark.parametrize("baseline", [0.0, 0.5])
def test_the_policy_gradient_of_a_run_with_a_random_end_is_the_exact_derivative(theta: float, baseline: float) -> None:
    step = 1e-5
    assert sum(probability(theta, run) for run in runs()) == pytest.approx(1)

    def scores(run: Run) -> float:
        after, before = chances(theta + step, run), chances(theta - step, run)
        return sum((log(a) - log(b)) / (2 * step) for a, b in zip(after, before, strict=True))

    formula = sum(probability(theta, run) * (WORTH[len(run) - 1] - baseline) * scores(run) for run in runs())
    assert formula == pytest.approx((value(theta + step) - value(theta - step)) / (2 * step), abs=1e-8)


def test_the_number_of_decisions_is_random_and_depends_on_the_weights() -> None:
    def expected(theta: float) -> float:
        return sum(probability(theta, run) * len(run) for run in runs())

    assert 1 < expected(2.0) < expected(0.0) < expected(-2.0) < BUDGET


# ------------------------------------------------------------------ the map


@pytest.mark.parametrize("name", sorted({*EVENT_TYPES, *EDGE_TYPES, *EVENT_FIELDS, *schema()["properties"]}))
def test_every_event_type_edge_type_and_field_of_the_schema_has_a_place_in_the_model(name: str) -> None:
    assert f"`{name}`" in MAP


def test_the_map_names_nothing_that_the_schema_lacks() -> None:
    known = {*EVENT_TYPES, *EDGE_TYPES, *EVENT_FIELDS, *schema()["properties"]}
    named = {word for row in rows(MAP) if len(row) == 3 for word in re.findall(r"`([a-z_]+)`", row[1])}
    assert named <= known


def test_the_five_decisions_the_eight_units_and_the_eight_families_have_a_place() -> None:
    axes: dict[str, list[str]] = {}
    axis = ""
    for name, *cells in (row for row in rows(MAP) if len(row) == 4):
        axis = name or axis
        axes.setdefault(axis, []).append(cells[0])
    assert [value.split()[0] for value in axes["decision"]] == ["O1", "O2", "O3", "O4", "O5"]
    assert [value.replace(" ", "-") for value in axes["credit"]] == list(credit.KINDS)
    assert [value.split()[0] for value in axes["reward"]] == list(FAMILIES)


# ------------------------------------------------------------------ the worked run


def worked() -> Trace:
    """The run of the chapter, read from its two tables."""
    events = []
    for ids, time, type, agents, told in (row for row in rows(STORY) if re.match(r"e\d", row[0])):
        for place, id in enumerate(ids.split(", ")):
            own = agents.split(", ")
            agent = own[place % len(own)]
            event = {"id": id, "t": int(time), "type": type.strip("`"), "agent": agent}
            event["role"] = "orchestrator" if agent == "O" else "searcher"
            if type == "`spawn`":
                event |= {"to": told.split(", ")[place], "role": "searcher"}
            elif type == "`message`":
                event |= {"agent": agent.split()[0], "to": agent.split()[-1], "role": "searcher"}
            elif type == "`return`":
                event["to"] = "O"
            elif type == "`tool_result`":
                event["trusted"] = "untrusted" not in told
            events.append(event)
    edges = []
    for type, pairs in (row for row in rows(STORY) if len(row) == 2 and " to " in row[1]):
        for part in pairs.split("; "):
            sources, targets = part.split(" to ")
            edges += [
                {"src": src, "dst": dst, "type": type.strip("`")}
                for src in sources.split(", ") for dst in targets.split(", ")
            ]  # fmt: skip
    costs = {"tokens": 0, "wall_clock_s": 54}
    return Trace.of({"trace_id": "w", "task_id": "t", "rewards": {"team": 1}, "costs": costs, "events": events, "edges": edges})  # fmt: skip


def test_the_worked_run_is_a_trace_without_a_problem() -> None:
    trace = worked()
    assert (len(trace), len(trace.edges)) == (17, 22)
    assert list(check(trace)) == []


def test_its_work_its_critical_path_and_what_descends_from_the_first_page() -> None:
    trace = worked()
    found = measure(trace, ["work_s", "critical_path_s", "speedup_graph"])
    assert [found[name].value for name in found] == [88, 54, pytest.approx(1.63, abs=0.005)]
    assert "$W = 18 + 14 + 44 + 12 = 88$" in CHAPTER
    assert "$L = 2 + 44 + 8 = 54$" in CHAPTER
    made = graph(trace)
    below = made.downstream([made.places["e8"]])
    assert {event.id for event, reached in zip(made.events, below, strict=True) if reached} == {
        "e8", "e10", "e11", "e13", "e15", "e16", "e17",
    }  # fmt: skip
    assert "one reaches e10, e11, e13, e15, e16 and e17" in CHAPTER


def test_its_team_follows_the_formula() -> None:
    """The team after each act is the one before it with what the act creates, without what it ends."""
    trace = worked()
    ended = trace.to_json()
    ended["events"] += [{"id": f"d{number}", "t": 60, "type": "despawn", "agent": f"S{number}"} for number in (1, 2)]
    team = {"O"}
    sizes = []
    for event, state in states(Trace.of(ended)):
        created = {event.child} if event.type == "spawn" and event.child else set()
        gone = {event.agent} if event.type == "despawn" else set()
        team = (team | created) - gone
        assert set(state.alive) == team
        sizes.append(len(team))
    assert sizes == [1, 2, 3, *[4] * 14, 3, 2]
    assert "O alone; four from e4 on" in MAP


def test_its_units_are_those_of_the_map() -> None:
    words = {1: "one", 2: "two", 4: "four", 8: "eight"}
    told = {row[1].replace(" ", "-"): row[3] for row in rows(MAP) if len(row) == 4}
    trace = worked()
    for kind in credit.KINDS[:-1]:
        units = credit.units(trace, kind)
        assert told[kind] in (f"{words.get(len(units))} units", f"{words.get(len(units))} unit", ", ".join(units))
    with pytest.raises(credit.NotMeasurable, match="does not record them"):
        credit.units(trace, "token")


# ------------------------------------------------------------------ what the schema guarantees


def errors(trace: Trace) -> set[str]:
    return {problem.kind for problem in check(trace) if not problem.warning}


@given(st.lists(st.tuples(st.integers(1, 17), st.integers(1, 17)), max_size=4))
def test_the_json_schema_accepts_a_cycle_the_check_reports_it_and_the_graph_has_none(
    more: list[tuple[int, int]],
) -> None:
    document = worked().to_json()
    document["edges"] += [{"src": f"e{a}", "dst": f"e{b}", "type": "causal"} for a, b in more]
    assert Draft202012Validator(dict(schema())).is_valid(document)
    order: TopologicalSorter[str] = TopologicalSorter()
    for edge in document["edges"]:
        order.add(edge["dst"], edge["src"])
    try:
        order.prepare()
        cyclic = False
    except CycleError:
        cyclic = True
    trace = Trace.of(document)
    assert ("causal-cycle" in errors(trace)) == cyclic
    made = graph(trace, Problems())
    assert all(source < target for source, target in zip(made.sources, made.targets, strict=True))


def test_an_effect_before_its_cause_fits_the_json_schema_and_is_reported() -> None:
    document = worked().to_json()
    document["edges"].append({"src": "e14", "dst": "e13", "type": "causal"})
    assert Draft202012Validator(dict(schema())).is_valid(document)
    assert errors(Trace.of(document)) == {"effect-before-cause"}
