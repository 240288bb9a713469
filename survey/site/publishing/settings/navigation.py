"""The navigation of a survey that gives none: its own pages, and those computed pages that a reader starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any, Final

HOME: Final = ("index.md", "README.md")

SECTIONS: Final = (
    (
        "Explore",
        ("explore", "axes"),
        (
            ("All entries", "explore/index.md"),
            ("Taxonomy", "axes/index.md"),
            ("Excluded records", "explore/excluded.md"),
            ("Glossary", "glossary.md"),
        ),
    ),
    (
        "Measure",
        ("measure", "claims", "gaps"),
        (
            ("Claims", "claims/index.md"),
            ("Gaps", "gaps/index.md"),
            ("Robustness", "measure/robustness.md"),
            ("Statistics", "measure/index.md"),
            ("Cross-tabulations", "measure/crosstabs.md"),
            ("Scale", "measure/scale.md"),
            ("Agreement between readings", "measure/agreement.md"),
            ("Changes between editions", "measure/changes.md"),
            ("Screening flow", "measure/screening.md"),
            ("Study-level appraisal", "measure/appraisal.md"),
        ),
    ),
    (
        "Traces",
        ("traces",),
        (
            ("Trace schema", "traces/schema.md"),
            ("Consistency checks", "traces/checks.md"),
            ("Measures", "traces/measures.md"),
            ("Supported log formats", "traces/formats.md"),
        ),
    ),
    ("Notebooks", ("notebooks",), ()),
    (
        "Contribute and cite",
        ("take-part",),
        (
            ("New entry form", "take-part/new-entry.md"),
            ("Related-work coverage", "take-part/related-work.md"),
            ("Dependencies", "take-part/dependencies.md"),
        ),
    ),
)
"""Each section, the folders of ``docs/`` whose pages it holds besides, and its computed pages."""


def navigation(own: Iterable[str], is_computed: Callable[[str], bool]) -> list[Any]:
    """Return the navigation as mkdocs.yml states it: Home, the hand-written pages, then a section for each family.

    ``own`` are the paths of hand-written pages and notebooks below ``docs/``. MkDocs takes their titles from them.
    """
    pages = sorted(own, key=lambda path: (path.count("/"), path))
    home = next((path for path in HOME if path in pages), None)
    out: list[Any] = [{"Home": home}] if home else []
    placed = {folder for _, folders, _ in SECTIONS for folder in folders}
    free: dict[str, list[str]] = {}
    for path in pages:
        folder = path.partition("/")[0] if "/" in path else ""
        if folder not in placed and path not in HOME:
            free.setdefault(folder, []).append(path)
    out += free.pop("", [])
    out += [{_title(folder): paths} for folder, paths in free.items()]
    for label, folders, computed in SECTIONS:
        items: list[Any] = [{name: path} for name, path in computed if is_computed(path)]
        items += [path for path in pages if "/" in path and path.partition("/")[0] in folders]
        if items:
            out.append({label: items})
    return out


def _title(folder: str) -> str:
    words = PurePosixPath(folder).name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]
