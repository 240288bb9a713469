"""Import a long Claude Code session, against ``json.loads`` of each of its lines.

The session is generated in the format of the fixtures of ``tests/traces/importers``. The length of its records and
their frequency by kind were measured on five real sessions: a record has 4 to 7 kB, nine tenths of the bytes
are tool results, and each result occurs twice, as the model received it and as the program stores it.
Each side runs in a separate process, which reports its processor time after the imports of its modules and its peak
memory, less that of a process that imports one line.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from time import process_time
from typing import IO, Any

from tests.benchmarks.isolated import peak_memory, run_isolated

SIZE = int(os.environ.get("IMPORT_MB", "100")) * 1_000_000
"""Bytes of the longest session; the aim of the project is 100 MB."""
OF_ONE = 2_000_000
"""Bytes of a sub-agent's own log."""
RESULT, SPOKEN, THOUGHT, FILE = 5_400, 700, 1_200, 6_000
"""Mean characters of a tool result, of a text and a thought of a model, and of a file that it writes."""
LONGEST = 30_000
"""Tool results are truncated to this length."""
TIMES = 3
"""Runs of each side; the median counts."""
WORDS = "def return self import value for in not None if else path lines found = += == ( ) [ ] { } , . : \"w\" 'x' \\n // # \t"
BEYOND_ASCII = 0.25
"""The share of texts with an arrow, a tick and an accented letter."""


