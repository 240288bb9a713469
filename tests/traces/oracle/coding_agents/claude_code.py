"""A reading of a Claude Code session: the main log, and the logs of its sub-agents wherever they lie.

Sub-agents are found inline (``isSidechain``), as ``progress`` records, in ``agent-<id>.jsonl`` beside the session, and
in ``<session>/subagents/``. Choices:

- Records are taken in the order of their stamps. The causes of a turn are records of the type ``user``: results,
  prompts, summaries of a compaction. A ``queue-operation`` is a cause only of a turn that has no other since the one
  before. A turn without any cause, or whose causes came before the end of the previous turn, begins at that end.
- A sub-agent exists if the log gives it an id, a record or a finished answer. A Task call that ends in an error
  without any of these started none: it is an ordinary failed call, or, if a person interrupted it, a wait for agents.
- A sub-agent without a log works from its call to its return. One seen only in progress records takes a last,
  unrecorded turn from its last result to its return. A sub-agent lives from its call to its return, or to its last
  record if it never returns.
- The call that starts an asynchronous sub-agent is an ordinary call. TaskOutput on a background shell is one too. A
  Bash call waits for agents if it sleeps while an asynchronous sub-agent runs.
- A main agent whose turn has ended and that a notice of a sub-agent wakes has waited for agents.
- A wait for a prompt ends with the prompt that a turn answers, whatever prompts came before it.
- Of the records of one message the largest figure of each kind of tokens counts. What a Task result says of the tokens
  of its sub-agent is not added: it is the usage of its last message alone.
- Every ``tool_use`` is a tool call; a result with ``is_error`` failed. A call without a result takes no time, unless
  it is the last one and waits for a sub-agent: then it lasts as long as that.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import TICK, Act, Interval, Reading, added, latest, moment, reading

MAIN = "main"
USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
REJECTED = ("The user doesn't want to", "User rejected")
NOTICES = ("<task-notification>", "<agent-notification>")


@dataclass(eq=False)
class Turn:
    id: str
    first: float
    last: float
    usage: dict[str, int] = field(default_factory=dict)
    act: Act | None = None


@dataclass(eq=False)
class Call:
    agent: str
    id: str
    name: str
    input: dict[str, Any]
    at: float
    turn: Turn
    result: dict[str, Any] | None = None
    end: float = 0.0
    detail: Any = None
    child: str | None = None
    act: Act | None = None

    @property
    def failed(self) -> bool:
        return bool(self.result and self.result.get("is_error"))

    @property
    def said(self) -> str:
        """The text of the result, as far as it tells an end by a person."""
        return json.dumps([(self.result or {}).get("content"), self.detail], ensure_ascii=False)

    @property
    def delegates(self) -> bool:
        return self.name in ("Task", "Agent")

    @property
    def asynchronous(self) -> bool:
        launched = isinstance(self.detail, dict) and (
            self.detail.get("isAsync") or self.detail.get("status") == "async_launched"
        )
        return bool(launched or self.input.get("run_in_background"))


@dataclass
class Stream:
    """What one agent wrote and read, by time."""

    turns: list[Turn] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    causes: list[tuple[float, str]] = field(default_factory=list)
    prompt: str | None = None
    last: float = 0.0
    open_end: bool = False


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or () if isinstance(block, dict))


def streams(path: Path) -> tuple[dict[str, list[dict[str, Any]]], dict[str, str]]:
    """The records of each agent, and which call started which sub-agent as far as a record or a sidecar says so."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    called: dict[str, str] = {}
    roots: dict[str, str] = {}
    for record in records(path):
        if record.get("type") == "progress" and record.get("data", {}).get("type") == "agent_progress":
            agent = record["data"]["agentId"]
            called[record["parentToolUseID"]] = agent
            found[agent].append({**record["data"]["message"], "progress": True})
        elif record.get("isSidechain"):
            root = roots.get(record.get("parentUuid") or "") or record.get("agentId") or record["uuid"]
            roots[record["uuid"]] = root
            found[root].append(record)
        else:
            found[MAIN].append(record)
    session = next((record["sessionId"] for record in found[MAIN] if "sessionId" in record), path.stem)
    beside = [
        *path.parent.glob("agent-*.jsonl"),
        *sorted((path.parent / path.stem / "subagents").rglob("agent-*.jsonl")),
    ]
    for file in beside:
        agent = file.stem.removeprefix("agent-")
        inner = records(file)
        if agent.startswith("acompact") or not inner or inner[0].get("sessionId", session) != session:
            continue
        found[agent] = inner
        sidecar = file.with_suffix(".meta.json")
        call = json.loads(sidecar.read_text()).get("toolUseId") if sidecar.exists() else None
        if call:
            called[call] = agent
    return found, called


