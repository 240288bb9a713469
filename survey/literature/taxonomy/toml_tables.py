"""Reading the TOML files of ``bib/``: every table with its type checked, every problem with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from survey.literature.bibtex import FORBIDDEN
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy.axes import ID, ID_SHAPE, Axis
from survey.plurals import plural

MAX_BYTES = 2_000_000
"""Maximum size of a file, which is written by hand."""

DEEPEST = 40
"""Maximum nesting of tables and lists; our formats need fewer than six levels."""

LARGEST = 2**63
"""TOML integers have 64 bits; Python reads larger ones, but cannot print them all."""


def read_toml(path: Path, shown: str, max_bytes: int = MAX_BYTES) -> tuple[dict[str, Any], str]:
    """Return the tables of a TOML file, and its text.

    Raises:
        InvalidSurvey: if it cannot be read as TOML.

    """

    def wrong(message: str, line: int = 1) -> InvalidSurvey:
        return InvalidSurvey([Problem(shown, line, message)])

    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise wrong("there is no such file") from None
    except (OSError, RuntimeError) as error:
        raise wrong(f"cannot be read: {(getattr(error, 'strerror', '') or str(error)).lower()}") from None
    if len(data) > max_bytes:
        raise wrong(
            f"the file has {len(data) / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB such a file may have"
        )
    if data.startswith(b"\xef\xbb\xbf"):
        raise wrong("starts with a byte-order mark (save the file as UTF-8 without one)")
    try:
        text = data.decode("utf-8")
        parsed = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise wrong("not UTF-8 text", data[: error.start].count(b"\n") + 1) from None
    except RecursionError:
        raise wrong("not TOML: nested too deeply") from None
    except ValueError as error:
        where = re.search(r"line (\d+)", str(error))
        raise wrong(f"not TOML: {error}", int(where.group(1)) if where else 1) from None
    texts, fault = _texts(parsed)
    if fault:
        raise wrong(f"not TOML: {fault}")
    for part, how in ((text, ""), *((one, "escaped as \\u, ") for one in texts)):
        if bad := FORBIDDEN.search(part):
            line = 1 if how else text.count("\n", 0, bad.start()) + 1
            raise wrong(f"contains the character U+{ord(bad.group()):04X}, {how}which cannot be seen (delete it)", line)
    return parsed, text


def _texts(parsed: dict[str, Any]) -> tuple[list[str], str]:
    """Return every name and text in parsed TOML, and a message if a value is too large or nested too deeply."""
    texts: list[str] = []
    level: list[Any] = [parsed]
    for _ in range(DEEPEST):
        texts += [
            one for value in level for one in (value if isinstance(value, dict) else (value,)) if type(one) is str
        ]
        if any(type(value) is int and abs(value) >= LARGEST for value in level):
            return texts, f"a whole number of more than 64 bits (expected one below {LARGEST})"
        tables = (
            value.values() if isinstance(value, dict) else value for value in level if type(value) in (dict, list)
        )
        level = [inner for table in tables for inner in table]
        if not level:
            return texts, ""
    return texts, "nested too deeply"


class Tables:
    """Reads typed values from parsed TOML and collects problems.

    The line of a table is that of its header, or of the first table in it. In an array of tables (``[[rule]]``) the
    name of the n-th is ``rule[n]``, counted from 0.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}
        self.languages: tuple[str, ...] = ("en",)

    def parsed(self) -> dict[str, Any]:
        """Return the tables of the file.

        Raises:
            InvalidSurvey: if it cannot be read as TOML.

        """
        data, text = read_toml(self.path, self.shown)
        seen: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if header := re.match(r"\s*(\[+)\s*((?:[A-Za-z0-9_.-]|\"[^\"]*\")+)\s*\]+", line):
                name = header[2].replace('"', "")
                self.lines.setdefault(name, number)
                if len(header[1]) > 1:
                    self.lines[f"{name}[{seen.setdefault(name, 0)}]"] = number
                    seen[name] += 1
        return data

    def _array(self, data: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the tables of an array, each with its name."""
        found = data.get(name, [])
        if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
            self._problem(name, f"found something else, expected tables like [[{name}]]")
            return
        for number, table in enumerate(found):
            yield f"{name}[{number}]", table

    def _tables(
        self, data: dict[str, Any], name: str, where: str = "", pattern: re.Pattern[str] = ID
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for id, table in self._table(where or name, data.get(name, {}), None, name if where else "").items():
            place = f"{where}.{name}.{id}" if where else f"{name}.{id}"
            if not isinstance(table, dict):
                self._problem(place, f"found {quoted(str(table))}, expected a table")
            elif not pattern.fullmatch(id):
                self._problem(
                    place,
                    f"{quoted(id)} cannot be an id ({ID_SHAPE if pattern is ID else f'expected {pattern.pattern}'})",
                )
            else:
                yield id, table

    def _table(
        self, where: str, found: Any, keys: Collection[str] | None, field: str = ""
    ) -> dict[str, Any]:  # fmt: skip
        if not isinstance(found, dict):
            self._problem(where, f"found {quoted(str(found))}, expected a table", field)
            return {}
        if keys is not None:
            self._only(where, found, keys)
        return found

    def _labels(self, where: str, table: dict[str, Any]) -> Mapping[str, str]:
        found = table.get("label", {})
        labels = {"en": found} if isinstance(found, str) else self._table(where, found, self.languages, "label")
        for language in self.languages:
            label = labels.get(language, "")
            if not isinstance(label, str) or not label.strip():
                self._problem(where, f"there is no label in {quoted(language)}", "label")
        return MappingProxyType({language: str(labels.get(language, "?")) for language in self.languages})

    def _text(self, where: str, table: dict[str, Any], key: str, obligatory: bool = True) -> str:
        text = table.get(key, "")
        if not isinstance(text, str):
            self._problem(where, f"found {quoted(str(text))}, expected a text", key)
            return ""
        if obligatory and not text.strip():
            self._problem(where, "is missing", key)
        return text

    def _flag(self, where: str, table: dict[str, Any], key: str, default: bool) -> bool:
        flag = table.get(key, default)
        if not isinstance(flag, bool):
            self._problem(where, f"found {quoted(str(flag))}, expected true or false", key)
            return default
        return flag

    def _words(self, where: str, table: dict[str, Any], key: str, field: str = "") -> tuple[str, ...]:
        words = table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            self._problem(where, f'found {quoted(str(words))}, expected a list of texts, as in ["na"]', field or key)
            return ()
        return tuple(words)

    def _cells(
        self, where: str, table: dict[str, Any], axes: Mapping[str, Axis], least: int = 2
    ) -> Mapping[str, tuple[str, ...]]:
        """Return cells of several axes: ``cells = { category = "benchmark", decision = ["stop: learned"] }``.

        A value without a qualifier stands for all its qualifiers.
        """
        named = self._table(where, table.get("cells", {}), None, "cells")
        if len(named) < least:
            axes_named = plural(len(named), "axis", "axes")
            message = f'names {axes_named}, expected {least} or more: {{ AXIS = "VALUE", AXIS = ["VALUE"] }}'
            self._problem(where, message, "cells")
        asked = {id: axis for id, axis in axes.items() if axis.on == "entry"}
        out = {}
        for id, found in named.items():
            if not self._known(where, id, asked, "cells"):
                continue
            words = (found,) if isinstance(found, str) else self._words(where, named, id, f"cells.{id}")
            known: dict[str, tuple[str, ...]] = {cell: (cell,) for cell in asked[id].value_cells}
            known |= {
                word: tuple(c for c in asked[id].value_cells if c.partition(": ")[0] == word)
                for word in asked[id].values
            }
            right = [word for word in words if self._known(where, word, known, f"cells.{id}")]
            if not words:
                self._problem(where, "names no value", f"cells.{id}")
            out[id] = tuple(dict.fromkeys(cell for word in right for cell in known[word]))
        return MappingProxyType(out)

    def _filters(
        self, where: str, table: dict[str, Any], key: str, axes: Mapping[str, Axis], on: str = "entry"
    ) -> tuple[tuple[str, str], ...]:
        """Return a filter, one value per axis of entries (for ``Pool.where``) or of records; empty if there is none."""
        named = self._table(where, table.get(key, {}), None, key)
        asked = {id: axis for id, axis in axes.items() if axis.on == on}
        if named and not asked:
            self._problem(
                where, f"there is no axis of {on}s (expected an axis with on = {quoted(on)}, or no filter)", key
            )
            return ()
        for id, word in named.items():
            if self._known(where, id, asked, key):
                self._known(where, str(word), asked[id].words, f"{key}.{id}")
        return tuple((id, str(word)) for id, word in named.items())

    def _only(self, where: str, table: dict[str, Any], keys: Collection[str]) -> None:
        for key in table:
            self._known(where, key, keys)

    def _known(self, where: str, found: str, allowed: Collection[str], field: str = "") -> bool:
        if found in allowed:
            return True
        self._problem(where, f"{quoted(found)} is not known here {expected(found, map(str, allowed))}", field)
        return False

    def _problem(self, where: str, message: str, field: str = "") -> None:
        inside = (line for name, line in self.lines.items() if name.startswith(f"{where}."))
        line = self.lines.get(where) or next(inside, 0) or self.lines.get(where.rsplit(".", 1)[0], 1)
        self.problems.append(Problem(self.shown, line, message, re.sub(r"\[\d+\]", "", where), field))
