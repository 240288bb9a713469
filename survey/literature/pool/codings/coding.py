"""Codings: one reader's tags, stored beside the pool so that readings can be compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from survey.literature.pool.codings.rows import Judgement, read_judgements
from survey.literature.pool.tags import Tag, derived_tags
from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import Axis, Shape, Taxonomy, read_toml

READERS = "readers.toml"

ADJUDICATIONS = "adjudications.csv"
"""The file of adjudications, which lies beside the codings and is none."""

TRIALS = "trials"
"""The folder of trials: codings by rules that were tried on a few entries before the codebook was settled."""


@dataclass(frozen=True)
class Coding:
    """All judgements of one reader, and a statement about the reader that is shown wherever the coding is used."""

    id: str
    reader: str
    made: date
    statement: str
    judgements: tuple[Judgement, ...]
    codebook: str = ""
    """The day of the codebook by which it was made; codings by different codebooks are not compared."""
    taken_over: bool = False
    """Whether the pool took its first tags over from this coding: then the pool is no reading beside it."""

    def of(self, key: str) -> Mapping[str, Judgement]:
        """Return the judgements on one entry, by axis."""
        return self._by_key.get(key, {})

    def on(self, axis: str) -> Mapping[str, Judgement]:
        """Return the judgements on one axis, by the key of the entry."""
        return self._by_axis.get(axis, {})

    @property
    def axes(self) -> Set[str]:
        """The axes on which any entry was judged."""
        return self._by_axis.keys()

    @cached_property
    def _by_key(self) -> dict[str, dict[str, Judgement]]:
        found: dict[str, dict[str, Judgement]] = {}
        for judgement in self.judgements:
            found.setdefault(judgement.key, {})[judgement.axis] = judgement
        return found

    @cached_property
    def _by_axis(self) -> dict[str, dict[str, Judgement]]:
        found: dict[str, dict[str, Judgement]] = {}
        for judgement in self.judgements:
            found.setdefault(judgement.axis, {})[judgement.key] = judgement
        return found

    def with_keys(self, keys: Mapping[str, str]) -> Coding:
        """Return the coding with other keys in place of some."""
        return replace(self, judgements=tuple(replace(j, key=keys.get(j.key, j.key)) for j in self.judgements))


def compared_values(tags: tuple[Tag, ...], axis: Axis) -> tuple[str, ...]:
    """Return the part of a reader's tags that is compared: the first value, or on a set all of them."""
    written = tuple(tag.word if tag.absent else str(tag) for tag in tags)
    return tuple(sorted(written)) if axis.shape in (Shape.SET, Shape.QUANTITY) else written[:1]


def read_codings(folder: Path, taxonomy: Taxonomy, keys: Collection[str]) -> tuple[dict[str, Coding], list[Problem]]:
    """Return the codings of a folder, by file name without extension; none if there is no folder."""
    if not os.path.lexists(folder):
        return {}, []
    try:
        files = sorted(p for p in folder.iterdir() if p.suffix == ".csv" and p.name != ADJUDICATIONS)
    except OSError as error:
        return {}, [Problem(str(folder), 1, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    if not files:
        return {}, []
    readers, problems = read_readers(folder / READERS)
    for id in readers.keys() - {path.stem for path in files}:
        problems.append(Problem(str(folder / READERS), 1, f"there is no file {id}.csv", id))
    codings = {}
    for path in files:
        judgements, found = read_judgements(path, taxonomy, keys)
        problems += found
        reader = readers.get(path.stem)
        if reader is None:
            message = f"does not describe {path.name} (expected a table [{path.stem}] with reader, made, statement)"
            problems.append(Problem(str(folder / READERS), 1, message))
        else:
            judgements = (*judgements, *_derived(judgements, taxonomy))
            codings[path.stem] = replace(reader, judgements=judgements)
    return codings, problems


def read_trials(
    folder: Path, taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[dict[str, dict[str, Coding]], list[Problem]]:
    """Return the trials of rules in the folder of the codings, by name: each a folder of codings by the same rules."""
    trials: dict[str, dict[str, Coding]] = {}
    problems: list[Problem] = []
    for path in sorted((folder / TRIALS).glob("*/")):
        trials[path.name], found = read_codings(path, taxonomy, keys)
        problems += found
    return trials, problems


def _derived(judgements: Iterable[Judgement], taxonomy: Taxonomy) -> Iterator[Judgement]:
    """Yield the judgements that follow from a reader's on the parts of an axis, where the reader judged all of them."""
    by_key: dict[str, dict[str, Judgement]] = {}
    for judgement in judgements:
        by_key.setdefault(judgement.key, {})[judgement.axis] = judgement
    followed: dict[tuple[str, tuple[tuple[Tag, ...], ...]], tuple[Tag, ...]] = {}
    axes = [(axis, axis.parts) for axis in taxonomy.on("entry") if axis.steps]
    for key, judged in by_key.items():
        for axis, parts in axes:
            if axis.id in judged or not judged.keys() >= {*parts}:
                continue
            given = axis.id, tuple(judged[part].tags for part in parts)
            if given not in followed:  # the same few tags occur together hundreds of times
                followed[given] = derived_tags(axis, dict(zip(parts, given[1], strict=True)))
            if tags := followed[given]:
                yield Judgement(key, axis.id, tags, judged[parts[0]].notes)


def read_readers(path: Path) -> tuple[dict[str, Coding], list[Problem]]:
    """Return each coding without its judgements, by file name, and the problems of the file."""
    try:
        tables, _ = read_toml(path, str(path))
    except InvalidSurvey as error:
        return {}, list(error.problems)
    readers, problems = {}, []
    for id, table in tables.items():
        values = table if isinstance(table, dict) else {}
        reader, made, statement = (values.get(key) for key in ("reader", "made", "statement"))
        taken_over, codebook = values.get("taken-over", False), values.get("codebook", "")
        if type(taken_over) is not bool:
            message = f"taken-over: found {quoted(str(taken_over))}, expected true or false"
            problems.append(Problem(str(path), 1, message, id))
        elif codebook and type(codebook) is not date:
            message = f"codebook: found {quoted(str(codebook))}, expected a date, as in 2026-11-23"
            problems.append(Problem(str(path), 1, message, id))
        elif type(made) is date and _is_text(reader) and _is_text(statement):
            readers[id] = Coding(id, str(reader), made, str(statement), (), str(codebook), taken_over)
        else:
            message = "needs a reader (text), made (a date) and a statement (text)"
            problems.append(Problem(str(path), 1, message, id))
    return readers, problems


def _is_text(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())
