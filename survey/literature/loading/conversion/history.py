"""When each entry was added: from the history of git, from remarks that are dates, or from a reference manager."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Final

from survey.literature.loading.conversion.foreign import Draft

ENTRY = re.compile(r"\+\s*@[A-Za-z]+\s*[{(]\s*([^\s,{}]+)")
NOTED: Final = ("date-added", "creationdate", "timestamp")
"""Fields in which BibDesk and JabRef note the day."""

WRITTEN: Final = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y.%m.%d")
"""Ways to write a day in a remark."""


def added_in_git(path: Path) -> dict[str, str]:
    """Return the day on which each key first stood in a file, as its history in git tells; nothing without one."""
    command = ["git", "log", "--follow", "--format=commit %cs", "--patch", "--unified=0", "--no-color", "--", path.name]
    try:
        done = subprocess.run(command, cwd=path.parent, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    days: dict[str, str] = {}
    day = ""
    for line in done.stdout.decode("utf-8", errors="replace").split("\n"):
        if line.startswith("commit "):
            day = line.removeprefix("commit ")
        elif match := ENTRY.match(line):
            days[match[1]] = day  # the oldest commit comes last
    return days


def added_as_noted(drafts: Iterable[Draft]) -> dict[str, str]:
    """Return the day that a remark before an entry, or a reference manager's field in it, gives."""
    found = ((draft.key, day_in(draft.remark) or next(filter(None, map(day_in, map(draft.text, NOTED))), ""))
             for draft in drafts)  # fmt: skip
    return {key: day for key, day in found if day}


def day_in(text: str) -> str:
    """Return a day as YYYY-MM-DD; empty if the text is none."""
    if match := re.match(r"\d{4}-\d{2}-\d{2}(?=[T ]|$)", text):
        text = match.group()
    for form in WRITTEN:
        try:
            day = datetime.strptime(text, form).date()
        except ValueError:
            continue
        return day.isoformat() if date(1990, 1, 1) <= day else ""
    return ""
