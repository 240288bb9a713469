"""Reading ``taxonomy.toml``: every table with its type checked, every problem with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.rules import CITED, OWN
from survey.literature.taxonomy import FAMILY_ID, ID, Absence, Axis, Rule, Shape, Taxonomy, Term, Value

MAX_BYTES = 2_000_000
"""A vocabulary is written by hand; beyond this the file is something else."""

TOP_KEYS = ("survey", "limits", "absence", "axis", "rule")
SURVEY_KEYS = ("title", "short", "languages")
AXIS_KEYS = (
    "label", "definition", "shape", "field", "on", "required", "evidence", "main", "absence",
    "value", "family", "qualifier",
)  # fmt: skip
VALUE_KEYS = ("label", "definition", "code", "family", "rule", "positive", "negative", "unit")
TERM_KEYS = ("label", "definition")
RULE_KEYS = ("when", "only", "because")

NOT_AN_AXIS = frozenset(
    {"key", "type", "title", "authors", "year", "month", "appeared", "venue", "doi", "eprint", "url", "code",
     "summary", "added", "authors-incomplete", "edition", "data"}
)  # fmt: skip
"""Columns of the exported tables, which an axis would overwrite."""

NOT_A_VALUE = frozenset({*Absence, "not-coded"})


def read_taxonomy(path: Path, shown: str = "") -> Taxonomy:
    """The taxonomy of a file.

    Raises:
        InvalidSurvey: with everything that is wrong in the file, each with its line.

    """
    return _Reader(path, shown or str(path)).read()


def read_toml(path: Path, shown: str, max_bytes: int = MAX_BYTES) -> tuple[dict[str, Any], str]:
    """The tables of a TOML file, and its text.

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
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        raise wrong("not UTF-8 text", data[: error.start].count(b"\n") + 1) from None
    except RecursionError:
        raise wrong("not TOML: nested too deeply") from None
    except ValueError as error:
        where = re.search(r"line (\d+)", str(error))
        raise wrong(f"not TOML: {error}", int(where.group(1)) if where else 1) from None


