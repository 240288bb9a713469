"""The spans of one run as a tree, with their times and kinds."""

from __future__ import annotations

from collections import Counter, defaultdict

from survey.traces.importers.spans import conventions
from survey.traces.importers.spans.graphs import Graphs
from survey.traces.importers.spans.span import Span

Times = dict[Span, tuple[float, float | None]]


CLOCKS = 0.5
"""Seconds by which an agent may seem to outlast the call around it only because their clocks differ."""

FIRST_STEP = 1.0
"""The start of a trace without a date, as our own exporter writes it; 0 means "not set" in OTLP."""


class Tree:
    """Spans with their kinds, corrected times and enclosing spans. Works on a broken tree as well."""

    def __init__(self, spans: list[Span]) -> None:
        self.lost: Counter[str] = Counter()
        self.orphans = 0
        """Spans whose parent is not in the log."""
        self.by_id: dict[str, Span] = {}
        for span in spans:
            self._take(span)
        self.roots = self._rooted()
        self.order = self._walk()
        self.origin = 0.0
        """The time from which an ordinal trace of our own exporter counts its steps."""
        self.time, self.times = self._settled()
        self.roots.sort(key=self.start)
        self.order = self._walk(by_time=True)
        self._places = {span: place for place, span in enumerate(self.order)}
        self._last = self._last_inside()
        self.kinds = {span: conventions.kind(span) for span in self.order}
        self.graphs = Graphs(self.order, self.kinds)
        self.planned: set[Span] = set()
        self._say_once()
        self._ranked = sorted(self.order, key=self.rank)
        self.called: dict[Span, list[Span]] = defaultdict(list)
        """The agents inside a tool call, in the order of their start."""
        for span in self.acts("agent"):
            if (around := self.tool(span)) is not None:
                self.called[around].append(span)
        self.lost["spans that repeat the act of another span"] = self._repeats
        self.lost["spans that are not acts of an agent"] = sum(not kind for kind in self.kinds.values()) - self._repeats

    def start(self, span: Span) -> float:
        """Return the corrected start."""
        return self.times[span][0]

    def end(self, span: Span) -> float | None:
        """Return the corrected end; None if there is none."""
        return self.times[span][1]

    def rank(self, span: Span) -> tuple[float, int]:
        """Return its position in time; a span comes after its parent."""
        return self.start(span), self._places[span]

    def contains(self, around: Span, span: Span) -> bool:
        """Return whether one span is inside another, at any depth."""
        return self._places[around] < self._places[span] <= self._last[around]

    def acts(self, *kinds: str) -> list[Span]:
        """Return the spans of some kinds, in the order of time."""
        return [span for span in self._ranked if self.kinds[span] in kinds]

    def agent(self, span: Span) -> Span | None:
        """Return the enclosing agent span."""
        return self._agents[span]

    def tool(self, span: Span) -> Span | None:
        """Return the enclosing tool call, if it belongs to the same agent."""
        return self._tools[span]

    def tokens_inside(self) -> dict[Span, float]:
        """Return, for each span, the tokens of all model calls inside it."""
        inside: dict[Span, float] = defaultdict(float)
        for span in reversed(self.order):
            if self.kinds[span] in ("model", "plan"):
                inside[span] += conventions.all_usage(span)
            if span.above is not None:
                inside[span.above] += inside[span]
        return inside

    def _take(self, span: Span) -> None:
        known = self.by_id.get(span.id)
        if known is None or known.end is None:
            self.by_id[span.id] = span
        self.lost["repeated spans"] += known is not None

    def _rooted(self) -> list[Span]:
        roots = []
        for span in sorted(self.by_id.values(), key=lambda span: span.order):
            span.above = self.by_id.get(span.parent) if span.parent else None
            self.orphans += span.parent is not None and span.above is None
            if span.above is None:
                roots.append(span)
            else:
                span.above.children.append(span)
        reached = set(self._below(roots))
        for span in self.by_id.values():
            if span not in reached and span.above is not None:  # on a cycle of parents, or below one
                self.lost["spans inside themselves"] += 1
                span.above.children.remove(span)
                span.above = None
                roots.append(span)
                reached.update(self._below([span]))
        return roots

    def _below(self, roots: list[Span]) -> list[Span]:
        found: list[Span] = []
        seen = set()
        waiting = [*reversed(roots)]
        while waiting:
            span = waiting.pop()
            if span not in seen:
                seen.add(span)
                found.append(span)
                waiting.extend(reversed(span.children))
        return found

    def _walk(self, by_time: bool = False) -> list[Span]:
        """Return all spans, each before its children."""
        if by_time:
            for span in self.order:
                span.children.sort(key=self.start)
        return self._below(self.roots)

    def _last_inside(self) -> dict[Span, int]:
        last: dict[Span, int] = {}
        for span in reversed(self.order):
            last[span] = max([self._places[span], *(last[child] for child in span.children)])
        return last

    def _settled(self) -> tuple[str, Times]:
        untimed = sum(span.start is None for span in self.order)
        if untimed == len(self.order):
            return "ordinal", self._numbered()
        recorded = self.order[0].resource.get("orchestration.time")
        recorded = recorded if recorded in ("ordinal", "mixed") else None
        time = recorded or ("mixed" if untimed else "seconds")
        times = self._timed()
        if time != "seconds":  # no absolute times: count from the start
            first = min(start for start, _ in times.values())
            first = self.origin = min(first, FIRST_STEP) if recorded else first
            times = {
                span: (start - first, None if end is None else end - first) for span, (start, end) in times.items()
            }
        return time, times

    def _numbered(self) -> Times:
        """Return positions as times: each span starts before its children and ends after them."""
        begun: dict[Span, float] = {}
        times: Times = {}
        count = 0.0
        waiting = [*reversed(self.roots)]
        while waiting:
            span = waiting.pop()
            if span in begun:
                times[span] = begun[span], count
            else:
                begun[span] = count
                waiting += [span, *reversed(span.children)]
            count += 1
        return times

    def _timed(self) -> Times:
        """Return the recorded times, corrected so that no span starts before its parent.

        Clocks of two processes may disagree: a span that starts too early is moved, with its contents, to the
        start of its parent, and an agent that ends too late, though it would fit, to the end of the call around it.
        """
        times: Times = {}
        shifts: dict[Span, float] = {}
        known = min(span.start for span in self.order if span.start is not None)
        latest: dict[Span | None, float] = {None: known}
        for span in self.order:
            shift = shifts.get(span.above, 0.0) if span.above else 0.0
            floor = times[span.above][0] if span.above else known
            start, end = span.start, span.end
            if start is None:
                self.lost["spans without a time, placed beside their neighbours"] += 1
                start = max(latest.get(span.above, floor), floor) - shift
                end = max(start, end) if end is not None else start
            if start + shift < floor:
                self.lost["spans that start before their parent, moved"] += 1
                shift = floor - start
            elif late := self._late(span, start + shift, end and end + shift, floor, times):
                self.lost["agents that end just after the call around them, moved"] += 1
                shift -= late
            shifts[span] = shift
            times[span] = start + shift, None if end is None else max(start, end) + shift
            latest[span.above] = max(latest.get(span.above, floor), times[span][1] or times[span][0])
        return times

    def _late(self, span: Span, start: float, end: float | None, floor: float, times: Times) -> float:
        """Return by how much an agent outlasts the tool call around it, if only because of a clock; else 0."""
        over = times[span.above][1] if span.above else None
        if over is None or end is None or not 0 < end - over <= min(CLOCKS, start - floor):
            return 0.0
        assert span.above is not None
        around = conventions.kind(span), conventions.kind(span.above)
        return end - over if around == ("agent", "tool") else 0.0

    def _say_once(self) -> None:
        """Keep one span of several for the same act."""
        self._repeats = 0
        self._nearest: dict[Span, Span | None] = {}
        for span in self.order:
            around = self._around(span)
            match self.kinds[span], around and self.kinds[around]:
                case "model", "model" | "plan":
                    assert around is not None
                    if self.kinds[around] == "plan":
                        self.planned.add(span)
                    self._drop(around)
                case "agent", "agent" if around is not None and conventions.same_agent(around, span):
                    self._drop(span)
                case "tool", "tool" if around is not None and conventions.tool(around) == conventions.tool(span):
                    self._drop(span)
        self._surround()
        busy = {self._agents[span] for span in self.order if self.kinds[span] in ("model", "plan", "tool")}
        leading = {self._agents[span] for span in self.order if self.kinds[span] == "agent"}
        for span in self.order:
            if self.kinds[span] == "agent" and not conventions.names_an_agent(span) and span in leading - busy:
                self.kinds[span] = "workflow"  # the run of a program around agents, such as "Agent workflow"
        self._surround()

    def _drop(self, span: Span) -> None:
        self.kinds[span] = ""
        self._repeats += 1

    def _around(self, span: Span) -> Span | None:
        """Return the nearest enclosing span with a meaning, of those processed so far."""
        above = span.above
        near = (
            None
            if above is None
            else above
            if self.kinds[above] not in ("", "workflow", "reward")
            else self._nearest[above]
        )
        self._nearest[span] = near
        return near

    def _surround(self) -> None:
        self._agents: dict[Span, Span | None] = {}
        self._tools: dict[Span, Span | None] = {}
        for span in self.order:
            above = span.above
            kind = self.kinds[above] if above else ""
            if above is None or kind == "agent":
                self._agents[span], self._tools[span] = above, None
            else:
                self._agents[span] = self._agents[above]
                self._tools[span] = above if kind in ("tool", "handoff") else self._tools[above]
