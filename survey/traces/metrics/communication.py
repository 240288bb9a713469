"""How much the agents talked."""

from __future__ import annotations

from itertools import compress

from survey.traces.metrics.run import NotMeasurable, Run
from survey.traces.metrics.theme import Theme, ratio
from survey.traces.metrics.turns import steps

THEME = Theme("communication")


@THEME.measure("Messages", "messages")
def messages(run: Run) -> int:
    """Messages sent between agents; tasks handed out and returned do not count."""
    return run.marks("message").count(1)


@THEME.measure("Message density", "messages per step")
def message_density(run: Run) -> float:
    """Messages over steps."""
    return ratio(messages(run), steps(run), "it has no steps")


@THEME.measure("Pairs that talk", "share")
def pairs_that_talk(run: Run) -> float:
    """Of all ordered pairs of agents, the share in which the one sent the other a message."""
    members = run.members
    if len(members) < 2:
        raise NotMeasurable("it has only one agent")
    sent = list(run.acts("message"))
    pairs = set(zip([event.from_ or event.agent for event in sent], [event.to for event in sent], strict=True))
    talked = sum(a in members and b in members and a != b for a, b in pairs)
    return talked / (len(members) * (len(members) - 1))


@THEME.measure("Protocol overhead", "share")
def protocol_overhead(run: Run) -> float:
    """The share of messages that serve the protocol and carry no content of the task.

    Idle notices, requests to shut down, and their like.
    """
    marked = [(event.other or {}).get("protocol") for event in run.acts("message")]
    if all(mark is None for mark in marked):
        raise NotMeasurable("no message says whether it serves the protocol")
    return sum(mark is True for mark in marked) / len(marked)


@THEME.measure("Coordination share", "share of tokens")
def coordination_share(run: Run) -> float:
    """The share of tokens spent on turns that decide, delegate, talk or aggregate instead of working."""
    run.need_tokens()
    coordinating = run.marks("orchestrator_decision", "delegate", "message", "aggregate")
    spent = sum(compress(run.tokens, coordinating))
    return ratio(spent, sum(run.tokens), "its events add up to no tokens")
