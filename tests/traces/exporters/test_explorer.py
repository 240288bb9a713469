"""What the explorer of a report is told of a run, against the trace as it is written."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from lxml import etree

from survey.traces import Trace
from survey.traces.exporters.report import html
from survey.traces.exporters.report.explorer import contents as explorer
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.model import Builder, Content
from survey.traces.simulate import Setting, simulate
from tests.conftest import ROOT
from tests.traces.exporters.test_report import HOSTILE, example
from tests.traces.importers.samples import sample

HAND = ROOT / "tests" / "traces" / "metrics" / "hand"


def told(trace: Trace) -> dict[str, Any]:
    """Return the data of the explorer as a browser reads them."""
    tree = etree.HTML(html(trace).encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    [script] = tree.xpath("//script[@type='application/json']")
    found: dict[str, Any] = json.loads(script.text)
    return found


def session(keep: bool = False) -> Trace:
    log = Log(sample("claude-code/folders/deep.jsonl"))
    return next(iter(IMPORTER.read(log, Content(keep, salt=""))))


def facts(data: dict[str, Any], place: int) -> dict[str, str]:
    said = data["facts"][place] or []
    return dict(zip(said[::2], said[1::2], strict=True))


def links(data: dict[str, Any]) -> Counter[tuple[str, str, str]]:
    """Return every cause of every event, by the names of both."""
    found = Counter[tuple[str, str, str]]()
    for place, causes in enumerate(data["causes"]):
        for back, link in zip((causes or [])[::2], (causes or [])[1::2], strict=True):
            found[data["ids"][place - back], data["ids"][place], data["names"]["links"][link]] += 1
    return found


TRACES = {
    "example": example,
    "session": session,
    "simulated": lambda: simulate(Setting("swarm", agents=6, steps=12, tools=1.5, messages=0.5, failure=0.3)).trace,
}


@pytest.mark.parametrize("name", list(TRACES))
def test_every_event_and_every_edge_is_there(name: str) -> None:
    trace = TRACES[name]()
    data, document = told(trace), trace.to_json()
    assert Counter(data["ids"]) == Counter(event["id"] for event in document["events"])
    edges = {(edge["src"], edge["dst"], edge["type"]) for edge in document["edges"]}
    assert edges <= set(links(data))
    by_id = {event["id"]: event for event in document["events"]}
    for place, id in enumerate(data["ids"]):
        event = by_id[id]
        assert data["names"]["types"][data["types"][place]] == event["type"]
        assert data["names"]["statuses"][data["statuses"][place]] == event.get("status", "ok")
        assert facts(data, place).get("To") == event.get("to")
    assert {len(column) for key, column in data.items() if key in ("agents", "at", "took", "path", "kinds")} == {
        len(by_id)
    }


def test_times_and_the_critical_path_are_those_worked_by_hand() -> None:
    """An agent thinks for 2 s, waits for the longer of two tools, and thinks for 3 s more: 25 s in all."""
    data = told(Trace.of(json.loads((HAND / "partools.json").read_text())))
    columns = zip(data["ids"], data["at"], data["took"], data["path"], strict=True)
    assert [(id, at, took.replace("\u00a0", " "), bool(weight)) for id, at, took, weight in columns] == [
        ("d", "0.0", "2.0 s", True),
        ("c1", "2.0", "10 s", False),
        ("c2", "2.0", "20 s", True),
        ("r1", "12.0", "", False),
        ("r2", "22.0", "", False),
        ("e", "22.0", "3.0 s", True),
    ]


def test_what_took_no_time_is_not_on_the_path() -> None:
    """Of three times of 0.1 s, one taken from the sum of the others leaves a trace of a second."""
    events = [
        {"id": "a", "t": 0.0, "t_end": 0.1 + 0.2, "type": "model_call", "agent": "lead"},
        {"id": "b", "t": 0.3, "t_end": 0.1 + 0.2, "type": "spawn", "agent": "lead", "to": "help"},
        {"id": "c", "t": 0.3, "t_end": 1.0, "type": "model_call", "agent": "help"},
    ]
    edges = [{"src": "a", "dst": "b", "type": "causal"}, {"src": "b", "dst": "c", "type": "spawn"}]
    data = told(example(events=events, edges=edges))
    assert [bool(weight) for weight in data["path"]] == [True, False, True]
    session = Log(ROOT / "survey" / "site" / "pages" / "traces" / "open_log" / "examples" / "questions.jsonl")
    data = told(next(iter(IMPORTER.read(session, Content(salt="")))))
    assert [
        id for id, took, weight in zip(data["ids"], data["took"], data["path"], strict=True) if weight and not took
    ] == []


def test_what_an_event_says_is_told() -> None:
    builder = Builder("run", "t", importer="by hand", content=Content(keep=True))
    builder.event(
        "model_call",
        "lead",
        0.0,
        t_end=4.5,
        tokens={"input": 1200, "output": 40, "reasoning": 10},
        model="m-1",
        cost=0.5,
    )
    builder.event("tool_call", "lead", 5.0, tool="search", status="error", error="no network\nat all", shade="red")
    data = told(builder.build().with_head(labels=[{"event": "e2", "label": "cause", "why": "it looped"}]))
    assert facts(data, 0) == {
        "Model": "m-1",
        "Cost": "$0.5",
    }
    assert dict(zip(data["names"]["tokens"], data["tokens"][0], strict=True)) == {
        "input": 1200, "read from the cache": 0, "written to the cache": 0, "output": 40, "of these for reasoning": 10,
    }  # fmt: skip
    assert data["tokens"][1] == 0
    assert facts(data, 1) == {"Error": "no network\nat all", "shade": "red", "Judged": "cause: it looped"}
    assert data["took"] == ["4.5\u00a0s", "0.50\u00a0s"]
    assert data["statuses"][1] != data["ok"] == data["statuses"][0]


def test_texts_are_told_where_they_were_kept_and_their_length_where_not() -> None:
    document = session(keep=True).to_json()
    kept, hidden = told(session(keep=True)), told(session())
    texts = {event["id"]: event["content"] for event in document["events"] if "content" in event}
    assert texts
    for place, id in enumerate(kept["ids"]):
        text = texts.get(id)
        assert facts(kept, place).get("Text", "")[: explorer.TEXT] == (text or "")[: explorer.TEXT]
        length = f"{len(text):,} character{'s' * (len(text) != 1)}, not kept" if text else None
        assert facts(hidden, place).get("Text") == length


def test_a_long_text_is_cut_and_says_so() -> None:
    builder = Builder("run", "t", importer="by hand", content=Content(keep=True))
    builder.event("message", "lead", 0.0, to="user", content="x" * (explorer.TEXT + 5))
    assert facts(told(builder.build()), 0)["Text"].endswith("x … (5 more characters)")


def test_a_run_that_is_too_long_says_how_much_of_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MOST", 4)
    trace = example()
    assert told(trace)["ids"] == ["e1", "e2", "e3", "e4"]
    assert "These are the first 4 of 10 events." in html(trace)
    assert len(told(trace)["drawing"]["lefts"]) == 4


def test_no_text_ends_the_data_or_hides_in_it() -> None:
    events = [
        {
            "id": HOSTILE,
            "t": 0,
            "type": "tool_call",
            "agent": HOSTILE,
            "tool": HOSTILE,
            "content": HOSTILE,
            "error": HOSTILE,
        }
    ]
    data = told(example(events=events, edges=[], labels=[{"event": HOSTILE, "label": HOSTILE}]))
    shown = HOSTILE.translate({0: "\ufffd", 0x202E: "\ufffd", 0xD800: "\ufffd"})
    assert data["ids"] == [shown]
    assert data["names"]["agents"] == data["names"]["activities"] == [" ".join(shown.split())]
    assert facts(data, 0) == {"Error": shown, "Judged": shown, "Text": shown}
