"""The site is the same to the byte wherever it is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.browser.conftest import BUILT, REPOSITORY, Site
from tests.conftest import ROOT


def test_two_builds_in_two_places_are_the_same_to_the_byte(site: Site, tmp_path: Path) -> None:
    """In another folder, another time zone and another language, with every notebook run anew."""
    elsewhere = tmp_path / "another folder"
    for name in ("bib", "docs", "notebooks", "requirements", "survey"):
        shutil.copytree(ROOT / name, elsewhere / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / ".cache" / "browser", elsewhere / ".cache" / "browser")  # what make browser has fetched
    for name in ("mkdocs.yml", "README.md", "CITATION.cff", "pyproject.toml"):
        shutil.copy(ROOT / name, elsewhere)
    settings = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "LANGUAGE": "de", "SITE_URL": site.url, "REPO_URL": REPOSITORY}
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {
        **os.environ,
        **settings,
        "SOURCE_DATE_EPOCH": BUILT,
        "PYTHONHASHSEED": "7",
        "NO_MKDOCS_2_WARNING": "1",
    }
    result = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr[-2000:]
    one, two = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (site.folder, tmp_path / "site")
    )
    assert set(one) == set(two)
    assert [str(path) for path in one if one[path] != two[path]] == []
