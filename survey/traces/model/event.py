"""Events: who did what and when, with tokens and other optional fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert, structs, to_builtins
from msgspec.structs import replace

from survey.traces.model.schema import EVENT_TYPES

NOTHING: Mapping[str, Any] = MappingProxyType({})

OUTSIDE = frozenset({"user", "environment"})
"""Senders and receivers outside the team."""

LARGEST = 2.0**53
"""Upper limit for counts and times in a trace: floats cannot represent every integer beyond it."""


Type = Literal[EVENT_TYPES]  # type: ignore[valid-type]
Status = Literal["ok", "error", "cancelled", "timeout", "rejected"]
Decision = Literal["O1", "O2", "O3", "O4", "O5"]
Text = Annotated[str, Meta(min_length=1)]
Amount = Annotated[float, Meta(ge=0)]


class Tokens(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """Tokens by kind. ``reasoning`` is a part of ``output``; the other kinds do not overlap."""

    input: Amount | None = None
    output: Amount | None = None
    cache_read: Amount | None = None
    cache_write: Amount | None = None
    reasoning: Amount | None = None

    @property
    def total(self) -> float:
        """All of them."""
        return (self.input or 0) + (self.output or 0) + (self.cache_read or 0) + (self.cache_write or 0)


UNNAMED = "\ue000"
"""Placeholder name in files for a field that is never written."""


class Event(
    Struct,
    frozen=True,
    gc=False,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"from_": "from", "tokens_": "tokens", "status_": "status", "other": UNNAMED},
):
    """One act of one agent, with the fields of the schema; None for fields that are absent.

    A ``msgspec.Struct``, because a long trace has a million events: it is decoded directly from the
    text and validated against the schema in the same pass.

        >>> sent = Event.of({"id": "e4", "t": 3, "type": "message", "agent": "planner", "to": "executor",
        ...                  "tokens": {"input": 20, "output": 5}, "colour": "red"})
        >>> sent.to, sent.tokens, sent.status, sent.other
        ('executor', 25.0, 'ok', {'colour': 'red'})
    """

    id: Text
    t: Amount
    type: Type
    agent: Text
    agent_name: str | None = None
    role: str | None = None
    from_: str | None = None
    to: str | None = None
    tool: str | None = None
    t_end: Amount | None = None
    t_first: Amount | None = None
    status_: Status | None = None
    tokens_: Amount | Tokens | None = None
    cost: Amount | None = None
    parent: Text | None = None
    transfer: bool | None = None
    decision: list[Decision] | None = None
    reward: float | dict[str, float] | None = None
    delivered: Amount | bool | None = None
    content_ref: str | None = None
    content: str | None = None
    trusted: bool | None = None
    model: str | None = None
    error: str | None = None
    waits_for: Literal["agents", "people", "tool"] | None = None
    other: dict[str, Any] | None = None
    """Fields that the schema does not define, and fields of a trace without ``schema_version`` that use
    one of its names for something else."""

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Event:
        """Return the event for an object of a trace file. Its four required fields must be valid."""
        with suppress(ValidationError, OverflowError):
            event = convert(fields, cls)
            if _is_lossless(fields):
                return event
        known = {key: value for key, value in fields.items() if key in FIELDS and _fits(key, value)}
        event = convert(known, cls)
        if len(known) == len(fields):
            return event
        return replace(event, other={key: value for key, value in fields.items() if key not in known})

    def to_json(self) -> dict[str, Any]:
        """Return the object as stored in a trace file."""
        fields: dict[str, Any] = to_builtins(self)
        fields.pop(UNNAMED, None)
        return {**fields, **self.other} if self.other else fields

    def with_fields(self, **fields: Any) -> Event:
        """Return a copy with some fields replaced, by their names in the file; None removes a field."""
        given = {key.rstrip("_"): value for key, value in fields.items()}
        changed = {**self.to_json(), **given}
        return Event.of({key: value for key, value in changed.items() if value is not None or key not in given})

    @property
    def optional_fields(self) -> Mapping[str, Any]:
        """All fields but the four required ones, by their names in the file."""
        return {key: value for key, value in self.to_json().items() if key not in ("id", "t", "type", "agent")}

    @property
    def sender(self) -> str:
        """The agent that acted: ``from`` if given, else ``agent``."""
        return self.from_ or self.agent

    @property
    def between_agents(self) -> bool:
        """Whether neither the sender nor the receiver is a person or the environment."""
        return (self.from_ or self.agent) not in OUTSIDE and self.to not in OUTSIDE

    @property
    def child(self) -> str | None:
        """The agent that a spawn creates: ``to``, or ``agent`` itself where ``from`` names the spawner."""
        return self.to or (self.agent if self.sender != self.agent else None)

    @property
    def status(self) -> str:
        """The status; "ok" if absent."""
        return self.status_ or "ok"

    @property
    def end(self) -> float:
        """The end time: ``t_end``, or ``t`` if absent or later."""
        return self.t if self.t_end is None or self.t_end < self.t else self.t_end

    @property
    def tokens(self) -> float | None:
        """Total tokens of the event; None if absent."""
        tokens = self.tokens_
        return tokens.total if isinstance(tokens, Tokens) else tokens

    @property
    def by_kind(self) -> Mapping[str, float]:
        """Tokens by kind; empty if only a total, or nothing, is given."""
        return to_builtins(self.tokens_) if isinstance(self.tokens_, Tokens) else NOTHING


EXTERNAL_ACTS = frozenset({"human_intervention", "safety_event", "tool_result"})
"""Types of acts by people, guards and tools, which need not belong to the team."""


def first_agent(events: Iterable[Event]) -> str:
    """Return the first team member to act, in causal order: the root; "" if there is none."""
    return next(
        (event.sender for event in events if event.sender not in OUTSIDE and event.type not in EXTERNAL_ACTS), ""
    )


FIELDS = {field.encode_name: field.type for field in structs.fields(Event) if field.name != "other"}


def _is_lossless(fields: Mapping[str, Any]) -> bool:
    """Return whether direct conversion of all fields preserves them, as it nearly always does."""
    tokens, decision = fields.get("tokens"), fields.get("decision", ())
    return (
        None not in fields.values()
        and UNNAMED not in fields
        and fields.get("delivered") is not True
        and len(set(decision)) == len(decision)
        and not (isinstance(tokens, dict) and None in tokens.values())
    )


def _fits(key: str, value: Any) -> bool:
    if value is None or (key == "delivered" and value is True):
        return False
    if isinstance(value, dict) and None in value.values():
        return False
    try:
        convert(value, FIELDS[key])
    except (ValidationError, OverflowError):
        return False
    return not (key == "decision" and len(set(value)) < len(value))
