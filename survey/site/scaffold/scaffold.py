"""A new survey as a set of files, from a title and, if there is one, a converted BibTeX file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, PackageLoader, StrictUndefined

from survey.literature.loading.conversion import Conversion, Grouping
from survey.site.markup.text import inert

START = Grouping(
    "kind",
    "Kind of work",
    "What kind of work the entry is.",
    several=False,
    labels={"study": "study", "review": "review", "software": "software"},
    tags={},
    left=0,
)
"""The first axis where there is no file to make one from."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a new survey."""

    title: str
    creator: str = ""
    licence: str = ""
    source: str = ""
    """The name of the file that it was made from."""

    version: str = ""
    """The version of this package, which builds it."""


def new_survey(survey: Survey, conversion: Conversion | None = None) -> dict[str, str]:
    """Return the files of a new survey, by their paths."""
    axis = conversion.axis if conversion else START
    values = {"survey": survey, "axis": axis, "conversion": conversion}
    env = environment()
    out = {
        path.removesuffix(".j2").replace("dot-", "."): env.get_template(path).render(values)
        for path in sorted(_paths(files("survey.site.scaffold") / "files"))
    }
    out["bib/pool.bib"] = conversion.pool if conversion else ""
    if conversion and conversion.aside:
        out["bib/set-aside.bib"] = conversion.set_aside
    return out


@cache
def environment() -> Environment:
    """Return the environment of the templates: Markdown is escaped, TOML and YAML quote texts as JSON does."""
    env = Environment(
        loader=PackageLoader("survey.site.scaffold", "files"),
        autoescape=lambda name: (name or "").endswith(".md.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters["inert"] = inert
    env.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    return env


def _paths(folder: Traversable, before: str = "") -> list[str]:
    found = []
    for item in folder.iterdir():
        found += _paths(item, f"{before}{item.name}/") if item.is_dir() else [f"{before}{item.name}"]
    return found
