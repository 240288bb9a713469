"""The release of an edition: what is refused, and files that other programs read and agree with."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import rdflib
import yaml
from click.testing import CliRunner

from survey.cli import main
from survey.literature import load
from survey.literature.claims import Judge
from survey.site.publishing.release.release import Refused, release
from tests.conftest import ROOT
from tests.site.pages.test_data_files import DATA_PACKAGE

FIRST, BEFORE, LAST = date(2026, 5, 4), date(2026, 11, 21), date(2026, 11, 23)
SITE = "https://example.org/survey/"

NAME = {"type": "string", "minLength": 1}
CFF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["authors", "cff-version", "message", "title"],
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": NAME,
        "title": NAME,
        "type": {"enum": ["software", "dataset"]},
        "version": {"type": "string", "minLength": 1},
        "date-released": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])$"},
        "license": {"enum": ["MIT", "CC0-1.0"]},
        "commit": NAME,
        "authors": {"type": "array", "minItems": 1, "items": {"type": "object"}},
        "identifiers": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/identifier"}},
        "references": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["authors", "title", "type"],
                "properties": {"identifiers": {"items": {"$ref": "#/$defs/identifier"}}, "year": {"type": "integer"}},
            },
        },
    },
    "$defs": {
        "identifier": {
            "type": "object",
            "additionalProperties": False,
            "required": ["type", "value"],
            "properties": {"type": {"const": "other"}, "value": NAME, "description": NAME},
        }
    },
}
"""What version 1.2.0 of the Citation File Format asks for, as far as ours uses it."""

ZENODO: dict[str, Any] = {
    "type": "object",
    "required": ["title", "upload_type", "description", "creators", "access_right", "license"],
    "properties": {
        "upload_type": {"const": "dataset"},
        "access_right": {"const": "open"},
        "publication_date": {"type": "string", "format": "date"},
        "language": {"type": "string", "pattern": "^[a-z]{3}$"},
        "creators": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {"name": NAME},
            },
        },
        "related_identifiers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["identifier", "relation"],
                "properties": {"relation": {"enum": ["isDerivedFrom"]}},
            },
        },
    },
}
"""What Zenodo asks of the metadata of a deposit, as far as ours uses it."""


def git(project: Path, *arguments: str) -> str:
    command = ["git", "-C", str(project), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def unpinned(project: Path, day: date) -> None:
    """Take the fingerprint of an edition away, with what was kept of it."""
    path = project / "bib" / "editions.toml"
    before, head, after = path.read_text().partition(f"[{day}]")
    path.write_text(before + head + re.sub(r"(?m)^data = .*\n?", "", after, count=1))
    for kept in (project / "bib" / "editions").glob(f"{day}.*"):
        kept.unlink()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the real data, committed, and the fingerprints of its editions."""
    project = tmp_path / "project"
    shutil.copytree(ROOT / "bib", project / "bib")
    shutil.copy(ROOT / "CITATION.cff", project)
    (project / ".gitignore").write_text("/release/\n")
    git(tmp_path, "init", "--quiet", str(project))
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "The data")
    return project


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of the newest edition."""
    project = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOT / "bib", project / "bib")
    shutil.copy(ROOT / "CITATION.cff", project)
    (project / ".gitignore").write_text("/release/\n")
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "The data")
    release(project, project / "release", site_url=SITE)
    return project / "release"


# ------------------------------------------------------------------ what is released


def test_sha256sum_agrees_with_every_file_and_none_is_left_out(made: Path) -> None:
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=made, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    checked = {line.removesuffix(": OK") for line in done.stdout.splitlines()}
    assert checked == {path.name for path in made.iterdir()} - {"SHA256SUMS"}
    assert {"CITATION.cff", ".zenodo.json", "NOTES.md", "datapackage.json", "ledger.csv", "claims.trig"} < checked


def test_the_data_package_lists_every_file_with_its_size_and_hash(made: Path) -> None:
    about = json.loads((made / "datapackage.json").read_text())
    jsonschema.Draft202012Validator(DATA_PACKAGE).validate(about)
    assert about["version"] == LAST.isoformat()
    names = [resource["name"] for resource in about["resources"]]
    assert len(set(names)) == len(names)
    for resource in about["resources"]:
        path = made / resource["path"]
        done = subprocess.run(["sha256sum", path.name], cwd=made, capture_output=True, text=True, check=True)
        assert resource["hash"] == f"sha256:{done.stdout.split()[0]}"
        assert resource["bytes"] == path.stat().st_size
    about_itself = {"datapackage.json", "CITATION.cff", ".zenodo.json", "NOTES.md", "SHA256SUMS"}
    data = {path.name for path in made.iterdir()} - about_itself
    assert {resource["path"] for resource in about["resources"]} == {name for name in data if not name.endswith(".zip")}


def test_the_archive_holds_the_same_files(made: Path) -> None:
    (path,) = made.glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        held = {name.removeprefix(f"{path.stem}/"): archive.read(name) for name in archive.namelist()}
    assert held == {one.name: one.read_bytes() for one in made.iterdir() if one.name not in (path.name, "SHA256SUMS")}


def test_the_citation_names_version_day_fingerprint_and_commit(made: Path) -> None:
    cited = yaml.safe_load((made / "CITATION.cff").read_text())
    assert cited["date-released"] == LAST, "a date, as YAML reads it"
    jsonschema.Draft202012Validator(CFF).validate(json.loads(json.dumps(cited, default=str)))
    assert cited["version"] == LAST.isoformat()
    assert cited["commit"] == git(made.parent, "rev-parse", "HEAD")
    assert load(ROOT / "bib").as_of(LAST).fingerprint in [one["value"].split()[-1] for one in cited["identifiers"]]
    assert cited["license"] == "CC0-1.0", "that of the data, not that of the code"
    before = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["references"] == before["references"]


def test_the_deposit_has_what_zenodo_asks_for(made: Path) -> None:
    deposit = json.loads((made / ".zenodo.json").read_text())
    jsonschema.Draft202012Validator(ZENODO).validate(deposit)
    assert deposit["version"] == deposit["publication_date"] == LAST.isoformat()
    assert deposit["related_identifiers"] == [{"identifier": "arXiv:2605.02801", "relation": "isDerivedFrom"}]
    assert "&amp;#" not in deposit["notes"], "no escape of an escape"


def test_the_notes_name_every_claim_with_a_new_status_as_the_command_line_does(made: Path) -> None:
    text = (made / "NOTES.md").read_text()
    days = [BEFORE.isoformat(), LAST.isoformat()]
    done = CliRunner().invoke(main, ["--bib", str(ROOT / "bib"), "diff", *days, "--format", "json"])
    printed = json.loads(done.stdout)
    changed = [one for one in printed["claims"] if one["before"]["status"] != one["after"]["status"]]
    assert changed
    lines = [line for line in text.split("### Claims with a new status")[1].splitlines() if line.startswith("- ")]
    assert len(lines) == len(changed)
    for line, one in zip(lines, changed, strict=True):
        assert f"Until {BEFORE}: {one['before']['status']}. Now: {one['after']['status']}" in line
    assert f"{len(printed['entries'])} entries and {len(printed['records'])} excluded records added" in text
    assert f"{len(changed)} claims with a new status" in text
    assert f"{len(printed['filled'])} empty cells" in text


def test_the_nanopublications_and_the_table_are_those_of_the_edition(made: Path) -> None:
    read = rdflib.Dataset(default_union=True)
    read.parse(made / "claims.trig", format="trig")
    found = set(read.subjects(rdflib.RDF.type, rdflib.URIRef("http://www.nanopub.org/nschema#Nanopublication")))
    with (made / "ledger.csv").open(newline="", encoding="utf-8") as stream:
        ids = {row["claim id"] for row in csv.DictReader(stream)}
    assert {str(one).partition("#")[0] for one in found} == {f"{SITE}claims/{id}.trig" for id in ids}


def test_an_earlier_edition_holds_what_it_held_and_is_the_first(project: Path) -> None:
    release(project, project / "release", FIRST)
    entries = json.loads((project / "release" / "pool.json").read_text())["entries"]
    assert len(entries) == 84
    assert max(entry["added"] for entry in entries) <= FIRST.isoformat()
    text = (project / "release" / "NOTES.md").read_text()
    assert "The first edition" in text
    assert "### Claims with a new status" not in text
    pool = load(project / "bib").as_of(FIRST)
    judge = Judge(pool)
    statuses = [str(judge.judged(claim, FIRST).status) for claim in pool.claims]
    for status in set(statuses):
        assert f"- {statuses.count(status)}: {status}\n" in text


def test_the_same_commit_gives_the_same_bytes_and_replaces_the_folder(project: Path) -> None:
    release(project, project / "release", FIRST, SITE)
    before = {path.name: path.read_bytes() for path in (project / "release").iterdir()}
    (project / "release" / "stale.txt").touch()
    release(project, project / "release", FIRST, SITE)
    assert {path.name: path.read_bytes() for path in (project / "release").iterdir()} == before


# ------------------------------------------------------------------ what is refused


def refused(project: Path, day: date | None = None) -> str:
    with pytest.raises(Refused) as error:
        release(project, project / "release", day)
    assert not (project / "release").exists()
    return str(error.value)


def test_a_tree_with_changes_is_refused_also_with_a_file_that_git_does_not_know(project: Path) -> None:
    (project / "note.txt").touch()
    assert "the working tree has changes (note.txt): commit or remove them first" in refused(project)
    (project / "note.txt").unlink()
    with (project / "bib" / "pool.bib").open("a") as stream:
        stream.write("\n")
    assert "(bib/pool.bib)" in refused(project)


def test_an_edition_whose_data_have_changed_since_is_refused(project: Path) -> None:
    path = project / "bib" / "pool.bib"
    path.write_text(path.read_text().replace("Contextual Counterfactual", "Contextual counterfactual", 1))
    git(project, "commit", "--quiet", "--all", "--message", "A correction of an old entry")
    published = load(ROOT / "bib").editions[FIRST].data
    now = load(project / "bib").as_of(FIRST).fingerprint
    assert now != published
    assert f"[{FIRST}]: the data of that day are {now}, expected {published}, as published" in refused(project, FIRST)


def test_an_edition_without_a_fingerprint_is_refused_with_the_line_to_add(project: Path) -> None:
    unpinned(project, LAST)
    git(project, "commit", "--quiet", "--all", "--message", "No fingerprint")
    found = load(project / "bib").as_of(LAST).fingerprint
    assert f"[2026-11-23] has no data: it is not published yet (survey edition new pins {found})" in refused(project)


def test_a_day_that_is_no_edition_is_refused_with_the_nearest(project: Path) -> None:
    message = refused(project, date(2026, 5, 5))
    assert '"2026-05-05" is not an edition' in message
    assert "2026-05-04" in message


def test_a_survey_without_editions_or_without_a_repository_is_refused(project: Path, tmp_path: Path) -> None:
    shutil.rmtree(project / ".git")
    assert "expected a git repository" in refused(project)
    git(project, "init", "--quiet")
    (project / "bib" / "editions.toml").unlink()
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "No editions")
    assert "bib/editions.toml lists no edition" in refused(project)


def test_a_folder_with_something_else_is_left_alone(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileExistsError, match="mine holds something else"):
        release(project, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
