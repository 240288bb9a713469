"""Real sessions with sub-agents, from ``sessions.csv``: how many agents they had, and how much these worked together.

The logs are public: branch ``entire/checkpoints/v1`` of github.com/entireio/cli as of 2026-02-16, Claude Code
sessions of one company's developers, without the 136 largest files, which the copy at hand lacked. Of the several
states of a session the longest file was taken. Every row is what ``survey trace report`` measures in that file, but for
``background``: whether any call asked for a sub-agent in the background.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median

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


@cache
def sessions() -> tuple[Session, ...]:
    """Return all sessions in the order of the file."""
    text = files("survey.site.prose").joinpath("sessions.csv").read_text("utf-8")
    return tuple(
        Session(
            row["session"],
            int(row["sub_agents"]),
            int(row["at_once"]),
            float(row["work_s"]),
            float(row["union_s"]),
            row["background"] == "yes",
        )
        for row in csv.DictReader(io.StringIO(text))
    )


def _concurrencies() -> list[float]:
    return [session.concurrency for session in sessions() if session.waits]


FIGURES: Mapping[str, Callable[[], str]] = {
    "all": lambda: str(len(sessions())),
    "sub-agents": lambda: str(sum(session.sub_agents for session in sessions())),
    "with one": lambda: str(sum(session.sub_agents == 1 for session in sessions())),
    "never two at once": lambda: str(sum(session.at_once < 2 for session in sessions())),
    "several, synchronous": lambda: str(len(_concurrencies())),
    "median concurrency": lambda: f"{median(_concurrencies()):.2f}",
    "highest concurrency": lambda: f"{max(_concurrencies()):.2f}",
}


def figure(name: str) -> str:
    """Return a figure of the sessions as text.

    Raises:
        ValueError: if there is no figure of that name.

    """
    if name not in FIGURES:
        raise ValueError(f"there is no figure {quoted(name)} of the sessions {expected(name, FIGURES)}")
    return FIGURES[name]()
