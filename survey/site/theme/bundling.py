"""A bundler: JavaScript modules into one classic script.

The source is split into small modules, but a page loads one classic script: Material's
instant navigation reruns the scripts of a page whenever it swaps the page in, which modules
do not support, and a browser loads no module from a file.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

IMPORT = re.compile(r'^import \{ ([\w$]+(?:, [\w$]+)*) \} from "(\.{1,2}/[\w./-]+\.js)";$', re.MULTILINE)
"""The names that a module imports, and the path of the other module relative to its folder."""

EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) ([\w$]+))", re.MULTILINE)
"""Exports of constants, functions and classes: they never change, so that they can be passed on as values."""

OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\s*\(.*|\bimport\.meta\b.*", re.MULTILINE)


def bundled(entry: Path) -> str:
    """Return a module and all its imports as one script, each module once and after those that it needs.

    Raises:
        FileNotFoundError: if a module is missing.
        ValueError: if imports are circular, name something that is not exported, or if an import or export has
            an unsupported form.

    """
    bundle = _Bundle(entry.resolve().parent)
    bundle.add(entry.resolve())
    functions = [module.text for module in bundle.modules.values()]
    return '"use strict";\n(() => {\n' + "".join(functions) + "})();\n"


@dataclass(frozen=True)
class _Module:
    variable: str
    """The variable that holds what the module exports."""
    exports: frozenset[str]
    text: str
    """A function that runs the module in a scope of its own, called at once."""


@dataclass
class _Bundle:
    folder: Path
    """Messages name modules relative to this folder."""
    modules: dict[Path, _Module] = field(default_factory=dict)

    def add(self, path: Path, importers: tuple[Path, ...] = ()) -> _Module:
        if path in importers:
            circle = " -> ".join(map(self.name, (*importers[importers.index(path) :], path)))
            raise ValueError(f"{self.name(path)}: imports itself ({circle})")
        if path in self.modules:
            return self.modules[path]
        text = path.read_text(encoding="utf-8")

        def constant(found: re.Match[str]) -> str:
            where = f"{self.name(path)}:{text.count(chr(10), 0, found.start()) + 1}"
            target = Path(os.path.normpath(path.parent / found[2]))
            if not target.is_file():
                raise FileNotFoundError(f"{where}: {found[2]} is missing")
            other = self.add(target, (*importers, path))
            if unknown := [name for name in found[1].split(", ") if name not in other.exports]:
                raise ValueError(f"{where}: {found[2]} does not export {', '.join(unknown)}")
            return f"const {{ {found[1]} }} = {other.variable};"

        exports = [found[1] for found in EXPORT.finditer(text)]
        body = EXPORT.sub("", IMPORT.sub(constant, text))
        if left := OTHER.search(body):
            line = body.count("\n", 0, left.start()) + 1
            raise ValueError(
                f"{self.name(path)}:{line}: found {left[0].strip()!r}, expected "
                'import { name } from "./module.js"; or export before const, class or function'
            )
        variable = f"module_{len(self.modules) + 1}"
        function = f"(() => {{\n{body.rstrip()}\nreturn {{ {', '.join(exports)} }};\n}})();"
        module = _Module(variable, frozenset(exports), f"// {self.name(path)}\nconst {variable} = {function}\n")
        self.modules[path] = module
        return module

    def name(self, path: Path) -> str:
        """Return the path of a module for messages and comments."""
        return Path(os.path.relpath(path, self.folder)).as_posix()
