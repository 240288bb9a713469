"""Settings of a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from math import isfinite

from survey.traces.problems import nearest, quoted

MOST_AGENTS = 1000
MOST_STEPS = 4000

TOPOLOGIES = {
    "centralized": (1, 0.2),
    "planner_executor_critic": (1, 0.5),
    "debate": (MOST_AGENTS, 1.0),
    "swarm": (MOST_AGENTS, 0.3),
    "hierarchical": (1, 0.3),
    "harness": (4, 0.1),
}
"""By name: how many workers one boss runs concurrently, and how often a turn ends with a message, unless a
setting overrides it. Most real runs of a lead and its sub-agents have one active sub-agent at a time."""

SHARES = ("failure", "tool_failure", "misleading", "informing", "overlap", "glue", "lift", "harm", "variation", "bar")


@dataclass(frozen=True)
class Setting:
    """The team, the task and the probabilities. Raises ``ValueError`` with all invalid values.

    >>> Setting(topology="swram", agents=1)
    Traceback (most recent call last):
    ValueError: topology: found "swram" (did you mean "swarm"?), expected one of centralized, planner_executor_critic, debate, swarm, hierarchical, harness
    agents: found 1, expected an integer from 2 to 1000
    """  # noqa: E501

    topology: str = "centralized"
    agents: int = 5
    """Number of agents, including the lead."""
    parts: int | None = None
    """Number of parts of the task; None: one for each worker."""
    steps: int | None = None
    """Total turns of work, divided evenly among the parts; None: 9 for each, and no more than 4,000.
    Turns for retries, and those of the lead and of critics, are additional."""
    tools: float = 2.25
    """Tool calls per turn, on average; none in the last turn of a part, which writes it up."""
    failure: float = 0.1
    """The probability that a worker fails at a part: none of its work on the part counts."""
    retries: int = 1
    """How often a failed part is reassigned to another worker."""
    tool_failure: float = 0.05
    """The probability that a tool call fails: it finds nothing."""
    messages: float | None = None
    """The probability that a turn ends with a message; None: the default of the topology."""
    informing: float = 0.5
    """The probability that a message informs: it raises the value of its receiver's part."""
    misleading: float = 0.15
    """The probability that a message misleads: it lowers that value. Other messages do neither."""
    overlap: float = 0.1
    """The probability that a part is also given to a second worker, who finds the same things again."""
    glue: float = 0.5
    """The share of a worker's result that is lost without its boss, who aggregates the results."""
    lift: float = 0.5
    """The most that messages add to a write-up, as a share of it."""
    harm: float = 0.6
    """The most that messages take from a write-up, as a share of it."""
    variation: float = 0.5
    """How much parts differ in weight, and workers in skill; 0: not at all."""
    bar: float = 0.8
    """The minimum score of a successful run."""
    width: int | None = None
    """How many workers one boss runs concurrently; None: the default of the topology."""
    seed: int = 0

    def __post_init__(self) -> None:
        if wrong := list(self._wrong()):
            raise ValueError("\n".join(wrong))

    @property
    def digest(self) -> str:
        """A short hash of the setting."""
        return blake2b(repr(sorted(asdict(self).items())).encode(), digest_size=4).hexdigest()

    @property
    def at_once(self) -> int:
        """How many workers one boss runs concurrently."""
        return self.width or TOPOLOGIES[self.topology][0]

    @property
    def talk(self) -> float:
        """The probability that a turn ends with a message."""
        return TOPOLOGIES[self.topology][1] if self.messages is None else self.messages

    def _wrong(self) -> Iterator[str]:
        if self.topology not in TOPOLOGIES:
            hint = nearest(str(self.topology), TOPOLOGIES)
            yield f"topology: found {quoted(self.topology)}{hint}, expected one of {', '.join(TOPOLOGIES)}"
        yield from _whole("agents", self.agents, 2, MOST_AGENTS)
        yield from _whole("retries", self.retries, 0, 10)
        yield from _whole("seed", self.seed, None, None)
        for name in ("parts", "steps", "width"):
            if (value := getattr(self, name)) is not None:
                yield from _whole(name, value, 1, MOST_STEPS)
        if _is_whole(self.parts) and _is_whole(self.steps) and self.steps < self.parts:  # type: ignore[operator]
            yield f"steps: found {self.steps}, expected {self.parts} or more: each part takes at least one turn"
        for name in SHARES:
            yield from _number(name, getattr(self, name), 1)
        if self.messages is not None:
            yield from _number("messages", self.messages, 1)
        yield from _number("tools", self.tools, 20)
        both = (self.informing, self.misleading)
        if all(map(_is_number, both)) and sum(both) > 1 + 1e-9:
            found = " and ".join(f"{share:g}" for share in both)
            yield f"informing and misleading: found {found}, expected no more than 1 together"


def _whole(name: str, value: object, least: int | None, most: int | None) -> Iterator[str]:
    span = "" if least is None else f" from {least} to {most}"
    if not _is_whole(value) or (least is not None and most is not None and not least <= value <= most):  # type: ignore[operator]
        yield f"{name}: found {quoted(value)}, expected an integer{span}"


def _number(name: str, value: object, most: int) -> Iterator[str]:
    if not _is_number(value) or not 0 <= value <= most:  # type: ignore[operator]
        yield f"{name}: found {quoted(value)}, expected a number from 0 to {most}"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
