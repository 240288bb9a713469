"""The contents of a report, as figures and rows for the template."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from survey.traces.exporters.report import path
from survey.traces.exporters.report.drawing import drawing
from survey.traces.exporters.report.explorer import events
from survey.traces.exporters.report.formatting import Clock, duration, money, number, plural, share, short
from survey.traces.exporters.report.headline import between, bounds, differ, headline, times
from survey.traces.exporters.report.team import Member, members
from survey.traces.metrics import Measure, Run, measure
from survey.traces.metrics.prices import Prices, public
from survey.traces.model import Trace
from survey.traces.replay import TURNS, check, replay

LONGEST = 20
"""How many rows a table shows before the rest is collapsed."""

LABEL_FIELDS = ("event", "label", "by", "why")
"""The fields of a judgement that are shown."""

ROWS = 1000
"""The maximum number of rows of a collapsed table."""

PIECES = 12
"""How many of the longest segments of the critical path are shown."""

LEVELS = 16
"""The maximum number of levels of parallelism; above it, neighbouring levels are grouped."""


@dataclass(frozen=True)
class Figure:
    """A headline figure; an empty value means that it cannot be measured."""

    title: str
    value: str
    note: str = ""
    name: str = ""
    """The measure that defines it."""


@dataclass(frozen=True)
class Bar:
    """A row of a table with its share of the total, or of the largest row."""

    name: str
    value: str
    share: float
    note: str = ""


def contents(trace: Trace, prices: Prices | None = None) -> dict[str, Any]:
    """Return all variables of the template."""
    run = Run(replay(trace), prices)
    found = measure(run)
    team = members(run)
    pieces = path.segments(run)
    drawn = drawing(run, team)
    return {
        "trace": trace,
        "timed": path.timed(run),
        "about": list(_about(trace)),
        "lead": " ".join(headline(run, found)),
        "figures": list(_figures(run, found)),
        "reasons": _reasons(found),
        "problems": _problems(trace),
        "lost": [(str(item["what"]), int(item["count"])) for item in trace.source.get("lost") or ()],
        "links": trace.head.get("link_quality") or {},
        "labels": [{key: short(label.get(key) or "") for key in LABEL_FIELDS} for label in trace.labels[:LONGEST]],
        "labels_in_all": len(trace.labels),
        "drawing": drawn,
        "explorer": events(run, team, drawn),
        "team": team,
        "spent": found["tokens_by_agent"].value is not None,
        "clocks": _clocks(team),
        "permitted": any(member.permission for member in team),
        "levels": _levels(run, found["parallelism"]),
        "path": _path(run, pieces),
        "costs": list(_costs(run, found, team)),
        "measures": [_measure(one) for one in found.values()],
    }


# -------------------------------------------------------------------------------------- the head


def _about(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield what is known of the run as a whole, as pairs of a term and its value."""
    source, outcome = trace.source, trace.head.get("outcome") or {}
    if trace.task:
        yield "Task", short(trace.task)
    system = trace.head.get("system") or source.get("system")
    if system:
        version = source.get("version")
        yield "System", short(f"{system} {version}" if version else system)
    if trace.topology != "unknown":
        yield "Topology, as declared", trace.topology.replace("_", ", ")
    if source.get("started"):
        yield "Started", _date(str(source["started"]))
    success = outcome.get("success")
    parts = ["solved" if success is True else "not solved" if success is False else ""]
    parts += [f"score {number(outcome['score'])}"] if "score" in outcome else []
    parts += [str(outcome["status"])] if "status" in outcome else []
    if any(parts):
        yield "Outcome", ", ".join(filter(None, parts))
    if trace.rewards:
        rewards = sorted(trace.rewards.items())
        yield "Rewards", ", ".join(f"{short(name, 40)} {number(value)}" for name, value in rewards[:LONGEST])
    group = trace.head.get("group")
    if group:
        size = f" of {group['size']}" if "size" in group else ""
        rollout = f", rollout {group['rollout']}{size}" if "rollout" in group else ""
        yield "Group", short(f"{group['id']}{rollout}")
    counterfactual = trace.head.get("counterfactual_of")
    if counterfactual:
        yield "Counterfactual of", short(counterfactual["trace_id"])
    if source.get("importer"):
        tried = ", never tested on a real log of this kind" if source.get("experimental") is True else ""
        yield "Read by", short(f"{source['importer']} importer") + tried


