"""The examples of the page on trainers, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "traces" / "trainers.md").read_text()


def example(heading: str, number: int = 0) -> dict[str, Any]:
    """What the examples under this heading define: the first, or one further down."""
    [section] = re.findall(rf"(?ms)^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE)
    code = re.findall(r"(?s)```python\n(.*?)```", section)[number]
    defined: dict[str, Any] = {"__name__": f"example of {heading}"}
    exec(compile(code, "trainers.md", "exec"), defined)
    return defined
