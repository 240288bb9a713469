"""Tables of a survey's own, ``tables/NAME.csv``: rows of text from which hand-written pages take figures."""

from __future__ import annotations

import csv
from pathlib import Path

from survey.literature.pool import Rows, csv_rows
from survey.literature.problems import Problem


def read_tables(folder: Path) -> tuple[dict[str, Rows], list[Problem]]:
    """Return every table of a folder by its name, and all their problems; none if there is no folder."""
    tables: dict[str, Rows] = {}
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.csv")):
        tables[path.stem], found = read_table(path)
        problems += found
    return tables, problems


def read_table(path: Path) -> tuple[Rows, list[Problem]]:
    """Return the rows of a table and its problems; the first line names the columns, whichever they are."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        columns = next(csv.reader(file), [])
    rows, problems = csv_rows(path, columns)
    return tuple(row for _, row in rows), problems
