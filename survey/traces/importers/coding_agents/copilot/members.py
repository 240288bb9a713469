"""An agent of a session while it is read: what its next turn answers, and what it did last."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Member:
    """The main agent or a sub-agent."""

    id: str
    parent: Member | None = None
    cause: float = 0.0
    """When the latest of what its next turn answers was there."""
    stated: float | None = None
    """When its next turn began, if the log says so."""
    last: float = 0.0
    """The end of its latest act."""
    model: str | None = None
    turn: str | None = None
    key: str | None = None
    """What tells parts of its latest turn from those of the next one."""
    words: list[str] = field(default_factory=list)
    """The texts of its latest turn."""
    counted: bool = False
    """Whether the tokens of its latest turn are known by kind."""
    open: set[str] = field(default_factory=set)
    """Calls without a result."""
    calls: bool = False
    """Whether its latest turn asks for calls."""
    acted: bool = False
    """Whether it did something since it returned."""
    returned: list[tuple[float, str]] = field(default_factory=list)
    waiting: list[tuple[float, str, str]] = field(default_factory=list)
    """What reaches it with its next act or turn: when, the event and the type of edge."""
    reads: list[tuple[float, str]] = field(default_factory=list)
    """Returns that its next turn reads, and when they were there."""
    compacting: float | None = None

    @property
    def answered(self) -> bool:
        """Whether its latest turn is an answer: it asks for nothing more."""
        return self.turn is not None and not self.calls and not self.open

    def begin(self, at: float) -> float:
        """Return when the turn began that has its first line at a time."""
        begun = self.stated if self.stated is not None else max(self.cause, self.last)
        self.stated = None
        return min(begun, at)
