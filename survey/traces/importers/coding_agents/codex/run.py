"""One run, from the rollouts of its threads."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from typing import Any

from survey.traces.importers.coding_agents.codex.acts import Act, Acts, Call, SpawnResult
from survey.traces.importers.coding_agents.codex.threads import Team, Thread
from survey.traces.importers.json_values import instance, text
from survey.traces.importers.waiting import FOR_AGENTS, asks, sleeps
from survey.traces.model import Builder, Content, Trace

SPAWNING, CLOSING, RESUMING = "spawn_agent", "close_agent", "resume_agent"
MESSAGES, DELEGATIONS = ("send_input", "send_message"), ("followup_task", "assign_task", RESUMING)
CODES = {
    SPAWNING: ("O1", "O2"),
    **dict.fromkeys(DELEGATIONS, ("O2",)),
    **dict.fromkeys(MESSAGES, ("O3",)),
    CLOSING: ("O5",),
}
"""The sub-decisions that a tool call implies."""


class Run:
    """A builder of the trace of a team, and the references between its threads.

    Links between threads lead forward in time, and no thread starts before its spawn, so that links form no
    cycle even with inconsistent clocks.
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
        self.events: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.returns: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.messages: list[tuple[str, str]] = []
        self.reports: list[tuple[str, str, Act, float, str | None]] = []
        self.closings: dict[str, str] = {}
        self.finished = False
        self._paths = {path: id for id, thread in team.threads.items() if (path := thread.label("agent_path"))}

    def trace(self) -> Trace | None:
        """Return the trace of the run; None if it is empty."""
        for id, thread in self.team.threads.items():
            thread_acts = Acts(thread)
            if id != self.team.root and id not in self.spawns:
                self._conclude_spawn(thread)
            self.introduce(id, SpawnResult(model=thread_acts.model))
            _ThreadWriter(self, id, thread_acts).write()
            self.builder.lost("parents whose own rollout is missing", int(not thread.lines and not thread.copied))
            self.builder.lost("lines that are not JSON objects", thread.unreadable)
            self.builder.lost("lines copied from the history of another thread", len(thread.copied))
            for what, count in thread_acts.lost.items():
                self.builder.lost(what, count)
        if not self.events:
            return None
        self._deliver()
        self._return()
        self._close()
        if self.finished:
            end = max(t for events in self.events.values() for t, _ in events)
            self.event("stop", self.team.root, end, decision=["O5"])
        return self.builder.build()

    def agent(self, id: str) -> str:
        """Return the agent of a thread."""
        return "main" if id == self.team.root else instance(id) or id

    def introduce(self, id: str, spawn_result: SpawnResult) -> None:
        """Describe the agent of a thread."""
        thread = self.team.threads.get(id)
        nickname, path, role = (
            thread.label(f"agent_{key}") if thread else None for key in ("nickname", "path", "role")
        )
        name = nickname or spawn_result.name or path
        self.builder.agent(self.agent(id), name=name, role=role or spawn_result.role, model=spawn_result.model)

    def thread_for(self, name: str | None) -> str | None:
        """Return the thread with an id, a path or the end of a path; None if the team has no such thread."""
        if not name or name in self.team.threads or name in self.spawns:
            return name or None
        if name == "/root":
            return self.team.root
        ends = [id for path, id in self._paths.items() if path == name or path.endswith(f"/{name}")]
        return ends[0] if len(ends) == 1 else None

    def event(self, type: str, id: str, t: float | None, **fields: Any) -> str:
        """Write an event of the agent of a thread."""
        event = self.builder.event(type, self.agent(id), t if self.timed else None, **fields)
        self.events[id].append((self.builder[event].t, event))
        return event

    def spawn(
        self, parent: str, child: str, t: float | None, spawn_result: SpawnResult, message: str | None = None
    ) -> str:
        """Write the spawn of a thread by another."""
        thread = self.team.threads.get(child)
        role = spawn_result.role or (thread.label("agent_role") if thread else None)
        self.spawns[child] = self.event("spawn", parent, t, to=child, role=role, tool=SPAWNING, text=message)
        self.introduce(child, spawn_result)
        return self.spawns[child]

    def _conclude_spawn(self, thread: Thread) -> None:
        """Write a spawn that only the rollout of the child records."""
        parent = thread.parent if thread.parent in self.team.threads else self.team.root
        assert parent is not None
        first = next((line.t for line in thread.lines if line.t is not None), self.start)
        start = self.builder[self.spawns[parent]].t if parent in self.spawns else first
        spawn = self.spawn(parent, thread.id, max(first, start), SpawnResult())
        before = [turn for t, turn in self.turns[parent] if t <= self.builder[spawn].t]
        if before:
            self.builder.link(before[-1], spawn, "causal", derived=True)

    def _deliver(self) -> None:
        """Link messages to the receiver's next turn, or else its next event; link spawns to the first event."""
        for child, spawn in self.spawns.items():
            if self.events[child]:
                first = self.events[child][0][1]
                self.builder.link(spawn, first, "causal" if self.builder[first].type == "return" else "spawn")
        for events in self.events.values():
            for (t, before), (at, after) in pairwise(events):
                if t == at:  # equal times: keep the order of the lines
                    self.builder.link(before, after, "temporal")
            events.sort(key=lambda entry: entry[0])
        for message, receiver in self.messages:
            for events in (self.turns[receiver], self.events[receiver]):
                place = bisect_right(events, self.builder[message].t, key=lambda entry: entry[0])
                if place < len(events):
                    self.builder.link(message, events[place][1], "message", derived=True)
                    break

    def _return(self) -> None:
        """Link returns to the turns that read them; a report without a recorded return becomes one."""
        reported: set[str] = set()
        for reader, child, report, t, turn in self.reports:
            thread = self.team.threads.get(child)
            if not self.returns[child] and report.status and child not in reported:
                reported.add(child)
                acts = [self.builder[event] for _, event in self.events[child]] if thread and thread.lines else []
                ended = max((act.end for act in acts if act.t <= t), default=t)
                returned = self.event(
                    "return", child, min(ended, t), to=self.agent(reader), status=report.status, text=report.message
                )
                if not acts:
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
        """Write the despawn of a closed agent and its descendants, each after its last event."""
        gone: set[str] = set()
        for child, turn in self.closings.items():
            family = [child]
            for id in family:
                family += [each for each in self.team.children.get(id, []) if each not in family]
            for id in [id for id in reversed(family) if id not in gone and id != self.team.root and id in self.spawns]:
                gone.add(id)
                t = max([self.builder[turn].t, self.builder[self.spawns[id]].t, *(t for t, _ in self.events[id])])
                despawned = self.builder.event("despawn", self.agent(id), t if self.timed else None)
                self.builder.link(turn, despawned, "causal", derived=id != child)


