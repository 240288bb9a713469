"""Invented runs whose true timeline is known, written as raw logs.

``claude_code``, ``codex``, ``opentelemetry`` and ``langfuse`` take a seed and a folder. Each invents a run with what
its format can show, writes the log and returns its path and the true figures. Times are whole milliseconds. In every
third run the clocks of the sub-agents are off by up to 200 ms in the log; the truth is in true time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.traces.oracle.timeline import Act, Interval, Reading, reading

START = 1_770_000_000.0
SKEW = 0.2
MAIN = "main"
KEYS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
COMMON = frozenset({"tool", "fail", "async", "ask"})
CLAUDE = COMMON | {"task", "badtask", "output", "poll", "plan", "reject", "cancel", "lost", "prompt"}
CLAUDE |= {"placeholder", "early", "notice"}
CODEX = COMMON | {"output", "poll", "approve", "reject", "prompt"}
SPANS = COMMON | {"task", "gather"}


@dataclass(eq=False)
class Call:
    id: str
    kind: str
    at: float
    end: float | None = None
    failed: bool = False
    child: Agent | None = None
    act: Act | None = None
    timeout: float = 0.0
    begun: float | None = None


@dataclass(eq=False)
class Turn:
    id: str
    act: Act
    stamps: list[float]
    """One for each record; the last ones belong to the calls."""
    calls: list[Call]
    tokens: dict[str, int]


@dataclass(eq=False)
class Agent:
    id: str
    depth: int
    start: float
    skew: float = 0.0
    turns: list[Turn] = field(default_factory=list)
    prompts: list[tuple[float, str]] = field(default_factory=list)
    """Stamps of what others than tools say to it: prompt, notice, command, placeholder or interrupt."""
    acts: list[Act] = field(default_factory=list)
    notice: float | None = None
    """When its return reaches the agent that started it without waiting."""
    returned: float | None = None
    life: Interval = (0.0, 0.0)

    @property
    def last(self) -> Act:
        return max(self.acts, key=lambda act: act.end)


def skewed(seed: int) -> bool:
    """Whether the clocks of the sub-agents are off in the log of this run."""
    return seed % 3 == 2


class Run:
    """One invented run."""

    def __init__(self, seed: int, features: frozenset[str], *, streams: bool, prefix: str = "") -> None:
        self.random, self.features, self.streams, self.prefix = random.Random(seed), features, streams, prefix
        self.skewed = skewed(seed)
        self.agents: list[Agent] = []
        self.serial = 0
        self.main = self.agent(0, START)
        self.main.prompts.append((START, "prompt"))
        self.over = False
        at = self.work(self.main, START, [], self.random.randint(1, 4))
        while not self.over:
            waiting = [agent for agent in self.agents if agent.notice and agent.notice > at and agent.depth == 1]
            if waiting and "notice" in features:
                child = min(waiting, key=lambda agent: agent.notice or 0)
                wait = self.act(
                    self.main, "agents", at, child.notice or at, [(self.main.last, at), (child.last, child.last.end)]
                )
                self.main.prompts.append((wait.end, f"notice {child.id}"))
                at = self.work(self.main, wait.end, [(wait, wait.end)], self.random.randint(1, 2))
            elif "prompt" in features and self.random.random() < 0.6:
                at = self.prompted(at)
            else:
                break

    def name(self, kind: str) -> str:
        self.serial += 1
        return f"{self.prefix}{kind}{self.serial:04d}"

    def between(self, low: float, high: float) -> float:
        return round(self.random.uniform(low, high), 3)

    def agent(self, depth: int, start: float) -> Agent:
        skew = self.between(-SKEW, SKEW) if self.skewed and depth else 0.0
        made = Agent(self.name("a"), depth, start, skew)
        self.agents.append(made)
        return made

    def act(self, agent: Agent, kind: Any, start: float, end: float, causes: list[tuple[Act, float]]) -> Act:
        made = Act(agent.id, kind, round(start, 3), round(end, 3), causes)
        agent.acts.append(made)
        return made

    def prompted(self, at: float) -> float:
        """The person comes back, perhaps after a command that no model answers."""
        last = self.main.last
        if "placeholder" in self.features and self.random.random() < 0.4:
            self.main.prompts.append((round(at + 2, 3), "command"))
            self.main.prompts.append((round(at + 3600, 3), "placeholder"))
            back = at + 3600 + self.between(1, 30)
        else:
            back = at + self.between(3, 900)
        wait = self.act(self.main, "people", at, back, [(last, at)])
        self.main.prompts.append((wait.end, "prompt"))
        return self.work(self.main, wait.end, [(wait, wait.end)], self.random.randint(1, 3))

    def work(
        self, agent: Agent, at: float, causes: list[tuple[Act, float]], turns: int, *, plain: bool = False
    ) -> float:
        """Turns with calls, and a last turn without."""
        retry = False
        for _ in range(turns):
            turn = self.turn(agent, at, causes, 1 if retry or plain else self.random.randint(1, 3))
            kinds = ["tool"] if retry or plain else self.kinds(agent, turn, len(turn.calls))
            retry = False
            del turn.calls[: -len(kinds)]
            del turn.stamps[: -len(kinds) - 1]
            for call, kind in zip(turn.calls, kinds, strict=True):
                self.call(agent, turn, call, kind)
                retry = retry or kind == "fail"
            if any(call.kind == "lost" for call in turn.calls):
                self.over = True
                return at
            acts = [call.act for call in turn.calls if call.act]
            at = max(act.end for act in acts)
            causes = [(act, act.end) for act in acts] + [(turn.act, turn.act.end)]
            if any(call.kind == "cancel" for call in turn.calls):
                agent.prompts.append((at, "interrupt"))
                return self.prompted(at)
        return self.turn(agent, at, causes, 0).act.end

    def turn(self, agent: Agent, at: float, causes: list[tuple[Act, float]], calls: int) -> Turn:
        length = self.between(2, 20)
        stamps = sorted({round(at + length * share, 3) for share in (0.3, 0.5, 0.7, 0.9)})[: calls + 1]
        stamps = [*stamps[: calls + 1], round(at + length, 3)][-(calls + 2) :]
        act = self.act(agent, "turn", at, stamps[-1], causes)
        if not self.streams:
            stamps = [stamps[-1]] * len(stamps)
        tokens = {kind: self.random.randint(1, 5000) for kind in KEYS}
        made = Turn(self.name("m"), act, stamps, [], tokens)
        made.calls = [Call(self.name("c"), "", stamp) for stamp in stamps[len(stamps) - calls :]] if calls else []
        agent.turns.append(made)
        return made

    def kinds(self, agent: Agent, turn: Turn, count: int) -> list[str]:
        """What the calls of a turn are: one of some kinds, or several of others."""
        has = self.features
        out = [other for other in self.agents if self.returning(agent, other)]
        running = [other for other in out if other.last.end > turn.act.end]
        alone: list[str] = [kind for kind in ("ask", "plan", "reject", "approve") if kind in has]
        if agent is self.main:
            alone += [kind for kind in ("cancel", "lost") if kind in has]
        alone += ["output"] * 3 * ("output" in has and bool(out))
        alone += ["gather"] * 3 * ("gather" in has and bool(running))
        alone += ["poll"] * 2 * ("poll" in has and bool(running))
        if alone and self.random.random() < 0.4:
            return [self.random.choice(alone)]
        many = ["tool", "tool", "fail"]
        if agent.depth < 2:
            many += [kind for kind in ("task", "task", "async", "async", "badtask") if kind in has]
        return [self.random.choice(many) for _ in range(count)]

    def returning(self, agent: Agent, other: Agent) -> bool:
        """Whether this is an asynchronous sub-agent of the agent."""
        return any(call.child is other and call.kind == "async" for turn in agent.turns for call in turn.calls)

    def child(self, agent: Agent, turn: Turn, call: Call, *, plain: bool = False) -> Agent:
        start = round(call.at + self.between(0.1, 0.5), 3)
        call.child = made = self.agent(agent.depth + 1, start)
        made.prompts.append((start, "prompt"))
        self.work(made, start, [(turn.act, call.at)], self.random.randint(1, 3), plain=plain)
        return made

    def call(self, agent: Agent, turn: Turn, call: Call, kind: str) -> None:
        """Fill in a call: its kind, its result and its act."""
        call.kind, end, causes = kind, turn.act.end + self.between(0.05, 6), [(turn.act, call.at)]
        waits: Any = "tool"
        if kind in ("ask", "plan", "reject"):
            waits, end, call.failed = "people", end + self.between(5, 300), kind == "reject"
        elif kind == "approve":
            call.begun = round(end + self.between(1, 60), 3)
            asked = self.act(agent, "people", call.at, call.begun, causes)
            call.end = round(call.begun + self.between(0.1, 5), 3)
            call.act = self.act(agent, "tool", call.begun, call.end, [(asked, asked.end)])
            return
        elif kind in ("fail", "badtask"):
            call.failed = True
        elif kind == "tool" and "early" in self.features and self.random.random() < 0.3 and call.at < turn.act.end:
            end = self.random.uniform(call.at, turn.act.end)
        elif kind in ("task", "lost"):
            child = self.child(agent, turn, call)
            end = max(child.last.end, turn.act.end) + self.between(0.05, 0.2)
            child.life = (call.at, round(end, 3))
            if kind == "lost":
                child.life = (call.at, child.last.end)
                causes = [*causes, (child.last, child.last.end)]
                call.act = self.act(agent, "agents", call.at, child.last.end, causes)
                return
            waits, causes = "agents", [*causes, (child.last, child.last.end)]
        elif kind == "cancel":
            child = self.child(agent, turn, call, plain=True)
            first = child.turns[0]
            end = max(self.random.uniform(first.stamps[0], child.last.end), turn.act.end) + 0.001
            self.cut(child, round(end, 3))
            child.life = (call.at, round(end, 3))
            waits, call.failed, causes = "agents", True, [*causes, (child.last, child.last.end)]
        elif kind == "async":
            child = self.child(agent, turn, call)
            end = turn.act.end + self.between(0.05, 0.2)
            lost = self.random.random() < 0.3
            child.notice = None if lost else round(child.last.end + self.between(0.05, 0.3), 3)
            child.returned = child.notice
            child.life = (call.at, child.notice or child.last.end)
        elif kind == "poll":
            waits, end = "agents", max(call.at + 20, end)
        elif kind in ("output", "gather"):
            waits = "agents"
            out = [other for other in self.agents if self.returning(agent, other)]
            out = (
                [self.random.choice(out)] if kind == "output" else [other for other in out if other.last.end > call.at]
            )
            done = max(other.last.end for other in out)
            ready = max(done, turn.act.end) + self.between(0.05, 0.2)
            call.child, call.timeout = out[0], float(self.random.choice((5, 30, 600)))
            end = ready if kind == "gather" else max(min(ready, call.at + call.timeout), turn.act.end + 0.05)
            if end >= ready:
                causes += [(other.last, other.last.end) for other in out]
                if kind == "output":
                    call.child.returned = min(call.child.returned or round(end, 3), round(end, 3))
                    call.child.life = (call.child.life[0], call.child.returned)
            call.failed = False
            call.begun = round(end, 3) if end >= ready else None
        call.end = round(end, 3)
        call.act = self.act(agent, waits, call.at, call.end, causes)

    def cut(self, agent: Agent, end: float) -> None:
        """Leave what an interrupted agent had logged by then."""
        for turn in list(agent.turns):
            turn.stamps = [stamp for stamp in turn.stamps if stamp <= end]
            calls, turn.calls = turn.calls, [call for call in turn.calls if call.at <= end]
            for call in calls:
                if call.act and call.act.end > end:
                    agent.acts.remove(call.act)
                    call.act = call.end = None
                    call.failed = False
            if turn.stamps:
                turn.act.end = turn.stamps[-1]
            else:
                agent.turns.remove(turn)
                agent.acts.remove(turn.act)

    def truth(self, lives: dict[str, Interval], delegates: tuple[str, ...], kinds: tuple[str, ...] = KEYS) -> Reading:
        turns = [turn for agent in self.agents for turn in agent.turns]
        calls = [call for turn in turns for call in turn.calls]
        counts = {
            "tool_calls": len(calls),
            "failed_tool_calls": sum(call.failed for call in calls),
            "delegations": sum(call.kind in delegates for call in calls),
            "turns": len(turns),
        }
        tokens = {kind: sum(turn.tokens[kind] for turn in turns) if kind in kinds else None for kind in KEYS}
        return reading([act for agent in self.agents for act in agent.acts], self.main.id, lives, counts, tokens)


def iso(at: float) -> str:
    return datetime.fromtimestamp(round(at, 3), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def claude_code(seed: int, folder: Path) -> tuple[Path, Reading]:
    """A session with its sub-agents' logs below it."""
    run = Run(seed, CLAUDE, streams=True)
    session = f"session-{seed}"
    path = folder / f"{session}.jsonl"
    for agent in run.agents:
        main = agent is run.main
        target = path if main else folder / session / "subagents" / f"agent-{agent.id}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        own = {} if main else {"agentId": agent.id}
        common: dict[str, Any] = {"isSidechain": not main, "sessionId": session, "version": "2.1.39", **own}
        lines: list[dict[str, Any]] = []

        def put(at: float, kind: str, message: Any, common: Any = common, lines: Any = lines, **more: Any) -> None:
            ids = {"uuid": f"{common.get('agentId', session)}-{len(lines)}", "parentUuid": None}
            lines.append({**common, **ids, "type": kind, "timestamp": iso(at), "message": message, **more})

        for at, said in agent.prompts:
            told = {
                "prompt": f"work of {agent.id}",
                "command": "/exit",
                "interrupt": [{"type": "text", "text": "[Request interrupted by user for tool use]"}],
                "placeholder": [{"type": "text", "text": "No response requested."}],
            }
            text = told.get(
                said,
                f"<task-notification>\n<task-id>{said[7:]}</task-id>\n<status>completed</status>\n</task-notification>",
            )
            if said == "placeholder":
                usage = {"input_tokens": 0, "output_tokens": 0}
                made = {
                    "id": run.name("p"),
                    "model": "<synthetic>",
                    "role": "assistant",
                    "content": text,
                    "usage": usage,
                }
                put(at, "assistant", made, **({"isApiErrorMessage": True} if seed % 2 else {}))
            else:
                put(at + agent.skew, "user", {"role": "user", "content": text})
        for turn in agent.turns:
            calls = {len(turn.stamps) - len(turn.calls) + place: call for place, call in enumerate(turn.calls)}
            for place, stamp in enumerate(turn.stamps):
                call = calls.get(place)
                block = (
                    claude_call(call)
                    if call
                    else {"type": "text" if place else "thinking", "text" if place else "thinking": "..."}
                )
                usage = {
                    "input_tokens": turn.tokens["input_tokens"],
                    "output_tokens": turn.tokens["output_tokens"] if place == len(turn.stamps) - 1 else 1,
                    "cache_read_input_tokens": turn.tokens["cache_read_tokens"],
                    "cache_creation_input_tokens": turn.tokens["cache_write_tokens"],
                }
                put(
                    stamp + agent.skew,
                    "assistant",
                    {"id": turn.id, "model": "claude-x", "role": "assistant", "content": [block], "usage": usage},
                )
            for call in turn.calls:
                if call.end is not None:
                    content, detail = claude_result(call)
                    block = {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": call.failed}
                    put(call.end + agent.skew, "user", {"role": "user", "content": [block]}, toolUseResult=detail)
        if main:
            for child in run.agents:
                if child.notice:
                    text = f"<task-notification>\n<task-id>{child.id}</task-id>\n<status>completed</status>\n</task-notification>"
                    lines.append(
                        {
                            "type": "queue-operation",
                            "operation": "enqueue",
                            "timestamp": iso(child.notice),
                            "sessionId": session,
                            "content": text,
                        }
                    )
        run.random.shuffle(lines) if seed % 4 == 3 else lines.sort(key=lambda line: str(line["timestamp"]))
        target.write_text("".join(json.dumps(line) + "\n" for line in lines))
        if not main:
            target.with_suffix(".meta.json").write_text(
                json.dumps({"agentType": "general-purpose", "spawnDepth": agent.depth})
            )
    lives = {agent.id: agent.life for agent in run.agents if agent is not run.main}
    return path, run.truth(lives, ("task", "badtask", "async", "cancel", "lost"))


POLLS = (
    "sleep 20 && tail out",
    "while ! grep -q done out; do sleep 10; done",
    "until [ -f out ]; do sleep 5; done",
    'bash -c "sleep 20"',
)


def claude_call(call: Call) -> dict[str, Any]:
    child = call.child.id if call.child else ""
    name, given = {
        "ask": ("AskUserQuestion", {"questions": []}),
        "plan": ("ExitPlanMode", {"plan": "..."}),
        "output": ("TaskOutput", {"task_id": child, "block": True, "timeout": int(call.timeout * 1000)}),
        "poll": ("Bash", {"command": POLLS[int(call.id[-4:]) % len(POLLS)]}),
        "async": (
            "Task",
            {"prompt": f"work of {child}", "subagent_type": "general-purpose", "run_in_background": True},
        ),
    }.get(call.kind, ("Bash", {"command": "ls"}))
    if call.kind in ("task", "badtask", "cancel", "lost"):
        name, given = "Task", {"prompt": f"work of {child}", "subagent_type": "general-purpose"}
    return {"type": "tool_use", "id": call.id, "name": name, "input": given}


def claude_result(call: Call) -> tuple[Any, Any]:
    child = call.child.id if call.child else ""
    match call.kind:
        case "reject":
            text = "The user doesn't want to proceed with this tool use. The tool use was rejected."
            return text, "User rejected tool use"
        case "cancel":
            return "[Request interrupted by user for tool use]", "Error: [Request interrupted by user for tool use]"
        case "task":
            return [{"type": "text", "text": f"done\nagentId: {child}"}], {"status": "completed", "agentId": child}
        case "async":
            return [{"type": "text", "text": f"agentId: {child}"}], {
                "isAsync": True,
                "status": "async_launched",
                "agentId": child,
            }
        case "output":
            return "...", {
                "retrieval_status": "success" if call.begun else "timeout",
                "task": {"task_id": child, "task_type": "local_agent"},
            }
        case "fail" | "badtask":
            return "Error: no such thing", "Error: no such thing"
        case _:
            return "ok", {"stdout": "ok"}


def codex(seed: int, folder: Path) -> tuple[Path, Reading]:
    """A folder with one rollout for each thread."""
    run = Run(seed, CODEX, streams=True, prefix="t-")
    day = folder / "sessions" / "2026" / "02" / "02"
    day.mkdir(parents=True, exist_ok=True)
    parents = {
        call.child.id: agent
        for agent in run.agents
        for turn in agent.turns
        for call in turn.calls
        if call.kind == "async" and call.child
    }
    for agent in run.agents:
        source: Any = "cli"
        if agent.id in parents:
            source = {"subagent": {"thread_spawn": {"parent_thread_id": parents[agent.id].id, "depth": agent.depth}}}
        lines = [(agent.start, 0, "session_meta", {"id": agent.id, "timestamp": iso(agent.start), "source": source})]
        lines += [(at, 1, "event_msg", {"type": "user_message", "message": said}) for at, said in agent.prompts]
        total = 0
        for turn in agent.turns:
            calls = {len(turn.stamps) - len(turn.calls) + place: call for place, call in enumerate(turn.calls)}
            for place, stamp in enumerate(turn.stamps):
                call = calls.get(place)
                item = codex_call(call) if call else {"type": "reasoning", "summary": []}
                if not call and place:
                    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "..."}]}
                lines.append((stamp, 3, "response_item", item))
            total += turn.tokens["input_tokens"]
            usage = {
                "input_tokens": turn.tokens["input_tokens"],
                "cached_input_tokens": turn.tokens["cache_read_tokens"],
                "output_tokens": turn.tokens["output_tokens"],
            }
            info = {"total_token_usage": {"input_tokens": total}, "last_token_usage": usage}
            lines += [(turn.act.end, 4, "event_msg", {"type": "token_count", "info": info})] * 2
            for call in turn.calls:
                if call.kind == "approve" and call.begun:
                    lines.append((turn.act.end, 5, "event_msg", {"type": "exec_approval_request", "call_id": call.id}))
                    lines.append((call.begun, 2, "event_msg", {"type": "exec_command_begin", "call_id": call.id}))
                if call.kind == "reject" and seed % 2:
                    lines.append((turn.act.end, 5, "event_msg", {"type": "exec_approval_request", "call_id": call.id}))
                lines.append(
                    (
                        call.end or 0.0,
                        2,
                        "response_item",
                        {"type": "function_call_output", "call_id": call.id, "output": codex_result(call)},
                    )
                )
        lines.sort(key=lambda line: (line[0], line[1]))
        target = day / f"rollout-2026-02-02T00-00-00-{agent.id}.jsonl"
        target.write_text(
            "".join(
                json.dumps({"timestamp": iso(at + agent.skew), "type": kind, "payload": payload}) + "\n"
                for at, _, kind, payload in lines
            )
        )
    lives = {agent.id: (agent.life[0], agent.last.end) for agent in run.agents if agent is not run.main}
    return folder, run.truth(lives, ("async",), KEYS[:3])


