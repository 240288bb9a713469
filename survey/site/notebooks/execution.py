"""Execution of notebooks, with a cache of earlier runs.

A run is cached with everything it depends on: the notebook, the lock file, the versions of
Python and of every installed package, and each file of the data and of the survey package that
the notebook read or loaded while it ran. If none of these has changed, the results are still
valid. An edit of prose therefore reruns nothing; an edit of the pool reruns the notebooks that
read it.
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

from survey.atomic import atomic_write, temporary_folder
from survey.literature.problems import InvalidSurvey, Problem
from survey.site.cache import fingerprint, installed

Notebook = dict[str, Any]

LOCK = "requirements/site.txt"
"""The lock file of what a build needs, in the folder of mkdocs.yml."""

PACKAGE = Path(__file__).parent.parent.parent

INSTALLED = "site-packages"
"""The folder of installed packages; their versions count, not each of their files."""

PATIENCE = 900
"""Seconds after which a cell counts as hanging. Notebooks take far less, but machines differ."""

SOCKET_NAME = 103
"""The most bytes in the name of a Unix socket: 107 on Linux, 103 on macOS and the BSDs."""

BEFORE = "import survey.site.notebooks.recorder as _recorder; _recorder.start()"


def executed(
    paths: Iterable[Path], project: Path, report: Callable[[str], None] = lambda _: None
) -> dict[Path, Notebook]:
    """Return every notebook with its outputs, rerun only if something it depends on has changed.

    ``report`` receives a line for each notebook that is run. Runs are cached in ``.cache/notebooks`` of the project.

    Raises:
        InvalidSurvey: if a file is not a notebook, or a cell raises.

    """
    chosen = list(paths)
    with ThreadPoolExecutor(max_workers=max(1, min(len(chosen), os.cpu_count() or 1))) as pool:
        return dict(zip(chosen, pool.map(lambda path: _one(path, project, report), chosen), strict=True))


def _one(path: Path, project: Path, report: Callable[[str], None]) -> Notebook:
    own = base_dependencies(path, project)
    if (found := cached_run(path, project, own)) is not None:
        return found
    notebook = read_notebook(path)
    if not any(cell["cell_type"] == "code" for cell in notebook["cells"]):
        return notebook
    report(f"running {os.path.relpath(path)}")
    return run_and_cache(notebook, path, project, own)


def cached_run(path: Path, project: Path, own: list[str]) -> Notebook | None:
    """Return a notebook with the outputs of its last run; None if something it depends on has changed."""
    return _valid_run(_place(path, project), own)


def run_and_cache(notebook: Notebook, path: Path, project: Path, own: list[str]) -> Notebook:
    """Return a notebook with its outputs, and store them; ``own`` are its base dependencies when it was read.

    Raises:
        InvalidSurvey: if a cell raises.

    """
    place = _place(path, project)
    result, reads = _run(notebook, path, project)
    run = {"own": own, "reads": {name: _fingerprint(Path(name)) for name in reads}, "notebook": result}
    place.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(place, durable=False) as stream:  # another build may read it
        stream.write(with_digest(run))
    return result


def _place(path: Path, project: Path) -> Path:
    return project / ".cache" / "notebooks" / f"{path.stem}.json"


def read_notebook(path: Path) -> Notebook:
    """Return a notebook as it is written.

    Raises:
        InvalidSurvey: if the file is not a notebook.

    """
    import nbformat

    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        plain: Notebook = json.loads(json.dumps(notebook))  # executed and cached notebooks look the same
    except Exception as error:  # nbformat raises errors of any type for a file that is not a notebook
        raise InvalidSurvey([Problem(os.path.relpath(path), 1, f"is not a notebook: {_message(error)}")]) from None
    return plain


def _message(error: Exception) -> str:
    try:
        lines = str(error).strip().splitlines()
    except RecursionError as deeper:  # a message that shows all of what is nested
        error = deeper
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return lines[0][:200] if lines else type(error).__name__


def base_dependencies(path: Path, project: Path) -> list[str]:
    """Return fingerprints of what every run depends on, whatever the notebook does."""
    return [
        _fingerprint(path),
        _fingerprint(project / LOCK),
        _fingerprint(Path(__file__)),
        platform.python_version(),
        fingerprint([], *installed()),
    ]


def _valid_run(place: Path, own: list[str]) -> Notebook | None:
    try:
        digest, _, content = place.read_bytes().partition(b"\n")
    except OSError:
        return None
    if digest != _digest(content):
        return None
    run = json.loads(content)
    if run["own"] != own or any(_fingerprint(Path(name)) != state for name, state in run["reads"].items()):
        return None
    notebook: Notebook = run["notebook"]
    return notebook


def with_digest(run: dict[str, Any]) -> bytes:
    """Return a run as a file, its digest first, so that a damaged file is not accepted as valid."""
    content = json.dumps(run, ensure_ascii=False).encode("utf-8")
    return _digest(content) + b"\n" + content


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _fingerprint(path: Path) -> str:
    """Return a fingerprint of a file's bytes, or of a folder's list of names."""
    if path.is_dir():
        return hashlib.sha256("\n".join(sorted(part.name for part in path.iterdir())).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"


# ------------------------------------------------------------------ one run


def _run(notebook: Notebook, path: Path, project: Path) -> tuple[Notebook, list[str]]:
    """Return the notebook with its outputs, and every file and folder it read."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    code = nbformat.from_dict(notebook)
    after = f"print(_recorder.report({str(project)!r}, {str(PACKAGE)!r}))"
    code.cells = [nbformat.v4.new_code_cell(BEFORE), *code.cells, nbformat.v4.new_code_cell(after)]
    # a fixed hash seed for the order of sets, and no settings or start-up files: a new folder for each run
    with temporary_folder("survey-notebook-") as sockets:
        settings = {"PYTHONHASHSEED": "0", "IPYTHONDIR": str(sockets / "ipython")}
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
            asyncio.run(client.async_execute(env=os.environ | settings))  # a loop per thread
        except CellExecutionError as error:
            raise InvalidSurvey([_failure(error, code, path)]) from None
    reads = [name for name in json.loads(code.cells[-1].outputs[0].text) if INSTALLED not in name]
    return notebook | {"cells": [_plain(cell) for cell in code.cells[1:-1]]}, reads


