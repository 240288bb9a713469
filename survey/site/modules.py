"""A module of ours and those that it imports, as one script for where modules cannot be loaded."""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{ ([\w$]+(?:, [\w$]+)*) \} from "\./([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) ([\w$]+))", re.MULTILINE)
"""What does not change once it is there, and can therefore be handed on as it is."""

OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\s*\(.*|\bimport\.meta\b.*", re.MULTILINE)


def bundled(path: Path) -> str:
    """The modules in the order in which they need each other, each a function that gives its exports.

    Raises:
        FileNotFoundError: if one is missing.
        ValueError: if one imports or exports in another form than ours.

    """
    done: dict[str, str] = {}
    _add(path, done, ())
    return '"use strict";\n(() => {\n' + "".join(done.values()) + "})();\n"


def _add(path: Path, done: dict[str, str], above: tuple[str, ...]) -> None:
    if path.stem in above:
        raise ValueError(f"{path.name}: imported by itself ({' -> '.join((*above, path.stem))})")
    if path.stem in done:
        return
    text = path.read_text(encoding="utf-8")
    for found in IMPORT.finditer(text):
        _add(path.with_name(f"{found[2]}.js"), done, (*above, path.stem))
    exports = ", ".join(found[1] for found in EXPORT.finditer(text))
    body = EXPORT.sub("", IMPORT.sub(lambda m: f"const {{ {m[1]} }} = {_name(m[2])};", text))
    if left := OTHER.search(body):
        line = body.count("\n", 0, left.start()) + 1
        raise ValueError(
            f"{path.name}:{line}: found {left[0].strip()!r}, expected "
            'import { name } from "./module.js"; or export before const, class or function'
        )
    done[path.stem] = f"const {_name(path.stem)} = (() => {{\n{body.rstrip()}\nreturn {{ {exports} }};\n}})();\n"


def _name(stem: str) -> str:
    return "module_" + stem.replace("-", "_")
