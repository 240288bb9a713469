"""Conversations: their messages, however often a file repeats them, and which of them belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from survey.traces.importers.json_values import Fields, instant, items, mapping, text
from survey.traces.importers.log import Log

SPEAKERS = ("user", "gemini")
NOTICES = {"info": "messages of the program", "warning": "messages of the program", "error": "errors without an event"}
"""Types of messages that the program writes, and what a trace loses with them."""


@dataclass
class Session:
    """One conversation: its messages in the order in which they first appeared."""

    id: str
    head: Fields
    folder: str
    """The name of the folder of the file: that of a sub-agent is called like the session of the main agent."""
    messages: list[Fields] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    @property
    def is_child(self) -> bool:
        """Whether a sub-agent had this conversation."""
        return self.head.get("kind") == "subagent"


@dataclass
class Team:
    """The conversation of a main agent and those of its sub-agents."""

    root: Session
    children: list[Session] = field(default_factory=list)


def is_head(fields: Fields) -> bool:
    """Return whether an object is a session, or the first line of one."""
    return bool(text(fields.get("sessionId")) and text(fields.get("projectHash"))) and "type" not in fields


def sessions(log: Log) -> list[Session]:
    """Return the sessions in a file or a folder; of two files with one session the longer one."""
    found: dict[tuple[str, bool, object], Session] = {}
    for file in log.files("**/*.json*") if log.is_folder else [log]:
        records = list(file.objects())
        if not any(map(is_head, records[:1])):
            continue
        session = _session(file, records)
        session.lost["lines that are not JSON objects"] += 0 if file.document is not None else file.unreadable
        start = session.head.get("startTime")
        key = (session.id, session.is_child, start if isinstance(start, str) else None)
        if key not in found or len(found[key].messages) < len(session.messages):
            found[key] = session
    return list(found.values())


def _session(file: Log, records: Iterable[Fields]) -> Session:
    """Return the session in a file: later records of a message replace earlier ones."""
    head: dict[str, object] = {}
    known: dict[str, Fields] = {}
    present: set[str] = set()
    lost: Counter[str] = Counter()
    for number, record in enumerate(records):
        changes = mapping(record.get("$set"))
        if "$rewindTo" in record:
            gone = _from(known, present, record["$rewindTo"])
            lost["turns that were rolled back, kept in the trace"] += sum(
                known[id].get("type") == "gemini" for id in gone
            )
            present -= gone
        elif changes:
            head |= {key: value for key, value in changes.items() if key != "messages"}
            if isinstance(changes.get("messages"), list):
                present = _checkpoint(known, present, items(changes["messages"]), f"compaction {number}", changes)
        elif is_head(record):
            head |= record
            for message in items(record.get("messages")):
                _enter(known, present, mapping(message), lost)
        else:
            _enter(known, present, record, lost)
    id = text(head.get("sessionId")) or file.path.stem
    session = Session(id, head, file.path.resolve().parent.name, lost=lost)
    for message in known.values():
        kind = text(message.get("type"))
        if kind in NOTICES:
            lost[NOTICES[kind]] += 1
        elif kind in (*SPEAKERS, "compaction"):
            session.messages.append(message)
        else:
            lost["records of unknown kinds"] += 1
    return session


def _enter(known: dict[str, Fields], present: set[str], message: Fields, lost: Counter[str]) -> None:
    id = text(message.get("id"))
    if id is None:
        lost["records of unknown kinds"] += 1
        return
    known[id] = message
    present.add(id)


def _from(known: dict[str, Fields], present: set[str], first: object) -> set[str]:
    """Return the messages from one on; all if it is not there."""
    order = [id for id in known if id in present]
    return set(order[order.index(first) :] if first in order else order)


def _checkpoint(
    known: dict[str, Fields], present: set[str], messages: list[object], name: str, changes: Fields
) -> set[str]:
    """Take a new state of the conversation. If it drops messages they were compacted; those it adds sum them up."""
    given = {id: message for each in messages if (id := text((message := mapping(each)).get("id")))}
    if present - given.keys():
        known[name] = {"type": "compaction", "timestamp": changes.get("lastUpdated")}
        given = {id: message for id, message in given.items() if id in known}
    for id, message in given.items():
        known.setdefault(id, message)
    return set(given)


def teams(found: list[Session]) -> list[Team]:
    """Group the sessions of sub-agents with that of their main agent; those of which it is missing stand alone."""
    roots = {session.id: Team(session) for session in found if not session.is_child}
    result = list(roots.values())
    named = {agent: team for team in result for agent in _agents(team.root)}
    for session in found:
        if session.is_child:
            team = named.get(session.id) or roots.get(session.folder) or roots.get(session.id)
            if team:
                team.children.append(session)
                named |= dict.fromkeys(_agents(session), team)
            else:
                result.append(Team(session))
    return result


def _agents(session: Session) -> set[str]:
    """Return the sub-agents that calls name."""
    calls = (mapping(call) for message in session.messages for call in items(message.get("toolCalls")))
    return {agent for call in calls if (agent := text(call.get("agentId")))}


def at(message: Fields) -> float | None:
    """Return when a record was written."""
    return instant(message.get("timestamp"))


def words(content: object) -> str | None:
    """Return the text of a message: a text, or the texts among its parts."""
    if isinstance(content, str):
        return content or None
    parts = [content] if isinstance(content, dict) else items(content)
    found = [part if isinstance(part, str) else text(mapping(part).get("text")) for part in parts]
    return "\n".join(filter(None, found)) or None


def response(call: Fields) -> str | None:
    """Return the text of the result of a call."""
    parts = items(call.get("result"))
    for part in parts:
        answer = mapping(mapping(mapping(part).get("functionResponse")).get("response"))
        if told := text(answer.get("output")) or text(answer.get("error")):
            return told
    return words(parts)


def answers_a_call(message: Fields) -> bool:
    """Return whether a message of the user only repeats the results of calls."""
    return any("functionResponse" in mapping(part) for part in items(message.get("content")))
