"""Summaries of records: long texts are replaced by their hashes and the facts extracted from them.

Nine tenths of a log are tool results. Their bytes are released as soon as the record is read, so that the memory
for a session grows only with its number of events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.json_values import flag, items, text, tokens
from survey.traces.importers.waiting import sleeps
from survey.traces.model import NOTHING, Content

SPAWNING = frozenset({"Task", "Agent"})
ASKING = frozenset({"TaskOutput", "AgentOutputTool"})
ENDING = frozenset({"TaskStop", "KillTask"})
WRITING = frozenset({"SendMessage"})
ABOUT_AGENTS = SPAWNING | ASKING | ENDING | WRITING
"""Tools that address or manage other agents."""

NAMES = frozenset(
    {
        "resume", "subagent_type", "name", "model", "to", "recipient", "type", "task_id", "agentId", "agent_id",
        "shell_id", "run_in_background",
    }
)  # fmt: skip
"""Fields of calls that identify the agent addressed, or say whether it is waited for."""

DETAILS = frozenset(
    {
        "agentId", "agent_id", "teammate_id", "status", "runId", "isAsync", "usage", "totalTokens", "totalToolUseCount",
        "retrieval_status", "agent_type", "model", "interrupted",
    }
)  # fmt: skip
"""Fields of results about sub-agents, other than long texts."""

SEARCHED = 2000
"""How many characters of a tool result are searched: from its start for a refusal, from its end for a name."""

INTERRUPTED = "[Request interrupted by user"
REJECTED = ("The user doesn't want to proceed", "The user doesn't want to take this action", "User rejected tool use")
DENIED = re.compile(r"Permission to use .{1,200} has been denied|requested permissions? to .{1,500} haven't granted it")
BLOCKED = re.compile(r"\A.{0,100}(?:PreToolUse:.{1,100} hook|hook .{0,100}blocked|blocked by .{0,100}hook)", re.S)
TIMED_OUT = re.compile(r"\A.{0,100}timed out after", re.S)
INJECTED = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "<system-reminder>", "Caveat: The messages below")
"""Beginnings of texts that the program writes in the name of the user."""
NOT_SAID = ("isMeta", "isSynthetic", "isCompactSummary")
"""Marks of records that the program writes in the name of the user."""
NOTICES = ("agent-notification", "task-notification")
NOTICE_FIELD = re.compile(r"<(agent-id|task-id|tool-use-id|status|total_tokens)>([^<]*)</")
NAMED = re.compile(r"agentId: ([\w@-]{1,80})", re.ASCII)
TEAMMATE = re.compile(r"\bteammate_id=\"([^\"<>]+)\"")

When = tuple[float, float]
"""A time, and a position in the log that orders equal times."""
NEVER: When = (float("-inf"), -1)

Words = Mapping[str, str]
"""The fields of an event for a text: its hash and length, and the text itself if content is kept."""


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments of a call."""

    whole: Words
    """All arguments, as JSON."""
    prompt: Words = field(default_factory=dict)
    message: Words = field(default_factory=dict)
    """The text for an agent: the prompt, else the message."""
    names: Mapping[str, Any] = field(default_factory=dict)
    coded: bool = False
    """Whether the message is an object rather than a text."""
    sleeps: bool = False
    """Whether it is a command that does nothing for a time."""


@dataclass(slots=True)
class Result:
    """The result of a call. ``detail`` is the structured form that Claude Code stores with the text."""

    output: Words
    detail: Mapping[str, Any]
    status: str
    denied: bool
    """Whether a rule or a hook refused the call, and not a person."""
    interrupted: bool
    """Whether a person interrupted the call."""
    names: str | None
    """The instance named at the end of the text."""
    at: When = NEVER

    @property
    def by_person(self) -> bool:
        """Whether a person refused or interrupted the call."""
        return (self.status == "rejected" and not self.denied) or self.interrupted


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about a background agent: its end, or the removal of notices from the queue."""

    at: When
    about: str
    status: str
    call: str | None = None
    tokens: float | None = None
    seen: bool = False
    """Whether the parent has read the notice, and not only queued it."""


@dataclass(frozen=True, slots=True)
class UserText:
    """A text in a user message."""

    words: Words
    notices: list[Notice]
    messages: list[tuple[str, Words, bool]]
    """Messages of teammates: sender, text, and whether it is JSON, as in the protocol."""
    notifies: bool
    interrupts: bool
    injected: bool
    """Whether the program wrote the text."""


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """The summary of a record."""

    kind: str
    id: str | None
    message: tuple[str | None, str | None, Mapping[str, float]] = (None, None, NOTHING)
    """For a generation: its id, its model and its tokens."""
    failed: bool = False
    speaks: bool = False
    """Whether a generation contains text."""
    written: int = 0
    """Characters that a generation wrote: text, thoughts and arguments of calls."""
    calls: tuple[tuple[str | None, str | None, Given], ...] = ()
    results: tuple[tuple[str, Result], ...] = ()
    user_text: UserText | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of a record of the program."""
    lost: tuple[str, ...] = ()
    """Losses: parts of the message that a trace cannot hold."""


