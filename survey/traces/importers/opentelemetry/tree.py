"""The spans of one run as a tree: what is inside what, when, and of what kind."""

from __future__ import annotations

from collections import Counter, defaultdict

from survey.traces.importers.opentelemetry import conventions as said
from survey.traces.importers.opentelemetry.spans import Span

Times = dict[Span, tuple[float, float | None]]


FIRST_STEP = 1.0
"""Where our own exporter puts the beginning of a trace without a date; 0 means "not set" in OTLP."""


class Tree:
    """Spans with their kinds, settled times and surroundings. Works on a broken tree as well."""

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
        """The instant from which an ordinal trace of our own exporter counts its steps."""
        self.time, self.times = self._settled()
        self.roots.sort(key=self.start)
        self.order = self._walk(by_time=True)
        self._places = {span: place for place, span in enumerate(self.order)}
        self._last = self._last_inside()
        self.kinds = {span: said.kind(span) for span in self.order}
        self.planned: set[Span] = set()
        self._say_once()
        self._ranked = sorted(self.order, key=self.rank)
        self.called: dict[Span, list[Span]] = defaultdict(list)
        """The agents that a tool call contains, in the order of their start."""
        for span in self.acts("agent"):
            if (around := self.tool(span)) is not None:
                self.called[around].append(span)
        self.lost["spans that tell of an act that another tells of, too"] = self._repeats
        self.lost["spans that are no act of an agent"] = sum(not kind for kind in self.kinds.values()) - self._repeats

    def start(self, span: Span) -> float:
        """When it began, as settled."""
        return self.times[span][0]

    def end(self, span: Span) -> float | None:
        """When it ended; None if it never did."""
        return self.times[span][1]

    def rank(self, span: Span) -> tuple[float, int]:
        """Its place in time; what is inside comes after what is around it."""
        return self.start(span), self._places[span]

    def contains(self, around: Span, span: Span) -> bool:
        """Whether one span is inside another, at any depth."""
        return self._places[around] < self._places[span] <= self._last[around]

    def acts(self, *kinds: str) -> list[Span]:
        """Spans of some kinds, in the order of time."""
        return [span for span in self._ranked if self.kinds[span] in kinds]

    def agent(self, span: Span) -> Span | None:
        """The agent span around it."""
        return self._agents[span]

    def tool(self, span: Span) -> Span | None:
        """The tool call around it, if that is of the same agent."""
        return self._tools[span]

    def tokens_inside(self) -> dict[Span, float]:
        """For each span, the tokens of all model calls inside it."""
        inside: dict[Span, float] = defaultdict(float)
        for span in reversed(self.order):
            if self.kinds[span] in ("model", "plan"):
                inside[span] += said.all_usage(span)
            if span.above is not None:
                inside[span.above] += inside[span]
        return inside

    def _take(self, span: Span) -> None:
        known = self.by_id.get(span.id)
        if known is None or known.end is None:
            self.by_id[span.id] = span
        self.lost["spans that are there twice"] += known is not None

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
            if span not in reached and span.above is not None:  # on a circle of parents, or below one
                self.lost["spans that are inside themselves"] += 1
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
        """All spans, each before those inside it."""
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
        told = self.order[0].resource.get("orchestration.time")
        told = told if told in ("ordinal", "mixed") else None
        time = told or ("mixed" if untimed else "seconds")
        times = self._timed()
        if time != "seconds":  # no clock that anybody could name: count from the beginning
            first = min(start for start, _ in times.values())
            first = self.origin = min(first, FIRST_STEP) if told else first
            times = {
                span: (start - first, None if end is None else end - first) for span, (start, end) in times.items()
            }
        return time, times

    def _numbered(self) -> Times:
        """Places in an order: each span begins before what is inside it and ends after."""
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
        """Times as they are told, but nothing begins before what it is inside of.

        Clocks of two processes disagree: a span that begins too early is moved to where its parent
        begins, and all that it contains with it.
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
                self.lost["spans that began before what they are inside of, moved"] += 1
                shift = floor - start
            shifts[span] = shift
            times[span] = start + shift, None if end is None else max(start, end) + shift
            latest[span.above] = max(latest.get(span.above, floor), times[span][1] or times[span][0])
        return times

    def _say_once(self) -> None:
        """Keep one span where several tell of the same act."""
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
                case "agent", "agent" if around is not None and said.same_agent(around, span):
                    self._drop(span)
                case "tool", "tool" if around is not None and said.tool(around) == said.tool(span):
                    self._drop(span)
        self._surround()
        busy = {self._agents[span] for span in self.order if self.kinds[span] in ("model", "plan", "tool")}
        leading = {self._agents[span] for span in self.order if self.kinds[span] == "agent"}
        for span in self.order:
            if self.kinds[span] == "agent" and not said.names_an_agent(span) and span in leading - busy:
                self.kinds[span] = "workflow"  # the run of a program around agents, such as "Agent workflow"
        self._surround()

    def _drop(self, span: Span) -> None:
        self.kinds[span] = ""
        self._repeats += 1

    def _around(self, span: Span) -> Span | None:
        """The nearest span around it that means something, of those looked at so far."""
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
