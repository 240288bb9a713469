"""Run every notebook without a cache, one after the other, against a limit of one minute each."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from survey.site.notebooks.execution import executed
from tests.conftest import ROOT

LIMIT = 60
"""The limit of a notebook in seconds; a build runs as many in parallel as there are cores."""


def run() -> Iterator[str]:
    """Yield each notebook against the limit, then a cached run of all of them."""
    yield f"notebooks, each run without a cache, against the limit of {LIMIT} s"
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
        yield f"  all of them again, cached: {(perf_counter() - start) / whole:.4f} times running them"
