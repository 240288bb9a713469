"""The acts of a thread, assembled from its lines: model turns, results, prompts, reports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from survey.traces.importers.coding_agents.codex.threads import UNKNOWN, Line, Thread
from survey.traces.importers.json_values import flag, items, mapping, number, text, tokens

CALLS = ("item:function_call", "item:custom_tool_call", "item:local_shell_call", "item:tool_search_call")
ANSWERS = ("item:function_call_output", "item:custom_tool_call_output", "item:tool_search_output")
SERVED = ("item:web_search_call", "item:image_generation_call")
"""Calls that the model's server executes: their own item holds the outcome, and no other item does."""

SPEAKERS = ("assistant", "user", "developer", "system")
"""Authors of message items. Messages not by the model also have their own lines, or are instructions."""

IGNORED = ("item:compaction", "item:ghost_snapshot")
"""Items without information on the run, or with information that another line repeats."""

ENDS = {"completed": "ok", "errored": "error", "interrupted": "cancelled", "shutdown": "cancelled"}
"""Final statuses of a sub-agent, and the statuses of its return."""

STARTS = ("task_started", "turn_started")
ASKING = ("exec_approval_request", "apply_patch_approval_request")
"""A person is asked whether a call may run."""

BEGINNING = ("exec_command_begin", "patch_apply_begin")

REJECTED = re.compile(r"\A(?:[\w-]{1,20} ){0,3}rejected by user\b")
"""How the output of a call begins that a person refused, in versions that write no other record of it."""

ABORTED = "turn_aborted"
TOGETHER = 1.0
"""Seconds within which an interruption and the outputs of the calls that it ended are written, in either order."""

FINISHES = ("task_complete", "turn_complete")
NOTIFICATION = "<subagent_notification>"


@dataclass
class Call:
    """A tool call."""

    id: str | None
    tool: str
    t: float | None
    arguments: Mapping[str, Any]
    ended: str | None = None
    """Its status, if its own item says so."""


@dataclass
class Act:
    """An act: turn, answer, prompt, interruption, approval, compaction, finish, abortion, report or verdict."""

    kind: str
    t: float | None
    message: str | None = None
    about: str = ""
    """The answered call, or the subject of a report."""
    status: str | None = None
    begun: float | None = None
    """When the cause of a turn was there."""
    end: float | None = None
    """When the last item of a turn was written."""
    calls: list[Call] = field(default_factory=list)
    usage: dict[str, float] | None = None
    model: str | None = None


@dataclass
class SpawnResult:
    """The outcome of a spawning call."""

    child: str | None = None
    role: str | None = None
    name: str | None = None
    model: str | None = None
    failed: bool = False


