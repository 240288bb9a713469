"""Commands that cannot write: one line with the path and the reason, and existing files are unchanged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from tests.browser.conftest import chromium_path
from tests.conftest import ROOT
from tests.faults import scenarios
from tests.faults.conftest import Full
from tests.faults.scenarios import SCENARIOS

WRITING = ["export", "import", "anonymise", "report"]


def ran(command: list[str]) -> Result:
    """Run a command in this process, like ``python -m survey``."""
    return CliRunner().invoke(main, command[3:])


@pytest.fixture(params=WRITING)
def command(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A command that writes a file in its own folder; the file is its last argument."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scenarios, "TRACES", 20)
    monkeypatch.setattr(scenarios, "LOGS", 2)
    scenario = SCENARIOS[request.param]
    scenario.prepare(tmp_path)
    return scenario.command(tmp_path, "a")


def test_a_full_disk_is_reported_in_one_line_and_the_earlier_file_stays(command: list[str], full: Full) -> None:
    output = Path(command[-1])
    output.write_text("earlier")
    with full(512):
        result = ran(command)
    assert (result.exit_code, last(result)) == (1, f"Error: {output}: file too large")
    assert output.read_text() == "earlier"
    assert list(Path().glob(".survey*")) == []


@pytest.mark.parametrize(
    ("place", "reason"), [("file/x.out", "not a directory"), ("none/x.out", "no such file or directory")]
)
def test_an_unwritable_place_is_reported_in_one_line(command: list[str], place: str, reason: str) -> None:
    Path("file").write_text("")
    result = ran([*command[:-1], place])
    assert (result.exit_code, last(result)) == (1, f"Error: {place}: {reason}")


def last(result: Result) -> str:
    """Return the last line of standard error; raise the exception of a crash."""
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stderr.splitlines()[-1]


def test_a_trace_may_be_written_over_the_file_it_is_read_from(tmp_path: Path) -> None:
    SCENARIOS["report"].prepare(tmp_path)
    place = tmp_path / "one.json"
    assert ran(["", "", "", "trace", "anonymise", str(place), "-o", str(place)]).exit_code == 0
    assert ran(["", "", "", "trace", "check", str(place)]).exit_code == 0
    assert place.stat().st_size > 1000


@pytest.mark.parametrize("words", [["stats"], ["trace", "formats"]], ids=" ".join)
def test_an_output_without_space_is_reported_in_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("w") as nowhere:
        result = subprocess.run(
            [sys.executable, "-m", "survey", *words], cwd=ROOT, stdout=nowhere, stderr=subprocess.PIPE, text=True, timeout=120
        )  # fmt: skip
    assert result.stderr == "Error: cannot write: no space left on device\n"
    assert result.returncode == 1


def test_a_browser_that_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    said = r"chromium is missing: make test installs it \(Debian package chromium\)"
    with pytest.raises(pytest.fail.Exception, match=said):
        chromium_path()


def test_programs_that_are_missing_are_all_named_before_any_test_runs(tmp_path: Path) -> None:
    for name in ("sh", "sort", "tr"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    result = subprocess.run(
        [str(ROOT / "tests" / "system-packages")], env=os.environ | {"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60
    )  # fmt: skip
    assert result.returncode == 1
    for name, package in (("chromium", "chromium"), ("bibtex", "texlive-binaries"), ("pandoc", "pandoc")):
        assert f"  {name}  (Debian package {package})\n" in result.stderr
