"""One run, from the rollouts of its threads."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from typing import Any

from survey.traces.importers.codex.acts import Act, Acts, Call, Fate
from survey.traces.importers.codex.threads import Team, Thread
from survey.traces.importers.json_values import instance, text
from survey.traces.model import Builder, Content, Trace

SPAWNING, CLOSING, RESUMING = "spawn_agent", "close_agent", "resume_agent"
MESSAGES, DELEGATIONS = ("send_input", "send_message"), ("followup_task", "assign_task", RESUMING)
CODES = {
    SPAWNING: ("O1", "O2"),
    **dict.fromkeys(DELEGATIONS, ("O2",)),
    **dict.fromkeys(MESSAGES, ("O3",)),
    CLOSING: ("O5",),
}
"""The sub-decisions that a turn takes by calling a tool."""


class Run:
    """A team being read: the trace in the making, and what its threads know of each other.

    Links between threads lead forward in time, and a thread begins no earlier than its spawn, so that
    no circle of links can arise whatever the clocks say.
    """

    def __init__(self, team: Team, content: Content) -> None:
        self.team = team
        lines = [line for thread in team.threads.values() for line in thread.lines]
        timed = sum(line.t is not None for line in lines)
        versions = [text(thread.meta.get("cli_version")) for thread in team.threads.values()]
        self.builder = Builder(
            team.root,
            team.root,
            importer="codex",
            system="codex",
            version=next((version for version in versions if version), None),
            time="ordinal" if not timed else "seconds" if timed == len(lines) else "mixed",
            content=content,
            experimental=True,
        )
        self.timed = bool(timed)
        self.start = min((line.t for line in lines if line.t is not None), default=0.0)
        self.spawns: dict[str, str] = {}
        self.turns: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.deeds: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.returns: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.messages: list[tuple[str, str]] = []
        self.reports: list[tuple[str, str, Act, float, str | None]] = []
        self.closings: dict[str, str] = {}
        self.finished = False
        self._paths = {path: id for id, thread in team.threads.items() if (path := thread.said("agent_path"))}

    def trace(self) -> Trace | None:
        """The whole run; None if nothing happens in it."""
        for id, thread in self.team.threads.items():
            told = Acts(thread)
            if id != self.team.root and id not in self.spawns:
                self._conclude_spawn(thread)
            self.introduce(id, Fate(model=told.model))
            _Story(self, id, told).tell()
            self.builder.lost("parents whose own rollout is missing", int(not thread.lines and not thread.copied))
            self.builder.lost("lines that are not JSON objects", thread.unreadable)
            self.builder.lost("lines copied from the history of another thread", len(thread.copied))
            for what, count in told.lost.items():
                self.builder.lost(what, count)
        if not self.deeds:
            return None
        self._deliver()
        self._return()
        self._close()
        if self.finished:
            end = max(t for deeds in self.deeds.values() for t, _ in deeds)
            self.event("stop", self.team.root, end, decision=["O5"])
        return self.builder.build()

    def agent(self, id: str) -> str:
        """The agent of a thread."""
        return "main" if id == self.team.root else instance(id) or id

    def introduce(self, id: str, fate: Fate) -> None:
        """Say who is behind a thread."""
        thread = self.team.threads.get(id)
        nickname, path, role = (thread.said(f"agent_{key}") if thread else None for key in ("nickname", "path", "role"))
        name = nickname or fate.name or path
        self.builder.agent(self.agent(id), name=name, role=role or fate.role, model=fate.model)

    def meant(self, name: str | None) -> str | None:
        """The thread that an id, a path or the end of a path means; None if the team has no such thread."""
        if not name or name in self.team.threads or name in self.spawns:
            return name or None
        if name == "/root":
            return self.team.root
        ends = [id for path, id in self._paths.items() if path == name or path.endswith(f"/{name}")]
        return ends[0] if len(ends) == 1 else None

    def event(self, type: str, id: str, t: float | None, **fields: Any) -> str:
        """Write down what the agent of a thread does."""
        event = self.builder.event(type, self.agent(id), t if self.timed else None, **fields)
        self.deeds[id].append((self.builder[event].t, event))
        return event

    def spawn(self, parent: str, child: str, t: float | None, fate: Fate, said: str | None = None) -> str:
        """Write down that a thread spawns another."""
        thread = self.team.threads.get(child)
        role = fate.role or (thread.said("agent_role") if thread else None)
        self.spawns[child] = self.event("spawn", parent, t, to=child, role=role, tool=SPAWNING, text=said)
        self.introduce(child, fate)
        return self.spawns[child]

    def _conclude_spawn(self, thread: Thread) -> None:
        """A spawn that only the child's own rollout tells of."""
        parent = thread.parent if thread.parent in self.team.threads else self.team.root
        assert parent is not None
        first = next((line.t for line in thread.lines if line.t is not None), self.start)
        start = self.builder[self.spawns[parent]].t if parent in self.spawns else first
        spawn = self.spawn(parent, thread.id, max(first, start), Fate())
        before = [turn for t, turn in self.turns[parent] if t <= self.builder[spawn].t]
        if before:
            self.builder.link(before[-1], spawn, "causal", derived=True)

    def _deliver(self) -> None:
        """A message leads to what its receiver does next, a spawn to what the new agent does first."""
        for child, spawn in self.spawns.items():
            if self.deeds[child]:
                first = self.deeds[child][0][1]
                self.builder.link(spawn, first, "causal" if self.builder[first].type == "return" else "spawn")
        for deeds in self.deeds.values():
            for (t, before), (at, after) in pairwise(deeds):
                if t == at:  # where the clock says nothing, the order of the lines does
                    self.builder.link(before, after, "temporal")
            deeds.sort(key=lambda deed: deed[0])
        for message, receiver in self.messages:
            deeds = self.deeds[receiver]
            place = bisect_right(deeds, self.builder[message].t, key=lambda deed: deed[0])
            if place < len(deeds):
                self.builder.link(message, deeds[place][1], "message", derived=True)

    def _return(self) -> None:
        """A report of a sub-agent's end tells who read its return, or that there was one."""
        reported: set[str] = set()
        for reader, child, report, t, turn in self.reports:
            thread = self.team.threads.get(child)
            if (thread is None or not thread.lines) and report.status and child not in reported:
                reported.add(child)
                returned = self.event("return", child, t, to=self.agent(reader), status=report.status, text=report.said)
                self.builder.link(self.spawns.get(child), returned, "causal")
            else:
                earlier = [event for at, event in self.returns[child] if at <= t]
                if not earlier or turn is None or self.builder[earlier[-1]].t >= self.builder[turn].t:
                    continue
                returned = earlier[-1]
            if turn:
                type = "aggregate" if self.builder[turn].type == "aggregate" else "return"
                self.builder.link(returned, turn, type)

    def _close(self) -> None:
        """Who is closed is gone, with all that it spawned, as soon as it has done the last of its deeds."""
        gone: set[str] = set()
        for child, turn in self.closings.items():
            family = [child]
            for id in family:
                family += [each for each in self.team.children.get(id, []) if each not in family]
            for id in [id for id in reversed(family) if id not in gone and id != self.team.root and id in self.spawns]:
                gone.add(id)
                t = max([self.builder[turn].t, self.builder[self.spawns[id]].t, *(t for t, _ in self.deeds[id])])
                despawned = self.builder.event("despawn", self.agent(id), t if self.timed else None)
                self.builder.link(turn, despawned, "causal", derived=id != child)