class Acts:
    """The acts of a thread in order, and the outcomes of its calls by id."""

    def __init__(self, thread: Thread) -> None:
        self.acts: list[Act] = []
        self.spawn_results: dict[str, SpawnResult] = {}
        self.receivers: dict[str, str] = {}
        self.lost = Counter({"records of unknown kinds": thread.unknown_records})
        self.model: str | None = None
        self.open = False
        """Whether the thread was still working at the end of its rollout."""
        kinds = {line.kind for line in thread.lines}
        self._compactions = "compacted" if "compacted" in kinds else "context_compacted"
        self._prompts = "user_message" if "user_message" in kinds else "item_completed"
        self._turn: Act | None = None
        self._last: Act | None = None
        self._total: Mapping[str, Any] = {}
        self._t: float | None = next((line.t for line in thread.lines if line.t is not None), None)
        self._cause = self._t
        self._asked: set[str] = set()
        """Calls for which a person was asked."""
        for line in thread.copied:
            if line.kind == "token_count":
                self._total = mapping(mapping(line.fields.get("info")).get("total_token_usage"))
        self._refused: set[str] = set()
        """Calls of which a record says that a person refused them."""
        for line in _answered_first(thread.lines):
            self._t = self._t if line.t is None else line.t
            self._take(line)

    def _take(self, line: Line) -> None:
        kind, fields = line.kind, line.fields
        if kind in ANSWERS or kind in STARTS or kind == self._prompts or kind == self._compactions:
            self._cause = self._t
        if kind in CALLS or kind in SERVED:
            self._call(kind, fields)
        elif kind in ANSWERS:
            self._turn = None
            status, message = _outcome(fields.get("output"))
            if message and REJECTED.match(message):
                self._refuse(text(fields.get("call_id")) or "")
            self._report_results(text(fields.get("call_id")) or "", fields.get("output"))
            self._act("answer", message=message, about=text(fields.get("call_id")) or "", status=status)
        elif kind == "item:message":
            self._message(fields)
        elif kind == "item:reasoning":
            self._generation()
        elif kind == "item:agent_message":
            self._turn = None
            self._act("report", about=text(fields.get("author")) or "")
        elif kind == "turn_context":
            self.model = text(fields.get("model")) or self.model
        elif kind == "token_count":
            self._spent(mapping(fields.get("info")))
        elif kind in STARTS:
            self.open = True
        elif kind in FINISHES or kind == ABORTED:
            self.open, self._turn = False, None
            finished = kind in FINISHES
            message = text(fields.get("last_agent_message"))
            self._act("finish" if finished else "abortion", message=message, status=text(fields.get("reason")))
        elif kind == self._prompts and (message := _prompt(fields)) is not None:
            self._turn = None
            self._act("prompt", message=message)
        elif kind == self._compactions:
            self._turn = None
            self._act("compaction", message=text(fields.get("message")))
        elif kind.startswith("collab_") or kind in ("sub_agent_activity", "item_completed"):
            self._team(kind, fields)
        elif kind == "guardian_assessment" and fields.get("status") in ("denied", "timed_out", "aborted"):
            self._act("verdict", about=text(fields.get("target_item_id")) or "")
        elif kind in ASKING:
            self._asked.add(text(fields.get("call_id")) or "")
        elif kind in BEGINNING and text(fields.get("call_id")) in self._asked:
            self._asked.discard(str(fields["call_id"]))
            self._act("approval", about=str(fields["call_id"]))
        elif kind == "exec_command_end" and fields.get("status") == "declined":
            self._refuse(text(fields.get("call_id")) or "")
        elif kind == "thread_rolled_back":
            turns = max(1, int(number(fields.get("num_turns")) or 1))
            self.lost["turns that were rolled back, kept in the trace"] += turns
        elif kind in ("error", "stream_error"):
            self.lost["errors without an event"] += 1
        elif kind == UNKNOWN or (kind.startswith("item:") and kind not in IGNORED):
            self.lost["records of unknown kinds"] += 1

    def _act(self, kind: str, **fields: Any) -> Act:
        act = Act(kind, self._t, **fields)
        self.acts.append(act)
        return act

    def _refuse(self, call: str) -> None:
        if call not in self._refused:
            self._refused.add(call)
            self._act("refusal", about=call)

    def _generation(self) -> Act:
        """Return the current model turn; start a new one after an input or after the tokens of the last one."""
        if self._turn is None:
            begun = max(
                (t for t in (self._cause, self._last.end if self._last else None) if t is not None), default=None
            )
            self._turn = self._last = self._act("turn", model=self.model, begun=begun)
        self._turn.end = self._t
        return self._turn

    def _call(self, kind: str, fields: Mapping[str, Any]) -> None:
        tool = text(fields.get("name")) or kind.removeprefix("item:").removesuffix("_call")
        ended = None
        if kind in SERVED:
            ended = "error" if fields.get("status") in ("failed", "incomplete") else "ok"
        id = text(fields.get("call_id")) or (text(fields.get("id")) if kind in SERVED else None)
        self._generation().calls.append(Call(id, tool, self._t, _parsed(fields.get("arguments")), ended))

    def _message(self, fields: Mapping[str, Any]) -> None:
        message = "\n".join(part for item in items(fields.get("content")) if (part := text(mapping(item).get("text"))))
        if fields.get("role") == "assistant":
            turn = self._generation()
            turn.message = "\n".join(part for part in (turn.message, message) if part) or None
            self.lost["messages without text"] += not message
        elif NOTIFICATION in message:
            self._turn = None
            notice = _parsed(message.split(NOTIFICATION, 1)[1].split("</", 1)[0].strip())
            about = text(notice.get("agent_id")) or text(notice.get("agent_path"))
            if about:
                self._report(about, notice.get("status"))
        elif fields.get("role") not in SPEAKERS:
            self.lost["records of unknown kinds"] += 1

    def _spent(self, info: Mapping[str, Any]) -> None:
        """Assign the tokens of the last generation. A count may be repeated when rate limits change."""
        last, total = mapping(info.get("last_token_usage")), mapping(info.get("total_token_usage"))
        again = bool(total) and total == self._total
        self._total = total or self._total
        usage = _usage(last)
        if usage is None or again:
            return
        turn = self._turn or self._last
        if turn is None or turn.usage is not None:
            self._turn = None
            turn = self._generation()
        turn.usage = usage
        self._turn = None

    def _team(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Read the program's records about its agents, in all known versions."""
        item = mapping(fields.get("item")) if kind == "item_completed" else fields
        sort = text(item.get("type")) if kind == "item_completed" else None
        call = text(fields.get("call_id")) or text(item.get("id")) or text(item.get("event_id")) or ""
        if kind == "collab_agent_spawn_end":
            self.spawn_results[call] = SpawnResult(
                text(fields.get("new_thread_id")),
                text(fields.get("new_agent_role")),
                text(fields.get("new_agent_nickname")),
                text(fields.get("model")),
                failed=text(fields.get("new_thread_id")) is None,
            )
        elif kind in ("collab_agent_interaction_end", "collab_close_end", "collab_resume_end"):
            self.receivers[call] = text(fields.get("receiver_thread_id")) or ""
        elif kind == "collab_waiting_end":
            for id, status in mapping(fields.get("statuses")).items():
                self._report(id, status)
        elif (kind == "sub_agent_activity" or sort == "SubAgentActivity") and text(item.get("agent_thread_id")):
            child = str(item["agent_thread_id"])
            if item.get("kind") == "started":
                self.spawn_results.setdefault(call, SpawnResult(child, name=text(item.get("agent_path"))))
            self.receivers.setdefault(call, child)
        elif sort == "CollabAgentToolCall":
            self._collaboration(call, item)

    def _collaboration(self, call: str, item: Mapping[str, Any]) -> None:
        receivers = [id for id in items(item.get("receiver_thread_ids")) if text(id)]
        if item.get("tool") == "spawnAgent":
            spawn_result = SpawnResult(
                receivers[0] if receivers else None, model=text(item.get("model")), failed=not receivers
            )
            self.spawn_results.setdefault(call, spawn_result)
        elif item.get("tool") == "wait":
            for id, status in mapping(item.get("agents_states")).items():
                self._report(id, status)
        elif receivers:
            self.receivers.setdefault(call, receivers[0])

    def _report_results(self, call: str, output: object) -> None:
        """Read what the result of a call says about agents."""
        message = _parsed(mapping(output).get("content") or output)
        if text(message.get("agent_id")):
            self.spawn_results.setdefault(
                call, SpawnResult(str(message["agent_id"]), name=text(message.get("nickname")))
            )
        elif text(message.get("task_name")):
            self.spawn_results.setdefault(call, SpawnResult(str(message["task_name"])))
        for id, status in mapping(message.get("status")).items():
            self._report(id, status)

    def _report(self, about: str, status: object) -> None:
        word = next(iter(status), None) if isinstance(status, Mapping) else status
        if isinstance(word, str) and word in ENDS:
            message = text(status[word]) if isinstance(status, Mapping) else None
            self._act("report", message=message, about=about, status=ENDS[word])


def _answered_first(lines: list[Line]) -> list[Line]:
    """Return the lines with each interruption after the outputs of the calls that it ended."""
    found: list[Line] = []
    moved: set[int] = set()
    for place, line in enumerate(lines):
        if place in moved:
            continue
        end = line.t
        if line.kind == ABORTED and line.t is not None:
            for later, other in enumerate(lines[place + 1 :], place + 1):
                if other.kind in STARTS or other.t is None or other.t - line.t > TOGETHER:
                    break
                if other.kind in ANSWERS:
                    found.append(other)
                    moved.add(later)
                    end = max(line.t, other.t)
        found.append(line if end == line.t else replace(line, t=end))
    return found


def _parsed(value: object) -> Mapping[str, Any]:
    """Return the object that a text encodes; arguments and some results are JSON in a string."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return mapping(value)
    try:
        return mapping(json.loads(value))
    except (ValueError, RecursionError):
        return {}


def _outcome(output: object) -> tuple[str | None, str | None]:
    """Return the status and the text of a tool result."""
    fields = mapping(output)
    content = fields.get("content") if fields else output
    parts = [text(mapping(item).get("text")) or "" for item in items(content)]
    message = content if isinstance(content, str) else "\n".join(part for part in parts if part)
    inner = _parsed(message)
    code = number(mapping(inner.get("metadata")).get("exit_code"))
    if message.startswith("aborted"):
        return "cancelled", message
    if flag(inner.get("timed_out")):
        return "timeout", message
    return ("error" if fields.get("success") is False or code else None), message or None


def _prompt(fields: Mapping[str, Any]) -> str | None:
    """Return the text of a user prompt; None for any other line."""
    if "item" not in fields:
        return text(fields.get("message")) or ""
    item = mapping(fields["item"])
    if item.get("type") != "UserMessage":
        return None
    return "\n".join(part for each in items(item.get("content")) if (part := text(mapping(each).get("text"))))


def _usage(last: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the tokens of one generation; its input includes cache reads and writes."""
    given, read, write = (
        number(last.get(key)) for key in ("input_tokens", "cached_input_tokens", "cache_write_input_tokens")
    )
    fresh = None if given is None else max(given - (read or 0), 0)
    if fresh is not None and write is not None and 0 < write <= fresh:
        fresh -= write
    return tokens(
        input=fresh,
        output=last.get("output_tokens"),
        cache_read=read,
        cache_write=write,
        reasoning=last.get("reasoning_output_tokens"),
    )
