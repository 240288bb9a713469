"""``survey init`` starts a survey on any subject: it passes every check at once and overwrites nothing."""

from __future__ import annotations

import os
import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from survey.cli import main
from survey.literature import load
from tests.conftest import ROOT
from tests.literature.pool.conversion.foreign_bib import foreign_bib

LINKED = re.compile(r"\]\(([a-z./-]+\.md)")


def survey(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("foreign") / "refs.bib"
    path.write_text(foreign_bib(300))
    return path


@pytest.fixture(scope="module")
def made(foreign: Path) -> tuple[Path, Result]:
    folder = foreign.parent / "machine-learning"
    return folder, survey("init", folder, "--from", foreign, "--creator", "The Group", "--licence", "CC-BY-4.0")


def test_a_new_survey_has_no_problem(made: tuple[Path, Result]) -> None:
    folder, result = made
    assert result.exit_code == 0
    checked = survey("--bib", folder / "bib", "check")
    assert checked.exit_code == 0, checked.stderr


def test_its_title_is_the_name_of_the_folder_and_its_settings_are_those_of_the_command(
    made: tuple[Path, Result],
) -> None:
    pool = load(made[0] / "bib")
    assert pool.taxonomy.title == "Machine learning"
    assert (pool.taxonomy.settings.creator, pool.taxonomy.settings.licence) == ("The Group", "CC-BY-4.0")
    assert yaml.safe_load((made[0] / "mkdocs.yml").read_text().replace("!ENV", ""))["site_name"] == "Machine learning"


def test_what_was_changed_is_told_by_kind_and_fits_a_terminal(made: tuple[Path, Result]) -> None:
    said = made[1].stdout
    assert re.search(r"refs\.bib: \d+ entries taken over, \d+ set aside", said)
    assert re.search(r"^ +\d+  months as numbers or names", said, re.MULTILINE)
    assert max(map(len, said.splitlines())) <= 140


def test_every_link_of_its_pages_leads_to_a_page_that_exists_or_is_computed(made: tuple[Path, Result]) -> None:
    docs = made[0] / "docs"
    linked = {
        os.path.normpath(page.parent.relative_to(docs) / link)
        for page in docs.rglob("*.md")
        for link in LINKED.findall(page.read_text())
    }
    assert {link for link in linked if not (docs / link).exists()} == {"explore/index.md", "measure/index.md"}
    assert len(linked) == 4


def test_nothing_that_exists_is_overwritten(foreign: Path, tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("mine")
    (tmp_path / "bib").mkdir()
    (tmp_path / "bib" / "pool.bib").write_text("mine")
    result = survey("init", tmp_path, "--from", foreign)
    assert result.exit_code == 2
    assert "has bib/pool.bib, mkdocs.yml already" in result.stderr
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["mkdocs.yml", "pool.bib"]


def test_a_file_without_entries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("no BibTeX here\n")
    result = survey("init", tmp_path / "new", "--from", tmp_path / "refs.bib")
    assert result.exit_code == 2
    assert "there is no entry in" in result.stderr
    assert not (tmp_path / "new").exists()


def test_without_a_file_it_starts_empty(tmp_path: Path) -> None:
    assert survey("init", tmp_path / "new", "--title", 'A "new" <field> & more').exit_code == 0
    assert survey("--bib", tmp_path / "new" / "bib", "check").exit_code == 0
    assert load(tmp_path / "new" / "bib").taxonomy.title == 'A "new" <field> & more'


def test_its_workflow_uses_the_same_pinned_actions_as_ours(made: tuple[Path, Result]) -> None:
    ours = {line for path in (ROOT / ".github" / "workflows").glob("*.yml") for line in _uses(path)}
    theirs = _uses(made[0] / ".github" / "workflows" / "site.yml")
    assert theirs <= ours
    assert len(theirs) == 4
    yaml.safe_load((made[0] / ".github" / "workflows" / "site.yml").read_text())


def test_its_requirements_name_ways_to_install_that_need_no_release(made: tuple[Path, Result]) -> None:
    *_, by_address, by_wheel, by_release = (made[0] / "requirements.txt").read_text().splitlines()
    address, release = Requirement(by_address.removeprefix("# ")), Requirement(by_release)
    assert address.name == release.name == "orchestration-survey"
    assert address.extras == release.extras == {"site"}
    assert (address.url or "").startswith("git+https://")
    built = f"orchestration_survey-{version('orchestration-survey')}-py3-none-any.whl"
    assert by_wheel == f"# ./{built}[site]"
    parse_wheel_filename(built)


def _uses(path: Path) -> set[str]:
    return set(re.findall(r"uses: (\S+ # \S+)", path.read_text()))


def test_the_summary_of_a_check_counts_problems_by_kind(
    made: tuple[Path, Result], foreign: Path, tmp_path: Path
) -> None:
    (tmp_path / "taxonomy.toml").write_text((made[0] / "bib" / "taxonomy.toml").read_text())
    (tmp_path / "pool.bib").write_text(foreign.read_text())
    full = survey("--bib", tmp_path, "check").stderr.splitlines()
    short = survey("--bib", tmp_path, "check", "--summary").stderr.splitlines()
    number, kinds = map(int, re.findall(r"\d+", short[-1]))
    counted = [int(line.split()[0]) for line in short[1:-1]]
    assert (number, kinds) == (len(full) - 1, len(counted))
    assert sum(counted) == number
    assert counted == sorted(counted, reverse=True)
    assert kinds < 40 < number
    assert all(line.split(maxsplit=1)[1] in full for line in short[1:-1])
