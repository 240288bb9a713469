"""Reading ``claims.toml``: every countable sentence of the survey as data, checked against the taxonomy."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from survey.literature.bibtex import REQUIRED_BY_TYPE
from survey.literature.pool.claims.claim import TESTS, Claim, Claims, Readings, Table, Variant, conditions
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import ID, ID_SHAPE, Shape, Taxonomy, read_toml

TOP = ("readings", "claim", "table", "variant")

VARIED = ("keep", "types", "reading", "denominator", "readmit", "leave-one-out")
"""The ways in which a variant changes what is counted; each variant has exactly one."""

HEADER = re.compile(r"\s*\[+\s*([A-Za-z0-9_.-]+)\s*\]+")

ALWAYS = {"at-least": 0, "share-at-least": 0, "share-at-most": 1}
"""Tests that every number passes."""

READ = ("strict", "published", "second")
"""The readings, other than the pool's own, that a variant may use and that may have names."""


def read_claims(
    path: Path, taxonomy: Taxonomy, keys: Collection[str], codings: Collection[str]
) -> tuple[Claims, list[Problem]]:
    """Return the claims of a file and all its problems; no claims if there is no file.

    ``keys`` are the keys of entries and records, ``codings`` the ids of all codings.
    """
    shown = str(path)
    if not os.path.lexists(path):
        return Claims(), []
    try:
        data, text = read_toml(path, shown)
    except InvalidSurvey as error:
        return Claims(), list(error.problems)
    reader = _Reader(shown, text, taxonomy, set(keys))
    return reader.read(data, set(codings)), reader.problems


