"""A reading of OpenHands: a stream of actions and observations, or the conversations of a team.

Choices: a turn is one response of a model (by its id), or an action or message of the agent that names none; it ends
with its first event and begins with what the agent saw before, or where its latency says so. A call lasts until its
observation. The end of a task is no call. A delegate of a stream works from the action that starts it, and to its
observation if it does nothing else; the message that repeats its task is no prompt. A sub-agent of a conversation is
one that a task created or that a spawn named. Calls that ask for agents are delegations and no tool calls. Tokens are
those that the log adds up, else those of the responses.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Reading, length, moment, union

NO_CALL = ("message", "finish", "reject")
NO_TURN = (
    "system", "recall", "change_agent_state", "null", "condensation", "condensation_request", "loop_recovery",
)  # fmt: skip
INTERNAL = ("agent_state_changed", "recall", "null")


def spent(prompt: int, output: int, read: int | None, written: int | None) -> tuple[int, int, int, int]:
    read, written = read or 0, written or 0
    return prompt - read - written, output, read, written


def said(event: dict[str, Any]) -> bool:
    return event.get("action") == "message"


def stream(events: list[dict[str, Any]]) -> Reading:
    """The reading of a stream. Times are those of a single agent, or of delegates that work while their parent waits."""
    clock = moment(events[0]["timestamp"])
    began = {event["id"]: moment(event["timestamp"]) for event in events}
    idle: float | None = None
    responses: dict[Any, tuple[int, int, int, int]] = {}
    calls, failed, delegations, busy, wall = 0, 0, 0, [], []
    for event in events:
        at, action, seen = moment(event["timestamp"]), event.get("action"), event.get("observation")
        if event["source"] == "agent" and action and action not in NO_TURN:
            response = (event.get("tool_call_metadata") or {}).get("model_response") or {}
            used = response.get("usage")
            id = response.get("id") or event["id"]
            if id in responses:  # a further call of a response begins when the one before was answered
                began[event["id"]] = clock
            if id not in responses:
                details = (used or {}).get("prompt_tokens_details") or {}
                responses[id] = (
                    spent(used["prompt_tokens"], used["completion_tokens"], details.get("cached_tokens"), None)
                    if used
                    else (0, 0, 0, 0)
                )
                took = [
                    one["latency"]
                    for one in (event.get("llm_metrics") or {}).get("response_latencies", [])
                    if one["response_id"] == id
                ]
                busy.append((max(clock, at - took[0]) if took else clock, at))
            calls += action not in (*NO_CALL, "delegate")
            delegations += action == "delegate"
            idle = at if action == "delegate" else None
        elif seen and seen not in INTERNAL:
            code = event["extras"].get("exit_code", (event["extras"].get("metadata") or {}).get("exit_code", 0))
            failed += "cause" in event and (
                seen == "error" or event.get("success") is False or event["extras"].get("error") is True or code > 0
            )
            if "cause" in event:
                busy.append((began[event["cause"]], at))
            elif seen == "delegate" and idle is not None:
                busy.append((idle, at))
            elif seen == "error":
                continue
        elif action != "condensation" and not (event["source"] == "user" and said(event) and idle is None):
            continue
        clock = at
        wall.append(at)
    totals = [event["llm_metrics"]["accumulated_token_usage"] for event in events if event.get("llm_metrics")]
    tokens = [sum(one[place] for one in responses.values()) for place in range(4)]
    if totals:
        last = totals[-1]
        read, written = last["cache_read_tokens"], last["cache_write_tokens"]
        tokens = list(spent(last["prompt_tokens"], last["completion_tokens"], read, written))
    return Reading(
        agents=1 + delegations, sub_agents=delegations, at_once=None, tool_calls=calls, failed_tool_calls=failed,
        delegations=delegations, turns=len(responses), input_tokens=tokens[0], output_tokens=tokens[1],
        cache_read_tokens=tokens[2], cache_write_tokens=tokens[3], wall=max(wall) - min(wall), work=length(union(busy)),
    )  # fmt: skip


def conversation(logs: list[list[dict[str, Any]]], metrics: list[dict[str, Any]]) -> Reading:
    """The reading of the conversations of a team, without times; of a log without lists of responses, its totals."""
    agents, turns, calls, failed, delegations = set(), 0, 0, 0, 0
    for events in logs:
        acts = [e for e in events if e["kind"] == "ActionEvent"]
        said = [e for e in events if e["kind"] == "MessageEvent" and e["source"] == "agent"]
        turns += len({e["llm_response_id"] for e in acts + said})
        team = [e for e in acts if (e["action"] or {}).get("kind") in ("TaskAction", "DelegateAction")]
        ended = [e for e in acts if (e["action"] or {}).get("kind") == "FinishAction"]
        calls += len(acts) - len(team) - len(ended)
        delegations += len(team)
        agents |= {id for e in team for id in e["action"].get("ids") or []}
        for event in events:
            seen = event.get("observation") or {}
            agents |= {seen["task_id"]} if "task_id" in seen else set()
            wrong = seen.get("is_error") or (seen.get("exit_code") or 0) > 0 or event["kind"] == "AgentErrorEvent"
            failed += (bool(wrong) and "task_id" not in seen) or event["kind"] == "UserRejectObservation"
    own = {sum(one["prompt_tokens"] for one in each.get("token_usages", [])) for each in metrics}
    used = [
        spent(one["prompt_tokens"], one["completion_tokens"], one["cache_read_tokens"], one["cache_write_tokens"])
        for each in metrics
        for total in [each["accumulated_token_usage"]]
        for one in each.get("token_usages") or ([total] if total["prompt_tokens"] not in own else [])
    ]
    tokens = [sum(one[place] for one in used) for place in range(4)]
    return Reading(
        agents=1 + len(agents), sub_agents=len(agents), at_once=None, tool_calls=calls, failed_tool_calls=failed,
        delegations=delegations, turns=turns, input_tokens=tokens[0], output_tokens=tokens[1],
        cache_read_tokens=tokens[2], cache_write_tokens=tokens[3],
    )  # fmt: skip


def read(path: Path) -> Reading:
    """The reading of a stream, of a record of an evaluation, of events in lines, or of the folder of a conversation."""
    if path.is_dir():
        states = [json.loads(file.read_text()) for file in sorted(path.glob("**/base_state.json"))]
        metrics = [each for state in states for each in state["stats"]["usage_to_metrics"].values()]
        places = sorted(path.glob("**/events"))
        return conversation(
            [[json.loads(file.read_text()) for file in sorted(place.glob("event-*.json"))] for place in places], metrics
        )
    first = json.JSONDecoder().raw_decode(path.read_text())[0]
    if "kind" in first:
        lines = [json.loads(line) for line in path.read_text().split("\n") if line.startswith("{")]
        stats = [line["value"]["usage_to_metrics"] for line in lines if line.get("key") == "stats"]
        return conversation([lines], list(stats[-1].values()))
    return stream(first["history"] if isinstance(first, dict) else first)
