"""The plan of the house: wings and rooms that know only those before them, and folders that one can take in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from survey.extras import EXTRAS
from tests.conftest import ROOT

PLAN: Mapping[str, tuple[str, ...]] = {
    "survey": ("atomic", "escaping", "extras", "garbage_collection", "plurals", "literature", "traces", "site", "cli", "__main__"),
    "survey.literature": (
        "problems", "bibtex", "taxonomy", "pool", "counting", "agreement", "claims", "gaps", "related", "export",
        "loading", "double_coding", "scout", "publishing",
    ),
    "survey.traces": (
        "problems", "model", "checks", "files", "replay", "metrics", "importers", "exporters", "rewards", "credit", "stopping",
        "simulate", "training", "scoring",
    ),
    "survey.site": (
        "cache", "drafts", "html", "markup", "theme", "charts", "prose", "notebooks", "facts", "pages", "families", "build",
        "publishing", "scaffold",
    ),
    "survey.cli": ("lazy_group", "output", "examples", "literature", "scout", "trace", "site", "init"),
}  # fmt: skip
"""The rooms of each wing, in an order in which each knows only those before it."""

STRANGERS = (("literature", "traces"), ("traces", "literature"))
"""Wings of which the first must not know the second, although it comes later or earlier in the plan."""

TEXTS = frozenset({".py", ".md", ".j2", ".toml", ".bib", ".csv", ".css", ".js", ".ipynb", ".txt", ".sums", ".yml"})
MARK = re.compile(rb"(?m)^(?:<{7} |>{7} |\|{7} |={7}$)")
"""What version control writes around two versions of the same lines."""

ROOMY = 15
"""Names in a folder that one can still take in."""


def module(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


PATHS = {module(path): path for path in sorted((ROOT / "survey").rglob("*.py"))}


@cache
def imported(name: str) -> frozenset[tuple[str, str]]:
    """Every import of ours in a module, at its top or inside a function: from where, and which name."""
    found = set()
    for node in ast.walk(ast.parse(PATHS[name].read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: a relative import"
            found |= {(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
    return frozenset((where, what) for where, what in found if where.split(".")[0] == "survey")


def home(where: str, what: str) -> str:
    """The module in which an imported name is defined, through the faces of packages."""
    if f"{where}.{what}" in PATHS:
        face = {name: source for source, name in imported(where)}
        return f"{where}.{what}" if what not in face else home(face[what], what)
    for source, name in imported(where) if PATHS[where].name == "__init__.py" else ():
        if name == what:
            return home(source, what)
    return where


def uses(name: str) -> Iterator[str]:
    """The modules of ours that a module takes something from."""
    return (home(where, what) for where, what in imported(name))


def is_face(name: str) -> bool:
    return PATHS[name].name == "__init__.py"


@pytest.mark.parametrize("wing", PLAN)
def test_every_room_of_a_wing_is_in_the_plan(wing: str) -> None:
    rooms = {name.removeprefix(f"{wing}.").split(".")[0] for name in PATHS if name.startswith(f"{wing}.")}
    assert rooms == {*PLAN[wing]}


@pytest.mark.parametrize("wing", PLAN)
def test_a_room_knows_only_those_before_it(wing: str) -> None:
    order = {room: place for place, room in enumerate(PLAN[wing])}
    upward = [
        f"{name} -> {used}"
        for name in PATHS
        for used in uses(name)
        if name.startswith(f"{wing}.") and used.startswith(f"{wing}.")
        for mine, theirs in [(name[len(wing) + 1 :].split(".")[0], used[len(wing) + 1 :].split(".")[0])]
        if order[theirs] > order[mine] or (mine, theirs) in STRANGERS
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: {used for used in uses(name) if used != name} for name in PATHS if not is_face(name)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_module_asks_the_face_of_a_room_that_it_is_in() -> None:
    """It would be asked before it is there."""
    inward = [
        f"{name} -> {where}"
        for name in PATHS
        for where, what in imported(name)
        if where in PATHS and is_face(where) and name.startswith(f"{where}.") and f"{where}.{what}" not in PATHS
        and where != "survey"
    ]  # fmt: skip
    assert inward == []


def test_only_the_site_imports_packages_of_an_extra_at_the_top_of_a_module() -> None:
    at_the_top = {
        (name, package)
        for name in PATHS
        if not name.startswith("survey.site.")
        for node in ast.parse(PATHS[name].read_text()).body
        for package in _packages(node)
        if package in EXTRAS or (package == "jinja2" and name.startswith("survey.traces."))
    }
    assert at_the_top == set()


def _packages(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    return [(node.module or "").split(".")[0]] if isinstance(node, ast.ImportFrom) else []


@pytest.mark.parametrize("top", ["survey", "tests", "docs", "bib"])
def test_a_folder_shows_no_more_names_than_one_can_take_in(top: str) -> None:
    folders = [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]
    shown = {
        str(folder.relative_to(ROOT)): len(names)
        for folder in folders
        if "__pycache__" not in folder.parts
        for names in [[path for path in folder.iterdir() if path.name != "__pycache__"]]
        if len(names) > ROOMY
    }
    assert shown == {}


def test_no_file_has_the_marks_of_an_unfinished_merge() -> None:
    tops = ("survey", "tests", "docs", "bib", "notebooks")
    files = [*ROOT.glob("*.*"), *(path for top in tops for path in (ROOT / top).rglob("*") if path.suffix in TEXTS)]
    marked = [str(path) for path in files if path.is_file() and MARK.search(path.read_bytes())]
    assert len(files) > 500
    assert marked == []


def fixtures(path: Path) -> set[str]:
    """The names of the fixtures at the top of a module."""
    functions = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef))
    return {f.name for f in functions if any(ast.unparse(d).startswith("pytest.fixture") for d in f.decorator_list)}


def test_no_folder_of_tests_hides_a_shared_fixture_from_the_tests_beside_it() -> None:
    """A module that has its own `pool` shows it; a `conftest.py` would change every test in its folder unseen."""
    shared = {path.parent: fixtures(path) for path in (ROOT / "tests").rglob("conftest.py")}
    hidden = [
        f"{folder.relative_to(ROOT)}: {name}"
        for folder, names in shared.items()
        for above in folder.parents
        for name in sorted(names & shared.get(above, set()))
    ]
    assert hidden == []


def test_every_room_says_what_it_gives() -> None:
    silent = [name for name in PATHS if is_face(name) and not ast.get_docstring(ast.parse(PATHS[name].read_text()))]
    assert silent == []


def test_the_paths_that_contributors_are_told_exist() -> None:
    told = re.findall(r"`((?:survey|tests|bib)/[\w./-]*)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(told) >= 12
    assert [path for path in told if not (ROOT / path).exists()] == []


def test_the_readme_names_the_wings_and_rooms_as_they_are() -> None:
    told = re.findall(r"`((?:survey|tests|bib|docs|notebooks)/[\w./-]*)`", (ROOT / "README.md").read_text())
    assert [path for path in told if not (ROOT / path).exists()] == []
