"""The sub-agents of a session: their spawns, their returns, and when these were read."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from survey.traces.importers.coding_agents.claude_code.facts import Call, Facts, Turn
from survey.traces.importers.coding_agents.claude_code.session import MAIN, Session, instance
from survey.traces.importers.coding_agents.claude_code.summaries import (
    ASKING,
    ENDING,
    NEVER,
    SPAWNING,
    WRITING,
    Notice,
    Result,
    When,
    Words,
    usage_of,
)
from survey.traces.importers.json_values import flag, mapping, number, text
from survey.traces.model import NOTHING

WORKFLOW = "Workflow"
LAUNCHED = frozenset({"async_launched", "teammate_spawned", "remote_launched"})
"""Statuses of a result that confirms a launch and is not a return."""

ENDINGS = {"failed": "error", "error": "error", "killed": "cancelled", "stopped": "cancelled", "cancelled": "cancelled"}
RUNNING = frozenset({"running", "pending", "in_progress"})


@dataclass
class Return:
    """A return to the parent."""

    at: When
    status: str = "ok"
    output: Words = field(default_factory=dict)
    tokens: dict[str, float] | float | None = None
    tool_calls: float | None = None
    read: When | None = None
    """When the parent read it; None if unknown."""


@dataclass
class Child:
    """A sub-agent."""

    id: str
    parent: str
    call: Call | None = None
    exact: bool = True
    """Whether an identifier in the log links the call to the sub-agent."""
    role: str | None = None
    name: str | None = None
    model: str | None = None
    teammate: bool = False
    background: bool = False
    """Whether the parent did not wait for the result of the call."""
    returns: list[Return] = field(default_factory=list)
    tasks: list[Call] = field(default_factory=list)
    """Later calls that gave it more tasks."""
    cut: tuple[When, str] | None = None
    """When and how it was stopped externally."""
    workflow: Call | None = None
    """The call of its workflow, in which the program, and no turn, spawned it."""
    first: When = NEVER
    """Its first record, in a workflow."""

    @property
    def spawned(self) -> When | None:
        """The time of the spawn: that of the record of the call, written when its generation ends.

        Newer versions run calls while the turn continues, and the child starts within a second; older ones wait
        for the end of the turn, so that the time from spawn to return includes that wait (3 s of 53 in one log).
        In a workflow it is the first record of the child, unless that is dated before the workflow.
        """
        by = self.call or self.workflow
        return by.at if by and (self.call or self.first < by.at) else None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, according to the log."""
        ends = [back.at for back in self.returns[-1:]] + ([self.cut[0]] if self.cut else [])
        return bool(ends) and max(ends) > max((task.at for task in self.tasks), default=NEVER)


def children_of(session: Session, facts: Facts) -> dict[str, Child]:
    """Return the sub-agents of the session by instance, with their returns."""
    found = _spawned(session, facts)
    workflows = [call for call in facts.calls.values() if call.tool == WORKFLOW and call.result]
    first = {entry.agent: (entry.t, entry.place) for entry in reversed(session.entries)}
    for agent in sorted(first.keys() - {MAIN} - found.keys()):
        workflow = _workflow(session.workflows.get(agent), workflows)
        found[agent] = Child(agent, MAIN, workflow=workflow, first=first[agent])
    for child in found.values():
        _describe(child, session, facts)
    _written_to(found, facts)
    _settle_clocks(found, facts)
    _signals(found, facts)
    _date_by_own_log(found, session)
    _ended_in_workflow(found, session)
    return found


def _spawned(session: Session, facts: Facts) -> dict[str, Child]:
    found: dict[str, Child] = {}
    unnamed = []
    agents = {entry.agent for entry in session.entries}
    for call in sorted(facts.calls.values(), key=lambda call: call.at):
        if call.tool not in SPAWNING:
            continue
        resumed = text(call.given.names.get("resume"))
        id = _spawned_instance(call, session, facts, agents)
        id = None if id in (MAIN, call.agent) else id
        if resumed in found or id in found:
            found[resumed if resumed in found else id or ""].tasks.append(call)
        elif id is not None:
            found[id] = Child(id, call.agent, call)
        else:
            unnamed.append(call)
    _match_by_task(unnamed, found, session, facts)
    _break_cycles(found)
    return found


def _break_cycles(found: dict[str, Child]) -> None:
    """Remove cycles of spawns, which a damaged log may contain."""
    settled: set[str] = set()
    for child in list(found.values()):
        line: set[str] = set()
        above: Child | None = child
        while above and above.id not in settled:
            if above.id in line:
                del found[above.id]
                break
            line.add(above.id)
            above = found.get(above.parent)
        settled |= line


