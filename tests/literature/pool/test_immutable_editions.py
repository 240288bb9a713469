"""A published edition stays as it was published, whatever is edited later."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.cli import main
from survey.literature import Pool, load, read_pool
from survey.literature.bibtex import Block, Field, read_bibtex
from survey.literature.claims import Judge, Judgement, ledger
from survey.literature.export import FORMATS
from survey.literature.pool.editions import (
    Edition,
    Works,
    fingerprint,
    formatted_rows,
    formatted_sums,
    published_works,
    read_editions,
    rows_between,
    with_data,
    works_by_date,
)
from survey.site.drafts import NO_PROSE, PROSE, Withheld, draft, fill
from survey.site.facts import Facts
from survey.site.pages.claims.changes import change_pages
from tests.conftest import ROOT, published_data, unpublished

THEN, LATER = date(2026, 5, 4), date(2026, 11, 22)
TEXTS = ("bib", "bib-tagged", "csl-json", "ris", "csv", "json")
BREAD = ROOT / "tests" / "literature" / "bread"


def published_anew(parent: Path) -> Path:
    """The works of the first edition with the tags of today, published as they are: nothing was changed since."""
    bib = unpublished(published_data(parent))
    claims = (bib / "claims.toml").read_text()  # the numbers of the published survey are those of its own tags
    (bib / "claims.toml").write_text(re.sub(r"(?m)^(?:published(?:-strict)? = \d+|dissent = .*)\n", "", claims))
    pool = load(bib)
    works = Works([e.block for e in pool.entries], [r.block for r in pool.records])
    (bib / "editions" / f"{THEN}.sums").write_text(formatted_sums(works))
    editions = (bib / "editions.toml").read_text()
    (bib / "editions.toml").write_text(with_data(editions, THEN, fingerprint(works)))
    return bib


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first edition, published, which nobody edits."""
    return published_anew(tmp_path_factory.mktemp("before"))


@pytest.fixture
def bib(before: Path, tmp_path: Path) -> Path:
    """The same, to be edited."""
    return Path(shutil.copytree(before, tmp_path / "bib"))


@pytest.fixture(scope="module")
def data(before: Path) -> str:
    """The fingerprint of the edition, as its file states it."""
    found = re.search(r'(?m)^data = "([0-9a-f]{12})"$', (before / "editions.toml").read_text())
    assert found
    return found[1]


def edit(bib: Path, old: str, new: str, name: str = "pool.bib") -> None:
    text = (bib / name).read_text()
    assert old in text
    (bib / name).write_text(text.replace(old, new, 1))


def set_field(bib: Path, key: str, field: str, value: str, name: str = "pool.bib") -> None:
    text = (bib / name).read_text()
    block = re.search(rf"(?ms)^@\w+\{{{re.escape(key)},.*?^\}}", text)
    assert block
    new, times = re.subn(rf"(?m)^(\s*{field}\s*= )\{{.*\}},?$", lambda m: f"{m[1]}{{{value}}},", block[0])
    assert times == 1
    (bib / name).write_text(text.replace(block[0], new))