def stream(agent: str, raw: list[dict[str, Any]]) -> Stream:
    """The turns, calls and causes of one agent."""
    made = Stream()
    turns: dict[str, Turn] = {}
    calls: dict[str, Call] = {}
    stamped = [record for record in raw if "timestamp" in record and record.get("type") in ("user", "assistant")]
    for record in sorted(stamped, key=lambda record: moment(record["timestamp"])):
        at, message = moment(record["timestamp"]), record["message"]
        content = message.get("content")
        blocks: list[dict[str, Any]] = (
            content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        )
        if record["type"] == "assistant":
            if message.get("model") == "<synthetic>":
                continue
            turn = turns.setdefault(
                message.get("id") or record["uuid"], Turn(message.get("id") or record["uuid"], at, at)
            )
            turn.last = max(turn.last, at)
            for kind, key in USAGE.items():
                if key in (message.get("usage") or {}):
                    turn.usage[kind] = max(turn.usage.get(kind, 0), message["usage"][key])
            for block in blocks:
                if block.get("type") == "tool_use":
                    calls[block["id"]] = Call(agent, block["id"], block["name"], block.get("input") or {}, at, turn)
        else:
            results = [block for block in blocks if block.get("type") == "tool_result"]
            for block in results:
                if call := calls.get(block["tool_use_id"]):
                    call.result, call.end, call.detail = block, at, record.get("toolUseResult")
            said = text(content)
            if said.startswith("[Request interrupted") and not results:
                pass
            elif results or record.get("isMeta") or record.get("isCompactSummary") or said.startswith("<local-command"):
                made.causes.append((at, "result"))
            else:
                made.prompt = said if made.prompt is None else made.prompt
                made.causes.append((at, "notice" if said.lstrip().startswith(NOTICES) else "prompt"))
        made.last = max(made.last, at)
        made.open_end = bool(record.get("progress") and record["type"] == "user")
    made.turns, made.calls = list(turns.values()), list(calls.values())
    return made


def matched(found: dict[str, Stream], called: dict[str, str]) -> dict[str, Call]:
    """The call that started each sub-agent."""
    calls = [call for each in found.values() for call in each.calls if call.delegates]
    for call in calls:
        said = re.search(r"agentId: (\w+)", call.said)
        stated = call.detail.get("agentId") if isinstance(call.detail, dict) else None
        call.child = stated or called.get(call.id) or (said[1] if said else None)
    taken = {call.child for call in calls}
    for call in calls:
        if not call.child:
            prompts = (
                name for name, each in found.items() if name not in taken and each.prompt == call.input.get("prompt")
            )
            call.child = next(prompts, None) or (call.id if call.result and not call.failed else None)
            taken.add(call.child)
    return {call.child: call for call in calls if call.child}


def lives(found: dict[str, Stream], starts: dict[str, Call], notices: list[tuple[float, str]]) -> dict[str, Interval]:
    """From when to when each sub-agent lived."""
    lived = {
        name: (each.causes[0][0] if each.causes else each.last, each.last)
        for name, each in found.items()
        if name != MAIN
    }
    outputs = [call for each in found.values() for call in each.calls if call.name in ("TaskOutput", "AgentOutputTool")]
    for name, call in starts.items():
        ends = [at for at, said in notices if f">{name}<" in said]
        ends += [
            output.end
            for output in outputs
            if output.input.get("task_id", output.input.get("agentId")) == name
            and isinstance(output.detail, dict)
            and output.detail.get("retrieval_status") == "success"
        ]
        if not call.asynchronous:
            ends = [call.end] if call.result else []
        lived[name] = (call.at, min(ends, default=max(lived.get(name, (0.0, call.at))[1], call.at)))
    return lived