class _ThreadWriter:
    """Writes the events of one thread."""

    def __init__(self, run: Run, id: str, thread_acts: Acts) -> None:
        self._run, self._id, self._thread_acts = run, id, thread_acts
        self._builder = run.builder
        born = self._builder[run.spawns[id]].t if id in run.spawns else run.start
        self._clock: float | None = born if run.timed else None
        self._turn: str | None = None
        self._calls: dict[str, str] = {}
        self._results: dict[str, str] = {}
        self._silent: set[str] = set()
        self._refused: set[str] = set()
        self._waiting: list[tuple[str, str]] = []
        self._reports: list[tuple[str, Act, float]] = []
        self._prompted = False
        self._approved: dict[str, str] = {}
        """The permission of a person, by the call."""

    def write(self) -> None:
        """Write all events of the thread."""
        writers = {
            "turn": self._take_turn,
            "answer": self._answer,
            "refusal": self._refuse,
            "approval": self._approve,
            "prompt": self._prompt,
            "report": self._receive_report,
            "finish": self._end,
            "abortion": self._end,
        }
        for act in self._thread_acts.acts:
            before, t = self._clock, self._at(act.t)
            if act.kind == "turn" and self._run.timed and act.begun is not None and t is not None:
                t = min(max(act.begun, act.begun if before is None else before), t)
            if act.kind in writers:
                writers[act.kind](act, t)
            else:
                kind = "compaction" if act.kind == "compaction" else "safety_event"
                self._do(kind, t, text=act.message, parent=self._calls.get(act.about))
        self._run.reports += [(self._id, child, report, t, None) for child, report, t in self._reports]
        last = next((act for act in reversed(self._thread_acts.acts) if act.kind != "report"), None)
        if self._id == self._run.team.root and last and last.kind == "finish" and not self._thread_acts.open:
            self._run.finished = True

    def _at(self, t: float | None) -> float | None:
        """Return the time of an act. Time does not run backwards in a thread."""
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
        over = any(report.status for _, report, _ in self._reports)
        type = "orchestrator_decision" if codes else "aggregate" if over else "model_call"
        decision = codes or (["O4"] if over else None)
        end = act.end if self._run.timed and t is not None and act.end is not None and act.end > t else None
        first = act.t if end is not None and act.t is not None and t is not None and act.t > t else None
        turn = self._do(
            type, t, t_end=end, t_first=first, text=act.message, decision=decision, tokens=act.usage, model=act.model
        )
        self._turn = turn
        self._run.turns[self._id].append((self._builder[turn].t, turn))
        self._run.reports += [(self._id, child, report, at, turn) for child, report, at in self._reports]
        self._reports = []
        for call in act.calls:
            self._call(call, turn, self._at(call.t))

    def _call(self, call: Call, turn: str, t: float | None) -> None:
        spawn_result = self._thread_acts.spawn_results.get(call.id or "", SpawnResult())
        names = (call.arguments.get(key) for key in ("id", "target", "agent_id", "task_name"))
        named = self._thread_acts.receivers.get(call.id or "") or next(filter(None, map(text, names)), None)
        receiver = self._run.thread_for(named)
        message = text(call.arguments.get("message")) or text(call.arguments.get("prompt"))
        if call.tool == SPAWNING and spawn_result.child and not spawn_result.failed:
            child = self._run.thread_for(spawn_result.child) or spawn_result.child
            if child not in self._run.spawns and child != self._run.team.root:
                event = self._run.spawn(self._id, child, t, spawn_result, message)
                if child not in self._run.team.threads:
                    self._builder.lost("sub-agents whose own rollout is missing")
                return self._skip_answer(call, turn, event)
        elif receiver and receiver != self._id and call.tool in (*MESSAGES, *DELEGATIONS):
            type = "message" if call.tool in MESSAGES else "delegate"
            event = self._do(type, t, to=self._run.agent(receiver), text=message)
            self._run.messages.append((event, receiver))
            return self._skip_answer(call, turn, event)
        elif receiver and receiver != self._id and call.tool == CLOSING:
            self._run.closings[receiver] = turn
            return self._skip_answer(call, turn, None)
        if call.tool == RESUMING and receiver:
            self._run.closings.pop(receiver, None)
        event = self._do("tool_call", t, tool=call.tool, parent=turn, waits_for=self._waits_for(call, t))
        self._builder.link(turn, event, "causal")
        if call.id:
            self._calls.setdefault(call.id, event)
        if call.ended:
            status = call.ended if call.ended != "ok" else None
            result = self._do("tool_result", t, parent=event, status=status)
            self._builder.link(event, result, "tool_dependency")
            self._results[call.id or event] = result
        return None

    def _waits_for(self, call: Call, t: float | None) -> str | None:
        """Return whom a call waits for, if it does nothing else; a command that sleeps waits for agents at work."""
        if asks(call.tool):
            return "people"
        if call.tool in FOR_AGENTS:
            return "agents"
        if t is None or not sleeps(call.arguments.get("cmd") or call.arguments.get("command")):
            return None
        own = [id for id, spawn in self._run.spawns.items() if self._builder[spawn].agent == self._run.agent(self._id)]
        lines = [line.t for id in own if id in self._run.team.threads for line in self._run.team.threads[id].lines[-1:]]
        return "agents" if any(last is not None and last > t for last in lines) else None

    def _skip_answer(self, call: Call, turn: str, event: str | None) -> None:
        """Register a call that the trace holds as another event; its result adds nothing."""
        if event:
            self._builder.link(turn, event, "causal")
        if call.id:
            self._silent.add(call.id)

    def _answer(self, act: Act, t: float | None) -> None:
        if act.about in self._silent:
            return
        call = self._calls.get(act.about)
        if call is None or act.about in self._results:
            self._builder.lost("results of missing or already answered calls")
            return
        failed = act.about in self._thread_acts.spawn_results and self._thread_acts.spawn_results[act.about].failed
        status = "rejected" if act.about in self._refused else "error" if failed else act.status
        result = self._do("tool_result", t, parent=call, text=act.message, status=status)
        self._results[act.about] = result
        self._builder.link(call, result, "tool_dependency")
        if act.about in self._approved:
            self._builder.link(self._approved[act.about], result, "causal")

    def _refuse(self, act: Act, t: float | None) -> None:
        """Write the rejection of a command by a person."""
        self._refused.add(act.about)
        event = self._builder.event("human_intervention", "user", t, to=self._run.agent(self._id), status="rejected")
        self._builder.link(self._calls.get(act.about), event, "causal")
        if act.about in self._results:
            self._builder.amend(self._results[act.about], status="rejected")
        self._waiting.append((event, "causal"))

    def _approve(self, act: Act, t: float | None) -> None:
        """Write the permission of a person to run a command."""
        event = self._builder.event("human_intervention", "user", t, to=self._run.agent(self._id))
        self._builder.link(self._calls.get(act.about), event, "causal")
        self._approved[act.about] = event

    def _prompt(self, act: Act, t: float | None) -> None:
        """Write a prompt: from a person to the root, and from the spawning or sending agent to the others."""
        first, self._prompted = not self._prompted, True
        if self._id != self._run.team.root:
            spawn = self._run.spawns.get(self._id)
            if first and spawn and self._builder[spawn].content_ref is None:
                self._builder.amend(spawn, **self._builder.content.fields(act.message))
            return
        kind, edge = ("message", "message") if first and not self._turn else ("human_intervention", "causal")
        event = self._builder.event(kind, "user", t, to="main", text=act.message)
        self._waiting.append((event, edge))

    def _receive_report(self, act: Act, t: float | None) -> None:
        child = self._run.thread_for(act.about)
        if child and child != self._id:
            self._reports.append((child, act, t if t is not None else float("inf")))

    def _end(self, act: Act, t: float | None) -> None:
        """End the work on one prompt: a sub-agent returns; a person may have stopped the root."""
        parent = self._run.team.threads[self._id].parent or self._run.team.root
        if self._id != self._run.team.root:
            status = None if act.kind == "finish" else "cancelled"
            returned = self._do("return", t, to=self._run.agent(parent), status=status, text=act.message)
            self._run.returns[self._id].append((self._builder[returned].t, returned))
        elif act.kind == "abortion" and act.status == "interrupted":
            event = self._builder.event("human_intervention", "user", t, to="main")
            if self._turn:
                self._builder.link(self._turn, event, "causal", derived=True)
            self._waiting.append((event, "causal"))
