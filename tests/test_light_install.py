"""What ``pip install orchestration-survey`` gives without extras: light imports, and every command or the extra it needs."""

from __future__ import annotations

import ast
import inspect
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable, Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from survey.cli import WINGS
from survey.cli.trace.group import MODULES, trace
from survey.extras import EXTRAS, PROJECT, lazy
from survey.literature.export import FORMATS
from survey.site.publishing.bill_of_materials import dependency_closure
from survey.traces.credit import METHODS
from survey.traces.exporters import EXPORTERS
from tests.conftest import ROOT
from tests.traces.importers.samples import sample

BIB = ("--bib", str(ROOT / "bib"))
POOLED = sum(line.startswith("@") for line in (ROOT / "bib" / "pool.bib").read_text().splitlines())
BREAD = ("--bib", str(ROOT / "tests" / "literature" / "bread"))
EXAMPLE = str(ROOT / "survey" / "traces" / "model" / "example.json")
LOG = {
    "claude-code": "claude-code/inline.jsonl", "claude-code-team": "claude-code-team/harbour",
    "opentelemetry": "opentelemetry/genai.json", "openai-agents": "openai-agents/team.jsonl",
    "mlflow": "mlflow/team.json", "langfuse": "langfuse/team.json", "langsmith": "langsmith/team.json",
    "weave": "weave/team.jsonl", "atif": "atif/team.json", "inspect": "inspect/team.json",
    "who-and-when": "who-and-when/chat.json", "marble": "marble/flat.jsonl", "codex": "codex/person.jsonl",
    "verl": "verl/40.jsonl", "rllm": "rllm/solver_judge.json", "swe-agent": "swe-agent/submitted.traj",
    "mini-swe-agent": "mini-swe-agent/submitted.traj.json", "openhands": "openhands/delegates.json",
    "copilot": "copilot/calls.jsonl", "gemini": "gemini/plain.json",
}  # fmt: skip
"""A log for each importer."""

Run = Callable[..., subprocess.CompletedProcess[str]]

BASE = {canonicalize_name(name) for name in dependency_closure()}
IMPORTED = {
    name: {canonicalize_name(package) for package in packages} for name, packages in packages_distributions().items()
}
"""Which packages, as they are installed, bring what can be imported."""
LARGE = {"torch"}
"""What no test here installs: make trainers does."""


# ---------------------------------------------------------------- a base installation


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python in a virtual environment that holds what the base requirements name, linked from the running one."""
    folder = tmp_path_factory.mktemp("light")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    for name in dependency_closure():
        for file in distribution(name).files or ():
            there = Path(str(file.locate()))
            if ".." in file.parts or not there.is_file():
                continue  # a script
            link = packages / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(there)
    return python


@pytest.fixture
def survey(python: Path, tmp_path: Path) -> Run:
    """The command, run there in an empty folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [str(python), "-m", "survey", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)

    return run


def succeeds(done: subprocess.CompletedProcess[str], status: int = 0) -> str:
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    return done.stdout


def needs(done: subprocess.CompletedProcess[str], command: str, package: str) -> None:
    """The command says in one line which package it lacks, and which extra brings it."""
    extra, purpose = EXTRAS[package]
    line = f"survey {command}: {purpose} needs {package} (pip install '{PROJECT}[{extra}]')\n"
    assert (done.stderr, done.returncode, done.stdout) == (line, 2, "")


def test_it_holds_the_base_requirements_and_no_package_of_an_extra(python: Path) -> None:
    code = (
        "import json; from importlib.metadata import distributions; from importlib.util import find_spec\n"
        f"absent = [name for name in {sorted(EXTRAS)} if find_spec(name) is None]\n"
        "print(json.dumps([[one.name for one in distributions()], absent]))"
    )
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    installed, absent = json.loads(done.stdout)
    assert {canonicalize_name(name) for name in installed} - {"pip", "setuptools"} == BASE
    assert absent == sorted(EXTRAS)


# ------------------------------------------------------------------ what is imported


def loaded(code: str) -> set[str]:
    """The packages that a program has loaded when it ends."""
    tail = "\nimport sys; print(' '.join({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_importing_the_wing_of_traces_loads_only_msgspec_and_what_unpacks_files() -> None:
    wanted = loaded("import msgspec")
    foreign = {name for name in loaded("import survey.traces") - wanted if name not in sys.stdlib_module_names}
    assert foreign <= {"survey", "backports", "org"}


def test_importing_any_room_but_those_of_the_site_loads_no_package_of_an_extra() -> None:
    rooms = [
        path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for wing in ("literature", "traces", "cli")
        for path in sorted((ROOT / "survey" / wing).rglob("__init__.py"))
    ]
    assert len(rooms) > 20
    assert loaded(f"import {', '.join([*rooms, *WINGS, *MODULES])}") & set(EXTRAS) == set()


