"""The agents of a session while it is read: their events, spawns and returns."""

from __future__ import annotations

from typing import Any

from survey.traces.importers.coding_agents.copilot.lines import MAIN, Session
from survey.traces.importers.coding_agents.copilot.members import Member
from survey.traces.importers.json_values import Fields, instance, text
from survey.traces.model import NOTHING, Builder, Content

TURNS = ("orchestrator_decision", "aggregate", "model_call")


class Team:
    """A builder of events, and the agents so far."""

    def __init__(self, session: Session, content: Content) -> None:
        self.session = session
        self.timed = session.time != "ordinal"
        self.builder = Builder(
            session.id,
            session.id,
            importer="copilot",
            system="copilot-cli",
            version=session.version,
            time=session.time,
            content=content,
        )
        self.root = Member(MAIN, cause=session.lines[0].at)
        self.members: dict[str, Member] = {}
        self.made: dict[str, tuple[Member, str | None, Fields]] = {}
        """Who made a call, its event, and its arguments."""
        self.names: dict[str, str] = {}
        """Sub-agents by what the tools call them."""
        self._heard: set[str] = set()
        """Returns that some agent has read."""

    def write(self, member: Member, type: str, at: float, until: float | None = None, **fields: Any) -> str:
        """Write an event of an agent, with what has reached it by then."""
        ends = until if self.timed and until is not None and until > at else None
        id = self.builder.event(type, member.id, at if self.timed else None, t_end=ends, **fields)
        waiting, member.waiting = member.waiting, []
        for since, src, edge in waiting:
            if edge == "spawn":
                self.builder.link(src, id, "causal" if type == "return" else "spawn")
            elif type in TURNS and since <= at:
                self.builder.link(src, id, edge, derived=True)
            else:
                member.waiting.append((since, src, edge))
        member.last = max(member.last, at if until is None else until)
        member.acted = True
        return id

    def member(self, agent: str | None, at: float) -> Member:
        """Return an agent; a sub-agent that no call started before is spawned now."""
        if agent is None:
            return self.root
        if agent not in self.members:
            maker, event, _ = self.made.get(self.session.call_of[agent], (self.root, None, NOTHING))
            self.spawn(agent, maker, at, event or maker.turn, derived=event is None)
        return self.members[agent]

    def spawn(
        self,
        agent: str,
        parent: Member,
        at: float,
        cause: str | None,
        arguments: Fields = NOTHING,
        tool: str | None = None,
        derived: bool = False,
    ) -> str:
        """Write the spawn of a sub-agent."""
        told = self.session.started[agent].data if agent in self.session.started else NOTHING
        role, name = text(told.get("agentName")) or text(arguments.get("agent_type")), text(arguments.get("name"))
        id = instance(agent) or agent
        event = self.write(parent, "spawn", at, to=id, role=role, tool=tool, text=text(arguments.get("prompt")))
        if cause:
            self.builder.link(cause, event, "causal", derived=derived)
        child = Member(id, parent, cause=at, last=at, model=text(told.get("model")))
        child.waiting.append((at, event, "spawn"))
        self.members[agent] = child
        self.names[agent] = agent
        if name:
            self.names[name] = agent
        self.builder.agent(id, name=name, role=role, model=child.model)
        return event

    def named(self, *names: object) -> Member | None:
        """Return the sub-agent that a tool calls by a name."""
        agents = [self.names[name] for name in map(text, names) if name and name in self.names]
        return self.members[agents[0]] if agents else None

    def hand_back(self, child: Member, at: float, **fields: Any) -> None:
        """Write the return of a sub-agent."""
        parent = child.parent or self.root
        event = self.write(child, "return", at, to=parent.id, **fields)
        child.returned.append((at, event))
        child.acted = False

    def read(self, reader: Member, child: Member, at: float, by: str | None = None) -> None:
        """Note that an agent learns what a sub-agent has answered."""
        if child.acted and child.answered:
            self.hand_back(child, child.last)
        told = child.returned[-1][1] if child.returned and not child.acted else None
        if told and told not in self._heard and reader is not child:
            self._heard.add(told)
            reader.reads.append((at, told))
            if by:
                self.builder.link(told, by, "causal")
