"""The protocol as data, ``protocol.toml``: criteria with ids, stages, and records that were decided again."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from survey.literature.bibtex import CITED, OWN
from survey.literature.pool.entries import Record
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import Axis, Tables, Taxonomy

KEYS = ("inclusion", "exclusion", "reasons", "stages", "reading", "sources", "decision")


@dataclass(frozen=True, slots=True)
class Criterion:
    """A reason to include a work, or to exclude it."""

    id: str
    label: str
    definition: str
    excludes: bool
    reasons: tuple[str, ...] = ()
    """The reasons of records to which this criterion of exclusion applies."""

    duplicate: bool = False
    """Whether an excluded record is the same work as another, and no work of its own."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A record that was decided again: the criterion that excludes it, or the one by which it is eligible."""

    record: str
    day: date
    criterion: str
    why: str
    line: int = 1


@dataclass(frozen=True, slots=True)
class Ruling:
    """The criterion of a record; if it does not exclude, the record is eligible and not yet included."""

    criterion: Criterion
    decision: Decision | None = None

    @property
    def open(self) -> bool:
        """Whether the record is eligible and waits for a decision."""
        return not self.criterion.excludes


@dataclass(frozen=True, slots=True)
class Marked:
    """Values of an axis with a meaning for the flow."""

    axis: str = ""
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sourcing:
    """What an entry must say about where its facts and its evidence come from."""

    preprint: tuple[str, ...] = ()
    """Fields that every preprint needs."""

    third_parties: tuple[str, ...] = ()
    """Hosts of pages on works by others than their authors and their venues."""

    said_as: str = ""
    """How evidence says that it rests on such a page."""


@dataclass(frozen=True)
class Protocol:
    """Criteria by id, decisions by record, and the values that say at which stage a work was decided."""

    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    reasons: str = ""
    """The axis of records that holds the reason."""

    assessed: Marked = Marked()
    """Records that were decided after more than the abstract."""

    unread: Marked = Marked()
    """Entries that were included on the abstract alone."""

    sourcing: Sourcing = Sourcing()
    path: str = ""

    def __bool__(self) -> bool:
        return bool(self.criteria)

    def of(self, *, excludes: bool) -> tuple[Criterion, ...]:
        """Return the criteria of exclusion, or those of inclusion, in the order of the file."""
        return tuple(criterion for criterion in self.criteria.values() if criterion.excludes is excludes)

    def ruling(self, record: Record) -> Ruling | None:
        """Return the criterion of a record; None if nothing names one."""
        if decision := self.decisions.get(record.key):
            return Ruling(self.criteria[decision.criterion], decision)
        reason = record.primary(self.reasons)
        return next((Ruling(c) for c in self.criteria.values() if reason and reason in c.reasons), None)

    def waits(self, record: Record) -> bool:
        """Return whether a record is eligible and not yet included."""
        ruling = self.ruling(record)
        return ruling is not None and ruling.open


def read_protocol(
    path: Path, taxonomy: Taxonomy, records: Collection[str], shown: str = ""
) -> tuple[Protocol, list[Problem]]:
    """Return the protocol of a file and all its problems; an empty one if there is no file."""
    if not os.path.lexists(path):
        return Protocol(), []
    reader = _Reader(path, shown or str(path))
    try:
        protocol = reader.read(taxonomy, records)
    except InvalidSurvey as error:
        return Protocol(), list(error.problems)
    return protocol, reader.problems


