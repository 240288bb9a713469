"""Rounds of recorded runs: debates, review loops, attempts and searches whose rounds are known by construction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces import NotMeasurable, Trace, replay
from survey.traces.importers import Log, logs_in
from survey.traces.metrics import Run
from survey.traces.model import Content
from survey.traces.stopping import episode, rounds
from tests.traces.importers.samples import sample
from tests.traces.strategies import MODEST, Json, small


def by_event(trace: Trace) -> dict[str, int]:
    """The round of each event; one more than there are for those that close the run."""
    run = Run(replay(trace))
    return {event.id: round for event, round in zip(run.events, rounds(run).of, strict=True)}


def count(trace: Trace) -> int:
    return rounds(Run(replay(trace))).count


class Script:
    """Events with the edges that deliver what they say to the next act of those who are told."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self.edges: list[tuple[str, str, str]] = []
        self._waiting: dict[str, list[tuple[float, str, str]]] = {}

    def act(self, type: str, agent: str, t: float, to: tuple[str, ...] = (), **fields: object) -> str:
        id = f"e{len(self.events) + 1}"
        waiting = self._waiting.pop(agent, [])
        self.edges += [(source, id, edge) for sent, source, edge in waiting if sent < t]
        self._waiting[agent] = [one for one in waiting if one[0] >= t]  # said at the same time: not heard yet
        one = {"to": to[0]} if len(to) == 1 else {}
        self.events.append({"type": type, "agent": agent, "t": t, **one, **fields})
        edge = type if type in ("spawn", "message", "return") else "message"
        for other in to:
            self._waiting.setdefault(other, []).append((t, id, edge))
        return id

    def trace(self, **head: object) -> Trace:
        return small(self.events, self.edges, **head)


def debate(peers: int, rounds: int, *, at_once: bool) -> Trace:
    """Debaters who each say one thing a round to all others, at once or one after the other."""
    names, script = [f"p{number}" for number in range(peers)], Script()
    for number in range(rounds):
        for place, name in enumerate(names):
            t = 10.0 * number + (0 if at_once else place)
            script.act("model_call", name, t)
        for place, name in enumerate(names):
            others = tuple(other for other in names if other != name)
            t = 10.0 * number + (5 if at_once else place + 0.5)
            for other in others:
                script.act("message", name, t, (other,), content_ref=f"{name}/{number}")
    return script.trace(topology="debate")


@MODEST
@given(st.integers(2, 4), st.integers(2, 5))
def test_a_round_of_a_debate_is_one_statement_of_each(peers: int, number: int) -> None:
    trace = debate(peers, number, at_once=True)
    found = by_event(trace)
    assert count(trace) == number
    for event in trace.events:
        assert found[event.id] == event.t // 10 + 1


@pytest.mark.parametrize("number", [2, 3, 4])
def test_debaters_may_speak_in_turn(number: int) -> None:
    script = Script()
    for round in range(number):
        for place, name in enumerate("abc"):
            others = tuple(other for other in "abc" if other != name)
            script.act("model_call", name, 10 * round + 2 * place, others)
    trace = script.trace()
    assert count(trace) == number
    assert [by_event(trace)[event.id] for event in trace.events] == [n for n in range(1, number + 1) for _ in "abc"]


def loop(times: int, *, last_review: bool = True) -> Trace:
    """A writer and a reviewer; after the last review, or the last draft, the writer answers the user."""
    script = Script()
    for number in range(times):
        script.act("model_call", "writer", 10 * number)
        script.act("message", "writer", 10 * number + 1, ("reviewer",))
        if last_review or number < times - 1:
            script.act("model_call", "reviewer", 10 * number + 2)
            script.act("message", "reviewer", 10 * number + 3, ("writer",))
    script.act("model_call", "writer", 10 * times, to=("user",))
    return script.trace()


def test_a_round_of_a_review_loop_is_a_draft_and_its_review_and_the_answer_closes_the_run() -> None:
    assert list(by_event(loop(3)).values()) == [1] * 4 + [2] * 4 + [3] * 4 + [4]


def test_a_draft_that_nobody_reviews_closes_the_run() -> None:
    trace = loop(3, last_review=False)
    assert count(trace) == 2
    assert list(by_event(trace).values()) == [1] * 4 + [2] * 4 + [3] * 3


