"""A recorder of the files that a notebook reads. It runs in the notebook's own process.

It is imported there before everything else, so it uses only the standard library.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

IMPORTS = "<frozen importlib"
"""Python's import system: the folders that it lists are not read by the notebook."""

_touched: set[Path] = set()


def start() -> None:
    """Start recording every file that is opened and every folder that is listed."""
    sys.addaudithook(_remember)


def report(*folders: str) -> str:
    """Return what was read below these folders so far, including modules, as JSON."""
    modules = {Path(file) for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}
    read = {Path(os.path.normpath(path)) for path in _touched | modules if path.suffix != ".pyc" and path.exists()}
    below = [Path(folder) for folder in folders]
    return json.dumps(sorted(str(path) for path in read if any(folder in path.parents for folder in below)))


def _remember(event: str, arguments: tuple[object, ...]) -> None:
    if event not in ("open", "os.listdir", "os.scandir") or not isinstance(arguments[0], (str, os.PathLike)):
        return
    path = Path(arguments[0]).absolute()
    if path != Path.cwd() and not sys._getframe(1).f_code.co_filename.startswith(IMPORTS):
        _touched.add(path)
