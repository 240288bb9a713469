"""mini-SWE-agent: the conversation of one agent with a model and a shell, one JSON file for a run.

A message of version 2 says what it is: its actions, its return code, why it interrupts. In version 1 a message of the
user is the result of the block for the shell before it. The stamp of a message is when it was complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.json_values import Fields, instant, items, mapping, number, text
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import NO_TOKENS, Builder, Content, Trace

NAME = "mini-swe-agent"
AGENT, SHELL = "main", "bash"
OPENING, CLOSING = "```bash\n", "\n```"
CODE = re.compile(r"<returncode>(-?[0-9]{1,9})</returncode>")
REFUSED = ("Command not executed", "Interrupted by user")
"""How version 1 begins what it passes on from a person who stopped a command."""

LATE = "timed out and has been killed"


def recognises(log: Log) -> bool:
    """Return whether the document names a format of the program."""
    with suppress(OSError, BadLog):
        return any(_is_run(record) for record in log.opening(1))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each run: a file as the program writes it holds one."""
    last: Builder | None = None
    strangers = 0
    for place, record in enumerate(log.objects(), 1):
        run = _Run(record, log.path.name.removesuffix(".json").removesuffix(".traj"), place, content)
        if not _is_run(record) or not run.write():
            strangers += 1
            continue
        if last:
            yield last.build()
        last = run.builder
    if not last:
        raise BadLog(
            f'{log.path.name}: found no run of mini-SWE-agent (expected "trajectory_format": "mini-swe-agent-..." and '
            "messages)"
        )
    last.lost("lines that are not JSON objects", log.unreadable)
    last.lost("records that are not runs", strangers)
    yield last.build()


def _is_run(record: Fields) -> bool:
    form = record.get("trajectory_format")
    return isinstance(form, str) and form.startswith(NAME) and isinstance(record.get("messages"), list)


def _stamp(message: Fields) -> float | None:
    return instant(message.get("timestamp", mapping(message.get("extra")).get("timestamp")))


def _words(message: Fields) -> str | None:
    """Return the text of a message, of its text parts, or of the output of a response."""
    said = message.get("content", message.get("output"))
    if isinstance(said, str):
        return said or None
    parts = [
        part for item in items(said) for part in (mapping(item), *map(mapping, items(mapping(item).get("content"))))
    ]
    return "\n".join(words for part in parts if (words := text(part.get("text")))) or None