def test_loading_checking_and_exporting_a_pool_loads_no_package_of_an_extra() -> None:
    code = (
        "from survey.literature import load; from survey.literature.export import FORMATS\n"
        f"for form in {sorted(FORMATS.keys() - {'parquet'})}: FORMATS[form](load({BREAD[1]!r}))"
    )
    assert loaded(code) & set(EXTRAS) == set()


def test_every_foreign_package_that_is_imported_is_in_the_base_or_named_with_its_extra() -> None:
    site = {canonicalize_name(name) for name in dependency_closure(extras=["site"])}
    nowhere = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "survey").rglob("*.py")
        for name in _imports(path)
        if name not in {*sys.stdlib_module_names, "survey", "compression", *EXTRAS}
        and not IMPORTED.get(name, set()) & (site if "site" in path.relative_to(ROOT).parts else BASE)
    }
    assert nowhere == set()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("package", sorted(EXTRAS.keys() - LARGE))
def test_the_extra_that_is_named_brings_the_package_and_the_base_does_not(package: str) -> None:
    extra, _ = EXTRAS[package]
    assert IMPORTED[package] & {canonicalize_name(name) for name in dependency_closure(extras=[extra])}
    assert not IMPORTED[package] & BASE


def test_a_module_that_waits_for_a_missing_package_can_be_inspected() -> None:
    waiting = lazy("no_such_package")
    assert inspect.unwrap(waiting) is waiting
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        _ = waiting.array


@pytest.mark.parametrize("package", sorted(LARGE))
def test_the_extra_of_a_large_package_asks_for_it_by_name(package: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert package in {Requirement(line).name for line in extras[EXTRAS[package][0]]}
    assert package not in BASE


# ---------------------------------------------------------------------- the literature


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((*BREAD, "check"), "3 entries"),
        ((*BIB, "check"), "axes"),
        ((*BREAD, "check", str(ROOT / "tests/literature/bread/taxonomy.toml")), "1 file"),
        ((*BREAD, "stats"), "sourdough"),
        ((*BREAD, "stats", "--format", "csv"), "leavening,sourdough,sourdough,1,1,0.3333333333333333"),
        ((*BREAD, "stats", "--format", "json"), '"timeline"'),
        ((*BREAD, "crosstab", "leavening", "grain"), "leavening \\ grain"),
        ((*BREAD, "crosstab", "leavening", "grain", "--format", "csv"), "leavening,wheat,rye,na,not-coded"),
        ((*BREAD, "crosstab", "leavening", "grain", "--format", "json"), '"counts"'),
        ((*BREAD, "list"), "2024"),
        ((*BREAD, "list", "--format", "csv"), "key,type,title"),
        ((*BIB, "show", "c3"), "Contextual Counterfactual Credit Assignment"),
        ((*BIB, "claims"), f"{POOLED} entries"),
        ((*BIB, "diff", "2026-05-04", "2026-11-21"), "2026-11-21"),
        ((*BREAD, "diff", "--with", BREAD[1], "--format", "markdown"), "3 entries"),
        ((*BIB, "robustness", "--format", "json"), '"variants"'),
        ((*BIB, "related", "--where", "credit=message"), "--where credit=message"),
        ((*BREAD, "new", "2603.06859"), "@misc{"),
    ],
)
def test_the_literature_is_read_checked_and_counted(survey: Run, arguments: tuple[str, ...], expected: str) -> None:
    assert expected in succeeds(survey(*arguments))


def test_an_entry_is_started_and_checked_without_any_extra(
    survey: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SURVEY_OFFLINE")
    shutil.copytree(BREAD[1], tmp_path / "bib")
    asked = survey("new", "1706.03762", "--key", "vaswani2017")
    what, extra = "asking services needs requests", f"pip install '{PROJECT}[scout]'"
    assert asked.stderr == f"The entry is blank: 1706.03762 was not looked up ({what} ({extra}))\n"
    with (tmp_path / "bib" / "pool.bib").open("a") as file:
        file.write("\n" + succeeds(asked))
    done = survey("check")
    assert "entry vaswani2017: tag-leavening: is empty" in done.stderr
    succeeds(done, 1)


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"parquet"}))
def test_the_pool_is_exported(survey: Run, form: str) -> None:
    assert "levain2019" in succeeds(survey(*BREAD, "export", "--format", form))


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        (("gaps",), "numpy"),
        (("gaps", "reward", "credit"), "numpy"),
        (("agreement",), "numpy"),
        (("export", "--format", "parquet"), "pandas"),
        (("pages", "--out", "pages"), "uharfbuzz"),
    ],
)
def test_what_it_cannot_do_with_the_literature_names_the_extra(
    survey: Run, arguments: tuple[str, ...], package: str
) -> None:
    needs(survey(*BIB, *arguments), arguments[0], package)


