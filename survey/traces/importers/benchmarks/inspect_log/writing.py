"""Write the trace of an Inspect sample, event by event in the order of time."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from survey.traces.importers.benchmarks.inspect_log.events import ROOT, Item, Span, Transcript, message, names_agent
from survey.traces.importers.benchmarks.inspect_log.outcome import failed, limit_of, scores
from survey.traces.importers.json_values import Fields, flag, items, mapping, number, text, tokens, word
from survey.traces.model import Builder

Act = tuple[tuple[float, int, float], Callable[[Any], None], Any]

ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32}|\d+)")
STATUS_OF_ERROR = {"timeout": "timeout", "approval": "rejected", "cancelled": "cancelled"}
STATUS_OF_OUTCOME = {"declined": "rejected", "cancelled": "cancelled"}
STATUS_OF_LIMIT = {"time": "timeout", "working": "timeout"}
STATUS_OF_VERDICT = {"reject": "rejected", "terminate": "rejected"}
KNOWN = frozenset(
    {"anchor", "approval", "branch", "checkpoint", "compaction", "error", "info", "input", "interrupt", "logger"}
    | {"model", "review", "sample_init", "sample_limit", "score", "score_edit", "state", "store", "subtask", "tool"}
)
"""Kinds of events that become trace events, contribute information, or are bookkeeping."""


class Writer:
    """Writes the trace of one sample."""

    def __init__(self, builder: Builder, sample: Fields, found: Transcript) -> None:
        self.builder, self.sample, self.found = builder, sample, found
        self.attachments = mapping(sample.get("attachments"))
        self.written: dict[Item, str] = {}
        """The event of an item; for a tool call, the event of the call or of the spawn that it represents."""
        self.first: dict[str, str] = {}
        self.last_turn: dict[str, str] = {}
        self.to_come: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
        """Links that wait for the next event of an agent: source, type, whether inferred."""
        self.unread: dict[str | Item, list[tuple[str, bool]]] = defaultdict(list)
        """Returns that wait for an agent to read them, or for the result of the call around them."""
        self.unseen: dict[Item, str] = {}
        """Agents recorded only by their calls."""
        self.until: float | None = None

    def write(self) -> None:
        """Write all events and links of the sample."""
        for _, write, what in sorted(self._acts(), key=lambda act: act[0]):
            write(what)
        if not self.first:
            self._task(None)
            self.builder.lost("samples without logged events")
        self._stop()
        self._count_losses()

    def _acts(self) -> Iterator[Act]:
        """Yield the acts to write, with time, position in the log, and a rank to order equals.

        Ends come first, from the inside out; a result comes between the contents of its call and the caller's span.
        """
        writers: dict[str, Callable[[Item], None]] = {
            "approval": self._judgement,
            "compaction": self._compaction,
            "input": self._input,
            "interrupt": self._interrupt,
            "model": self._model,
            "review": self._judgement,
            "sample_init": self._task,
        }
        for item in self.found.items:
            t = item.t or 0.0
            if item.kind == "score" and flag(item.fields.get("intermediate")):
                yield (t, item.place, 3), self._intermediate_score, item
            elif self.found.is_scoring(item):
                continue
            elif item.kind == "tool":
                yield (t, *_spawning(item.child, item.place)) if item.child else (t, item.place, 3), self._call, item
                if item.end is not None or not flag(item.fields.get("pending")):
                    opened = self.found.spans.get(item.opened or "")
                    over = opened is not None and opened.end_place > item.place
                    after = (opened.end_place, 0.5 - opened.depth) if opened and over else (item.place, 4)
                    yield (item.end or t, *after), self._result, item
            elif write := writers.get(item.kind):
                yield (t, item.place, 3), write, item
        for span in self.found.agents():
            if not span.call:
                yield (span.begin or 0.0, *_spawning(span, span.place)), self._run, span
            if span.ended:
                yield (span.end or 0.0, span.end_place, -span.depth), self._end, span

    def _add(self, type: str, agent: str, t: float | None, **fields: Any) -> str:
        """Write an event, and the links that waited for it."""
        if self.found.time == "ordinal":
            t = fields["t_end"] = None
        else:
            self.until = max(t or 0.0, fields.get("t_end") or 0.0, self.until or 0.0)
        id = self.builder.event(type, agent, t, **fields)
        for src, link, derived in self.to_come.pop(agent, ()):
            empty = link == "spawn" and type == "return"
            self.builder.link(src, id, "causal" if empty else link, derived=derived)
        self.first.setdefault(agent, id)
        return id

    def _task(self, item: Item | None) -> None:
        id = self._add("message", "user", item.t if item else 0.0, to=ROOT, text=self._plain(self.sample.get("input")))
        self.to_come[ROOT].append((id, "message", False))

    def _model(self, item: Item) -> None:
        owner, output = self.found.owner(item), mapping(item.fields.get("output"))
        unread = self.unread.pop(owner, [])
        type = "orchestrator_decision" if item.spawns else "aggregate" if unread else "model_call"
        model = text(item.fields.get("model")) or text(output.get("model"))
        id = self._add(
            type,
            owner,
            item.t,
            t_end=item.end,
            model=model,
            decision={"orchestrator_decision": ["O1", "O2"], "aggregate": ["O4"]}.get(type),
            status=_status_of_model(item.fields),
            text=self._plain(message(item).get("content")),
            **self._spent(item.fields, mapping(output.get("usage"))),
        )
        self._link_returns(unread, id, "aggregate" if type == "aggregate" else "return")
        self.written[item] = self.last_turn[owner] = id
        self.builder.agent(owner, model=model)
        if item.end is None and self.found.time != "ordinal":
            self.builder.lost("model calls without a duration")

    def _spent(self, fields: Fields, usage: Fields) -> dict[str, Any]:
        if fields.get("cache") == "read":
            self.builder.lost("cached answers whose tokens an earlier run spent")
            return {}
        cost = number(usage.get("total_cost"))
        return {"tokens": account(usage), "cost": cost if cost is not None and cost >= 0 else None}

    def _call(self, item: Item) -> None:
        owner, turn = self.found.owner(item), self._event_of(item.turn)
        arguments = self._plain(item.fields.get("arguments"))
        if item.child:
            id = self._spawn(item.child.owner, item.child.name, owner, item.t, turn, arguments, item.derived)
        elif names_agent(item):
            name = text(item.fields.get("agent")) or text(item.fields.get("function")) or "unnamed"
            self.unseen[item] = f"{name}-{item.place + 1}"
            self.builder.lost("sub-agents whose own events are missing")
            id = self._spawn(self.unseen[item], name, owner, item.t, turn, arguments)
        else:
            tool = text(item.fields.get("function"))
            id = self._add("tool_call", owner, item.t, tool=tool, parent=turn, text=arguments)
        self.builder.link(turn, id, "causal")
        for approval in item.approvals:
            judged = self._event_of(approval)
            by_person = judged is not None and self.builder[judged].type == "human_intervention"
            self.builder.link(judged, id, "causal" if by_person else "safety_flow")
        self.written[item] = id

    def _spawn(
        self,
        child: str,
        name: str,
        owner: str,
        t: float | None,
        turn: str | None,
        arguments: str | None = None,
        derived: bool = False,
    ) -> str:
        id = self._add("spawn", owner, t, to=child, parent=turn, text=arguments)
        self.builder.agent(child, name=name)
        if child in self.first:
            self.builder.link(id, self.first[child], "spawn", derived=derived)
        else:
            self.to_come[child].append((id, "spawn", derived))
        return id

    def _run(self, span: Span) -> None:
        """Write the spawn of an agent that code ran, without a tool call."""
        owner, around = self.found.spawner(span), self._event_of(span.within)
        unread = [] if around else self.unread.pop(owner, [])
        id = self._spawn(span.owner, span.name, owner, span.begin, around)
        if around:
            self.builder.link(around, id, "causal", derived=True)
        self._link_returns(unread, id, "causal")

    def _end(self, span: Span) -> None:
        call, owner = span.call, self.found.spawner(span)
        id = self._return(span.owner, owner, span.end, call)
        derived = call.derived if call else True
        self.unread[span.within or owner].append((id, derived))

    def _return(self, child: str, owner: str, t: float | None, call: Item | None) -> str:
        """Write the end of an agent, which also waited for returns of its sub-agents that it did not read."""
        result = self._result_of(call) if call else None
        id = self._add("return", child, t, to=owner, text=result, **_failure_of_tool(call))
        self._link_returns(self.unread.pop(child, []), id, "return")
        self._add("despawn", child, t)
        return id

    def _result(self, item: Item) -> None:
        owner = self.found.owner(item)
        if child := self.unseen.get(item):
            self.unread[owner].append((self._return(child, owner, item.end, item), False))
        elif not item.child:
            call = self._event_of(item)
            tool, result = text(item.fields.get("function")), self._result_of(item)
            failure = _failure_of_tool(item)
            id = self._add("tool_result", owner, item.end, tool=tool, parent=call, text=result, **failure)
            self.builder.link(call, id, "tool_dependency")
            self._link_returns(self.unread.pop(item, []), id, "return")

    def _judgement(self, item: Item) -> None:
        """Write the review of a tool call or of its result, by a person or a program."""
        owner, verdict = self.found.owner(item), text(item.fields.get("decision"))
        by_person = (text(item.fields.get("approver")) or text(item.fields.get("reviewer"))) == "human"
        id = self._add(
            "human_intervention" if by_person else "safety_event",
            "user" if by_person else owner,
            item.t,
            to=owner if by_person else None,
            tool=text(mapping(item.fields.get("call")).get("function")),
            status=STATUS_OF_VERDICT.get(verdict or ""),
            text=self._plain(item.fields.get("explanation")),
        )
        self.written[item] = id
        if item.kind == "approval":
            self.builder.link(self._event_of(item.turn), id, "causal")

    def _input(self, item: Item) -> None:
        status = STATUS_OF_OUTCOME.get(text(item.fields.get("outcome")) or "")
        self._intervene(item, status, self._plain(item.fields.get("input")))

    def _interrupt(self, item: Item) -> None:
        if item.fields.get("source") == "user_cancel":
            self._intervene(item, "cancelled", None)

    def _intervene(self, item: Item, status: str | None, comment: str | None) -> None:
        owner = self.found.owner(item)
        id = self._add("human_intervention", "user", item.t, to=owner, status=status, text=comment)
        self.to_come[owner].append((id, "causal", True))

    def _compaction(self, item: Item) -> None:
        sizes = {key: number(item.fields.get(key)) for key in ("tokens_before", "tokens_after")}
        self._add("compaction", self.found.owner(item), item.t, **sizes)

    def _intermediate_score(self, item: Item) -> None:
        """Assign an intermediate score to the last turn before it."""
        turn = self.last_turn.get(self.found.owner(item))
        value = mapping(item.fields.get("score")).get("value")
        known = dict(scores(text(item.fields.get("scorer")) or "score", value))
        if turn and known:
            self.builder.amend(turn, reward={**mapping(self.builder[turn].optional_fields.get("reward")), **known})
        else:
            self.builder.lost("intermediate scores that are not numbers, or come before any turn")

    def _stop(self) -> None:
        """Write the end of the run, if it finished or hit a limit: a crash is not an act of the team."""
        limit = limit_of(self.sample, self.found)
        if failed(self.sample, self.found) or not (limit or self._has_ended()):
            return
        status = STATUS_OF_LIMIT.get(limit, "cancelled") if limit else None
        id = self._add("stop", ROOT, self.until, status=status, decision=None if limit else ["O5"])
        self._link_returns(self.unread.pop(ROOT, []), id, "return")

    def _has_ended(self) -> bool:
        judged = any(item.kind == "score" and not flag(item.fields.get("intermediate")) for item in self.found.items)
        solved = any(span.ended and span.type == "solvers" for span in self.found.spans.values())
        completed = self.sample.get("completed_at") or self.sample.get("total_time") or self.sample.get("scores")
        return bool(judged or solved or completed)

    def _count_losses(self) -> None:
        lost, found = self.builder.lost, self.found
        for what, count in found.lost.items():
            lost(what, count)
        lost("agents whose end is not logged", sum(not span.ended for span in found.agents()))
        lost("failed earlier attempts at the sample", len(items(self.sample.get("error_retries"))))
        lost("returns without a recorded reader", sum(map(len, self.unread.values())))
        for item in found.items:
            if found.is_scoring(item):
                if item.kind == "model":
                    lost("model calls of scorers, outside the team")
            elif item.kind == "sandbox":
                lost("commands in a sandbox, inside tool calls")
            elif item.kind not in KNOWN:
                lost("events of kinds that a trace cannot hold")

    def _link_returns(self, returns: list[tuple[str, bool]], reader: str, type: str) -> None:
        for returned, derived in returns:
            self.builder.link(returned, reader, type, derived=derived)

    def _event_of(self, item: Item | None) -> str | None:
        return self.written.get(item) if item else None

    def _result_of(self, item: Item) -> str | None:
        error = mapping(item.fields.get("error"))
        return self._plain(error.get("message")) or self._plain(item.fields.get("result"))

    def _plain(self, content: object) -> str | None:
        """Return the text of a message, a result or arguments, with its attachments inserted."""
        try:
            plain = _text_of(content)
        except RecursionError:
            self.builder.lost("texts nested too deeply to read")
            return None
        return ATTACHMENT.sub(self._attached, plain) if plain else None

    def _attached(self, reference: re.Match[str]) -> str:
        attachment = self.attachments.get(reference[1])
        if isinstance(attachment, str):
            return attachment
        self.builder.lost("attachments that are missing")
        return reference[0]


def account(usage: Fields) -> dict[str, float] | None:
    """Return tokens by kind, without double counting.

    Logs of 2025 store OpenAI's usage unchanged, with cache reads included in the input, and that of others
    without; cache reads are subtracted where the total shows this. The same holds for reasoning, which some
    providers do not include in the output.
    """
    known = tokens(
        input=usage.get("input_tokens"),
        output=usage.get("output_tokens"),
        cache_read=usage.get("input_tokens_cache_read") or None,
        cache_write=usage.get("input_tokens_cache_write") or None,
        reasoning=usage.get("reasoning_tokens") or None,
    )
    if known is None:
        return None
    read, given, reasoning = known.get("input", 0), known.get("output", 0), known.get("reasoning", 0)
    cached, total = known.get("cache_read", 0) + known.get("cache_write", 0), number(usage.get("total_tokens"))
    if cached and total == read + given and read >= cached:
        known["input"] = read - cached
    elif reasoning and total == read + given + cached + reasoning:
        known["output"] = given + reasoning
    return known


def _spawning(child: Span, place: int) -> tuple[int, float]:
    """Return the position and rank of a spawn: before all acts of the child, after the spawn of its parent."""
    return min(place, child.place), 2 + min(child.depth, 10**6) / 10**7


def _status_of_model(fields: Fields) -> str | None:
    error = text(fields.get("error")) or text(mapping(fields.get("output")).get("error"))
    if flag(fields.get("pending")) or (error or "").startswith("Cancelled by "):
        return "cancelled"
    return "error" if error else None


def _failure_of_tool(item: Item | None) -> dict[str, str | None]:
    """Return the status and the kind of the error of a tool call that failed."""
    error = mapping(item.fields.get("error")) if item else {}
    if not error and not (item and flag(item.fields.get("failed"))):
        return {}
    kind = word(error.get("type"))
    return {"status": STATUS_OF_ERROR.get(kind or "", "error"), "error": kind}


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text_of, content)))
    if isinstance(content, Mapping):
        for key in ("text", "content"):
            if isinstance(content.get(key), (str, list)):
                return _text_of(content[key])
        return json.dumps(content, sort_keys=True) if content else ""
    return "" if content is None else json.dumps(content)
