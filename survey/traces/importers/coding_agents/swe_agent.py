"""SWE-agent: the trajectory of a run, one JSON file of steps, each with a response, an action and an observation.

A run with retries holds several attempts, each the whole run of a new agent, and what a reviewer or a chooser said of
them; what stands beside them repeats the best attempt. No record has a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.json_values import Fields, items, mapping, number, parsed, text, tokens
from survey.traces.importers.log import BadLog, Importer, Log
from survey.traces.model import Builder, Content, Trace

NAME = "swe-agent"
ROOT, REVIEWER, CHOOSER = "main", "reviewer", "chooser"
COMMANDS = frozenset({
    "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "set_cursors", "find_file", "search_dir",
    "search_file", "filemap", "str_replace_editor", "view_image", "submit", "exit", "exit_forfeit", "decompile",
    "disassemble", "connect_start", "connect_stop", "connect_sendline", "connect_exec", "debug_start", "debug_stop",
    "debug_step", "debug_continue", "debug_exec", "debug_add_breakpoint", "open_site", "close_site",
})  # fmt: skip
"""The commands that the program brings along. Anything else is a line for the shell, and may say anything."""

SHELL = "bash"
CANCELLED = re.compile(r"was cancelled because it took more than")
GIVEN_UP = re.compile(r"exit_(?!command)")
"""A reason in the exit status for which the program, and not the model, ended the run."""

CHOSEN = re.compile(r"submitted$|exit_command|exit_forfeit")


def recognises(log: Log) -> bool:
    """Return whether the document holds steps of the agent, its own or those of its attempts."""
    with suppress(OSError, BadLog):
        return any(_is_run(record) for record in log.opening(1))
    return False


def read(log: Log, content: Content) -> Iterator[Trace]:
    """Yield a trace for each run: a file as the program writes it holds one."""
    last: Builder | None = None
    strangers = 0
    for place, record in enumerate(log.objects(), 1):
        if not _is_run(record):
            strangers += 1
            continue
        if last:
            yield last.build()
        last = _built(record, log.path.stem if place == 1 else f"{log.path.stem}:{place}", content)
    if not last:
        raise BadLog(
            f"{log.path.name}: found no trajectory of SWE-agent (expected steps with an action and an observation)"
        )
    last.lost("lines that are not JSON objects", log.unreadable)
    last.lost("records that are not runs", strangers)
    yield last.build()


def _is_step(value: object) -> bool:
    step = mapping(value)
    texts = all(isinstance(step.get(key), str) for key in ("action", "observation"))
    return texts and ("response" in step or "thought" in step) and "source" not in step


def _is_run(record: Fields) -> bool:
    return _has_steps(record) or bool(_attempts(record))


def _has_steps(run: Fields) -> bool:
    return any(_is_step(step) for step in items(run.get("trajectory")))


def _attempts(record: Fields) -> list[Fields]:
    """Return the attempts with steps; none in a run without retries."""
    return [mapping(run) for run in items(record.get("attempts")) if _has_steps(mapping(run))]


def _config(record: Fields) -> Fields:
    """Return the configuration of a run; since 1.0 it is JSON in a text."""
    return mapping(parsed(record.get("replay_config"), "{"))


def _built(record: Fields, name: str, content: Content) -> Builder:
    info, attempts = mapping(record.get("info")), _attempts(record)
    task = text(mapping(_config(attempts[0] if attempts else record).get("problem_statement")).get("id"))
    builder = Builder(
        name,
        task or name,
        importer=NAME,
        system=NAME,
        version=text(info.get("swe_agent_version")),
        time="ordinal",
        content=content,
    )
    if attempts:
        _Attempts(builder, record, attempts).write()
        builder.lost("steps repeated beside the attempts", sum(map(_is_step, items(record.get("trajectory")))))
    else:
        _Agent(builder, ROOT, record).write()
    spent, cost = _spent(info)
    own = [_spent(mapping(run.get("info"))) for run in attempts]
    usage.declare(builder, "usd", cost, sum(part or 0 for _, part in own))
    if spent:
        usage.declare(builder, "tokens", sum(spent.values()), sum(sum(part.values()) for part, _ in own if part))
        builder.head["metrics"] = {f"{kind}_tokens": count for kind, count in spent.items()}
        builder.lost("token counts of single acts, known only in total")
    usage.answer(builder, info.get("submission"))
    return builder


def _spent(info: Fields) -> tuple[dict[str, float] | None, float | None]:
    """Return the tokens and the money of a run; zeros are those of a run without a model."""
    stats = mapping(info.get("model_stats"))
    spent = tokens(input=stats.get("tokens_sent"), output=stats.get("tokens_received"))
    return spent if spent and any(spent.values()) else None, usage.money(stats.get("instance_cost")) or None


class _Agent:
    """A writer of one agent's steps."""

    def __init__(self, builder: Builder, id: str, run: Fields) -> None:
        self.builder, self.id = builder, id
        self._steps = items(run.get("trajectory"))
        self._status = text(mapping(run.get("info")).get("exit_status")) or ""
        self._history = [mapping(item) for item in items(run.get("history"))]
        model = mapping(mapping(_config(run).get("agent")).get("model"))
        self._called = {
            (text(item.get("action")), text(item.get("thought"))): text(mapping(call.get("function")).get("name"))
            for item in self._history
            for call in map(mapping, items(item.get("tool_calls"))[:1])
        }
        names = [text(item.get("agent")) for item in self._history if item.get("role") == "assistant"]
        self._name = names[0] if names else None
        builder.agent(id, name=self._name, model=text(model.get("name")) or text(model.get("model_name")))
        builder.lost("turns of sub-agents that are not in the trajectory", sum(name != self._name for name in names))

    @property
    def task(self) -> str | None:
        """The text of the first message to the agent that shows no example."""
        asked = (item for item in self._history if item.get("role") == "user" and item.get("is_demo") is not True)
        return text(next((item.get("content") for item in asked), None))

    def write(self, cause: str | None = None) -> str | None:
        """Write all steps, from the task or from a spawn on; return the last event."""
        link = "spawn"
        if cause is None:
            cause, link = self.builder.event("message", "user", to=self.id, text=self.task), "message"
        for place, value in enumerate(self._steps):
            step = mapping(value)
            if not _is_step(step):
                self.builder.lost("steps that are not JSON objects")
            elif place == len(self._steps) - 1 and self._is_of_the_program(step):
                self.builder.lost("steps of the program at the end of the run")
            else:
                cause, link = self._step(step, cause, link), "tool_dependency"
        if self._status and self.id == ROOT:
            stopped = self.builder.event(
                "stop",
                self.id,
                decision=["O5"] if CHOSEN.search(self._status) else None,
                status=None if CHOSEN.search(self._status) else "error",
            )
            self.builder.link(cause, stopped, "causal")
        return cause

    def _is_of_the_program(self, step: Fields) -> bool:
        """Return whether the last step only says why the program ended the run."""
        return not step["action"].strip() and bool(GIVEN_UP.search(self._status))

    def _step(self, step: Fields, cause: str, link: str) -> str:
        """Write a turn, and the call and the result that follow from it; return the last of them."""
        action, seen = step["action"].strip(), step["observation"]
        bare = not action and not seen
        turn = self.builder.event(
            "model_call",
            self.id,
            text=text(step.get("response")) or text(step.get("thought")),
            status="error" if bare else None,
        )
        derived = link == "message"
        if self.builder[cause].type == "model_call":
            link = "causal"
        self.builder.link(cause, turn, link, derived=derived)
        if not action:
            return turn
        tool = self._tool(step, action)
        call = self.builder.event("tool_call", self.id, tool=tool, parent=turn)
        self.builder.link(turn, call, "causal")
        took = number(step.get("execution_time"))
        self.builder.lost("durations of tool calls, in a log without times", int(bool(took)))
        status = "timeout" if CANCELLED.search(seen) else None
        if took == 0 and not seen and action != "exit":
            status = "error"  # blocked, or no valid line for the shell: the program asked again
        result = self.builder.event("tool_result", self.id, tool=tool, parent=call, text=seen, status=status)
        self.builder.link(call, result, "tool_dependency")
        return result

    def _tool(self, step: Fields, action: str) -> str:
        """Return the tool of an action: as called, or as the first word says; else the shell."""
        called = self._called.get((step["action"], text(step.get("thought"))))
        word = action.split(maxsplit=1)[0]
        return called or (word if word in COMMANDS else SHELL)


