"""The sub-agents of a session: who spawned each, when its work came back, and when that was read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from survey.traces.importers.claude_code.facts import Call, Facts, Turn
from survey.traces.importers.claude_code.session import MAIN, Session, instance
from survey.traces.importers.claude_code.summaries import (
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
"""The sub-agent is on its way, and this result is no return."""

ENDINGS = {"failed": "error", "error": "error", "killed": "cancelled", "stopped": "cancelled", "cancelled": "cancelled"}
RUNNING = frozenset({"running", "pending", "in_progress"})


@dataclass
class Return:
    """Work that came back to the parent."""

    at: When
    status: str = "ok"
    said: Words = field(default_factory=dict)
    tokens: dict[str, float] | float | None = None
    tool_calls: float | None = None
    read: When | None = None
    """When the parent had it before its eyes; None where nothing says so."""


@dataclass
class Child:
    """A sub-agent."""

    id: str
    parent: str
    call: Call | None = None
    exact: bool = True
    """Whether an identifier in the log ties the call to the sub-agent."""
    role: str | None = None
    name: str | None = None
    model: str | None = None
    teammate: bool = False
    returns: list[Return] = field(default_factory=list)
    tasks: list[Call] = field(default_factory=list)
    """Calls that gave it more to do once it was there."""
    cut: tuple[When, str] | None = None
    """When and how it was stopped from outside."""
    workflow: Call | None = None
    """The call of the workflow that it took part in; the program spawned it then, and not a turn of its own."""
    first: When = NEVER
    """Its first record, in a workflow."""

    @property
    def spawned(self) -> When | None:
        """The moment of the spawn: the record of the call, which is when its last word was generated.

        Newer versions run calls while the turn goes on, and the child starts within a second; older ones wait for
        the end of the turn, so that the span from spawn to return holds that wait as well (3 s of 53 in one log).
        In a workflow it is the first record, unless that is dated before the workflow.
        """
        by = self.call or self.workflow
        return by.at if by and (self.call or self.first < by.at) else None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come from it, as far as the log goes."""
        ends = [back.at for back in self.returns[-1:]] + ([self.cut[0]] if self.cut else [])
        return bool(ends) and max(ends) > max((task.at for task in self.tasks), default=NEVER)


def children_of(session: Session, facts: Facts) -> dict[str, Child]:
    """The sub-agents of the session by instance, with their returns."""
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
        id = _named(call, session, facts, agents)
        id = None if id in (MAIN, call.agent) else id
        if resumed in found or id in found:
            found[resumed if resumed in found else id or ""].tasks.append(call)
        elif id is not None:
            found[id] = Child(id, call.agent, call)
        else:
            unnamed.append(call)
    _match_by_task(unnamed, found, session, facts)
    _cut_circles(found)
    return found


def _cut_circles(found: dict[str, Child]) -> None:
    """Nobody spawned themselves, nor those who spawned them, whatever a damaged log says."""
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
    """The call that a run of a workflow goes back to: the one that names it, or the only one there is."""
    named = [call for call in calls if run and call.result and call.result.detail.get("runId") == run]
    return next(iter(named or (calls if run and len(calls) == 1 else [])), None)


def _settle_clocks(found: dict[str, Child], facts: Facts) -> None:
    """Put right what clocks that jump have done: nobody acts before their spawn, and no result precedes its call."""
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


def _ended_in_workflow(found: dict[str, Child], session: Session) -> None:
    """The journal of a workflow says that an agent returned and not when: its last record is the nearest time."""
    last = {entry.agent: (entry.t, entry.place) for entry in session.entries}
    for child in found.values():
        if child.workflow and child.id in session.returned_in_workflow and not child.returns:
            child.returns.append(Return(max(last[child.id], child.spawned or NEVER)))


def _written_to(found: dict[str, Child], facts: Facts) -> None:
    """A message to a sub-agent that is no teammate gives it more to do."""
    for call in sorted(facts.calls.values(), key=lambda call: call.at):
        child = found.get(receiver_of(call) or "") if call.tool in WRITING else None
        if child and not child.teammate and child.spawned and call.at > child.spawned and is_fine(call):
            child.tasks.append(call)


def receiver_of(call: Call) -> str | None:
    """To whom a message is sent."""
    return text(call.given.names.get("to")) or text(call.given.names.get("recipient"))


def is_fine(call: Call) -> bool:
    """Whether nothing speaks against the call having worked."""
    return call.result is None or call.result.status == "ok"


def _named(call: Call, session: Session, facts: Facts, agents: set[str]) -> str | None:
    """The instance that a call spawned, by any record that names it; in a stream the call itself stands for it."""
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
    """Old versions name nobody: a call and a log belong together if the log begins with the task of the call.

    A call that came back well had a sub-agent even if there is no trace of it; a call that did not, and that
    no log answers to, spawned nobody that we know of, and stays a call of a tool.
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
    """Go through all that says that work came back, in the order of time."""
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
        told = found.get(notice.about) or others.get(notice.about) or by_call.get(notice.call or "")
        if told:
            signals.append((notice.at, 0, told, notice))
    for _, _, child, signal in sorted(signals, key=lambda signal: (signal[0], signal[1])):
        if isinstance(signal, Notice):
            _noticed(child, signal)
        elif signal.tool in SPAWNING:
            _answered(child, signal)
        else:
            _asked(child, signal)


def task_of(call: Call) -> str | None:
    """The background task that a call asks about."""
    keys = ("task_id", "agentId", "agent_id", "shell_id")
    return next((id for key in keys if (id := instance(call.given.names.get(key)))), None)


def _answered(child: Child, call: Call) -> None:
    """The result of the spawning call: the return itself, unless the sub-agent works in the background."""
    result = call.result
    if result is None or text(result.detail.get("status")) in LAUNCHED or flag(result.detail.get("isAsync")):
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
    _returned(child, Return(result.at, status, result.said, spent, calls, read=result.at))


def _noticed(child: Child, notice: Notice) -> None:
    if notice.status in RUNNING:
        return
    status = ENDINGS.get(notice.status, "ok")
    if status == "cancelled":
        child.cut = child.cut or (notice.at, status)
        return
    read = notice.at if notice.seen else None
    _returned(child, Return(notice.at, status, tokens=notice.tokens, read=read))


def _asked(child: Child, call: Call) -> None:
    result = call.result
    if result is None or result.status != "ok":
        return
    if call.tool in ENDING:
        child.cut = child.cut or (result.at, "cancelled")
        return
    status = text(mapping(result.detail.get("task")).get("status")) or "completed"
    done = result.detail.get("retrieval_status") in ("success", "completed") or not result.detail
    if done and status not in RUNNING and ENDINGS.get(status) != "cancelled":
        _returned(child, Return(result.at, ENDINGS.get(status, "ok"), result.said, read=result.at))


def _returned(child: Child, new: Return) -> None:
    """A return, or the reading of one that is known: there is one for each task, however often it is told."""
    if child.spawned:
        new.at = max(new.at, child.spawned)
    known = child.returns[-1] if child.returns else None
    if known is None or any(known.at < task.at < new.at for task in child.tasks):
        child.returns.append(new)
        return
    known.said = known.said or new.said
    if known.read is None and new.read is not None:
        known.read = new.read
