"""The site as a folder: how it is put together from what was built. ``tests/browser/offline/`` opens one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.site.publishing.offline import offline
from survey.site.publishing.offline.offline import assemble
from tests.conftest import ROOT

# ------------------------------------------------------------------ the whole folder


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What ``make offline`` has built before it puts the folder together; the site is a small one."""
    site = tmp_path / "built" / "site"
    (site / "search").mkdir(parents=True)
    policy = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">"""
    (site / "index.html").write_text(f'<meta charset="utf-8">{policy}<a href="./">home</a>')
    (site / "search" / "search_index.json").write_text(json.dumps({"docs": [{"location": "#top"}]}))
    (tmp_path / "built" / "source").mkdir()
    (tmp_path / "built" / "source" / "orchestration_survey-0.1.0.tar.gz").write_bytes(b"packed")
    (tmp_path / "built" / "sbom.cdx.json").write_text("{}")
    return tmp_path / "built"


def test_the_folder_has_the_data_the_source_the_pins_the_licences_and_says_how_to_compute_again(
    built: Path, tmp_path: Path
) -> None:
    number = assemble(built, ROOT, tmp_path / "offline")
    names = {path.name for path in (tmp_path / "offline").iterdir()}
    assert names == {
        "CITATION.cff", "LICENSE", "README-OFFLINE.md", "SHA256SUMS", "bib", "index.html",
        "requirements", "sbom.cdx.json", "site", "source",
    }  # fmt: skip
    sums = (tmp_path / "offline" / "SHA256SUMS").read_text().splitlines()
    assert len(sums) == number - 1 == len([p for p in (tmp_path / "offline").rglob("*") if p.is_file()]) - 1
    assert "orchestration_survey-0.1.0.tar.gz" in (tmp_path / "offline" / "README-OFFLINE.md").read_text()
    assert '<a href="./index.html">' in (tmp_path / "offline" / "site" / "index.html").read_text()


def test_an_earlier_folder_is_replaced_and_any_other_left_alone(built: Path, tmp_path: Path) -> None:
    assemble(built, ROOT, tmp_path / "offline")
    (tmp_path / "offline" / "stale").touch()
    assemble(built, ROOT, tmp_path / "offline")
    assert not (tmp_path / "offline" / "stale").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileExistsError, match="mine holds something else"):
        assemble(built, ROOT, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "mine", "offline"]


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("sbom.cdx.json", r"sbom\.cdx\.json is missing"),
        ("source/orchestration_survey-0.1.0.tar.gz", r"source: found nothing, expected one \.tar\.gz"),
        ("site/index.html", "there is no site here"),
    ],
)
def test_what_is_missing_is_named_and_the_earlier_folder_stays(
    built: Path, tmp_path: Path, missing: str, said: str
) -> None:
    assemble(built, ROOT, tmp_path / "offline")
    before = (tmp_path / "offline" / "SHA256SUMS").read_text()
    (built / missing).unlink()
    with pytest.raises(FileNotFoundError, match=said):
        assemble(built, ROOT, tmp_path / "offline")
    assert (tmp_path / "offline" / "SHA256SUMS").read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "offline"]
    assert {path.name for path in built.iterdir()} <= {"site", "source", "sbom.cdx.json"}


def test_a_site_of_another_theme_whose_pages_have_no_policy_is_refused(built: Path, tmp_path: Path) -> None:
    (built / "site" / "index.html").write_text('<meta charset="utf-8">')
    with pytest.raises(ValueError, match=r"index\.html: found no Content-Security-Policy, expected a site built with"):
        assemble(built, ROOT, tmp_path / "offline")


def test_every_command_that_the_folder_names_is_one(built: Path, tmp_path: Path) -> None:
    assemble(built, ROOT, tmp_path / "offline")
    text = (tmp_path / "offline" / "README-OFFLINE.md").read_text()
    named = re.findall(r"\.venv/bin/survey ([a-z]+)", text)
    assert {"stats", "claims", "gaps", "agreement", "check"} <= set(named)
    for command in named:
        assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0, command
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text()))
    assert {"build", "test", "offline"} <= set(re.findall(r"    make ([a-z]+)", text)) <= targets


def test_the_command_says_what_it_wrote_and_what_was_wrong(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    offline.main([str(built), str(tmp_path / "offline")])
    said = capsys.readouterr().out
    number = len([path for path in (tmp_path / "offline").rglob("*") if path.is_file()])
    assert said == f"{number} files in {tmp_path / 'offline'}: open {tmp_path / 'offline' / 'index.html'}\n"
    with pytest.raises(SystemExit, match="site is missing"):
        offline.main([str(tmp_path), str(tmp_path / "other")])
    with pytest.raises(SystemExit, match="found 1 arguments, expected two"):
        offline.main(["x"])
