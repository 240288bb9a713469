"""What a record says, without its long texts: of those a hash is kept, and what else is looked for in them.

Nine tenths of a log are texts that tools gave back. Their bytes are let go as soon as the record is read, so that a
session of any length takes only as much memory as it has events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.importers.json_values import flag, items, text, tokens
from survey.traces.model import NOTHING, Content

SPAWNING = frozenset({"Task", "Agent"})
ASKING = frozenset({"TaskOutput", "AgentOutputTool"})
ENDING = frozenset({"TaskStop", "KillTask"})
WRITING = frozenset({"SendMessage"})
ABOUT_AGENTS = SPAWNING | ASKING | ENDING | WRITING
"""Tools whose calls are for other agents, or about them."""

NAMES = frozenset(
    {
        "resume", "subagent_type", "name", "model", "to", "recipient", "type", "task_id", "agentId", "agent_id",
        "shell_id",
    }
)  # fmt: skip
"""What calls say about whom they are for."""

DETAILS = frozenset(
    {
        "agentId", "agent_id", "teammate_id", "status", "runId", "isAsync", "usage", "totalTokens", "totalToolUseCount",
        "retrieval_status", "agent_type", "model", "interrupted",
    }
)  # fmt: skip
"""What results say about sub-agents, beside the long texts."""

LOOKED_AT = 2000
"""How far into the result of a tool the words of a refusal are looked for, and from its end a name."""

INTERRUPTED = "[Request interrupted by user"
REJECTED = ("The user doesn't want to proceed", "The user doesn't want to take this action", "User rejected tool use")
DENIED = re.compile(r"Permission to use .{1,200} has been denied|requested permissions? to .{1,500} haven't granted it")
BLOCKED = re.compile(r"\A.{0,100}(?:PreToolUse:.{1,100} hook|hook .{0,100}blocked|blocked by .{0,100}hook)", re.S)
TIMED_OUT = re.compile(r"\A.{0,100}timed out after", re.S)
INJECTED = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "<system-reminder>", "Caveat: The messages below")
"""What the program writes in the name of the user."""
NOT_SAID = ("isMeta", "isSynthetic", "isCompactSummary")
"""Marks of records that the program writes in the name of the user."""
NOTICES = ("agent-notification", "task-notification")
NOTICE_FIELD = re.compile(r"<(agent-id|task-id|tool-use-id|status|total_tokens)>([^<]*)</")
NAMED = re.compile(r"agentId: ([\w@-]{1,80})", re.ASCII)
TEAMMATE = re.compile(r"[^<>]*\bteammate_id=\"([^\"<>]+)\"[^<>]*>")

When = tuple[float, float]
"""A time, and the place in the log that decides between equal times."""
NEVER: When = (float("-inf"), -1)

Words = Mapping[str, str]
"""The fields of an event that stand for a text: its hash and its length, and the text itself if it is kept."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a call gave its tool."""

    whole: Words
    """All of it, as JSON."""
    prompt: Words = field(default_factory=dict)
    said: Words = field(default_factory=dict)
    """What was said to an agent: the prompt, else the message."""
    names: Mapping[str, Any] = field(default_factory=dict)
    coded: bool = False
    """Whether the message is an object and no text."""


@dataclass(slots=True)
class Result:
    """What a call came back with. ``detail`` is the structured form that Claude Code keeps beside the text."""

    said: Words
    detail: Mapping[str, Any]
    status: str
    denied: bool
    """Refused by a rule or a hook and not by a person."""
    interrupted: bool
    """Whether it says that a person cut the call short."""
    names: str | None
    """The instance that it names at its end."""
    at: When = NEVER

    @property
    def by_a_person(self) -> bool:
        """Whether a person refused the call or cut it short."""
        return (self.status == "rejected" and not self.denied) or self.interrupted


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about a background agent: the end of its work, or that somebody took notices off the queue."""

    at: When
    about: str
    status: str
    call: str | None = None
    tokens: float | None = None
    seen: bool = False
    """Whether the parent has it before its eyes, and not only in its queue."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text in the name of the user."""

    words: Words
    notices: list[Notice]
    messages: list[tuple[str, Words, bool]]
    """Of each message of a teammate the sender, the text, and whether it is JSON, as the protocol's are."""
    notifies: bool
    interrupts: bool
    injected: bool
    """Whether the program says it, and nobody else."""