def run() -> Iterator[str]:
    """Yield the time and memory of sessions of three lengths, and of one with the same events and longer texts."""
    yield "import Claude Code sessions with sub-agents, against json.loads of their lines"
    with tempfile.TemporaryDirectory() as name:
        base = run_isolated(__spec__.name, "ours", _session(Path(name), "least", 0))["memory"]
        rows = [(share, 1.0) for share in (4, 2, 1)] + [(1, 4.0)]
        for share, length in rows:
            path = _session(Path(name), f"s{share}-{length:.0f}", SIZE // share, length)
            size = sum(log.stat().st_size for log in _logs(path))
            ours, peer = _middle("ours", path), _middle("peer", path)
            beyond = (ours["memory"] - base) * 2**20
            yield (
                f"  {size / 1e6:4.0f} MB, {ours['events']:>6,.0f} events{' of longer texts' if length > 1 else ''}: "
                f"{ours['time'] / peer['time']:.2f} times the time ({ours['time']:.2f} s to {peer['time']:.2f} s); "
                f"{beyond / 2**20:.0f} MiB beyond the modules' {base:.0f} MiB, "
                f"{beyond / ours['events']:,.0f} bytes an event, {beyond / size:.2f} a byte"
            )


def _session(folder: Path, name: str, size: int, length: float = 1.0) -> Path:
    """Write a session of a size in bytes, three fifths of them in sub-agent logs; return its main file."""
    writer = _Writer(name, length)
    main, within = folder / f"{name}.jsonl", folder / name / "subagents"
    within.mkdir(parents=True)
    helpers = max(1, round(size * 0.6 / OF_ONE))
    with main.open("w", encoding="utf-8") as log:
        writer.prompt(log, None, "Find what is slow, and fix it.")
        for number in range(helpers):
            call, helper = f"toolu_spawn{number}", f"h{number}"
            spent = writer.work(log, None, size * 0.4 / helpers)
            writer.call(log, None, call, "Task", {"prompt": f"Look at part {number}.", "subagent_type": "reader"})
            with (within / f"agent-{helper}.jsonl").open("w", encoding="utf-8") as own:
                writer.prompt(own, helper, f"Look at part {number}.")
                writer.work(own, helper, size * 0.6 / helpers)
                writer.answer(own, helper, "Part done.")
            (within / f"agent-{helper}.meta.json").write_text(json.dumps({"agentType": "reader", "toolUseId": call}))
            back = {"status": "completed", "agentId": helper, "totalTokens": spent % 9_999, "totalToolUseCount": 9}
            writer.result(log, None, call, "Part done.", back)
        writer.answer(log, None, "All is done.")
    return main


class _Writer:
    """Writes the records of one session, a little over a second apart."""

    def __init__(self, session: str, length: float) -> None:
        self._session, self._length = session, length
        self._random = random.Random(20260301)
        words = WORDS.split(" ")
        self._pool = "".join(
            self._random.choice(words) + ("\n    " if self._random.random() < 0.14 else " ") for _ in range(400_000)
        )
        self._number = count()
        self._message = "msg"

    def work(self, log: IO[str], agent: str | None, size: float) -> int:
        """Write steps until a size is reached: thoughts or texts, a tool call, and its result; return their number."""
        steps, start = 0, log.tell()
        while log.tell() - start < size:
            steps += 1
            self._message = f"msg_{next(self._number):024}"
            if self._random.random() < 0.6:
                self._generated(
                    log, agent, {"type": "thinking", "thinking": self._text(THOUGHT), "signature": "s" * 400}
                )
            if self._random.random() < 0.5:
                self._generated(log, agent, {"type": "text", "text": self._text(SPOKEN)})
            call = f"toolu_{next(self._number):024}"
            which = self._random.random()
            if which < 0.1:
                given, text = {"file_path": "src/new.py", "content": self._text(FILE)}, "File created."
                self.call(log, agent, call, "Write", given)
                self.result(log, agent, call, text, {"type": "create", "filePath": "src/new.py", **given})
            elif which < 0.5:
                found = self._text(RESULT)
                self.call(log, agent, call, "Bash", {"command": "make test", "description": "Run the tests"})
                stored = {"stdout": found, "stderr": "", "interrupted": False, "isImage": False}
                self.result(log, agent, call, found, stored)
            else:
                found = self._text(RESULT)
                self.call(log, agent, call, "Read", {"file_path": "src/old.py"})
                file = {"filePath": "src/old.py", "content": found, "numLines": 99, "startLine": 1, "totalLines": 99}
                self.result(log, agent, call, found, {"type": "text", "file": file})
        return steps

    def prompt(self, log: IO[str], agent: str | None, text: str) -> None:
        self._record(log, agent, "user", {"role": "user", "content": text})

    def answer(self, log: IO[str], agent: str | None, text: str) -> None:
        self._message = f"msg_{next(self._number):024}"
        self._generated(log, agent, {"type": "text", "text": text})

    def call(self, log: IO[str], agent: str | None, id: str, tool: str, given: dict[str, str]) -> None:
        self._generated(log, agent, {"type": "tool_use", "id": id, "name": tool, "input": given})

    def result(self, log: IO[str], agent: str | None, id: str, text: str, stored: dict[str, Any]) -> None:
        result = {"tool_use_id": id, "type": "tool_result", "content": text, "is_error": False}
        self._record(log, agent, "user", {"role": "user", "content": [result]}, toolUseResult=stored)

    def _generated(self, log: IO[str], agent: str | None, block: dict[str, Any]) -> None:
        cached = {"ephemeral_5m_input_tokens": 216, "ephemeral_1h_input_tokens": 0}
        usage = {"input_tokens": 2, "cache_creation_input_tokens": 216, "cache_read_input_tokens": 22033,
                 "cache_creation": cached, "output_tokens": 50, "service_tier": "standard"}  # fmt: skip
        message = {"model": "m-large", "id": self._message, "type": "message", "role": "assistant", "content": [block],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
        self._record(log, agent, "assistant", message, requestId=f"req_{self._message}")

    def _record(self, log: IO[str], agent: str | None, kind: str, message: dict[str, Any], **more: Any) -> None:
        number = next(self._number)
        record = {"parentUuid": self._id(number - 1), "isSidechain": agent is not None, "userType": "external",
                  "cwd": "/work", "sessionId": self._session, "version": "2.1.9", "gitBranch": "main",
                  **({"agentId": agent} if agent else {}), "type": kind, "message": message, **more,
                  "uuid": self._id(number), "timestamp": self._time(number)}  # fmt: skip
        log.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")

    def _id(self, number: int) -> str:
        return f"00000000-0000-4000-8000-{number:012}"

    def _time(self, number: int) -> str:
        minutes, seconds = divmod(number, 60)
        hours, minutes = divmod(minutes, 60)
        return f"2026-03-{1 + hours // 24:02}T{hours % 24:02}:{minutes:02}:{seconds:02}.{number % 1000:03}Z"

    def _text(self, mean: int) -> str:
        size = min(int(self._random.expovariate(1 / mean)) + 20, LONGEST)
        size = int(size * self._length)
        start = self._random.randrange(len(self._pool) - size)
        text = self._pool[start : start + size]
        return text.replace("found", "→ é ✓") if self._random.random() < BEYOND_ASCII else text


def _logs(main: Path) -> list[Path]:
    return [main, *sorted((main.with_suffix("") / "subagents").glob("*.jsonl"))]


def _middle(side: str, path: Path) -> dict[str, float]:
    runs: list[dict[str, float]] = [run_isolated(__spec__.name, side, path) for _ in range(TIMES)]
    return sorted(runs, key=lambda run: run["time"])[TIMES // 2]


def _ours(path: Path) -> dict[str, float]:
    """Do the work of ``survey trace import claude-code PATH -o /dev/null``."""
    from survey.traces.files import to_json_line
    from survey.traces.importers import Log, importers
    from survey.traces.model import Content

    importer = importers()["claude-code"]
    start, events = process_time(), 0
    with Path(os.devnull).open("wb") as nowhere:
        for trace in importer.read(Log(path), Content()):
            nowhere.write(to_json_line(trace) + b"\n")
            events += len(trace)
    return {"time": process_time() - start, "events": events}


def _peer(path: Path) -> dict[str, float]:
    start = process_time()
    for log in _logs(path):
        with log.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)
    return {"time": process_time() - start}


if __name__ == "__main__":
    found = {"ours": _ours, "peer": _peer}[sys.argv[1]](Path(sys.argv[2]))
    found["memory"] = peak_memory()
    print(json.dumps(found))
