"""Keys of any style in the data of a pool, and addresses that two works would share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import load, read_pool
from tests.literature.conftest import ENTRY

INSPIRE, DBLP = "Last:2026abc", "DBLP:journals/corr/abs-2401-1"


TITLES = ["Zebra", "Porcelain", "Quartz"]


def entry(key: str, number: int = 1, **more: str) -> str:
    """An entry of its own: other title, other address of the work."""
    fields = "".join(f"  {name} = {{{text}}},\n" for name, text in more.items())
    text = ENTRY.replace("key2026,\n", f"{key},\n{fields}")
    return text.replace("A Title", TITLES[number]).replace("org/a", f"org/{number}")


def problems(bib: Path) -> list[str]:
    return [str(found).replace(f"{bib}/", "") for found in read_pool(bib)[1]]


def test_data_of_a_pool_name_works_by_keys_of_either_style(folder: Callable[..., Path]) -> None:
    bib = folder()
    (bib / "pool.bib").write_text(entry(INSPIRE) + "\n" + entry(DBLP, 2, ids="old:2020a, DBLP:old/1"))
    (bib / "editions").mkdir()
    (bib / "editions" / "keys.txt").write_text(f"{INSPIRE}\n{DBLP}\nold:2020a\n")
    (bib / "codings").mkdir()
    (bib / "codings" / "readers.toml").write_text('[mine]\nreader = "me"\nmade = 2026-11-21\nstatement = "I read."\n')
    (bib / "codings" / "mine.csv").write_text(
        f"key,axis,value,why\n{INSPIRE},reward,shared,x\n{DBLP},reward,process,y\n"
    )
    pool = load(bib)
    assert [one.key for one in pool] == [INSPIRE, DBLP]
    assert {one.key for one in pool.codings["mine"].judgements} == {INSPIRE, DBLP}
    assert pool["old:2020a"].key == pool["DBLP:old/1"].key == DBLP
    for key, title in zip((INSPIRE, DBLP), TITLES[1:], strict=True):
        shown = CliRunner().invoke(main, ["--bib", str(bib), "show", key])
        assert (shown.exit_code, title in shown.output) == (0, True)
        assert (
            CliRunner()
            .invoke(main, ["--bib", str(bib), "export", "--format", "bib", "--key", key])
            .output.count("@misc{")
            == 1
        )


SHARED = [
    (entry("a:b") + entry("a.B", 2), "pool.bib:11: entry a.B: the key has the same address as a:b, a.b (first in line 1)"),
    (entry("a:b") + entry("x", 2, ids="a/b"), 'pool.bib:12: entry x: ids: "a/b" has the same address as a:b (pool.bib:1), a.b'),
    (entry("x", 1, ids="o:1") + entry("y", 2, ids="O.1"), 'pool.bib:13: entry y: ids: "O.1" has the same address as x (pool.bib:1), O.1'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), SHARED, ids=["two keys", "a former key", "two former keys"])
def test_an_address_that_two_works_would_share_is_reported(
    folder: Callable[..., Path], text: str, problem: str
) -> None:
    bib = folder()
    (bib / "pool.bib").write_text(text)
    assert problems(bib) == [problem]


def test_a_key_may_change_within_its_address(folder: Callable[..., Path]) -> None:
    bib = folder()
    (bib / "pool.bib").write_text(entry("a:b", 1, ids="a.b"))
    assert problems(bib) == []
