"""Advantages as arrays for training code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.traces.credit import (
    Credit,
    NotMeasurable,
    advantages,
    assign,
    broadcast,
    frame,
    gae_credits,
    to_parquet,
    units,
)
from tests.traces.credit.drawn import MODEST, fork
from tests.traces.strategies import Json, small

TURN: Json = {"type": "model_call", "tokens": {"output": 2}}


def test_the_credit_of_an_agent_goes_to_all_its_turns_and_their_tokens() -> None:
    found = advantages(assign(fork(), "agent", "leave-one-out")[0], fork())
    assert found["turn_ids"].tolist() == ["e1", "e3", "e6", "e9", "e12", "e13"]
    assert found["agent_ids"].tolist() == ["lead", "a", "b", "c", "idle", "lead"]
    assert found["roles"].tolist() == ["", "searcher", "searcher", "searcher", "searcher", ""]
    assert found["token_counts"].tolist() == [3, 2, 2, 2, 2, 5]
    assert found["advantages"] == pytest.approx([1, 1 / 4, 1 / 4, 1 / 4, 0, 1])
    assert found["credited"].all()
    assert found["token_turns"].tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5]
    assert found["token_advantages"] == pytest.approx(found["advantages"][found["token_turns"]])


@MODEST
@given(st.sampled_from(["team", "role", "agent", "turn", "orchestrator", "token"]), st.integers(-4, 4))
def test_what_all_units_earned_alike_every_credited_turn_gets(kind: str, score: int) -> None:
    found = advantages(broadcast(fork(score), kind), fork(score))
    assert found["advantages"][found["credited"]].tolist() == [score] * int(found["credited"].sum())
    assert not found["advantages"][~found["credited"]].any()
    assert found["credited"].sum() == {"role": 4, "orchestrator": 1}.get(kind, 6)


def test_messages_and_calls_of_a_turn_add_up_in_it() -> None:
    trace = small(
        [
            TURN,
            {"type": "message", "to": "b"},
            {"type": "message", "to": "c"},
            TURN,
            {"type": "message", "to": "b", "parent": "e1"},
        ]
    )
    earned = [Credit("message", unit, value, "by hand") for unit, value in (("e2", 1.0), ("e3", -0.25), ("e5", 2.0))]
    found = advantages(earned, trace)
    assert found["advantages"].tolist() == [2.75, 0]
    assert found["credited"].tolist() == [True, False]


def test_tokens_keep_their_own() -> None:
    trace = small([TURN, TURN], rewards={"team": 1})
    found = advantages(gae_credits(trace, "token", gamma=0.5), trace)
    assert found["token_advantages"].tolist() == [0.125, 0.25, 0.5, 1]
    assert found["advantages"].tolist() == [0.1875, 0.75]


def test_without_tokens_there_are_turns_alone() -> None:
    trace = small([{"type": "model_call"}, TURN], rewards={"team": 1})
    with pytest.raises(
        NotMeasurable, match=r'needs the output tokens of every turn \(tokens.output\): "e1" does not record them'
    ):
        advantages(broadcast(trace, "turn"), trace)
    found = advantages(broadcast(trace, "turn"), trace, per_token=False)
    assert found["token_counts"].tolist() == [-1, 2]
    assert "token_advantages" not in found


def test_credits_of_two_kinds_or_of_another_run_are_refused() -> None:
    with pytest.raises(ValueError, match="expected credits of one kind of units, found agent, turn"):
        advantages([*broadcast(fork(), "agent"), *broadcast(fork(), "turn")], fork())
    with pytest.raises(ValueError, match='"e9" is not a turn of r'):
        advantages([Credit("turn", "e9", 1, "by hand")], small([TURN]))
    with pytest.raises(ValueError, match="expected the credit of every token and of no other"):
        advantages([Credit("token", "e1:0", 1, "by hand")], small([TURN]))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    runs = {name: advantages(assign(fork(), "agent", "shapley")[0], fork()) for name in ("one", "two")}
    to_parquet(runs, tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["trace"] == ["one"] * 6 + ["two"] * 6
    assert table["agent_ids"][:6] == runs["one"]["agent_ids"].tolist()
    assert [len(own) for own in table["token_advantages"]] == table["token_counts"]
    assert np.concatenate(table["token_advantages"][:6]).tolist() == runs["one"]["token_advantages"].tolist()


def test_a_frame_has_a_row_for_each_unit_and_numbers_in_its_columns() -> None:
    table = frame([fork()], assign(fork(), "turn", "shapley", samples=20))
    assert table["unit"].tolist() == units(fork(), "turn")
    assert table.dtypes[["value", "low", "high"]].tolist() == ["float64"] * 3
    assert frame([fork()], assign(fork(), "turn", "shapley"))["low"].isna().all()


def test_credit_loads_neither_pandas_nor_pyarrow() -> None:
    code = "import sys, survey.traces.credit; print({'pandas', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "set()\n"
