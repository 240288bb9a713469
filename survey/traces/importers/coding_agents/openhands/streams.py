"""The older format: one stream of actions and observations, in which an agent and its delegates take turns.

No event names its agent. A delegate begins with the action that starts it and ends with the observation that it
ended; all events between are its own, but for those of people.
"""

from __future__ import annotations

from collections import Counter

from survey.traces.importers.coding_agents import usage
from survey.traces.importers.coding_agents.openhands.acts import ROOT, Act, Start, Totals, latencies, words
from survey.traces.importers.json_values import Fields, flag, instant, items, mapping, number, text

SOURCES = ("agent", "user", "environment")
ENDING = {"finish": None, "reject": "rejected"}
NO_CALLS = (
    "message", "system", "start", "null", "change_agent_state", "condensation", "condensation_request", "loop_recovery",
    "pause", "resume", "stop", "push", "send_pr", *ENDING,
)  # fmt: skip
"""Actions of the agent or its program that no tool answers."""

PROGRAM = ("agent_state_changed", "recall", "null", "condense", "loop_detection", "chat", "message", "success")
"""Observations that the program makes for itself."""

FAILED = "encountered an error during execution."


def is_event(value: object) -> bool:
    """Return whether a JSON value is an event of the older format."""
    event = mapping(value)
    if event.get("source") not in SOURCES:
        return False
    done = isinstance(event.get("action"), str) and isinstance(event.get("args"), dict)
    return done or (isinstance(event.get("observation"), str) and isinstance(event.get("extras"), dict))


class Stream:
    """The acts of a stream."""

    def __init__(self, events: list[Fields]) -> None:
        self.acts: list[Act] = []
        self.lost = Counter[str]()
        self.name: str | None = None
        self.models: dict[str, str] = {}
        self.version: str | None = None
        self._agents = [ROOT]
        self._delegates = Counter[str]()
        self._totals = Totals()
        for event in events:
            if not is_event(event):
                self.lost["records of unknown kinds"] += 1
            elif isinstance(event.get("action"), str):
                self._action(event, mapping(event.get("args")))
            else:
                self._observation(event, mapping(event.get("extras")))

    @property
    def total(self) -> float:
        """All tokens, as the log adds them up."""
        return self._totals.sum

    def _act(self, kind: str, event: Fields, **fields: object) -> Act:
        act = Act(kind, self._agents[-1], instant(event.get("timestamp")), **fields)  # type: ignore[arg-type]
        self.acts.append(act)
        return act

    def _action(self, event: Fields, args: Fields) -> None:
        action = str(event["action"])
        if event.get("source") == "user" and action == "message":
            self._act("prompt", event, message=text(args.get("content")))
        elif action == "system":
            self.version = text(args.get("openhands_version")) or self.version
            self.name = self.name or text(args.get("agent_class"))
        elif action == "condensation":
            spent, cost = self._totals.since(event.get("llm_metrics"))
            self._act("compaction", event, message=text(args.get("summary")), spent=spent, cost=cost)
        elif event.get("source") == "agent" and (action == "message" or action in ENDING):
            said = args.get("content") if action == "message" else args.get("final_thought") or args.get("thought")
            kind = "ending" if action in ENDING else "said"
            self._turn(self._act(kind, event, message=text(said), status=ENDING.get(action)), event)
        elif event.get("source") == "agent" and action not in NO_CALLS:
            self._call(event, action, args)

    def _call(self, event: Fields, action: str, args: Fields) -> None:
        named = text(mapping(event.get("tool_call_metadata")).get("function_name"))
        act = self._act("call", event, message=text(args.get("thought")), tool=named or action, id=_id(event.get("id")))
        self._turn(act, event)
        if action != "delegate":
            return
        name = text(args.get("agent")) or "agent"
        self._delegates[name] += 1
        child = f"{name}-{self._delegates[name]}"
        act.starts.append(Start(child, role=name, task=text(mapping(args.get("inputs")).get("task"))))
        self._agents.append(child)

    def _turn(self, act: Act, event: Fields) -> None:
        """Add what the log says of the response: its own tokens, else what the totals have grown by."""
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        metrics = mapping(event.get("llm_metrics"))
        grown, act.cost = self._totals.since(metrics)
        act.response, act.model = text(response.get("id")), text(response.get("model"))
        act.spent = usage.of_response(response) or grown
        if act.response:
            act.took = latencies(metrics).get(act.response)
        if act.model:
            self.models.setdefault(act.agent, act.model)

    def _observation(self, event: Fields, extras: Fields) -> None:
        kind, cause = event["observation"], _id(event.get("cause"))
        if kind == "delegate" and len(self._agents) > 1:
            said = text(event.get("content"))
            failed = (said or "").rstrip().endswith(FAILED)
            self._act("return", event, message=said, status="error" if failed else None)
            self._agents.pop()
        elif cause is not None and kind not in PROGRAM:
            self._act("answer", event, id=cause, message=words(event.get("content")), status=_status(event, extras))
        elif kind == "error":
            self.lost["errors without an event"] += 1
        elif kind not in PROGRAM:
            self.lost["results of missing or already answered calls"] += 1


def _id(value: object) -> str | None:
    """Return the id of an event; a stream counts them."""
    count = number(value)
    return None if count is None or count < 0 else f"{count:g}"


def _status(event: Fields, extras: Fields) -> str | None:
    kind = event.get("observation")
    if kind == "user_rejected":
        return "rejected"
    code = number(extras.get("exit_code", mapping(extras.get("metadata")).get("exit_code")))
    wrong = kind == "error" or event.get("success") is False or bool(code and code > 0) or flag(extras.get("error"))
    return "error" if wrong else None


def flat(events: object) -> list[Fields]:
    """Return the events of a list; old evaluations keep pairs of an action and its observation."""
    found: list[Fields] = []
    for item in items(events):
        found += [mapping(part) for part in item] if isinstance(item, list) else [mapping(item)]
    return found