class _Attempts:
    """A writer of a run with retries: the program starts an agent for each attempt, one after another."""

    def __init__(self, builder: Builder, record: Fields, attempts: list[Fields]) -> None:
        self.builder, self.info, self.attempts = builder, mapping(record.get("info")), attempts

    def write(self) -> None:
        """Write the attempts, their reviews, and the choice among them."""
        self.builder.agent(ROOT, role="retry loop")
        agents = [_Agent(self.builder, f"attempt-{place}", run) for place, run in enumerate(self.attempts, 1)]
        cause: str = self.builder.event("message", "user", to=ROOT, text=agents[0].task)
        link, ends = "message", []
        for agent, run in zip(agents, self.attempts, strict=True):
            spawn = self.builder.event("spawn", ROOT, to=agent.id, text=agent.task)
            self.builder.link(cause, spawn, "causal" if link == "return" else link, derived=True)
            cause, link = self._ended(agent, agent.write(spawn), run, spawn), "return"
            ends.append(cause)
        chosen = self._chosen(ends)
        if "best_attempt_idx" in self.info:
            stopped = self.builder.event("stop", ROOT, decision=["O5"])
            for end in [chosen] if chosen else ends:
                self.builder.link(end, stopped, "return", derived=True)

    def _ended(self, agent: _Agent, last: str | None, run: Fields, spawn: str) -> str:
        """Write the return of an attempt, and the scores of a reviewer; return the last of these events."""
        info = mapping(run.get("info"))
        status, review = text(info.get("exit_status")) or "", mapping(info.get("review"))
        spent, cost = _spent(info)
        accept = review.get("accept")
        score = float(accept) if isinstance(accept, bool) else number(accept)
        returned = self.builder.event(
            "return",
            agent.id,
            to=ROOT,
            text=text(info.get("submission")),
            status=None if status.startswith("submitted") else "error",
            tokens=spent,
            cost=cost,
            reward=None if score is None else {"judge": score},
        )
        if last != spawn:
            self.builder.link(last, returned, "causal")
        else:
            self.builder.link(spawn, returned, "causal")
        before, link = returned, "return"
        for answer in items(review.get("outputs")):
            self.builder.agent(REVIEWER, role=REVIEWER)
            event = self.builder.event("model_call", REVIEWER, text=text(answer))
            self.builder.link(before, event, link, derived=True)
            before, link = event, "causal"
        return before

    def _chosen(self, ends: list[str]) -> str | None:
        """Write the choice of a model among the attempts, if one was asked."""
        chooser = mapping(self.info.get("chooser"))
        if not chooser:
            return None
        self.builder.agent(CHOOSER, role=CHOOSER)
        choice = self.builder.event("aggregate", CHOOSER, decision=["O4"], text=text(chooser.get("response")))
        for end in ends:
            self.builder.link(end, choice, "aggregate", derived=True)
        return choice


IMPORTER = Importer(
    NAME,
    "Trajectories of SWE-agent",
    recognises,
    read,
    "Versions 0.x and 1.x, with all attempts of a run with retries. No times; tokens and costs of the whole run, or of "
    "an attempt. A result does not say whether its command failed, unless it was blocked or took too long. Shown on "
    "real logs of one agent; retries and reviews by the program's source.",
    experimental=True,
)
