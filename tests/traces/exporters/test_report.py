"""The report of a run: its contents, and that no trace makes it fail or run scripts."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from survey.traces import EDGE_TYPES, EVENT_TYPES, Trace, replay
from survey.traces.exporters.report import html
from survey.traces.exporters.report.path import segments
from survey.traces.exporters.report.team import members
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.metrics import Run, measure
from survey.traces.model import FEW_TOKENS, NO_TOKENS, Builder, Content
from tests.traces.conftest import REAL

HOSTILE = '</title></script><script>alert(1)</script><img src=x onerror="alert(2)">\'{{ 7 * 7 }}\u202e\x00\ud800'


def example(**head: Any) -> Trace:
    """The shape of the published worked example: a planner, an executor, a critic."""
    events: list[dict[str, Any]] = [
        {"id": "e1", "t": 0, "type": "orchestrator_decision", "agent": "planner_1"},
        {"id": "e2", "t": 1, "type": "spawn", "agent": "planner_1", "to": "executor_1", "role": "executor"},
        {"id": "e3", "t": 1, "type": "spawn", "agent": "planner_1", "to": "critic_1", "role": "critic"},
        {"id": "e4", "t": 2, "type": "tool_call", "agent": "executor_1", "tool": "browser.search"},
        {"id": "e5", "t": 9, "type": "tool_result", "agent": "executor_1", "tool": "browser.search"},
        {"id": "e6", "t": 12, "type": "message", "agent": "executor_1", "to": "critic_1"},
        {"id": "e7", "t": 15, "type": "return", "agent": "executor_1", "to": "planner_1"},
        {"id": "e8", "t": 17, "type": "return", "agent": "critic_1", "to": "planner_1"},
        {"id": "e9", "t": 20, "type": "aggregate", "agent": "planner_1"},
        {"id": "e10", "t": 21, "type": "stop", "agent": "planner_1"},
    ]
    edges = [
        ("e1", "e2", "causal"), ("e1", "e3", "causal"), ("e2", "e4", "spawn"), ("e4", "e5", "tool_dependency"), ("e5", "e6", "causal"),
        ("e6", "e8", "message"), ("e7", "e9", "aggregate"), ("e8", "e9", "aggregate"), ("e9", "e10", "causal"),
    ]  # fmt: skip
    document = {
        "trace_id": "run-0001", "task_id": "web-research-17", "events": events,
        "edges": [{"src": src, "dst": dst, "type": type} for src, dst, type in edges],
        "rewards": {"team": 1.0, "orchestration": 0.3}, "costs": {"tokens": 12000, "wall_clock_s": 21},
    }  # fmt: skip
    return Trace.of({**document, **head})


class Page(HTMLParser):
    """The elements of a report with their attributes, and its text without style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.lanes: list[str] = []
        self._text: list[str] = []
        self._silent = self._in_lanes = False
        self.feed(text)
        self.lanes = [lane.strip() for lane in self.lanes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._silent = tag in ("style", "script")
        self._in_lanes = (self._in_lanes or (tag == "ol" and "class" not in dict(attrs))) and tag != "div"
        self._in_lanes = self._in_lanes and not (tag == "ol" and "class" in dict(attrs))
        if tag == "li" and self._in_lanes:
            self.lanes.append("")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)
        if self._in_lanes and self.lanes:
            self.lanes[-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._text).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page(trace: Trace) -> Page:
    return Page(html(trace))


def test_the_head_says_which_run_and_its_figures() -> None:
    text = page(example(system="hand", outcome={"success": True, "score": 0.83})).text
    assert "Task web-research-17" in text
    assert "System hand" in text
    assert "Outcome solved, score 0.83" in text
    assert "Rewards orchestration 0.3, team 1" in text
    assert "Wall time 21 s Work 24 s at least 18 s Critical path 21 s at least 15 s" in text
    assert "Observed speed-up 1.14 × 1.14 to 1.20 Potential speed-up 1.14 × 1.14 to 1.20" in text
    assert "3 agents did 18 s to 24 s of work in 21 s." in text


