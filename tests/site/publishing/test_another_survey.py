"""A review of another field: its own data, one page, the shortest mkdocs.yml, and the installed package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import ROOT

BREAD = ROOT / "tests" / "literature" / "bread"
SETTINGS = "site_name: Bread\ntheme: material\nplugins: [search, survey]\n"

REFERENCE = re.compile(r'<(\w+)[^>]*?\s(?:xlink:)?(href|src)="?([^"\s>]+)')
ID = re.compile(r'\sid="?([^"\s>]+)')

CLAIMS = """\
[readings]
published = "first"
second = "first"
day = 2024-06-01

[claim.some-rise]
sentence = "Some dough rises by a starter."
source = "ours"
published = 1
count = { leavening = "sourdough" }
at-least = 1
limit = "It says nothing of other works."
changes = "No such work."
"""

READ = {
    "bib/claims.toml": CLAIMS,
    "bib/codings/readers.toml": '[first]\nreader = "One"\nmade = 2024-06-01\nstatement = "One reading."\n',
    "bib/codings/first.csv": "key,axis,value\nlevain2019,leavening,sourdough\n",
}
"""Claims, and a second reading."""


KEPT: list[Path] = []
"""Where a build from nothing of such a survey has kept what it made, once there is one."""


@pytest.fixture(scope="session", autouse=True)
def kept(shared: Path) -> None:
    """Build a survey from nothing, once for all processes of the tests: typefaces and charts are those of all others."""
    folder = shared / "another" / "survey"
    with (shared / "another.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (folder / "site").exists():  # a build that fails leaves none
            shutil.rmtree(folder, ignore_errors=True)
            built(survey(folder))
    KEPT.append(folder / ".cache" / "site")


def survey(folder: Path, pool: str | None = None, taxonomy: str | None = None, **more: str) -> Path:
    """A folder with a survey in it; further files by their paths."""
    (folder / "bib").mkdir(parents=True)
    for name in ("pool.bib", "taxonomy.toml"):
        shutil.copy(BREAD / name, folder / "bib")
    files = {"mkdocs.yml": SETTINGS, "docs/index.md": "# Bread\n\nSome works are on [bread](axes/index.md).\n"}
    files |= {"bib/pool.bib": pool} if pool is not None else {}
    files |= {"bib/taxonomy.toml": taxonomy} if taxonomy is not None else {}
    for name, text in (files | more).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for place in KEPT:
        shutil.copytree(place, folder / ".cache" / "site", dirs_exist_ok=True)
    return folder


def built(folder: Path, *options: str, fails: bool = False) -> str:
    """What a build in a process of its own says; its site is in the folder ``site``."""
    settings = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", *options],
        cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert (done.returncode != 0) is fails, said
    return said


def pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): path.read_text() for path in sorted(site.rglob("*.html"))}


def broken(site: Path) -> Iterator[str]:
    """Links to a file or an anchor that the site does not have."""
    texts = pages(site)
    anchors = {name: {unquote(id) for id in ID.findall(text)} for name, text in texts.items()}
    for name, text in texts.items():
        for _, _, reference in REFERENCE.findall(text):
            address = urlsplit(reference.replace("&amp;", "&"))
            if address.scheme or address.netloc:
                continue
            place = (site / name).parent / unquote(address.path) if address.path else site / name
            place = site / address.path.lstrip("/") if address.path.startswith("/") else place
            file = place / "index.html" if place.is_dir() else place
            found = os.path.relpath(os.path.normpath(file), site)
            if not file.exists() or (
                address.fragment and found in anchors and unquote(address.fragment) not in anchors[found]
            ):
                yield f"{name}: {reference}"


def foreign(site: Path) -> set[str]:
    """What the pages load from other hosts; links that a reader may follow are no requests."""
    return {
        f"{name}: {reference}"
        for name, text in pages(site).items()
        for tag, attribute, reference in REFERENCE.findall(text)
        if urlsplit(reference).netloc and (attribute == "src" or tag == "link")
    }


def weight(site: Path) -> int:
    return sum(path.stat().st_size for path in site.rglob("*") if path.is_file())


BARE, POOL = (BREAD / "taxonomy.toml").read_text(), (BREAD / "pool.bib").read_text()
TAXONOMY = re.sub(r"(?m)^(\[axis\.(?:leavening|grain)\])$", r"\1\nmain = true", BARE)
"""The taxonomy with two main axes."""


def without(field: str) -> str:
    """The pool without the lines of some fields."""
    return re.sub(rf"(?m)^  {field} .*\n", "", POOL)


def one_axis() -> str:
    """The taxonomy with its first axis alone."""
    head, leavening, *_ = re.split(r"(?m)^(?=\[axis\.\w+\])", TAXONOMY)
    return head + leavening


def one_axis_pool() -> str:
    return without("(?:tag|why)-(?!leavening)[a-z]+")


VARIANTS: dict[str, tuple[str, str]] = {
    "two main axes": (POOL, TAXONOMY),
    "no main axis": (POOL, BARE),
    "one axis": (one_axis_pool(), one_axis()),
    "without days": (without("added"), TAXONOMY),
    "one entry": (re.split(r"(?m)^(?=@)", POOL)[1], TAXONOMY),
    "no entry": ("% Nothing is here yet.\n", TAXONOMY),
}
"""Each is a pool and a taxonomy, without any other file."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_survey_is_built_strictly_and_is_sound(tmp_path: Path, variant: str) -> None:
    pool, taxonomy = VARIANTS[variant]
    folder = survey(tmp_path / "bread", pool, taxonomy)
    built(folder)
    site = folder / "site"
    made = pages(site)
    assert {"index.html", "explore/index.html", "axes/index.html", "measure/index.html", "404.html"} <= made.keys()
    assert list(broken(site)) == []
    assert foreign(site) == set()
    assert weight(site) < 6_000_000
    crossed = {"gaps/index.html", "measure/crosstabs/index.html"}
    assert crossed & made.keys() == (crossed if taxonomy.count("main = true") > 1 else set())
    families = (
        "claims/index.html",
        "explore/excluded/index.html",
        "measure/agreement/index.html",
        "measure/changes/index.html",
    )
    assert [name for name in families if name in made] == []
    assert [name for name in made if name.startswith(("traces/", "take-part/dependencies/"))] == []


