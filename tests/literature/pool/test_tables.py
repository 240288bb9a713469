"""Tables of a survey's own beside its pool: any columns, and every broken line is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from survey.literature import read_pool
from survey.literature.loading.checking import check_files
from tests.conftest import ROOT


@pytest.fixture
def bread(tmp_path: Path) -> Path:
    folder = tmp_path / "bib"
    shutil.copytree(ROOT / "tests" / "literature" / "bread", folder)
    (folder / "tables").mkdir()
    return folder


def test_a_table_has_the_columns_of_its_first_line(bread: Path) -> None:
    (bread / "tables" / "ovens.csv").write_text('oven,degrees\n"Stone, old",250\nSteel,230\n')
    pool, problems = read_pool(bread)
    assert problems == ()
    assert pool
    assert pool.tables == {"ovens": ({"oven": "Stone, old", "degrees": "250"}, {"oven": "Steel", "degrees": "230"})}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"oven,degrees\nStone\n", 2, "has more or fewer cells than the header line"),
        (b"oven,degrees\nStone,1,2\n", 2, "has more or fewer cells than the header line"),
        (b"oven,oven\nStone,1\n", 1, "repeats a column name"),
        (b"oven\nStone\xff\n", 2, "not UTF-8 text"),
        (b'oven\n"Stone\n', 2, "not CSV"),
    ],
)
def test_what_is_broken_is_told_with_its_line(bread: Path, text: bytes, line: int, message: str) -> None:
    path = bread / "tables" / "ovens.csv"
    path.write_bytes(text)
    [problem] = read_pool(bread)[1]
    assert (problem.path, problem.line) == (str(path), line)
    assert problem.message.startswith(message)
    pool, _ = read_pool(ROOT / "bib")
    assert pool
    assert check_files([path], pool) == (problem,)
