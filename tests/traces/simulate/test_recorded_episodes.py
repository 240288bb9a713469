"""Stopping episodes of recorded runs: what a round cost and showed, and what stopping there was worth, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from survey.traces import NotMeasurable, Trace
from survey.traces.simulate.review import review_loop
from survey.traces.simulate.stopping import Stopping, played
from survey.traces.stopping import (
    Seen,
    agreement,
    episode,
    fixed,
    giving_up,
    passing,
    rule,
    savings,
    stopped,
)
from tests.traces.strategies import Json, small


def said(t: float, agent: str, to: str, answer: str | None, **fields: object) -> list[Json]:
    ref = {"content_ref": answer} if answer else {}
    return [
        {"type": "model_call", "agent": agent, "t": t, "t_end": t + 2, "tokens": 100},
        {"type": "message", "agent": agent, "t": t + 2, "to": to, **ref, **fields},
    ]


def debate(*answers: tuple[str | None, str | None], **head: Any) -> Trace:
    """Two debaters who speak at once, ten seconds apart; after the last round "a" writes the answer."""
    events: list[Json] = []
    edges: list[tuple[str, str, str]] = []
    for number, (a, b) in enumerate(answers):
        events += said(10 * number, "a", "b", a) + said(10 * number, "b", "a", b)
        if number:
            last = 4 * number
            edges += [(f"e{last - 2}", f"e{last + 3}", "message"), (f"e{last}", f"e{last + 1}", "message")]
    events.append({"type": "model_call", "agent": "a", "t": 10 * len(answers), "t_end": 10 * len(answers) + 5,
                   "tokens": 50})  # fmt: skip
    edges.append((f"e{4 * len(answers)}", f"e{4 * len(answers) + 1}", "message"))
    return small(events, edges, **{"topology": "debate", **head})


def test_a_round_costs_what_its_turns_cost_and_the_answer_closes_the_run() -> None:
    found = episode(debate(("x", "y"), ("x", "x"), ("x", "x")))
    assert [(one.cost.tokens, one.cost.calls, one.cost.seconds) for one in found.rounds] == [
        (200, 2, 2), (200, 2, 10), (200, 2, 10),
    ]  # fmt: skip
    assert (found.closing.tokens, found.closing.calls, found.closing.seconds) == (50, 1, 13)
    saved = found.saved(1)
    assert (saved.tokens, saved.calls, saved.seconds) == (400, 4, 20)
    assert found.saved(3).calls == 0


def test_the_rounds_and_the_close_add_up_to_the_run() -> None:
    trace = review_loop(Stopping().episode(3), 6)
    found = episode(trace)
    parts = [*(one.cost for one in found.rounds), found.closing]
    assert sum(cost.tokens or 0 for cost in parts) == sum(event.tokens or 0 for event in trace.events)
    assert sum(cost.seconds or 0 for cost in parts) == max(event.end for event in trace.events)
    assert sum(cost.calls for cost in parts) == sum(event.type == "model_call" for event in trace.events)


def test_the_clock_of_a_run_may_begin_long_before_it() -> None:
    trace = debate(("x", "y"), ("x", "x"), ("x", "x"))
    later = [event.with_fields(t=event.t + 1000, t_end=event.t_end and event.t_end + 1000) for event in trace.events]
    moved = savings([Trace(later, trace.edges, trace.head)], fixed(2))
    assert [one.cost.seconds for one in moved.runs[0].episode.rounds] == [2, 10, 10]
    assert moved.total("seconds") == (10, 22, 1)


def test_debaters_agree_as_far_as_their_answers_are_the_same() -> None:
    found = episode(debate(("x", "y"), ("x", "x"), ("z", "x")))
    assert [one.agreement for one in found.rounds] == [0, 1, 0]
    assert [one.changed for one in found.rounds] == [True, False, True]
    assert [seen.quiet for seen in found.seen] == [1, 0, 1]  # the agreement has not risen above nothing, or fell


def test_what_is_unknown_is_none() -> None:
    found = episode(debate(("x", "y"), ("x", None), time="ordinal"))
    assert [one.agreement for one in found.rounds] == [0, None]
    assert [one.changed for one in found.rounds] == [True, None]
    assert [seen.quiet for seen in found.seen] == [1, None]
    assert all(one.cost.seconds is None for one in [*found.rounds])
    assert found.saved(1).seconds is None and found.saved(1).tokens == 200
    with pytest.raises(NotMeasurable, match=r"round 2 does not show what the rule needs \(unknown: agreement, quiet"):
        found.stop(agreement(1))


def test_answers_to_different_questions_do_not_agree_or_disagree() -> None:
    trace = debate(("x", "x"), ("x", "x"), topology="mixed")
    assert [one.agreement for one in episode(trace).rounds] == [None, None]
    assert [seen.quiet for seen in episode(trace).seen] == [0, 1]  # nothing new was said
    assert [one.agreement for one in episode(trace, debaters={"a", "b"}).rounds] == [1, 1]


def attempts(*checks: str, **head: Any) -> Trace:
    """An agent that edits and tests; the score of the state is on the result of each test."""
    events: list[Json] = []
    for number, status in enumerate(checks):
        for tool in ("edit", "test"):
            call = f"e{len(events) + 1}"
            fields = {"status": status, "reward": {"score": number / 10}} if tool == "test" else {}
            events.append({"type": "tool_call", "tool": tool})
            events.append({"type": "tool_result", "tool": tool, "parent": call, "content_ref": f"{tool}{number}",
                           **fields})  # fmt: skip
    return small(events, **head)


def test_a_round_of_attempts_passes_if_its_last_check_does() -> None:
    found = episode(attempts("error", "error", "ok", "ok"))
    assert [one.passed for one in found.rounds] == [False, False, True, True]
    assert found.stop(passing()) == 3
    assert episode(attempts("error", "timeout")).stop(passing()) is None


@pytest.mark.parametrize("giver", ["lead", "{tool}", "environment"])
def test_a_result_is_of_the_round_of_its_call_whoever_gives_it(giver: str) -> None:
    """Tests take a minute: a stop after a round does not save the minute of this round."""
    events: list[Json] = []
    edges: list[tuple[str, str, str]] = []
    for number in range(3):
        for place, tool in enumerate(("edit", "test")):
            call, t = f"e{len(events) + 1}", 100 * number + 10 * place
            score = {"reward": {"score": number + place / 2}}
            edges += [(f"e{len(events)}", call, "causal")] if events else []
            edges.append((call, f"e{len(events) + 2}", "tool_dependency"))
            events.append({"type": "tool_call", "tool": tool, "t": t})
            events.append({"type": "tool_result", "tool": tool, "parent": call, "t": t + 1 + 60 * place, "tokens": 5,
                           "agent": giver.format(tool=tool), **score})  # fmt: skip
    found = episode(small(events, edges))
    assert [(one.cost.tokens, one.cost.seconds) for one in found.rounds] == [(10, 71), (10, 100), (10, 100)]
    assert found.closing.seconds == 0
    assert list(found.rewards) == [0.5, 1.5, 2.5]  # of the last result, not the mean over tools


def test_a_result_without_content_is_known_by_its_status() -> None:
    def ran(*statuses: str | None) -> list[bool | None]:
        events: list[Json] = []
        for status in statuses:
            stated = {"status": status} if status else {}
            events += [{"type": "tool_call", "tool": "run"}]
            events += [{"type": "tool_result", "tool": "run", "parent": f"e{len(events)}", **stated}]
        return [one.changed for one in episode(small(events)).rounds]

    assert ran("ok", "error", "ok") == [True, True, False]
    assert ran(None, None) == [None, None]


def test_debaters_that_a_run_does_not_have_are_refused() -> None:
    trace = debate(("x", "x"), ("x", "x"), agents=[{"id": "a"}, {"id": "b"}, {"id": "silent"}])
    with pytest.raises(NotMeasurable, match=r'no agent of the run is "silnt" \(did you mean "silent"\?\)'):
        episode(trace, debaters=["a", "b", "silnt"])
    assert [one.agreement for one in episode(trace, debaters=["a", "b", "silent"]).rounds] == [1, 1]


def test_a_stop_is_worth_the_recorded_score_and_the_end_what_the_run_records() -> None:
    found = episode(attempts("error", "error", "ok"))
    assert [one.reward for one in found.rounds] == [0, 0.1, 0.2]
    assert list(found.rewards) == [0, 0.1, 0.2]
    assert list(episode(attempts("error", "ok", rewards={"team": 0.9})).rewards) == [0, 0.9]
    bare = episode(debate(("x", "y"), ("x", "x")))
    assert list(bare.rewards) == [None, None]
    assert bare.ungraded == "needs a reward or an outcome of the whole run"


def test_several_scores_need_a_name() -> None:
    trace = attempts("error", "ok")
    both = [
        event.with_fields(reward={"style": 1.0, **event.reward}) if isinstance(event.reward, dict) else event
        for event in trace.events
    ]
    several = Trace(both, trace.edges, trace.head)
    assert list(episode(several).rewards) == [None, None]
    assert list(episode(several, reward="score").rewards) == [0, 0.1]
    assert list(episode(several, reward="style").rewards) == [1, 1]


def test_the_score_of_a_round_is_the_mean_over_agents_of_the_last_that_each_got() -> None:
    trace = debate(("x", "y"), ("x", "x"))
    scores = {"e1": 0.5, "e2": 0.25, "e4": 0.75}  # the turn of "a", and then its message
    graded = [event.with_fields(reward=scores.get(event.id)) for event in trace.events]
    assert episode(Trace(graded, trace.edges, trace.head)).rewards[0] == (0.25 + 0.75) / 2


# rules on both kinds of episodes


@pytest.mark.parametrize("words", ["fixed:3", "fixed:30", "patience:1", "patience:2", "passing"])
def test_one_rule_ends_a_simulated_task_and_its_log_in_the_same_round(words: str) -> None:
    """Patience is compared on the drafts: the log does not show the support for each answer."""
    made = rule(words)
    team = Stopping(workers=1)
    for seed in range(20):
        task = team.episode(seed)
        log = episode(review_loop(task, task.rounds))
        drafts = [(seen[1], quality) for seen, quality in zip(task.observations, task.qualities, strict=True)]
        quiet = 0
        expected = None
        for number in range(1, task.rounds + 1):
            quiet = quiet + 1 if drafts[number] in drafts[1:number] else 0
            if made(Seen(number, quiet=quiet)) and expected is None:
                expected = number
        assert log.stop(made) == expected
        assert list(log.rewards) == list(task.qualities[1:])


def test_the_observations_of_a_simulated_task_are_what_rules_see() -> None:
    team = Stopping()
    for seed in range(20):
        task = team.episode(seed)
        calm = 0
        for number, (observed, seen) in enumerate(zip(task.observations, task.seen, strict=True)):
            calm = 0 if number == 0 or observed[3] > 0 else calm + 1
            assert seen == Seen(number, observed[2], calm)
        assert played(task, giving_up(2, 0.2, 1, 9)) <= 9


def test_rules_are_asked_for_by_name() -> None:
    rounds = [Seen(n, agreement=n / 10, quiet=n - 1, passed=n == 4) for n in range(1, 9)]
    for text, end in [
        ("fixed", 2), ("fixed:5", 5), ("patience:3", 4), ("agreement:0.6", 6), ("passing", 4), ("agreement", None),
        ("giving-up:1,0.2,3,8", 1), ("giving-up:2,0.1,9,7", 7), ("giving-up:2,0.1,3", 4),
    ]:  # fmt: skip
        assert stopped(rounds, rule(text)) == end, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patients", r'"patients" is not a rule \(did you mean "patience"\?\); expected one of fixed, patience'),
        ("fixed:0", 'fixed: rounds is "0" .expected a whole number of at least 1'),
        ("fixed:2.5", 'fixed: rounds is "2.5"'),
        ("agreement:2", 'agreement: share is "2" .expected a number from 0 to 1'),
        ("agreement:nan", 'share is "nan"'),
        ("passing:1", "passing: found 1 parameters, expected none"),
        ("fixed:1,2", "fixed: found 2 parameters, expected at most 1 .rounds"),
        ("fixed:", 'rounds is ""'),
        ("agreement:inf", 'share is "inf"'),
    ],
)
def test_a_rule_that_there_is_not_is_refused_with_what_there_is(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rule(text)


def test_a_number_of_rounds_may_be_larger_than_any_float() -> None:
    assert stopped([Seen(1), Seen(2)], rule("fixed:" + 400 * "9")) is None


def test_savings_add_up_over_the_runs_that_the_rule_ends() -> None:
    runs = [debate(("x", "y"), ("x", "x"), ("x", "x")), debate(("x", "x"), ("x", "x")), small([{"type": "stop"}])]
    found = savings(runs, fixed(2))
    assert [one.stop for one in found.runs] == [2, 2]
    assert found.total("tokens") == (200, 1000, 2)
    assert found.total("seconds") == (10, 34, 2)
    assert [id for id, _ in found.why_not] == ["r"]
    three = savings(runs, fixed(3))
    assert [one.stop for one in three.runs] == [3, None]
    assert (three.censored, three.runs[1].saved, three.total("calls")) == (1, None, (0, 6, 1))
    assert three.rewards() is None
