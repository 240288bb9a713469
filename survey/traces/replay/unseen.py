"""Time in which an agent may have worked, though the trace shows neither that it did nor that it did not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from survey.traces.model import OUTSIDE, Event
from survey.traces.replay.replay import Replay
from survey.traces.replay.timeline import WAITING_TOOLS, Timeline

CALLS = ("tool_call", "spawn", "delegate", "message")
ENDS = ("return", "despawn")


@dataclass(frozen=True, slots=True)
class Unseen:
    """An interval, and why nothing is known of it.

    A call without a result may have run until the next act of its agent, or until a person wrote to it. A sub-agent
    that a person interrupted, and of which the trace has nothing but the call, may have worked until then. A compaction
    whose beginning is unknown may have begun when its agent had nothing else to do.
    """

    why: Literal["call without a result", "interrupted sub-agent without a log", "compaction"]
    start: float
    end: float


def unseen(replayed: Replay, timeline: Timeline) -> list[Unseen]:
    """Return all such intervals of a trace."""
    events, found = replayed.graph.events, list[Unseen]()
    open, free = defaultdict[str, list[float]](list), dict[str, float]()

    def close(agent: str, end: float) -> None:
        found.extend(Unseen("call without a result", start, end) for start in open.pop(agent, ()) if end > start)

    for place, (event, actor) in enumerate(zip(events, timeline.actors, strict=True)):
        if event.type == "human_intervention" or actor in OUTSIDE:
            close(event.to or "", event.t)
            free[event.to or ""] = max(free.get(event.to or "", 0.0), event.t)
        elif event.type in ENDS:
            close(event.to or actor if event.type == "despawn" else actor, event.t)
        elif actor in open and event.type not in CALLS:
            close(actor, timeline.starts[place])
        if event.type == "tool_call":
            result = replayed.answers.get(place)
            if event.waits_for == "agents" and result is not None and _alone(event, events[result]):
                found.append(Unseen("interrupted sub-agent without a log", event.t, events[result].t))
            elif event.waits_for in (None, "tool") and result is None and event.t_end is None:
                open[actor].append(event.t)
        elif event.type == "compaction" and event.t_end is None:
            start = free.get(actor, event.t)
            found.extend([Unseen("compaction", start, event.t)] if event.t > start else [])
        free[actor] = max(free.get(actor, 0.0), timeline.ends[place])
    for agent in list(open):
        close(agent, replayed.end)
    return found


def _alone(call: Event, result: Event) -> bool:
    """Return whether nothing but this call tells of the agent that it waited for and that a person interrupted."""
    return result.status == "cancelled" and call.tool not in WAITING_TOOLS
