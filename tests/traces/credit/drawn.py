"""Games and runs for the tests of credit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from survey.traces import Trace
from survey.traces.credit import Game
from tests.traces.strategies import Json, small

MODEST = settings(max_examples=40, derandomize=True, deadline=None, database=None)

worths = st.integers(-40, 40).map(lambda quarters: quarters / 4)


def named(number: int) -> tuple[str, ...]:
    return tuple("abcdefghijklmnopqrstuvwx"[:number])


def tabled(table: list[float]) -> Game:
    """The game whose coalitions are worth these numbers, in the order of their bits."""
    units = named(len(table).bit_length() - 1)
    return Game(units, lambda present: table[sum(1 << units.index(unit) for unit in present)])


@st.composite
def tables(draw: st.DrawFn, least: int = 1, most: int = 5) -> list[float]:
    number = draw(st.integers(least, most))
    return draw(st.lists(worths, min_size=1 << number, max_size=1 << number))


@st.composite
def pairs_of_tables(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    first = draw(tables())
    return first, draw(st.lists(worths, min_size=len(first), max_size=len(first)))


def seeded(number: int, seed: int) -> Game:
    """A game without structure: the worth of every coalition is random."""
    drawn = np.random.default_rng(seed).random(1 << number)
    return tabled(drawn.tolist())


def shares(credits: Any) -> dict[str, float]:
    return {credit.unit: credit.value for credit in credits}


def fork(score: float = 1.0, **head: Any) -> Trace:
    """A lead, two agents that search one fact, one that searches another, and one whose return is unused."""
    events: list[Json] = [{"type": "orchestrator_decision", "tokens": {"output": 3}}]
    edges: list[tuple[str, str, str]] = []
    returns = []
    for name in ("a", "b", "c", "idle"):
        spawn, work = f"e{len(events) + 1}", f"e{len(events) + 2}"
        events.append({"type": "spawn", "to": name, "role": "searcher"})
        events.append({"type": "model_call", "agent": name, "tokens": {"output": 2}})
        edges += [("e1", spawn, "causal"), (spawn, work, "spawn")]
        if name != "idle":
            events.append({"type": "return", "agent": name, "to": "lead"})
            returns.append(f"e{len(events)}")
            edges.append((work, returns[-1], "temporal"))
    events.append({"type": "aggregate", "tokens": {"output": 5}})
    edges += [(id, f"e{len(events)}", "aggregate") for id in returns]
    return small(events, edges, **{"rewards": {"team": score}, **head})


def permuted(trace: Trace, seed: int) -> Trace:
    """The same run, its lines in another order: a log may write them as it likes."""
    events, edges = list(trace.events), list(trace.edges)
    Random(seed).shuffle(events)
    Random(seed + 1).shuffle(edges)
    return Trace(events, edges, trace.head)
