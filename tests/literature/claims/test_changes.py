"""What changed between two snapshots, in conclusions and not only in entries."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.claims import between, changes, figure, history
from survey.literature.pool import format_tags
from survey.site.facts import Facts
from survey.site.pages.claims.changes import change_pages
from tests.conftest import published_data
from tests.literature.claims.growing import with_entry
from tests.literature.conftest import ENTRY, TAXONOMY

THEN, NOW = date(2026, 5, 4), date(2026, 11, 21)


@pytest.fixture(scope="module")
def bib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the first edition, and one entry that learns when to stop and credits tool calls."""
    folder = published_data(tmp_path_factory.mktemp("grown"))
    with_entry(folder, "maporl", "stopper2026", NOW.isoformat(), decision="stop: learned", credit="tool-call")
    return folder


@pytest.fixture(scope="module")
def grown(bib: Path) -> Pool:
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
    files = dict(change_pages(Facts(grown, "https://example.org/")))
    assert "no longer holds" in files["measure/changes.md"]
    assert "because of stopper2026" in files["measure/changes.md"]
    assert "claims/stopping-untrained/#2026-11-21" in files["claims/changes.atom"]
    assert "There is one edition so far" in dict(change_pages(Facts(pool.as_of(THEN))))["measure/changes.md"]


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


# ------------------------------------------------------------------ two copies

HERE = ENTRY.replace(
    "  summary ", "  tag-decision = {stop: learned},\n  why-decision = {Section 4 says so.},\n  summary "
)
MAIN = TAXONOMY.replace('shape = "ranked"', 'shape = "ranked"\nmain = true').replace(
    'shape = "set"', 'shape = "set"\nmain = true'
)
CLAIM = """
[claim.unlearnt]
sentence = "No entry learns to stop."
count = { decision = "stop: learned" }
is = 0
limit = "l"
changes = "c"
"""


READINGS = """
[readings]
published = "nobody"
second = "nobody"
day = 2026-05-04
"""


def copy(parent: Path, name: str, pool: str = ENTRY, **others: str) -> Pool:
    """A small copy of the data: its pool, and whatever else is not as in the others."""
    files = {
        "pool.bib": pool,
        "taxonomy.toml": others.get("taxonomy", MAIN),
        "claims.toml": READINGS + others.get("claims", CLAIM),
        "excluded.bib": others.get("excluded", ""),
        "codings/nobody.csv": "key,axis,value\n",
        "codings/readers.toml": '[nobody]\nreader = "Nobody"\nmade = 2026-05-04\nstatement = "Nothing is coded."\n',
    }
    bib = parent / name
    (bib / "codings").mkdir(parents=True)
    for file, text in files.items():
        (bib / file).write_text(text)
    return load(bib)


def test_a_copy_differs_in_nothing_from_itself(published: Pool) -> None:
    found = between(published, published)
    assert (found.entries, found.gone_entries, found.edits, found.claims, found.rankings, found.filled) == ((),) * 6
    assert (found.stay, found.old) == (found.new, found.new)
    assert found.stay.entries == len(published)


def test_two_copies_tell_what_two_days_of_one_tell(grown: Pool, published: Pool) -> None:
    copies, days = between(published, grown), changes(grown, THEN, NOW)
    assert [e.key for e in copies.entries] == [e.key for e in days.entries] == ["stopper2026"]
    assert (copies.rankings, copies.filled, copies.counts) == (days.rankings, days.filled, days.counts)
    assert {new.claim.id for _, new in copies.overturned} == {new.claim.id for _, new in days.overturned}
    assert copies.stay.entries == len(published)


def test_backwards_works_go_and_gaps_open(grown: Pool, published: Pool) -> None:
    found = between(grown, published)
    assert [entry.key for entry in found.gone_entries] == ["stopper2026"]
    assert found.emptied == between(published, grown).filled
    assert found.after == NOW, "on the day of the older copy: what is lost came after all that is left"


