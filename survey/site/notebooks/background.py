"""Notebooks run in the background of a server: their pages are there at once, and fill up when their runs end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from survey.site.notebooks.execution import Notebook, base_dependencies, cached_run, read_notebook, run_and_cache

RUNNING = "This notebook is running. Its results will appear here when it has finished."
FAILED = "This notebook failed: {}"


class BackgroundRuns:
    """The runs of a server's notebooks, as many at a time as there are processors.

    A finished run is in ``folder``; ``ended`` is called then.
    """

    def __init__(self, project: Path, report: Callable[[str], None], ended: Callable[[], None] = lambda: None) -> None:
        self.project, self.report, self.ended = project, report, ended
        self.folder = project / ".cache" / "notebooks"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.slots = threading.Semaphore(os.cpu_count() or 1)
        self.started: dict[Path, list[str]] = {}
        """What each notebook depended on when its last run was started."""
        self.failed: dict[Path, str] = {}
        self.waiting = 0
        self.ready = threading.Event()

    def begin(self) -> None:
        """Start the runs, once the other pages are built."""
        self.ready.set()

    def executed(self, paths: Iterable[Path]) -> dict[Path, Notebook]:
        """Return every notebook: with its outputs, or with a note that it is being run.

        Raises:
            InvalidSurvey: if a file is not a notebook.

        """
        return {path: self._one(path) for path in paths}

    def _one(self, path: Path) -> Notebook:
        own = base_dependencies(path, self.project)
        if (found := cached_run(path, self.project, own)) is not None:
            return found
        notebook = read_notebook(path)
        if not any(cell["cell_type"] == "code" for cell in notebook["cells"]):
            return notebook
        if self.started.get(path) != own:
            self.started[path] = own
            self.failed.pop(path, None)
            self.waiting += 1
            threading.Thread(target=self._run, args=(path, notebook, own), daemon=True).start()
        return _with_note(notebook, FAILED.format(self.failed[path]) if path in self.failed else RUNNING)

    def _run(self, path: Path, notebook: Notebook, own: list[str]) -> None:
        self.ready.wait()
        with self.slots:
            try:
                run_and_cache(notebook, path, self.project, own)
            except Exception as error:  # a kernel can die in many ways, and the page must not wait for ever
                self.failed[path] = str(error)
            self.waiting -= 1
            state = f"{self.waiting} left" if self.waiting else "none left"
            self.report(f"{os.path.relpath(path)} {'failed' if path in self.failed else 'has run'}, {state}")
            self.ended()


def _with_note(notebook: Notebook, note: str) -> Notebook:
    """Return a notebook without outputs, with a note under its title."""
    note_cell = {"cell_type": "markdown", "id": "survey-note", "metadata": {}, "source": f"*{note}*"}
    cells = [cell if cell["cell_type"] != "code" else {**cell, "outputs": []} for cell in notebook["cells"]]
    return notebook | {"cells": [*cells[:1], note_cell, *cells[1:]]}
