"""A short fuzzing campaign in every test run: the same inputs each time, on every target."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from survey.traces import Trace
from survey.traces.importers import Log
from survey.traces.model import Content
from tests.fuzz.campaign import WEIGHTS, Tally, input_of, record, run_inputs, shares
from tests.fuzz.mutate import KINDS, mutated
from tests.fuzz.targets import TARGETS, Files, Lost, Outcome, Target
from tests.fuzz.targets.commands import _inside
from tests.traces.importers.samples import sample

SEED = 2026
INPUTS = 40
"""The number of inputs for each target, multiplied by its weight in a campaign."""

ALWAYS_LOSSY = (
    "inspect",
    "inspect archive",
    "marble",
    "claude-code-team",
    "verl",
    "swe-agent",
    "mini-swe-agent",
    "openhands",
)
"""Targets whose logs always contain losses, so that no input is accepted without a report."""


@pytest.mark.parametrize("name", list(TARGETS))
@pytest.mark.filterwarnings("ignore")
def test_every_part_of_an_input_is_in_the_result_or_in_a_message(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    target.prepare(tmp_path)
    tally = run_inputs(target, target.seeds(), SEED, range(INPUTS * WEIGHTS.get(name, 1)), tmp_path, None)
    assert not tally.failures
    assert tally.accepted + tally.reported == tally.inputs
    assert tally.accepted or name in ALWAYS_LOSSY
    assert tally.reported


@pytest.mark.parametrize("name", list(TARGETS))
def test_the_same_seed_makes_the_same_inputs(name: str) -> None:
    seeds = TARGETS[name].seeds()
    mutated = range(len(seeds), len(seeds) + 20)
    twice = [[input_of(TARGETS[name], seeds, seed, number) for number in mutated] for seed in (1, 1, 2)]
    assert twice[0] == twice[1] != twice[2]
    assert len({str(files) for files in twice[0]}) > 10


# The campaign finds each kind of failure that is planted.


def planted(behaviour: str) -> Target:
    def run(files: Files, folder: Path) -> Outcome:
        match behaviour:
            case "crashes":
                raise KeyError("x")
            case "lost":
                raise Lost("a line")
            case "memory":
                raise MemoryError
            case "hangs":
                while True:
                    pass
        return Outcome.ACCEPTED

    return Target("planted", "json", lambda: [{"x.json": b"{}"}], run)


@pytest.mark.parametrize("behaviour", ["crashes", "lost", "memory", "hangs"])
def test_a_planted_failure_is_found_and_its_input_is_kept(
    behaviour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fuzz.campaign.SECONDS", 0.05)
    target = planted(behaviour)
    tally = run_inputs(target, target.seeds(), SEED, range(2), tmp_path, tmp_path / "failures")
    assert (getattr(tally, behaviour), tally.bad, tally.inputs) == (2, 2, 2)
    assert (tmp_path / "failures" / "planted" / "1" / "x.json").is_file()
    assert f'"{behaviour}": 2' in record([tally], SEED)


def test_a_pool_that_loses_an_entry_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from survey.literature.bibtex import blocks
    from survey.literature.bibtex import reading as bibtex
    from tests.fuzz.targets import literature

    original = bibtex.read_bibtex

    def forgetful(*given: Any, **more: Any) -> blocks.Document:
        found = original(*given, **more)
        return blocks.Document(found.path, found.blocks[1:], ())

    monkeypatch.setattr(literature, "read_bibtex", forgetful)
    target = TARGETS["pool.bib"]
    target.prepare(tmp_path)
    assert literature.BLOCK.search((tmp_path / "pool.bib").read_text())
    tally = run_inputs(target, target.seeds(), SEED, range(1), tmp_path, None)
    assert "is neither an entry nor in a problem" in tally.failures["0"]


def test_an_importer_that_ignores_an_act_is_found(tmp_path: Path) -> None:
    from survey.traces.importers.benchmarks.who_and_when import IMPORTER
    from tests.fuzz.targets.importers import _run

    def forgetful(log: Log, content: Content) -> Iterator[Trace]:
        document = json.loads(log.data or b"")
        document["history"] = [turn for turn in document["history"] if turn.get("name") != "Sheep_Expert"]
        return IMPORTER.read(Log(log.path, json.dumps(document).encode()), content)

    document = json.loads(sample("who-and-when/chat.json").read_text())
    with pytest.raises(Lost, match=r"who-and-when ignores .*Sheep_Expert"):
        for number in range(20):  # the removed act depends on every byte
            data = json.dumps({**document, "number": number}).encode()
            _run(lambda _: replace(IMPORTER, read=forgetful), {"chat.json": data}, tmp_path)


def test_writing_out_of_the_folder_is_seen_and_prevented(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    with _inside(inside, ["check"]) as seen:
        (inside / "a").write_text("x")
        with pytest.raises(PermissionError):
            outside.write_text("x")
    assert seen == [f"open {os.path.realpath(outside)}"]
    assert not outside.exists()


def test_every_kind_of_change_changes_something() -> None:
    from random import Random

    text = b'{"a": [1, "x"], "b": {"c": null}}\n{"a": 2}\n'
    for kind in KINDS:
        assert len({mutated(text, [text], kind, Random(number)) for number in range(60)}) > 30


def test_shares_reach_every_target_and_come_to_no_more_than_was_asked() -> None:
    found = shares(10_000, tuple(TARGETS))
    assert found.keys() == TARGETS.keys()
    assert 9_000 < sum(found.values()) <= 10_000


def test_tallies_add_up() -> None:
    one, two = Tally("a", inputs=2, accepted=2, slowest=0.5, slowest_input=1), Tally("a", inputs=3, lost=1, slowest=0.7)
    one.add(two)
    assert (one.inputs, one.accepted, one.lost, one.slowest, one.bad) == (5, 2, 1, 0.7, 1)