def test_claims_and_readings_bring_their_pages_and_a_wing_its_own(tmp_path: Path) -> None:
    wings = 'title = "Sourdough and the science of bread"\nwings = ["traces"]'
    taxonomy = TAXONOMY.replace('title = "Sourdough and the science of bread"', wings)
    folder = survey(
        tmp_path / "bread", None, taxonomy, **READ, **{"docs/read/starters.md": "# Starters\n\nFrom @levain2019.\n"}
    )
    built(folder)
    made = pages(folder / "site")
    assert list(broken(folder / "site")) == []
    expected = {
        "claims/index.html",
        "claims/some-rise/index.html",
        "measure/agreement/index.html",
        "traces/schema/index.html",
    }
    assert expected <= made.keys()
    assert "take-part/dependencies/index.html" not in made
    home = made["index.html"]
    menu = (
        "read/starters/",
        "explore/",
        "axes/",
        "claims/",
        "gaps/",
        "measure/",
        "measure/agreement/",
        "traces/schema/",
    )
    assert [link for link in menu if f"href={link}" not in home.replace('"', "")] == []
    assert "entries/" not in home  # no page repeats a menu of all entries


def test_all_that_ends_a_build_is_told_at_once_and_before_pages_are_rendered(tmp_path: Path) -> None:
    pages = {"docs/one.md": "# One\n\n{{ nothing() }}\n", "docs/two.md": "# Two\n\nText.\n\nAs [@nobody2020] says.\n"}
    folder = survey(
        tmp_path / "bread", **pages, **READ | {"bib/claims.toml": CLAIMS.replace("published = 1", "published = 7")}
    )
    said = built(folder, fails=True)
    assert "docs/one.md:3: " in said
    assert "docs/two.md:5: " in said
    assert "published is 7, but the snapshot of that day gives 1" in said
    assert "1 problem in the data, as warned above, and this build is strict: nothing was rendered" in said
    assert not (folder / "site").exists()


SOUND = """# Sound

[Other](two.md), [computed](axes/index.md), [entry](entries/levain2019.md), [data](data/pool.bib),
[picture](loaf%20one.txt), [away](https://example.org/none.md), [here](#sound).

`[code](none.md)` and <!-- [remark](none.md) --> and \\[escaped](none.md)

```md
[code](none.md)

[ref]: none.md
```
"""

WRONG = """# Two

[Good](one.md), [wrong](non%20e.md#x), ![picture](none.png), [by name][ref] and [folder](axes/).

[ref]: ../none.md
"""


def test_all_that_is_wrong_with_a_page_is_told_at_once(tmp_path: Path) -> None:
    lines = ["# One", "", "{{ nothing() }} and {{ count(grain='oats') }}", "", "As [@nobody2020] and $\\nosuch{x}$ say,",
             "of", "", "$$", "\\frac{1", "$$", "", "{{ count(gluten='no') }}."]  # fmt: skip
    folder = survey(tmp_path / "bread", **{"docs/one.md": "\n".join(lines) + "\n"})
    said = built(folder, fails=True)
    assert [int(line) for line in re.findall(r"docs/one.md:(\d+): ", said)] == [3, 5, 5, 8, 12]