def test_a_tag_that_is_another_is_told_from_what_to_what(tmp_path: Path) -> None:
    found = between(copy(tmp_path, "was"), copy(tmp_path, "now", HERE.replace("{shared}", "{process; shared}")))
    (edit,) = found.edits
    assert [(axis, format_tags(old), format_tags(new)) for axis, old, new in edit.tags] == [
        ("reward", "shared", "process; shared"),
        ("decision", "", "stop: learned"),
    ]
    assert edit.fields == ("why-decision",)
    assert [(c.axis, c.cell, c.before, c.after) for c in found.counts] == [
        ("reward", "shared", 1, 0),
        ("reward", "process", 0, 1),
        ("decision", "stop: learned", 0, 1),
        ("decision", "not-coded", 1, 0),
    ]
    assert found.filled == ((("reward", "process"), ("decision", "stop: learned")),)
    ((old, new),) = found.claims
    assert (old.verdict, new.verdict) == ("not measurable", "does not hold")


def test_how_an_entry_is_laid_out_is_no_change(tmp_path: Path) -> None:
    now = copy(tmp_path, "now", "\n\n" + ENTRY.replace("{It does a thing.}", "{It does\n    a thing.}"))
    assert between(copy(tmp_path, "was"), now).edits == ()


def test_an_entry_under_another_key_is_the_same_if_it_names_the_old_one(tmp_path: Path) -> None:
    renamed = ENTRY.replace("key2026", "better2026")
    was, kept = copy(tmp_path, "was"), copy(tmp_path, "kept", renamed.replace("  year ", "  ids = {key2026},\n  year "))
    (edit,) = between(was, kept).edits
    assert (edit.before.key, edit.after.key, edit.fields) == ("key2026", "better2026", ("ids", "key"))
    found = between(was, copy(tmp_path, "other", renamed))
    assert ([e.key for e in found.entries], [e.key for e in found.gone_entries]) == (["better2026"], ["key2026"])


def test_an_entry_that_is_left_out_after_all_goes_and_comes_as_a_record(tmp_path: Path) -> None:
    record = ENTRY.partition("  tag-reward")[0] + "  screened = {2026-05-05}\n}\n"
    other = ENTRY.replace("key2026", "other2026").replace("A Title", "Another")
    found = between(copy(tmp_path, "was", ENTRY + other), copy(tmp_path, "now", other, excluded=record))
    assert [work.key for work in (*found.gone_entries, *found.records)] == ["key2026", "key2026"]
    assert (found.entries, found.gone_records) == ((), ())


def test_claims_that_come_go_or_ask_something_else_are_told_apart(tmp_path: Path) -> None:
    was = copy(tmp_path, "was", claims=CLAIM + CLAIM.replace("unlearnt", "dropped"))
    asked = CLAIM.replace("is = 0", "at-most = 0").replace('limit = "l"', 'limit = "longer"')
    found = between(was, copy(tmp_path, "now", claims=asked + CLAIM.replace("unlearnt", "added")))
    assert [j.claim.id for j in (*found.new_claims, *found.gone_claims, *found.restated)] == [
        "added",
        "dropped",
        "unlearnt",
    ]
    assert (found.claims, found.stay.claims) == ((), 0)


def test_a_remark_on_a_claim_is_no_other_question(tmp_path: Path) -> None:
    found = between(
        copy(tmp_path, "was"), copy(tmp_path, "now", claims=CLAIM.replace('limit = "l"', 'limit = "longer"'))
    )
    assert (found.restated, found.stay.claims) == ((), 1)


def test_one_work_more_is_no_other_number_unless_the_claim_is_of_a_share(tmp_path: Path) -> None:
    more = HERE + ENTRY.replace("key2026", "other2026").replace("A Title", "Another")
    share = CLAIM.replace("unlearnt", "share").replace("is = 0", "share-at-least = 0.5")
    was, now = (copy(tmp_path, name, pool, claims=CLAIM + share) for name, pool in (("was", HERE), ("now", more)))
    assert [(new.claim.id, figure(old), figure(new)) for old, new in between(was, now).moved] == [
        ("share", "1 of 1", "1 of 2")
    ]


def test_a_value_that_the_taxonomy_loses_leaves_no_gap(tmp_path: Path) -> None:
    was = copy(tmp_path, "was", HERE)
    smaller = MAIN.replace("[axis.decision.value.stop]", "[axis.decision.value.halt]").replace('code = "O5"\n', "")
    halting = HERE.replace("stop: learned", "halt: learned")
    now = copy(tmp_path, "now", halting, taxonomy=smaller, claims=CLAIM.replace("stop: ", "halt: "))
    found = between(was, now)
    assert found.emptied == ()
    assert found.filled == ((("reward", "shared"), ("decision", "halt: learned")),)