def test_what_cannot_be_measured_says_why() -> None:
    text = page(example(costs={})).text
    assert "Cost – not measurable" in text
    assert "Not measurable: cost, since no event records its cost." in text
    assert "Not measurable: tokens, since no event records its tokens." in text


def test_a_cost_that_is_missing_says_why_the_list_of_prices_does_not_help() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    builder.agent("lead", model="my-own-model")
    builder.event("model_call", "lead", 0.0, t_end=1.0, tokens={"input": 10, "output": 5})
    assert (
        'Not measurable: cost, since no event records its cost, and no price is known for "my-own-model" '
        "(--prices takes your own)."
    ) in page(builder.build()).text


@pytest.mark.parametrize("what", [FEW_TOKENS, NO_TOKENS])
def test_tokens_that_are_too_few_and_their_price_are_at_least_what_they_are(what: str) -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    builder.event("model_call", "lead", 0.0, t_end=1.0, model="claude-opus-4-5", tokens={"input": 10, "output": 50})
    before = page(builder.build()).text
    builder.lost(what)
    after = page(builder.build()).text
    assert "at least at list prices" not in before
    assert "Tokens 60 Cost $0.0013 at list prices" in before
    assert "Tokens 60 at least Cost $0.0013 at least, at list prices" in after


def test_contradictions_losses_links_and_judgements_are_said() -> None:
    trace = example(
        source={"lost": [{"what": "sub-agents whose own log is missing", "count": 6}]},
        link_quality={"exact": 214, "derived": 12, "missing": 3},
        labels=[{"event": "e5", "label": "decisive_error", "by": "annotator", "why": "wrong year"}],
        costs={"tokens": 1, "wall_clock_s": 3},
        time="seconds",
    )
    text = page(trace).text
    assert "1 error . The measures of an inconsistent trace are unreliable." in text
    assert "/costs/wall_clock_s found 3, but the events span 21 seconds" in text
    assert "6 sub-agents whose own log is missing" in text
    assert "214 rest on an identifier in the log 12 were inferred 3 ends were not found" in text
    assert "decisive_error : e5 , by annotator : wrong year" in text


def test_a_trace_without_contradictions_says_so() -> None:
    assert "No contradictions found." in page(example()).text


def test_every_agent_has_a_lane_the_root_first_and_children_below_their_parents() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    for number, (parent, child) in enumerate([("lead", "a"), ("lead", "b"), ("a", "a1"), ("b", "b1"), ("a", "a2")]):
        builder.event("spawn", parent, float(number), to=child)
    builder.agent("silent")
    assert page(builder.build()).lanes == ["lead", "a", "a1", "a2", "b", "b1", "silent"]


def test_agents_that_spawn_one_another_in_a_circle_have_a_lane_each() -> None:
    events = [
        {"id": "e1", "t": 0, "type": "stop", "agent": "lead"},
        {"id": "e2", "t": 1, "type": "spawn", "agent": "a", "to": "b"},
        {"id": "e3", "t": 2, "type": "spawn", "agent": "b", "to": "a"},
        {"id": "e4", "t": 3, "type": "spawn", "agent": "c", "to": "c"},
    ]
    assert sorted(page(example(events=events, edges=[])).lanes) == ["a", "b", "c", "lead"]


@pytest.mark.parametrize("time", ["seconds", "ordinal", "mixed"])
def test_the_segments_of_the_critical_path_add_up_to_it(time: str) -> None:
    trace = example(time=time)
    found = measure(trace)
    whole = found["critical_path_s" if time == "seconds" else "critical_path_steps"].value
    pieces = segments(Run(replay(trace)))
    assert sum(piece.weight for piece in pieces) == pytest.approx(whole)
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)


def test_the_critical_path_names_who_did_what_and_how_long() -> None:
    text = page(example()).text
    assert "Critical path: 21 s" in text
    assert "2.0 executor_1 browser.search 7.0 33 %" in text or "1.0 executor_1 browser.search × 2 8.0 38 %" in text
    assert "Critical path 21.0 100 %" in text


