"""A reading of a session of GitHub Copilot CLI: one file of events.

Choices:

- A line belongs to the sub-agent in its ``agentId``, or else to the one that the call in its ``parentToolCallId``
  started; all others belong to the main agent.
- A turn is an ``assistant.message``; messages with one ``apiCallId`` are one turn, whose tokens count once.
- A turn begins at the ``assistant.turn_start`` of its agent since the last turn. Without one it begins at the latest
  result, prompt or start of its agent, or where the turn before it ended.
- A call runs from ``tool.execution_start`` to ``tool.execution_complete``; it failed if that says so. A call that a
  ``subagent.started`` or a ``parentToolCallId`` names started an agent: a delegation. If the agent has ended by the
  result of the call, its caller waits for it. ``read_agent`` waits for agents, ``ask_user`` for a person. A
  ``write_agent`` that succeeds is a message: it takes no time and is no tool.
- A person is waited for from the last act of the main agent to a ``user.message`` without another source; a call
  that a person refuses, until then.
- Of an agent without turns, the time from its call to its end is work.
- A compaction is work.
- Tokens are taken as stated, from ``assistant.usage`` where a turn has one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import TICK, Act, Interval, Kind, Reading, added, latest, moment, reading

USAGE = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
}


def read(path: Path) -> Reading:
    """The reading of one session."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    of_call: dict[str, str] = {}
    for line in lines:
        data = line["data"]
        if line["type"] == "subagent.started":
            of_call[data["toolCallId"]] = line.get("agentId") or data["toolCallId"]
        elif data.get("parentToolCallId"):
            of_call.setdefault(data["parentToolCallId"], data["parentToolCallId"])

    call_of = {child: call for call, child in of_call.items()}
    named = {child: child for child in call_of}
    for line in lines:
        told = (line["data"].get("toolTelemetry") or {}).get("properties") or {}
        if line["data"].get("toolCallId") in of_call and "agent_id" in told:
            named[told["agent_id"]] = of_call[line["data"]["toolCallId"]]

    def agent(line: dict[str, Any]) -> str:
        data = line["data"]
        call = data.get("toolCallId") if line["type"].startswith("subagent.") else data.get("parentToolCallId")
        return str(line.get("agentId") or of_call.get(call or "", "main"))

    acts: dict[str, list[Act]] = defaultdict(list)
    turns: list[Act] = []
    tokens: dict[Act, dict[str, int]] = {}
    stated: dict[str, float] = {}
    cause: dict[str, float] = {}
    parts: dict[str, Act] = {}
    asks: dict[str, Act] = {}
    begun: dict[str, tuple[str, float, str, dict[str, Any]]] = {}
    lives: dict[str, Interval] = {}
    ends: dict[str, float] = {}
    refused: dict[str, float] = {}
    compacting: dict[str, float] = {}
    last_line: dict[str, int] = {agent(line): place for place, line in enumerate(lines)}
    counts = {"tool_calls": 0, "failed_tool_calls": 0, "delegations": 0, "turns": 0}
    for place, line in enumerate(lines):
        kind, data, at, who = line["type"], line["data"], moment(line["timestamp"]), agent(line)
        if who in lives:
            lives[who] = (lives[who][0], max(lives[who][1], at))
        if kind == "user.message":
            person = who == "main" and data.get("source", "user") == "user"
            if person and acts[who] and not data.get("isAutopilotContinuation"):
                before = max(acts[who], key=lambda act: act.end)
                acts[who].append(Act(who, "people", before.end, at, [(before, before.end)]))
            cause[who] = at
        elif kind == "assistant.turn_start":
            stated[who] = at
        elif kind == "subagent.started":
            cause[who] = max(cause.get(who, at), at)
        elif kind == "assistant.message":
            key = data.get("apiCallId") or data["messageId"]
            if key in parts:
                turn = parts[key]
                turn.end = at
            else:
                own = [act.end for act in acts[who] if act.kind == "turn"]
                start = stated.pop(who, None) or max([cause.get(who, 0.0), *own], default=at)
                turn = parts[key] = Act(who, "turn", start or at, at)
                turn.causes = latest([act for act in acts[who] if act.end <= turn.start + TICK], turn.start)
                if who in lives and not own:
                    turn.causes.append((asks[call_of[who]], begun[call_of[who]][1]))
                acts[who].append(turn)
                turns.append(turn)
            tokens[turn] = {"outputTokens": data.get("outputTokens", 0)}
            asks |= {request["toolCallId"]: turn for request in data.get("toolRequests") or []}
        elif kind == "assistant.usage":
            tokens[turns[-1]] = data
        elif kind == "session.compaction_start":
            compacting[who] = at
        elif kind == "session.compaction_complete":
            done = Act(who, "tool", compacting[who], at)
            done.causes = latest([act for act in acts[who] if act.end <= done.start + TICK], done.start)
            acts[who].append(done)
            tokens[done] = data.get("compactionTokensUsed") or {}
        elif kind == "tool.execution_start":
            begun[data["toolCallId"]] = (who, at, data["toolName"], data.get("arguments") or {})
            if data["toolCallId"] in of_call:
                counts["delegations"] += 1
                lives[of_call[data["toolCallId"]]] = (at, at)
                cause[of_call[data["toolCallId"]]] = at
            counts["tool_calls"] += data["toolName"] != "write_agent"
        elif kind == "permission.completed" and data["result"]["kind"] == "denied-interactively-by-user":
            refused[data["toolCallId"]] = at
        elif kind in ("subagent.completed", "subagent.failed"):
            ends[who] = at
        elif kind == "tool.execution_complete" and data["toolCallId"] in begun:
            id = data["toolCallId"]
            owner, start, name, arguments = begun[id]
            cause[owner] = max(cause.get(owner, at), at)
            counts["failed_tool_calls"] += data["success"] is False
            child = of_call.get(id)
            waits: Kind = "agents" if child or name == "read_agent" else "people" if name == "ask_user" else "tool"
            if name == "write_agent" or (child and last_line[child] > place):
                continue
            if child and not any(act.kind == "turn" for act in acts[child]):
                acts[child].append(Act(child, "tool", start, ends.get(child, at)))
                acts[child][-1].causes = [(asks[id], start)]
            if id in refused:
                asked = Act(owner, "people", start, refused[id], [(asks[id], start)])
                acts[owner] += [asked, Act(owner, "tool", refused[id], at, [(asked, refused[id])])]
                continue
            act = Act(owner, waits, start, at, [(asks[id], start)])
            waited = child or named.get(arguments.get("agent_id", ""), "")
            for other in acts[waited] if waits == "agents" else []:
                if start < other.end <= at + TICK:
                    act.causes.append((other, other.end))
            acts[owner].append(act)
    found = [act for own in acts.values() for act in own]
    spent = {kind: added(used.get(name) for used in tokens.values()) for kind, name in USAGE.items()}
    return reading(found, "main", lives, counts | {"turns": len(turns)}, spent)
