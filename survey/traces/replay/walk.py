"""Event-by-event replay: the state of the team after each event, and the consistency checks."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from survey.traces.model import EXTERNAL_ACTS, OUTSIDE, Event, Graph, State, Tokens, first_agent
from survey.traces.problems import nearest, quoted
from survey.traces.replay.assignments import WORK, Assignments
from survey.traces.replay.parts import Parts

AFTER_THE_STOP = frozenset(
    {"stop", "despawn", "return", "tool_result", "safety_event", "compaction", "human_intervention"}
)
"""Event types allowed after a stop: results still in flight, and human interventions."""

ANSWERING = frozenset({"tool_dependency", "return"})
"""Edge types that say which call a result answers, whatever other edges lead to it."""


@dataclass
class Walk:
    """A replay in progress: iterate over its events; ``state()`` returns the current state at any point.

    >>> from survey.traces import Trace
    >>> from survey.traces.model.graph import graph
    >>> trace = Trace.of({"trace_id": "r", "task_id": "t", "rewards": {}, "costs": {"tokens": 0, "wall_clock_s": 1},
    ...     "events": [{"id": "e1", "t": 0, "type": "spawn", "agent": "lead", "to": "helper"},
    ...                {"id": "e2", "t": 1, "type": "return", "agent": "helper", "to": "lead"}],
    ...     "edges": [{"src": "e1", "dst": "e2", "type": "causal"}]})
    >>> walk = Walk(graph(trace))
    >>> for event in walk:
    ...     print(event.id, list(walk.state().tasks))
    e1 ['helper']
    e2 []
    """

    graph: Graph
    place: int = 0
    answers: dict[int, int] = field(default_factory=dict)
    """The place of each answered tool call, with the place of its result."""

    def __post_init__(self) -> None:
        trace, events = self.graph.trace, self.graph.events
        self.problems = self.graph.problems
        spawned: dict[str, str] = {}
        for event in map(events.__getitem__, self.graph.places_of("spawn")):
            if event.child:
                spawned.setdefault(event.child, event.id)
        self._open_team = not spawned
        self._root = first_agent(events)
        self._alive = {agent: "" for agent in [self._root, *trace.agents] if agent and agent not in spawned}
        self._names = {str(item["name"]) for item in trace.agents.values() if item.get("name")}
        self._spawned = spawned
        self._gone: dict[str, str] = {}
        self._tasks: dict[str, str] = {}
        self._assignments = Assignments(self.graph, self._names, self._warn_at)
        self._parts = Parts(self.graph, self._assignments, self._report_at)
        self._calls: dict[int, str] = {}
        self._queues: dict[tuple[str, str | None], deque[int]] = defaultdict(deque)
        self._queueing = False  # set by the first result that does not name its call; most traces have none
        self._flying: dict[int, str] = {}
        self._due: dict[int, list[int]] = {}
        self._halted: dict[str, str] = {}
        self._stopped = ""
        self._end = events[-1].t if events else 0.0
        self._spent = dict.fromkeys(("tokens", "usd", "tool_calls", "messages", "model_calls"), 0.0)
        self._reported: set[str] = set()
        self._handlers = {
            "spawn": self._spawn, "despawn": self._despawn, "delegate": self._delegate, "message": self._message,
            "model_call": self._turn, "tool_call": self._call, "tool_result": self._result, "return": self._return,
            "stop": self._stop, "human_intervention": self._reopen,
        }  # fmt: skip
        self._from_edges()

    def _from_edges(self) -> None:
        """Read from the edges which call a result answers and when a message is received."""
        is_result, is_call, is_message = map(self.graph.marks, ("tool_result", "tool_call", "message"))
        self._call_of: dict[int, int] = {}
        self._received: dict[int, int] = {}
        for source, target, type in self.graph.edges():
            if is_result[target] and is_call[source] and (type in ANSWERING or target not in self._call_of):
                self._call_of[target] = source
        if "message" in self.graph.types:
            for source, target, type in self.graph.edges():
                if type == "message" and is_message[source]:
                    self._received.setdefault(source, target)

    def __iter__(self) -> Iterator[Event]:
        alive, back, due, halted = self._alive, self._assignments.returned, self._due, self._halted
        handlers, spent = self._handlers, self._spent
        for event in islice(self.graph.events, self.place, None):
            agent, sender = event.agent, event.from_
            type, tokens = event.type, event.tokens_
            if agent not in alive:
                self._stranger(event, agent)
            if sender is not None and sender not in alive and sender != agent:
                self._stranger(event, sender)
            if event.parent is not None:
                self._parts.check(self.place, event, event.parent)
            if (halted or self._stopped) and type not in AFTER_THE_STOP:
                self._late(event)
            if back and agent in back and type in WORK:
                self._assignments.continued(self.place, event)
            if due:
                for message in due.pop(self.place, ()):
                    self._flying.pop(message, None)
            if tokens is not None:
                if isinstance(tokens, Tokens):
                    self._reasons(event, tokens)
                    tokens = tokens.total
                spent["tokens"] += tokens
            if event.cost is not None:
                spent["usd"] += event.cost
            if event.t_end is not None:
                self._ends(event, event.t_end)
            if type in handlers:
                handlers[type](event)
            self.place += 1
            yield event

    def run(self) -> None:
        """Walk to the end."""
        deque(self, maxlen=0)

    def state(self) -> State:
        """Return the current state of the team."""
        events = self.graph.events
        last = events[self.place - 1] if self.place else None
        return State(
            last.id if last else "",
            last.t if last else 0.0,
            dict(self._alive),
            dict(self._tasks),
            {events[place].id: agent for place, agent in self._calls.items()},
            {events[place].id: receiver for place, receiver in self._flying.items()},
            dict(self._spent),
            self._stopped,
        )

    def _ends(self, event: Event, end: float) -> None:
        if end < event.t:
            self._report("ends-early", event, f"ends at {end:g}, before it begins at {event.t:g}")
        elif end > self._end:
            self._end = end
        if event.t_first is not None and not event.t <= event.t_first <= event.end:
            text = f"has its first record at {event.t_first:g}, outside of its time from {event.t:g} to {event.end:g}"
            self._report("record-outside", event, text, warning=True)

    def _reasons(self, event: Event, tokens: Tokens) -> None:
        part, whole = tokens.reasoning or 0, tokens.output
        if whole is not None and part > whole:
            text = f"has {part:g} reasoning tokens, but only {whole:g} output tokens, which include them"
            self._report("tokens", event, text, warning=True)  # some providers count reasoning apart

    # who may act

    def _stranger(self, event: Event, agent: str) -> None:
        """Handle an act of an agent that is not on the team."""
        if agent in OUTSIDE or event.type in EXTERNAL_ACTS or (event.type == "spawn" and event.child == agent):
            return
        if agent in self._gone:
            if event.type != "despawn":  # reported by the despawn handler
                kind = "return-from-nobody" if event.type == "return" else "after-despawn"
                text = f"{quoted(agent)} acts, but was despawned by {quoted(self._gone[agent])}"
                self._report(kind, event, text, self._gone[agent])
        elif self._open_team:
            self._alive[agent] = ""
        elif agent in self._spawned:
            later = self._spawned[agent]
            if not self._at_one_time(event, later):
                text = f"{quoted(agent)} acts, but is spawned later, by {quoted(later)}"
                self._report("before-spawn", event, text, later)
        elif agent not in self._reported:
            self._reported.add(agent)
            kind = "return-from-nobody" if event.type == "return" else "never-spawned"
            known = [*self._alive, *self._spawned]
            self._report(kind, event, lambda: f"{quoted(agent)} acts, but was never spawned{nearest(agent, known)}")

    def _late(self, event: Event) -> None:
        agent = event.agent
        stop = self._stopped or self._halted.get(agent, "")
        if not stop or (agent in OUTSIDE and self._reopen(event)):
            return
        if event.type == "message" and not self._stopped:
            return  # a stopped agent may still report it
        self._report("work-after-stop", event, f"{quoted(agent)} continues although {quoted(stop)} stopped it", stop)

    def _reopen(self, event: Event) -> bool:
        self._stopped = ""
        self._assignments.returned.clear()
        self._halted.clear()
        return True

    def _reachable(self, event: Event, kind: str, verb: str) -> bool:
        """Return whether the target of an event is on the team; report it if not."""
        to = event.to
        if to is None or to in self._alive or to in OUTSIDE or to in self._names:
            return True
        if to in self._gone:
            text = f"{verb} {quoted(to)}, who was despawned by {quoted(self._gone[to])}"
            self._report(kind, event, text, self._gone[to])
        elif self._open_team:
            self._alive[to] = ""
            return True
        elif to in self._spawned:
            later = self._spawned[to]
            if self._at_one_time(event, later):
                return True
            self._report(kind, event, f"{verb} {quoted(to)}, who is spawned later, by {quoted(later)}", later)
        else:
            team = list(self._alive)
            self._report(kind, event, lambda: f"{verb} {quoted(to)}, who is not on the team{nearest(to, team)}")
        return False

    def _at_one_time(self, event: Event, other: str) -> bool:
        """Return whether two events have the same time, so that either may have come first."""
        return self.graph.events[self.graph.places[other]].t == event.t

    # what each act does

    def _spawn(self, event: Event) -> None:
        child = event.child
        if child is None:
            self._report(
                "spawn-of-nobody", event, 'spawns, but does not name an agent (expected the new agent in "to")'
            )
        elif child == event.sender:
            self._report("spawns-itself", event, f"{quoted(child)} spawns itself")
        elif self._alive.get(child):
            self._report(
                "spawned-twice",
                event,
                f"spawns {quoted(child)}, who was already spawned by {quoted(self._alive[child])}",
                self._alive[child],
            )
        else:
            self._alive[child] = self._tasks[child] = event.id
            self._assignments.give(event.sender, child, new=True)
            self._gone.pop(child, None)
            self._halted.pop(child, None)

    def _despawn(self, event: Event) -> None:
        agent = event.to or event.agent
        if agent in self._gone and agent not in self._alive:
            self._report(
                "despawned-twice",
                event,
                f"{quoted(agent)} was already despawned by {quoted(self._gone[agent])}",
                self._gone[agent],
            )
            return
        if agent not in self._alive and event.to:
            self._reachable(event, "despawn-of-nobody", "despawns")
        self._alive.pop(agent, None)
        self._tasks.pop(agent, None)
        self._assignments.returned.pop(agent, None)
        self._gone[agent] = event.id

    def _delegate(self, event: Event) -> None:
        if event.to is None:
            self._report("delegate-to-nobody", event, 'delegates work, but does not name a receiver (expected "to")')
        elif self._reachable(event, "delegate-to-nobody", "delegates to"):
            self._tasks[event.to] = event.id
            self._halted.pop(event.to, None)
            self._assignments.give(event.sender, event.to)
            self._check_addressee(event)

    def _message(self, event: Event) -> None:
        to, delivered = event.to, event.delivered
        if to not in OUTSIDE and event.sender not in OUTSIDE:
            self._spent["messages"] += 1
        if to is None:
            self._report(
                "message-without-receiver", event, 'does not say who receives it (expected "to")', warning=True
            )
            self._assignments.returned.clear()  # anyone may have received it
            return
        if to not in self._alive and not self._reachable(event, "message-to-nobody", "is sent to"):
            return
        self._assignments.ask(to, to in self._alive and to not in self._names)
        if to in (event.agent, event.from_):
            self._check_addressee(event)
        arrival = self._received.get(self.place)
        if delivered is not None and delivered is not False:
            if delivered < event.t:
                self._report("delivered-early", event, f"arrives at {delivered:g}, before it is sent at {event.t:g}")
            arrival = self._first_at(delivered)
        if delivered is False or (arrival is not None and arrival > self.place):
            self._flying[self.place] = to
            if arrival is not None and delivered is not False:
                self._due.setdefault(arrival, []).append(self.place)

    def _check_addressee(self, event: Event) -> None:
        """Report a message to oneself. A protocol may need one: in a real team, agents assign themselves tasks."""
        if event.to == event.sender and not (event.other or {}).get("protocol"):
            self._report("sent-to-itself", event, f"{quoted(event.sender)} addresses itself", warning=True)

    def _first_at(self, time: float) -> int:
        """Return the place of the first event at or after a time."""
        events, low, high = self.graph.events, self.place, len(self.graph.events)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if events[middle].t < time else (low, middle)
        return low

    def _turn(self, event: Event) -> None:
        self._spent["model_calls"] += 1

    def _call(self, event: Event) -> None:
        self._spent["tool_calls"] += 1
        self._calls[self.place] = event.agent
        if self._queueing:
            self._queue(self.place)

    def _queue(self, call: int) -> None:
        event = self.graph.events[call]
        for caller in (event.agent, ""):
            self._queues[caller, event.tool].append(call)

    def _result(self, event: Event) -> None:
        call = self._call_of.get(self.place) if event.parent is None else None
        if call is None:
            call = self._its_call(event)
        if call is None:
            self._report("result-without-call", event, "has no matching call")
        elif call in self.answers:
            first = self.graph.events[self.answers[call]].id
            self._report(
                "second-result",
                event,
                f"is a second result of {quoted(self.graph.events[call].id)}; the first is {quoted(first)}",
                first,
            )
        else:
            self._calls.pop(call, None)
            self.answers[call] = self.place
            called = self.graph.events[call]
            if event.tool != called.tool or event.agent != called.agent:
                self._check_answer(event, called)

    def _check_answer(self, event: Event, call: Event) -> None:
        """Report a result of another tool or by another agent than its call."""
        if event.tool != call.tool and event.tool and call.tool:
            text = f"is a result of the tool {quoted(event.tool)}, but {quoted(call.id)} calls {quoted(call.tool)}"
            self._report("result-of-other-call", event, text, call.id, warning=True)
        agents = (call.agent, call.sender, call.to, call.tool)
        if event.agent not in agents and event.to not in agents[:2] and event.agent in self._alive:
            text = f"is a result for {quoted(event.agent)}, but {quoted(call.id)} is a call of {quoted(call.agent)}"
            self._report("result-of-other-call", event, text, call.id, warning=True)

    def _its_call(self, event: Event) -> int | None:
        parent = self.graph.places.get(event.parent) if event.parent else None
        if parent is not None and parent < self.place and self.graph.events[parent].type == "tool_call":
            return parent
        if (call := self._call_of.get(self.place)) is not None:
            return call
        # a result that names no call answers the agent's oldest open call of that tool, since calls are mostly
        # answered in order; if the tool itself is the agent, the oldest open call of any agent
        if not self._queueing:
            self._queueing = True
            for call in self._calls:
                self._queue(call)
        queue = self._queues["" if event.agent == event.tool else event.agent, event.tool]
        while queue and queue[0] not in self._calls:
            queue.popleft()
        return queue[0] if queue else None

    def _return(self, event: Event) -> None:
        task = self._tasks.pop(event.sender, None)
        known = self._reachable(event, "return-to-nobody", "returns to")
        self._assignments.take_back(self.place, event, task if known else None)

    def _stop(self, event: Event) -> None:
        target = event.to or ("" if event.agent == self._root else event.agent)
        if target:
            self._halted[target] = event.id
            self._tasks.pop(target, None)
        else:
            self._stopped = event.id

    def _report(
        self, kind: str, event: Event, text: str | Callable[[], str], other: str = "", warning: bool = False
    ) -> None:
        self._report_at(self.place, kind, text, other, warning=warning)

    def _report_at(
        self, place: int, kind: str, text: str | Callable[[], str], other: str = "", *, warning: bool = False
    ) -> None:
        event = self.graph.events[place]

        def words() -> str:
            return f"{quoted(event.id)} ({event.type}): {text if isinstance(text, str) else text()}"

        pointer = f"/events/{self.graph.positions[place]}"
        events = (event.id, other) if other else (event.id,)
        self.problems.add(kind, words, pointer=pointer, events=events, warning=warning)

    def _warn_at(self, place: int, kind: str, text: str, other: str) -> None:
        self._report_at(place, kind, text, other, warning=True)

    def finish(self) -> None:
        """Walk to the end, and report calls without results."""
        self.run()
        for place, agent in self._calls.items():
            self._warn_at(place, "call-without-result", f"{quoted(agent)} never gets a result", "")
        if not self._stopped:
            self._assignments.report_open(self._tasks, self._calls.values())
        self._report_unlisted()
        self._parts.report_cycles()

    def _report_unlisted(self) -> None:
        """Report agents missing from the list of agents. A trace without ``schema_version`` may list only some."""
        listed, events = self.graph.trace.agents, self.graph.events
        if not listed or "schema_version" not in self.graph.trace.head:
            return
        for agent in sorted(set(self.graph.agents) - listed.keys() - OUTSIDE):
            acts = (place for place, name in enumerate(self.graph.agents) if name == agent)
            first = next((place for place in acts if events[place].type not in EXTERNAL_ACTS), None)
            if first is not None:
                self._warn_at(first, "unlisted-agent", f"{quoted(agent)} acts, but is not in the list of agents", "")

    @property
    def end(self) -> float:
        """The latest end time of the events so far."""
        return self._end