def _workflow(run: str | None, calls: list[Call]) -> Call | None:
    """Return the call of a workflow run: the one that names it, or the only one."""
    named = [call for call in calls if run and call.result and call.result.detail.get("runId") == run]
    return next(iter(named or (calls if run and len(calls) == 1 else [])), None)


def _settle_clocks(found: dict[str, Child], facts: Facts) -> None:
    """Correct times after clock jumps: no act precedes the spawn of its agent, and no result its call."""
    acts: dict[str, list[Turn | Call | Result]] = defaultdict(list)
    for turn in facts.turns:
        acts[turn.agent] += [turn, *turn.calls, *(call.result for call in turn.calls if call.result)]
    settled: set[str] = set()
    for child in found.values():
        line = [child]
        while (above := found.get(line[-1].parent)) and above.id not in settled and above not in line:
            line.append(above)
        for one in reversed(line):
            if one.id not in settled and one.spawned:
                _put_after(one.spawned, acts[one.id], facts)
            settled.add(one.id)
    for call in facts.calls.values():
        if call.result and call.result.at < call.at:
            _put_after(call.at, [call.result], facts)
    facts.turns.sort(key=lambda turn: turn.at)


def _put_after(moment: When, acts: list[Turn | Call | Result], facts: Facts) -> None:
    early = sorted((act for act in acts if act.at <= moment), key=lambda act: act.at)
    for step, act in enumerate(early, 1):
        act.at = moment[0], moment[1] + step / (len(early) + 1)
    facts.lost["acts dated before their cause, moved to its time"] += len(early)


def _date_by_own_log(found: dict[str, Child], session: Session) -> None:
    """Date returns from the background by the last record of the agent's own log: the parent may learn of them late.

    Any return comes after the agent's own records of the same stamp.
    """
    acts: dict[str, list[When]] = defaultdict(list)
    for entry in session.entries:
        acts[entry.agent].append((entry.t, entry.place))
    for child in found.values():
        for back in child.returns:
            place = bisect_right(acts[child.id], (back.at[0], float("inf")))
            last = acts[child.id][place - 1] if place else NEVER
            if (child.id in session.logged and child.background and place) or last[0] == back.at[0]:
                back.read = back.read or back.at
                back.at = max(last, child.spawned or NEVER)


def _ended_in_workflow(found: dict[str, Child], session: Session) -> None:
    """Date returns in workflows by the agent's last record, since the journal has no times."""
    last = {entry.agent: (entry.t, entry.place) for entry in session.entries}
    for child in found.values():
        if child.workflow and child.id in session.returned_in_workflow and not child.returns:
            child.returns.append(Return(max(last[child.id], child.spawned or NEVER)))


def _written_to(found: dict[str, Child], facts: Facts) -> None:
    """Treat a message to a sub-agent that is not a teammate as a further task."""
    for call in sorted(facts.calls.values(), key=lambda call: call.at):
        child = found.get(receiver_of(call) or "") if call.tool in WRITING else None
        if child and not child.teammate and child.spawned and call.at > child.spawned and not_failed(call):
            child.tasks.append(call)


def receiver_of(call: Call) -> str | None:
    """Return the receiver of a message."""
    return text(call.given.names.get("to")) or text(call.given.names.get("recipient"))


def not_failed(call: Call) -> bool:
    """Return whether the log records no failure of the call."""
    return call.result is None or call.result.status == "ok"


def _spawned_instance(call: Call, session: Session, facts: Facts, agents: set[str]) -> str | None:
    """Return the instance that a call spawned, by any record that names it; in a stream, the id of the call."""
    if call.id in agents:
        return call.id
    if call.result:
        detail = call.result.detail
        if id := next(
            filter(None, (instance(detail.get(key)) for key in ("agentId", "agent_id", "teammate_id"))), None
        ):
            return id
    if call.id in session.spawned_by:
        return session.spawned_by[call.id]
    if call.id in facts.started:
        return facts.started[call.id][0]
    return call.result.names if call.result and call.result.status == "ok" else None


def _match_by_task(unnamed: list[Call], found: dict[str, Child], session: Session, facts: Facts) -> None:
    """Match calls with logs of old versions, which name no agent, by the task at the start of the log.

    A successful call had a sub-agent even if it left no log. A call that failed, and matches no log, is treated
    as a plain tool call.
    """
    orphans: dict[str, list[str]] = defaultdict(list)
    for agent in dict.fromkeys(entry.agent for entry in session.entries):
        if agent != MAIN and agent not in found and agent in facts.tasks:
            orphans[facts.tasks[agent]].append(agent)
    for call in unnamed:
        same = orphans.get(call.given.prompt.get("content_ref", ""))
        if same:
            id = same.pop(0)
            found[id] = Child(id, call.agent, call, exact=False)
        elif call.result and call.result.status == "ok":
            found[call.id] = Child(call.id, call.agent, call)