class _Reader(Tables):
    """Converts the tables of the file into a protocol."""

    def read(self, taxonomy: Taxonomy, records: Collection[str]) -> Protocol:
        data = self.parsed()
        self._only("", data, KEYS)
        axes: dict[str, dict[str, Axis]] = {on: {a.id: a for a in taxonomy.on(on)} for on in ("entry", "record")}
        table = self._table("reasons", data.get("reasons", {}), ("axis",))
        reasons = self._text("reasons", table, "axis") if table else ""
        known = reasons if reasons and self._known("reasons", reasons, axes["record"], "axis") else ""
        words = axes["record"][known].words if known else ()
        criteria = self._criteria(data, words)
        if not criteria:
            self._problem("", "names no criterion (expected tables like [exclusion.ID])")
        found = [self._decision(*pair, criteria, records) for pair in self._array(data, "decision")]
        decisions: dict[str, Decision] = {}
        for place, decision in enumerate(found):
            if decision and decision.record in decisions:
                self._problem(
                    f"decision[{place}]", f"decides {quoted(decision.record)} twice (keep the last)", "record"
                )
            elif decision:
                decisions[decision.record] = decision
        return Protocol(
            criteria,
            decisions,
            known,
            self._marked(data, "stages", "assessed", axes["record"]),
            self._marked(data, "reading", "abstract-only", axes["entry"]),
            self._sourcing(data),
            self.shown,
        )

    def _sourcing(self, data: dict[str, Any]) -> Sourcing:
        table = self._table("sources", data.get("sources", {}), ("preprint-needs", "third-party", "said-as"))
        needs = [
            name
            for name in self._words("sources", table, "preprint-needs")
            if self._known("sources", name, (*CITED, *OWN), "preprint-needs")
        ]
        said_as = self._text("sources", table, "said-as", obligatory=False)
        return Sourcing(tuple(needs), self._words("sources", table, "third-party"), said_as.lower())

    def _criteria(self, data: dict[str, Any], words: Collection[str]) -> dict[str, Criterion]:
        criteria: dict[str, Criterion] = {}
        owners: dict[str, str] = {}
        for kind in ("inclusion", "exclusion"):
            for id, table in self._tables(data, kind):
                where, excludes = f"{kind}.{id}", kind == "exclusion"
                self._only(where, table, ("label", "definition", *(("reasons", "duplicate") if excludes else ())))
                label, definition = (self._text(where, table, key) for key in ("label", "definition"))
                reasons = self._words(where, table, "reasons")
                for reason in reasons:
                    if self._known(where, reason, words, "reasons") and owners.setdefault(reason, id) != id:
                        self._problem(where, f"{quoted(reason)} belongs to {quoted(owners[reason])} already", "reasons")
                if id in criteria:
                    self._problem(where, f"{quoted(id)} is a criterion of inclusion already")
                duplicate = self._flag(where, table, "duplicate", False)
                criteria[id] = Criterion(id, label, definition, excludes, reasons, duplicate)
        return criteria

    def _decision(
        self, where: str, table: dict[str, Any], criteria: Mapping[str, Criterion], records: Collection[str]
    ) -> Decision | None:
        before = len(self.problems)
        self._only(where, table, ("record", "date", "excluded", "eligible", "why"))
        record, why = self._text(where, table, "record"), self._text(where, table, "why")
        if record and record not in records:
            self._problem(where, f"there is no excluded record {quoted(record)} {expected(record, records)}", "record")
        day = table.get("date")
        if type(day) is not date:
            self._problem(where, f"found {quoted(str(day))}, expected a date like 2026-11-23", "date")
        named = [(key, self._text(where, table, key)) for key in ("excluded", "eligible") if key in table]
        if len(named) != 1:
            self._problem(where, f"names {len(named)} criteria (expected either excluded or eligible)")
        for key, id in named:
            self._known(where, id, [c.id for c in criteria.values() if c.excludes is (key == "excluded")], key)
        if len(self.problems) > before or type(day) is not date:
            return None
        return Decision(record, day, named[0][1], why, self.lines.get(where, 1))

    def _marked(self, data: dict[str, Any], name: str, key: str, axes: Mapping[str, Axis]) -> Marked:
        table = self._table(name, data.get(name, {}), ("axis", key))
        if not table or not self._known(name, str(table.get("axis")), axes, "axis"):
            return Marked()
        axis = axes[table["axis"]]
        return Marked(
            axis.id, frozenset(w for w in self._words(name, table, key) if self._known(name, w, axis.words, key))
        )
