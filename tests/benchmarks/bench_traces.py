"""Read, check, replay and measure long traces, against a checker that only reads and checks them.

The peer does what the checker published with arXiv:2605.02801 does: parse the whole file with the
standard library, and check required fields, known types, unique ids, edges between known events, and
negative costs. It is a reimplementation; set ``PUBLISHED_CHECKER`` to a copy of the original to run
that instead. Each side runs in a separate process, to measure its memory.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.isolated import peak_memory, run_isolated

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 5
"""The sides alternate; the fastest run of each counts, since interference only slows a run down."""
TEAM = 50
TYPES = {"orchestrator_decision", "spawn", "despawn", "message", "tool_call", "tool_result", "return", "aggregate",
         "human_intervention", "safety_event"}  # fmt: skip
EDGES = {"temporal", "causal", "spawn", "message", "tool_dependency", "return", "aggregate", "safety_flow"}


def run() -> Iterator[str]:
    """Yield a line for each size."""
    yield "read, check, replay and measure traces (two edges an event), against reading and checking them"
    with tempfile.TemporaryDirectory() as name:
        for size in SIZES:
            path = Path(name) / f"{size}.json"
            path.write_text(json.dumps(grown(size)))
            rounds = [[run_isolated(__spec__.name, side, path) for side in ("ours", "peer")] for _ in range(ROUNDS)]
            ours, peer = (min((pair[side] for pair in rounds), key=itemgetter("total")) for side in (0, 1))
            stages = ", ".join(f"{stage} {ours[stage] / size * 1e6:.2f}" for stage in ("read", "replay", "measure"))
            yield (
                f"  {size:>9,} events: {ours['total'] / peer['total']:.2f} times the time "
                f"({ours['total']:.2f} s to {peer['total']:.2f} s), {ours['memory'] / peer['memory']:.2f} times the memory "
                f"({ours['memory']:.0f} MiB to {peer['memory']:.0f} MiB); us an event: {stages}"
            )


def grown(size: int) -> dict[str, Any]:
    """Return a sound trace of a given size with about two edges an event: a lead, and workers that call tools."""
    random_ = random.Random(size)
    events: list[dict[str, Any]] = [_event(0, "orchestrator_decision", "lead", random_)]
    edges: list[dict[str, str]] = []
    last: dict[str, int] = {}
    workers = [f"worker-{number}" for number in range(TEAM)]
    for worker in workers:
        last[worker] = len(events)
        edges.append(_edge(0, len(events), "causal"))
        events.append(_event(len(events), "spawn", "lead", random_, to=worker))
    tokens = 0
    while len(events) < size - 1:
        worker, place = random_.choice(workers), len(events)
        before, other = last[worker], last[random_.choice(workers)]
        if events[before]["type"] == "tool_call":
            events.append(_event(place, "tool_result", worker, random_, tool="search", trusted=False))
            edges.append(_edge(before, place, "tool_dependency"))
        else:
            type = random_.choice(("orchestrator_decision", "tool_call", "message"))
            more: dict[str, Any] | None = {
                "tool_call": {"tool": "search"},
                "message": {"to": random_.choice(workers), "from": worker},
            }.get(type)
            events.append(_event(place, type, worker, random_, **(more or {"tokens": 120})))
            edges.append(_edge(before, place, "causal"))
            tokens += 0 if more else 120
        edges.append(_edge(other if other != before else 0, place, "temporal" if other == before else "causal"))
        last[worker] = place
    edges += [_edge(place, len(events), "causal") for place in last.values()]
    events.append(_event(len(events), "aggregate", "lead", random_))
    kinds = [event["type"] for event in events]
    costs = {
        "tokens": tokens,
        "wall_clock_s": float(size),
        "tool_calls": kinds.count("tool_call"),
        "messages": kinds.count("message"),
    }
    return {"trace_id": "grown", "task_id": "none", "topology": "centralized", "events": events, "edges": edges,
            "rewards": {"team": 1.0}, "costs": costs}  # fmt: skip


def _event(place: int, type: str, agent: str, random_: random.Random, **more: Any) -> dict[str, Any]:
    """Return an event with the fields of the published example."""
    fields = {
        "id": f"e{place}",
        "t": float(place),
        "type": type,
        "agent": agent,
        "role": "lead" if agent == "lead" else "worker",
    }
    return {**fields, "content_ref": f"sha256:{random_.getrandbits(64):016x}", "trusted": True, **more}


def _edge(src: int, dst: int, type: str) -> dict[str, str]:
    return {"src": f"e{src}", "dst": f"e{dst}", "type": type}


def _ours(path: Path) -> dict[str, float]:
    from survey.traces import read, replay
    from survey.traces.metrics import measure

    start = perf_counter()
    trace = read(path)
    was_read = perf_counter()
    replayed = replay(trace)
    was_replayed = perf_counter()
    measure(replayed)
    done = perf_counter()
    if replayed.problems.errors:
        raise SystemExit("\n".join(map(str, replayed.problems)))
    return {
        "read": was_read - start,
        "replay": was_replayed - was_read,
        "measure": done - was_replayed,
        "total": done - start,
    }


def _peer(path: Path) -> dict[str, float]:
    start = perf_counter()
    original = os.environ.get("PUBLISHED_CHECKER")
    if original:
        import runpy

        sys.argv = [original, str(path)]
        runpy.run_path(original, run_name="__main__")
    else:
        _checked(json.loads(path.read_text()))
    return {"total": perf_counter() - start}


def _checked(document: dict[str, Any]) -> None:
    if {"trace_id", "task_id", "events", "edges", "rewards", "costs"} - set(document):
        raise SystemExit("a top-level field is missing")
    seen = set()
    for event in document["events"]:
        if {"id", "t", "type", "agent"} - set(event) or event["type"] not in TYPES or event["t"] < 0:
            raise SystemExit("an event is invalid")
        if event["id"] in seen:
            raise SystemExit("an id is not unique")
        seen.add(event["id"])
    for edge in document["edges"]:
        if {"src", "dst", "type"} - set(edge) or edge["type"] not in EDGES:
            raise SystemExit("an edge is invalid")
        if edge["src"] not in seen or edge["dst"] not in seen:
            raise SystemExit("an edge leads to an unknown event")
    if any(cost < 0 for cost in document["costs"].values()):
        raise SystemExit("a cost is negative")


if __name__ == "__main__":
    found = {"ours": _ours, "peer": _peer}[sys.argv[1]](Path(sys.argv[2]))
    found["memory"] = peak_memory()
    print(json.dumps(found))
