"""Readings: how reliable an axis is, and how often the entries of a cell were read, recounted from the CSV files."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from survey.literature import Pool, load
from survey.literature.agreement import ReadingCounts, Readings
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY

CODINGS = ROOT / "bib" / "codings"
ABSENT = {"na", "none", "unknown"}
PARTS = ("credit-grain", "credit-holder")


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((CODINGS / name).read_text(encoding="utf-8"))))


def said_by(reader: str, axis: str) -> dict[str, str]:
    """What a reader wrote on an axis; the unit of credit by hand, from its grain and its holder."""
    by_axis = {name: {r["key"]: r["value"] for r in rows(reader) if r["axis"] == name} for name in (axis, *PARTS)}
    if axis != "credit":
        return by_axis[axis]
    grains, holders = (by_axis[part] for part in PARTS)
    finer = ("token", "tool-call", "message", "turn")
    units = {
        key: next((g for g in finer if g in grain.split("; ")), grain.split("; ")[0]) for key, grain in grains.items()
    }
    return {key: holders[key] if unit == "run" else unit for key, unit in units.items()}


@pytest.mark.parametrize("axis", ["category", "credit", "topology", "scenario", "credit-method", "reward-for"])
def test_the_reliability_of_an_axis_is_kappa_of_its_two_readers_among_the_blind(pool: Pool, axis: str) -> None:
    first, second = said_by("facets-a-2026-11.csv", axis), said_by("facets-b-2026-11.csv", axis)
    shared = sorted(first.keys() & second.keys())
    said = [
        [(word if (word := by[key].split(";")[0].strip()) not in ABSENT else "") for key in shared]
        for by in (first, second)
    ]
    one = Readings(pool).reliability(axis)
    assert one.found is not None and one.blind
    assert one.found.n == len(shared)
    assert one.kappa == pytest.approx(cohen_kappa_score(*said))
    assert one.found.kappa.low < one.found.kappa.value < one.found.kappa.high


def test_the_pool_is_no_second_reader_of_itself(pool: Pool) -> None:
    # of the published entries only the second reading has coded decisions, and the pool with knowledge of it
    alone = replace(pool, codings={id: pool.codings[id] for id in ("published-2026-05-04", "second-reading-2026-11")})
    assert any(j.axis == "decision" for j in alone.codings["second-reading-2026-11"].judgements)
    one = Readings(alone).reliability("decision")
    assert one.found is None and one.kappa is None and not one.blind


def test_an_axis_that_no_two_have_read_is_less_reliable_than_any(pool: Pool) -> None:
    readers = Readings(pool)
    assert readers.lower("credit", "standing").axis.id == readers.lower("standing", "credit").axis.id == "standing"
    assert readers.lower("category", "topology").axis.id == "topology"
    assert readers.lower("verified", "standing").axis.id == "verified"  # neither is known: the first


@pytest.mark.parametrize("axes", [("credit-holder", "topology"), ("category",), ("scenario", "decision")], ids="-".join)
def test_readings_of_entries_are_recounted_from_the_files(pool: Pool, axes: tuple[str, ...]) -> None:
    codings = [path for path in CODINGS.glob("*.csv") if path.stem != "adjudications"]
    coded = Counter((row["key"], row["axis"]) for path in codings for row in rows(path.name))
    settled = {(r["key"], r["axis"]) for r in rows("adjudications.csv")}
    again = sum(all(coded[entry.key, axis] >= 2 for axis in axes) for entry in pool)
    expected = ReadingCounts(
        len(pool) - again, again, sum(any((entry.key, axis) in settled for axis in axes) for entry in pool)
    )
    assert Readings(pool).counts((entry.key for entry in pool), *axes) == expected


def test_every_entry_was_read_twice_on_every_axis_that_readers_judge(pool: Pool) -> None:
    keys = [entry.key for entry in pool]
    axes = [axis.id for axis in pool.taxonomy if (axis.coded or axis.steps) and axis.id not in ("standing", "verified")]
    assert Readings(pool).counts(keys, *axes).once == 0


def test_a_survey_without_codings_has_read_everything_once(folder: Callable[..., Path]) -> None:
    readers = Readings(load(folder(ENTRY)))
    assert readers.counts(["key2026"], "reward", "decision") == ReadingCounts(1, 0, 0)
    assert readers.counts([], "reward") == ReadingCounts(0, 0, 0)
    assert readers.lower("reward", "decision").found is None
