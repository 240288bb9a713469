"""A survey of another field says nothing of ours: three works on bread, with all files there can be, make every page."""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from survey.literature import load
from survey.site.facts import Facts
from survey.site.families import FAMILIES
from tests.conftest import ROOT

BREAD = ROOT / "tests" / "site" / "bread"

OURS = re.compile(
    r"\bLLMs?\b|language[- ]model|\bagents?\b|orchestrat|\brewards?\b|\bcredit\b|\btraces?\b|topolog|reinforcement"
    r"|\bswarm|\bMARL\b|\bCC0\b|publicdomain/zero|contributors|2605\.02801|published survey|published coding|\bas published"
    r"|2026-05-04|2026-11-2",
    re.IGNORECASE,
)
"""Words that are true of our survey and of no other."""

WINGS = {family.name for family in FAMILIES if family.wing}
"""Families about this toolkit and not about a field."""

TOOLS = ("assets/scale.js", "assets/vega.js")
"""Scripts that are no text about a field: one that reads the report of a trace, and the runtime of charts."""

ALLOWED = {
    r"prov:Agent|prov:SoftwareAgent|orchestration-survey": "terms of a vocabulary, and the name of this program",
    r"#contributors|\"contributors\"": "the address of whoever made the data, and a field of a data package",
    r"(keeps (it|them)|is kept|authors) as published": "what an edition does, and whose title and authors an entry has",
    r"/\* Trace schema[^*]*\*/": "a comment in the style sheet, of which the traces are a part",
}
"""What the words may stand in."""


def made(folder: Path, site_url: str = "https://bread.example/") -> dict[str, str]:
    """Every text that the site computes for a folder of data, but for pages about this toolkit."""
    facts = Facts(load(folder), site_url)
    files = ((family, file) for family in FAMILIES if family.name not in WINGS for file in family.make(facts))
    return {
        path: content if isinstance(content, str) else content.decode("utf-8")
        for _, (path, content) in files
        if path not in TOOLS and not path.endswith((".woff2", ".parquet", ".ttf"))
    }


def found(texts: dict[str, str]) -> list[str]:
    """Where words of ours stand, each with what is around them."""
    allowed = re.compile("|".join(ALLOWED))
    return [
        f"{path}: ...{text[max(0, match.start() - 60) : match.end() + 40]!r}"
        for path, text in texts.items()
        for text in [allowed.sub("", text)]
        for match in OURS.finditer(text)
    ]


