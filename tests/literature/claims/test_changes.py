"""Changes between two snapshots or copies, in entries and in conclusions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.claims import changes, compare_copies, formatted_number, history
from survey.literature.pool import format_tags
from survey.site.facts import Facts
from survey.site.pages.claims.changes import change_pages
from tests.conftest import ROOT, published_data
from tests.literature.claims.growing import with_entry
from tests.literature.conftest import ENTRY, TAXONOMY

THEN = date(2026, 5, 4)
"""The first edition."""

with (ROOT / "bib" / "editions" / f"{THEN}.csv").open(newline="", encoding="utf-8") as stream:
    NOW = max(date(2026, 11, 24), *(date.fromisoformat(row["changed"]) for row in csv.DictReader(stream)))
"""The day of the added entry: no work of the first edition was changed later."""

BEFORE = date(2026, 6, 1)
"""A day of no edition: on it the works of the first one have the tags of today."""


@pytest.fixture(scope="module")
def bib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the first edition with an added entry that learns when to stop and credits tool calls."""
    folder = published_data(tmp_path_factory.mktemp("grown"))
    tags = {"decision": "stop: learned", "credit_grain": "tool-call"}
    with_entry(folder, "maporl", "stopper2026", NOW.isoformat(), "2026-08-01", **tags)
    return folder


@pytest.fixture(scope="module")
def grown(bib: Path) -> Pool:
    return load(bib)


def test_added_entries_and_the_claims_they_overturn_are_reported(grown: Pool) -> None:
    found = changes(grown, THEN, NOW)
    assert [entry.key for entry in found.entries] == ["stopper2026"]
    overturned = {new.claim.id: (str(old.status), new.verdict) for old, new in found.status_changes}
    assert overturned["stopping-untrained"] == (
        "contested",
        "no longer holds since 2026-08-01 because of stopper2026",
    )
    assert "tool-call-credit-absent" in overturned
    assert "retained" not in {new.claim.id for _, new in found.claims}, "it speaks of the published snapshot"


def test_an_empty_cell_is_filled(grown: Pool) -> None:
    filled = changes(grown, THEN, NOW).filled
    assert (("credit", "tool-call"), ("decision", "stop: learned")) in filled
    for (rows, a), (columns, b) in filled:
        assert a.partition(": ")[0] in grown.taxonomy[rows].values
        assert b.partition(": ")[0] in grown.taxonomy[columns].values


def test_a_value_with_its_first_entry_joins_the_ranking(grown: Pool) -> None:
    (ranking,) = [r for r in changes(grown, BEFORE, NOW).rankings if r.axis == "credit"]
    assert "tool-call" not in ranking.before
    assert tuple(value for value in ranking.after if value != "tool-call") == ranking.before
    units = [entry.primary("credit") for entry in grown]
    numbers = [units.count(value) for value in ranking.after]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[ranking.after.index("tool-call")] == 1
    assert ranking.after[0] == ranking.before[0] == "turn"


def test_nothing_changes_between_days_without_additions(grown: Pool) -> None:
    found = changes(grown, date(2026, 6, 1), date(2026, 7, 1))
    assert (found.entries, found.claims, found.rankings, found.filled) == ((), (), (), ())


def test_days_must_be_in_order(grown: Pool) -> None:
    with pytest.raises(ValueError, match=f"{NOW} is not before 2026-05-04"):
        changes(grown, NOW, THEN)


def test_the_history_has_a_step_for_each_snapshot(grown: Pool, pool: Pool) -> None:
    assert [(h.before, h.after) for h in history(grown)] == [(THEN, NOW)]
    assert history(pool.as_of(THEN)) == ()


def test_the_page_and_the_feed_report_the_changes(grown: Pool, pool: Pool) -> None:
    files = dict(change_pages(Facts(grown, "https://example.org/")))
    assert "no longer holds" in files["measure/changes.md"]
    assert "because of stopper2026" in files["measure/changes.md"]
    assert f"claims/stopping-untrained/#{NOW}" in files["claims/changes.atom"]
    assert "There is one edition so far" in dict(change_pages(Facts(pool.as_of(THEN))))["measure/changes.md"]


def test_every_edit_is_in_a_table_with_what_stood_there_before(grown: Pool) -> None:
    [found] = history(grown)
    assert found.edits
    files = dict(change_pages(Facts(grown)))
    assert f'href="{NOW}.csv" download' in files["measure/changes.md"]
    rows = [*csv.DictReader(io.StringIO(files[f"measure/changes/{NOW}.csv"]))]
    kept, now = grown.as_of(THEN), grown.as_of(NOW)
    retagged = {axis.id: axis for axis in grown.taxonomy.on("entry")}
    for row in rows:
        if row["field"] in retagged:
            sides = [pool[row["work"]].tags.get(row["field"], ()) for pool in (kept, now)]
            assert [row["before"], row["after"]] == ["; ".join(map(str, tags)) for tags in sides]
    assert len(rows) == sum(len(edit.tags) + len(edit.fields) for edit in found.edits)


@pytest.fixture
def survey(bib: Path) -> Callable[..., str]:
    return lambda *arguments: CliRunner().invoke(main, ["--bib", str(bib), "diff", *arguments]).output


def test_the_command_reports_the_same(survey: Callable[..., str]) -> None:
    text = survey("2026-05-04", str(NOW))
    assert "stopping-untrained: contested -> no longer holds since 2026-08-01" in text
    told = json.loads(survey("2026-05-04", str(NOW), "--format", "json"))
    assert told["entries"] == ["stopper2026"]
    assert ["credit", "tool-call"] in [cell for pair in told["filled"] for cell in pair]
    assert "is not before" in survey(str(NOW), "2026-05-04")


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
    """Return a small copy of the data with this pool and these other files."""
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