def kind_of(call: Call, lived: dict[str, Interval], own: list[Call]) -> str:
    if call.name in ("AskUserQuestion", "ExitPlanMode") or (
        call.failed and any(word in call.said for word in REJECTED)
    ):
        return "people"
    if call.delegates and not call.asynchronous and (call.child or "Request interrupted by user" in call.said):
        return "agents"
    if call.name in ("TaskOutput", "AgentOutputTool"):
        return (
            "agents"
            if call.input.get("block", True) and call.input.get("task_id", call.input.get("agentId")) in lived
            else "tool"
        )
    running = [lived[other.child] for other in own if other.asynchronous and other.child and other.child in lived]
    sleeps = call.name == "Bash" and re.search(r"\bsleep\s+\d", str(call.input.get("command", "")))
    return "agents" if sleeps and any(start <= call.at < end for start, end in running) else "tool"


def read(path: Path) -> Reading:
    """The reading of one session."""
    raw, called = streams(path)
    found = {name: stream(name, each) for name, each in raw.items()}
    starts = matched(found, called)
    queued = [
        (moment(record["timestamp"]), str(record.get("content")))
        for record in raw[MAIN]
        if record.get("operation") == "enqueue"
    ]
    told = [
        (moment(record["timestamp"]), text(record["message"].get("content")))
        for record in raw[MAIN]
        if record.get("type") == "user"
    ]
    notices = [(at, said) for at, said in queued + told if said.lstrip().startswith(NOTICES)]
    lived = lives(found, starts, notices)
    acts: dict[str, list[Act]] = {}
    for name, each in found.items():
        acts[name] = own = []
        for call in each.calls:
            if call.result:
                kind = kind_of(call, lived, each.calls)
                call.act = Act(name, kind, call.at, call.end)  # type: ignore[arg-type]
                own.append(call.act)
            elif call is each.calls[-1] and call.delegates and not call.asynchronous and call.child in lived:
                call.act = Act(name, "agents", call.at, lived[call.child][1])
                own.append(call.act)
        before = 0.0
        for turn in sorted(each.turns, key=lambda turn: turn.first):
            causes = [cause for cause in each.causes if before - TICK <= cause[0] <= turn.first + TICK]
            at, why = max(causes, key=lambda cause: cause[0], default=(before or turn.first, ""))
            if not causes and before:
                at, why = max(((at, "notice") for at, _ in notices if before < at <= turn.first), default=(before, ""))
            turn.act = Act(name, "turn", min(max(at, before), turn.last), turn.last)
            if name == MAIN and why in ("prompt", "notice") and own:
                ended = [act for act in own if act.end <= at + TICK]
                previous = max(ended, key=lambda act: act.end, default=None)
                if previous and previous.end < at:
                    wait = Act(
                        name, "people" if why == "prompt" else "agents", previous.end, at, [(previous, previous.end)]
                    )
                    turn.act.causes.append((wait, at))
                    own.append(wait)
            own.append(turn.act)
            before = turn.last
        if each.open_end and name in starts and starts[name].result and not starts[name].asynchronous:
            own.append(Act(name, "turn", each.last, starts[name].end))
    for name in starts:
        if name not in acts:
            acts[name] = [Act(name, "turn", *lived[name])]
    for name, own in acts.items():
        before_it = starts[name].turn.act if name in starts else None
        if own and before_it:
            min(own, key=lambda act: act.start).causes.append((before_it, starts[name].at))
        for act in own:
            if act.kind == "turn":
                act.causes += latest((other for other in own if other is not act), act.start)
    for each in found.values():
        for call in each.calls:
            if call.act and call.turn.act:
                call.act.causes.append((call.turn.act, call.at))
                child = str(call.child if call.delegates else call.input.get("task_id", call.input.get("agentId")))
                inner = acts.get(child)
                if call.act.kind == "agents" and inner and lived[child][1] <= call.act.end + TICK:
                    last = max(inner, key=lambda act: act.end)
                    call.act.causes.append((last, min(last.end, call.act.end)))
    for act in acts[MAIN]:
        if act.kind == "agents" and len(act.causes) == 1:
            for name in (name for name, life in lived.items() if abs(life[1] - act.end) < TICK and acts.get(name)):
                last = max(acts[name], key=lambda act: act.end)
                act.causes.append((last, min(last.end, act.end)))
    calls = [call for each in found.values() for call in each.calls]
    turns = {turn.id: turn for each in found.values() for turn in each.turns}
    counts = {
        "tool_calls": len(calls),
        "failed_tool_calls": sum(call.failed for call in calls),
        "delegations": sum(call.delegates for call in calls),
        "turns": len(turns),
    }
    tokens = {kind: added(turn.usage.get(kind) for turn in turns.values()) for kind in USAGE}
    return reading([act for own in acts.values() for act in own], MAIN, lived, counts, tokens)
