"""What changed between two snapshots, in conclusions and not only in entries."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool
from survey.literature.changes import changes, history
from survey.site.changes import change_pages
from tests.conftest import published_data
from tests.literature.growing import with_entry

THEN, NOW = date(2026, 5, 4), date(2026, 11, 21)


@pytest.fixture(scope="module")
def bib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the first edition, and one entry that learns when to stop and credits tool calls."""
    folder = published_data(tmp_path_factory.mktemp("grown"))
    with_entry(folder, "maporl", "stopper2026", NOW.isoformat(), decision="stop: learned", credit="tool-call")
    return folder


@pytest.fixture(scope="module")
def grown(bib: Path) -> Pool:
    from survey.literature import load

    return load(bib)


def test_what_came_and_what_it_overturns(grown: Pool) -> None:
    found = changes(grown, THEN, NOW)
    assert [entry.key for entry in found.entries] == ["stopper2026"]
    overturned = {new.claim.id: (str(old.status), new.verdict) for old, new in found.overturned}
    assert overturned["stopping-untrained"] == (
        "contested",
        "no longer holds since 2026-11-21 because of stopper2026",
    )
    assert "tool-call-credit-absent" in overturned
    assert "retained" not in {new.claim.id for _, new in found.claims}, "it speaks of the published snapshot"


def test_a_cell_in_which_nobody_stood_is_filled(grown: Pool) -> None:
    filled = changes(grown, THEN, NOW).filled
    assert (("credit", "tool-call"), ("decision", "stop: learned")) in filled
    for (rows, a), (columns, b) in filled:
        assert a.partition(": ")[0] in grown.taxonomy[rows].values
        assert b.partition(": ")[0] in grown.taxonomy[columns].values


def test_a_value_that_somebody_has_now_is_in_the_ranking(grown: Pool) -> None:
    (ranking,) = [r for r in changes(grown, THEN, NOW).rankings if r.axis == "credit"]
    assert "tool-call" not in ranking.before
    assert ranking.after[-1] == "tool-call"
    assert ranking.after[0] == ranking.before[0] == "agent"


def test_nothing_changes_between_days_on_which_nothing_came(grown: Pool) -> None:
    found = changes(grown, date(2026, 6, 1), date(2026, 7, 1))
    assert (found.entries, found.claims, found.rankings, found.filled) == ((), (), (), ())


def test_days_must_be_in_order(grown: Pool) -> None:
    with pytest.raises(ValueError, match="2026-11-21 is not before 2026-05-04"):
        changes(grown, NOW, THEN)


def test_the_history_has_a_step_for_each_snapshot(grown: Pool, pool: Pool) -> None:
    assert [(h.before, h.after) for h in history(grown)] == [(THEN, NOW)]
    assert history(pool.as_of(THEN)) == ()


def test_the_page_and_the_feed_say_so(grown: Pool, pool: Pool) -> None:
    files = dict(change_pages(grown, "https://example.org/"))
    assert "no longer holds" in files["measure/changes.md"]
    assert "because of stopper2026" in files["measure/changes.md"]
    assert "claims/stopping-untrained/#2026-11-21" in files["claims/changes.atom"]
    assert "There is one edition so far" in dict(change_pages(pool.as_of(THEN), ""))["measure/changes.md"]


@pytest.fixture
def survey(bib: Path) -> Callable[..., str]:
    return lambda *arguments: CliRunner().invoke(main, ["--bib", str(bib), "diff", *arguments]).output


def test_the_command_tells_the_same(survey: Callable[..., str]) -> None:
    text = survey("2026-05-04", "2026-11-21")
    assert "stopping-untrained: contested -> no longer holds since 2026-11-21" in text
    told = json.loads(survey("2026-05-04", "2026-11-21", "--format", "json"))
    assert told["entries"] == ["stopper2026"]
    assert ["credit", "tool-call"] in [cell for pair in told["filled"] for cell in pair]
    assert "is not before" in survey("2026-11-21", "2026-05-04")