class _Reader:
    """Converts tables into claims and collects their problems."""

    def __init__(self, shown: str, text: str, taxonomy: Taxonomy, keys: set[str]) -> None:
        self.shown, self.taxonomy, self.keys = shown, taxonomy, keys
        self.problems: list[Problem] = []
        headers = ((number, HEADER.match(line)) for number, line in enumerate(text.split("\n"), 1))
        self.lines = {header[1]: number for number, header in headers if header}

    def read(self, data: Mapping[str, Any], codings: set[str]) -> Claims:
        for name in data.keys() - set(TOP):
            self._problem("", f"{quoted(name)} is not a table of this file {expected(name, TOP)}")
        given = data.get("readings")
        readings = None if given is None else self._converted(Readings, given, "readings")
        if readings:
            for name in filter(None, (readings.published, readings.second)):
                if name not in codings:
                    self._problem("readings", f"there is no coding {quoted(name)} {expected(name, codings)}")
        if readings and readings.published and readings.day is None:
            self._problem("readings", "day is missing (expected the day of the published numbers)")
        for name in readings.names if readings else ():
            if name not in READ:
                self._problem("readings", f"names: there is no reading {quoted(name)} {expected(name, READ)}")
        claims = [self._claim(id, table) for id, table in self._tables(data, "claim")]
        tables = [self._published(id, table) for id, table in self._tables(data, "table")]
        variants = [self._variant(id, table) for id, table in self._tables(data, "variant")]
        return Claims(
            readings, tuple(c for c in claims if c), tuple(t for t in tables if t), tuple(v for v in variants if v)
        )

    def _tables(self, data: Mapping[str, Any], name: str) -> Iterator[tuple[str, Any]]:
        found = data.get(name, {})
        if not isinstance(found, dict):
            self._problem(name, f"found something else, expected tables like [{name}.SOME-NAME]")
            return
        for id, table in found.items():
            if not ID.fullmatch(id):
                self._problem(f"{name}.{id}", f"is not an id ({ID_SHAPE})")
            yield id, table

    def _converted(self, kind: type[Any], table: Any, where: str) -> Any:
        """Return the table as a value of a type, or None and report a problem."""
        try:
            return msgspec.convert(table, kind)
        except msgspec.ValidationError as error:
            message = str(error).replace(" | null", "")
            if unknown := re.search(r"unknown field `([^`]+)`", message):
                names = [field.encode_name for field in msgspec.structs.fields(kind)]
                message = f"{quoted(unknown[1])} is not a key {expected(unknown[1], names)}"
            self._problem(where, message[0].lower() + message[1:])
            return None

    def _claim(self, id: str, table: Any) -> Claim | None:
        where = f"claim.{id}"
        claim: Claim | None = self._converted(Claim, table, where)
        if claim is None:
            return None
        tests = [name for name in TESTS if claim._operand(name) is not None]
        if len(tests) != 1:
            found = ", ".join(tests) or "none"
            self._problem(where, f"has {found}, expected exactly one of {', '.join(TESTS)}")
            return None
        if claim.applicable and not claim.is_share:
            self._problem(where, f"applicable: the test is {tests[0]} (expected the test of a share)")
        if claim.is_share and not 0 <= claim.operand <= 1:
            self._problem(where, f"{tests[0]}: found {claim.operand}, expected a share from 0 to 1")
        if claim.operand == ALWAYS.get(claim.test, -1):
            message = f"{claim.test} = {claim.operand} cannot fail (expected a test that some data would fail)"
            self._problem(where, message)
        for name in ("count", "of", "strict", "more_than"):
            self._filter(where, name.replace("_", "-"), getattr(claim, name) or {})
        if claim.leads is not None and self._axis(where, "leads", claim.leads) and claim.leads not in claim.count:
            self._problem(where, f"leads: count has no value of {claim.leads} (expected the value that should lead)")
        if claim.largest:
            quantities = [v for a in self.taxonomy if a.shape is Shape.QUANTITY for v in a.values]
            if claim.largest not in quantities:
                self._problem(
                    where, f"largest: {quoted(claim.largest)} is not a quantity {expected(claim.largest, quantities)}"
                )
        for key, why in claim.dissent.items():
            if key not in self.keys:
                self._problem(where, f"dissent: there is no entry {quoted(key)} {expected(key, self.keys)}")
            if not why.strip():
                self._problem(where, f"dissent: {key} has no reason")
        for name in ("sentence", "limit", "changes"):
            if not getattr(claim, name).strip():
                self._problem(where, f"{name} is empty")
        return msgspec.structs.replace(claim, id=id, path=self.shown, line=self.lines.get(where, 1))

    def _published(self, id: str, table: Any) -> Table | None:
        where = f"table.{id}"
        published: Table | None = self._converted(Table, table, where)
        if published is None or not self._axis(where, "axis", published.axis):
            return None
        self._filter(where, "within", published.within)
        for word in published.counts:
            self._word(where, "counts", published.axis, word)
        return msgspec.structs.replace(published, id=id, path=self.shown, line=self.lines.get(where, 1))

    def _variant(self, id: str, table: Any) -> Variant | None:
        where = f"variant.{id}"
        variant: Variant | None = self._converted(Variant, table, where)
        if variant is None:
            return None
        kinds = [name for name in VARIED if getattr(variant, name.replace("-", "_"))]
        if len(kinds) != 1:
            found = ", ".join(kinds) or "none"
            self._problem(where, f"has {found}, expected exactly one of {', '.join(VARIED)}")
            return None
        self._filter(where, "keep", variant.keep, "entry")
        for axis, filter in variant.rankings.items():
            if self._axis(where, "rankings", axis):
                self._filter(where, f"rankings.{axis}", filter, "entry")
        for name, words, allowed in (
            ("types", variant.types, REQUIRED_BY_TYPE),
            ("reading", [variant.reading] if variant.reading else [], READ),
            ("readmit", variant.readmit, self.keys),
        ):  # fmt: skip
            for word in words:
                if word not in allowed:
                    self._problem(where, f"{name}: there is no {quoted(word)} {expected(word, sorted(allowed))}")
        if variant.at_worst and not variant.readmit:
            self._problem(where, "at-worst: there is no readmit (expected the keys of excluded records)")
        for name in ("label", "says"):
            if not getattr(variant, name).strip():
                self._problem(where, f"{name} is empty")
        return msgspec.structs.replace(variant, id=id, path=self.shown, line=self.lines.get(where, 1))

    def _filter(self, where: str, name: str, filter: Mapping[str, Any], only: str = "") -> None:
        sides = {self.taxonomy[axis].on for axis in filter if self._axis(where, name, axis)}
        if len(sides) > 1:
            self._problem(where, f"{name}: mixes axes of entries with axes of excluded records")
        elif only and sides - {only}:
            self._problem(where, f"{name}: found axes of excluded records, expected axes of entries")
        for axis, condition in filter.items():
            for value in conditions(condition):
                if axis in self.taxonomy.axes:
                    self._word(where, name, axis, value)

    def _axis(self, where: str, name: str, axis: str) -> bool:
        if axis in self.taxonomy.axes:
            return True
        self._problem(where, f"{name}: there is no axis {quoted(axis)} {expected(axis, self.taxonomy.axes)}")
        return False

    def _word(self, where: str, name: str, axis: str, value: str) -> None:
        word, _, how = (part.strip() for part in value.partition(":"))
        asked = self.taxonomy[axis]
        if not asked.resolve(word):
            self._problem(where, f"{name}: {quoted(word)} is not a value of {axis} {expected(word, asked.words)}")
        elif how and how not in asked.qualifiers:
            self._problem(where, f"{name}: {quoted(how)} does not say how {expected(how, asked.qualifiers)}")

    def _problem(self, where: str, message: str) -> None:
        self.problems.append(Problem(self.shown, self.lines.get(where, 1), message, field=where))