def _date(text: str) -> str:
    try:
        at = datetime.fromisoformat(text)
        at = at.astimezone(UTC) if at.tzinfo else at
    except (ValueError, OverflowError):
        return short(text)
    return f"{at.day} {at:%B} {at.year}, {at:%H:%M:%S}{' UTC' if at.tzinfo else ''}"


def _figures(run: Run, found: Mapping[str, Measure]) -> Iterator[Figure]:
    """Yield the headline figures; ``_reasons`` explains those without a value."""
    limits = bounds(run, found)
    for name in ("wall_s", "work_s", "critical_path_s"):
        value = found[name].value
        if name == "critical_path_s" and value is None:
            yield Figure(
                "Critical path", plural(found["critical_path_steps"].value, "step"), name="critical_path_steps"
            )
        else:
            least = limits.get(name, (0.0, 0.0))
            note = f"at least {duration(least[0])}" if differ(*least) else ""
            yield Figure(found[name].title, "" if value is None else duration(value), note, name)
    for name in ("speedup_observed", "speedup_graph"):
        value = found[name].value
        note = between(limits[name], times) if name in limits and differ(*limits[name]) else ""
        yield Figure(found[name].title, "" if value is None else f"{times(value)} ×", note, name)
    around = ["and the program around them"] if run.program else []
    agents = found["agents"].value - len(around)
    yield Figure("Agents", number(agents), ", ".join(filter(None, [*around, _at_once(found)])), "agents")
    types = Counter(event.type for event in run.events)
    turns = sum(types[type] for type in TURNS)
    yield Figure("Turns", number(turns))
    failed = sum((found["failures_by_tool"].value or {}).values())
    yield Figure(
        "Tool calls", number(types["tool_call"]), f"{number(failed)} failed" if failed else "", "calls_by_tool"
    )
    yield Figure("Messages", number(found["messages"].value), name="messages")
    tokens = found["tokens"].value
    yield Figure("Tokens", "" if tokens is None else number(tokens), "at least" if run.undercounted else "", "tokens")
    yield _cost(run, found)


def _cost(run: Run, found: Mapping[str, Measure]) -> Figure:
    """Return the recorded cost; if there is none, that at list prices."""
    recorded, listed = found["cost_usd"].value, found["list_cost_usd"].value
    if recorded is not None or listed is None:
        return Figure("Cost", "" if recorded is None else money(recorded), name="cost_usd")
    as_of = (run.prices or public()).as_of
    note = f"at list prices of {as_of}" if as_of else "at list prices"
    return Figure("Cost", money(listed), f"at least, {note}" if run.undercounted else note, "list_cost_usd")


def _at_once(found: Mapping[str, Measure]) -> str:
    levels = found["parallelism"].value
    return f"at most {max(map(int, levels))} at once" if levels else ""


HEADLINES = ("wall_s", "work_s", "speedup_observed", "speedup_graph", "tokens", "cost_usd")


def _reasons(found: Mapping[str, Measure]) -> list[tuple[str, str]]:
    """Return the missing headline figures with the reasons."""
    reasons: dict[str, list[str]] = defaultdict(list)
    listed = found["list_cost_usd"]
    for name in HEADLINES:
        if found[name].value is not None or (name == "cost_usd" and listed.value is not None):
            continue
        why = found[name].why_not
        if name == "cost_usd" and listed.why_not != found["tokens"].why_not:
            why += f", and {listed.why_not}"
        reasons[why].append(found[name].title.lower())
    return [(", ".join(titles), why) for why, titles in reasons.items()]