@pytest.fixture(scope="module")
def bread() -> dict[str, str]:
    return made(BREAD)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The site of three entries and a taxonomy that says nothing of the survey: no claims, no gaps, no protocol."""
    folder = tmp_path_factory.mktemp("plain")
    shutil.copy(BREAD / "pool.bib", folder)
    taxonomy = (BREAD / "taxonomy.toml").read_text()
    (folder / "taxonomy.toml").write_text(re.sub(r"(?m)^(scope|creator|licence|main|title) = .*\n", "", taxonomy))
    return made(folder, "")


def test_no_page_has_words_of_ours(bread: dict[str, str]) -> None:
    assert found(bread) == []


def test_nor_does_one_of_three_entries_and_nothing_else(plain: dict[str, str]) -> None:
    assert found(plain) == []


def test_every_kind_of_page_is_made(bread: dict[str, str]) -> None:
    kinds = {
        "entries/levain2019.md", "axes/leavening/sourdough.md", "glossary.md", "explore/excluded.md", "measure/index.md",
        "measure/leavening-by-grain.md", "measure/screening.md", "measure/appraisal.md", "claims/some-sourdough.trig",
        "claims/some-sourdough.md", "claims/index.md", "claims/changes.atom", "measure/robustness.md", "feed.atom",
        "measure/changes.md", "measure/agreement.md", "measure/agreement/baker--taster/leavening.md", "gaps/index.md",
        "measure/scale.md", "gaps/leavening-by-grain.md", "take-part/related-work.md", "take-part/new-entry.md",
        "data/datapackage.json", "data/dataset.jsonld", "assets/survey.css",
    }  # fmt: skip
    assert kinds - bread.keys() == set()


def test_a_survey_has_the_script_of_a_page_where_it_has_the_page(tmp_path: Path) -> None:
    path = tmp_path / "bib"
    for has in (True, False):
        shutil.copytree(BREAD, path, ignore=None if has else shutil.ignore_patterns("scale.toml"))
        files = [name for family in FAMILIES if family.name not in WINGS for name, _ in family.make(Facts(load(path)))]
        assert ("measure/scale.md" in files, "assets/scale.js" in files) == (has, has)
        shutil.rmtree(path)


def test_what_the_survey_says_of_itself_is_said(bread: dict[str, str]) -> None:
    assert "https://creativecommons.org/licenses/by/4.0/" in bread["data/dataset.jsonld"]
    assert "The Guild of Bakers" in bread["feed.atom"]
    assert "for a work on bread and what makes it rise." in bread["take-part/new-entry.md"]
    assert "some tags with evidence" in bread["axes/index.md"]
    assert "Made by Panis, 1900." in bread["claims/some-sourdough.md"]
    assert "the rule does not say which comes first" in bread["measure/agreement/baker--taster/leavening.md"]
    assert "--hue-leavening: var(--slate)" in bread["assets/survey.css"]


def test_what_it_does_not_say_is_not_said(plain: dict[str, str]) -> None:
    assert not any("licen" in plain[path] for path in ("data/dataset.jsonld", "data/datapackage.json"))
    assert "creator" not in plain["data/dataset.jsonld"]


def test_a_page_links_to_no_hand_written_page_that_is_not_there(bread: dict[str, str]) -> None:
    pages = {path: text for path, text in bread.items() if path.endswith(".md")}
    assert [
        path for path, text in pages.items() if re.search(r"protocol/|adding-an-entry|citing/|\.\./read/", text)
    ] == []


# ------------------------------------------------------------------ the sources

FIELDS = {"read", "confidence"}
"""Axes of ours whose ids are fields of the format as well."""

WORDS = {
    "research", "coding", "pipeline",
    "yes", "no", "partial", "both", "full", "code", "abstract", "high", "low", "medium", "end", "way", "cost", "web",
    "source", "query", "reason", "stage", "category", "team", "role", "general", "message", "search", "decision",
    "published", "arxiv", "openreview", "math", "standing", "survey", "step", "steps", "run", "core", "value", "scale",
    "model", "formula", "person", "benchmark", "industry", "shared", "process", "none", "background", "text", "peer",
    "token", "case",
}  # fmt: skip
"""Ids of ours that are words of the programs, too."""


@cache
def ids() -> frozenset[str]:
    """The ids of our axes and values that are no everyday words of a program."""
    taxonomy = tomllib.loads((ROOT / "bib" / "taxonomy.toml").read_text())
    axes = taxonomy["axis"]
    return frozenset({*axes, *(value for axis in axes.values() for value in axis["value"])}) - FIELDS - WORDS


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring; of another file every text between quotes."""
    text = path.read_text()
    if path.suffix != ".py":
        for number, line in enumerate(text.split("\n"), 1):
            yield from ((number, found) for found in re.findall(r"[\"'`]([\w: -]+)[\"'`]", line))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


SCALE = {"survey/site/pages/scale/builder.py", "survey/site/pages/scale/scale.js"}
"""They compare works with the report of a trace, where the survey has that wing."""


def test_no_program_of_the_wings_names_an_axis_or_a_value_of_ours() -> None:
    folders = [ROOT / "survey" / wing for wing in ("literature", "site", "cli")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".j2", ".js", ".css"}]
    named = [
        f"{path.relative_to(ROOT)}:{number}: {word}"
        for path in files
        if not {"traces", "trace", "dependencies"} & {*path.parts} and str(path.relative_to(ROOT)) not in SCALE
        for number, word in strings(path)
        if word.partition(":")[0].strip() in ids()
    ]
    assert named == []