def waves(sizes: list[int], *, nested: bool = False) -> Trace:
    """A controller that spawns branches, collects what they return, and spawns the next; each branch may hand on."""
    script, t = Script(), 0.0
    for wave, size in enumerate(sizes):
        names = [f"branch-{wave}-{number}" for number in range(size)]
        turn = script.act("orchestrator_decision", "lead", t)
        for name in names:
            script.act("spawn", "lead", t + 1, (name,), parent=turn)
        for name in names:
            script.act("model_call", name, t + 2)
            if nested:
                script.act("spawn", name, t + 3, (f"{name}-below",))
                script.act("return", f"{name}-below", t + 4, (name,))
                script.act("aggregate", name, t + 5)
            script.act("return", name, t + 6, ("lead",))
        t += 10
    script.act("aggregate", "lead", t)
    return script.trace()


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("sizes", [[1, 1], [3, 2, 4], [2, 5, 1, 1]])
def test_a_round_of_a_search_is_a_wave_of_branches_however_deep(sizes: list[int], nested: bool) -> None:
    trace = waves(sizes, nested=nested)
    found = by_event(trace)
    assert count(trace) == len(sizes)
    assert all(found[event.id] == event.t // 10 + 1 for event in trace.events)


def test_one_wave_is_no_round_to_stop_before() -> None:
    with pytest.raises(NotMeasurable, match="exchange their work once"):
        episode(waves([4]))


def alone(*tools: str | tuple[str, ...]) -> Trace:
    """One agent; each turn calls a tool, or several at once, and reads the results."""
    events: list[Json] = []
    for number, one in enumerate(tools):
        turn = f"e{len(events) + 1}"
        names = (one,) if isinstance(one, str) else one
        events.append({"type": "model_call", "t": 10 * number})
        calls = []
        for name in names:
            calls.append((f"e{len(events) + 1}", name))
            events.append({"type": "tool_call", "t": 10 * number + 1, "tool": name, "parent": turn})
        events += [
            {"type": "tool_result", "t": 10 * number + 2 + place, "tool": name, "parent": call}
            for place, (call, name) in enumerate(calls)
        ]
    return small([*events, {"type": "model_call", "t": 10 * len(tools)}])


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (("edit", "test", "edit", "test", "edit", "test"), [1, 1, 2, 2, 3, 3]),
        (("read", "read", "read", "edit", "test", "edit", "test"), [1, 1, 1, 1, 1, 2, 2]),
        (("read", "edit", "edit", "test", "read", "edit", "test"), [1, 1, 1, 1, 2, 2, 2]),
        (("edit", "test", "edit", "test", "submit"), [1, 1, 2, 2, 2]),
        (("edit", "test", "edit", "test", "edit"), [1, 1, 2, 2, 3]),  # nobody tests the last edit
        ((("read", "find"), "edit", "test", "edit", "test"), [1, 1, 1, 1, 2, 2]),
        (("run", "run", "run"), [1, 2, 3]),
        ((("run", "run"), "run"), [1, 1, 2]),
    ],
)
def test_a_round_of_a_lone_agent_is_a_cycle_of_its_tools(tools: tuple[str, ...], expected: list[int]) -> None:
    trace = alone(*tools)
    found = by_event(trace)
    assert [found[event.id] for event in trace.events if event.type == "tool_call"] == expected
    assert all(found[e.id] == found[e.parent or ""] for e in trace.events if e.type == "tool_result")
    assert found[trace.events[-1].id] == count(trace) + 1


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (alone("read", "edit", "test"), "repeats no call"),
        (alone(), "calls no tools"),
        (small([{"type": "model_call"}, {"type": "model_call", "agent": "b"}]), "no act of one agent reaches another"),
        (small([{"type": "message", "to": "b"}, {"type": "model_call", "agent": "b"}], [("e1", "e2", "message")]),
         "no agent answers another"),
    ],
)  # fmt: skip
def test_a_run_without_rounds_says_why(trace: Trace, reason: str) -> None:
    with pytest.raises(NotMeasurable, match=reason):
        episode(trace)


RUNS = [
    debate(3, 4, at_once=True), debate(2, 3, at_once=False), loop(4), waves([3, 2, 4], nested=True),
    alone(("read", "find"), "edit", "test", "edit", "test"),
]  # fmt: skip


