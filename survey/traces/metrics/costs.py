"""Measures of cost: tokens, calls, money."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress

from survey.traces.metrics.prices.spending import Calls
from survey.traces.metrics.run import Run
from survey.traces.metrics.theme import Theme
from survey.traces.problems import NotMeasurable, quoted

THEME = Theme("costs")


@THEME.measure("Tokens", "tokens")
def tokens(run: Run) -> float:
    """The tokens of all events; where no event records any, the total that the trace states for the run."""
    stated = run.replayed.trace.costs.get("tokens")
    if stated and all(spent is None for spent in run.recorded):
        return stated
    run.need_tokens()
    return run.total_tokens


@THEME.measure("Tokens by kind", "tokens")
def tokens_by_kind(run: Run) -> dict[str, float]:
    """The tokens of all events by kind: input that is new, read from or written to a cache, and output.

    Reading from a cache costs a tenth of new input at most providers, and is most of the total in long sessions.
    """
    run.need_tokens()
    spent: dict[str, float] = defaultdict(float)
    for calls in run.spending.calls:
        for kind, amount in calls.tokens.items():
            spent[kind] += amount
    spent["unspecified"] = run.spending.unspecified
    return {kind: amount for kind, amount in spent.items() if amount}


@THEME.measure("Critical path in tokens", "tokens")
def critical_path_tokens(run: Run) -> float:
    """The most tokens on any chain of events in which each had to wait for the previous one."""
    run.need_tokens()
    return max(run.timeline.longest_tokens)


@THEME.measure("Tokens by agent", "tokens")
def tokens_by_agent(run: Run) -> dict[str, float]:
    """The tokens of each agent's events."""
    run.need_tokens()
    return _spent_by(run.timeline.actors, run.tokens)


@THEME.measure("Tokens by role", "tokens")
def tokens_by_role(run: Run) -> dict[str, float]:
    """Tokens by the role of the agent.

    The role is taken from the trace's list of agents, else from the spawn or the events of the agent.
    """
    run.need_tokens()
    roles = run.need_roles()
    return _by_role(roles, tokens_by_agent(run))


@THEME.measure("Tokens by tool", "tokens")
def tokens_by_tool(run: Run) -> dict[str, float]:
    """The tokens recorded on calls and results of each tool; a turn's tokens are not divided among its calls."""
    amounts, uses = run.tokens, run.marks("tool_call", "tool_result")
    spent = {place: amounts[place] for place, spent in enumerate(run.recorded) if spent is not None and uses[place]}
    return _by_tool(run, spent, "no tool call or result records its tokens")


@THEME.measure("Calls by tool", "calls")
def calls_by_tool(run: Run) -> dict[str, int]:
    """The number of calls of each tool."""
    return dict(Counter(event.tool or "unnamed" for event in run.acts("tool_call")))


@THEME.measure("Failures by tool", "results")
def failures_by_tool(run: Run) -> dict[str, int]:
    """The number of results of each tool with a status other than ok."""
    return dict(Counter(call.tool or "unnamed" for call, _ in run.failures))


@THEME.measure("Failures by kind", "results")
def failures_by_kind(run: Run) -> dict[str, int]:
    """The number of results with a status other than ok, by the kind of the error, or else by the status."""
    return dict(Counter(result.error or result.status for _, result in run.failures))


@THEME.measure("Cost", "US dollars")
def cost_usd(run: Run) -> float:
    """The recorded cost of all events."""
    if not run.priced:
        raise NotMeasurable("no event records its cost")
    return sum(_costs(run))


@THEME.measure("Cost by agent", "US dollars")
def cost_by_agent(run: Run) -> dict[str, float]:
    """The recorded cost of each agent's events."""
    cost_usd(run)
    return _spent_by(map(run.timeline.actors.__getitem__, run.priced), _costs(run))


@THEME.measure("Cost by role", "US dollars")
def cost_by_role(run: Run) -> dict[str, float]:
    """The recorded cost by the role of the agent."""
    return _by_role(run.need_roles(), cost_by_agent(run))


@THEME.measure("Cost by tool", "US dollars")
def cost_by_tool(run: Run) -> dict[str, float]:
    """The recorded cost of calls and results of each tool."""
    uses = run.marks("tool_call", "tool_result")
    spent = {place: cost for place, cost in zip(run.priced, _costs(run), strict=True) if uses[place]}
    return _by_tool(run, spent, "no tool call or result records its cost")


@THEME.measure("Cost at list prices", "US dollars")
def list_cost_usd(run: Run) -> float:
    """The price of the tokens of all events, by the models that the trace names and a dated list of public prices.

    Input written to a cache counts at the price of the shortest storage, and discounts for batches are unknown. Your
    own prices replace the list.
    """
    return sum(list_cost_by_model(run).values())


@THEME.measure("Cost at list prices by model", "US dollars")
def list_cost_by_model(run: Run) -> dict[str, float]:
    """The price of the tokens of each model."""
    return _at_list_prices(run, lambda calls: calls.model or "")


@THEME.measure("Cost at list prices by agent", "US dollars")
def list_cost_by_agent(run: Run) -> dict[str, float]:
    """The price of the tokens of each agent."""
    return _at_list_prices(run, lambda calls: calls.agent)


def _at_list_prices(run: Run, key: Callable[[Calls], str]) -> dict[str, float]:
    run.need_tokens()
    spending, totals = run.spending, defaultdict[str, float](float)
    if spending.unspecified:
        raise NotMeasurable("some events record only a total of tokens, and each kind has its own price")
    nameless = {calls.agent for calls in spending.calls if calls.model is None}
    if nameless:
        raise NotMeasurable(f"the trace names no model for {len(nameless)} of its agents")
    unknown = {calls.model or "" for calls in spending.calls if calls.cost is None}
    if unknown:
        raise NotMeasurable(f"no price is known for {_some(unknown)} (--prices takes your own)")
    for calls in spending.calls:
        totals[key(calls)] += calls.cost or 0
    return dict(totals)


def _some(names: Collection[str]) -> str:
    return ", ".join(map(quoted, sorted(names)[:3])) + (" and others" if len(names) > 3 else "")


def _costs(run: Run) -> list[float]:
    """Return the recorded costs of the events that have one."""
    return [run.events[place].cost or 0 for place in run.priced]


def _by_tool(run: Run, spent: Mapping[int, float], missing: str) -> dict[str, float]:
    if not spent:
        raise NotMeasurable(missing)
    events = run.events
    called = {result: events[call].tool for call, result in run.replayed.answers.items()}
    tools = [called.get(place, events[place].tool) or "unnamed" for place in spent]
    totals: dict[str, float] = defaultdict(float)
    for tool, amount in zip(tools, spent.values(), strict=True):
        totals[tool] += amount
    return dict(totals)


def _by_role(roles: Mapping[str, str], spent: Mapping[str, float]) -> dict[str, float]:
    """Sum the amounts of agents by role."""
    totals: dict[str, float] = defaultdict(float)
    for agent, amount in spent.items():
        totals[roles.get(agent, "no role")] += amount
    return dict(totals)


def _spent_by(keys: Iterable[str], amounts: Sequence[float]) -> dict[str, float]:
    """Sum the amounts by key; keys with only zeros are omitted."""
    totals: dict[str, float] = defaultdict(float)
    for key, amount in zip(compress(keys, amounts), filter(None, amounts), strict=True):
        totals[key] += amount
    return dict(totals)