def _problems(trace: Trace) -> dict[str, Any]:
    problems = check(trace)
    kept = list(problems)
    return {
        "errors": problems.errors,
        "warnings": problems.warnings,
        "first": kept[: LONGEST // 2],
        "rest": kept[LONGEST // 2 :],
        "omitted": len(problems) - len(kept),
    }


# ------------------------------------------------------------------------------ tables of the body


def _clocks(team: Sequence[Member]) -> Clock:
    return Clock(
        max((max(member.busy, member.waiting, member.asked, member.permission) for member in team), default=0.0)
    )


def _levels(run: Run, found: Measure) -> dict[str, Any]:
    """Return the time spent at each number of busy agents; many levels are grouped."""
    if found.value is None:
        return {"why_not": found.why_not, "rows": []}
    spent = dict(run.profile)
    spent[0] = max(run.replayed.end - run.events[0].t - sum(seconds for level, seconds in spent.items() if level), 0.0)
    most, whole = max(spent), sum(spent.values())
    size = 1 if most <= LEVELS else -(-most // LEVELS)
    grouped: dict[int, float] = dict.fromkeys(range(-(-most // size) + 1), 0.0)
    for level, seconds in spent.items():
        grouped[-(-level // size)] += seconds
    clock = Clock(max(grouped.values()))
    rows = []
    for group, seconds in grouped.items():
        name = str(group) if size == 1 else f"{(group - 1) * size + 1} to {min(group * size, most)}"
        name = name if group else "none"
        rows.append(Bar(name, clock(seconds), seconds / whole if whole else 0.0))
    return {"why_not": "", "rows": rows, "unit": clock.unit}


def _path(run: Run, pieces: Sequence[path.Segment]) -> dict[str, Any]:
    """Return the critical path: its composition, its longest segments, and all segments in order."""
    whole = sum(piece.weight for piece in pieces)
    timed = path.timed(run)
    first = run.events[0].t if timed else 0.0
    clock, since = Clock(max((piece.weight for piece in pieces), default=0.0)), Clock(run.replayed.end - first)
    shown = duration if timed else lambda steps: plural(steps, "step")

    def row(piece: path.Segment) -> dict[str, Any]:
        return {
            "agent": piece.agent, "what": piece.what, "kind": piece.kind, "events": piece.events,
            "start": since(piece.start - first) if timed else number(piece.start),
            "weight": clock(piece.weight) if timed else number(piece.weight),
            "share": piece.weight / whole if whole else 0.0,
        }  # fmt: skip

    longest = sorted(pieces, key=lambda piece: (-piece.weight, piece.start))[:PIECES]
    rest = whole - sum(piece.weight for piece in longest)
    by_agent: dict[str, float] = defaultdict(float)
    for piece in pieces:
        by_agent[piece.agent] += piece.weight
    return {
        "whole": shown(whole),
        "total": clock(whole) if timed else number(whole),
        "unit": clock.unit if timed else "steps",
        "since": since.unit if timed else "event",
        "agents": _parts(by_agent, whole, shown),
        "what": _parts(dict(path.summary(list(pieces))), whole, shown),
        "longest": [row(piece) for piece in longest],
        "others": len(pieces) - len(longest),
        "rest": clock(max(rest, 0.0)) if timed else number(rest),
        "rest_share": max(rest, 0.0) / whole if whole else 0.0,
        "in_order": [row(piece) for piece in pieces[:ROWS]] if len(pieces) > 1 else [],
        "count": len(pieces),
    }


def _parts(weights: Mapping[str, float], whole: float, shown: Any) -> list[Bar]:
    heaviest = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    kept, rest = heaviest[:5], heaviest[5:]
    if rest:
        kept = [*kept, (plural(len(rest), "other"), sum(weight for _, weight in rest))]
    return [Bar(short(name), shown(weight), weight / whole if whole else 0.0) for name, weight in kept]


def _costs(run: Run, found: Mapping[str, Measure], team: Sequence[Member]) -> Iterator[dict[str, Any]]:
    """Yield the tables of costs: tokens by kind, agent, role; money by agent or model; calls and failures by tool."""
    kinds: dict[str, float] = defaultdict(float)
    plain = 0.0
    for event in run.events:
        for kind, amount in event.by_kind.items():
            kinds[kind] += amount
        plain += 0 if event.by_kind else event.tokens or 0
    words = {"input": "input, not from the cache", "output": "output"}
    words |= {"cache_read": "input read from the cache", "cache_write": "input written to the cache"}
    by_kind = {word: kinds[kind] for kind, word in words.items() if kinds[kind]}
    if plain and by_kind:
        by_kind["unspecified"] = plain
    if by_kind:
        thought = f"Of the output, {number(kinds['reasoning'])} are reasoning tokens." if kinds["reasoning"] else ""
        yield _table("Tokens by kind", "tokens_by_kind", "tokens", by_kind, number, note=thought)
    for name, head in (("tokens_by_agent", "agent"), ("tokens_by_role", "role")):
        yield _by(found[name], head, number)
    if found["cost_by_agent"].value is not None:
        yield _by(found["cost_by_agent"], "agent", money)
    elif found["list_cost_by_model"].value is not None:
        yield _by(found["list_cost_by_model"], "model", money)
    calls, failures = found["calls_by_tool"].value or {}, found["failures_by_tool"].value or {}
    table = _table("Calls by tool", "calls_by_tool", "calls", calls, number)
    for part in ("rows", "more"):
        table[part] = [replace(bar, note=_failed(failures.get(bar.name, 0))) for bar in table[part]]
    yield {**table, "noted": "failed" if failures else "", "why_not": "" if calls else "no tool was called"}
    if failures:
        yield _by(found["failures_by_kind"], "kind", number)


def _failed(count: int) -> str:
    return number(count) if count else "–"


def _by(found: Measure, head: str, shown: Any) -> dict[str, Any]:
    return {
        **_table(found.title, found.name, found.unit, found.value or {}, shown),
        "why_not": found.why_not,
        "head": head,
    }


def _table(title: str, name: str, unit: str, values: Mapping[str, float], shown: Any, note: str = "") -> dict[str, Any]:
    whole = sum(values.values())
    heaviest = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    rows = [Bar(name, shown(value), value / whole if whole else 0.0) for name, value in heaviest]
    first, more = rows[: LONGEST // 2], rows[LONGEST // 2 : ROWS]
    fields = {"title": title, "name": name, "unit": unit, "head": title.rsplit(" ", 1)[-1], "note": note}
    return {**fields, "rows": first, "more": more, "why_not": "", "noted": ""}


# ---------------------------------------------------------------------------------- all measures


def _measure(found: Measure) -> dict[str, Any]:
    parts = []
    if isinstance(found.value, dict):
        items = list(found.value.items())
        if found.name != "parallelism":
            items.sort(key=lambda item: (-item[1], item[0]))
        parts = [(short(name), _value(amount, found.unit)) for name, amount in items[:LONGEST]]
        shown = plural(len(items), "value") if items else "none"
    else:
        shown = "" if found.value is None else _value(found.value, found.unit)
    return {"found": found, "shown": shown, "parts": parts, "omitted": len(found.value) - len(parts) if parts else 0}


def _value(value: float, unit: str) -> str:
    if unit.startswith("s ") or unit == "s":
        return duration(value)
    if unit.startswith("share"):
        return share(value)
    if unit == "US dollars":
        return money(value)
    if unit == "times":
        return f"{times(value)} ×"
    words = {"agents", "steps", "tokens", "messages", "levels", "calls", "results"}
    return plural(value, unit[:-1]) if unit in words else f"{number(value)} {unit}"