def _describe(child: Child, session: Session, facts: Facts) -> None:
    given = child.call.given.names if child.call else NOTHING
    detail = child.call.result.detail if child.call and child.call.result else NOTHING
    sidecar = session.sidecars.get(child.id, {})
    child.role = text(given.get("subagent_type")) or text(detail.get("agent_type")) or text(sidecar.get("agentType"))
    child.name = text(given.get("name")) or text(sidecar.get("name")) or child.role
    child.model = facts.models.get(child.id) or text(given.get("model")) or text(detail.get("model"))
    child.teammate = detail.get("status") == "teammate_spawned"


def _signals(found: dict[str, Child], facts: Facts) -> None:
    """Process all records of returns, in the order of time."""
    signals: list[tuple[When, int, Child, Call | Notice]] = []
    by_call = {child.call.id: child for child in found.values() if child.call}
    for child in found.values():
        signals += [(call.result.at, 1, child, call) for call in [child.call, *child.tasks] if call and call.result]
    others = {facts.started[id][0]: child for id, child in by_call.items() if id in facts.started}
    for call in facts.calls.values():
        named = (
            (found.get(task_of(call) or "") or others.get(task_of(call) or ""))
            if call.tool in ASKING | ENDING
            else None
        )
        if named and call.result:
            signals.append((call.result.at, 2, named, call))
    for notice in facts.notices:
        notified = found.get(notice.about) or others.get(notice.about) or by_call.get(notice.call or "")
        if notified:
            signals.append((notice.at, 0, notified, notice))
    for _, _, child, signal in sorted(signals, key=lambda signal: (signal[0], signal[1])):
        if isinstance(signal, Notice):
            _apply_notice(child, signal)
        elif signal.tool in SPAWNING:
            _apply_result(child, signal)
        else:
            _apply_status(child, signal)


def task_of(call: Call) -> str | None:
    """Return the background task of a call."""
    keys = ("task_id", "agentId", "agent_id", "shell_id")
    return next((id for key in keys if (id := instance(call.given.names.get(key)))), None)


def _apply_result(child: Child, call: Call) -> None:
    """Process the result of a spawning call: the return, unless the sub-agent works in the background."""
    result = call.result
    if result is None or text(result.detail.get("status")) in LAUNCHED or flag(result.detail.get("isAsync")):
        child.background = True
        return
    status = result.status
    if status in ("cancelled", "rejected"):
        child.cut = (result.at, status)
        return
    status = ENDINGS.get(text(result.detail.get("status")) or "", status)
    last = usage_of(result.detail.get("usage"))
    total = number(result.detail.get("totalTokens"))
    spent = last if last is not None else total
    calls = number(result.detail.get("totalToolUseCount"))
    _add_return(child, Return(result.at, status, result.output, spent, calls, read=result.at))


def _apply_notice(child: Child, notice: Notice) -> None:
    if notice.status in RUNNING:
        return
    status = ENDINGS.get(notice.status, "ok")
    if status == "cancelled":
        child.cut = child.cut or (notice.at, status)
        return
    read = notice.at if notice.seen else None
    _add_return(child, Return(notice.at, status, tokens=notice.tokens, read=read))


def _apply_status(child: Child, call: Call) -> None:
    result = call.result
    if result is None or result.status != "ok":
        return
    if call.tool in ENDING:
        child.cut = child.cut or (result.at, "cancelled")
        return
    status = text(mapping(result.detail.get("task")).get("status")) or "completed"
    done = result.detail.get("retrieval_status") in ("success", "completed") or not result.detail
    if done and status not in RUNNING and ENDINGS.get(status) != "cancelled":
        _add_return(child, Return(result.at, ENDINGS.get(status, "ok"), result.output, read=result.at))


def _add_return(child: Child, new: Return) -> None:
    """Add a return, or mark a known one as read: each task has one, even if several records report it."""
    if child.spawned:
        new.at = max(new.at, child.spawned)
    known = child.returns[-1] if child.returns else None
    if known is None or any(known.at < task.at < new.at for task in child.tasks):
        child.returns.append(new)
        return
    known.output = known.output or new.output
    if known.read is None and new.read is not None:
        known.read = new.read
