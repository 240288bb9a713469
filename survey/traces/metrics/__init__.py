"""Measures of a trace, each with its definition, its unit, and a value or the reason why there is none.

Values are never guessed. A trace without times has no measures in seconds, one without tokens none in
tokens, and one without a labelled error no measure of its propagation.
"""

from survey.traces.metrics.aggregation import aggregation_fan_in, final_turn, returns_used
from survey.traces.metrics.communication import (
    coordination_share,
    message_density,
    messages,
    pairs_that_talk,
    protocol_overhead,
)
from survey.traces.metrics.comparison import COMPARISONS, compare
from survey.traces.metrics.costs import (
    calls_by_tool,
    cost_by_agent,
    cost_by_role,
    cost_by_tool,
    cost_usd,
    critical_path_tokens,
    failures_by_kind,
    failures_by_tool,
    list_cost_by_agent,
    list_cost_by_model,
    list_cost_usd,
    tokens,
    tokens_by_agent,
    tokens_by_kind,
    tokens_by_role,
    tokens_by_tool,
)
from survey.traces.metrics.durations import (
    busy_s,
    critical_path_s,
    critical_path_with_people_s,
    idle_s,
    model_s,
    parallelism,
    speedup_graph,
    speedup_observed,
    sub_agent_union_s,
    sub_agent_work_s,
    sub_agents_at_once,
    tool_s,
    union_s,
    waiting_people_s,
    waiting_permission_s,
    waiting_s,
    wall_s,
    work_s,
)
from survey.traces.metrics.harm import error_spread, unsafe_reach
from survey.traces.metrics.measuring import MEASURES, measure
from survey.traces.metrics.patterns import last_sub_agent_s, looping_calls, retries, silent_sub_agents, unused_results
from survey.traces.metrics.run import Run
from survey.traces.metrics.team import agents, spawn_depth, spawn_width, split_balance, split_overlap
from survey.traces.metrics.theme import Measure
from survey.traces.metrics.turns import critical_path_steps, critical_steps, steps
from survey.traces.problems import NotMeasurable

__all__ = [
    "COMPARISONS", "MEASURES", "Measure", "NotMeasurable", "Run", "agents", "aggregation_fan_in", "busy_s",
    "calls_by_tool", "compare", "coordination_share", "cost_by_agent", "cost_by_role", "cost_by_tool", "cost_usd",
    "critical_path_s", "critical_path_steps", "critical_path_tokens", "critical_path_with_people_s",
    "critical_steps", "error_spread", "failures_by_kind", "failures_by_tool", "final_turn", "idle_s",
    "last_sub_agent_s", "list_cost_by_agent", "list_cost_by_model", "list_cost_usd", "looping_calls", "measure",
    "message_density", "messages", "model_s", "pairs_that_talk", "parallelism", "protocol_overhead", "retries",
    "returns_used", "silent_sub_agents", "spawn_depth", "spawn_width", "speedup_graph", "speedup_observed",
    "split_balance", "split_overlap", "steps", "sub_agent_union_s", "sub_agent_work_s", "sub_agents_at_once",
    "tokens", "tokens_by_agent", "tokens_by_kind", "tokens_by_role", "tokens_by_tool", "tool_s", "union_s",
    "unsafe_reach", "unused_results", "waiting_people_s", "waiting_permission_s", "waiting_s", "wall_s", "work_s",
]  # fmt: skip
