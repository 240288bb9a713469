"""The current format: the events of a conversation, each of one agent; sub-agents have conversations of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.coding_agents.openhands.acts import Act, Start, Totals, latencies, words
from survey.traces.importers.json_values import Fields, flag, instance, instant, items, mapping, number, text

KINDS = frozenset({
    "SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation",
    "Condensation", "CondensationRequest", "CondensationSummaryEvent", "ConversationStateUpdateEvent",
    "ConversationErrorEvent", "PauseEvent", "InterruptEvent", "HookExecutionEvent", "LLMCompletionLogEvent",
    "StreamingDeltaEvent", "TokenEvent", "ACPToolCallEvent",
})  # fmt: skip
ANSWERS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
SILENT = (
    "SystemPromptEvent", "CondensationRequest", "CondensationSummaryEvent", "HookExecutionEvent", "TokenEvent",
    "LLMCompletionLogEvent", "StreamingDeltaEvent",
)  # fmt: skip
"""Events of the program, or copies of what other events say."""

TASK, DELEGATE, ENDING = "TaskAction", "DelegateAction", "FinishAction"
CHILDREN = ("task:", "delegate:")
"""How the totals of sub-agents are named among those of their parent."""

CONDENSER = "condenser"


def is_event(value: object) -> bool:
    """Return whether a JSON value is an event of the current format."""
    event = mapping(value)
    kind = event.get("kind")
    return isinstance(kind, str) and kind in KINDS and text(event.get("id")) is not None and "source" in event


class Conversation:
    """The acts of one conversation, and what its agent spent."""

    def __init__(self, events: list[Fields], state: Fields, agent: str, *, prefix: str = "") -> None:
        self.agent, self._prefix = agent, prefix
        self.acts: list[Act] = []
        self.lost = Counter[str]()
        self.model = text(mapping(mapping(state.get("agent")).get("llm")).get("model"))
        self.metrics = {
            name: mapping(each) for name, each in mapping(mapping(state.get("stats")).get("usage_to_metrics")).items()
        }
        self._known = dict(self._responses())
        self._took = {id: took for each in self.metrics.values() for id, took in latencies(each).items()}
        self._seen: set[str | None] = set()
        self._totals: dict[str, Totals] = {}
        self._grown: dict[bool, tuple[dict[str, float], float]] = {}
        self._calls = {text(event.get("tool_call_id")): event for event in events if event.get("kind") == "ActionEvent"}
        answers = [event for event in events if event.get("kind") == "ObservationEvent"]
        self._tasks = {text(event.get("tool_call_id")): mapping(event.get("observation")) for event in answers}
        for event in events:
            if is_event(event):
                self._event(event)
            else:
                self.lost["records of unknown kinds"] += 1

    @property
    def task(self) -> str | None:
        """The first prompt."""
        return next((act.message for act in self.acts if act.kind == "prompt"), None)

    @property
    def total(self) -> float:
        """All tokens of the agent and its sub-agents, as the log adds them up."""
        stated = [Totals() for _ in self.metrics]
        for totals, metrics in zip(stated, self.metrics.values(), strict=True):
            totals.since(metrics)
        return sum(totals.sum for totals in stated)

    def spent_by(self, child: str) -> tuple[dict[str, float] | None, float | None]:
        """Return what a sub-agent spent, as its parent counts it."""
        bare = child.removeprefix(self._prefix)
        for name in CHILDREN:
            if f"{name}{bare}" in self.metrics:
                return Totals().since(self.metrics[f"{name}{bare}"])
        return None, None

    def _responses(self) -> Iterator[tuple[str, tuple[dict[str, float] | None, float | None]]]:
        """Yield the tokens and the money of each response, by its id, as the state of the conversation lists them."""
        for each in self.metrics.values():
            used, costs = items(each.get("token_usages")), items(each.get("costs"))
            for place, item in enumerate(used):
                if id := text(mapping(item).get("response_id")):
                    paid = mapping(costs[place]).get("cost") if len(costs) == len(used) else None
                    yield id, (usage.of_metrics(mapping(item)), usage.money(paid) or None)

    def _act(self, kind: str, event: Fields, **fields: object) -> Act:
        act = Act(kind, self.agent, instant(event.get("timestamp")), **fields)  # type: ignore[arg-type]
        self.acts.append(act)
        return act

    def _event(self, event: Fields) -> None:
        kind = event.get("kind")
        if kind == "MessageEvent":
            said = words(mapping(event.get("llm_message")).get("content"))
            if event.get("source") == "agent":
                self._turn(self._act("said", event, message=said), event)
            else:
                self._act("prompt", event, message=said)
        elif kind == "ActionEvent":
            self._call(event)
        elif kind in ANSWERS:
            self._answer(event)
        elif kind == "Condensation":
            spent, cost = self._spent(event, condenser=True)
            self._act("compaction", event, message=text(event.get("summary")), spent=spent, cost=cost)
        elif kind == "ConversationStateUpdateEvent":
            self._update(event)
        elif kind in ("PauseEvent", "InterruptEvent"):
            self._act("pause", event)
        elif kind == "ConversationErrorEvent":
            self.lost["errors without an event"] += 1
        elif kind not in SILENT:
            self.lost["events of kinds that a trace cannot hold"] += 1

    def _update(self, event: Fields) -> None:
        """Read the totals so far; those of sub-agents are not the agent's."""
        value = mapping(event.get("value"))
        stats = value.get("stats") if event.get("key") == "full_state" else value
        if event.get("key") not in ("stats", "full_state"):
            return
        for name, metrics in mapping(mapping(stats).get("usage_to_metrics")).items():
            self.metrics[name] = mapping(metrics)
            if name.startswith(CHILDREN):
                continue
            self.model = self.model or text(mapping(metrics).get("model_name"))
            grown, cost = self._totals.setdefault(name, Totals()).since(metrics)
            before, paid = self._grown.get(name == CONDENSER, ({}, 0.0))
            more = {kind: before.get(kind, 0) + count for kind, count in (grown or {}).items()}
            self._grown[name == CONDENSER] = {**before, **more}, paid + (cost or 0)

    def _spent(self, event: Fields, *, condenser: bool = False) -> tuple[dict[str, float] | None, float | None]:
        """Return what a response spent: as listed by its id, else what the totals have grown by."""
        if self._known:
            return self._known.get(text(event.get("llm_response_id")) or "", (None, None))
        grown, cost = self._grown.pop(condenser, ({}, 0.0))
        return grown or None, cost or None

    def _turn(self, act: Act, event: Fields) -> None:
        act.response = text(event.get("llm_response_id"))
        act.took = self._took.get(act.response or "")
        if act.response not in self._seen:
            act.spent, act.cost = self._spent(event)
        self._seen |= {act.response} - {None}

    def _call(self, event: Fields) -> None:
        action, id = mapping(event.get("action")), text(event.get("tool_call_id"))
        act = self._act("call", event, message=words(event.get("thought")), id=id, tool=text(event.get("tool_name")))
        self._turn(act, event)
        if action.get("kind") == ENDING:
            act.kind = "ending"
        elif action.get("kind") == TASK:
            child = text(action.get("resume")) or text(self._tasks.get(id, {}).get("task_id"))
            role = text(action.get("subagent_type"))
            if child != "unknown":  # a task that never came to be
                name = instance(child) or f"task of {id or 'a call'}"
                act.starts.append(Start(f"{self._prefix}{name}", role=role, task=text(action.get("prompt"))))
        elif action.get("kind") == DELEGATE and not flag(self._tasks.get(id, {}).get("is_error")):
            self._delegation(act, action)

    def _delegation(self, act: Act, action: Fields) -> None:
        kinds = items(action.get("agent_types"))
        for place, id in enumerate(items(action.get("ids")) if action.get("command") == "spawn" else ()):
            if name := instance(id):
                role = text(kinds[place]) if place < len(kinds) else None
                act.starts.append(Start(f"{self._prefix}{name}", role=role, asks=False))
        for id, task in mapping(action.get("tasks")).items() if action.get("command") == "delegate" else ():
            if name := instance(id):
                act.starts.append(Start(f"{self._prefix}{name}", task=text(task)))

    def _answer(self, event: Fields) -> None:
        seen = mapping(event.get("observation"))
        said = words(seen.get("content")) or text(event.get("error")) or text(event.get("rejection_reason"))
        id = text(event.get("tool_call_id"))
        if mapping(self._calls.get(id, {}).get("action")).get("kind") == ENDING:
            return  # it repeats the message of the call
        self._act("answer", event, id=id, message=said, status=_status(event, seen))


def _status(event: Fields, seen: Fields) -> str | None:
    if event.get("kind") == "UserRejectObservation":
        return "rejected"
    if flag(seen.get("timeout")):
        return "timeout"
    code = number(seen.get("exit_code"))
    wrong = event.get("kind") == "AgentErrorEvent" or flag(seen.get("is_error")) or bool(code and code > 0)
    return "error" if wrong else None