@pytest.mark.parametrize("time", ["ordinal", "mixed"])
def test_a_trace_without_times_shows_no_seconds(time: str) -> None:
    text = page(example(time=time)).text
    definitions = text.index("All measures")
    assert not re.search(r"\d\s(s|ms|min|h|d)\b|\d:\d\d", text[:definitions])
    assert not re.search(r"\d\s(s|ms|min|h|d)\b|\d:\d\d", re.sub(r"\d s at each level", "", text[definitions:]))
    assert "The log has no times to measure" in text
    assert f"its times are {time}: they order events but give no durations" in text


def test_the_tree_shows_how_work_came_back() -> None:
    events = [event.to_json() for event in example()]
    events[7]["status"] = "timeout"
    text = page(example(events=events[:6] + events[7:])).text
    assert "executor_1 executor 2 1 0:" not in text
    assert re.search(r"executor_1 executor 2 1 [\d.]+ [\d.]+ [\d.]+ no return", text)
    assert re.search(r"critic_1 critic – – [\d.]+ [\d.]+ [\d.]+ timeout", text)


def test_costs_are_shown_by_kind_agent_role_and_tool() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    builder.agent("lead", role="boss")
    turn = builder.event(
        "model_call", "lead", 1.0, tokens={"input": 10, "output": 5, "cache_read": 85, "reasoning": 2}, cost=0.25
    )
    for number, status in enumerate(["ok", "error"]):
        call = builder.event("tool_call", "lead", 2.0 + number, tool="Bash", parent=turn)
        builder.event("tool_result", "lead", 2.5 + number, parent=call, status=status)
    text = page(builder.build()).text
    assert "input read from the cache 85 85 % input, not from the cache 10 10 % output 5 5 %" in text
    assert "Of the output, 2 are reasoning tokens." in text
    assert "boss 100 100 %" in text
    assert "Tool Calls Share Not ok Bash 2 100 % 1" in text
    assert "Cost $0.25" in text


def test_every_measure_is_there_with_its_definition() -> None:
    trace = example()
    text = page(trace).text
    for found in measure(trace).values():
        assert found.definition in text
        assert f" {found.name} " in text


@pytest.mark.parametrize("time", ["seconds", "ordinal"])
def test_figures_and_tables_lead_to_their_definitions(time: str) -> None:
    made = etree.HTML(html(example(time=time)))
    links = {str(a.get("href")) for a in made.xpath("//a[starts-with(@href, '#m-')]")}
    measures = measure(example(time=time))
    for link in links:
        [definition] = made.xpath(f"//*[@id='{link[1:]}']")
        assert definition.text == measures[link.removeprefix("#m-")].definition
    plain = made.xpath("//dl[@class='figures']//dt[not(a)]/text() | //div[@class='costs']//h3[not(a)]/text()")
    assert plain == ["Turns"]  # a count of two types of events, not a measure
    assert len(links) >= 12


def test_names_cannot_become_markup_or_script() -> None:
    trace = example(
        trace_id=HOSTILE, task_id=HOSTILE, system=HOSTILE, agents=[{"id": "planner_1", "name": HOSTILE, "role": HOSTILE, "model": HOSTILE}],
        events=[
            {"id": HOSTILE, "t": 0, "type": "tool_call", "agent": HOSTILE, "tool": HOSTILE, "role": HOSTILE},
            {"id": "e2", "t": 4, "type": "tool_result", "agent": HOSTILE, "parent": HOSTILE, "status": "error"},
            {"id": "e3", "t": 5, "type": "message", "agent": HOSTILE, "to": HOSTILE + "2"},
        ],
        edges=[], labels=[{"event": "e2", "label": HOSTILE, "by": HOSTILE, "why": HOSTILE}],
        source={"system": HOSTILE, "importer": HOSTILE, "started": HOSTILE, "lost": [{"what": HOSTILE, "count": 1}]},
    )  # fmt: skip
    made = page(trace)
    assert [script.get("type") for script in made.all("script")] == ["application/json", None]
    assert made.all("img") == []
    assert not [name for _, attributes in made.elements for name in attributes if name.startswith("on")]
    assert "{{ 7 * 7 }}" in made.text
    assert not re.search("[\x00\u202e\ud800]", html(trace))
    html(trace).encode("utf-8")


