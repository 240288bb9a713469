"""The pages written to a folder: other generators build it, and nothing of ours is left to be done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import InvalidSurvey, Pool, load
from survey.site.publishing.folder import write_folder
from tests.conftest import ROOT


@pytest.mark.parametrize("program", ["zensical", "mkdocs"])
def test_the_folder_is_built_by_generators_that_know_nothing_of_us(project: Path, tmp_path: Path, program: str) -> None:
    folder, pool = tmp_path / "out", load(project / "bib")
    write_folder(pool, project, folder)
    arguments = {"zensical": ["build", "--clean"], "mkdocs": ["build", "--strict", "--quiet", "--clean"]}[program]
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "error" not in (result.stdout + result.stderr).lower()
    page = (folder / "site" / "read" / "chapter" / "index.html").read_text()
    assert "Claims on this page" in page
    assert f"One of {len(pool)} works is" in page
    assert all((folder / "site" / "entries" / e.key / "index.html").is_file() for e in pool)


def test_the_folder_asks_for_no_plugin_of_ours_and_has_no_live_figures_left(pool: Pool, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(pool, ROOT, folder)
    assert "survey" not in (folder / "mkdocs.yml").read_text().split("plugins:")[1].split("markdown_extensions:")[0]
    chapters = [*(folder / "docs" / "read").glob("*.md")]
    assert chapters
    assert [path.name for path in chapters if "{{" in path.read_text()] == []


def test_a_hand_written_page_is_not_replaced_in_a_folder_either(project: Path, tmp_path: Path) -> None:
    (project / "docs" / "glossary.md").write_text("# Mine\n")
    with pytest.raises(InvalidSurvey, match=r"docs/glossary\.md:1: has the path of a computed page"):
        write_folder(load(project / "bib"), project, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_left_alone(published: Pool, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(FileExistsError, match="is not empty: name a new folder, or empty it first"):
        write_folder(published, ROOT, tmp_path)


def test_the_command_writes_the_folder(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    result = CliRunner().invoke(main, ["pages", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "docs" / "entries" / "c3.md").is_file()
