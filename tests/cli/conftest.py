"""What several tests of commands share: the real data, before they were read a second time."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the width of the terminal in which the tests run, commands are not told of it."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real data without the two readings of every entry: much was read once, and some of that could turn a claim.

    With them, there is nothing left to read that a claim speaks of. What was decided between the two is left out, too.
    """
    bib = Path(shutil.copytree(ROOT / "bib", tmp_path_factory.mktemp("once") / "bib"))
    codings = bib / "codings"
    for path in (codings / "adjudications.csv", *codings.glob("facets-*.csv")):
        path.unlink()
    readers = (codings / "readers.toml").read_text()
    (codings / "readers.toml").write_text(re.sub(r"(?ms)^\[facets-.*?(?=^\[|\Z)", "", readers))
    return bib