def test_only_the_script_of_the_report_may_run_and_nothing_may_be_loaded() -> None:
    [policy] = [
        m["content"] or "" for m in page(example()).all("meta") if m.get("http-equiv") == "Content-Security-Policy"
    ]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; img-src data:", policy
    )
    text = html(example())
    assert not re.search(r"https?://|url\((?!#)|@import", text)


def test_the_same_trace_gives_the_same_bytes() -> None:
    program = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.traces.exporters.test_report import example;"
        "from survey.traces.exporters.report import html; import hashlib;"
        "print(hashlib.sha256(html(example()).encode()).hexdigest())"
    )
    root = Path(__file__).parents[3]
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_importing_the_report_does_not_load_the_template_engine() -> None:
    program = "import sys; import survey.traces.exporters.report; print('jinja2' in sys.modules)"
    root = Path(__file__).parents[3]
    result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_long_silences_are_folded_and_say_so() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    asked = builder.event("model_call", "lead", 0.0, t_end=60.0)
    person = builder.event("human_intervention", "user", 7000.0, to="lead")
    builder.link(asked, person, "causal")
    builder.link(person, builder.event("model_call", "lead", 7050.0), "causal")
    made = page(builder.build())
    assert "A period in which no agent worked is compressed (hatched, labelled with its true length)." in made.text
    [fold] = [r for r in made.all("rect") if r.get("class") == "fold"]
    assert int(fold["width"] or 0) < 20_000 / 10


def test_waiting_for_a_person_and_for_a_permission_are_drawn_and_counted_apart() -> None:
    builder = Builder("r", "t", importer="by hand", content=Content(salt=""))
    first = builder.event("model_call", "lead", 0.0, t_end=10.0)
    asked = builder.event("human_intervention", "user", 40.0, to="lead")
    builder.link(first, asked, "causal")
    call = builder.event("tool_call", "lead", 40.0, tool="rm")
    builder.link(asked, call, "causal")
    allowed = builder.event("human_intervention", "user", 47.0, to="lead")
    builder.link(call, allowed, "causal")
    result = builder.event("tool_result", "lead", 47.0, tool="rm", parent=call)
    builder.link(allowed, result, "causal")
    builder.link(result, builder.event("model_call", "lead", 47.0, t_end=50.0), "causal")
    text = html(builder.build())
    made = Page(text)
    waits = {str(shape.get("class")) for shape in made.all("rect")} & {"asked", "permission"}
    assert waits == {"asked", "permission"}
    assert "lead: waits for a permission, 7" in made.text
    assert "Agent lead waited 30 s for people and 7.0 s for permissions." in made.text
    assert '<td class="number" data-label="waiting for people">30.0</td>' in text
    assert '<td class="number" data-label="waiting for permission">7.0</td>' in text
    assert 'data-label="waiting for permission"' not in html(example())


def test_two_hundred_agents_and_twenty_thousand_events_are_a_few_thousand_shapes() -> None:
    chance = random.Random(7)
    builder = Builder("big", "t", importer="by hand", content=Content(salt=""))
    for number in range(200):
        builder.event("spawn", "lead", 0.0, to=f"worker {number}")
    for number in range(9900):
        call = builder.event("tool_call", f"worker {number % 200}", number / 10, tool="search")
        builder.event("tool_result", f"worker {number % 200}", number / 10 + chance.random() * 30, parent=call)
    trace = builder.build()
    text = html(trace)
    made = Page(text)
    assert len(trace) == 20_000
    assert len(made.lanes) == 201
    assert sum(len(made.all(tag)) for tag in ("rect", "use", "path", "text")) < 4000
    assert re.search(r"8,\d\d\d short slices of \d+,\d\d\d are drawn without details", made.text)
    assert len(text) < 2_000_000


def number(chance: random.Random) -> float:
    return chance.choice([0, 0, 1, 2, 5, chance.random() * 100, 1e-9, 1e6, 1.7e9, 2.0**62])