_dumped = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

KNOWN = frozenset({"text", "tool_use", "server_tool_use", "tool_result", "thinking", "redacted_thinking"})
PICTURES = frozenset({"image", "document"})
"""Types of message parts: ``KNOWN`` are text, calls and thoughts; ``PICTURES`` are visual."""
SEEN, UNKNOWN = "pictures and documents in messages", "parts of messages of unknown kinds"

SYSTEM = ("subtype", "tool_use_id", "preventedContinuation", "task_id", "task_type", "usage", "status")


def summarise(fields: Mapping[str, Any], content: Content) -> RecordSummary:
    """Summarise a record; ``content`` converts texts to stored fields."""
    kind, id = text(fields.get("type")) or "", text(fields.get("uuid"))
    if kind == "assistant":
        return _generated(fields, id, content)
    if kind == "user":
        return _user(fields, id, content)
    if kind == "system":
        return RecordSummary(kind, id, fields={key: fields[key] for key in SYSTEM if key in fields})
    if kind == "queue-operation":
        user_text = UserText({}, _notices(plain(fields.get("content")), seen=False), [], False, False, False)
        return RecordSummary(kind, id, user_text=user_text, fields={"operation": fields.get("operation")})
    attachment = mapping(fields.get("attachment"))
    if kind == "attachment" and attachment.get("type") == "queued_command":
        return RecordSummary(kind, id, user_text=_user_text(fields, plain(attachment.get("prompt")), content))
    return RecordSummary(kind, id)


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a JSON object, else an empty one; twice as fast, for ten calls a record."""
    return value if isinstance(value, dict) else NOTHING


def _generated(fields: Mapping[str, Any], id: str | None, content: Content) -> RecordSummary:
    message = mapping(fields.get("message"))
    whole = message.get("content")
    calls, others = [], []
    speaks = isinstance(whole, str) and bool(whole)
    written = len(whole) if isinstance(whole, str) else 0
    for block in map(mapping, items(whole)):
        kind = block.get("type")
        written += len(text(block.get("text")) or text(block.get("thinking")) or "")
        if kind == "tool_use" or kind == "server_tool_use":
            tool = text(block.get("name"))
            given = _given(mapping(block.get("input")), content, tool in ABOUT_AGENTS)
            calls.append((text(block.get("id")), tool, given))
            written += int(given.whole.get("content_ref", ":0").rpartition(":")[2])
        elif kind == "text":
            speaks = speaks or text(block.get("text")) is not None
        else:
            others.append(block)
    name = text(message.get("id")) or text(fields.get("requestId"))
    about = name, text(message.get("model")), usage_of(message.get("usage")) or NOTHING
    failed = flag(fields.get("isApiErrorMessage"))
    return RecordSummary("assistant", id, about, failed, speaks, written, tuple(calls), lost=_lost(others))


def _user(fields: Mapping[str, Any], id: str | None, content: Content) -> RecordSummary:
    whole = mapping(fields.get("message")).get("content")
    if not isinstance(whole, list):
        return RecordSummary("user", id, user_text=_user_text(fields, plain(whole), content))
    answers: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for block in map(mapping, whole):
        (answers if block.get("type") == "tool_result" else others).append(block)
    detail = fields.get("toolUseResult", fields.get("tool_use_result")) if len(answers) == 1 else None
    results = tuple((text(block.get("tool_use_id")) or "", _result(block, detail, content)) for block in answers)
    if not others:
        return RecordSummary("user", id, results=results)
    lost = _lost(others)
    user_text = _user_text(fields, plain(others), content, shows=SEEN in lost and not answers)
    return RecordSummary("user", id, results=results, user_text=user_text, lost=lost)


def _lost(blocks: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the losses in the parts of a message."""
    strange = [kind for block in blocks if (kind := text(block.get("type")) or "") not in KNOWN]
    return tuple(SEEN if kind in PICTURES else UNKNOWN for kind in strange)


