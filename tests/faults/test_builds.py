"""Builds that are killed, fail or run concurrently: readers have the earlier site, or the new one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, MkDocsException
from mkdocs.structure.files import Files

from survey.site.publishing.plugin import SurveyPlugin
from tests.faults.conftest import Full
from tests.faults.kills import snapshot
from tests.faults.scenarios import SCENARIOS, environment


class Plain(SurveyPlugin):  # type: ignore[no-untyped-call]
    """The plugin with its build hooks, but without the pages, which are slow."""

    def on_config(self, config: MkDocsConfig) -> None: ...
    def on_files(self, files: Files, **_: Any) -> Files:
        return files

    def on_page_markdown(self, markdown: str, **_: Any) -> str:
        return markdown

    def on_env(self, env: Any, **_: Any) -> None: ...
    def on_nav(self, nav: Any, **_: Any) -> None: ...
    def on_page_content(self, html: str, **_: Any) -> str:
        return html

    def on_page_context(self, context: Any, **_: Any) -> Any:
        return context

    def on_post_page(self, output: str, **_: Any) -> str:
        return output


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one page, and an earlier site that holds hidden files of its owner."""
    monkeypatch.chdir(tmp_path)
    for path, text in (("docs/index.md", "# New"), ("site/old.html", "old"), ("site/.git/HEAD", "mine")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "mkdocs.yml").write_text("site_name: T\nplugins: []\n")
    return tmp_path


OLD = {"old.html", ".git/HEAD"}


def configured(command: str = "build", dirty: bool = False, **more: Any) -> MkDocsConfig:
    config = load_config("mkdocs.yml", **more)
    config.plugins["survey"] = Plain()
    config.plugins.on_startup(command=command, dirty=dirty)  # type: ignore[arg-type]
    return config


def real() -> MkDocsConfig:
    """Return the configuration of a real build, unaffected by other tests of this process."""
    config = load_config("mkdocs.yml")
    config.plugins.on_startup(command="build", dirty=False)
    return config


def complaint(config: MkDocsConfig, caplog: pytest.LogCaptureFixture) -> str:
    """Return the last message of a failing build."""
    with pytest.raises(MkDocsException) as error:
        build(config)
    return caplog.records[-1].getMessage() if isinstance(error.value, Abort) else str(error.value)


def test_the_new_site_takes_the_place_of_the_old_one_and_hidden_files_stay(project: Path) -> None:
    config = configured()
    build(config)
    assert {".git/HEAD", "index.html"} < snapshot(project / "site").keys()
    assert not (project / "site" / "old.html").exists()
    assert config.site_dir == str(project / "site")
    assert sorted(path.name for path in project.iterdir()) == ["docs", "mkdocs.yml", "site"]


def test_warnings_that_are_errors_leave_the_old_site(project: Path) -> None:
    (project / "docs" / "index.md").write_text("[to](nowhere.md)")
    with pytest.raises(Abort, match="strict mode"):
        build(configured(strict=True))
    assert snapshot(project / "site").keys() == OLD
    assert sorted(path.name for path in project.iterdir()) == ["docs", "mkdocs.yml", "site"]


def test_an_interrupted_build_leaves_the_old_site(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Plain, files: Files, **_: Any) -> Files:
        raise KeyboardInterrupt

    monkeypatch.setattr(Plain, "on_files", interrupted)
    config = configured()
    with pytest.raises(KeyboardInterrupt):
        build(config)
    config.plugins.on_shutdown()
    assert snapshot(project / "site").keys() == OLD
    assert sorted(path.name for path in project.iterdir()) == ["docs", "mkdocs.yml", "site"]


@pytest.mark.parametrize("size", [0, 2000], ids=["from the start", "at the first page"])
def test_a_full_disk_is_reported_in_one_line_and_leaves_the_old_site(
    project: Path, full: Full, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    config = configured()
    with full(size):
        said = complaint(config, caplog)
    assert re.fullmatch(r"[\w./]+: file too large; the previous site is unchanged", said), said
    assert snapshot(project / "site").keys() == OLD
    assert sorted(path.name for path in project.iterdir()) == ["docs", "mkdocs.yml", "site"]


def test_an_unwritable_place_is_reported_in_one_line(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    said = complaint(configured(site_dir="mkdocs.yml/site"), caplog)
    assert said == "mkdocs.yml/site: not a directory; the previous site is unchanged"


def test_a_build_of_changes_alone_works_where_it_is(project: Path) -> None:
    config = configured("build", dirty=True)
    config.plugins.on_pre_build(config=config)
    assert config.site_dir == str(project / "site")
    config.plugins.on_post_build(config=config)
    assert snapshot(project / "site").keys() == OLD


def test_of_two_builds_at_once_one_says_so_and_takes_over_when_the_other_is_killed(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Run real builds of a real site, one in a separate process."""
    scenario = SCENARIOS["build"]
    shutil.rmtree(project / "docs")
    scenario.prepare(project)
    command = scenario.command(project, "a")
    (project / "mkdocs.yml").write_text(
        "site_name: T\nplugins: [search, survey, mkdocs-jupyter: {include: ['*.ipynb'], execute: false}]\n"
    )
    with subprocess.Popen(command, cwd=project, env=environment(project)) as other:
        deadline = time.monotonic() + 60
        lock = project / ".site.building" / "lock"
        while not (lock.exists() and lock.read_text()):
            assert time.monotonic() < deadline
            assert other.poll() is None
            time.sleep(0.02)
        said = complaint(real(), caplog)
        other.kill()
    assert said == f"site is being written by another run (process {other.pid}): wait for it, or name another folder"
    assert snapshot(project / "site").keys() == OLD
    assert (project / ".site.building").is_dir()
    build(real())
    assert {".git/HEAD", "index.html"} < snapshot(project / "site").keys()
    assert [name for name in os.listdir(project) if name.startswith(".site")] == []  # noqa: PTH208