# -------------------------------------------------------------------------- the traces


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """The example, and the same run played on from one of its events with another result."""
    first = json.loads(Path(EXAMPLE).read_text())
    event = next(event["id"] for event in first["events"] if event["type"] == "message")
    other = {**first, "trace_id": "other", "rewards": {"team": 0},
             "counterfactual_of": {"trace_id": first["trace_id"], "from": event, "how": "rerun"}}  # fmt: skip
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{json.dumps(first)}\n{json.dumps(other)}\n")
    return str(path)


@pytest.mark.parametrize("form", LOG)
def test_every_log_is_imported_and_checked(survey: Run, tmp_path: Path, form: str) -> None:
    succeeds(survey("trace", "import", "auto", str(sample(LOG[form])), "-o", "run.jsonl"))
    first, *_ = (tmp_path / "run.jsonl").read_text().splitlines()
    assert json.loads(first)["source"]["importer"] == form
    succeeds(survey("trace", "check", "run.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("check", EXAMPLE, "--format", "json"), '"errors": 0'),
        (("report", EXAMPLE), "Time"),
        (("report", EXAMPLE, "--format", "json"), '"measures"'),
        (("report", EXAMPLE, "--format", "html"), "</html>"),
        (("formats",), "claude-code"),
        (("replay", EXAMPLE), "alive"),
        (("replay", EXAMPLE, "--format", "json"), '"alive"'),
        (("reward", EXAMPLE), "R1 "),
        (("reward", EXAMPLE, "--format", "csv"), "trace_id,kind,unit"),
        (("diff", EXAMPLE, EXAMPLE), "differ"),
        (("anonymise", EXAMPLE), '"events"'),
        (("stopping", str(sample("mini-swe-agent/submitted.traj.json")), "--rule", "passing"), "stop after"),
        (("score", EXAMPLE), '"measures"'),
        (("score", EXAMPLE, "--workers", "2", "--format", "csv"), "example"),
        (("score", EXAMPLE, "--credit", "leave-one-out", "--no-rewards"), '"credit"'),
    ],
)
def test_a_trace_is_measured_replayed_rewarded_and_scored(
    survey: Run, arguments: tuple[str, ...], expected: str
) -> None:
    assert expected in succeeds(survey("trace", *arguments))


@pytest.mark.parametrize("form", EXPORTERS)
def test_a_trace_is_exported(survey: Run, form: str) -> None:
    assert len(succeeds(survey("trace", "export", form, EXAMPLE))) > 500


@pytest.mark.parametrize("method", METHODS)
def test_credit_is_given_or_needs_arrays(survey: Run, runs: str, method: str) -> None:
    unit = "message" if method in ("counterfactual", "coma") else METHODS[method].kinds[-1]
    done = survey("trace", "credit", runs, "--method", method, "--unit", unit, "--format", "json")
    if METHODS[method].arrays:
        needs(done, "trace credit", "numpy")
    else:
        assert {credit["kind"] for credit in json.loads(succeeds(done))} == {unit}


def test_credit_is_printed_as_a_table_and_as_csv(survey: Run) -> None:
    assert "credit  why" in succeeds(survey("trace", "credit", EXAMPLE))
    assert "trace,kind,unit" in succeeds(survey("trace", "credit", EXAMPLE, "--format", "csv"))


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        (("credit", EXAMPLE, "--format", "parquet", "-o", "credit.parquet"), "pandas"),
        (("score", EXAMPLE, "--credit", "shapley", "-o", "scores.jsonl"), "numpy"),
        (("score", "s3://bucket/runs/*.jsonl", "-o", "scores.jsonl"), "fsspec"),
        (("score", EXAMPLE, "--engine", "dask", "-o", "scores.jsonl"), "distributed"),
    ],
)
def test_what_it_cannot_do_with_traces_names_the_extra_and_leaves_no_file(
    survey: Run, tmp_path: Path, arguments: tuple[str, ...], package: str
) -> None:
    needs(survey("trace", *arguments), f"trace {arguments[0]}", package)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------ all of them


def test_every_command_says_what_it_does(python: Path) -> None:
    names = [name for names in WINGS.values() for name in names]
    of_traces = [*trace.commands, *(name for names in MODULES.values() for name in names)]
    every = [[], *([name] for name in names), *(["trace", name] for name in of_traces)]
    code = (
        "from survey.cli import main\n"
        f"for command in {every}: main([*command, '--help'], prog_name='survey', standalone_mode=False)"
    )
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
    asked = [line.split(" [")[0] for line in succeeds(done).splitlines() if line.startswith("Usage: ")]
    assert asked == [" ".join(["Usage: survey", *command]) for command in every]
