"""Claude Code agent teams: who joined, and what the inboxes hold.

A team leaves a ``config.json``, an inbox for each receiver, and perhaps its tasks. Turns of models are not in
there (they are in the sessions of the members), so a trace of a team is its spawns and its messages. Messages
whose text is JSON are the protocol's; they say ``protocol: true``, and stand beside the act that they announce.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.importers.json_values import flag, instant, items, mapping, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import OUTSIDE, Builder, Content, Trace

NAME = "claude-code-team"
LATEST = 1e11
"""A stamp beyond the year 5000 is damage, not a time."""

GOODBYES = frozenset({"shutdown_approved", "shutdown_response"})


def recognises(log: Log) -> bool:
    """Whether a file is the configuration of a team, or a folder has one."""
    try:
        return any(_is_team(config.document) for config in _configs(log))
    except (OSError, BadLog):
        return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """The trace of a team. Raises ``BadLog`` where nobody joins and nobody writes."""
    try:
        configs = [mapping(config.document) for config in _configs(log) if _is_team(config.document)]
        if not configs:
            raise BadLog(f"{log.path.name}: no configuration of a team (expected config.json with members and a lead)")
        team = _Team(configs, content)
        folder = log.path if log.is_folder else log.path.parent
        for inbox in [] if log.data is not None else Log(folder).files("inboxes/*.json"):
            team.open(inbox)
        if log.data is None:
            team.take_tasks(folder)
    except OSError as error:
        raise BadLog(f"{log.path.name}: cannot be read ({error}) (expected the folder of a team)") from None
    trace = team.trace()
    if not trace.events:
        raise BadLog(f"{log.path.name}: a team of nobody (expected members that joined, or messages in inboxes)")
    yield trace


def _configs(log: Log) -> list[Log]:
    """The configuration and, beside it, its later states."""
    if not log.is_folder:
        return [log, *([] if log.data is not None else Log(log.path.parent).files("config.*.json"))]
    return [*log.files("config.json"), *log.files("config.*.json")]


def _is_team(document: object) -> bool:
    config = mapping(document)
    return isinstance(config.get("members"), list) and ("leadAgentId" in config or "leadSessionId" in config)


@dataclass(frozen=True)
class _Letter:
    """An entry of an inbox."""

    t: float
    sender: str
    receiver: str
    text: str
    read: bool
    protocol: Mapping[str, Any] | None
    """The text as an object, where it is one."""


class _Team:
    def __init__(self, configs: list[Mapping[str, Any]], content: Content) -> None:
        first = configs[0]
        self.name = text(first.get("name")) or text(first.get("leadSessionId")) or "team"
        self.members: dict[str, Mapping[str, Any]] = {}
        for member in (mapping(item) for config in configs for item in items(config.get("members"))):
            if id := text(member.get("agentId")) or text(member.get("name")):
                self.members.setdefault(id, member)
        self.lead = text(first.get("leadAgentId")) or next(iter(self.members), "team-lead")
        self.content = content
        self.letters: list[_Letter] = []
        self.tasks: list[Mapping[str, Any]] = []
        self.lost: dict[str, int] = defaultdict(int)
        self.untimed = 0
        self._by_name = self._instances()

    def _instances(self) -> dict[str, list[tuple[float, str]]]:
        """The instances behind each name, in the order in which they joined."""
        found: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for id, member in self.members.items():
            found[text(member.get("name")) or id.split("@")[0]].append((_time(member.get("joinedAt")) or 0.0, id))
        for instances in found.values():
            instances.sort()
        return found

    def instance(self, name: str, t: float, sends: bool = False) -> str:
        """Who answers to a name at a time: the instance that joined last, or the name itself if there is none yet.

        Somebody who writes is there, whatever the clock says.
        """
        instances = self._by_name.get(name, [])
        known = [id for joined, id in instances if joined <= t] or [id for _, id in instances[:1] if sends]
        return known[-1] if known else name

    def open(self, inbox: Log) -> None:
        """Take the letters of an inbox; its file is named after the receiver."""
        receiver, last = inbox.path.stem, None
        if not isinstance(inbox.document, list):
            self.lost["inboxes that are not lists"] += 1
        for item in items(inbox.document):
            letter = mapping(item)
            sender, said = text(letter.get("from")), text(letter.get("text"))
            if sender is None or said is None:
                self.lost["messages without a sender or a text"] += 1
                continue
            t = _time(letter.get("timestamp"))
            self.untimed += t is None
            last = t if t is not None else last
            coded = _coded(said)
            self.letters.append(_Letter(last or 0.0, sender, receiver, said, letter.get("read") is not False, coded))

    def take_tasks(self, folder: Path) -> None:
        """Take the tasks, beside the team's files or where Claude Code keeps them."""
        places = (folder / "tasks", folder.parent.parent / "tasks" / folder.name)
        for file in next((found for place in places if (found := Log(place).files("*.json"))), []):
            task = mapping(file.document)
            if text(task.get("id")) and not flag(mapping(task.get("metadata")).get("_internal")):
                self.tasks.append(task)

    def trace(self) -> Trace:
        """The spawns, the letters with the acts they announce, and what follows from what."""
        joined = [_time(member.get("joinedAt")) for id, member in self.members.items() if id != self.lead]
        self.untimed += sum(t is None for t in joined)
        timed = len(self.letters) + len(joined) - self.untimed
        kind = "seconds" if not self.untimed else "mixed" if timed else "ordinal"
        builder = Builder(self.name, self.name, importer=NAME, system="claude-code", time=kind, content=self.content)
        _Writer(self, builder).write()
        builder.lost("acts without a time, put beside their neighbours", self.untimed)
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
        """The letter that assigned each task."""
        self.pending: list[tuple[str, str, str]] = []
        """Events that reach somebody: to be linked to what that agent does next."""

    def write(self) -> None:
        """Write everything down."""
        self._join()
        for letter in sorted(self.team.letters, key=lambda letter: letter.t):
            self._letter(letter)
        for agent, (t, goodbye) in self.left.items():
            gone = self._event("despawn", agent, max([t, *(at for at, _ in self.life[agent])]))
            self.builder.link(goodbye, gone, "causal")
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

    def _join(self) -> None:
        """The lead is there from the start; everybody else was spawned by it when they joined."""
        for id, member in self.team.members.items():
            role, model = text(member.get("agentType")), text(member.get("model"))
            name = text(member.get("name"))
            self.builder.agent(id, name=name, role=role, model=model)
            if id != self.team.lead:
                t, prompt = _time(member.get("joinedAt")) or 0.0, text(member.get("prompt"))
                self.spawns[id] = self._event(
                    "spawn", self.team.lead, t, to=id, role=role, agent_name=name, text=prompt
                )

    def _letter(self, letter: _Letter) -> None:
        sender, receiver = self.team.instance(letter.sender, letter.t, sends=True), letter.receiver
        receiver = sender if receiver == letter.sender else self.team.instance(receiver, letter.t)
        for name in (sender, receiver):
            if name not in self.team.members and name not in OUTSIDE:
                self.builder.agent(name, name=name)
        kind = text(letter.protocol.get("type")) if letter.protocol is not None else None
        if receiver in self.left and receiver != sender:
            receiver = letter.receiver  # nobody answers to the name any more
        if sender in OUTSIDE:
            stepped_in = self._event("human_intervention", sender, letter.t, to=receiver, text=letter.text)
            self.pending.append((stepped_in, receiver, "causal"))
            return
        act = self._act(kind, letter, sender, receiver)
        event = self._event(
            "message",
            sender,
            letter.t,
            to=receiver,
            protocol=True if letter.protocol is not None else None,
            delivered=None if letter.read else False,
            text=letter.text,
        )
        if act:
            self.builder.amend(event, parent=act)
            self.builder.link(act, event, "causal")
        if letter.read:
            self.pending.append((event, receiver, "message"))
        if kind == "task_assignment" and letter.protocol and (task := text(letter.protocol.get("taskId"))):
            self.given[task] = event
        if kind in GOODBYES and letter.protocol and letter.protocol.get("approve") is not False:
            self.left[sender] = letter.t, event

    def _act(self, kind: str | None, letter: _Letter, sender: str, receiver: str) -> str | None:
        """The act that a message of the protocol announces."""
        if kind == "task_assignment":
            return self._event("orchestrator_decision", sender, letter.t, decision=["O2"])
        if kind == "shutdown_request":
            return self._event("orchestrator_decision", sender, letter.t, decision=["O5"])
        if kind == "idle_notification" and letter.protocol:
            cut = letter.protocol.get("idleReason") in ("interrupted", "failed")
            reason = "error" if letter.protocol.get("idleReason") == "failed" else "cancelled"
            act = self._event("return", sender, letter.t, to=receiver, status=reason if cut else None)
            if letter.read:
                self.pending.append((act, receiver, "return"))
            return act
        return None

    def _follow(self, event: str, agent: str, type: str) -> None:
        acts = self.ordered(agent)
        place = bisect_right(acts, self.builder[event].t, key=lambda act: act[0])
        if place < len(acts):
            act = acts[place][1]
            # work that came back can be why somebody new is asked for, and then it is a cause and no return
            type = "causal" if type == "return" and self.builder[act].type == "spawn" else type
            self.builder.link(event, act, type, derived=True)

    def ordered(self, agent: str) -> list[tuple[float, str]]:
        """What an agent does, in its order."""
        acts = self.life[agent]
        acts.sort(key=lambda act: act[0])
        return acts

    def _depend(self) -> None:
        """Tasks that wait for others, where both were assigned and time does not contradict."""
        for task in self.team.tasks:
            later = self.given.get(text(task.get("id")) or "")
            for blocker in items(task.get("blockedBy")):
                earlier = self.given.get(str(blocker))
                if later and earlier and self.builder[earlier].t < self.builder[later].t:
                    self.builder.link(earlier, later, "causal")
                else:
                    self.builder.lost("dependencies between tasks that no assignments show")


def _time(value: object) -> float | None:
    t = instant(value)
    return t if t is not None and 0 <= t < LATEST else None


def _coded(said: str) -> Mapping[str, Any] | None:
    """The object that a text is, if it is one: then it is a message of the protocol."""
    if not said.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


IMPORTER = Importer(
    NAME,
    "Claude Code agent teams",
    recognises,
    read,
    "The folder of a team: its configuration, inboxes and tasks. Messages that serve the protocol are marked, so that "
    "protocol overhead can be measured. The work inside each member is in its own session, not here.",
)