def test_a_warning_of_mkdocs_ends_a_strict_build_before_pages_are_rendered(tmp_path: Path) -> None:
    folder = survey(tmp_path / "bread", **{"docs/one.md": "# One\n"})
    config = folder / "mkdocs.yml"
    config.write_text(config.read_text() + "\nnav:\n  - One: one.md\n  - Gone: gone.md\n")
    said = built(folder, fails=True)
    assert "gone.md" in said
    assert "there are warnings, as told above, and this build is strict: nothing was rendered" in said
    assert not (folder / "site").exists()


def test_links_to_missing_files_are_told_before_pages_are_rendered(tmp_path: Path) -> None:
    pages = {"docs/one.md": SOUND, "docs/two.md": WRONG, "docs/loaf one.txt": "A loaf.\n"}
    folder = survey(tmp_path / "bread", **pages)
    said = built(folder, fails=True)
    assert sorted(re.findall(r"docs/[^\n]+", said)) == [
        'docs/two.md:3: "axes/" leads to no file of the site (found no axes)',
        'docs/two.md:3: "non%20e.md#x" leads to no file of the site (found no non e.md)',
        'docs/two.md:3: "none.png" leads to no file of the site (found no none.png)',
        'docs/two.md:5: "../none.md" leads to no file of the site (found no ../none.md)',
    ]
    assert "this build is strict: nothing was rendered" in said
    assert not (folder / "site").exists()
    (folder / "docs" / "two.md").write_text("# Two\n")
    built(folder)


def test_links_to_missing_parts_of_pages_are_told_before_pages_are_rendered(tmp_path: Path) -> None:
    parts = "# One\n\n## A part\n\n## A part\n\n## *Named* { #named }\n\n<b id='raw'>Raw</b> and `[code](#code)`\n\n"
    sound = "[1](#a-part) [2](#a-part_1) [3](#named) [4](#raw) [5](two.md#two) [6](axes/grain/index.md#rye)\n"
    wrong = "# Two\n\n[1](one.md#nowhere)\n[2](#gone) [3](glossary.md#nothing)\n"
    folder = survey(tmp_path / "bread", **{"docs/one.md": parts + sound, "docs/two.md": "# Two\n"})
    built(folder)
    (folder / "docs" / "two.md").write_text(wrong)
    said = built(folder, fails=True)
    assert sorted(re.findall(r"docs/[^\n]+", said)) == [
        'docs/two.md:3: "one.md#nowhere" leads to no part of one.md (found no "nowhere" in it)',
        'docs/two.md:4: "#gone" leads to no part of two.md (found no "gone" in it)',
        'docs/two.md:4: "glossary.md#nothing" leads to no part of glossary.md (found no "nothing" in it)',
    ]
    assert "this build is strict: nothing was rendered" in said


def test_every_page_with_the_path_of_a_computed_one_is_named(tmp_path: Path) -> None:
    taken = {"docs/glossary.md": "# Glossary\n", "docs/axes/index.md": "# Axes\n"}
    folder = survey(tmp_path / "bread", **taken)
    said = built(folder, fails=True)
    for path in taken:
        assert f"{path} has the path of a computed page: rename or delete it" in said
    assert len(list((folder / ".cache" / "site").iterdir())) > 20  # what the next build need not compute


def test_the_settings_of_a_survey_go_before_ours(tmp_path: Path) -> None:
    own = "theme:\n  name: material\n  custom_dir: own\n  features: []\nextra_css: [own.css]\nnav: [index.md, Entries: explore/index.md]\n"
    more = {"own/main.html": '{% extends "base.html" %}{% block extrahead %}<meta name="own">{% endblock %}'}
    settings = f"site_name: Bread\nsite_url: https://example.org/bread/\nplugins: [search, survey]\n{own}"
    folder = survey(tmp_path / "bread", **{"mkdocs.yml": settings, "docs/own.css": "", **more})
    built(folder)
    home = (folder / "site" / "index.html").read_text()
    assert 'name="own"' in home.replace("name=own", 'name="own"')
    assert home.index("assets/survey.css") < home.index("own.css")
    assert "navigation.instant" not in home
    assert 'href="measure/' not in home  # what a survey leaves out of its navigation stays out


NOTEBOOK = """{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Loaves"], "id": "a"}],
"metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}"""


def test_notebooks_without_their_plugin_are_told_which_and_with_it_are_pages(tmp_path: Path) -> None:
    """The message names the lines of mkdocs.yml that are missing: with just these the survey builds."""
    folder = survey(tmp_path / "bread", **{"notebooks/loaves.ipynb": NOTEBOOK})
    said = built(folder, fails=True)
    assert "notebooks/loaves.ipynb is rendered by no plugin: add to the plugins in mkdocs.yml" in said
    lines = re.search(r"(?m)^  - mkdocs-jupyter:\n(?:      .*\n)+", said)
    assert lines
    (folder / "mkdocs.yml").write_text(SETTINGS.replace("[search, survey]", f"\n  - search\n  - survey\n{lines[0]}"))
    built(folder)
    assert "Loaves" in (folder / "site" / "notebooks" / "loaves" / "index.html").read_text()
