"""The real pool, tested as data; snapshots, filters and frames."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from survey.literature import Pool, load, read_pool
from survey.literature.loading import TAXONOMY
from survey.literature.taxonomy import Absence
from survey.site.drafts import NO_PROSE, data_fingerprints
from tests.conftest import ROOT

# ---------------------------------------------------------------- as data


def test_the_real_pool_has_no_problem() -> None:
    assert [str(problem) for problem in read_pool(ROOT / "bib")[1]] == []


def test_every_author_list_is_complete_or_says_why_not(pool: Pool) -> None:
    for entry in (*pool.entries, *pool.records):
        assert "and others" not in entry.text("author").lower()
        if len(entry.authors) == 1 and not entry.authors[0].corporate and not entry.text("authors-incomplete"):
            assert entry.block.type in ("inproceedings", "article", "misc")
    incomplete = [e.key for e in (*pool.entries, *pool.records) if e.text("authors-incomplete")]
    assert all(len(pool[key].text("authors-incomplete").split()) > 5 for key in incomplete if key in pool)


def test_every_tag_has_evidence_in_words(pool: Pool) -> None:
    for entry in pool:
        for axis in pool.taxonomy.on("entry"):
            if axis.evidence and entry.primary(axis.id) != Absence.NA:
                assert len(entry.why(axis.id).split()) >= 3, (entry.key, axis.id)


def test_evidence_is_written_for_one_entry_and_not_copied_between_entries(pool: Pool) -> None:
    seen: dict[str, str] = {}
    repeated = [
        (entry.key, axis.id, seen[text])
        for entry in pool
        for axis in pool.taxonomy.on("entry")
        if len(text := entry.why(axis.id)) > 60 and seen.setdefault(text, entry.key) != entry.key
    ]
    assert repeated == []


def test_every_entry_says_what_it_contributes_in_one_sentence(pool: Pool) -> None:
    for entry in pool:
        assert 5 <= len(entry.text("summary").split()) <= 32, entry.key
        assert entry.text("summary").endswith("."), entry.key


def test_every_entry_names_the_sources_that_were_read(pool: Pool) -> None:
    read = {entry.key: f"{entry.text('sources')} {entry.text('third-party')}".split() for entry in pool}
    assert [key for key, pages in read.items() if not pages] == []


def test_every_excluded_record_has_a_reason_in_words(pool: Pool) -> None:
    assert [record.key for record in pool.records] == [f"E{n:03}" for n in range(1, len(pool.records) + 1)]
    assert all(len(record.why("reason").split()) > 6 for record in pool.records)


def test_our_fields_are_plain_text(pool: Pool) -> None:
    for entry in (*pool.entries, *pool.records):
        for name in entry.block.fields:
            if name.startswith("why-") or name in ("summary", "authors-incomplete"):
                assert not re.search(r"[\\{}]", entry.text(name)), (entry.key, name)


def test_the_second_reading_was_blind_except_for_four_marked_entries(pool: Pool) -> None:
    coding = pool.codings["second-reading-2026-11"]
    seen = {j.key: j.notes["blind"] for j in coding.judgements}
    assert set(seen) == {entry.key for entry in pool.as_of(date(2026, 5, 4))}
    assert sum(blind == "no" for blind in seen.values()) == 4
    assert "model-assisted" in coding.statement
    assert "blind to the published tags except for the four entries marked" in coding.statement


def test_the_code_lists_no_value_of_any_axis(pool: Pool) -> None:
    code = "\n".join(
        path.read_text() for wing in ("literature", "site") for path in (ROOT / "survey" / wing).rglob("*.py")
    )
    code = re.sub(r'(?s)"""(.*?)"""', "", code)  # examples in docstrings and help texts may
    for axis in pool.taxonomy:
        for value in axis.values:
            if "-" in value and value not in ("bib-tagged", "not-coded"):
                assert f'"{value}"' not in code, (axis.id, value)


# ------------------------------------------------- snapshots, filters, frames


def test_a_snapshot_leaves_out_what_came_later(pool: Pool) -> None:
    assert len(pool.as_of(date(2026, 5, 3))) == 0
    assert len(pool.as_of(date(2026, 5, 4))) == 84
    assert pool.as_of(date(2026, 5, 4)).day == date(2026, 5, 4)
    assert pool.as_of(None) is pool


def test_filters_on_different_axes_must_all_hold(pool: Pool) -> None:
    both = pool.where([("reward", "orchestration"), ("rl", "yes")])
    assert {e.key for e in both} == {
        e.key for e in pool if "orchestration" in e.words("reward") and e.primary("rl") == "yes"
    }


def test_values_joined_by_commas_are_alternatives(pool: Pool) -> None:
    either = {e.key for e in pool.where([("credit", "message,turn")])}
    assert either == {e.key for e in pool.where([("credit", "message")])} | {
        e.key for e in pool.where([("credit", "turn")])
    }


def test_codes_and_families_stand_for_their_values(pool: Pool) -> None:
    assert len(pool.where([("reward", "R6")])) == len(pool.where([("reward", "debate,verifier")]))
    assert len(pool.where([("decision", "O5")])) == len(pool.where([("decision", "stop")]))


def test_a_filter_can_name_a_qualifier(pool: Pool) -> None:
    learned = {e.key for e in pool.where([("decision", "stop:learned")])}
    designed = {e.key for e in pool.where([("decision", "stop:designed")])}
    assert learned | designed == {e.key for e in pool.where([("decision", "stop")])}
    assert not learned & designed


REFUSED = [
    (("rewards", "shared"), 'there is no axis "rewards" (did you mean "reward"?)'),
    (("reward", "sharde"), '"sharde" is not a value of reward (did you mean "shared"?)'),
    (("decision", "stop:learnt"), '"learnt" does not say how (did you mean "learned"?)'),
    (("reward", "R9"), '"R9" is not a value of reward (expected one of:'),
]


@pytest.mark.parametrize(("pair", "message"), REFUSED, ids=[r[1] for r in REFUSED])
def test_a_filter_on_an_unknown_axis_or_value_is_refused(pool: Pool, pair: tuple[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        pool.where([pair])


def test_an_unknown_key_is_refused_with_the_nearest(pool: Pool) -> None:
    with pytest.raises(KeyError, match="did you mean"):
        pool["magrp"]


def test_the_frames_hold_the_same_as_the_entries(pool: Pool) -> None:
    assert list(pool.frame["key"]) == [entry.key for entry in pool]
    long = pool.tags
    for entry in pool:
        rows = long[long["key"] == entry.key]
        assert len(rows) == sum(map(len, entry.tags.values()))
        assert list(rows[rows["axis"] == "credit"]["word"]) == list(entry.words("credit"))
    assert long["primary"].sum() == sum(len(entry.tags) for entry in pool)


def test_missing_numbers_are_missing_and_never_zero(pool: Pool) -> None:
    scale = pool.tags[pool.tags["axis"] == "scale"]
    assert scale[scale["word"] == "unknown"]["number"].isna().all()
    assert (scale["number"].dropna() > 0).all()
    assert pd.api.types.is_integer_dtype(scale["number"].dtype)


def test_a_folder_without_a_taxonomy_says_so(tmp_path: Path) -> None:
    pool, problems = read_pool(tmp_path)
    assert pool is None
    assert str(problems[0]) == f"{tmp_path / TAXONOMY}:1: there is no such file"


def test_a_dangling_link_to_the_excluded_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / TAXONOMY).write_bytes((ROOT / "bib" / TAXONOMY).read_bytes())
    (tmp_path / "pool.bib").write_text("")
    (tmp_path / "excluded.bib").symlink_to(tmp_path / "gone.bib")
    assert [p.message for p in read_pool(tmp_path)[1]] == ["cannot be read: no such file or directory"]


def test_the_pool_cannot_be_changed(pool: Pool) -> None:
    with pytest.raises(AttributeError):
        pool.entries = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        pool["c3"].tags["reward"] = ()  # type: ignore[index]


def test_loading_twice_gives_the_same(pool: Pool) -> None:
    assert load(ROOT / "bib").entries == pool.entries


def test_primary_matches_every_value_of_a_set(pool: Pool) -> None:
    for cell in ("stop: designed", "communicate: learned"):
        assert len(pool.where([("decision", cell)], primary=True)) == len(pool.where([("decision", cell)]))
    assert len(pool.where([("credit", "message")], primary=True)) < len(pool.where([("credit", "message")]))


# ---------------------------------------------------------------- days that nobody noted


def undated(folder: Path) -> Path:
    """A pool in which nobody noted when a work was added, and one is of the year 2027."""
    shutil.copytree(ROOT / "tests" / "literature" / "bread", folder)
    text = re.sub(r"(?m)^  added .*\n", "", (folder / "pool.bib").read_text())
    (folder / "pool.bib").write_text(text.replace("{2024}", "{2027}"))
    return folder


def test_no_work_was_added_after_the_day_on_which_the_pool_is_read(tmp_path: Path) -> None:
    pool, problems = read_pool(undated(tmp_path / "bib"), day := date(2026, 11, 29))
    assert problems == ()
    assert pool
    assert pool.day == day
    assert {entry.year: entry.added for entry in pool} == {2019: "2019-03-01", 2001: "2001-01-01", 2027: "2026-11-29"}
    assert len(pool.as_of(day)) == len(pool)
    assert "edition 2026-11-29" in pool.stamp
    later, _ = read_pool(tmp_path / "bib", date(2027, 6, 1))
    assert later
    assert later.day == date(2027, 1, 1)
    assert data_fingerprints(pool, tmp_path / "bib", NO_PROSE) != data_fingerprints(later, tmp_path / "bib", NO_PROSE)


def test_the_day_of_the_build_is_the_day_on_which_the_pool_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = undated(tmp_path / "bib")
    assert load(folder).day <= date.today()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")  # 2026-05-28 in UTC
    assert load(folder).day == date(2026, 5, 28)


def test_a_day_that_somebody_noted_stays(tmp_path: Path) -> None:
    folder = undated(tmp_path / "bib")
    text = (folder / "pool.bib").read_text()
    (folder / "pool.bib").write_text(
        text.replace("  year          = {2027},", "  year = {2027}, added = {2026-11-01},")
    )
    pool, _ = read_pool(folder, date(2026, 11, 29))
    assert pool
    assert pool.day == date(2026, 11, 1)
