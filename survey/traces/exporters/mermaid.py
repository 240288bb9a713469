"""Export to a Mermaid sequence diagram."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from survey.traces.exporters.members import Member, members
from survey.traces.model import Event, Trace
from survey.traces.replay import TURNS, Replay, replay, timeline

__all__ = ["mermaid"]

LONGEST = 48
"""The maximum number of characters of a name or content in a diagram."""

PLAIN = frozenset(" .,_-/()×…")
"""Characters that need no escape in a diagram, besides letters and digits."""


def mermaid(trace: Trace, most: int = 200) -> str:
    """Return the diagram as text: spawns, tasks, messages and returns between agents, in causal order.

    One note summarises what an agent does alone between two arrows (turns, tool calls). After ``most`` arrows
    and notes the diagram ends with a note that counts the events left out.

    >>> event = {"id": "e1", "t": 0, "type": "message", "agent": "ann", "to": "bob"}
    >>> print(mermaid(Trace([Event.of(event)], [], {"trace_id": "r", "task_id": "t"})), end="")
    sequenceDiagram
        accTitle: Run r of task t
        participant p1 as ann
        participant p2 as bob
        p1-)p2: message
    """
    replayed = replay(trace)
    diagram = _Diagram(members(replayed, timeline(replayed)), max(most, 1))
    diagram.draw(replayed)
    title = f"accTitle: Run {_text(trace.id)} of task {_text(trace.task)}"
    return "\n    ".join(["sequenceDiagram", title, *diagram.statements()]) + "\n"


class _Diagram:
    """A builder of diagrams: participants, and lines of one or two statements each."""

    def __init__(self, team: Mapping[str, Member], most: int) -> None:
        self._team, self._most = team, most
        self._names: dict[str, str] = {}
        """The name of each agent in the diagram; an agent that is spawned again after its end gets a new one."""
        self._top: dict[str, str] = {}
        """The declarations of participants that no spawn creates."""
        self._lines: list[list[str]] = []
        self._last: dict[str, list[str]] = {}
        """The last line about each participant."""
        self._gone: set[str] = set()
        self._alone: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
        """What each agent has done alone since its last line, and whether it failed."""
        self._waiting: Counter[str] = Counter()
        """How many events these acts represent."""
        self._participants = self._drawn = 0

    def draw(self, replayed: Replay) -> None:
        """Draw events until the limit is reached."""
        events = replayed.graph.events
        calls = {result: call for call, result in replayed.answers.items()}
        for place, event in enumerate(events):
            if len(self._lines) >= self._most:
                break
            answer = replayed.answers.get(place)
            if place in calls:
                self._waiting[events[calls[place]].agent] += 1
            else:
                self._event(event, event.status if answer is None else events[answer].status)
        for agent in list(self._alone):
            if len(self._lines) < self._most or agent in self._names:
                self._flush(agent)
        # results whose calls are already drawn
        self._drawn += sum(count for agent, count in self._waiting.items() if agent not in self._alone)
        if left := len(events) - self._drawn:
            ends = list(dict.fromkeys([next(iter(self._names.values())), next(reversed(self._names.values()))]))
            self._lines.append([f"Note over {','.join(ends)}: {left} of {len(events)} events are left out"])

    def statements(self) -> list[str]:
        """Return the statements of the diagram in order."""
        return [*self._top.values(), *(statement for line in self._lines for statement in line)]

    def _event(self, event: Event, status: str) -> None:
        label = event.type.replace("_", " ")
        how = "" if status == "ok" else f" ({status})"
        to = event.child if event.type == "spawn" else event.to
        if event.type == "despawn":
            self._despawn(event)
        elif to is None or event.type in TURNS or event.type in ("tool_call", "tool_result", "compaction"):
            tool = _text(event.tool or label) if event.type == "tool_call" else label
            self._does(event.agent, "turn" if event.type in TURNS else tool, status != "ok")
        elif event.type == "spawn":
            role = f" as {_text(event.role)}" if event.role and event.role != self._member(to).name else ""
            self._arrow(event, "->>", to, f"spawn{role}{how}", spawns=True)
        elif event.type == "message" and event.delivered is False:
            self._arrow(event, "-x", to, f"{label}{how}, never delivered")
        elif event.type == "message":
            self._arrow(event, "-)", to, f"{'handoff' if event.transfer else label}{how}")
        else:
            self._arrow(event, {"return": "-->>", "stop": "-x"}.get(event.type, "->>"), to, f"{label}{how}")

    def _does(self, agent: str, what: str, failed: bool = False) -> None:
        self._alone[agent][what, failed] += 1
        self._waiting[agent] += 1

    def _arrow(self, event: Event, head: str, to: str, text: str, spawns: bool = False) -> None:
        source = event.sender
        self._flush(source)
        self._flush(to)
        start = self._named(source)
        line = [f"create {self._declared(to)}"] if spawns and self._begins(to) else []
        content = f": {_text(event.content)}".replace(":", "#58;") if event.content else ""
        self._line([*line, f"{start}{head}{self._named(to)}: {text}{content}"], start, self._named(to))
        self._drawn += 1

    def _begins(self, agent: str) -> bool:
        return agent not in self._names or self._names[agent] in self._gone

    def _despawn(self, event: Event) -> None:
        """End the lifeline of an agent at its last arrow, unless that is a spawn or the agent acted since."""
        agent = event.to or event.agent
        self._flush(agent)
        name = self._names.get(agent, "")
        last = self._last.get(name, [])
        if name not in self._gone and len(last) == 1 and not last[0].startswith("Note"):
            last.insert(0, f"destroy {name}")
            self._drawn += 1
        else:
            self._does(agent, "despawn")
        self._gone.add(name)

    def _flush(self, agent: str) -> None:
        """Write a note on what an agent has done alone."""
        if done := self._alone.pop(agent, None):
            name = self._named(agent)
            acts = [
                _counted(what, done[what, False], done[what, True]) for what in dict.fromkeys(what for what, _ in done)
            ]
            self._line([f"Note over {name}: {', '.join(acts)}"], name)
            self._drawn += self._waiting.pop(agent)

    def _line(self, statements: list[str], *about: str) -> None:
        self._lines.append(statements)
        self._last.update(dict.fromkeys(about, statements))

    def _named(self, agent: str) -> str:
        if agent not in self._names:
            declaration = self._declared(agent)
            self._top[self._names[agent]] = declaration
        return self._names[agent]

    def _declared(self, agent: str) -> str:
        """Return the declaration of a new participant."""
        self._participants += 1
        self._names[agent] = f"p{self._participants}"
        name = "" if agent.startswith(self._member(agent).name) else f"{_text(self._member(agent).name)}<br/>"
        kind = "actor" if agent == "user" else "participant"
        return f"{kind} {self._names[agent]} as {name}{_text(agent)}"

    def _member(self, agent: str) -> Member:
        return self._team.get(agent, Member(agent))


def _counted(what: str, well: int, failed: int) -> str:
    """Return an act with its count and its failures.

    >>> _counted("search", 2, 1), _counted("turn", 1, 0)
    ('search ×3 (1 failed)', 'turn')
    """
    return what + (f" ×{well + failed}" if well + failed > 1 else "") + (f" ({failed} failed)" if failed else "")


def _text(text: str) -> str:
    """Escape a text for Mermaid, on one line: special characters become character codes.

    >>> _text("end; #1"), _text("x" * 60) == "x" * 47 + "…"
    ('end#59; #35;1', True)
    """
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    short = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
    # Mermaid's parser marks character codes internally with "ﬂ"
    return "".join(c if (c.isalnum() and c != "ﬂ") or c in PLAIN else f"#{ord(c)};" for c in short) or "?"
