"""What was measured: the learning curves of each setting, with the commit, the seeds and the machine they came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).with_name("measured")


def results(setting: str) -> dict[str, Any]:
    """Return the results of a setting, joined from what ``python -m survey.traces.training.transformers`` wrote.

    Each task ran in a process of its own.
    """
    found: dict[str, Any] = json.loads((MEASURED / f"{setting}.json").read_text(encoding="utf-8"))
    return found
