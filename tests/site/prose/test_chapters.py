"""Which works the chapters discuss, held against the citations that the pages make when they are filled in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from survey.literature import Pool
from survey.site.charts.drawing import Pictures
from survey.site.prose.chapters import chapters, mentions
from survey.site.prose.prose import Prose
from tests.conftest import ROOT


def test_a_chapter_counts_the_paragraphs_that_name_a_work(tmp_path: Path) -> None:
    (tmp_path / "read").mkdir()
    (tmp_path / "read" / "one.md").write_text(
        'First [@a; @b] and again [@a].\n\n{{ authors("b") }} say so ([@b]).\n\n`[@c]` is code, [@@d] is background, '
        "mail@e.example is neither.\n\n```\n[@f]\n```\n"
    )
    (tmp_path / "two.md").write_text("---\ntitle: Second\n---\n\n# Another\n\n[@a]\n\n| [@a] | [@a] |\n")
    (tmp_path / "none.md").write_text("# Nobody\n")
    found = {one.page: (one.title, one.passages) for one in chapters(tmp_path)}
    assert found == {
        "read/one.md": ("read/one.md", {"a": 1, "b": 2}),
        "two.md": ("Second", {"a": 2}),
        "none.md": ("Nobody", {}),
    }
    assert [(m.title, m.passages) for m in mentions(chapters(tmp_path), "a")] == [("Second", 2), ("read/one.md", 1)]
    assert chapters(tmp_path / "missing") == ()


def test_the_works_of_every_chapter_are_those_that_it_cites(pool: Pool) -> None:
    keys = {entry.key for entry in pool}
    pictures, found = Pictures(), {one.page: set(one.passages) for one in chapters(ROOT / "docs")}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        page = path.relative_to(ROOT / "docs").as_posix()
        text = path.read_text()
        prose = Prose.of(pool, page, pictures)
        prose.rendered(text.partition("\n---\n")[2] if text.startswith("---") else text, page)
        # figures that list entries by their tags cite works that the chapter does not name
        cited = prose.figures.cited.keys() & keys
        named = {key for key in cited if f"@{key}" in text or f'"{key}"' in text}
        assert found.get(page, set()) & keys == named, page
    assert len(found) > 8


CHAPTERS = sorted((ROOT / "docs" / "read").glob("*.md"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_begins_with_what_is_known_in_five_sentences(path: Path) -> None:
    text = path.read_text()
    known = re.search(r'(?m)^# .+\n\n!!! note "What is known, in five sentences"\n((?:    \d\. .+\n)+)\n', text)
    assert known
    ends = [re.findall(r"[.?!](?=\s|$)", re.sub(r"{{.*?}}", "1", line[7:])) for line in known[1].splitlines()]
    assert [len(found) for found in ends] == [1] * 5
    assert "{{" in known[1], "with figures"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_ends_with_three_works_to_read_first_and_why(pool: Pool, path: Path) -> None:
    text, _, last = path.read_text().rpartition("\n## ")
    heading, *lines = [line for line in last.splitlines() if line]
    assert heading == "Three works to read first"
    named = [re.fullmatch(r'- (?:{{ authors\("(.+?)"\) }}|.+ \(\[@(.+?)\]\)): \S.{20,}\.', line) for line in lines]
    keys = [found[1] or found[2] for found in named if found]
    assert len(keys) == len(lines) == 3
    assert all(key in pool and re.search(rf'[@"]{re.escape(key)}\b', text) for key in keys), (
        "and the chapter discusses them"
    )
