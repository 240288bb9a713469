"""What in a session of Claude Code is work and what is waiting, in logs of a few lines with known times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traces.exporters.test_headline import headline
from tests.traces.importers.coding_agents.sessions import Session, seconds
from tests.traces.importers.losses import lost


def test_a_request_that_failed_is_a_loss_and_no_turn(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.say(10)
    session.prompt(20)
    session.failed_request(935.5)
    session.prompt(1000)
    session.say(1010)
    trace = session.trace(tmp_path)
    assert seconds(trace, "work_s", "model_s", "critical_path_s", "waiting_people_s") == [20, 20, 20, 990]
    assert sum(event.type == "model_call" for event in trace) == 2
    assert lost(trace)["requests to the model that failed, without a turn"] == 1


def test_a_session_whose_last_request_failed_has_not_ended(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.say(10)
    assert [event.type for event in session.trace(tmp_path)][-1] == "stop"
    session.prompt(20)
    session.failed_request(30)
    assert "stop" not in [event.type for event in session.trace(tmp_path)]


@pytest.mark.parametrize(
    "command",
    ["while ! grep -q done out; do sleep 10; done", "until [ -f out ]; do sleep 5; done", 'bash -c "sleep 20"'],
)
def test_a_loop_that_sleeps_while_a_sub_agent_works_waits_for_it(command: str, tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a", run_in_background=True)
    session.launched(10, "call-a", "a")
    session.call(20, ("poll", "Bash", {"command": command}))
    session.result(50, "poll")
    session.say(60)
    helper = session.sub_agent("a", 10)
    helper.say(49)
    assert seconds(session.trace(tmp_path), "work_s", "tool_s", "waiting_s") == [69, 0, 30]


def test_whole_seconds_leave_an_agent_s_last_turn_before_its_return(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a")
    session.returned(60, "call-a", "a")
    session.say(70)
    a = session.sub_agent("a", 10)
    a.task(20, "call-b")
    a.returned(50, "call-b", "b")
    a.say(60)
    b = session.sub_agent("b", 20)
    b.say(50)
    trace = session.trace(tmp_path)
    assert seconds(trace, "work_s", "critical_path_s", "waiting_s") == [70, 70, 80]
    spawned = {event.id: event.to for event in trace if event.type == "spawn"}
    first = {spawned[edge.src]: edge.dst for edge in trace.edges if edge.type == "spawn"}
    assert {agent: trace.events[int(id[1:]) - 1].type for agent, id in first.items()} == {
        "a": "orchestrator_decision",
        "b": "model_call",
    }


def test_an_agent_between_two_tasks_waits_for_nobody(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a")
    session.returned(30.2, "call-a", "a")
    session.task(40, "call-c", resume="a")
    session.returned(60.2, "call-c", "a")
    session.say(70)
    a = session.sub_agent("a", 10.1)
    a.say(30)
    a.prompt(40.1, "more")
    a.say(60)
    trace = session.trace(tmp_path)
    assert seconds(trace, "work_s", "critical_path_s", "waiting_s", "idle_s") == [69.4, 69.4, 40.4, 0]


def test_an_agent_whose_log_ends_while_it_waits_waits_as_long_as_the_other_works(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a")
    a = session.sub_agent("a", 10)
    a.task(20, "call-b")
    b = session.sub_agent("b", 20)
    b.call(30, ("look", "Grep", {}))
    b.result(35, "look")
    b.say(50)
    assert seconds(session.trace(tmp_path), "work_s", "waiting_s", "wall_s") == [50, 40 + 30, 50]


def test_an_agent_whose_log_ends_after_a_launch_in_the_background_does_not_wait(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a", run_in_background=True)
    a = session.sub_agent("a", 10)
    a.say(50)
    assert seconds(session.trace(tmp_path), "work_s", "waiting_s", "wall_s") == [50, 0, 50]


def test_an_interrupted_sub_agent_without_a_log_may_have_worked_until_then(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a")
    session.interrupted(100, "call-a")
    session.prompt(150)
    session.say(160)
    trace = session.trace(tmp_path)
    assert lost(trace)["interrupted sub-agents of which the log has nothing but the call"] == 1
    assert headline(trace).startswith(
        "1 agent did 0 s to 20 s of work that the log shows in 2 min 40 s. For at least 50 s of that time (31 %) no "
        "agent was working. For another 1 min 30 s the log does not say (1 interrupted sub-agent without a log)."
    )


def test_a_call_of_a_sub_agent_that_was_cut_may_have_run_until_then(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.task(10, "call-a")
    session.interrupted(100, "call-a")
    session.prompt(150)
    session.say(160)
    a = session.sub_agent("a", 10)
    a.call(30, ("b", "Bash", {"command": "make"}))
    trace = session.trace(tmp_path)
    assert headline(trace).startswith(
        "2 agents did 0 s to 40 s of work that the log shows in 2 min 40 s. For at least 50 s of that time (31 %) no "
        "agent was working. For another 1 min 10 s the log does not say (1 call without a result)."
    )


def test_a_compaction_may_have_begun_when_its_agent_had_nothing_else_to_do(tmp_path: Path) -> None:
    session = Session()
    session.prompt(0)
    session.call(10, ("b", "Bash", {"command": "make"}))
    session.result(12, "b")
    session.add(40, "system", subtype="compact_boundary", content="", compactMetadata={"trigger": "auto"})
    session.add(40, "user", message={"role": "user", "content": "A summary"}, isCompactSummary=True)
    session.say(50)
    assert headline(session.trace(tmp_path)).startswith(
        "1 agent did 2.0 s to 22 s of work that the log shows in 50 s. For 28 s the log does not say (1 compaction)."
    )
