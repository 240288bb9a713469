"""A reading of a conversation of Gemini CLI: one JSON document, or a folder with JSON Lines of a team.

Choices:

- Of the records of a message the last one counts; records that set or rewind something are no messages, and neither
  are those that sum up what a checkpoint dropped. What was taken back later was done all the same.
- A turn is a message of ``gemini`` with words, thoughts or tokens. It begins at the latest prompt, checkpoint or end
  of its calls, and ends at its stamp; one without words whose calls bear its own stamp ends with its last thought.
- The calls of a turn begin when it ends, and are done at their stamp. Calls of a message without words, thoughts and
  tokens belong to the turn before.
- A call with an ``agentId``, or whose result begins with "Subagent", asked for a sub-agent: a delegation, for which
  its caller waits until the agent's last record, or, without a record, until the call was done. Without records that
  time is the agent's work. Beside a delegation other calls take no time, as nobody can tell how long they took.
- A prompt is a message of the user that is neither an answer to calls nor begins with "<session_context>"; those of
  sub-agents are the program's. ``ask_user`` waits for a person.
- The prompt includes cached tokens, as stated; the output excludes thoughts and is read with them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Act, Interval, Kind, Reading, added, latest, moment, reading


def messages(path: Path) -> list[dict[str, Any]]:
    """The messages of one file, each as it was last written."""
    if path.suffix == ".json":
        found: list[dict[str, Any]] = json.loads(path.read_text())["messages"]
        return found
    last: dict[str, dict[str, Any]] = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if "id" in record:
            last[record["id"]] = record
        elif "messages" in record.get("$set", {}):
            last[f"checkpoint {line}"] = {"type": "checkpoint", "timestamp": record["$set"]["lastUpdated"]}
    return list(last.values())


def said(content: Any) -> str:
    """The words of a message."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def answer(call: dict[str, Any]) -> str:
    """The words of a result."""
    told = call["result"][0]["functionResponse"]["response"]
    return str(told.get("output") or told.get("error"))


def read(path: Path) -> Reading:
    """The reading of a document, or of all conversations in a folder."""
    files = {file.stem: file for file in path.rglob("*.jsonl")} if path.is_dir() else {path.stem: path}
    main = next(name for name in files if name.startswith("session-") or path.is_file())
    acts: dict[str, list[Act]] = {}
    lives: dict[str, Interval] = {}
    tokens: list[dict[str, int]] = []
    counts = {"tool_calls": 0, "failed_tool_calls": 0, "delegations": 0, "turns": 0}

    def tell(name: str, file: Path, born: list[tuple[Act, float]]) -> None:
        own = acts.setdefault(name, [])
        cause = born[0][1] if born else 0.0
        turn: Act | None = None
        for message in messages(file):
            at = moment(message["timestamp"])
            results = "functionResponse" in str(message.get("content"))
            if message["type"] == "user" and not results and "<session_context>" not in said(message["content"]):
                if name == main and own:
                    before = max(own, key=lambda act: act.end)
                    own.append(Act(name, "people", before.end, at, [(before, before.end)]))
                cause = at
            if message["type"] == "checkpoint":
                cause = at
            if message["type"] != "gemini":
                continue
            calls = message.get("toolCalls") or []
            used = message.get("tokens") or {}
            thoughts = [moment(thought["timestamp"]) for thought in message.get("thoughts") or []]
            if said(message["content"]) or thoughts or any(used.values()):
                dated = not said(message["content"]) and any(moment(call["timestamp"]) == at for call in calls)
                turn = Act(name, "turn", cause, max(thoughts) if dated and thoughts else at)
                turn.causes = latest(own, turn.start) + (born if not any(act.kind == "turn" for act in own) else [])
                own.append(turn)
                tokens.append(used)
                counts["turns"] += 1
            if turn:
                cause = max([cause, *run(name, turn, calls)])

    def run(name: str, turn: Act, calls: list[dict[str, Any]]) -> list[float]:
        children = [call for call in calls if call.get("agentId") or answer(call).startswith("Subagent")]
        done = []
        for call in calls:
            end = moment(call["timestamp"])
            done.append(end)
            counts["failed_tool_calls"] += call["status"] != "success"
            if call in children:
                counts["delegations"] += 1
                child = call.get("agentId") or call["id"]
                if child in files:
                    tell(child, files[child], [(turn, turn.end)])
                else:
                    acts[child] = [Act(child, "tool", turn.end, end, [(turn, turn.end)])]
                last = max(acts[child], key=lambda act: act.end)
                lives[child] = (turn.end, last.end)
                acts[name].append(Act(name, "agents", turn.end, last.end, [(turn, turn.end), (last, last.end)]))
            else:
                kind: Kind = "people" if call["name"] == "ask_user" else "tool"
                counts["tool_calls"] += 1
                acts[name].append(Act(name, kind, turn.end, turn.end if children else end, [(turn, turn.end)]))
        return done

    tell(main, files[main], [])
    spent = {
        "input_tokens": added(used.get("input") for used in tokens),
        "output_tokens": added(used["output"] + used["thoughts"] for used in tokens if used),
        "cache_read_tokens": added(used.get("cached") for used in tokens),
        "cache_write_tokens": None,
    }
    counts["tool_calls"] += counts["delegations"]
    return reading([act for own in acts.values() for act in own], main, lives, counts, spent)
