"""Claude Code agent teams: members, inboxes, and messages of the protocol."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace, check
from survey.traces.importers.coding_agents import claude_code
from survey.traces.importers.coding_agents.claude_code_team import IMPORTER
from survey.traces.importers.log import BadLog, Log
from survey.traces.model import Content
from tests.traces.importers.mutants import damage

HARBOUR = Path(__file__).parent / "logs" / "claude-code-team" / "harbour"


def team(path: Path) -> Trace:
    [trace] = IMPORTER.read(Log(path), Content(keep=True))
    return trace


def kinds(trace: Trace) -> Counter[str]:
    return Counter(event.type for event in trace)


def edges(trace: Trace, type: str) -> set[tuple[str, str]]:
    """Return the edges of a type, as the types and agents at their ends."""
    names = {event.id: f"{event.type} {event.agent.split('@')[0]}" for event in trace}
    return {(names[edge.src], names[edge.dst]) for edge in trace.edges if edge.type == type}


# team, members beside the lead, messages, of them the protocol's, returns, despawns, decisions
REAL = [
    ("analysis-team", 4, 26, 21, 8, 4, 10),
    ("humble-chasing-goose", 2, 6, 4, 2, 0, 3),
]


@pytest.mark.parametrize("row", REAL, ids=[row[0] for row in REAL])
@pytest.mark.parametrize("name", ["", "config.json"], ids=["folder", "file"])
def test_real_teams_have_a_lead_and_the_members_and_messages_known_of_them(
    name: str, row: tuple[Any, ...], real: Callable[[str], Path]
) -> None:
    log = Log(real(f"claude-code-teams/{row[0]}") / name)
    assert IMPORTER.recognises(log)
    [trace] = IMPORTER.read(log, Content())
    found = kinds(trace)
    protocol = sum(event.optional_fields.get("protocol") is True for event in trace if event.type == "message")
    counts = (found["message"], protocol, found["return"], found["despawn"], found["orchestrator_decision"])
    assert (row[0], found["spawn"], *counts) == row
    assert {event.agent for event in trace if event.type == "spawn"} == {f"team-lead@{row[0]}"}
    assert len(trace.agents) == 1 + row[1]
    assert not list(check(trace))


def test_members_are_spawned_by_the_lead_when_they_joined() -> None:
    trace = team(HARBOUR)
    assert [(event.t, event.agent, event.to, event.role) for event in trace if event.type == "spawn"] == [
        (5.0, "lead@harbour", "ann@harbour", "general-purpose"),
        (6.0, "lead@harbour", "bob@harbour", "general-purpose"),
        (60.0, "lead@harbour", "ann-2@harbour", "general-purpose"),
    ]


def test_a_run_begins_when_the_team_was_created() -> None:
    trace = team(HARBOUR)
    assert (trace.events[0].type, trace.events[0].agent, trace.events[0].t) == (
        "orchestrator_decision", "lead@harbour", 0.0,
    )  # fmt: skip
    assert trace.events[1].t == 5.0


@pytest.mark.parametrize("created", [None, 1772359300000, "soon"], ids=["missing", "after the first member", "no time"])
def test_a_creation_that_cannot_be_the_beginning_is_left_out(created: object, tmp_path: Path) -> None:
    config = {**json.loads((HARBOUR / "config.json").read_text()), "createdAt": created}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert kinds(team(tmp_path)) == {"spawn": 2}


def test_a_name_is_served_by_the_instance_that_joined_last() -> None:
    trace = team(HARBOUR)
    assert [
        (event.t, event.to) for event in trace if event.type == "message" and (event.to or "").startswith("ann")
    ] == [
        (10.0, "ann@harbour"),
        (30.0, "ann@harbour"),
        (40.0, "ann@harbour"),
        (50.0, "ann"),  # the first is gone, the second not there yet: nobody answers to the name
        (70.0, "ann-2@harbour"),
    ]
    assert [agent["name"] for agent in trace.agents.values()].count("ann") == 2


def test_messages_that_are_json_objects_are_the_protocols_and_others_are_plain() -> None:
    trace = team(HARBOUR)
    plain = [
        event.optional_fields["content"]
        for event in trace
        if event.type == "message" and "protocol" not in event.optional_fields
    ]
    assert plain == ["Is the pier on it?", "{It is, since noon}", "Still there?", "Draw it larger."]
    assert sum(event.optional_fields.get("protocol") is True for event in trace) == 10
    assert trace.costs["messages"] == 14


@pytest.mark.parametrize(
    ("type", "acts"),
    [
        ("orchestrator_decision", [(t, "lead", "ok") for t in (0, 10, 15, 36, 40)]),
        ("return", [(39, "ann", "ok"), (80, "bob", "cancelled"), (81, "ann-2", "error")]),
        ("despawn", [(44, "ann", "ok")]),
        ("human_intervention", [(38, "user", "ok")]),
    ],
)
def test_messages_of_the_protocol_stand_beside_the_acts_that_they_announce(
    type: str, acts: list[tuple[float, str, str]]
) -> None:
    assert [(e.t, e.agent.split("@")[0], e.status) for e in team(HARBOUR) if e.type == type] == acts


def test_founding_decides_that_others_work_assigning_whom_and_a_request_to_shut_down_decides_when_to_stop() -> None:
    decisions = [event.optional_fields["decision"] for event in team(HARBOUR) if event.type == "orchestrator_decision"]
    assert decisions == [["O1"], ["O2"], ["O2"], ["O5"], ["O5"]]


def test_a_message_leads_to_what_its_receiver_does_next_unless_it_was_never_read() -> None:
    trace = team(HARBOUR)
    assert {("message bob", "message ann"), ("message ann", "message bob"), ("message lead", "message ann")} <= edges(
        trace, "message"
    )
    [unread] = [event for event in trace if event.optional_fields.get("delivered") is False]
    assert unread.optional_fields["content"] == "Still there?"
    assert not [edge for edge in trace.edges if edge.src == unread.id and edge.type == "message"]
    assert ("return ann", "orchestrator_decision lead") in edges(trace, "return")


def test_a_return_after_which_somebody_new_is_asked_for_is_a_cause_of_that(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(HARBOUR, tmp_path / "harbour"))
    for name in ("config.json", "config.final.json"):
        config = (folder / name).read_text().replace('"agentId": "ann-2@harbour"', '"agentId": "eve@harbour"')
        (folder / name).write_text(config)
    for path in (folder / "inboxes").glob("*.json"):
        if path.name != "lead.json":
            path.unlink()
    trace = team(folder)
    assert "edge-type" not in check(trace).kinds
    assert ("return ann", "spawn lead") in edges(trace, "causal")


def test_tasks_that_wait_for_others_tie_the_assignments() -> None:
    trace = team(HARBOUR)
    assert ("message lead", "message lead") in edges(trace, "causal")


def test_what_the_inboxes_and_tasks_do_not_say_is_counted() -> None:
    assert {item["what"]: item["count"] for item in team(HARBOUR).source["lost"]} == {
        "dependencies between tasks without assignments": 1,
        "inboxes that are not lists": 1,
        "messages without a sender or a text": 1,
    }


def test_the_trace_of_a_team_is_sound_and_keeps_no_text() -> None:
    assert not list(check(team(HARBOUR)))
    [trace] = IMPORTER.read(Log(HARBOUR), Content())
    written = json.dumps(trace.to_json())
    assert not [text for text in ("pier", "Draw", "Be kind", "Check the map", "/w") if text in written]


def test_a_team_is_no_session_and_a_session_is_no_team() -> None:
    sessions = HARBOUR.parents[1] / "claude-code"
    assert not claude_code.IMPORTER.recognises(Log(HARBOUR))
    assert not claude_code.IMPORTER.recognises(Log(HARBOUR / "config.json"))
    assert not IMPORTER.recognises(Log(sessions))
    assert not IMPORTER.recognises(Log(sessions / "inline.jsonl"))
    assert not IMPORTER.recognises(Log(sessions / "none.jsonl"))


def test_a_team_of_nobody_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"members": [], "leadAgentId": "l"}')
    with pytest.raises(BadLog) as error:
        team(tmp_path / "config.json")
    assert str(error.value) == "config.json: an empty team (expected members, or messages in inboxes)"
    with pytest.raises(BadLog, match=r"none\.json: cannot be read"):
        team(tmp_path / "none.json")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BadLog) as error:
        team(tmp_path)
    assert str(error.value).endswith(": no configuration of a team (expected config.json with members and a lead)")


def test_a_configuration_from_standard_input_gives_the_spawns() -> None:
    path = HARBOUR / "config.json"
    [trace] = IMPORTER.read(Log(path, path.read_bytes()), Content())
    assert kinds(trace) == {"orchestrator_decision": 1, "spawn": 2}


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1e300,
    "",
    "x",
    [],
    {},
    [[]],
    {"a": 1},
    "lead",
    "ann",
    "{}",
    '{"type":["x"]}',
    "user",
]


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_team_gives_a_sound_trace_or_a_refusal(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    shutil.copytree(HARBOUR, tmp_path / "harbour")
    files = sorted((tmp_path / "harbour").rglob("*.json"))
    for _ in range(25):
        path = chance.choice(files)
        kept = path.read_text()
        document = json.loads(kept)
        for _ in range(chance.choice((1, 3))):
            damage(document, chance, ODD, 0.3)
        path.write_text(json.dumps(document) if chance.random() < 0.9 else kept[: chance.randrange(len(kept))])
        IMPORTER.recognises(Log(tmp_path / "harbour"))
        try:
            problems = check(team(tmp_path / "harbour"))
            assert not problems.errors, [*map(str, problems), path.name, path.read_text()]
        except BadLog:
            pass
        path.write_text(kept)
