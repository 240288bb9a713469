"""Traces, measures and problems as text for a terminal."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from survey.cli.output import Alert, Heading, echo
from survey.plurals import plural
from survey.traces import Event, Problems, Replay, State, Trace
from survey.traces.exporters import Exporter
from survey.traces.exporters.report.headline import as_text as headline
from survey.traces.importers import Importer
from survey.traces.metrics import Measure, Run
from survey.traces.metrics.difference import Difference

GROUPS = {
    "time": "Time", "steps": "Steps", "team": "Team", "communication": "Communication",
    "aggregation": "Aggregation", "patterns": "Patterns of failure", "harm": "Spread of harm", "costs": "Costs",
}  # fmt: skip
WIDEST = 28


def problems(place: str, found: Problems, form: str) -> None:
    """Print the problems of a trace, and the number of those beyond the limit."""
    if form == "json":
        shown = [
            {
                "kind": p.kind,
                "level": "warning" if p.warning else "error",
                "pointer": p.pointer,
                "events": list(p.events),
                "message": p.message,
            }
            for p in found
        ]
        echo(
            json.dumps(
                {"place": place, "errors": found.errors, "warnings": found.warnings, "problems": shown},
                ensure_ascii=False,
            )
        )
        return
    kept = list(found)
    for problem in kept:
        echo(f"{place}: {problem}")
    if len(kept) < len(found):
        totals = ", ".join(f"{number} {kind}" for kind, number in found.kinds.most_common())
        echo(f"{place}: and {len(found) - len(kept)} more; in all {totals}")


def summary(traces: int, errors: int, warnings: int, bad: int) -> str:
    """Return the last line of a check."""
    parts = [_count(errors, "error")] + [_count(warnings, "warning")] * bool(warnings)
    where = f" in {bad} of {_count(traces, 'trace')}" if bad else f" in {_count(traces, 'trace')}"
    return f"{' and '.join(parts) if errors or warnings else 'no problems'}{where}"


def imported(path: Path, importer: Importer, trace: Trace) -> str:
    """Describe an imported trace and its losses."""
    size = f"{_count(len(trace), 'event')}, {_count(len(trace.agents), 'agent')}"
    line = f"{path}: {trace.id}: {size} ({importer.name}{', experimental' if importer.experimental else ''})"
    return "\n".join([line, *_losses(trace, "    ")])


def _losses(trace: Trace, indent: str) -> list[str]:
    return [f"{indent}{item['count']} {item['what']}" for item in trace.source.get("lost") or ()]


def left_out(path: Path, names: Sequence[str]) -> str:
    """Name the files of a folder that are no logs."""
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{path}: left out {_count(len(names), 'file')} in no known format: {shown}"


def formats(known: Mapping[str, Importer], exporters: Mapping[str, Exporter]) -> str:
    """List the import and export formats."""
    width = max(map(len, [*known, *exporters])) + 2
    read = [
        f"  {name:{width}}{one.title}{' (experimental)' if one.experimental else ''}" for name, one in known.items()
    ]
    lines = [f"  {name:{width}}{one.title}" for name, one in exporters.items()]
    return "\n".join(["Import", *read, "", "Export", *lines])


def as_json(trace: Trace, measures: Mapping[str, Measure]) -> dict[str, Any]:
    """Return the measures as an object; one without a value has the reason."""
    found = {
        name: {"value": one.value, "unit": one.unit, **({"why_not": one.why_not} if one.why_not else {})}
        for name, one in measures.items()
    }
    return {"trace_id": trace.id, "task_id": trace.task, "time": trace.time, "measures": found}


def page(run: Run, measures: Mapping[str, Measure]) -> list[str]:
    """Return the lines of a report on the measures."""
    replayed = run.replayed
    trace, width = replayed.trace, min(max(shutil.get_terminal_size().columns, 60), 100)
    lines: list[str] = [Heading(trace.id), _subtitle(replayed)]
    if replayed.problems.errors:
        errors = _count(replayed.problems.errors, "error")
        lines.append(Alert(f"{errors}: the figures are unreliable (run survey trace check)."))
    lines += ["", *textwrap.wrap(headline(run, measures), width)]
    for group, title in GROUPS.items():
        shown = [
            line
            for one in measures.values()
            if one.group == group and not one.why_not
            for line in _figure(one, least=run.undercounted and one.name in ("tokens", "list_cost_usd"))
        ]
        if shown:
            lines += ["", Heading(title), *shown]
    reasons: dict[str, list[str]] = {}
    for one in measures.values():
        if one.why_not:
            reasons.setdefault(one.why_not, []).append(one.title.lower())
    if lost := _losses(trace, "  "):
        lines += ["", Heading("Losses in the import"), *lost]
    if reasons:
        lines += ["", Heading("Not measurable in this trace")]
        lines += [
            textwrap.fill(f"{', '.join(titles)}: {reason}", width, initial_indent="  ", subsequent_indent="    ")
            for reason, titles in reasons.items()
        ]
    return lines


def _subtitle(replayed: Replay) -> str:
    trace = replayed.trace
    system = str(trace.head.get("system") or trace.source.get("system") or "")
    parts = [
        f"task {trace.task}",
        system,
        _count(len(trace), "event"),
        _count(len(trace.edges), "edge"),
        "" if trace.time == "seconds" else f"{trace.time} time",
    ]
    return ", ".join(part for part in parts if part)


def _figure(one: Measure, *, least: bool) -> list[str]:
    if not isinstance(one.value, dict):
        return [f"  {one.title:{WIDEST}}{'at least ' if least else ''}{amount(one.value, one.unit)}"]
    rows = sorted(one.value.items(), key=lambda row: -row[1]) if one.name != "parallelism" else list(one.value.items())
    if not rows:
        return []
    largest = max(value for _, value in rows) or 1
    lines = [f"  {one.title} ({one.unit})"]
    for name, value in rows[:12]:
        bar = "▇" * round(20 * value / largest)
        lines.append(f"    {_cut(str(name), WIDEST - 4):{WIDEST - 2}}{amount(value):>12}  {bar}")
    if len(rows) > 12:
        lines.append(f"    and {len(rows) - 12} more")
    return lines


def amount(value: float, unit: str = "") -> str:
    """Format a figure with its significant digits and its unit.

    >>> amount(83.4219, "s"), amount(1234567, "tokens"), amount(0.25, "share of events")
    ('83.4 s', '1,234,567 tokens', '25% of events')
    """
    if unit.startswith("share"):
        return f"{100 * value:.3g}%{unit.removeprefix('share')}"
    number = f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:,.3g}"
    return f"{number} {unit.removesuffix('s') if number == '1' and len(unit) > 1 else unit}".rstrip()


def state(event: Event, state: State) -> str:
    """Return an event and the state of the team after it, on one line."""
    facts = [f"{len(state.alive)} alive"]
    facts += [
        f"{len(found)} {name}"
        for name, found in (("tasks open", state.tasks), ("calls open", state.calls), ("in flight", state.in_flight))
        if found
    ]
    facts += [f"{state.spent['tokens']:,.0f} tokens"] if state.spent["tokens"] else []
    facts += ["stopped"] if state.stopped else []
    act = f"{event.id:8} {event.t:10.3f}  {_act(event)}"
    return f"{act:70} {', '.join(facts)}"


def difference(paths: tuple[Path, Path], found: Difference, form: str) -> str:
    """Compare two runs side by side."""
    if form == "json":
        parting = [event.to_json() if event else None for event in found.first_difference]
        measures = {a.name: [a.value, b.value] for a, b in found.measures}
        return json.dumps(
            {
                "same": found.same,
                "parting": parting,
                "events": found.events,
                "agents": found.agents,
                "measures": measures,
            },
            ensure_ascii=False,
        )
    if not found:
        return f"no difference in {_count(found.same, 'event')}"
    lines = [f"{_count(found.same, 'event')} in common"]
    for path, event in zip(paths, found.first_difference, strict=True):
        said = f"{event.id}: {_act(event)}" if event else "is over"
        lines.append(f"  then {path}: {said}")
    for path, only in zip(paths, found.agents, strict=True):
        if only:
            lines.append(f"  only in {path}: {', '.join(only[:8])}{', …' if len(only) > 8 else ''}")
    rows = [(kind, f"{a:,}", f"{b:,}") for kind, (a, b) in found.events.items()]
    rows += [(a.title, _value(a), _value(b)) for a, b in found.measures]
    width = max((len(row[0]) for row in rows), default=0) + 2
    column = max((len(row[1]) for row in rows), default=0) + 2
    return "\n".join([*lines, *(f"  {name:{width}}{a:>{column}}   {b}" for name, a, b in rows)])


def _act(event: Event) -> str:
    tool, target = f" {event.tool}" if event.tool else "", f" → {event.to}" if event.to else ""
    return f"{event.agent}: {event.type}{tool}{target}"


def _value(one: Measure) -> str:
    return "not measurable" if one.value is None else amount(one.value, one.unit)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _count(number: int, word: str) -> str:
    return plural(number, word)
