"""The timeline as shapes: lanes, work, waiting, lines between lanes, the critical path.

A drawing holds a few thousand shapes at most. Above that, only the longest slices have their own shape, with a
tooltip; all others of a lane are merged into one path, exact to a unit of the axis.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from survey.traces.exporters.report.formatting import duration, number, plural, short
from survey.traces.exporters.report.path import critical, kind_of, timed, tools_of, what
from survey.traces.exporters.report.scale import WIDTH, Scale, in_order, in_seconds, joined
from survey.traces.exporters.report.team import Member
from survey.traces.metrics import Run
from survey.traces.model import OUTSIDE
from survey.traces.replay import FOR_PEOPLE, TURNS

AXIS, STRIP, PEOPLE = 24, 40, 26
"""Heights of the axis, of the curve of busy agents, and of the row of people, in pixels."""

SLICES, WAITS, SIGNS, THREAD = 1600, 500, 500, 1500
"""The most shapes of each kind with their own tooltip."""

URGENT = ("failed", "labelled", "person", "guard", "arrival")
"""Signs by priority, for when there are too many."""

HAIR = 0.3
"""The least width of work on the critical path, in units of the axis."""

TICKING = (*sorted(TURNS), "tool_result")
"""Acts that are drawn even if they took no time."""

SPANNING = {
    "spawn": ("hands", "spawns"),
    "delegate": ("hands", "hands work to"),
    "return": ("returns", "returns to"),
    "message": ("messages", "writes to"),
}
"""Acts between two agents: how the line between their lanes is drawn, and what it means."""


@dataclass(frozen=True)
class Slice:
    """An interval in a lane, which may get its own shape."""

    lane: int
    left: float
    right: float
    kind: str
    title: str
    critical: bool = False
    place: int | None = None
    """The event that it shows; None for a gap in which nothing happened."""


@dataclass(frozen=True)
class Shape:
    """A rectangle with its details."""

    kind: str
    x: int
    y: float
    width: int
    height: float
    title: str


@dataclass(frozen=True)
class Sign:
    """A small mark at a point: x in percent, y in pixels."""

    kind: str
    x: float
    y: float
    title: str


@dataclass(frozen=True)
class Lane:
    """The row of an agent."""

    member: Member
    y: float


@dataclass(frozen=True)
class Drawing:
    """All parts of the SVG in the template."""

    scale: Scale
    lanes: Sequence[Lane]
    row: int
    people: float | None
    """The position of the row of people, if there is one."""
    others: bool
    """Whether that row holds participants other than people."""
    strip: float | None
    """The position of the curve of busy agents, if there is one."""
    most: int
    """The maximum number of busy agents."""
    height: int
    shapes: Sequence[Shape]
    paths: Mapping[str, str]
    """Paths by class, in the order in which they are drawn."""
    signs: Sequence[Sign]
    notes: Sequence[str]
    """Notes on what was merged or left out for lack of room."""
    top: int
    """Where the first lane begins."""
    bar: int
    """The height of work in a lane."""
    work: Sequence[Slice]
    """All work, also that without a shape of its own."""
    waits: Sequence[Slice]
    """All gaps between acts, likewise."""


def drawing(run: Run, team: Sequence[Member]) -> Drawing:
    """Lay out a run."""
    return Plan(run, team).draw()


class Plan:
    """A builder of layouts."""

    def __init__(self, run: Run, team: Sequence[Member]) -> None:
        self.run, self.team, self.timed = run, team, timed(run)
        self.row = 28 if len(team) <= 24 else 22 if len(team) <= 80 else 16
        self.lane_of = {member.id: index for index, member in enumerate(team)}
        self.scale = self._scale()
        outside = {actor for actor in run.timeline.actors if actor not in self.lane_of}
        people = any(event.type == "human_intervention" for event in run.events)
        self.others = bool(outside - {"user"})
        self.strip = float(AXIS) if self.timed and run.profile else None
        top = AXIS + (STRIP if self.strip is not None else 0)
        self.people = top + PEOPLE / 2 if outside or people else None
        self.top = top + (PEOPLE if self.people is not None else 0)
        self.height = self.top + self.row * len(team) + AXIS
        self.bar = round(self.row * 0.46)
        self.notes: list[str] = []
        self.tools = tools_of(run)
        self.on_path = {place for place, weight in critical(run) if weight > 0}

    def _scale(self) -> Scale:
        run = self.run
        if not self.timed:
            return in_order(len(run.events))
        first = min(min(run.timeline.starts), run.events[0].t)
        last = max(max(run.timeline.ends), run.replayed.end)
        return in_seconds(first, last, (stretch for own in run.timeline.busy.values() for stretch in own))

    def draw(self) -> Drawing:
        """Return the complete drawing."""
        shapes, paths = [], dict[str, str]()
        paths["hands"], paths["returns"], paths["messages"] = "", "", ""
        signs = [*self._connect(paths), *self._signs()]
        waits, work = list(self._waits()), list(self._work())
        for slices, most, noun in ((waits, WAITS, "wait"), (work, SLICES, "slice")):
            own, merged = self._shaped(slices, most, noun)
            shapes += own
            paths |= merged
        paths["thread"], paths["weight"] = self._thread()
        if self.strip is not None:
            paths["curve"] = self._curve()
        if len(signs) > SIGNS:
            signs.sort(key=lambda sign: URGENT.index(sign.kind))
            self.notes.append(f"only {SIGNS} of {number(len(signs))} signs are drawn, failures first")
            signs = signs[:SIGNS]
        lanes = [Lane(member, self._y(index)) for index, member in enumerate(self.team)]
        most = max((level for level in self.run.profile), default=0) if self.strip is not None else 0
        return Drawing(
            self.scale, lanes, self.row, self.people, self.others, self.strip, most, self.height, shapes,
            {name: path for name, path in paths.items() if path}, signs, self.notes, self.top, self.bar, work, waits,
        )  # fmt: skip

    def _y(self, lane: int) -> float:
        """Return the middle of a lane."""
        return self.top + self.row * (lane + 0.5)

    def _middle(self, agent: str | None) -> float | None:
        """Return the middle of an agent's lane; participants outside the team share one."""
        lane = self.lane_of.get(agent or "")
        return self._y(lane) if lane is not None else self.people

    def _moment(self, place: int) -> float:
        """Return the position of an event on the axis."""
        return self.scale(self.run.events[place].t if self.timed else place + 0.5)

    # work and waiting

    def _work(self) -> Iterator[Slice]:
        run, timeline = self.run, self.run.timeline
        for place, event in enumerate(run.events):
            lane = self.lane_of.get(timeline.actors[place])
            if lane is None:
                continue
            start, end = float(place), place + 1.0
            if self.timed:
                start, end = timeline.starts[place], max(event.end, timeline.starts[place])
            if timeline.silent[place] and self.timed and end > start:
                continue  # drawn as a wait
            if end > start or event.type in TICKING:
                kind = kind_of(event)
                title = self._title(place, end - start)
                yield Slice(lane, self.scale(start), self.scale(end), kind, title, place in self.on_path, place)

    def _title(self, place: int, seconds: float) -> str:
        event, actor = self.run.events[place], self.run.timeline.actors[place]
        parts = [short(what(event, self.tools.get(place)))]
        if self.timed:
            parts += [duration(seconds), f"until {duration(event.end - self.run.events[0].t)}"]
        if self.run.tokens[place]:
            parts.append(plural(self.run.tokens[place], "token"))
        if event.status != "ok":
            parts.append(event.status)
        if event.decision:
            parts.append(", ".join(event.decision))
        if place in self.on_path:
            parts.append("on the critical path")
        return f"{short(actor)}: {', '.join(parts)} ({short(event.id, 40)})"

    def _waits(self) -> Iterator[Slice]:
        """Yield the gaps between acts of an agent: it waited for an agent, a person or a permission, or idled."""
        if not self.timed:
            return
        run, timeline = self.run, self.run.timeline
        graph, free, edge = run.replayed.graph, dict[str, float](), 0
        for place, actor in enumerate(timeline.actors):
            began = actor in free
            until = free.get(actor, -1.0)
            ready, binding = until, -1
            while edge < len(graph.targets) and graph.targets[edge] == place:
                if timeline.ends[graph.sources[edge]] > ready:
                    ready, binding = timeline.ends[graph.sources[edge]], graph.sources[edge]
                edge += 1
            lane, start, end = self.lane_of.get(actor), timeline.starts[place], timeline.ends[place]
            free[actor] = max(until, end)
            if began and lane is not None and timeline.silent[place] and end > start:
                kind, whom = (
                    ("asked", "a person") if timeline.silent[place] == FOR_PEOPLE else ("waiting", "its agents")
                )
                title = f"{short(actor)}: waits for {whom}, {duration(end - start)}"
                yield Slice(lane, self.scale(start), self.scale(end), kind, title, place=place)
            if not began or lane is None or start <= until:
                continue
            ready = min(max(ready, until), start)
            if ready > until:
                other = timeline.actors[binding]
                kind, whom = ("asked", "a person") if other in OUTSIDE else ("waiting", short(other))
                if binding in timeline.permitting:
                    kind, whom = "permission", "a permission"
                title = f"{short(actor)}: waits for {whom}, {duration(ready - until)}"
                yield Slice(lane, self.scale(until), self.scale(ready), kind, title)
            if start > ready:
                title = f"{short(actor)}: idle, {duration(start - ready)}"
                yield Slice(lane, self.scale(ready), self.scale(start), "idle", title)
        for actor, (start, end) in timeline.unreturned.items():
            if (lane := self.lane_of.get(actor)) is not None:
                title = f"{short(actor)}: waits for an agent that does not return, {duration(end - start)}"
                yield Slice(lane, self.scale(start), self.scale(end), "waiting", title)

    def _shaped(self, slices: list[Slice], most: int, noun: str) -> tuple[list[Shape], dict[str, str]]:
        """Return shapes for the longest slices, and merged paths for the rest."""
        longest = set(range(len(slices)))
        if len(slices) > most:
            by_length = sorted(longest, key=lambda n: (slices[n].left - slices[n].right, n))
            longest = set(by_length[:most])
            fewer = f"{plural(len(slices) - most, f'short {noun}')} of {number(len(slices))}"
            self.notes.append(f"{fewer} are drawn without details")
        shapes, rest = [], defaultdict[tuple[str, int], list[tuple[int, int]]](list)
        for index, slice in enumerate(slices):
            left, right = round(slice.left), round(slice.right)
            width = max(right - left, 20 if noun == "slice" and self.timed else 1)
            if index in longest:
                y, height = self._band(slice.kind, slice.lane)
                kind = f"{slice.kind} critical" if slice.critical else slice.kind
                shapes.append(Shape(kind, min(left, WIDTH - width), y, width, height, slice.title))
            else:
                rest[slice.kind, slice.lane].append((left, left + width))
        paths = defaultdict[str, list[str]](list)
        for (kind, lane), spans in sorted(rest.items()):
            y, height = self._band(kind, lane)
            for start, end in joined(spans):
                paths[f"{kind} merged"].append(f"M{start} {y:g}h{end - start}v{height:g}h{start - end}z")
        return shapes, {name: "".join(parts) for name, parts in paths.items()}

    def _band(self, kind: str, lane: int) -> tuple[float, float]:
        """Return the top and height of a slice: work fills the bar, waiting is a line along its middle."""
        height = {"waiting": 4, "asked": 2, "permission": 4, "idle": 1}.get(kind, self.bar)
        return self._y(lane) - height / 2, height

    # lines between lanes

    def _connect(self, paths: dict[str, str]) -> Iterator[Sign]:
        """Add lines between lanes to ``paths``, and yield a dot at the end of each."""
        graph = self.run.replayed.graph
        received = {source: target for source, target, type in reversed(list(graph.edges())) if type == "message"}
        lines = defaultdict[str, list[str]](list)
        for place, event in enumerate(self.run.events):
            name, verb = SPANNING.get(event.type, (None, ""))
            from_, to = self._middle(event.sender), self._middle(event.to)
            if name is None or event.to is None or from_ is None or to is None or from_ == to:
                continue
            left = right = self._moment(place)
            if event.type == "message" and place in received:
                right = max(left, self._moment(received[place]))
            if event.type == "message" and self.timed and event.delivered:
                right = max(left, self.scale(event.delivered))
            lines[name].append(f"M{_fine(left)} {from_:g}L{_fine(right)} {to:g}")
            if from_ != to:
                yield Sign("arrival", _percent(right), to, f"{short(event.sender)} {verb} {short(event.to)}")
        paths |= {name: "".join(parts) for name, parts in lines.items()}

    def _signs(self) -> Iterator[Sign]:
        """Yield signs for human interventions, safety events, failures and judgements."""
        judged = {str(label.get("event")): str(label.get("label")) for label in self.run.replayed.trace.labels}
        root = self.team[0].id if self.team else ""
        for place, event in enumerate(self.run.events):
            actor, x = self.run.timeline.actors[place], _percent(self._moment(place))
            y = self._middle(actor)
            at = f" at {duration(event.t - self.run.events[0].t)}" if self.timed else ""
            if event.type == "human_intervention" and self.people is not None:
                whom = event.to if event.to in self.lane_of else root
                yield Sign("person", x, self.people, f"{short(event.sender)} intervenes{at}, to {short(whom)}")
            if y is None:
                continue
            if event.type == "safety_event":
                yield Sign("guard", x, y, f"{short(actor)}: safety event{at}")
            if event.status != "ok":
                title = short(what(event, self.tools.get(place)))
                yield Sign("failed", x, y, f"{short(actor)}: {title}, {event.status}{at}")
            if event.id in judged:
                title = f"judged {short(judged[event.id])} ({short(event.id, 40)})"
                yield Sign("labelled", x, y, f"{short(actor)}: {title}")

    # the critical path

    def _thread(self) -> tuple[str, str]:
        """Return the path as one thin line through the lanes, and the work on it."""
        points: list[tuple[float, float]] = []
        stretches = defaultdict[float, list[tuple[float, float]]](list)
        below = self.bar / 2 + 3
        for place, weight in critical(self.run):
            middle = self._middle(self.run.timeline.actors[place])
            if middle is None:
                continue
            y = middle + below
            end = self.run.timeline.starts[place] + weight if self.timed else place + 1.0
            start = end - weight if self.timed else float(place)
            left, right = round(self.scale(start), 2), round(self.scale(end), 2)
            if points and points[-1][1] != y:
                points.append((points[-1][0], y))  # hands over, then waits
            points += [(left, y), (right, y)]
            if weight > 0:
                stretches[y].append((left, max(right, left + HAIR)))
        line = _thinned(points)
        thin = "".join(f"{'L' if index else 'M'}{_fine(x)} {y:g}" for index, (x, y) in enumerate(line))
        rows = sorted(stretches.items())
        return thin, "".join(
            f"M{_fine(left)} {y:g}H{_fine(right)}" for y, spans in rows for left, right in joined(spans)
        )

    # the number of busy agents

    def _curve(self) -> str:
        """Return the number of busy agents over time as an area: the maximum of each column."""
        base, room = AXIS + STRIP - 4.0, STRIP - 12.0
        changes: Counter[float] = Counter()
        many = sum(map(len, self.run.timeline.busy.values())) > THREAD
        grain = 10.0 if many else 0.1
        for own in self.run.timeline.busy.values():
            for start, end in own:
                left, right = (round(self.scale(bound) / grain) * grain for bound in (start, end))
                changes[left] += 1
                changes[max(right, left + grain)] -= 1
        level, most, parts = 0, max(max(self.run.profile), 1), []
        levels = []
        for x in sorted(changes):
            if changes[x]:
                level += changes[x]
                levels.append((x, level))
        highest = max((level for _, level in levels), default=1)
        for x, level in levels:
            parts.append(f"H{_fine(x)}V{base - room * min(level, highest) / max(highest, most):.1f}")
        return f"M0 {base:g}{''.join(parts)}V{base:g}z" if parts else ""


def _percent(x: float) -> float:
    return round(100 * x / WIDTH, 5)


def _fine(x: float) -> str:
    """Write a position, exact enough for the closest view of the explorer."""
    return f"{x:.2f}".rstrip("0").rstrip(".")


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Remove redundant points of a line; if too many remain, keep the extremes of each column."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1 and kept[-1][1] == kept[-2][1] == point[1] and kept[-2][0] <= kept[-1][0] <= point[0]:
            kept[-1] = point
        else:
            kept.append(point)
    if len(kept) <= THREAD:
        return kept
    column = WIDTH / THREAD * 4
    columns = defaultdict[int, list[tuple[float, float]]](list)
    for point in kept:
        columns[int(point[0] / column)].append(point)
    thinned = []
    for own in columns.values():
        thinned += sorted({own[0], min(own, key=lambda p: p[1]), max(own, key=lambda p: p[1]), own[-1]})
    return thinned
