"""Claude Code agent teams: members and inboxes.

A team leaves a ``config.json``, an inbox for each receiver, and perhaps its tasks. Model turns are recorded in
the sessions of the members, so the trace of a team holds spawns and messages. A message whose text is JSON
belongs to the protocol: it has ``protocol: true`` and accompanies the act that it announces.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.files import Budget
from survey.traces.importers.json_values import flag, instant, items, mapping, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import OUTSIDE, Builder, Content, Trace

NAME = "claude-code-team"
LATEST = 1e11
"""A timestamp beyond the year 5000 is damaged."""

SHUTDOWN_REPLIES = frozenset({"shutdown_approved", "shutdown_response"})


def recognises(log: Log) -> bool:
    """Return whether a file is the configuration of a team, or a folder contains one."""
    try:
        return any(_is_team(config.document) for config in _configs(log))
    except (OSError, BadLog):
        return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield the trace of a team. Raises ``BadLog`` for a team without members and messages."""
    try:
        configs = [mapping(config.document) for config in _configs(log) if _is_team(config.document)]
        if not configs:
            raise BadLog(f"{log.path.name}: no configuration of a team (expected config.json with members and a lead)")
        team = _Team(configs, content)
        folder = log.path if log.is_folder else log.path.parent
        for inbox in [] if log.data is not None else Log(folder, budget=log.budget).files("inboxes/*.json"):
            team.open(inbox)
        if log.data is None:
            team.take_tasks(folder, log.budget)
    except OSError as error:
        raise BadLog(f"{log.path.name}: cannot be read ({error}) (expected the folder of a team)") from None
    trace = team.trace()
    if not trace.events:
        raise BadLog(f"{log.path.name}: an empty team (expected members, or messages in inboxes)")
    yield trace


def _configs(log: Log) -> list[Log]:
    """Return the configuration, and its later versions in the same folder."""
    if not log.is_folder:
        return [log, *([] if log.data is not None else Log(log.path.parent, budget=log.budget).files("config.*.json"))]
    return [*log.files("config.json"), *log.files("config.*.json")]


def _is_team(document: object) -> bool:
    config = mapping(document)
    return isinstance(config.get("members"), list) and ("leadAgentId" in config or "leadSessionId" in config)


@dataclass(frozen=True)
class _InboxMessage:
    """A message in an inbox."""

    t: float
    sender: str
    receiver: str
    text: str
    read: bool
    protocol: Mapping[str, Any] | None
    """The text as an object, if it is one."""


