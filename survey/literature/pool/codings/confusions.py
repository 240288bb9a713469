"""Comments on the confusions of two readers, from ``confusions.toml``: what may lie behind a disagreement."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from survey.literature.problems import InvalidSurvey, Problem
from survey.literature.taxonomy import Tables, Taxonomy

CONFUSIONS = "confusions.toml"


class Confusion(NamedTuple):
    """Two readings of an axis that differ: the first reader's value, and the second's."""

    first: str
    second: str
    axis: str
    one: str
    other: str


def read_confusions(
    folder: Path, taxonomy: Taxonomy, codings: Collection[str]
) -> tuple[dict[Confusion, str], list[Problem]]:
    """Return the comments in the folder of the codings, and all problems; none if there is no such file."""
    path = folder / CONFUSIONS
    if not os.path.lexists(path):
        return {}, []
    reader = _Reader(path, str(path))
    try:
        return reader.read(taxonomy, codings), reader.problems
    except InvalidSurvey as error:
        return {}, list(error.problems)


class _Reader(Tables):
    """Converts the tables of ``confusions.toml``."""

    def read(self, taxonomy: Taxonomy, codings: Collection[str]) -> dict[Confusion, str]:
        data = self.parsed()
        self._only("", data, ("comment",))
        axes = {axis.id: axis for axis in taxonomy.on("entry")}
        comments: dict[Confusion, str] = {}
        for where, table in self._array(data, "comment"):
            self._only(where, table, ("readings", "axis", "values", "says"))
            axis, says = (self._text(where, table, key) for key in ("axis", "says"))
            readings, values = self._two(where, table, "readings"), self._two(where, table, "values")
            if not (readings and values and axis and self._known(where, axis, axes, "axis")):
                continue
            known = [self._known(where, id, codings, "readings") for id in readings]
            words = [part.partition(":")[0].strip() for value in values for part in value.split(";")]
            known += [self._known(where, word, axes[axis].words, "values") for word in words]
            place = Confusion(readings[0], readings[1], axis, values[0], values[1])
            if place in comments:
                self._problem(where, "an earlier comment is on the same confusion", "values")
            if all(known):
                comments[place] = says
        return comments

    def _two(self, where: str, table: dict[str, Any], key: str) -> tuple[str, ...]:
        """Return the two words of a list; none, with a problem, if there are not two."""
        words = self._words(where, table, key)
        if len(words) == 2:
            return words
        self._problem(where, f"found {len(words)}, expected two: the first reader's and the second's", key)
        return ()
