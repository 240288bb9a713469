"""Sessions of Claude Code, written line by line: each method adds what an agent wrote or read at a second."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from survey.traces import Trace
from survey.traces.importers.coding_agents.claude_code import IMPORTER
from survey.traces.importers.log import Log
from survey.traces.metrics import measure
from survey.traces.model import Content

INTERRUPTED = "[Request interrupted by user for tool use]"


def iso(second: float) -> str:
    stamp = datetime.fromtimestamp(1_780_000_000 + second, UTC)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Session:
    """The log of the main agent, with those of its sub-agents."""

    def __init__(self, agent: str | None = None) -> None:
        self.agent = agent
        self.lines: list[dict[str, Any]] = []
        self.others: list[Session] = []

    def add(self, at: float, type: str, **fields: Any) -> None:
        own = {"agentId": self.agent} if self.agent else {}
        ids = {"uuid": f"{self.agent}-{len(self.lines)}", "sessionId": "s", "isSidechain": bool(self.agent)}
        self.lines.append({"type": type, "timestamp": iso(at), **ids, **own, **fields})

    def prompt(self, at: float, text: str = "go") -> None:
        self.add(at, "user", message={"role": "user", "content": text})

    def say(self, at: float, *blocks: dict[str, Any], **fields: Any) -> None:
        """Add a turn of one record, of these blocks or of a text."""
        content = list(blocks) or [{"type": "text", "text": "ok"}]
        usage = {"input_tokens": 10, "output_tokens": 50}
        message = {"id": f"m-{self.agent}-{at}", "model": "m", "role": "assistant", "content": content, "usage": usage}
        self.add(at, "assistant", message={**message, **fields.pop("message", {})}, **fields)

    def call(self, at: float, *calls: tuple[str, str, dict[str, Any]]) -> None:
        """Add a turn with calls: id, tool and arguments."""
        self.say(at, *({"type": "tool_use", "id": id, "name": tool, "input": given} for id, tool, given in calls))

    def task(self, at: float, id: str, **given: Any) -> None:
        self.call(at, (id, "Task", {"prompt": f"work of {id}", "subagent_type": "worker", **given}))

    def result(self, at: float, id: str, text: str = "fine", detail: Any = None, *, failed: bool = False) -> None:
        block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
        self.add(at, "user", message={"role": "user", "content": [block]}, toolUseResult=detail or text)

    def returned(self, at: float, id: str, agent: str) -> None:
        self.result(at, id, f"done\nagentId: {agent}", {"status": "completed", "agentId": agent})

    def launched(self, at: float, id: str, agent: str) -> None:
        self.result(at, id, f"agentId: {agent}", {"status": "async_launched", "isAsync": True, "agentId": agent})

    def interrupted(self, at: float, id: str) -> None:
        self.result(at, id, INTERRUPTED, failed=True)
        self.add(at, "user", message={"role": "user", "content": [{"type": "text", "text": INTERRUPTED}]})

    def failed_request(self, at: float, text: str = "API Error: 529 overloaded") -> None:
        usage = {"input_tokens": 0, "output_tokens": 0}
        message = {"model": "<synthetic>", "usage": usage, "content": [{"type": "text", "text": text}]}
        self.say(at, message=message, isApiErrorMessage=True)

    def sub_agent(self, name: str, start: float) -> Session:
        """Return the log of a sub-agent, which begins with its task."""
        self.others.append(Session(name))
        self.others[-1].prompt(start, f"work of {name}")
        return self.others[-1]

    def trace(self, folder: Path) -> Trace:
        """Write the logs and return the trace of the session."""
        below = folder / "s" / "subagents"
        below.mkdir(parents=True, exist_ok=True)
        (folder / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        for other in self.others:
            (below / f"agent-{other.agent}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in other.lines))
            (below / f"agent-{other.agent}.meta.json").write_text(json.dumps({"toolUseId": f"call-{other.agent}"}))
        [trace] = IMPORTER.read(Log(folder / "s.jsonl"), Content())
        return trace


def seconds(trace: Trace, *names: str) -> list[float]:
    """The figures of time of these names; those by agent added up."""
    found = measure(trace)
    values = (found[name].value or 0 for name in names)
    return [round(sum(value.values()) if isinstance(value, dict) else value, 2) for value in values]