class _Story:
    """One thread being written down."""

    def __init__(self, run: Run, id: str, told: Acts) -> None:
        self._run, self._id, self._told = run, id, told
        self._builder = run.builder
        born = self._builder[run.spawns[id]].t if id in run.spawns else run.start
        self._clock: float | None = born if run.timed else None
        self._turn: str | None = None
        self._calls: dict[str, str] = {}
        self._results: dict[str, str] = {}
        self._silent: set[str] = set()
        self._refused: set[str] = set()
        self._waiting: list[tuple[str, str]] = []
        self._heard: list[tuple[str, Act, float]] = []
        self._prompted = False

    def tell(self) -> None:
        """Write down everything that happens in the thread."""
        tells = {
            "turn": self._take_turn,
            "answer": self._answer,
            "refusal": self._refuse,
            "prompt": self._prompt,
            "report": self._hear,
            "finish": self._end,
            "abortion": self._end,
        }
        for act in self._told.acts:
            t = self._at(act.t)
            if act.kind in tells:
                tells[act.kind](act, t)
            else:
                kind = "compaction" if act.kind == "compaction" else "safety_event"
                self._do(kind, t, text=act.said, parent=self._calls.get(act.about))
        self._run.reports += [(self._id, child, report, t, None) for child, report, t in self._heard]
        last = next((act for act in reversed(self._told.acts) if act.kind != "report"), None)
        if self._id == self._run.team.root and last and last.kind == "finish" and not self._told.open:
            self._run.finished = True

    def _at(self, t: float | None) -> float | None:
        """The time of an act. Time does not run backwards in a thread."""
        if t is None or not self._run.timed:
            return self._clock
        if self._clock is not None and t < self._clock:
            self._builder.lost("events dated before the one that they follow, moved to its time")
            return self._clock
        self._clock = t
        return t

    def _do(self, type: str, t: float | None, **fields: Any) -> str:
        event = self._run.event(type, self._id, t, **fields)
        for before, edge in self._waiting:
            self._builder.link(before, event, edge, derived=True)
        self._waiting = []
        return event

    def _take_turn(self, act: Act, t: float | None) -> None:
        codes = list(dict.fromkeys(code for call in act.calls for code in CODES.get(call.tool, ())))
        over = any(report.status for _, report, _ in self._heard)
        type = "orchestrator_decision" if codes else "aggregate" if over else "model_call"
        decision = codes or (["O4"] if over else None)
        turn = self._do(type, t, text=act.said, decision=decision, tokens=act.usage, model=act.model)
        self._turn = turn
        self._run.turns[self._id].append((self._builder[turn].t, turn))
        self._run.reports += [(self._id, child, report, at, turn) for child, report, at in self._heard]
        self._heard = []
        for call in act.calls:
            self._call(call, turn, self._at(call.t))

    def _call(self, call: Call, turn: str, t: float | None) -> None:
        fate = self._told.fates.get(call.id or "", Fate())
        names = (call.arguments.get(key) for key in ("id", "target", "agent_id", "task_name"))
        named = self._told.receivers.get(call.id or "") or next(filter(None, map(text, names)), None)
        receiver = self._run.meant(named)
        said = text(call.arguments.get("message")) or text(call.arguments.get("prompt"))
        if call.tool == SPAWNING and fate.child and not fate.failed:
            child = self._run.meant(fate.child) or fate.child
            if child not in self._run.spawns and child != self._run.team.root:
                event = self._run.spawn(self._id, child, t, fate, said)
                if child not in self._run.team.threads:
                    self._builder.lost("sub-agents whose own rollout is missing")
                return self._tell_apart(call, turn, event)
        elif receiver and receiver != self._id and call.tool in (*MESSAGES, *DELEGATIONS):
            type = "message" if call.tool in MESSAGES else "delegate"
            event = self._do(type, t, to=self._run.agent(receiver), text=said)
            self._run.messages.append((event, receiver))
            return self._tell_apart(call, turn, event)
        elif receiver and receiver != self._id and call.tool == CLOSING:
            self._run.closings[receiver] = turn
            return self._tell_apart(call, turn, None)
        if call.tool == RESUMING and receiver:
            self._run.closings.pop(receiver, None)
        event = self._do("tool_call", t, tool=call.tool, parent=turn)
        self._builder.link(turn, event, "causal")
        if call.id:
            self._calls.setdefault(call.id, event)
        if call.ended:
            status = call.ended if call.ended != "ok" else None
            result = self._do("tool_result", t, parent=event, status=status)
            self._builder.link(event, result, "tool_dependency")
            self._results[call.id or event] = result
        return None

    def _tell_apart(self, call: Call, turn: str, event: str | None) -> None:
        """A call that stands in the trace as something other than a tool call; its answer says no more."""
        if event:
            self._builder.link(turn, event, "causal")
        if call.id:
            self._silent.add(call.id)

    def _answer(self, act: Act, t: float | None) -> None:
        if act.about in self._silent:
            return
        call = self._calls.get(act.about)
        if call is None or act.about in self._results:
            self._builder.lost("results of calls that the log does not have, or has answered already")
            return
        failed = act.about in self._told.fates and self._told.fates[act.about].failed
        status = "rejected" if act.about in self._refused else "error" if failed else act.status
        result = self._do("tool_result", t, parent=call, text=act.said, status=status)
        self._results[act.about] = result
        self._builder.link(call, result, "tool_dependency")

    def _refuse(self, act: Act, t: float | None) -> None:
        """A person does not let a command run."""
        self._refused.add(act.about)
        event = self._builder.event("human_intervention", "user", t, to=self._run.agent(self._id), status="rejected")
        self._builder.link(self._calls.get(act.about), event, "causal")
        if act.about in self._results:
            self._builder.amend(self._results[act.about], status="rejected")
        self._waiting.append((event, "causal"))

    def _prompt(self, act: Act, t: float | None) -> None:
        """What is put to the agent: by a person to the root, and to others by whoever spawned or wrote to them."""
        first, self._prompted = not self._prompted, True
        if self._id != self._run.team.root:
            spawn = self._run.spawns.get(self._id)
            if first and spawn and self._builder[spawn].content_ref is None:
                self._builder.amend(spawn, **self._builder.content.fields(act.said))
            return
        kind, edge = ("message", "message") if first and not self._turn else ("human_intervention", "causal")
        event = self._builder.event(kind, "user", t, to="main", text=act.said)
        self._waiting.append((event, edge))

    def _hear(self, act: Act, t: float | None) -> None:
        child = self._run.meant(act.about)
        if child and child != self._id:
            self._heard.append((child, act, t if t is not None else float("inf")))

    def _end(self, act: Act, t: float | None) -> None:
        """The end of the work on one prompt: a sub-agent returns, and a person may have stopped the root."""
        parent = self._run.team.threads[self._id].parent or self._run.team.root
        if self._id != self._run.team.root:
            status = None if act.kind == "finish" else "cancelled"
            returned = self._do("return", t, to=self._run.agent(parent), status=status, text=act.said)
            self._run.returns[self._id].append((self._builder[returned].t, returned))
        elif act.kind == "abortion" and act.status == "interrupted":
            event = self._builder.event("human_intervention", "user", t, to="main")
            if self._turn:
                self._builder.link(self._turn, event, "causal", derived=True)
            self._waiting.append((event, "causal"))