def test_a_copy_does_not_differ_from_itself(published: Pool) -> None:
    found = compare_copies(published, published)
    assert (found.entries, found.gone_entries, found.edits, found.claims, found.rankings, found.filled) == ((),) * 6
    assert (found.unchanged, found.old) == (found.new, found.new)
    assert found.unchanged.entries == len(published)


def test_two_copies_report_the_same_changes_as_two_days(grown: Pool, published: Pool) -> None:
    copies, days = compare_copies(published, grown), changes(grown, BEFORE, NOW)
    assert [e.key for e in copies.entries] == [e.key for e in days.entries] == ["stopper2026"]
    assert (copies.rankings, copies.filled, copies.counts) == (days.rankings, days.filled, days.counts)
    assert {new.claim.id for _, new in copies.status_changes} == {new.claim.id for _, new in days.status_changes}
    assert copies.unchanged.entries == len(published)


def test_in_reverse_works_are_removed_and_gaps_open(grown: Pool, published: Pool) -> None:
    found = compare_copies(grown, published)
    assert [entry.key for entry in found.gone_entries] == ["stopper2026"]
    assert found.emptied == compare_copies(published, grown).filled
    assert found.after == NOW, "on the day of the older copy: what is lost came after all that is left"


def test_a_changed_tag_is_reported_before_and_after(tmp_path: Path) -> None:
    found = compare_copies(copy(tmp_path, "was"), copy(tmp_path, "now", HERE.replace("{shared}", "{process; shared}")))
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


def test_the_layout_of_an_entry_is_no_change(tmp_path: Path) -> None:
    now = copy(tmp_path, "now", "\n\n" + ENTRY.replace("{It does a thing.}", "{It does\n    a thing.}"))
    assert compare_copies(copy(tmp_path, "was"), now).edits == ()


def test_a_renamed_entry_is_the_same_if_it_names_its_former_key(tmp_path: Path) -> None:
    renamed = ENTRY.replace("key2026", "better2026")
    was, kept = copy(tmp_path, "was"), copy(tmp_path, "kept", renamed.replace("  year ", "  ids = {key2026},\n  year "))
    (edit,) = compare_copies(was, kept).edits
    assert (edit.before.key, edit.after.key, edit.fields) == ("key2026", "better2026", ("ids", "key"))
    found = compare_copies(was, copy(tmp_path, "other", renamed))
    assert ([e.key for e in found.entries], [e.key for e in found.gone_entries]) == (["better2026"], ["key2026"])


def test_an_entry_moved_to_the_excluded_records_is_removed_and_added(tmp_path: Path) -> None:
    record = ENTRY.partition("  tag-reward")[0] + "  screened = {2026-05-05}\n}\n"
    other = ENTRY.replace("key2026", "other2026").replace("A Title", "Another")
    found = compare_copies(copy(tmp_path, "was", ENTRY + other), copy(tmp_path, "now", other, excluded=record))
    assert [work.key for work in (*found.gone_entries, *found.records)] == ["key2026", "key2026"]
    assert (found.entries, found.gone_records) == ((), ())


def test_new_removed_and_redefined_claims_are_distinguished(tmp_path: Path) -> None:
    was = copy(tmp_path, "was", claims=CLAIM + CLAIM.replace("unlearnt", "dropped"))
    asked = CLAIM.replace("is = 0", "at-most = 0").replace('limit = "l"', 'limit = "longer"')
    found = compare_copies(was, copy(tmp_path, "now", claims=asked + CLAIM.replace("unlearnt", "added")))
    assert [j.claim.id for j in (*found.new_claims, *found.gone_claims, *found.restated)] == [
        "added",
        "dropped",
        "unlearnt",
    ]
    assert (found.claims, found.unchanged.claims) == ((), 0)


def test_a_remark_on_a_claim_does_not_redefine_it(tmp_path: Path) -> None:
    found = compare_copies(
        copy(tmp_path, "was"), copy(tmp_path, "now", claims=CLAIM.replace('limit = "l"', 'limit = "longer"'))
    )
    assert (found.restated, found.unchanged.claims) == ((), 1)


def test_an_added_work_changes_the_number_only_if_the_claim_is_a_share(tmp_path: Path) -> None:
    more = HERE + ENTRY.replace("key2026", "other2026").replace("A Title", "Another")
    share = CLAIM.replace("unlearnt", "share").replace("is = 0", "share-at-least = 0.5")
    was, now = (copy(tmp_path, name, pool, claims=CLAIM + share) for name, pool in (("was", HERE), ("now", more)))
    assert [
        (new.claim.id, formatted_number(old), formatted_number(new))
        for old, new in compare_copies(was, now).number_changes
    ] == [("share", "1 of 1", "1 of 2")]


def test_a_value_removed_from_the_taxonomy_leaves_no_gap(tmp_path: Path) -> None:
    was = copy(tmp_path, "was", HERE)
    smaller = MAIN.replace("[axis.decision.value.stop]", "[axis.decision.value.halt]").replace('code = "O5"\n', "")
    halting = HERE.replace("stop: learned", "halt: learned")
    now = copy(tmp_path, "now", halting, taxonomy=smaller, claims=CLAIM.replace("stop: ", "halt: "))
    found = compare_copies(was, now)
    assert found.emptied == ()
    assert found.filled == ((("reward", "shared"), ("decision", "halt: learned")),)