@dataclass(frozen=True, slots=True)
class Gist:
    """What a record says. ``message`` is who generated it and what for, where a model did."""

    kind: str
    id: str | None
    message: tuple[str | None, str | None, Mapping[str, float]] = (None, None, NOTHING)
    """Of a generation its id, its model and its tokens."""
    failed: bool = False
    speaks: bool = False
    """Whether a generation has words."""
    calls: tuple[tuple[str | None, str | None, Given], ...] = ()
    results: tuple[tuple[str, Result], ...] = ()
    said: Said | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What else a record of the program says."""
    lost: tuple[str, ...] = ()
    """What of its message has no place in a trace, in words."""


_dumped = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

KNOWN = frozenset({"text", "tool_use", "server_tool_use", "tool_result", "thinking", "redacted_thinking"})
PICTURES = frozenset({"image", "document"})
"""Parts of messages: those that are read, or thought in private; and those that are seen and not read."""
SEEN, UNKNOWN = "pictures and documents in messages", "parts of messages of unknown kinds"

SYSTEM = ("subtype", "tool_use_id", "preventedContinuation", "task_id", "task_type", "usage", "status")


def gist_of(fields: Mapping[str, Any], content: Content) -> Gist:
    """The gist of a record; ``content`` makes of a text what is kept of it."""
    kind, id = text(fields.get("type")) or "", text(fields.get("uuid"))
    if kind == "assistant":
        return _generated(fields, id, content)
    if kind == "user":
        return _user(fields, id, content)
    if kind == "system":
        return Gist(kind, id, fields={key: fields[key] for key in SYSTEM if key in fields})
    if kind == "queue-operation":
        said = Said({}, _notices(plain(fields.get("content")), seen=False), [], False, False, False)
        return Gist(kind, id, said=said, fields={"operation": fields.get("operation")})
    attachment = mapping(fields.get("attachment"))
    if kind == "attachment" and attachment.get("type") == "queued_command":
        return Gist(kind, id, said=_said(fields, plain(attachment.get("prompt")), content))
    return Gist(kind, id)


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object of JSON, else an empty one: asked ten times a record, and in half the time."""
    return value if isinstance(value, dict) else NOTHING


def _generated(fields: Mapping[str, Any], id: str | None, content: Content) -> Gist:
    message = mapping(fields.get("message"))
    whole = message.get("content")
    calls, others = [], []
    speaks = isinstance(whole, str) and bool(whole)
    for block in map(mapping, items(whole)):
        kind = block.get("type")
        if kind == "tool_use" or kind == "server_tool_use":
            tool = text(block.get("name"))
            given = _given(mapping(block.get("input")), content, tool in ABOUT_AGENTS)
            calls.append((text(block.get("id")), tool, given))
        elif kind == "text":
            speaks = speaks or text(block.get("text")) is not None
        else:
            others.append(block)
    name = text(message.get("id")) or text(fields.get("requestId"))
    about = name, text(message.get("model")), usage_of(message.get("usage")) or NOTHING
    failed = flag(fields.get("isApiErrorMessage"))
    return Gist("assistant", id, about, failed, speaks, tuple(calls), lost=_lost(others))


def _user(fields: Mapping[str, Any], id: str | None, content: Content) -> Gist:
    whole = mapping(fields.get("message")).get("content")
    if not isinstance(whole, list):
        return Gist("user", id, said=_said(fields, plain(whole), content))
    answers: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for block in map(mapping, whole):
        (answers if block.get("type") == "tool_result" else others).append(block)
    detail = fields.get("toolUseResult", fields.get("tool_use_result")) if len(answers) == 1 else None
    results = tuple((text(block.get("tool_use_id")) or "", _result(block, detail, content)) for block in answers)
    if not others:
        return Gist("user", id, results=results)
    lost = _lost(others)
    said = _said(fields, plain(others), content, shows=SEEN in lost and not answers)
    return Gist("user", id, results=results, said=said, lost=lost)


