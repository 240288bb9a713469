"""What was spent: tokens, calls, money."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from survey.traces.metrics.run import NotMeasurable, Run
from survey.traces.metrics.theme import Theme

THEME = Theme("costs")


@THEME.measure("Tokens", "tokens")
def tokens(run: Run) -> float:
    """All tokens of all events."""
    run.need_tokens()
    return sum(run.tokens)


@THEME.measure("Critical path in tokens", "tokens")
def critical_path_tokens(run: Run) -> float:
    """The most tokens on any chain of events of which each had to wait for the one before."""
    run.need_tokens()
    return max(run.timeline.longest_tokens)


@THEME.measure("Tokens by agent", "tokens")
def tokens_by_agent(run: Run) -> dict[str, float]:
    """Tokens of each agent's events."""
    run.need_tokens()
    return _spent_by(run.timeline.actors, run.tokens)


@THEME.measure("Tokens by role", "tokens")
def tokens_by_role(run: Run) -> dict[str, float]:
    """Tokens by the role of the agent.

    As the trace's list of agents has it, else as its spawn or its events have it.
    """
    run.need_tokens()
    roles = run.need_roles()
    return _by_role(roles, tokens_by_agent(run))


@THEME.measure("Tokens by tool", "tokens")
def tokens_by_tool(run: Run) -> dict[str, float]:
    """Tokens that calls and results of each tool say they took; a turn's tokens are not divided among its calls."""
    uses = compress(enumerate(run.events), run.marks("tool_call", "tool_result"))
    spent = {place: run.tokens[place] for place, event in uses if event.tokens_ is not None}
    return _by_tool(run, spent, "no tool call or result says how many tokens it took")


@THEME.measure("Calls by tool", "calls")
def calls_by_tool(run: Run) -> dict[str, int]:
    """How often each tool was called."""
    return dict(Counter(event.tool or "unnamed" for event in run.acts("tool_call")))


@THEME.measure("Failures by tool", "results")
def failures_by_tool(run: Run) -> dict[str, int]:
    """How many results of each tool are anything but ok."""
    failed: Counter[str] = Counter()
    events = run.events
    for call, result in run.replayed.answers.items():
        if events[result].status != "ok":
            failed[events[call].tool or "unnamed"] += 1
    return dict(failed)


@THEME.measure("Cost", "US dollars")
def cost_usd(run: Run) -> float:
    """The money that events say they cost."""
    if not run.priced:
        raise NotMeasurable("no event says what it cost")
    return sum(_costs(run))


@THEME.measure("Cost by agent", "US dollars")
def cost_by_agent(run: Run) -> dict[str, float]:
    """The same for each agent."""
    cost_usd(run)
    return _spent_by(map(run.timeline.actors.__getitem__, run.priced), _costs(run))


@THEME.measure("Cost by role", "US dollars")
def cost_by_role(run: Run) -> dict[str, float]:
    """The same for each role."""
    return _by_role(run.need_roles(), cost_by_agent(run))


@THEME.measure("Cost by tool", "US dollars")
def cost_by_tool(run: Run) -> dict[str, float]:
    """What calls and results of each tool say they cost."""
    uses = run.marks("tool_call", "tool_result")
    spent = {place: cost for place, cost in zip(run.priced, _costs(run), strict=True) if uses[place]}
    return _by_tool(run, spent, "no tool call or result says what it cost")


def _costs(run: Run) -> list[float]:
    """What events say they cost, where they do."""
    return [run.events[place].cost or 0 for place in run.priced]


def _by_tool(run: Run, spent: Mapping[int, float], missing: str) -> dict[str, float]:
    if not spent:
        raise NotMeasurable(missing)
    events = run.events
    called = {result: events[call].tool for call, result in run.replayed.answers.items()}
    tools = [called.get(place, events[place].tool) or "unnamed" for place in spent]
    totals: dict[str, float] = defaultdict(float)
    for tool, said in zip(tools, spent.values(), strict=True):
        totals[tool] += said
    return dict(totals)


def _by_role(roles: Mapping[str, str], spent: Mapping[str, float]) -> dict[str, float]:
    """What agents spent, added up by their roles."""
    totals: dict[str, float] = defaultdict(float)
    for agent, amount in spent.items():
        totals[roles.get(agent, "no role")] += amount
    return dict(totals)


def _spent_by(keys: Iterable[str], amounts: Sequence[float]) -> dict[str, float]:
    """The amounts added up by their keys; a key under which there is nothing but zeros is left out."""
    totals: dict[str, float] = defaultdict(float)
    for key, amount in zip(keys, amounts, strict=True):
        if amount:
            totals[key] += amount
    return dict(totals)
