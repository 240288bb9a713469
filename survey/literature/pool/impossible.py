"""Entries in cells that the taxonomy declares impossible."""

from __future__ import annotations

from collections.abc import Iterable

from survey.literature.pool.cells import counted
from survey.literature.pool.entries import Entry
from survey.literature.problems import Problem, quoted
from survey.literature.taxonomy import Taxonomy


def check_impossible_cells(entries: Iterable[Entry], taxonomy: Taxonomy) -> list[Problem]:
    """Return a problem for every entry that is counted in a cell which the taxonomy declares impossible."""
    problems = []
    for entry in entries:
        for impossible in taxonomy.impossible:
            here = {
                axis: next((cell for cell in counted(entry, taxonomy[axis]) if cell in cells), "")
                for axis, cells in impossible.cells.items()
            }
            if all(here.values()):
                *others, last = here
                beside = " and ".join(f"{axis} = {quoted(here[axis])}" for axis in others)
                message = f"{quoted(here[last])} cannot stand beside {beside}: {impossible.why} (change one of them)"
                field = taxonomy.field_of(last)
                line = entry.block.fields[field].line if field in entry.block.fields else entry.block.line
                problems.append(Problem(entry.path, line, message, entry.key, field))
    return problems
