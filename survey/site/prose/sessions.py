"""Real sessions with sub-agents, from ``tables/sessions.csv``: how many agents they had, and how much they overlapped.

The logs are public: branch ``entire/checkpoints/v1`` of github.com/entireio/cli as of 2026-02-16, Claude Code
sessions of one company's developers, without the 136 largest files, which the copy at hand lacked. Of the several
states of a session the longest file was taken. Every row is what ``survey trace report`` measures in that file, but for
``background``: whether any call asked for a sub-agent in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from survey.literature.pool import Rows
from survey.literature.problems import expected, quoted


@dataclass(frozen=True, slots=True)
class Session:
    """A session with sub-agents; ``id`` is the beginning of its own."""

    id: str
    sub_agents: int
    at_once: int
    work_s: float
    union_s: float
    background: bool

    @property
    def concurrency(self) -> float:
        """The mean number of sub-agents at work while any was."""
        return self.work_s / self.union_s

    @property
    def waits(self) -> bool:
        """Whether several sub-agents were started, and the main agent waited for each call."""
        return self.sub_agents > 1 and not self.background


def sessions(rows: Rows) -> tuple[Session, ...]:
    """Return all sessions in the order of the table."""
    return tuple(
        Session(
            row["session"],
            int(row["sub_agents"]),
            int(row["at_once"]),
            float(row["work_s"]),
            float(row["union_s"]),
            row["background"] == "yes",
        )
        for row in rows
    )


def _concurrencies(found: Sequence[Session]) -> list[float]:
    return [session.concurrency for session in found if session.waits]


FIGURES: Mapping[str, Callable[[Sequence[Session]], str]] = {
    "all": lambda found: str(len(found)),
    "sub-agents": lambda found: str(sum(session.sub_agents for session in found)),
    "with one": lambda found: str(sum(session.sub_agents == 1 for session in found)),
    "never two at once": lambda found: str(sum(session.at_once < 2 for session in found)),
    "several, synchronous": lambda found: str(len(_concurrencies(found))),
    "median concurrency": lambda found: f"{median(_concurrencies(found)):.2f}",
    "highest concurrency": lambda found: f"{max(_concurrencies(found)):.2f}",
}


def figure(name: str, rows: Rows) -> str:
    """Return a figure of the sessions as text.

    Raises:
        ValueError: if there is no figure of that name.

    """
    if name not in FIGURES:
        raise ValueError(f"there is no figure {quoted(name)} of the sessions {expected(name, FIGURES)}")
    return FIGURES[name](sessions(rows))
