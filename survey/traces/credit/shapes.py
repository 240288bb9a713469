"""Credits as arrays for training code: a number per turn, and per output token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from survey.extras import lazy
from survey.traces.credit.group import actors, owners
from survey.traces.credit.rows import Credit
from survey.traces.credit.units import logical, output_tokens, parts, roles, written
from survey.traces.metrics import NotMeasurable
from survey.traces.model import Trace
from survey.traces.replay import replay

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Arrays: TypeAlias = "dict[str, NDArray[Any]]"


def advantages(credits: Iterable[Credit], trace: Trace, *, per_token: bool = True) -> Arrays:
    """Return the credits of one run as arrays, in causal order of its turns.

    ==================  ===================================================================================
    turn_ids            the id of each turn's event
    agent_ids           the agent that took it
    agent_names, roles  the name of the instance and its role; "" if not given
    token_counts        its output tokens; -1 if not in the trace
    advantages          its advantage
    credited            whether any credit reached it; its advantage is 0 if not
    token_turns         for each output token of the run the index of its turn in the arrays above
    token_advantages    that turn's advantage, or the token's own if credit is by token
    ==================  ===================================================================================

    Credit of a team, a role or an agent goes undivided to each of its turns, as training code does with the reward
    of a rollout. Credit of a choice, a message or a call goes to the turn that made it, summed if a turn made
    several. With tokens as units a turn gets the mean over its tokens.

    Needs the output tokens of every turn (``tokens.output``), unless ``per_token=False``, which omits the last two
    arrays. All credits must be of one kind and of units that the trace has.
    """
    given = {credit.unit: credit for credit in credits}
    kinds = {credit.kind for credit in given.values()}
    if len(kinds) != 1:
        raise ValueError(f"expected credits of one kind of units, found {', '.join(sorted(kinds)) or 'none'}")
    [kind] = kinds
    turns = list(parts(trace, "turn"))
    counts = output_tokens(trace) if per_token or kind == "token" else _known(trace, turns)
    own = _by_token(given, counts) if kind == "token" else {}
    earned = (
        {turn: own[turn].mean() for turn in turns if len(own[turn])}
        if kind == "token"
        else _by_turn(given, kind, trace)
    )
    whose, names, known = actors(trace, "turn"), logical(trace), roles(trace)
    numbers = np.array([counts[turn] for turn in turns], dtype=np.int64)
    values = np.array([earned.get(turn, 0.0) for turn in turns], dtype=np.float64)
    found: Arrays = {
        "turn_ids": _texts(turns),
        "agent_ids": _texts(whose[turn] for turn in turns),
        "agent_names": _texts(names.get(whose[turn], "") for turn in turns),
        "roles": _texts(known.get(whose[turn], "") for turn in turns),
        "token_counts": numbers,
        "advantages": values,
        "credited": np.array([turn in earned for turn in turns], dtype=np.bool_),
    }
    if per_token:
        found["token_turns"] = np.repeat(np.arange(len(turns), dtype=np.int64), numbers)
        tokens = (
            [own[turn] for turn in turns] if own else [np.full(counts[turn], earned.get(turn, 0.0)) for turn in turns]
        )
        found["token_advantages"] = np.concatenate(tokens)
    return found


def to_parquet(runs: Mapping[str, Arrays], path: Path | str) -> None:
    """Write the arrays of runs, by name, as a Parquet file with a row for each turn.

    The columns are ``trace``, the arrays per turn and, if all runs have them, ``token_advantages`` as a list for
    each turn.
    """
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, list[Any]] = {}
    by_token = all("token_turns" in arrays for arrays in runs.values())
    for name, arrays in runs.items():
        number = len(arrays["turn_ids"])
        columns.setdefault("trace", []).extend([name] * number)
        for key, array in arrays.items():
            if not key.startswith("token_") or key == "token_counts":
                columns.setdefault(key, []).extend(array.tolist())
        if by_token:
            starts = np.searchsorted(arrays["token_turns"], np.arange(number + 1))
            tokens = [arrays["token_advantages"][a:b].tolist() for a, b in pairwise(starts.tolist())]
            columns.setdefault("token_advantages", []).extend(tokens)
    parquet.write_table(pa.table(columns), path)


def _known(trace: Trace, turns: Sequence[str]) -> dict[str, int]:
    found = {event.id: written(event) for event in trace.events}
    return {turn: -1 if (count := found[turn]) is None else count for turn in turns}


def _by_turn(given: Mapping[str, Credit], kind: str, trace: Trace) -> dict[str, float]:
    pieces = parts(trace, kind)
    for unit in given:
        if unit not in pieces:
            raise ValueError(f'"{unit}" is not a {kind} of {trace.id}')
    earned: dict[str, float] = {}
    if kind in ("team", "role", "agent"):
        for turn, agent in actors(trace, "turn").items():
            for unit, credit in given.items():
                if agent in pieces[unit]:
                    earned[turn] = earned.get(turn, 0.0) + credit.value
        return earned
    owner, events = owners(trace), {event.id: event for event in replay(trace).graph.events}
    for unit, credit in given.items():
        if unit not in owner:
            raise NotMeasurable(f'needs the turn that "{unit}" belongs to: "{events[unit].agent}" takes none')
        earned[owner[unit]] = earned.get(owner[unit], 0.0) + credit.value
    return earned


def _by_token(given: Mapping[str, Credit], counts: Mapping[str, int]) -> dict[str, NDArray[np.float64]]:
    names = {turn: [f"{turn}:{number}" for number in range(count)] for turn, count in counts.items()}
    missing = [name for own in names.values() for name in own if name not in given]
    if missing or len(given) > sum(counts.values()):
        raise ValueError(
            f"expected the credit of every token and of no other; {missing[0] if missing else 'one'} is wrong"
        )
    return {turn: np.array([given[name].value for name in own]) for turn, own in names.items()}


def _texts(words: Iterable[str]) -> NDArray[np.object_]:
    return np.array(list(words), dtype=np.object_)
