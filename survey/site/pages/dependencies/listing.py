"""The packages of the lock file as ``dependencies.csv`` has them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Dependency:
    """A package of the lock file."""

    name: str
    version: str
    needed: str
    """``site`` if the site cannot be built without it, ``cluster`` if only that extra asks for it, else ``tests``."""
    licence: str
    home: str
    purpose: str = ""
    """What the survey itself uses it for, in our words; empty for what other packages need."""


def listed() -> list[Dependency]:
    """Each package, in the order of the file."""
    text = files("survey.site.pages.dependencies").joinpath("dependencies.csv").read_text("utf-8")
    return [Dependency(**row) for row in csv.DictReader(io.StringIO(text))]
