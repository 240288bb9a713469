"""A reading of Codex rollouts: a folder with one file per thread, or one file.

Choices:

- Codex gives its messages no id. A new turn begins with the first record of the model after an output, a prompt or a
  ``token_count``; a ``token_count`` that repeats the total before it counts nothing and ends nothing.
- A turn begins at the latest output, prompt or task start before its first record. Where none lies between two turns,
  the later begins where the earlier ended.
- A child that was forked repeats the history of its parent at its head: whatever lies within a second of the first
  record of such a file is left out.
- Tokens are taken as stated: ``input_tokens`` includes the cached ones.
- ``spawn_agent`` is an ordinary call, since nobody waits for its child. It started an agent if its output or a
  ``collab_agent_spawn_end`` names one. ``wait`` and ``wait_agent`` wait for agents, as does a shell call that sleeps
  while a child runs. ``request_user_input`` waits for a person, as does a call from its approval request to its begin,
  and one whose output says that the person refused it.
- A child lives from the call that started it to the last record of its own log, or, without a log, to the first
  output of a ``wait`` that names it as done; without that its life has no length.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import TICK, Act, Interval, Reading, added, latest, moment, reading

MODEL = ("reasoning", "function_call", "custom_tool_call", "web_search_call", "local_shell_call")
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
WAITS = ("wait", "wait_agent")
REJECTED = " rejected by user"
USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "cache_read_tokens": "cached_input_tokens"}


@dataclass(eq=False)
class Call:
    id: str
    name: str
    arguments: str
    at: float
    turn: Act
    end: float | None = None
    output: str = ""
    failed: bool = False
    asked: float | None = None
    begun: float | None = None
    child: str | None = None
    acts: list[Act] = field(default_factory=list)


@dataclass
class Thread:
    id: str
    parent: str | None
    turns: list[Act] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    waits: list[Act] = field(default_factory=list)
    tokens: list[dict[str, int]] = field(default_factory=list)
    last: float = 0.0

    @property
    def acts(self) -> list[Act]:
        return self.turns + self.waits + [act for call in self.calls.values() for act in call.acts]


def failed(output: Any) -> bool:
    """Whether an output tells a failure: by itself, or by the exit code in it."""
    if isinstance(output, dict):
        return output.get("success") is False or failed(output.get("content"))
    found = re.search(r'"exit_code": ?(-?\d+)|[Ee]x(?:it|ited with) code:? (-?\d+)', str(output))
    return bool(found and (found[1] or found[2]) != "0")


def thread(path: Path) -> Thread:
    """The turns and calls of one file."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    meta: dict[str, Any] = next((line["payload"] for line in lines if line["type"] == "session_meta"), {})
    source = meta.get("source")
    spawned = source["subagent"].get("thread_spawn", {}) if isinstance(source, dict) and "subagent" in source else {}
    made = Thread(meta.get("id", path.stem), spawned.get("parent_thread_id"))
    head = moment(lines[0]["timestamp"])
    if meta.get("forked_from_id"):
        lines = [line for line in lines if moment(line["timestamp"]) > head + 1.0]
    cause, why, total, open_turn = head, "start", None, False
    for line in sorted(lines, key=lambda line: moment(line["timestamp"])):
        at, payload = moment(line["timestamp"]), line["payload"]
        what = payload.get("type")
        call = made.calls.get(payload.get("call_id", ""))
        if line["type"] == "response_item" and (
            what in MODEL or (what == "message" and payload.get("role") == "assistant")
        ):
            if not open_turn:
                ended = made.turns[-1].end if made.turns else cause
                made.turns.append(turn := Act(made.id, "turn", max(cause, ended), at))
                acts = [act for act in made.acts if act is not turn and act.end <= cause + TICK]
                if why == "prompt" and made.parent is None and acts:
                    previous = max(acts, key=lambda act: act.end)
                    made.waits.append(Act(made.id, "people", previous.end, cause, [(previous, previous.end)]))
                open_turn, why = True, ""
            made.turns[-1].end = made.last = at
            if what in CALLS:
                asked = payload.get("arguments") or payload.get("input") or ""
                made.calls[payload["call_id"]] = Call(
                    payload["call_id"], payload.get("name", what), str(asked), at, made.turns[-1]
                )
        elif line["type"] == "response_item" and str(what).endswith("_output") and call:
            call.end, call.output, call.failed = at, json.dumps(payload.get("output")), failed(payload.get("output"))
            refused = REJECTED in call.output
            call.failed |= refused
            waiting = call.asked is not None or call.name == "request_user_input" or refused
            kind = "people" if waiting else "agents" if call.name in WAITS else "tool"
            split = call.begun if call.asked is not None and call.begun else at
            call.acts = [Act(made.id, kind, call.at, split, [(call.turn, call.at)])]  # type: ignore[arg-type]
            if split < at:
                call.acts.append(Act(made.id, "tool", split, at, [(call.acts[0], split)]))
            cause, why, open_turn, made.last = at, "output", False, at
        elif line["type"] == "event_msg":
            if what in ("user_message", "task_started"):
                cause, open_turn, why = at, False, "prompt" if what == "user_message" else why
            elif what == "token_count" and payload.get("info") and payload["info"].get("total_token_usage") != total:
                total, open_turn = payload["info"].get("total_token_usage"), False
                made.tokens.append(payload["info"]["last_token_usage"])
            elif what == "collab_agent_spawn_end" and call:
                call.child = payload.get("new_thread_id") or call.child
            elif what in ("exec_approval_request", "apply_patch_approval_request") and call:
                call.asked = at
            elif what in ("exec_command_begin", "patch_apply_begin") and call:
                call.begun = at
    return made