class _Reader:
    """Walks the parsed TOML and collects problems; the line of a table is looked up in the text."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}
        self.languages: tuple[str, ...] = ("en",)

    def read(self) -> Taxonomy:
        data, text = read_toml(self.path, self.shown)
        for number, line in enumerate(text.split("\n"), 1):
            if header := re.match(r"\s*\[+\s*([A-Za-z0-9_.-]+)\s*\]+", line):
                self.lines.setdefault(header.group(1), number)
        self._only("", data, TOP_KEYS)
        survey = self._table("survey", data.get("survey", {}), SURVEY_KEYS)
        self.languages = self._words("survey", survey, "languages") or ("en",)
        if "en" not in self.languages:
            self._problem("survey", 'has no "en" (English labels are what tables and messages print)', "languages")
        absences = self._absences(data)
        axes = {id: self._axis(id, table) for id, table in self._tables(data, "axis")}
        if not axes:
            self._problem("axis", "there is no axis (expected tables like [axis.reward])")
        self._across(axes, absences)
        rules = data.get("rule", [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            self._problem("rule", "found something else, expected tables like [[rule]]")
            rules = []
        taxonomy = Taxonomy(
            title=self._text("survey", survey, "title", obligatory=False),
            languages=self.languages,
            axes=MappingProxyType(axes),
            absences=MappingProxyType(absences),
            rules=tuple(self._rule(rule, axes) for rule in rules),
            max_bytes=self._megabytes(data) * 1_000_000,
        )
        if self.problems:
            raise InvalidSurvey(self.problems)
        return taxonomy

    # each of these reads one kind of table and reports what it misses

    def _absences(self, data: dict[str, Any]) -> dict[Absence, Term]:
        return {
            Absence(id): self._term(f"absence.{id}", id, table)
            for id, table in self._tables(data, "absence")
            if self._known(f"absence.{id}", id, tuple(Absence))
        }

    def _axis(self, id: str, table: dict[str, Any]) -> Axis:
        where = f"axis.{id}"
        self._only(where, table, AXIS_KEYS)
        if id in NOT_AN_AXIS:
            self._problem(where, f"{quoted(id)} is a column of the exported tables and cannot be an axis")
        shape = self._text(where, table, "shape", obligatory=False) or Shape.ONE
        shape = Shape(shape) if self._known(where, shape, tuple(Shape), "shape") else Shape.ONE
        on = self._text(where, table, "on", obligatory=False) or "entry"
        self._known(where, on, ("entry", "record"), "on")
        evidence = self._flag(where, table, "evidence", True)
        families = {
            key: self._term(f"{where}.family.{key}", key, sub)
            for key, sub in self._tables(table, "family", where, FAMILY_ID)
        }
        qualifiers = {
            key: self._term(f"{where}.qualifier.{key}", key, sub, defined=False)
            for key, sub in self._tables(table, "qualifier", where)
        }
        if qualifiers and shape is Shape.QUANTITY:
            self._problem(where, "a quantity cannot say how as well (take out the qualifiers)", "qualifier")
        values = {
            key: self._value(f"{where}.value.{key}", key, sub, families, evidence and on == "entry")
            for key, sub in self._tables(table, "value", where)
        }
        if not values:
            self._problem(where, f"the axis has no values (expected tables like [{where}.value.NAME])")
        absences = self._words(where, table, "absence")
        return Axis(
            id=id,
            labels=self._labels(where, table),
            definition=self._text(where, table, "definition"),
            field=self._text(where, table, "field", obligatory=False) or f"tag-{id}",
            shape=shape,
            on=on,
            required=self._flag(where, table, "required", False),
            evidence=evidence,
            main=self._flag(where, table, "main", False),
            values=MappingProxyType(values),
            families=MappingProxyType(families),
            qualifiers=MappingProxyType(qualifiers),
            absences=tuple(Absence(w) for w in absences if self._known(where, w, tuple(Absence), "absence")),
        )

    def _value(self, where: str, id: str, table: dict[str, Any], families: dict[str, Term], decided: bool) -> Value:
        self._only(where, table, VALUE_KEYS)
        if id in NOT_A_VALUE:
            self._problem(where, f'"{id}" is a word for absence and cannot be a value')
        family = self._text(where, table, "family", obligatory=False)
        if family:
            self._known(where, family, families, "family")
        rule, positive, negative = (
            self._text(where, table, key, obligatory=decided) for key in ("rule", "positive", "negative")
        )
        code, unit = (self._text(where, table, key, obligatory=False) for key in ("code", "unit"))
        definition = self._text(where, table, "definition")
        return Value(
            id, self._labels(where, table), definition, code, family, rule, positive, negative, unit
        )  # fmt: skip

    def _term(self, where: str, id: str, table: dict[str, Any], defined: bool = True) -> Term:
        self._only(where, table, TERM_KEYS)
        return Term(id, self._labels(where, table), self._text(where, table, "definition", obligatory=defined))

    def _rule(self, table: dict[str, Any], axes: dict[str, Axis]) -> Rule:
        self._only("rule", table, RULE_KEYS)
        sides: dict[str, dict[str, tuple[str, ...]]] = {"when": {}, "only": {}}
        for side, filled in sides.items():
            named = self._table("rule", table.get(side, {}), None, side)
            if not named:
                self._problem("rule", "is missing (expected { axis = [values] })", side)
            for axis in named:
                if self._known("rule", axis, axes, side):
                    filled[axis] = self._words("rule", named, axis, f"{side}.{axis}")
                    for word in filled[axis]:
                        self._known("rule", word, axes[axis].words, f"{side}.{axis}")
        return Rule(sides["when"], sides["only"], self._text("rule", table, "because"))

    def _across(self, axes: dict[str, Axis], absences: Mapping[Absence, Term]) -> None:
        """What can only be seen with all axes at hand."""
        fields: dict[tuple[str, str], str] = {}
        for axis in axes.values():
            where = f"axis.{axis.id}"
            for word in axis.absences:
                if word not in absences:
                    self._problem(where, f"there is no table [absence.{word}] to define it")
            if not re.fullmatch(r"[a-z][a-z0-9-]*", axis.field) or axis.field.startswith("why-"):
                self._problem(where, f"{quoted(axis.field)} cannot be the field of an axis", "field")
            elif axis.field in {*CITED, *OWN}:
                self._problem(where, f"{quoted(axis.field)} has a meaning of its own in BibTeX or here", "field")
            elif (other := fields.setdefault((axis.on, axis.field), axis.id)) != axis.id:
                self._problem(where, f"{quoted(axis.field)} is the field of {other} already", "field")

    def _megabytes(self, data: dict[str, Any]) -> int:
        limits = self._table("limits", data.get("limits", {}), ("pool-megabytes",))
        number = limits.get("pool-megabytes", 64)
        if type(number) is not int or not 1 <= number <= 100_000:
            self._problem("limits", f"found {quoted(str(number))}, expected a whole number above 0", "pool-megabytes")
            return 64
        return number

    # and these are the questions they ask

    def _tables(
        self, data: dict[str, Any], name: str, where: str = "", pattern: re.Pattern[str] = ID
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for id, table in self._table(where or name, data.get(name, {}), None, name if where else "").items():
            place = f"{where}.{name}.{id}" if where else f"{name}.{id}"
            if not isinstance(table, dict):
                self._problem(place, f"found {quoted(str(table))}, expected a table")
            elif not pattern.fullmatch(id):
                self._problem(place, f"{quoted(id)} cannot be an id (expected {pattern.pattern})")
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

    def _only(self, where: str, table: dict[str, Any], keys: Collection[str]) -> None:
        for key in table:
            self._known(where, key, keys)

    def _known(self, where: str, found: str, allowed: Collection[str], field: str = "") -> bool:
        if found in allowed:
            return True
        self._problem(where, f"{quoted(found)} is not known here {expected(found, map(str, allowed))}", field)
        return False

    def _problem(self, where: str, message: str, field: str = "") -> None:
        line = self.lines.get(where) or self.lines.get(where.rsplit(".", 1)[0], 1)
        self.problems.append(Problem(self.shown, line, message, where, field))