class _Team:
    def __init__(self, configs: list[Mapping[str, Any]], content: Content) -> None:
        first = configs[0]
        self.name = text(first.get("name")) or text(first.get("leadSessionId")) or "team"
        self.members: dict[str, Mapping[str, Any]] = {}
        for member in (mapping(item) for config in configs for item in items(config.get("members"))):
            if id := text(member.get("agentId")) or text(member.get("name")):
                self.members.setdefault(id, member)
        self.lead = text(first.get("leadAgentId")) or next(iter(self.members), "team-lead")
        self.created = _time(first.get("createdAt"))
        self.content = content
        self.messages: list[_InboxMessage] = []
        self.tasks: list[Mapping[str, Any]] = []
        self.lost: dict[str, int] = defaultdict(int)
        self.untimed = 0
        self._by_name = self._instances()

    def _instances(self) -> dict[str, list[tuple[float, str]]]:
        """Return the instances of each name, in the order in which they joined."""
        found: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for id, member in self.members.items():
            found[text(member.get("name")) or id.split("@")[0]].append((_time(member.get("joinedAt")) or 0.0, id))
        for instances in found.values():
            instances.sort()
        return found

    def instance(self, name: str, t: float, sends: bool = False) -> str:
        """Return the instance with a name at a time: the last that joined, or the name itself if there is none yet.

        A sender exists even if its recorded join is later.
        """
        instances = self._by_name.get(name, [])
        known = [id for joined, id in instances if joined <= t] or [id for _, id in instances[:1] if sends]
        return known[-1] if known else name

    def open(self, inbox: Log) -> None:
        """Add the messages of an inbox, which is named after the receiver."""
        receiver, last = inbox.path.stem, None
        if not isinstance(inbox.document, list):
            self.lost["inboxes that are not lists"] += 1
        for item in items(inbox.document):
            message = mapping(item)
            sender, body = text(message.get("from")), text(message.get("text"))
            if sender is None or body is None:
                self.lost["messages without a sender or a text"] += 1
                continue
            t = _time(message.get("timestamp"))
            self.untimed += t is None
            last = t if t is not None else last
            coded = _protocol_object(body)
            self.messages.append(
                _InboxMessage(last or 0.0, sender, receiver, body, message.get("read") is not False, coded)
            )

    def take_tasks(self, folder: Path, budget: Budget) -> None:
        """Add the tasks, from the folder of the team or from Claude Code's own folder."""
        places = (folder / "tasks", folder.parent.parent / "tasks" / folder.name)
        for file in next((found for place in places if (found := Log(place, budget=budget).files("*.json"))), []):
            task = mapping(file.document)
            if text(task.get("id")) and not flag(mapping(task.get("metadata")).get("_internal")):
                self.tasks.append(task)

    def trace(self) -> Trace:
        """The spawns, the letters with the acts they announce, and what follows from what."""
        joined = [_time(member.get("joinedAt")) for id, member in self.members.items() if id != self.lead]
        self.untimed += sum(t is None for t in joined)
        timed = len(self.messages) + len(joined) - self.untimed
        kind = "seconds" if not self.untimed else "mixed" if timed else "ordinal"
        builder = Builder(self.name, self.name, importer=NAME, system="claude-code", time=kind, content=self.content)
        _Writer(self, builder).write()
        builder.lost("acts without a time, placed beside their neighbours", self.untimed)
        for what, count in self.lost.items():
            builder.lost(what, count)
        return builder.build()