def read(path: Path) -> Reading:
    """The reading of all threads in a folder, or of one file."""
    files = sorted(path.rglob("rollout-*.jsonl")) if path.is_dir() else [path]
    threads = {made.id: made for made in map(thread, files)}
    main = next((name for name, made in threads.items() if made.parent is None), next(iter(threads)))
    calls = [call for made in threads.values() for call in made.calls.values()]
    starts = {}
    for call in (call for call in calls if call.name == "spawn_agent"):
        said = re.search(r'agent_id\\*": ?\\*"([\w-]+)', call.output)
        call.child = call.child or (said[1] if said else None)
        if call.child:
            starts[call.child] = call
    lived: dict[str, Interval] = {}
    for name in [*starts, *(name for name in threads if name != main and name not in starts)]:
        done = [
            call.end
            for call in calls
            if call.name in WAITS and call.end and re.search(rf'{name}\\*": ?{{\\*"(completed|errored)', call.output)
        ]
        own = threads.get(name)
        start = starts[name].at if name in starts else min(act.start for act in own.acts) if own and own.acts else 0.0
        lived[name] = (start, max(start, own.last if own else min(done, default=start)))
    acts: dict[str, list[Act]] = defaultdict(list, {name: made.acts for name, made in threads.items()})
    for name, life in lived.items():
        if name not in threads:
            acts[name] = [Act(name, "turn", *life)]
        if name in starts and acts[name]:
            min(acts[name], key=lambda act: act.start).causes.append((starts[name].turn, starts[name].at))
    for made in threads.values():
        children = [name for name, call in starts.items() if call.id in made.calls]
        for call in made.calls.values():
            sleeps = re.search(r"\bsleep\s+\d", call.arguments)
            if call.acts and sleeps and any(lived[name][0] <= call.at < lived[name][1] for name in children):
                call.acts[-1].kind = "agents"
            if call.acts and call.acts[-1].kind == "agents":
                for name in children:
                    last = max(acts[name], key=lambda act: act.end, default=None)
                    if last and call.at < last.end <= call.acts[-1].end + TICK and name in call.arguments + call.output:
                        call.acts[-1].causes.append((last, last.end))
        for act in made.turns:
            act.causes += latest((other for other in made.acts if other is not act), act.start)
    usages = [usage for made in threads.values() for usage in made.tokens]
    counts = {
        "tool_calls": len(calls),
        "failed_tool_calls": sum(call.failed for call in calls),
        "delegations": sum(call.name == "spawn_agent" for call in calls),
        "turns": sum(len(made.turns) for made in threads.values()),
    }
    tokens = {kind: added(usage.get(key) for usage in usages) for kind, key in USAGE.items()}
    return reading([act for own in acts.values() for act in own], main, lived, counts, tokens)