def codex_call(call: Call) -> dict[str, Any]:
    child = call.child.id if call.child else ""
    name, given = {
        "async": ("spawn_agent", {"message": "..."}),
        "output": ("wait_agent", {"ids": [child], "timeout_ms": int(call.timeout * 1000)}),
        "ask": ("request_user_input", {"questions": []}),
        "poll": ("exec_command", {"cmd": "sleep 20"}),
    }.get(call.kind, ("exec_command", {"cmd": "ls"}))
    return {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": call.id}


def codex_result(call: Call) -> str:
    child = call.child.id if call.child else ""
    if call.kind == "async":
        return json.dumps({"agent_id": child})
    if call.kind == "output":
        return json.dumps({"status": {child: {"completed": "..."}} if call.begun else {}, "timed_out": not call.begun})
    if call.kind == "reject":
        return "exec command rejected by user"
    return f"Process exited with code {int(call.failed)}\nOutput:\n..."


@dataclass
class Flat:
    """A span of a run, before it is written in the words of a format."""

    id: str
    parent: str | None
    role: str
    name: str
    start: float
    end: float
    failed: bool = False
    tokens: dict[str, int] = field(default_factory=dict)


NAMES = {"ask": "ask_user", "gather": "wait_agent", "async": "spawn_agent", "task": "delegate"}


def flat(run: Run) -> list[Flat]:
    callers = {
        call.child.id: call
        for agent in run.agents
        for turn in agent.turns
        for call in turn.calls
        if call.child and call.kind in ("task", "async")
    }
    spans = []
    for agent in run.agents:
        parent = callers[agent.id].id if agent.id in callers else None
        own = "span-" + agent.id
        spans.append(Flat(own, parent, "agent", agent.id, agent.start + agent.skew, agent.last.end + agent.skew))
        for turn in agent.turns:
            spans.append(
                Flat(
                    turn.id,
                    own,
                    "turn",
                    "model-x",
                    turn.act.start + agent.skew,
                    turn.act.end + agent.skew,
                    tokens=turn.tokens,
                )
            )
            spans += [
                Flat(
                    call.id,
                    own,
                    "tool",
                    NAMES.get(call.kind, "shell"),
                    call.act.start + agent.skew,
                    call.act.end + agent.skew,
                    call.failed,
                )
                for call in turn.calls
                if call.act
            ]
    run.random.shuffle(spans)
    return spans


def spanned(seed: int, write: Callable[[list[Flat]], Any], path: Path) -> tuple[Path, Reading]:
    run = Run(seed, SPANS, streams=False)
    path.write_text(json.dumps(write(flat(run))))
    lives = {agent.id: (agent.start, agent.last.end) for agent in run.agents if agent is not run.main}
    return path, run.truth(lives, ("task", "async"))


def opentelemetry(seed: int, folder: Path) -> tuple[Path, Reading]:
    """An OTLP JSON file with the names of the GenAI conventions."""
    usage = (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
    )
    operations = {"agent": "invoke_agent", "turn": "chat", "tool": "execute_tool"}
    named = {"agent": "gen_ai.agent.name", "turn": "gen_ai.request.model", "tool": "gen_ai.tool.name"}

    def write(spans: list[Flat]) -> Any:
        raw = []
        for span in spans:
            texts = {"gen_ai.operation.name": operations[span.role], named[span.role]: span.name}
            attributes: list[Any] = [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()]
            attributes += [
                {"key": name, "value": {"intValue": str(span.tokens[kind])}}
                for kind, name in zip(KEYS, usage, strict=True)
                if kind in span.tokens
            ]
            times = {
                key: str(round(at * 1000) * 1_000_000)
                for key, at in (("startTimeUnixNano", span.start), ("endTimeUnixNano", span.end))
            }
            status = {"code": 2} if span.failed else {}
            ids = {"traceId": f"{seed:032x}", "spanId": span.id, "parentSpanId": span.parent or ""}
            raw.append(
                {
                    **ids,
                    "name": f"{operations[span.role]} {span.name}",
                    "kind": 1,
                    **times,
                    "attributes": attributes,
                    "status": status,
                }
            )
        return {
            "resourceSpans": [
                {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "invented"}, "spans": raw}]}
            ]
        }

    return spanned(seed, write, folder / f"otlp-{seed}.json")


def langfuse(seed: int, folder: Path) -> tuple[Path, Reading]:
    """A Langfuse export."""
    types = {"agent": "AGENT", "turn": "GENERATION", "tool": "TOOL"}
    usage = ("input", "output", "input_cache_read", "input_cache_creation")

    def write(spans: list[Flat]) -> Any:
        observations: list[dict[str, Any]] = [
            {
                "id": span.id,
                "traceId": f"{seed:032x}",
                "type": types[span.role],
                "parentObservationId": span.parent,
                "startTime": iso(span.start),
                "endTime": iso(span.end),
                "name": span.name,
                "metadata": {"attributes": {}},
                "level": "ERROR" if span.failed else "DEFAULT",
                "model": span.name if span.role == "turn" else None,
                "usageDetails": {
                    name: span.tokens[kind] for kind, name in zip(KEYS, usage, strict=True) if kind in span.tokens
                },
            }
            for span in spans
        ]
        return {
            "trace": {"id": f"{seed:032x}", "name": "invented", "timestamp": iso(START)},
            "observations": observations,
        }

    return spanned(seed, write, folder / f"langfuse-{seed}.json")