def survey(bib: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--bib", str(bib), *arguments])


def problems(bib: Path) -> list[str]:
    return [str(problem).removeprefix(f"{bib}/") for problem in read_pool(bib)[1]]


def exports(bib: Path, day: date = THEN) -> dict[str, str]:
    return {form: survey(bib, "export", "--as-of", str(day), "--format", form).output for form in TEXTS}


def same(judged: Judgement) -> Judgement:
    """A judgement without the place of its claim, to compare two copies, nor what today is known to have appeared."""
    return replace(judged, appeared=None, claim=msgspec.structs.replace(judged.claim, path="", line=1, dissent={}))


# ------------------------------------------------------------- what stays as it was


def test_an_edited_entry_is_named_with_its_field_and_the_command(bib: Path, data: str) -> None:
    set_field(bib, "c3", "tag-topology", "swarm")
    (problem,) = problems(bib)
    assert problem.startswith("editions.toml:")
    assert f"2026-05-04: data is {data}, but recomputed it is" in problem
    assert problem.endswith(": c3 differs in tag-topology (record what was published with: survey edition keep)")
    assert survey(bib, "check").exit_code == 1


def test_retagging_an_old_entry_leaves_the_edition_as_published(bib: Path, before: Path, data: str) -> None:
    set_field(bib, "c3", "tag-topology", "swarm")
    set_field(bib, "magrpo", "tag-rl", "partial")
    kept = survey(bib, "edition", "keep", "--from", str(before))
    assert kept.exit_code == 0, kept.output
    assert "2 values of 2 works kept as published" in kept.output
    assert survey(bib, "check").exit_code == 0
    was, now = load(before), load(bib)
    assert now["c3"].primary("topology") == "swarm"
    assert now.as_of(THEN)["c3"].tags == was["c3"].tags
    assert now.as_of(THEN).fingerprint == was.fingerprint == data != now.fingerprint
    assert exports(bib) == exports(before)
    assert FORMATS["parquet"](now.as_of(THEN)) == FORMATS["parquet"](was.as_of(THEN))
    for axis in was.taxonomy.on("entry"):
        for word in axis.words:
            found = [[e.key for e in pool.as_of(THEN).where([(axis.id, word)])] for pool in (was, now)]
            assert found[0] == found[1], (axis.id, word)


def test_retagging_an_old_entry_changes_no_claim_on_the_edition_by_any_reading(bib: Path, before: Path) -> None:
    set_field(bib, "c3", "tag-topology", "debate")
    set_field(bib, "m-grpo", "tag-decision", "communicate: learned")
    survey(bib, "edition", "keep", "--from", str(before))
    was, now = ledger(load(before)), ledger(load(bib))
    assert was.keys() == now.keys()
    moved = 0
    for id, judged in was.items():
        assert same(judged[0]) == same(now[id][0]), id
        assert judged[0].day == THEN
        moved += now[id][-1].tallies != judged[0].tallies
    assert moved > 3, "today the claims count the new tags"


def test_the_day_of_the_pool_is_that_of_the_last_change(bib: Path, before: Path) -> None:
    set_field(bib, "c3", "tag-topology", "swarm")
    assert survey(bib, "edition", "keep", "--from", str(before)).exit_code == 0
    pool = load(bib)
    assert pool.last_added == THEN < pool.day == date.today()
    assert pool.as_of(pool.day)["c3"].primary("topology") == "swarm"
    assert pool.as_of(pool.day).as_of(THEN).fingerprint == pool.as_of(THEN).fingerprint
    chosen = pool.where([("topology", "swarm")])
    assert "c3" in chosen
    assert chosen.as_of(THEN)["c3"].primary("topology") == "pipeline"


def test_a_second_edit_keeps_what_was_published_and_undoing_both_needs_no_row(bib: Path, before: Path) -> None:
    file = bib / "editions" / "2026-05-04.csv"
    for value in ("swarm", "debate"):
        set_field(bib, "c3", "tag-topology", value)
        survey(bib, "edition", "keep", "--from", str(before))
        assert f"c3,tag-topology,pipeline,{date.today()}\n" in file.read_text()
        assert problems(bib) == []
    set_field(bib, "c3", "tag-topology", "pipeline")
    assert problems(bib) == [], "a row that says what is the case does no harm"
    survey(bib, "edition", "keep", "--from", str(before))
    assert not file.exists()


def test_works_that_moved_were_renamed_or_came_in_late_are_as_published(bib: Path, before: Path) -> None:
    """One entry is renamed everywhere; one loses its evidence for an axis; one comes in with an old day."""
    for path in (bib / "pool.bib", bib / "claims.toml", *(bib / "codings").rglob("*.csv")):
        path.write_text(re.sub(r"\bcomas2026\b", "comas", path.read_text()))
    edit(bib, "{comas,", "{comas,\n  ids = {comas2026},")
    edit(bib, "{magrpo,", "{late2026,")
    shutil.copy(before / "pool.bib", bib / "second.bib")
    text = (bib / "pool.bib").read_text()
    magrpo = re.search(r"(?ms)^@\w+\{magrpo,.*?^\}\n", (bib / "second.bib").read_text())
    assert magrpo
    late = re.search(r"(?ms)^@\w+\{late2026,.*?^\}\n", text)
    assert late
    new = re.sub(r"(?m)^\s*(eprint|archiveprefix|primaryclass|version|doi|url)\s*=.*\n", "", late[0])
    new = re.sub(r"(title\s*=\s*)\{.*\},", r"\1{A late arrival},", new, count=1)
    new = new.replace("\n", "\n  url = {https://example.org/late},\n", 1)
    (bib / "pool.bib").write_text(text.replace(late[0], new) + "\n" + magrpo[0])
    (bib / "second.bib").unlink()
    found, too_early = problems(bib)
    assert "comas2026 is gone; comas is new" in found
    said = "is not after the edition of 2026-05-04, which was published without it (expected a later day)"
    assert too_early.endswith(f"entry late2026: added: 2026-05-04 {said}")
    kept = survey(bib, "edition", "keep", "--from", str(before))
    assert kept.exit_code == 0, kept.output
    assert problems(bib) == []
    assert exports(bib) == exports(before), "in the order of the edition, too"
    was, now = load(before), load(bib)
    assert "comas2026" in now.as_of(THEN)
    assert now["comas2026"].key == "comas", "a former key finds its entry"
    judges = Judge(was), Judge(now)
    assert judges[0].second.as_of(THEN)["comas2026"].tags == judges[1].second.as_of(THEN)["comas2026"].tags
    then, today = ledger(was), ledger(now)
    for id in then:
        assert same(then[id][0]) == same(today[id][0]), id


def test_a_draft_withholds_prose_from_an_edition_too(bib: Path, before: Path) -> None:
    set_field(bib, "c3", "summary", "Another summary.")
    survey(bib, "edition", "keep", "--from", str(before))
    pool = load(bib)
    told, silent = draft(pool, PROSE), draft(pool, NO_PROSE)
    assert told.as_of(THEN)["c3"].text("summary") == load(before)["c3"].text("summary")
    with pytest.raises(Withheld):
        silent.as_of(THEN)["c3"].text("summary")
    assert fill(silent.as_of(THEN).stamp, pool) == load(before).as_of(THEN).stamp


# ----------------------------------------------------------------------------- fuzz

WORDS = st.sampled_from(["a", "b c", 'x,"y"', "Ä; =1", "line\nbreak", " z ", "1"])
NAMES = st.sampled_from(["title", "tag-topology", "why-topology", "summary", "note", "confidence", "read"])
DAYS = st.sampled_from(["2026-01-01", "2026-05-04", "2026-06-01"])


@st.composite
def works(draw: st.DrawFn, keys: Sequence[str] = "abcdefg") -> Works:
    """Entries and records with any fields in any order; some came in after the edition, some were renamed."""
    chosen = draw(st.permutations(keys))[: draw(st.integers(0, len(keys)))]
    parts: tuple[list[Block], list[Block]] = ([], [])
    for key in chosen:
        record = draw(st.booleans())
        texts = draw(st.dictionaries(NAMES, WORDS, max_size=5)) | {("screened" if record else "added"): draw(DAYS)}
        if draw(st.integers(0, 4)) == 0:
            texts["ids"] = draw(st.sampled_from(keys))
        order = draw(st.permutations(list(texts)))
        fields = {name: Field(texts[name], 0) for name in order}
        parts[record].append(Block(draw(st.sampled_from(["misc", "article"])), key, 0, MappingProxyType(fields)))
    return Works(*map(tuple, parts))


def written(found: Works) -> list[list[tuple[str, str, list[tuple[str, str]]]]]:
    return [
        [(b.type, b.key, [(name, field.text) for name, field in b.fields.items()]) for b in part]
        for part in (found.entries, found.records)
    ]


@settings(deadline=None, max_examples=300)
@given(works(), works(), works())
def test_whatever_is_edited_the_rows_give_back_the_edition(
    tmp_path_factory: pytest.TempPathFactory, was: Works, now: Works, again: Works
) -> None:
    """The oracle is the edition itself, as it was before the edits; the rows go through their file and back."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "editions").mkdir()
    (folder / "editions.toml").write_text("[2026-05-04]\ntitle = 'x'\ndata = '0123456789ab'\n")
    edition = Edition(THEN, "x", data="0123456789ab")
    published = works_by_date(was, THEN.isoformat())
    for today in (now, again):
        rows = rows_between(published, today, edition, LATER)
        (folder / "editions" / "2026-05-04.csv").write_text(formatted_rows(rows), newline="")
        editions, found = read_editions(folder / "editions.toml")
        assert found == []
        edition = editions[THEN]
        assert written(published_works(today, edition)) == written(published)


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_of_real_entries_leave_every_export_as_it_was(bib: Path, before: Path, seed: int) -> None:
    chance = random.Random(seed)
    pool = load(before)
    for entry in chance.sample(pool.entries, 12):
        axis = chance.choice([a for a in pool.taxonomy if a.shape == "ranked" and a.coded and not a.part_of])
        set_field(bib, entry.key, axis.field, chance.choice(list(axis.values)))
        for name in chance.sample([n for n in entry.block.fields if n.startswith("why-")] + ["summary"], 2):
            set_field(bib, entry.key, name, f"Said anew, {chance.random()}: 50 percent; =1.")
        if entry.text("confidence"):
            text = (bib / "pool.bib").read_text()
            block = re.search(rf"(?ms)^@\w+\{{{re.escape(entry.key)},.*?^\}}", text)
            assert block
            (bib / "pool.bib").write_text(text.replace(block[0], re.sub(r"(?m)^  confidence .*\n", "", block[0])))
    assert survey(bib, "edition", "keep", "--from", str(before)).exit_code == 0
    assert [problem for problem in problems(bib) if "editions" in problem] == []
    if problems(bib):  # a rule of the taxonomy may speak against a random tag
        now = read_pool(bib)[0]
        assert now is not None
        for form in TEXTS:
            assert FORMATS[form](now.as_of(THEN)) == FORMATS[form](pool.as_of(THEN))
    else:
        assert exports(bib) == exports(before)


@pytest.mark.parametrize("seed", range(3))
def test_the_checksums_name_the_entry_and_the_field(bib: Path, seed: int) -> None:
    chance = random.Random(seed)
    blocks = read_bibtex(bib / "pool.bib").blocks
    block = chance.choice(blocks)
    name = chance.choice([name for name in block.fields if name.startswith("why-")])
    set_field(bib, block.key, name, "Another reason.")
    (problem,) = problems(bib)
    assert f": {block.key} differs in {name} (" in problem


# -------------------------------------------------------------------- the commands


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_keep_finds_the_revision_that_fits(bib: Path, before: Path) -> None:
    git(bib, "init", "-q")
    git(bib, "add", ".")
    git(bib, "commit", "-qm", "as published")
    for value in ("swarm", "debate"):
        set_field(bib, "c3", "tag-topology", value)
        git(bib, "commit", "-qam", "an edit that nobody checked")
    assert "does not give data" in survey(bib, "edition", "keep", "--rev", "HEAD").output
    assert "Needed a single revision" in survey(bib, "edition", "keep", "--rev=--all").output
    assert survey(bib, "edition", "keep").exit_code == 0
    assert exports(bib) == exports(before)
    git(bib, "add", ".")
    git(bib, "commit", "-qm", "kept")
    set_field(bib, "c3", "summary", "Anew.")
    assert survey(bib, "edition", "keep").exit_code == 0, "a copy with rows of its own will do as well"
    assert exports(bib) == exports(before)


def test_keep_refuses_a_copy_that_is_not_the_edition(bib: Path, before: Path, tmp_path: Path, data: str) -> None:
    wrong = Path(shutil.copytree(bib, tmp_path / "wrong"))
    set_field(wrong, "c3", "tag-topology", "debate")
    set_field(bib, "c3", "tag-topology", "swarm")
    said = survey(bib, "edition", "keep", "--from", str(wrong))
    assert said.exit_code == 1
    assert f"does not give data {data}" in said.output
    assert not (bib / "editions" / "2026-05-04.csv").exists()


def test_an_erratum_corrects_the_edition_and_is_listed_on_the_page_and_in_the_feed(
    bib: Path, before: Path, data: str
) -> None:
    correct = ["edition", "correct", "2026-05-04", "c3", "--reason", 'The "reward" was another\'s.']
    assert "c3 is today as in the edition of 2026-05-04" in survey(bib, *correct).output
    set_field(bib, "c3", "tag-topology", "swarm")
    set_field(bib, "magrpo", "tag-topology", "swarm")
    assert "first record" in survey(bib, *correct).output
    survey(bib, "edition", "keep", "--from", str(before))
    done = survey(bib, *correct)
    assert done.exit_code == 0, done.output
    assert problems(bib) == []
    pool = load(bib)
    then = pool.as_of(THEN)
    assert (then["c3"].primary("topology"), then["magrpo"].primary("topology")) == ("swarm", "peer")
    (erratum,) = pool.editions[THEN].errata
    assert (erratum.day, erratum.was, erratum.works) == (date.today(), data, ("c3",))
    assert pool.editions[THEN].data == then.fingerprint != data
    files = dict(change_pages(Facts(pool, "https://example.org/")))
    assert 'id="erratum-2026-05-04-1"' in files["measure/changes.md"]
    assert "was another&#39;s" in files["measure/changes.md"]
    assert "https://example.org/measure/changes/#erratum-2026-05-04-1" in files["claims/changes.atom"]
    assert "Corrected: c3." in files["claims/changes.atom"]


def test_an_edition_is_open_until_it_is_published(bib: Path) -> None:
    assert "is in the future" in survey(bib, "edition", "new", "2099-01-01", "--title", "x").output
    assert "needs a title" in survey(bib, "edition", "new", "2026-06-01").output
    assert "is published already" in survey(bib, "edition", "new", "2026-05-04").output
    assert "published in order" in survey(bib, "edition", "new", "2026-05-01", "--title", "x").output
    with (bib / "editions.toml").open("a") as file:
        file.write('\n[2026-06-01]\ntitle = "In the making"\n')
    set_field(bib, "c3", "added", "2026-06-01")
    assert "c3 is gone" in problems(bib)[0], "an entry of a published edition cannot come in later"
    set_field(bib, "c3", "added", "2026-05-04")
    assert "not yet published" in dict(change_pages(Facts(load(bib))))["measure/changes.md"]
    made = survey(bib, "edition", "new", "2026-06-01")
    assert made.exit_code == 0, made.output
    assert load(bib).editions[date(2026, 6, 1)].data == load(bib).fingerprint
    assert problems(bib) == []
    (bib / "editions" / "2026-06-01.sums").unlink()
    assert problems(bib) == [], "checksums only name what differs"


def test_a_new_edition_lists_the_addresses_of_the_site_and_drops_none(tmp_path: Path) -> None:
    """One command writes all that an edition needs; where the project has no list of addresses, it makes none."""
    shutil.copytree(ROOT / "tests" / "literature" / "bread", tmp_path / "bib")
    (tmp_path / "bib" / "editions.toml").unlink(missing_ok=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "about.md").write_text("# About\n")
    place = tmp_path / "tests" / "site" / "addresses.txt"
    place.parent.mkdir(parents=True)
    place.write_text("# A list.\nformer/page.md\n")
    day = date.today().isoformat()
    made = survey(tmp_path / "bib", "edition", "new", day, "--title", "Loaves")
    assert made.exit_code == 0, made.output
    lines = place.read_text().splitlines()
    assert lines[0] == "# A list."
    assert lines[1:] == sorted({*lines[1:]})
    assert {"former/page.md", "about.md", "axes/grain/rye.md", "data/pool.csv"} <= {*lines}
    assert not any(line.startswith(("entries/", "data/entries/")) for line in lines)
    assert f"tests/site/addresses.txt: {len(lines) - 2} addresses added\n" in made.output
    assert f"tag the commit edition-{day}" in made.output
    assert "levain2019" in (tmp_path / "bib" / "editions" / "keys.txt").read_text()
    assert problems(tmp_path / "bib") == []


def test_a_day_alone_means_a_new_edition(bib: Path) -> None:
    assert "needs a title" in survey(bib, "edition", "2026-06-01").output
    made = survey(bib, "edition", "2026-06-01", "--title", "Second")
    assert made.exit_code == 0, made.output
    assert load(bib).editions[date(2026, 6, 1)].title == "Second"
    assert "No such command '2026'" in survey(bib, "edition", "2026").output


def test_an_edition_says_that_no_addresses_are_listed_and_an_empty_file_starts_the_list(tmp_path: Path) -> None:
    bread = Path(shutil.copytree(BREAD, tmp_path / "bib"))
    made = survey(bread, "edition", "new", "2024-06-01", "--title", "First")
    assert "addresses: not listed (an empty file tests/site/addresses.txt starts the list)\n" in made.output
    assert not (tmp_path / "tests").exists()
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "site").mkdir(parents=True)
    (tmp_path / "tests" / "site" / "addresses.txt").touch()
    made = survey(bread, "edition", "new", "2024-06-02", "--title", "Second")
    assert made.exit_code == 0, made.output
    assert "axes/grain/rye.md" in (tmp_path / "tests" / "site" / "addresses.txt").read_text().splitlines()


def test_a_new_edition_lists_its_keys(bib: Path) -> None:
    lines = (bib / "editions" / "keys.txt").read_text().splitlines()
    (bib / "editions" / "keys.txt").write_text("\n".join(line for line in lines if line != "c3") + "\n")
    survey(bib, "edition", "new", "2026-06-01", "--title", "Second", "--note", "More.")
    assert (bib / "editions" / "keys.txt").read_text().splitlines() == lines
    edition = load(bib).editions[date(2026, 6, 1)]
    assert (edition.title, edition.note) == ("Second", "More.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c3,tag-reward,shraed,2026-11-22", '"shraed" is not a value of reward (did you mean "shared"?)'),
        ("c3,@knd,entry,2026-11-22", '"@knd" is not a field (did you mean "@kind"?)'),
        ("c3,@kind,paper,2026-11-22", '"paper" is not a kind (expected entry, record, or nothing)'),
        ("c3,@place,last,2026-11-22", '"last" is not a place (expected a number)'),
        ("c3,summary,x,2026-05-04", 'changed: "2026-05-04" is not a date after the edition'),
        ("c3,summary,x", "has 3 cells, expected 4"),
        ("../x,summary,x,2026-11-22", '"../x" cannot be a key'),
        ("c3,title,x,2026-11-22\nc3,title,y,2026-11-22", "repeats a key and field"),
    ],
)
def test_a_wrong_row_is_a_problem_with_its_line(bib: Path, row: str, message: str) -> None:
    (bib / "editions" / "2026-05-04.csv").write_text(f"key,field,value,changed\n{row}\n")
    found = [problem for problem in problems(bib) if problem.startswith("editions/2026-05-04.csv:")]
    assert found
    assert found[0].startswith(f"editions/2026-05-04.csv:{2 + row.count(chr(10))}: ")
    assert message in found[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data = 'x'", 'data: found "x", expected a fingerprint of twelve hexadecimal digits'),
        ("data = '0123456789ab'\nerrata = [{ day = 2026-06-01 }]", "errata: expected day"),
        ("data = '0123456789ab'\n[2026-04-01]\ntitle = 'y'", "2026-04-01: needs data: the edition of 2026-05-04"),
        ("", 'editions/2026-05-04.sums:1: there is no published edition "2026-05-04"'),
    ],
)
def test_a_wrong_pin_is_a_problem(bib: Path, text: str, message: str) -> None:
    (bib / "editions.toml").write_text(f"[2026-05-04]\ntitle = 'x'\n{text}\n")
    assert any(message in problem for problem in problems(bib))


# --------------------------------------------------------------------------- dates


def test_a_day_in_the_future_is_a_problem(bib: Path) -> None:
    today = date(2026, 5, 3)
    found = [str(problem) for problem in read_pool(bib, today)[1]]
    assert any("entry c3: added: 2026-05-04 is in the future (today is 2026-05-03)" in problem for problem in found)
    assert len(found) == 84, "records were screened before"
    assert read_pool(bib, THEN)[1] == ()


def test_the_day_of_the_build_counts_as_today(bib: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpublished(bib)
    set_field(bib, "c3", "added", "2099-01-02")
    assert any("added: 2099-01-02 is in the future" in problem for problem in problems(bib))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "4070995200")  # 2099-01-02 in UTC
    assert not any("in the future" in problem for problem in problems(bib))


def test_a_work_cannot_have_come_in_before_it_appeared(bib: Path) -> None:
    unpublished(bib)
    for field, appeared, wrong in (
        ("submitted", "2026-05-05", True),
        ("submitted", "2026-05-04", False),
        ("announced", "2026-05-05", True),
        ("announced", "2026-05-04", False),
        ("announced", "2026-06", True),
        ("announced", "2026-05", False),
        ("announced", "2026", False),
    ):
        set_field(bib, "c3", field, appeared)
        said = f"entry c3: {field}: {appeared} is later than added = 2026-05-04"
        assert any(said in problem for problem in problems(bib)) is wrong, appeared


# ------------------------------------------------------------------ other surveys


def test_a_survey_without_editions_needs_none(tmp_path: Path) -> None:
    bread = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    assert survey(bread, "edition", "keep").output == "every published edition is as published\n"
    pool = load(bread)
    assert pool.editions == {}
    assert len(pool.as_of(date(2024, 1, 31))) == 2


def test_another_survey_publishes_and_keeps_its_editions(tmp_path: Path) -> None:
    bread = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    day = load(bread).day
    made = survey(bread, "edition", "new", str(day), "--title", "First loaves")
    assert made.exit_code == 0, made.output
    old = Path(shutil.copytree(bread, tmp_path / "old"))
    set_field(bread, "levain2019", "tag-grain", "wheat")
    assert "levain2019 differs in tag-grain" in problems(bread)[0]
    assert survey(bread, "edition", "keep", "--from", str(old)).exit_code == 0
    assert exports(bread, day) == exports(old, day)
    assert (load(bread)["levain2019"].primary("grain"), load(old)["levain2019"].primary("grain")) == ("wheat", "rye")


@pytest.fixture
def undated(tmp_path: Path) -> Path:
    """A survey in which nobody noted when the entries were added, of works of 1990 to 2024 and of next year."""
    bread = Path(shutil.copytree(BREAD, tmp_path / "bread"))
    text = re.sub(r"(?m)^ *added *=.*\n", "", (bread / "pool.bib").read_text())
    (bread / "pool.bib").write_text(text)
    return bread


def with_entry(bread: Path, key: str, year: int) -> None:
    """Put an entry in front of the others."""
    entry = f"""@book{{{key},
  author        = {{O'Soda, Finn}},
  title         = {{Of {key} breads}},
  publisher     = {{Invented Press}},
  year          = {{{year}}},
  url           = {{https://example.org/{key}}},
  tag-leavening = {{soda}},
  why-leavening = {{The title chapter.}},
  tag-grain     = {{wheat}},
  why-grain     = {{Every recipe.}},
  summary       = {{Breads.}}
}}
"""
    (bread / "pool.bib").write_text(entry + (bread / "pool.bib").read_text())


def test_an_edition_of_undated_entries_has_the_works_of_its_day(undated: Path) -> None:
    pool = load(undated)
    days = sorted(date.fromisoformat(entry.added) for entry in pool)
    day = days[len(days) // 2]
    early = {entry.key for entry in pool if entry.added <= str(day)}
    assert 0 < len(early) < len(pool)
    made = survey(undated, "edition", "new", str(day), "--title", "First")
    assert made.exit_code == 0, made.output
    then = load(undated)
    assert {entry.key for entry in then.as_of(day)} == early == {entry.key for entry in pool.as_of(day)}
    assert then.as_of(day).fingerprint == then.editions[day].data


def test_an_undated_entry_that_comes_in_later_must_say_when(undated: Path) -> None:
    day = date.today()
    assert survey(undated, "edition", "new", str(day), "--title", "First").exit_code == 0
    with_entry(undated, "late", 1999)
    [said] = problems(undated)
    assert f"is missing: it can have been in the edition of {day}" in said
    assert "pool.bib:1: entry late: added: " in said
    text = (undated / "pool.bib").read_text()
    (undated / "pool.bib").write_text(text.replace("{late,", f"{{late,\n  added = {{{day + timedelta(1)}}},", 1))
    assert not [said for said in problems(undated) if "edition" in said]


def test_nobody_can_tell_whether_an_edition_has_an_undated_work_of_next_year(undated: Path) -> None:
    with_entry(undated, "soon", date.today().year + 1)
    made = survey(undated, "edition", "new", str(date.today()), "--title", "First")
    assert made.exit_code == 2
    assert "soon appears after today and does not say when it was added" in made.output


def test_the_real_editions_are_published(pool: Pool) -> None:
    assert {str(day): edition.data for day, edition in pool.editions.items()} == {
        "2026-05-04": "2758e056f082",
        "2026-11-21": "de38ff272130",
        "2026-11-23": "183a4aa64b87",
    }
    for day, edition in pool.editions.items():
        assert pool.as_of(day).fingerprint == edition.data
        assert replace(edition, errata=()) == edition


def test_an_edit_of_an_old_entry_can_be_counted_before_it_is_kept(bib: Path) -> None:
    set_field(bib, "c3", "tag-topology", "debate")
    assert any("c3 differs in tag-topology" in problem for problem in problems(bib))
    assert survey(bib, "check").exit_code == 1
    for command in (("stats",), ("claims", "message-credit-sparse"), ("list", "--where", "topology=debate")):
        found = survey(bib, *command)
        assert found.exit_code == 0, found.output
    assert "c3" in found.output
