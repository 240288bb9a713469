"""Reading ``taxonomy.toml``: axes, values, absences, rules, and settings of the gap analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from survey.literature.bibtex import CITED, OWN
from survey.literature.problems import InvalidSurvey, expected, quoted
from survey.literature.taxonomy.axes import (
    FAMILY_ID,
    HUES,
    Absence,
    Axis,
    GapSettings,
    Impossible,
    Rule,
    Shape,
    Step,
    Taxonomy,
    Term,
    Value,
)
from survey.literature.taxonomy.settings import CAN_BE_REQUIRED, WINGS, Settings
from survey.literature.taxonomy.toml_tables import Tables, read_toml

__all__ = ["read_taxonomy", "read_toml"]

TOP_KEYS = ("survey", "limits", "absence", "axis", "applies", "rule", "impossible", "gaps")
UNTITLED = "A survey"
"""The title of a survey that gives none."""

SURVEY_KEYS = ("title", "languages", "scope", "creator", "licence", "required", "wings", "first", "origin")
AXIS_KEYS = (
    "label", "definition", "also", "shape", "field", "on", "required", "evidence", "main", "ordered", "absence",
    "value", "family", "qualifier", "step", "part-of", "hue", "core",
)  # fmt: skip
VALUE_KEYS = (
    "label", "definition", "also", "code", "family", "rule", "positive", "negative", "unit", "first", "since",
)  # fmt: skip
TERM_KEYS = ("label", "definition")
STEP_KEYS = ("gives", "when")
APPLIES_KEYS = ("axes", "by", "words")
VALUE_WORD = "value"
"""Stands for every value of an axis where it is said what may stand there."""
RULE_KEYS = ("when", "only", "because")
IMPOSSIBLE_KEYS = ("cells", "why")
GAPS_KEYS = ("triples", "foundations", "strict", "selective", "foundations-label")

NOT_AN_AXIS = frozenset(
    {"key", "type", "title", "authors", "year", "month", "appeared", "submitted", "announced", "version", "venue",
     "doi", "eprint", "url", "code", "summary", "added", "authors-incomplete", "edition", "data"}
)  # fmt: skip
"""Columns of the exported tables, whose names no axis can have."""

NOT_A_VALUE = frozenset({*Absence, "not-coded"})


def read_taxonomy(path: Path, shown: str = "") -> Taxonomy:
    """Return the taxonomy of a file.

    Raises:
        InvalidSurvey: with every problem of the file, each with its line.

    """
    return _Reader(path, shown or str(path)).read()


class _Reader(Tables):
    """Converts the tables of a taxonomy into axes and rules."""

    def read(self) -> Taxonomy:
        data = self.parsed()
        self._only("", data, TOP_KEYS)
        survey = self._table("survey", data.get("survey", {}), SURVEY_KEYS)
        self.languages = self._words("survey", survey, "languages") or ("en",)
        if "en" not in self.languages:
            self._problem("survey", 'has no "en" (English labels are what tables and messages print)', "languages")
        absences = self._absences(data)
        axes = {id: self._axis(id, table) for id, table in self._tables(data, "axis")}
        if not axes:
            self._problem("axis", "there is no axis (expected tables like [axis.topic])")
        axes = {id: replace(axis, steps=self._steps(data["axis"][id], axis, axes)) for id, axis in axes.items()}
        self._across(axes, absences)
        taxonomy = Taxonomy(
            title=self._text("survey", survey, "title", obligatory=False) or UNTITLED,
            languages=self.languages,
            axes=MappingProxyType(axes),
            absences=MappingProxyType(absences),
            rules=(
                *(self._rule(where, table, axes) for where, table in self._array(data, "rule")),
                *(rule for where, table in self._array(data, "applies") for rule in self._applies(where, table, axes)),
            ),
            max_bytes=self._megabytes(data) * 1_000_000,
            impossible=tuple(self._impossible(where, table, axes) for where, table in self._array(data, "impossible")),
            gaps=self._gaps(data, axes),
            settings=self._settings(survey),
        )
        if self.problems:
            raise InvalidSurvey(self.problems)
        return taxonomy

    # each of these methods reads one type of table and reports its problems

    def _settings(self, table: dict[str, Any]) -> Settings:
        listed = {"required": CAN_BE_REQUIRED, "wings": WINGS}
        words = {key: self._words("survey", table, key) for key in listed}
        for key, known in listed.items():
            for word in words[key]:
                self._known("survey", word, known, key)
        texts = {
            key: self._text("survey", table, key, obligatory=False)
            for key in ("scope", "creator", "licence", "first", "origin")
        }
        return Settings(**texts, required=words["required"], wings=words["wings"])

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
        part_of = self._text(where, table, "part-of", obligatory=False)
        evidence = self._flag(where, table, "evidence", not part_of)
        hue = self._text(where, table, "hue", obligatory=False)
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
            key: self._value(f"{where}.value.{key}", key, sub, families, (evidence or bool(part_of)) and on == "entry")
            for key, sub in self._tables(table, "value", where)
        }
        if not values:
            self._problem(where, f"the axis has no values (expected tables like [{where}.value.NAME])")
        absences = self._words(where, table, "absence")
        return Axis(
            id=id,
            labels=self._labels(where, table),
            definition=self._text(where, table, "definition"),
            also=self._words(where, table, "also"),
            field=self._text(where, table, "field", obligatory=False) or f"tag-{id}",
            shape=shape,
            on=on,
            required=self._flag(where, table, "required", False),
            evidence=evidence,
            main=self._flag(where, table, "main", False),
            ordered=self._flag(where, table, "ordered", False),
            values=MappingProxyType(values),
            families=MappingProxyType(families),
            qualifiers=MappingProxyType(qualifiers),
            absences=tuple(Absence(w) for w in absences if self._known(where, w, tuple(Absence), "absence")),
            part_of=part_of,
            hue=hue if not hue or self._known(where, hue, HUES, "hue") else "",
            core=self._flag(where, table, "core", False),
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
            id, self._labels(where, table), definition, code, family, rule, positive, negative, unit,
            self._flag(where, table, "first", False), self._date(where, table, "since"),
            also=self._words(where, table, "also"),
        )  # fmt: skip

    def _date(self, where: str, table: dict[str, Any], key: str) -> str:
        found = table.get(key, "")
        if found and type(found) is not date:
            self._problem(where, f"found {quoted(str(found))}, expected a date, as in 2026-11-23", key)
        return str(found)

    def _term(self, where: str, id: str, table: dict[str, Any], defined: bool = True) -> Term:
        self._only(where, table, TERM_KEYS)
        return Term(id, self._labels(where, table), self._text(where, table, "definition", obligatory=defined))

    def _steps(self, table: dict[str, Any], axis: Axis, axes: dict[str, Axis]) -> tuple[Step, ...]:
        """Return the rules from which an axis is derived: ``[[axis.credit.step]]`` with ``gives`` and ``when``."""
        where, steps = f"axis.{axis.id}", []
        for name, step in self._array(table, "step"):
            place = f"{where}.{name}"
            self._only(place, step, STEP_KEYS)
            gives = self._text(place, step, "gives")
            if gives:
                self._known(place, gives, axis.words, "gives")
            every = step.get("when", [])
            when = [
                (part, words)
                for some in (every if isinstance(every, list) else [every])
                for part, words in self._condition(place, some, axes)
            ]
            if not when:
                self._problem(place, "is missing (expected { AXIS = [VALUES] }, or a list of such tables)", "when")
            for part, _ in when:
                if axes[part].part_of != (whole := axis.part_of or axis.id):
                    self._problem(place, f'{part} is no part of {whole} (expected part-of = "{whole}" there)', "when")
            steps.append(Step(gives, tuple(when)))
        if steps and (axis.qualifiers or axis.shape is Shape.QUANTITY or axis.on != "entry"):
            self._problem(where, "an axis of records, of quantities or with qualifiers cannot be derived", "step")
        return tuple(steps)

    def _condition(self, where: str, found: Any, axes: dict[str, Axis]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for part, value in self._table(where, found, None, "when").items():
            if self._known(where, part, axes, "when"):
                words = (value,) if isinstance(value, str) else self._words(where, found, part, "when")
                yield part, tuple(word for word in words if self._known(where, word, axes[part].words, "when"))

    def _rule(self, where: str, table: dict[str, Any], axes: dict[str, Axis]) -> Rule:
        self._only(where, table, RULE_KEYS)
        sides: dict[str, dict[str, tuple[str, ...]]] = {"when": {}, "only": {}}
        for side, filled in sides.items():
            named = self._table(where, table.get(side, {}), None, side)
            if not named:
                self._problem(where, "is missing (expected { axis = [values] })", side)
            for axis in named:
                if self._known(where, axis, axes, side):
                    filled[axis] = self._words(where, named, axis, f"{side}.{axis}")
                    for word in filled[axis]:
                        self._known(where, word, axes[axis].words, f"{side}.{axis}")
        return Rule(sides["when"], sides["only"], self._text(where, table, "because"))

    def _applies(self, where: str, table: dict[str, Any], axes: dict[str, Axis]) -> Iterator[Rule]:
        """Yield a rule for each axis and each value of another: whether values, and which words for absence, may stand.

        ``axes = ["reward-for"]``, ``by = "category"``, ``words = { survey = ["na"], framework = ["value", "na"] }``.
        """
        self._only(where, table, APPLIES_KEYS)
        by = self._text(where, table, "by")
        if not by or not self._known(where, by, axes, "by"):
            return
        asked = [id for id in self._words(where, table, "axes") if self._known(where, id, axes, "axes")]
        if not asked:
            self._problem(where, "names no axis", "axes")
        words = self._table(where, table.get("words", {}), axes[by].values, "words")
        for kind in words:
            allowed = self._words(where, words, kind, f"words.{kind}")
            for word in allowed:
                self._known(where, word, (VALUE_WORD, *Absence), f"words.{kind}")
            because = f"for {by} = {quoted(kind)} the table of what applies has {' or '.join(allowed)}"
            for id in asked:
                values = tuple(axes[id].values) if VALUE_WORD in allowed else ()
                only = (*values, *(word for word in axes[id].absences if word in allowed))
                yield Rule({by: (kind,)}, {id: only}, because)

    def _impossible(self, where: str, table: dict[str, Any], axes: dict[str, Axis]) -> Impossible:
        self._only(where, table, IMPOSSIBLE_KEYS)
        return Impossible(self._cells(where, table, axes), self._text(where, table, "why"))

    def _gaps(self, data: dict[str, Any], axes: dict[str, Axis]) -> GapSettings:
        table = self._table("gaps", data.get("gaps", {}), GAPS_KEYS)
        foundations, strict = (self._filters("gaps", table, key, axes) for key in ("foundations", "strict"))
        selective = self._filters("gaps", table, "selective", axes, on="record")
        found = table.get("triples", [])
        if not isinstance(found, list):
            self._problem("gaps", f"found {quoted(str(found))}, expected a list of triples of axes", "triples")
            found = []
        main = {axis.id: axis for axis in axes.values() if axis.main and axis.on == "entry"}
        for triple in found:
            if not isinstance(triple, list) or len(set(map(str, triple))) != 3 or len(triple) != 3:
                self._problem("gaps", f"found {quoted(str(triple))}, expected three different axes", "triples")
            else:
                for axis in triple:
                    self._known("gaps", str(axis), main, "triples")
        triples = () if self.problems else tuple((a, b, c) for a, b, c in found)
        label = self._text("gaps", table, "foundations-label", obligatory=False)
        return GapSettings(triples, foundations, strict, selective, label or "foundations")

    def _across(self, axes: dict[str, Axis], absences: Mapping[Absence, Term]) -> None:
        """Check what needs all axes."""
        fields: dict[tuple[str, str], str] = {}
        for axis in axes.values():
            where = f"axis.{axis.id}"
            if axis.part_of and not (axis.part_of in axes and axes[axis.part_of].steps):
                known = [other.id for other in axes.values() if other.steps]
                message = f"{quoted(axis.part_of)} is no axis with steps {expected(axis.part_of, known)}"
                self._problem(where, message, "part-of")
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