def _lost(blocks: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What parts of a message hold that a trace does not."""
    strange = [kind for block in blocks if (kind := text(block.get("type")) or "") not in KNOWN]
    return tuple(SEEN if kind in PICTURES else UNKNOWN for kind in strange)


def _given(given: Mapping[str, Any], content: Content, to_an_agent: bool) -> Given:
    whole = content.fields(_dumped(given)) if given else {}
    if not to_an_agent:
        return Given(whole)
    prompt = content.fields(text(given.get("prompt")))
    said = prompt or content.fields(text(given.get("message")) or text(given.get("content")))
    names = {name: given[name] for name in NAMES & given.keys()}
    return Given(whole, prompt, said, names, isinstance(given.get("message"), dict))


def _result(block: Mapping[str, Any], beside: object, content: Content) -> Result:
    said, detail = plain(block.get("content")), _detail(beside)
    start, note = said[:LOOKED_AT], beside if isinstance(beside, str) else ""
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
    end = said[-LOOKED_AT:]
    named = NAMED.search(end) if "agentId: " in end else None
    return Result(content.fields(said), detail, status, denied, interrupted, named[1] if named else None)


def _detail(value: object) -> Mapping[str, Any]:
    """The structured form of a result without its long texts; empty only if the whole is."""
    whole = mapping(value)
    if not whole:
        return NOTHING
    task = mapping(whole.get("task"))
    found = {key: whole[key] for key in DETAILS & whole.keys()}
    return {**found, "task": {"status": task.get("status")}} if task or not found else found


def _said(fields: Mapping[str, Any], said: str, content: Content, shows: bool = False) -> Said | None:
    """Sorted out; nothing if nothing is said, nor shown without a word."""
    if not (said or shows):
        return None
    messages: list[tuple[str, Words, bool]] = [
        (sender, content.fields(body.strip()), body.lstrip().startswith("{")) for sender, body in _messages(said)
    ]
    return Said(
        content.fields(said),
        _notices(said, seen=True),
        messages,
        text(mapping(fields.get("origin")).get("kind")) == "task-notification",
        said.startswith(INTERRUPTED),
        said.startswith(INJECTED) or any(flag(fields.get(mark)) for mark in NOT_SAID),
    )


def usage_of(value: object) -> dict[str, float] | None:
    """An account of tokens in our kinds from one in Anthropic's."""
    usage = mapping(value)
    return tokens(
        input=usage.get("input_tokens"),
        output=usage.get("output_tokens"),
        cache_read=usage.get("cache_read_input_tokens"),
        cache_write=usage.get("cache_creation_input_tokens"),
    )


def spoken(fields: Mapping[str, Any]) -> Iterator[str]:
    """The texts in the record of a generation."""
    content = mapping(fields.get("message")).get("content")
    if isinstance(content, str) and content:
        yield content
    for block in items(content):
        if isinstance(block, dict) and block.get("type") == "text" and (said := text(block.get("text"))):
            yield said


def plain(content: object) -> str:
    """The text of a content, be it a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(said for block in items(content) if (said := text(mapping(block).get("text"))))


def _notices(said: str, seen: bool) -> list[Notice]:
    found = []
    for body in (body for tag in NOTICES for body in _within(said, tag)):
        fields = {key: value.strip() for key, value in reversed(NOTICE_FIELD.findall(body))}
        about = fields.get("agent-id") or fields.get("task-id")
        spent = fields.get("total_tokens", "")
        if about and (status := fields.get("status")):
            total = float(spent[:15]) if spent.isascii() and spent.isdigit() else None
            found.append(Notice(NEVER, about, status, fields.get("tool-use-id"), total, seen))
    return found


def _messages(said: str) -> list[tuple[str, str]]:
    """Sender and text of every message of a teammate in a text."""
    heads = ((TEAMMATE.match(body), body) for body in _within(said, "teammate-message"))
    return [(head[1], body[head.end() :]) for head, body in heads if head]


def _within(said: str, tag: str) -> list[str]:
    """What stands between a tag and its end, in linear time whatever the text holds."""
    parts = said.split(f"<{tag}")[1:] if f"</{tag}>" in said else []
    return [body for part in parts for body, end, _ in [part.partition(f"</{tag}>")] if end]