class _Writer:
    def __init__(self, team: _Team, builder: Builder) -> None:
        self.team, self.builder = team, builder
        self.life: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.spawns: dict[str, str] = {}
        self.left: dict[str, tuple[float, str]] = {}
        self.given: dict[str, str] = {}
        """The message that assigned each task."""
        self.pending: list[tuple[str, str, str]] = []
        """Events with a receiver, to be linked to the receiver's next act."""

    def write(self) -> None:
        """Write all events and links."""
        self._found()
        self._join()
        for message in sorted(self.team.messages, key=lambda message: message.t):
            self._message(message)
        for agent, (t, farewell) in self.left.items():
            gone = self._event("despawn", agent, max([t, *(at for at, _ in self.life[agent])]))
            self.builder.link(farewell, gone, "causal")
        for id, spawn in self.spawns.items():
            if acts := self.life.get(id):
                self.builder.link(spawn, min(acts, key=lambda act: act[0])[1], "spawn", derived=True)
        for event, agent, type in self.pending:
            self._follow(event, agent, type)
        self._depend()

    def _event(self, type: str, agent: str, t: float, **fields: Any) -> str:
        spawn = self.spawns.get(agent)
        t = max(t, self.builder[spawn].t) if spawn else t
        event = self.builder.event(type, agent, t, **fields)
        self.life[agent].append((t, event))
        return event

    def _found(self) -> None:
        """Write the decision to have a team, with which the run begins, unless something is recorded before it."""
        acts = [message.t for message in self.team.messages]
        acts += [
            _time(member.get("joinedAt")) or 0.0 for id, member in self.team.members.items() if id != self.team.lead
        ]
        if self.team.created is not None and acts and self.team.created <= min(acts):
            self._event("orchestrator_decision", self.team.lead, self.team.created, decision=["O1"])

    def _join(self) -> None:
        """Write the members: the lead exists from the start and spawns every other member when it joins."""
        for id, member in self.team.members.items():
            role, model = text(member.get("agentType")), text(member.get("model"))
            name = text(member.get("name"))
            self.builder.agent(id, name=name, role=role, model=model)
            if id != self.team.lead:
                t, prompt = _time(member.get("joinedAt")) or 0.0, text(member.get("prompt"))
                self.spawns[id] = self._event(
                    "spawn", self.team.lead, t, to=id, role=role, agent_name=name, text=prompt
                )

    def _message(self, message: _InboxMessage) -> None:
        sender, receiver = self.team.instance(message.sender, message.t, sends=True), message.receiver
        receiver = sender if receiver == message.sender else self.team.instance(receiver, message.t)
        for name in (sender, receiver):
            if name not in self.team.members and name not in OUTSIDE:
                self.builder.agent(name, name=name)
        kind = text(message.protocol.get("type")) if message.protocol is not None else None
        if receiver in self.left and receiver != sender:
            receiver = message.receiver  # the instance has left
        if sender in OUTSIDE:
            intervention = self._event("human_intervention", sender, message.t, to=receiver, text=message.text)
            self.pending.append((intervention, receiver, "causal"))
            return
        act = self._act(kind, message, sender, receiver)
        event = self._event(
            "message",
            sender,
            message.t,
            to=receiver,
            protocol=True if message.protocol is not None else None,
            delivered=None if message.read else False,
            text=message.text,
        )
        if act:
            self.builder.amend(event, parent=act)
            self.builder.link(act, event, "causal")
        if message.read:
            self.pending.append((event, receiver, "message"))
        if kind == "task_assignment" and message.protocol and (task := text(message.protocol.get("taskId"))):
            self.given[task] = event
        if kind in SHUTDOWN_REPLIES and message.protocol and message.protocol.get("approve") is not False:
            self.left[sender] = message.t, event

    def _act(self, kind: str | None, message: _InboxMessage, sender: str, receiver: str) -> str | None:
        """Write the act that a message of the protocol announces."""
        if kind == "task_assignment":
            return self._event("orchestrator_decision", sender, message.t, decision=["O2"])
        if kind == "shutdown_request":
            return self._event("orchestrator_decision", sender, message.t, decision=["O5"])
        if kind == "idle_notification" and message.protocol:
            cut = message.protocol.get("idleReason") in ("interrupted", "failed")
            reason = "error" if message.protocol.get("idleReason") == "failed" else "cancelled"
            act = self._event("return", sender, message.t, to=receiver, status=reason if cut else None)
            if message.read:
                self.pending.append((act, receiver, "return"))
            return act
        return None

    def _follow(self, event: str, agent: str, type: str) -> None:
        acts = self.ordered(agent)
        place = bisect_right(acts, self.builder[event].t, key=lambda act: act[0])
        if place < len(acts):
            act = acts[place][1]
            # a return can be the reason for a spawn; then it is a cause
            type = "causal" if type == "return" and self.builder[act].type == "spawn" else type
            self.builder.link(event, act, type, derived=True)

    def ordered(self, agent: str) -> list[tuple[float, str]]:
        """Return the acts of an agent in order."""
        acts = self.life[agent]
        acts.sort(key=lambda act: act[0])
        return acts

    def _depend(self) -> None:
        """Link tasks to their blockers if both were assigned and the times are consistent."""
        for task in self.team.tasks:
            later = self.given.get(text(task.get("id")) or "")
            for blocker in items(task.get("blockedBy")):
                earlier = self.given.get(str(blocker))
                if later and earlier and self.builder[earlier].t < self.builder[later].t:
                    self.builder.link(earlier, later, "causal")
                else:
                    self.builder.lost("dependencies between tasks without assignments")


def _time(value: object) -> float | None:
    t = instant(value)
    return t if t is not None and 0 <= t < LATEST else None


def _protocol_object(body: str) -> Mapping[str, Any] | None:
    """Return the object that a text encodes, if any: then it is a message of the protocol."""
    if not body.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


IMPORTER = Importer(
    NAME,
    "Claude Code agent teams",
    recognises,
    read,
    "The folder of a team: its configuration, inboxes and tasks. Messages of the protocol are marked, so that "
    "protocol overhead can be measured. The work of each member is in its own session, not here.",
)
