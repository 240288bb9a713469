"""After any edits, a build with what earlier builds have kept is the same to the byte as a build from nothing."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.site.publishing.conftest import NotBuilt, built, files_of

ROUNDS = int(os.environ.get("EDIT_ROUNDS", "1"))
"""Rounds in which each kind of edit is made once, in a random order. A campaign sets more."""

TOGETHER = 1 if ROUNDS > 1 else 4
"""Edits that are made before each build. A campaign builds after every one."""


def built_from_nothing(project: Path) -> dict[str, bytes]:
    shutil.rmtree(project / ".cache")
    return built(project)


def differing(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    return sorted(path for path in one.keys() | two.keys() if one.get(path) != two.get(path))


# ------------------------------------------------------------------ edits


def replaced(path: str, pattern: str, by: str) -> Callable[[Path, random.Random], None]:
    """An edit that replaces one place, of all that a pattern matches."""

    def edit(project: Path, chance: random.Random) -> None:
        text = (project / path).read_text()
        place = chance.choice([*re.finditer(pattern, text)])
        (project / path).write_text(text[: place.start()] + place.expand(by) + text[place.end() :])

    return edit


def new_entry(project: Path, chance: random.Random) -> None:
    pool = project / "bib" / "pool.bib"
    blocks = re.split(r"(?m)^(?=@)", (ROOT / "bib" / "pool.bib").read_text())
    here = pool.read_text()
    pool.write_text(here + chance.choice([block for block in blocks[1:] if block.partition("\n")[0] not in here]))


def new_key(project: Path, chance: random.Random) -> None:
    replaced("bib/pool.bib", r"(?m)^(@\w+)\{(?!c3,)(\w+),", r"\1{\2x,")(project, chance)


def new_page(project: Path, chance: random.Random) -> None:
    (project / f"docs/page-{chance.randrange(10**6)}.md").write_text("# New\n\nTo an [entry](entries/c3.md).\n")


EDITS: dict[str, Callable[[Path, random.Random], None]] = {
    "a summary": replaced("bib/pool.bib", r"(summary\s*= \{)", r"\1Once more: "),
    "evidence": replaced("bib/pool.bib", r"(why-[a-z]+\s*= \{)", r"\1As it says, "),
    "a title": replaced("bib/pool.bib", r"(\n  title\s*= \{)", r"\1On "),
    "a tag": replaced(
        "bib/pool.bib", r"(tag-(?:scenario|topology)\s*= \{)([a-z-]+); (?!unknown)([a-z-]+)", r"\1\3; \2"
    ),
    "a part": replaced("bib/pool.bib", r"(tag-reward-for\s*= \{)(outcome|process)\}", r"\1\2; orchestration}"),
    "an entry": new_entry,
    "a key": new_key,
    "a label": replaced("bib/taxonomy.toml", r'(label = \{ en = ")', r"\1really "),
    "a claim": replaced("bib/claims.toml", r"Some (more )?work", r"Some more work"),
    "a chapter": replaced("docs/read/chapter.md", r"Text\.", "Text. More."),
    "the home page": replaced("docs/index.md", r"\A# ", "# The "),
    "a page": new_page,
    "a notebook": replaced("notebooks/one.ipynb", r"Of ", "Of the works of "),
    "a template": replaced("survey/site/pages/entries/entry.md.j2", r"(?m)^## ([A-Z])", r"## The \1"),
    "the theme": replaced("survey/site/theme/overrides/main.html", r"content=.article", r"content=\"an article"),
    "a style": replaced("survey/site/theme/styles/typefaces.css", r"\A", "/* x */\n"),
    "code": replaced("survey/atomic.py", r'\A"""', '"""Once more. '),
    "mkdocs.yml": replaced("mkdocs.yml", r"site_name: ", "site_name: The "),
    "the menu": replaced("mkdocs.yml", r"- Entries", "- All entries"),
}


EVERYWHERE = ("the home page", "a template", "the theme", "a style", "code", "mkdocs.yml", "the menu")
"""Edits after which nearly every page is made again. Where some are made together, these are made last."""


@pytest.mark.parametrize("round", range(ROUNDS))
def test_after_every_kind_of_edit_a_build_is_the_same_as_one_from_nothing(built_project: Path, round: int) -> None:
    project, chance = built_project, random.Random(round)
    edits = chance.sample([*EDITS], len(EDITS))
    if TOGETHER > 1:
        edits.sort(key=EVERYWHERE.__contains__)
    before = first = built(project)
    original = shutil.copytree(project / "bib", project.parent / "bib")
    for place in range(0, len(edits), TOGETHER):
        some = edits[place : place + TOGETHER]
        for name in some:
            EDITS[name](project, chance)
        now = built(project)
        assert differing(before, now), some
        before = now
    assert differing(before, built_from_nothing(project)) == [], edits
    shutil.rmtree(project / "bib")
    shutil.copytree(original, project / "bib")
    assert {path for path in differing(first, built(project)) if path.startswith("data/pool.")} == set()


def test_a_build_in_which_nothing_has_changed_makes_nothing_wherever_it_stands(built_project: Path) -> None:
    def kept() -> set[tuple[str, int]]:
        return {(path.name, path.stat().st_mtime_ns) for path in (built_project / ".cache" / "site").iterdir()}

    first, before = files_of(built_project / "site"), kept()
    assert len(before) > len([path for path in first if path.endswith("index.html")])
    for _ in range(2):  # the first finds what was kept in the folder that this one is a copy of
        assert built(built_project) == first
        assert kept() == before


def test_a_page_is_made_again_when_what_it_links_to_comes_or_goes(built_project: Path) -> None:
    page = built_project / "docs" / "other.md"
    page.write_text("# Other\n\n## Part\n")
    (built_project / "docs" / "index.md").write_text("# Home\n\n[There](other.md#part)\n\n## More\n")
    built(built_project)
    page.write_text("# Other\n\n## Renamed\n")
    with pytest.raises(NotBuilt, match=r"'other\.md#part', but the doc 'other\.md' does not contain an anchor '#part'"):
        built(built_project)
    (built_project / "docs" / "index.md").write_text("# Home\n\n[There](notebooks/one.ipynb#nowhere)\n\n## More\n")
    with pytest.raises(NotBuilt, match=r"'notebooks/one\.ipynb' does not contain an anchor '#nowhere'"):
        built(built_project)
    (built_project / "docs" / "index.md").write_text("# Home\n\n[There](other.md#part)\n\n## More\n")
    page.unlink()
    for _ in range(2):  # a page with a warning is never taken for finished
        with pytest.raises(NotBuilt, match=r"but the target 'other\.md' is not found"):
            built(built_project)


def test_stricter_checks_of_links_concern_pages_that_are_finished(built_project: Path) -> None:
    (built_project / "docs" / "index.md").write_text("# Home\n\n[There](nowhere/)\n\n## More\n")
    built(built_project)
    text = (built_project / "mkdocs.yml").read_text()
    (built_project / "mkdocs.yml").write_text(text.replace("unrecognized_links: info", "unrecognized_links: warn"))
    with pytest.raises(NotBuilt, match="contains an unrecognized relative link 'nowhere/'"):
        built(built_project)


def test_a_build_that_tells_everything_leaves_no_page_whose_links_are_unknown(built_project: Path) -> None:
    page = built_project / "docs" / "other.md"
    page.write_text("# Other\n\n## Part\n")
    (built_project / "docs" / "index.md").write_text("# Home\n\n[There](other.md#part)\n\n## More\n")
    built(built_project, "--verbose")  # MkDocs then notes no links to anchors
    page.write_text("# Other\n\n## Renamed\n")
    with pytest.raises(NotBuilt, match="does not contain an anchor '#part'"):
        built(built_project)