class _Run:
    """A writer of one run."""

    def __init__(self, record: Fields, name: str, place: int, content: Content) -> None:
        self._messages = [mapping(message) for message in items(record.get("messages"))]
        self._info = mapping(record.get("info"))
        self._old = record.get("trajectory_format") == "mini-swe-agent-1"
        stamps = [stamp for message in self._messages if (stamp := _stamp(message)) is not None]
        self._clock = stamps[0] if stamps else None
        self._started = False
        model = mapping(mapping(self._info.get("config")).get("model"))
        self.builder = Builder(
            name if place == 1 else f"{name}:{place}",
            text(record.get("instance_id")) or name,
            importer=NAME,
            system=NAME,
            version=text(self._info.get("mini_version")),
            time="seconds" if stamps else "ordinal",
            content=content,
        )
        self.builder.agent(AGENT, model=text(model.get("model_name")))
        self._cause: tuple[str, str, bool] | None = None
        self._turns = 0
        self._open: list[tuple[str | None, str]] = []
        self._spent = 0.0

    def write(self) -> bool:
        """Write the run; return whether it has any turn."""
        for message in self._messages:
            self._message(message)
        status = text(self._info.get("exit_status"))
        self.builder.lost("tool calls that never ended", len(self._open))
        if status and self._cause:
            done = status == "Submitted"
            stopped = self._event("stop", decision=["O5"] if done else None, status=None if done else "error")
            self.builder.link(self._cause[0], stopped, "causal")
        stats = mapping(self._info.get("model_stats"))
        calls = number(stats.get("api_calls"))
        self.builder.head["metrics"] = None if calls is None else {"model_calls": calls}
        usage.declare(self.builder, "usd", number(stats.get("instance_cost")), self._spent)
        usage.answer(self.builder, self._info.get("submission"))
        return bool(self._turns)

    def _event(self, type: str, t: float | None = None, agent: str = AGENT, **fields: Any) -> str:
        return self.builder.event(type, agent, self._clock if t is None else t, **fields)

    def _message(self, message: Fields) -> None:
        extra, role = mapping(message.get("extra")), message.get("role")
        interruption = text(extra.get("interrupt_type"))
        before, stamp = self._clock, _stamp(message)
        if stamp is not None and before is not None and stamp < before:
            self.builder.lost("events dated before the one that they follow, moved to its time")
        elif stamp is not None:
            self._clock = stamp
        elif role not in ("system", "exit"):
            self.builder.lost("acts without a time, placed beside their neighbours", int(self._clock is not None))
        if role == "assistant" or message.get("object") == "response":
            self._turn(message, before)
        elif interruption == "FormatError":
            self._turn(message, before, failed=True)
        elif role == "exit":
            self._exit(message, extra)
        elif role == "tool" or message.get("type") == "function_call_output" or "returncode" in extra:
            self._result(message, self._status(extra))
        elif role != "user":
            self.builder.lost("system messages")
        else:
            self._said(message, interruption)

    def _turn(self, message: Fields, begun: float | None, *, failed: bool = False) -> None:
        """Write a turn and its calls. The program keeps of a turn in a wrong form only its complaint and the cost."""
        extra = mapping(message.get("extra"))
        response = mapping(extra.get("response")) or message
        spent, cost = usage.of_response(response), usage.money(extra.get("cost"))
        self.builder.lost(NO_TOKENS, int(spent is None))
        self._spent += cost or 0
        blocks = _blocks(_words(message) or "") if self._old else 1
        turn = self._event(
            "model_call",
            begun,
            t_end=self._clock,
            text=None if failed else _words(message),
            tokens=spent,
            cost=cost,
            model=text(response.get("model")),
            status="error" if failed or blocks != 1 else None,
        )
        self._caused(turn)
        self._cause, self._turns = (turn, "causal", False), self._turns + 1
        self.builder.lost("tool calls that never ended", len(self._open))
        actions = [{}] if self._old and blocks == 1 else [] if self._old or failed else items(extra.get("actions"))
        self._open = []
        for action in actions:
            call = self._event("tool_call", tool=SHELL, parent=turn)
            self.builder.link(turn, call, "causal")
            self._open.append((text(mapping(action).get("tool_call_id")), call))

    def _caused(self, event: str) -> None:
        if self._cause:
            src, link, derived = self._cause
            self.builder.link(src, event, link, derived=derived)

    def _status(self, extra: Fields) -> str | None:
        """Return how a command ended, by its return code and the exception that the program caught."""
        if extra.get("exception_info") == "action was not executed":
            return "cancelled"
        if extra.get("exception_type") == "TimeoutExpired" or LATE in (text(extra.get("exception_info")) or ""):
            return "timeout"
        return "error" if number(extra.get("returncode")) else None

    def _result(self, message: Fields, status: str | None) -> None:
        """Write the result of the call that it names, else of the first open one."""
        named = text(message.get("tool_call_id")) or text(message.get("call_id"))
        found = next((each for each in self._open if named and each[0] == named), self._open[0] if self._open else None)
        if found is None:
            self.builder.lost("results of missing or already answered calls")
            return
        self._open.remove(found)
        result = self._event("tool_result", tool=SHELL, parent=found[1], text=_words(message), status=status)
        self.builder.link(found[1], result, "tool_dependency")
        self._cause = (result, "tool_dependency", False)

    def _exit(self, message: Fields, extra: Fields) -> None:
        """Read why the run ended; what was handed in is the result of the last command."""
        if extra.get("exit_status") == "Submitted" and self._open:
            self._result(message, None)

    def _said(self, message: Fields, interruption: str | None) -> None:
        """Write what a person says: the task, or an intervention. In version 1 it may be a result instead."""
        words = _words(message)
        if not self._started:
            self._started = True
            task = self._event("message", agent="user", to=AGENT, text=words)
            self._cause = (task, "message", False)
        elif self._old and self._open and not (words or "").startswith(REFUSED):
            found = CODE.search(words or "")
            late = LATE in (words or "")
            self._result(message, "timeout" if late else "error" if found and int(found[1]) else None)
        elif interruption or (self._old and (words or "").startswith(REFUSED)):
            if self._old and self._open:
                self._result({}, "rejected")
            self._intervene(words)
        elif items(mapping(message.get("extra")).get("actions")):
            self.builder.lost("commands of a person, without their results")
            self._intervene(words)
        else:
            self.builder.lost("messages of the program to the model")

    def _intervene(self, words: str | None) -> None:
        event = self._event("human_intervention", agent="user", to=AGENT, text=words)
        self._cause = (event, "causal", True)


def _blocks(words: str) -> int:
    """Return the number of blocks for the shell in a message."""
    found, place = 0, words.find(OPENING)
    while place >= 0 and (end := words.find(CLOSING, place + len(OPENING))) >= 0:
        found, place = found + 1, words.find(OPENING, end + len(CLOSING))
    return found


IMPORTER = Importer(
    NAME,
    "Trajectories of mini-SWE-agent",
    recognises,
    read,
    "Versions 1 and 2, with tokens and cost of each call where the log keeps the responses. One agent; shown on real "
    "logs of version 2, which have times. The first turn has no beginning in the log.",
)
