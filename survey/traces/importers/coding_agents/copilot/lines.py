"""The lines of a session: which agent wrote each one, and which call started which sub-agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from survey.traces.importers.json_values import Fields, instant, mapping, text
from survey.traces.importers.log import Log
from survey.traces.model import NOTHING

ACTS = frozenset({"user.message", "assistant.turn_start", "assistant.message", "tool.execution_start"})
"""Kinds of line by which a session is recognised, beside its first one."""

SUBAGENTS = ("subagent.started", "subagent.completed", "subagent.failed")

SILENT_TEXT = """
    assistant.idle assistant.intent assistant.message_delta assistant.message_start assistant.reasoning
    assistant.reasoning_delta assistant.server_tool_progress assistant.streaming_delta assistant.tool_call_delta
    assistant.turn_end auto_mode_switch.completed auto_mode_switch.requested capabilities.changed command.completed
    command.execute command.queued commands.changed elicitation.completed elicitation.requested
    exit_plan_mode.completed exit_plan_mode.requested external_tool.completed external_tool.requested
    factory.run_settled factory.run_started factory.run_updated hook.end hook.progress hook.start
    mcp.headers_refresh_completed mcp.headers_refresh_required mcp.oauth_completed mcp.oauth_required
    mcp.prompts.list_changed mcp.resources.list_changed mcp.tools.list_changed mcp_app.tool_call_complete
    pending_messages.modified permission.requested sampling.completed sampling.requested session.auto_mode_resolved
    session.autopilot_objective_changed session.background_tasks_changed session.binary_asset session.canvas.closed
    session.canvas.opened session.canvas.recorded session.canvas.registry_changed session.canvas.removed
    session.canvas.unavailable session.context_changed session.context_cleared session.custom_agents_updated
    session.custom_notification session.extensions.attachments_pushed session.extensions_loaded session.idle
    session.info session.managed_settings_enforced session.managed_settings_resolved
    session.mcp_server_status_changed session.mcp_servers_loaded session.mode_changed session.permissions_changed
    session.plan_changed session.remote_steerable_changed session.schedule_cancelled session.schedule_created
    session.schedule_rearmed session.session_limits_changed session.skills_loaded session.task_complete
    session.title_changed session.todos_changed session.tools_updated session.usage_checkpoint session.usage_info
    session.warning session.workspace_file_changed session_limits_exhausted.completed
    session_limits_exhausted.requested skill.invoked subagent.deselected system.message tool.execution_partial_result
    tool.execution_progress tool_search.activated ui.ephemeral_query user_input.completed user_input.requested
"""
SILENT = frozenset(SILENT_TEXT.split())
"""Kinds of line that are no acts of the team, or whose content another line repeats."""

MAIN = "main"
"""The name of the main agent, in the log as in a trace."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its kind, its contents, its agent (None for the main agent), and its place in time."""

    kind: str
    data: Fields
    agent: str | None
    at: float
    """Seconds since 1970; in a session without times, the number of the line."""
    place: int


@dataclass
class Session:
    """The lines of a session in order of time, with what is needed to read a line before those that follow it."""

    id: str
    version: str | None
    lines: list[Line]
    time: str
    unreadable: int
    strangers: int
    """Number of objects that are not lines of a session."""
    call_of: dict[str, str] = field(default_factory=dict)
    """The call that started a sub-agent."""
    children: dict[str, list[str]] = field(default_factory=dict)
    """The sub-agents that a call started."""
    started: dict[str, Line] = field(default_factory=dict)
    """The line that says that a sub-agent started."""
    results: dict[str, Line] = field(default_factory=dict)
    """The result of a call."""
    last: dict[str, int] = field(default_factory=dict)
    """The place of the last line of a sub-agent."""

    def enter(self, line: Line, started: Mapping[str, str]) -> None:
        """Note what a line says about calls and sub-agents."""
        id = text(line.data.get("toolCallId"))
        if line.agent:
            call = started.get(line.agent) or text(line.data.get("parentToolCallId"))
            self.call_of.setdefault(line.agent, call or line.agent)
            self.last[line.agent] = line.place
        if line.agent and line.kind == "subagent.started":
            self.started.setdefault(line.agent, line)
        elif id and line.kind == "tool.execution_complete":
            self.results.setdefault(id, line)

    def outlives(self, agent: str, arguments: Fields, result: Line) -> bool:
        """Return whether a sub-agent still works when the call that started it has its result."""
        told = mapping(mapping(result.data.get("toolTelemetry")).get("properties"))
        mode = text(arguments.get("mode")) or text(told.get("execution_mode"))
        if mode in ("sync", "background"):
            return mode == "background"
        return self.last[agent] > result.place

    def model_of(self, call: str | None) -> str | None:
        """Return the model that asked for a call, which its result names."""
        return text(self.results[call].data.get("model")) if call in self.results else None


def is_line(fields: Fields) -> bool:
    """Return whether an object is a line of a session."""
    kind, data = fields.get("type"), fields.get("data")
    if not isinstance(data, dict) or not isinstance(kind, str):
        return False
    if kind == "session.start":
        return "sessionId" in data and ("producer" in data or "copilotVersion" in data)
    return kind in ACTS and "parentId" in fields and text(fields.get("id")) is not None


def session(log: Log) -> Session | None:
    """Return the session in a file; None if it holds none."""
    records = [record.fields for record in log.records()]
    if not any(map(is_line, records)):
        return None
    own = [fields for fields in records if isinstance(fields.get("data"), dict) and text(fields.get("type"))]
    stamps = [instant(fields.get("timestamp")) for fields in own]
    timed = sum(stamp is not None for stamp in stamps)
    now = next((stamp for stamp in stamps if stamp is not None), 0.0)
    times = [float(place) for place in range(len(own))]
    for place, stamp in enumerate(stamps if timed else ()):
        now = times[place] = now if stamp is None else stamp
    started = _starting_calls(own)
    in_time = sorted(range(len(own)), key=times.__getitem__)
    lines = [
        Line(own[old]["type"], own[old]["data"], _agent(own[old], started), times[old], place)
        for place, old in enumerate(in_time)
    ]
    head = next((line.data for line in lines if line.kind == "session.start"), NOTHING)
    found = Session(
        text(head.get("sessionId")) or log.path.stem,
        text(head.get("copilotVersion")),
        lines,
        "ordinal" if not timed else "seconds" if timed == len(own) else "mixed",
        log.unreadable,
        len(records) - len(own),
    )
    for line in lines:
        found.enter(line, started)
    for agent, call in found.call_of.items():
        found.children.setdefault(call, []).append(agent)
    return found


def _starting_calls(records: list[Fields]) -> dict[str, str]:
    """Return the call that started each sub-agent, by the lines that say so."""
    found: dict[str, str] = {}
    for fields in records:
        call = text(fields["data"].get("toolCallId"))
        agent = text(fields.get("agentId")) or call
        if fields["type"] in SUBAGENTS and agent and call:
            found.setdefault(agent, call)
    return found


def _agent(fields: Fields, started: Mapping[str, str]) -> str | None:
    """Return the sub-agent that wrote a line: newer versions name it, older ones name the call that started it."""
    data, agent = fields["data"], text(fields.get("agentId"))
    call = text(data.get("toolCallId")) if fields["type"] in SUBAGENTS else text(data.get("parentToolCallId"))
    if agent is None and call and call not in started:
        named = [agent for agent, own in started.items() if own == call]
        agent = named[0] if len(named) == 1 else call
    agent = agent or call
    return None if agent == MAIN else agent
