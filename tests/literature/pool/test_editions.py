"""Editions: dated snapshots, a fingerprint of the data, and keys that never vanish."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from survey.literature import Pool, load, read_pool
from survey.literature.pool import aliases
from survey.literature.pool.editions import fingerprint
from tests.conftest import ROOT, published_data


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    return published_data(tmp_path)


def problems(bib: Path) -> list[str]:
    return [str(p).removeprefix(f"{bib}/") for p in read_pool(bib)[1]]


def test_the_published_edition_is_there(pool: Pool) -> None:
    assert pool.editions[date(2026, 5, 4)].title == "The published survey"


def test_a_fingerprint_changes_with_any_field_and_not_with_the_order(pool: Pool, bib: Path) -> None:
    assert fingerprint(pool) == fingerprint(reversed(pool.entries))
    assert fingerprint(pool) != fingerprint(pool.entries[1:])
    before = fingerprint(load(bib))
    text = (bib / "pool.bib").read_text()
    (bib / "pool.bib").write_text(
        text.replace("summary", "summary ", 1).replace("Contextual Counterfactual", "Contextual counterfactual", 1)
    )
    changed = read_pool(bib)[0]
    assert changed is not None
    assert fingerprint(changed) != before


def test_a_missing_published_key_is_a_problem_unless_an_entry_lists_it(bib: Path) -> None:
    for name in ("pool.bib", "claims.toml"):
        (bib / name).write_text((bib / name).read_text().replace("{comas2026,", "{comas,"))
    shutil.rmtree(bib / "codings")
    (bib / "claims.toml").unlink()
    line = (bib / "editions" / "keys.txt").read_text().splitlines().index("comas2026") + 1
    gone = f'editions/keys.txt:{line}: "comas2026" was published and no longer exists: add to the entry that replaces it the field ids = {{comas2026}}'
    assert gone in problems(bib)
    pool = (bib / "pool.bib").read_text()
    (bib / "pool.bib").write_text(pool.replace("{comas,", "{comas,\n  ids = {comas2026},"))
    assert gone not in problems(bib)
    renamed = read_pool(bib)[0]
    assert renamed is not None
    assert aliases(renamed.entries) == {"comas2026": "comas"}


def test_a_line_is_what_an_editor_counts_as_one(bib: Path) -> None:
    keys = (bib / "editions" / "keys.txt").read_text().rstrip("\n")
    (bib / "editions" / "keys.txt").write_text(f"{keys}\n# a\x0cb\u2028c\ngone2024\n")
    (problem,) = problems(bib)
    assert problem.startswith(f"editions/keys.txt:{keys.count(chr(10)) + 3}: ")


def test_every_key_of_an_edition_is_on_the_list_of_published_keys(pool: Pool) -> None:
    """An entry added since needs no second edit: its key is listed when an edition publishes it."""
    listed = {
        line for line in (ROOT / "bib" / "editions" / "keys.txt").read_text().splitlines() if not line.startswith("#")
    }
    published = pool.as_of(max(pool.editions))
    assert {e.key for e in (*published.entries, *published.records)} <= listed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[May-2026]\ntitle = 'x'\n", '"May-2026" is not a date'),
        ("[20260504]\ntitle = 'x'\n", '"20260504" is not a date (expected tables like [2026-05-04])'),
        ("[2026-W19-1]\ntitle = 'x'\n", '"2026-W19-1" is not a date'),
        ("[2026-05-04]\ntitle = 'x'\nnote = -1\n", 'note: found "-1", expected a text'),
        ("[2026-05-04]\nname = 'x'\n", "2026-05-04: needs a title (text)"),
        ("[2026-05-04]\ntitle = 'x'\nnotes = 'y'\n", '"notes" is not a key (did you mean "note"?)'),
    ],
)
def test_a_wrong_edition_is_a_problem_with_its_line(bib: Path, text: str, message: str) -> None:
    (bib / "editions.toml").write_text(f"# first line\n{text}")
    (problem,) = problems(bib)
    assert problem.startswith("editions.toml:2: ")
    assert message in problem