def _given(given: Mapping[str, Any], content: Content, to_an_agent: bool) -> Given:
    whole = content.fields(_dumped(given)) if given else {}
    if not to_an_agent:
        return Given(whole, sleeps=sleeps(given.get("command")))
    prompt = content.fields(text(given.get("prompt")))
    message = prompt or content.fields(text(given.get("message")) or text(given.get("content")))
    names = {name: given[name] for name in NAMES & given.keys()}
    return Given(whole, prompt, message, names, isinstance(given.get("message"), dict))


def _result(block: Mapping[str, Any], structured: object, content: Content) -> Result:
    raw, detail = plain(block.get("content")), _detail(structured)
    start, note = raw[:SEARCHED], structured if isinstance(structured, str) else ""
    failed, interrupted = flag(block.get("is_error")), INTERRUPTED in start
    status, denied = "error" if failed else "ok", False
    if interrupted or flag(detail.get("interrupted")):
        status = "cancelled"
    elif failed and any(mark in start or mark in note for mark in REJECTED):
        status = "rejected"
    elif failed and (DENIED.search(start) or BLOCKED.match(start)):
        status, denied = "rejected", True
    elif detail.get("retrieval_status") == "timeout" or (failed and TIMED_OUT.match(start)):
        status = "timeout"
    end = raw[-SEARCHED:]
    named = NAMED.search(end) if "agentId: " in end else None
    return Result(content.fields(raw), detail, status, denied, interrupted, named[1] if named else None)


def _detail(value: object) -> Mapping[str, Any]:
    """Return the structured form of a result without long texts; empty only if the input is."""
    whole = mapping(value)
    if not whole:
        return NOTHING
    task = mapping(whole.get("task"))
    found = {key: whole[key] for key in DETAILS & whole.keys()}
    return {**found, "task": {"status": task.get("status")}} if task or not found else found


def _user_text(fields: Mapping[str, Any], raw: str, content: Content, shows: bool = False) -> UserText | None:
    """Classify the text of a user message; None if it has neither text nor pictures."""
    if not (raw or shows):
        return None
    messages: list[tuple[str, Words, bool]] = [
        (sender, content.fields(body.strip()), body.lstrip().startswith("{")) for sender, body in _messages(raw)
    ]
    return UserText(
        content.fields(raw),
        _notices(raw, seen=True),
        messages,
        text(mapping(fields.get("origin")).get("kind")) == "task-notification",
        raw.startswith(INTERRUPTED),
        raw.startswith(INJECTED) or any(flag(fields.get(mark)) for mark in NOT_SAID),
    )


def usage_of(value: object) -> dict[str, float] | None:
    """Convert Anthropic's token usage to our kinds."""
    usage = mapping(value)
    return tokens(
        input=usage.get("input_tokens"),
        output=usage.get("output_tokens"),
        cache_read=usage.get("cache_read_input_tokens"),
        cache_write=usage.get("cache_creation_input_tokens"),
    )


def texts_of(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts in the record of a generation."""
    content = mapping(fields.get("message")).get("content")
    if isinstance(content, str) and content:
        yield content
    for block in items(content):
        if isinstance(block, dict) and block.get("type") == "text" and (raw := text(block.get("text"))):
            yield raw


def plain(content: object) -> str:
    """Return the text of a content, a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(raw for block in items(content) if (raw := text(mapping(block).get("text"))))


def _notices(raw: str, seen: bool) -> list[Notice]:
    found = []
    for body in (body for tag in NOTICES for body in _within(raw, tag)):
        fields = {key: value.strip() for key, value in reversed(NOTICE_FIELD.findall(body))}
        about = fields.get("agent-id") or fields.get("task-id")
        spent = fields.get("total_tokens", "")
        if about and (status := fields.get("status")):
            total = float(spent[:15]) if spent.isascii() and spent.isdigit() else None
            found.append(Notice(NEVER, about, status, fields.get("tool-use-id"), total, seen))
    return found


def _messages(raw: str) -> list[tuple[str, str]]:
    """Return sender and text of every teammate message in a text."""
    parts = (body.partition(">") for body in _within(raw, "teammate-message"))
    named = ((TEAMMATE.findall(head), said) for head, end, said in parts if end and "<" not in head)
    return [(senders[-1], said) for senders, said in named if senders]


def _within(raw: str, tag: str) -> list[str]:
    """Return the contents of each tag, in linear time for any text."""
    parts = raw.split(f"<{tag}")[1:] if f"</{tag}>" in raw else []
    return [body for part in parts for body, end, _ in [part.partition(f"</{tag}>")] if end]