def chaos(chance: random.Random) -> Trace:
    """Return a trace that satisfies the structural schema and little else."""
    names = ["lead", "a", "b", "c", "user", "environment", "ü" * 300, "<b>", "\n", "\ud800"]
    events: list[dict[str, Any]] = []
    for index in range(chance.randint(1, 30)):
        event: dict[str, Any] = {
            "id": f"e{chance.randint(0, 40)}" if chance.random() < 0.1 else f"e{index}",
            "t": number(chance),
        }
        event |= {"type": chance.choice(EVENT_TYPES), "agent": chance.choice(names)}
        optional: dict[str, Callable[[], Any]] = {
            "to": lambda: chance.choice(names), "from": lambda: chance.choice(names), "role": lambda: chance.choice(names),
            "tool": lambda: chance.choice(names), "t_end": lambda: number(chance), "tokens": lambda: number(chance), "cost": lambda: number(chance),
            "parent": lambda: f"e{chance.randint(0, 30)}", "status": lambda: chance.choice(["ok", "error", "timeout"]),
            "delivered": lambda: chance.choice([False, 0, number(chance)]), "agent_name": lambda: chance.choice([*names, ""]),
            "decision": lambda: ["O1"], "transfer": lambda: True,
        }  # fmt: skip
        event |= {key: make() for key, make in optional.items() if chance.random() < 0.3}
        events.append(event)
    ids = [event["id"] for event in events] + ["nothing"]
    edges = [
        {"src": chance.choice(ids), "dst": chance.choice(ids), "type": chance.choice(EDGE_TYPES)}
        for _ in range(chance.randint(0, 40))
    ]
    head: dict[str, Any] = {
        "schema_version": 1, "time": chance.choice(["seconds", "seconds", "ordinal", "mixed"]),
        "agents": [{"id": name, "role": chance.choice(names), "name": ""} for name in chance.sample(names, chance.randint(0, 4))],
        "outcome": chance.choice([{}, {"success": False}, {"score": -1e300, "status": "timeout"}, {"success": "maybe"}]),
        "source": chance.choice([{}, {"started": "0001-01-01T00:00:00+14:00"}, {"started": "soon", "lost": []}, {"version": 3}]),
        "labels": [{"event": chance.choice(ids), "label": "decisive_error", "more": None}],
        "group": {"id": "g", "rollout": 1}, "counterfactual_of": {"trace_id": "x"}, "link_quality": chance.choice([{}, {"exact": 1}]),
        "rewards": {"a": number(chance), "b": -1e300}, "system": chance.choice(["", "x"]),
    }  # fmt: skip
    return example(events=events, edges=edges, **head)


@pytest.mark.parametrize("seed", range(8))
def test_no_trace_that_the_schema_lets_pass_makes_it_fail(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        trace = chaos(chance)
        made = page(trace)
        run = Run(replay(trace))
        assert len(made.lanes) == len(members(run))
        assert run.members <= {member.id for member in members(run)}
        for rect in made.all("rect"):
            assert 0 <= float(rect.get("x") or 0) <= 20_000
        html(trace).encode("utf-8")


@pytest.mark.skipif(
    not REAL.is_dir(), reason="the folder of real logs is not beside the checkout (REAL_TRACES names it)"
)
def test_a_real_session_shows_its_sub_agents_at_work() -> None:
    [trace] = IMPORTER.read(Log(REAL / "claude-code" / "parallel6-sync.jsonl"), Content(salt=""))
    made = page(trace)
    assert len(made.lanes) == 7
    assert "at most 6 at once" in made.text
    assert "6 sub-agents whose own log is missing" in made.text
    assert made.text.count("100 %") >= 2


def test_what_is_not_known_of_an_agent_is_no_zero() -> None:
    events = [
        {"id": "e1", "t": 0, "type": "model_call", "agent": "lead", "tokens": 5},
        {"id": "e2", "t": 1, "type": "spawn", "agent": "lead", "to": "unseen"},
        {"id": "e3", "t": 9, "type": "return", "agent": "unseen", "to": "lead"},
    ]
    costs = {"tokens": 5, "wall_clock_s": 9}
    head = {"trace_id": "r", "task_id": "t", "rewards": {}, "costs": costs, "edges": []}
    (row,) = [
        line
        for line in html(Trace.of({**head, "events": events})).splitlines()
        if line.startswith("<tr><th") and "<bdi>unseen</bdi>" in line and 'data-label="steps"' in line
    ]
    assert row.count(">–</td>") >= 3
