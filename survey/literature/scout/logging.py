"""Writing into ``searches.toml`` what a run saw and what an evaluation found; what a person wrote there stays."""

from __future__ import annotations

import json
import re
from pathlib import Path

from survey.atomic import write_atomically
from survey.literature.pool import Evaluation, Run

EVALUATION = re.compile(
    r"(?ms)^\[evaluation\].*?(?=^\[+(?!\[?evaluation\b)|\Z)|^\[\[evaluation\.month\]\].*?(?=^\[|\Z)"
)


def append_run(path: Path, run: Run) -> None:
    """Add a run behind the others, and before the evaluation."""
    text = path.read_text(encoding="utf-8")
    table = "\n".join([
        "[[run]]", f"day = {run.day}", f"route = {json.dumps(run.route)}", f"newest = {run.newest}",
        f"seen = {run.seen}", f"ranked = {run.ranked}", f"queued = {run.queued}", "",
    ])  # fmt: skip
    place = text.find("\n[evaluation]")
    before, after = (text, "") if place < 0 else (text[: place + 1], "\n" + text[place + 1 :])
    write_atomically(path, f"{before.rstrip()}\n\n{table}{after}".encode())


def write_evaluation(path: Path, found: Evaluation) -> None:
    """Put an evaluation in the place of the one before."""
    rest = EVALUATION.sub("", path.read_text(encoding="utf-8")).rstrip()
    saved = [] if found.work_saved is None else [f"work-saved = {found.work_saved:.3f}"]
    lines = ["[evaluation]", f"day = {found.day}", f"listing = {json.dumps(found.listing, ensure_ascii=False)}", *saved]
    for month in found.months:
        lines += ["", "[[evaluation.month]]", f'month = "{month.month}"', f"seen = {month.seen}",
                  f"came = {month.came}", f"read = [{', '.join(map(str, month.read))}]"]  # fmt: skip
    write_atomically(path, "\n".join([rest, "", *lines, ""]).encode())
