"""Text of unknown origin controls no terminal, and no spreadsheet computes it."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.escaping import as_cell, csv_text, visible
from tests.conftest import ROOT

STARTS = "=+-@＝＋－＠"
"""What begins a formula in Excel, LibreOffice or Google Sheets, in some language."""

CONTROLS = ("\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202egpj", "\u2066", "\x08\x08", "\r", "\u200b")
"""A window title, a cleared screen, a colour in one character, two changes of direction, a correction, an overprint."""


def cells_of_a_spreadsheet(text: str) -> list[str]:
    """Every cell that some spreadsheet makes of a file: cut at commas, semicolons or tabs."""
    return [
        cell
        for delimiter in ",;\t"
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for cell in row
    ]


texts = st.text(st.sampled_from(STARTS + "';, \t\r\n\"a1|"), max_size=12) | st.text(max_size=12)


@given(st.lists(texts, min_size=1, max_size=4))
def test_no_spreadsheet_computes_a_cell_of_ours(row: list[str]) -> None:
    for cell in cells_of_a_spreadsheet(csv_text(row)):
        assert not cell.strip(" \xa0").startswith(tuple(STARTS)), row


@given(texts)
def test_the_guard_of_a_cell_can_be_taken_away(text: str) -> None:
    guard = re.compile(r"(\A|(?<=[;\t\r\n]))'(?=[ \xa0\"]*[=+\-@＝＋－＠'])|\A'(?=[ \xa0\"]*[\t\r\n])")
    assert guard.sub("", as_cell(text)) == text


def test_numbers_stay_numbers() -> None:
    assert csv_text([-0.5, 1, None, True]) == "-0.5,1,,True\n"


@given(st.text())
def test_what_is_shown_prints_and_is_still_the_same_json(text: str) -> None:
    document = visible(json.dumps({"name": text}, ensure_ascii=False))
    assert document.isprintable()
    assert json.loads(document) == {"name": text}


# ------------------------------------------------------------ the commands on traces


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, with control characters in each text that somebody else chooses: names, ids, the file's name."""
    document = json.loads(files("survey.traces.model").joinpath("example.json").read_text("utf-8"))
    evil = "".join(CONTROLS)
    text = json.dumps(document)
    names = {agent["id"] for agent in document["agents"]} | {
        str(event[field])
        for event in document["events"]
        for field in ("tool", "role", "agent_name")
        if event.get(field)
    }
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(json.dumps(name), json.dumps(f"{name}{evil}"))
    document = json.loads(text) | {"trace_id": f"run{evil}", "task_id": f"=task{evil}", "system": f"sys{evil}"}
    document["events"].append(
        {"id": f"x{evil}", "t": 8.0, "type": "tool_result", "agent": f"nobody{evil}", "tool": f"none{evil}"}
    )
    path = tmp_path_factory.mktemp("hostile") / f"run{evil}.json"
    path.write_text(json.dumps(document))
    return path


COMMANDS = (
    ["check"], ["check", "--format", "json"], ["report"], ["report", "--format", "json"], ["replay"],
    ["replay", "--format", "json"], ["replay", "--cut"], ["diff"], ["reward"], ["reward", "--format", "csv"],
    ["reward", "--format", "json"], ["credit"], ["credit", "--format", "csv"], ["credit", "--format", "json"],
    ["credit", "--reward", "none"], ["score", "--format", "csv"], ["score"], ["export", "mermaid"], ["export", "atif"],
    ["anonymise"], ["import", "auto"], ["report", "--trace", "\x1b[2J"], ["replay", "--until", "\x1b[2J"],
)  # fmt: skip


OURS = re.compile(r"\x1b\[(?:0|1|31)m|\x1b\[\?25[lh]|\x1b\[K|\r?\n|\t|\r(?=[^\r\n]*\[[#-]+\])")
"""Bold, red and their end, a cursor hidden and shown, the lines of a text, and a progress bar drawn once more."""


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_name_in_a_trace_reaches_the_terminal_as_a_control(arguments: list[str], hostile: Path) -> None:
    paths = [str(hostile)] * (2 if arguments == ["diff"] else 1)
    shown = on_a_terminal(["trace", *arguments, *paths])
    assert shown, "something is said"
    plain = OURS.sub("", shown)
    assert [c for c in plain if not c.isprintable()] == []


def on_a_terminal(arguments: list[str]) -> str:
    """Run the command with a terminal as its standard output and standard error; return what it shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "survey", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=ROOT) as running:
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        running.wait()
    os.close(ours)
    return shown.decode("utf-8")
