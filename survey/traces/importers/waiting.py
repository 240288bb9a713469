"""Tools and commands that do no work of their own but wait, by the names that agent systems give them."""

from __future__ import annotations

import re

FOR_PEOPLE = frozenset(
    {
        "AskUserQuestion", "ExitPlanMode", "ask_followup_question", "ask_human", "ask_user", "exit_plan_mode",
        "get_human_input", "human_input", "request_human_input", "request_user_input",
    }
)  # fmt: skip
"""Tools that ask a person, and return with the answer."""

FOR_AGENTS = frozenset({"AgentOutputTool", "TaskOutput", "read_agent", "wait", "wait_agent"})
"""Tools that return once another agent has acted, or after a time."""


SLEEPING = re.compile(r"(?:^|[;&|(\n \t\"'])sleep[ \t]{1,9}[0-9$.]")
"""A shell command that sleeps, and perhaps looks for results then: alone, in a loop, or quoted for another shell."""


def asks(tool: str | None) -> bool:
    """Return whether a tool asks a person."""
    return tool in FOR_PEOPLE


def sleeps(command: object) -> bool:
    """Return whether a command, given as a text or as a list of words, sleeps.

    >>> sleeps("until grep -q done out; do sleep 5; done"), sleeps(["bash", "-lc", "sleep 20"]), sleeps("sleepwalk 5")
    (True, True, False)
    """
    words = " ".join(map(str, command)) if isinstance(command, list) else command
    return isinstance(words, str) and "sleep" in words and SLEEPING.search(words) is not None