@MODEST
@given(st.sampled_from(RUNS), st.integers(0, 10**6))
def test_the_order_of_the_lines_of_a_log_changes_nothing(trace: Trace, seed: int) -> None:
    events, edges = list(trace.events), list(trace.edges)
    Random(seed).shuffle(events)
    Random(seed).shuffle(edges)
    other = Trace(events, edges, trace.head)
    assert by_event(other) == by_event(trace)
    assert episode(other) == episode(trace)


def test_the_longest_wait_for_an_answer_is_not_a_round_of_the_others() -> None:
    """Two workers talk with a lead in pairs; the slow one answers once while the quick one answers three times."""
    script = Script()
    for number in range(3):
        script.act("message", "lead", 10 * number, ("quick",))
        if number == 0:
            script.act("message", "lead", 0.5, ("slow",))
        script.act("message", "quick", 10 * number + 5, ("lead",))
    script.act("message", "slow", 26, ("lead",))
    script.act("message", "lead", 30, ("slow",))
    script.act("message", "slow", 35, ("lead",))
    trace = script.trace()
    assert count(trace) == 4
    assert by_event(trace)["e8"] == 1  # the slow answer is still one to the first round


def spelled_out(trace: Trace) -> dict[str, int]:
    """The round of each message by the words of the rule, with sets of all that an agent has heard and said."""
    events, told = sorted(trace.events, key=lambda event: event.t), list(trace.edges)
    found: dict[str, int] = {}
    for x in events:
        own = [event for event in events if event.agent == x.agent and event.t <= x.t]
        candidates = [1, *(found[event.id] for event in own if event is not x)]
        for h in own:
            for heard in (edge.src for edge in told if edge.dst == h.id):
                before = [found[event.id] for event in own if event.t < h.t]
                candidates.append(found[heard] + any(round >= found[heard] for round in before))
        found[x.id] = max(candidates)
    return found


@MODEST
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=3, max_size=25))
def test_any_conversation_has_the_rounds_that_the_words_of_the_rule_give(said: list[tuple[str, str]]) -> None:
    script = Script()
    for number, (one, other) in enumerate(said):
        if one != other:
            script.act("message", one, number, (other,))
    if not script.events:
        return
    trace = script.trace()
    expected = spelled_out(trace)
    parties: dict[int, set[str]] = {}
    for event in trace.events:
        parties.setdefault(expected[event.id], set()).add(event.agent)
    counted = sum(len(own) > 1 for own in parties.values())
    assert all(len(parties[number]) > 1 for number in range(1, max(parties)))  # only the last can lack an answer
    if counted < 2:
        with pytest.raises(NotMeasurable):
            rounds(Run(replay(trace)))
    else:
        assert count(trace) == counted
        assert by_event(trace) == {id: min(round, counted + 1) for id, round in expected.items()}


def test_a_tree_whose_branches_start_their_own_is_one_exchange() -> None:
    script = Script()
    for t, parent, child in [(0, "root", "a"), (1, "root", "b"), (2, "a", "aa"), (3, "b", "bb"), (4, "aa", "aaa")]:
        script.act("spawn", parent, t, (child,))
    script.act("return", "aaa", 5, ("root",))
    with pytest.raises(NotMeasurable, match="exchange their work once"):
        rounds(Run(replay(script.trace())))


# logs of importers


def imported(path: Path) -> list[Trace]:
    return [trace for one, importer in logs_in(Log(path)) if importer for trace in importer.read(one, Content())]


def test_logs_of_the_importers_have_the_rounds_that_their_text_shows() -> None:
    first, *_ = imported(sample("marble/flat.jsonl"))
    assert count(first) == 2  # two iterations of the planner
    assert sum(event.type == "aggregate" for event in first.events) == 2
    (commands,) = imported(sample("mini-swe-agent/submitted.traj.json"))
    assert [round.passed for round in episode(commands).rounds] == [False, False, False, True]


@pytest.mark.parametrize("number", [11, 12, 15, 16])
def test_an_orchestrator_that_asks_one_expert_at_a_time_has_a_round_for_each_answer(
    real: Callable[[str], Path], number: int
) -> None:
    (trace,) = imported(real(f"who-and-when/Hand-Crafted-{number}.json"))
    assert count(trace) == sum(event.type == "return" for event in trace.events)


def test_the_graph_of_a_planner_its_workers_and_a_joiner_has_three_waves(real: Callable[[str], Path]) -> None:
    (spans,) = imported(real("langgraph/langgraph_openinference_otlp.json"))
    (runs,) = imported(real("langgraph/langsmith_runs.json"))
    assert count(spans) == count(runs) == 3
