"""The logs that stand for each format, written by us."""

from __future__ import annotations

from pathlib import Path


def sample(name: str) -> Path:
    """Return a log, or the folder with the logs of a format, by its name: "codex/person.jsonl", "codex"."""
    (path,) = Path(__file__).parent.glob(f"*/logs/{name}")
    return path
