"""Running a notebook, and knowing when an earlier run is still true.

A run is kept together with everything it depended on: the notebook, the lock file and
the version of Python, and each file of the data and of the package that the notebook
read or loaded while it ran. If all of these are as they were, so are the results. An
edit of prose therefore runs nothing again; an edit of the pool runs again what reads it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from survey.atomic import own_folder, whole
from survey.literature.problems import InvalidSurvey, Problem

Notebook = dict[str, Any]

LOCK = "constraints.txt"
"""The file that pins what is installed, beside mkdocs.yml."""

PACKAGE = Path(__file__).parent.parent.parent

PATIENCE = 900
"""Seconds after which a cell is taken to hang. Notebooks take far less; machines differ."""

BEFORE = "import survey.site.notebooks.recorder as _recorder; _recorder.start()"


def executed(
    paths: Iterable[Path], project: Path, said: Callable[[str], None] = lambda _: None
) -> dict[Path, Notebook]:
    """Every notebook with its outputs, run anew only where something it depends on has changed.

    ``said`` is told of each notebook that is run. Runs are kept in ``.cache/notebooks`` of the project.

    Raises:
        InvalidSurvey: if a file is no notebook, or a cell of one raises.

    """
    chosen = list(paths)
    kept = project / ".cache" / "notebooks"
    with ThreadPoolExecutor(max_workers=max(1, min(len(chosen), os.cpu_count() or 1))) as pool:
        return dict(zip(chosen, pool.map(lambda path: _one(path, project, kept, said), chosen), strict=True))


def _one(path: Path, project: Path, kept: Path, said: Callable[[str], None]) -> Notebook:
    notebook = _read(path)
    if not any(cell["cell_type"] == "code" for cell in notebook["cells"]):
        return notebook
    place = kept / f"{path.stem}.json"
    own = _own(path, project)
    if (found := _still_true(place, own)) is not None:
        return found
    said(f"running {os.path.relpath(path)}")
    result, reads = _run(notebook, path, project)
    run = sealed({"own": own, "reads": {name: _state(Path(name)) for name in reads}, "notebook": result})
    kept.mkdir(parents=True, exist_ok=True)
    with whole(place, lasting=False) as stream:  # another build may read it
        stream.write(json.dumps(run, ensure_ascii=False).encode("utf-8"))
    return result


def _read(path: Path) -> Notebook:
    import nbformat

    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        plain: Notebook = json.loads(json.dumps(notebook))  # what is run and what is kept look the same
    except Exception as error:  # from a file that is no notebook nbformat raises whatever it stumbles over
        raise InvalidSurvey([Problem(os.path.relpath(path), 1, f"is no notebook: {_message(error)}")]) from None
    return plain


def _message(error: Exception) -> str:
    try:
        lines = str(error).strip().splitlines()
    except RecursionError as deeper:  # a message that shows all of what is nested
        error = deeper
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return lines[0][:200] if lines else type(error).__name__


def _own(path: Path, project: Path) -> list[str]:
    """What a run depends on, whatever the notebook does."""
    return [_state(path), _state(project / LOCK), platform.python_version(), _state(Path(__file__))]


def _still_true(place: Path, own: list[str]) -> Notebook | None:
    try:
        run = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if (
        not isinstance(run, dict)
        or run != sealed(run)
        or run["own"] != own
        or any(_state(Path(name)) != state for name, state in run["reads"].items())
    ):
        return None
    notebook: Notebook = run["notebook"]
    return notebook


def sealed(run: dict[str, Any]) -> dict[str, Any]:
    """A run with the digest of what it says: one that was damaged on the disk is not taken for true."""
    said = {key: value for key, value in run.items() if key != "digest"}
    return {**said, "digest": hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()}


def _state(path: Path) -> str:
    """What would differ if a file's bytes, or a folder's list of names, did."""
    if path.is_dir():
        return hashlib.sha256("\n".join(sorted(part.name for part in path.iterdir())).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"


# ------------------------------------------------------------------ one run


def _run(notebook: Notebook, path: Path, project: Path) -> tuple[Notebook, list[str]]:
    """The notebook with its outputs, and every file and folder it read."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    code = nbformat.from_dict(notebook)
    after = f"print(_recorder.report({str(project)!r}, {str(PACKAGE)!r}))"
    code.cells = [nbformat.v4.new_code_cell(BEFORE), *code.cells, nbformat.v4.new_code_cell(after)]
    # sets in the same order each time, and nothing of the reader's own settings
    own = project / ".cache" / "ipython"
    own.mkdir(parents=True, exist_ok=True)
    settings = {"PYTHONHASHSEED": "0", "IPYTHONDIR": str(own)}
    with own_folder("survey-notebook-") as sockets:
        client = NotebookClient(
            code,
            kernel_name="python3",
            config=_private(sockets),
            timeout=PATIENCE,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": path.parent}},
        )
        try:
            asyncio.run(client.async_execute(env=os.environ | settings))  # each thread a loop of its own
        except CellExecutionError as error:
            raise InvalidSurvey([_raised(error, code, path)]) from None
    reads = json.loads(code.cells[-1].outputs[0].text)
    return notebook | {"cells": [_plain(cell) for cell in code.cells[1:-1]]}, reads


def _private(sockets: Path) -> Any:
    """Settings by which nobody else on the machine can listen to a run, where the system allows it.

    All its files are in one folder, which the next run takes away if this one is killed.
    """
    from traitlets.config import Config

    settings = {"connection_file": str(sockets / "kernel.json")}
    if os.name == "posix":
        settings |= {"transport": "ipc", "ip": str(sockets / "kernel")}
    return Config({"KernelManager": settings})


def _plain(cell: Any) -> dict[str, Any]:
    """A cell without what differs from run to run."""
    plain: dict[str, Any] = json.loads(json.dumps(cell))
    if plain["cell_type"] == "code":
        plain["execution_count"] = None
        for output in plain["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = None
    return plain


def _raised(error: Any, code: Any, path: Path) -> Problem:
    """Which cell raised what, and the line of the file where that cell begins."""
    number, cell = next(
        (n, c) for n, c in enumerate(code.cells) if any(o.output_type == "error" for o in c.get("outputs", ()))
    )
    text = path.read_text(encoding="utf-8")
    line = text.count("\n", 0, max(text.find(f'"id": "{cell.id}"'), 0)) + 1
    source = (cell.source.strip().splitlines() or [""])[0]
    return Problem(os.path.relpath(path), line, f"cell {number} ({source}) raises {error.ename}: {error.evalue}")
