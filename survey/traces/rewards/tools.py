"""R5, tool use: rewards for single calls, independent of the outcome of the run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal

from survey.traces.metrics import NotMeasurable, Run
from survey.traces.model import Event
from survey.traces.rewards.reward import PartsNotMeasurable, Reward, count, formatted

Price = Literal["usd", "seconds", "tokens"]


def tool_use(
    run: Run,
    *,
    valid: float = 0.5,
    success: float = 0.5,
    repeated: float = -0.5,
    cost: float = 0.0,
    price: Price = "usd",
    changing: Collection[str] | None = None,
) -> list[Reward]:
    """R5, single calls: ``r_c = valid * [accepted] + success * [ok] + repeated * [made before] + cost * price(c)``.

    A call is accepted unless it or its result is ``rejected``: an error, a timeout or a cancellation occurs
    after acceptance. It succeeds if both are ``ok``, which is also the meaning of an absent status. It was
    made before if an earlier call, by any agent, had the same tool and the same ``content_ref``, and no other call
    since then may have changed what it finds: a test that is run again after an edit is no repetition.

    - ``valid``: reward for an accepted call.
    - ``success``: additional reward for a successful call.
    - ``repeated``: reward, usually negative, for a repetition.
    - ``cost``: reward, usually negative, per unit of the price; 0 by default, as few traces price calls.
    - ``changing``: the tools that may change what later calls find, unless refused; by default those whose name
      contains a word such as edit, write, delete, install, run or bash (``CHANGING``).
    - ``price``: the price of a call with its result: US dollars, seconds from call to result, or tokens.

    With the default weights, a new call that succeeds is paid 1, one that is accepted and fails 0.5,
    a rejected one 0, and a repetition 0.5 less. The form and the weights are ours.

    Needs tool calls; results for ``valid`` and ``success``, a ``content_ref`` for ``repeated``, the price of
    every call for ``cost``. Raises ``NotMeasurable`` if data for a part with a weight is missing. If only some
    calls have a result, or a status of their own, the others have no row; if only some have a
    ``content_ref``, the others are not penalised, and their ``why`` says that repetition is unknown.
    """
    calls = run.places_of("tool_call")
    if not calls:
        raise NotMeasurable("needs tool calls: nobody called a tool")
    if not (valid or success or repeated or cost):
        raise ValueError("all weights are 0 (expected another for one of valid, success, repeated, cost)")
    answers, events = run.replayed.answers, run.events
    judged = bool(valid or success)
    known = [place for place in calls if place in answers or events[place].status_ is not None]
    rewarded = known if judged else calls
    reasons: dict[str, str] = {}
    if not rewarded:
        reasons |= {
            part: "needs a result of a tool call" for part, on in (("valid", valid), ("success", success)) if on
        }
    if repeated and not any(events[place].content_ref for place in calls):
        reasons["repeated"] = "needs a content_ref on tool calls: none has one"
    if cost:
        reasons |= _unpriced(run, rewarded or calls, price)
    if reasons:
        raise PartsNotMeasurable(reasons)
    first = _first_calls(run, calls, changing)
    found = []
    for place in rewarded:
        value, words = 0.0, []
        if judged:
            status = _status(run, place)
            value += valid * (status != "rejected") + success * (status == "ok")
            words.append(STATUSES[status])
        if repeated:
            again = first.get(place)
            value += repeated if again else 0.0
            words.append(_repetition(events[place], again))
        if cost:
            paid = _price(run, place, price) or 0.0
            value += cost * paid
            words.append(f"it cost {formatted(paid)} {price}")
        found.append(Reward("tool call", events[place].id, value, "R5", "; ".join(words)))
    return found


STATUSES = {
    "ok": "it was accepted and succeeded",
    "rejected": "it was refused",
    "error": "it was accepted and ended in an error",
    "timeout": "it was accepted and timed out",
    "cancelled": "it was accepted and cancelled",
}


def _status(run: Run, call: int) -> str:
    """Return the status of a call: its own unless ok, else that of its result."""
    own = run.events[call].status
    result = run.replayed.answers.get(call)
    return own if own != "ok" or result is None else run.events[result].status


CHANGING = frozenset((
    "apply", "bash", "command", "commit", "create", "delete", "edit", "exec", "execute", "insert", "install", "move",
    "patch", "python", "remove", "rename", "replace", "run", "send", "shell", "terminal", "undo", "update", "write",
))  # fmt: skip
"""Words in the names of tools that may change something; a shell may do anything."""

WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _may_change(tool: str | None, changing: Collection[str] | None) -> bool:
    if changing is not None:
        return tool in changing
    return not CHANGING.isdisjoint(word.lower() for word in WORDS.findall(tool or ""))


def _first_calls(run: Run, calls: list[int], changing: Collection[str] | None) -> Mapping[int, str]:
    """Return for each repeated call the id of the first identical one since another call may have changed something."""
    seen: dict[tuple[str | None, str], str] = {}
    again = {}
    for place in calls:
        event = run.events[place]
        key = (event.tool, event.content_ref) if event.content_ref else None
        before = seen.get(key) if key else None
        if before:
            again[place] = before
        elif _may_change(event.tool, changing) and _status(run, place) != "rejected":
            seen.clear()
        if key:
            seen.setdefault(key, event.id)
    return again


def _repetition(event: Event, again: str | None) -> str:
    if again:
        return f"it repeats {again}"
    return "no earlier call was the same" if event.content_ref else "it is unknown whether it repeats another"


def _unpriced(run: Run, calls: list[int], price: Price) -> dict[str, str]:
    missing = sum(_price(run, place, price) is None for place in calls)
    if price == "seconds" and run.replayed.trace.time != "seconds":
        return {"cost": f"needs times in seconds: its times are {run.replayed.trace.time}"}
    if missing:
        words = {"usd": "cost", "seconds": "result", "tokens": "tokens"}[price]
        return {"cost": f"needs the price of every call: {count(missing, 'call')} of {len(calls)} without {words}"}
    return {}


def _price(run: Run, call: int, price: Price) -> float | None:
    """Return the price of a call with its result; None if neither records it."""
    result = run.replayed.answers.get(call)
    both = [run.events[call]] + ([run.events[result]] if result is not None else [])
    if price == "seconds":
        return both[1].end - both[0].t if len(both) > 1 else None
    prices = [value for event in both if (value := event.cost if price == "usd" else event.tokens) is not None]
    return sum(prices) if prices else None
