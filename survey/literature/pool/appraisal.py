"""Study-level appraisal, from ``appraisal.toml``: a few questions asked of every work with experiments.

``[of]`` says which entries are asked, ``[item.ID]`` what, and ``[work.KEY]`` has the answers that were found, each with
its evidence. A work, or an item, without an answer was not assessed: nothing follows from that.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from survey.literature.bibtex import check_field
from survey.literature.pool.entries import Entry
from survey.literature.problems import InvalidSurvey, Problem, expected, quoted
from survey.literature.taxonomy import Tables, Taxonomy


class Answer(StrEnum):
    """What a source says to a question; ``not-said`` if it was read in full and does not say."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    NOT_SAID = "not-said"


@dataclass(frozen=True, slots=True)
class Item:
    """A question."""

    id: str
    label: str
    question: str


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer with its evidence: what the source says, and where."""

    answer: Answer
    evidence: str
    source: str


@dataclass(frozen=True)
class Appraisal:
    """Questions by id, the keys of the entries that are asked, and the findings by key and item."""

    items: Mapping[str, Item] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    works: Mapping[str, Mapping[str, Finding]] = field(default_factory=dict)
    reader: str = ""
    """Who found the answers."""

    concerns: str = ""
    """Of which works the questions are asked, in words."""

    def __bool__(self) -> bool:
        return bool(self.items)

    def within(self, keys: Iterable[str]) -> Appraisal:
        """Return the appraisal of some entries alone, such as those of an edition."""
        kept = frozenset(keys)
        works = {key: found for key, found in self.works.items() if key in kept}
        return Appraisal(self.items, tuple(key for key in self.asked if key in kept), works, self.reader, self.concerns)

    def answer(self, key: str, item: str) -> Answer | None:
        """Return the answer of a work; None if it was not assessed."""
        found = self.works.get(key, {}).get(item)
        return found.answer if found else None

    def assessed(self, item: str, keys: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the works with an answer to an item, of some works or of all."""
        return tuple(key for key in (self.works if keys is None else keys) if self.answer(key, item))

    def matching(self, wanted: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Return the works with all of these answers (pairs of item and answer).

        Raises:
            ValueError: if there is no such item or answer.

        """
        found = frozenset(self.works)
        for item, answer in wanted:
            if item not in self.items:
                raise ValueError(f"there is no item {quoted(item)} of the appraisal {expected(item, self.items)}")
            if answer not in [*Answer]:
                raise ValueError(f"{quoted(answer)} is not an answer {expected(answer, [*Answer])}")
            found &= {key for key in found if self.answer(key, item) == answer}
        return found


def read_appraisal(
    path: Path, taxonomy: Taxonomy, entries: Collection[Entry], shown: str = ""
) -> tuple[Appraisal, list[Problem]]:
    """Return the appraisal of a file and all its problems; an empty one if there is no file."""
    if not os.path.lexists(path):
        return Appraisal(), []
    reader = _Reader(path, shown or str(path))
    try:
        appraisal = reader.read(taxonomy, entries)
    except InvalidSurvey as error:
        return Appraisal(), list(error.problems)
    return appraisal, reader.problems


class _Reader(Tables):
    """Converts the tables of ``appraisal.toml``."""

    def read(self, taxonomy: Taxonomy, entries: Collection[Entry]) -> Appraisal:
        data = self.parsed()
        self._only("", data, ("reader", "concerns", "of", "item", "work"))
        asked = (
            [entry.key for entry in entries if self._asks(data, taxonomy, entry)] if self._of(data, taxonomy) else []
        )
        items = {}
        for id, table in self._tables(data, "item"):
            where = f"item.{id}"
            self._only(where, table, ("label", "question"))
            items[id] = Item(id, self._text(where, table, "label"), self._text(where, table, "question"))
        if not items:
            self._problem("", "asks no question (expected tables like [item.ID])")
        works = {key: self._findings(key, table, items, entries, asked) for key, table in self._works(data)}
        said = {key: self._text("", data, key, obligatory=False) for key in ("reader", "concerns")}
        return Appraisal(items, tuple(asked), works, **said)

    def _of(self, data: dict[str, Any], taxonomy: Taxonomy) -> bool:
        """Return whether the filter of the entries that are asked is valid."""
        before = len(self.problems)
        axes = {axis.id: axis for axis in taxonomy.on("entry")}
        for axis in (table := self._table("of", data.get("of", {}), None)):
            if self._known("of", axis, axes):
                for word in self._words("of", table, axis):
                    self._known("of", word, axes[axis].words, axis)
        return len(self.problems) == before

    def _asks(self, data: dict[str, Any], taxonomy: Taxonomy, entry: Entry) -> bool:
        return all(set(words) & set(entry.words(axis)) for axis, words in data.get("of", {}).items())

    def _works(self, data: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
        for key, table in self._table("work", data.get("work", {}), None).items():
            if isinstance(table, dict):
                yield key, table
            else:
                self._problem(f"work.{key}", f"found {quoted(str(table))}, expected a table")

    def _findings(
        self, key: str, table: dict[str, Any], items: Mapping[str, Item], entries: Collection[Entry], asked: list[str]
    ) -> Mapping[str, Finding]:
        where, keys = f"work.{key}", [entry.key for entry in entries]
        if key not in keys:
            self._problem(where, f"there is no entry {quoted(key)} {expected(key, keys)}")
        elif key not in asked:
            self._problem(where, "this entry is not asked (see [of])")
        found = {}
        for id, given in table.items():
            place = f"{where}.{id}"
            if not self._known(where, id, items):
                continue
            if row := self._table(place, given, ("answer", "evidence", "source")):
                answer = self._text(place, row, "answer")
                evidence, source = (self._text(place, row, name) for name in ("evidence", "source"))
                for message in check_field("url", source) if source else ():
                    self._problem(place, message, "source")
                if answer and self._known(place, answer, [*Answer], "answer"):
                    found[id] = Finding(Answer(answer), evidence, source)
        return found