def _private(sockets: Path) -> Any:
    """Return settings that keep a run private from other users of the machine, where the system allows it.

    All its files are in one folder, which the next run removes if this one is killed. Where the name of
    a socket there would be too long, the kernel is reached over the loopback interface, with signed messages.
    """
    from traitlets.config import Config

    settings = {"connection_file": str(sockets / "kernel.json")}
    if os.name == "posix" and len(os.fsencode(sockets / "kernel-5")) <= SOCKET_NAME:
        settings |= {"transport": "ipc", "ip": str(sockets / "kernel")}
    return Config({"KernelManager": settings})


def _plain(cell: Any) -> dict[str, Any]:
    """Return a cell without what differs between runs."""
    plain: dict[str, Any] = json.loads(json.dumps(cell))
    if plain["cell_type"] == "code":
        plain["execution_count"] = None
        for output in plain["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = None
    return plain


def _failure(error: Any, code: Any, path: Path) -> Problem:
    """Return the problem of a cell that raised, with the line of the file where the cell begins."""
    number, cell = next(
        (n, c) for n, c in enumerate(code.cells) if any(o.output_type == "error" for o in c.get("outputs", ()))
    )
    text = path.read_text(encoding="utf-8")
    line = text.count("\n", 0, max(text.find(f'"id": "{cell.id}"'), 0)) + 1
    source = (cell.source.strip().splitlines() or [""])[0]
    return Problem(os.path.relpath(path), line, f"cell {number} ({source}) raises {error.ename}: {error.evalue}")
