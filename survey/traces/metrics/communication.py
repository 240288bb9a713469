"""Measures of communication between agents."""

from __future__ import annotations

from itertools import compress

from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.metrics.turns import steps
from survey.traces.model import OUTSIDE
from survey.traces.problems import NotMeasurable

THEME = Theme("communication")


@THEME.measure("Messages", "messages")
def messages(run: Run) -> int:
    """Messages sent between agents; delegated tasks, returns and prompts of people do not count."""
    return sum(number for pair, number in run.sent.items() if OUTSIDE.isdisjoint(pair))


@THEME.measure("Message density", "messages per step")
def message_density(run: Run) -> float:
    """Messages divided by steps."""
    return ratio(messages(run), steps(run), "there are no steps")


@THEME.measure("Communicating pairs", "share")
def pairs_that_talk(run: Run) -> float:
    """The share of all ordered pairs of agents in which the first sent the second a message."""
    members = run.members
    if len(members) < 2:
        raise NotMeasurable("there is only one agent")
    talked = sum(a in members and b in members and a != b for a, b in run.sent)
    return talked / (len(members) * (len(members) - 1))


@THEME.measure("Protocol overhead", "share")
def protocol_overhead(run: Run) -> float:
    """The share of messages that serve the protocol and carry no task content.

    Examples are idle notices and shutdown requests.
    """
    marked = [event.other.get("protocol") if event.other else None for event in run.acts("message")]
    if all(mark is None for mark in marked):
        raise NotMeasurable('no message has the field "protocol"')
    return sum(mark is True for mark in marked) / len(marked)


@THEME.measure("Coordination share", "share of tokens")
def coordination_share(run: Run) -> float:
    """The share of tokens spent on decisions, delegations, messages and aggregations instead of work."""
    run.need_tokens()
    coordinating = run.marks("orchestrator_decision", "delegate", "message", "aggregate")
    spent = sum(compress(run.tokens, coordinating))
    return ratio(spent, run.total_tokens, "the tokens of its events add up to 0")
