"""Run every notebook from nothing, one after the other, against the minute that each may take."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from survey.site.notebooks.execution import executed
from tests.conftest import ROOT

LIMIT = 60
"""Seconds that a notebook may take; a build runs as many at once as there are cores."""


def run() -> Iterator[str]:
    """Each notebook against the limit; then all of them when nothing they depend on has changed."""
    yield f"notebooks, each run from nothing, against the {LIMIT} s that each may take"
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        shutil.copytree(ROOT / "notebooks", project / "notebooks")
        shutil.copytree(ROOT / "bib", project / "bib")
        paths = sorted((project / "notebooks").glob("*.ipynb"))
        whole = 0.0
        for path in paths:
            start = perf_counter()
            executed([path], project)
            whole += (took := perf_counter() - start)
            yield f"  {path.stem}: {took / LIMIT:.2f} times the limit"
        start = perf_counter()
        executed(paths, project)
        yield f"  all of them again, nothing changed: {(perf_counter() - start) / whole:.4f} times running them"
