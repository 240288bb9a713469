"""The packages of the lock file, as listed in ``dependencies.csv``."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files

GROUPS = {
    "base": "To read a pool and a trace",
    "analysis": "To compute with arrays and data frames",
    "site": "To build the site",
    "scout": "To look for new works",
    "cluster": "To score traces on other machines",
    "tests": "To test, check and package it",
}
"""The heading of each group of packages on the page. The first three each include those before."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """A package of the lock file."""

    name: str
    version: str
    needed: str
    """The first of ``GROUPS`` that needs it."""
    licence: str
    home: str
    purpose: str = ""
    """What the survey itself uses it for; empty for what only other packages need."""


def listed() -> list[Dependency]:
    """Return every package, in the order of the file."""
    text = files("survey.site.pages.dependencies").joinpath("dependencies.csv").read_text("utf-8")
    return [Dependency(**row) for row in csv.DictReader(io.StringIO(text))]
