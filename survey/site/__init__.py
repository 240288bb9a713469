"""The site wing: pages and charts computed from the pool.

``build(Facts(pool))`` gives every computed file as ``{path: content}`` and knows no site
generator; ``survey.site.publishing.plugin`` hands them to MkDocs, ``survey pages`` to a folder.
A notebook draws with ``survey.site.charts.plots``.

Rooms, each knowing only those before it: ``markup`` (links, text, templates), ``charts``, ``prose`` (live
figures in chapters), ``notebooks``, ``facts`` (what several families of pages need), ``pages`` (one room per
family), ``theme`` (scripts and styles), ``build``, ``publishing``.
"""

from importlib import import_module
from typing import Any

FACE = {
    "Cache": "survey.site.cache",
    "Facts": "survey.site.facts",
    "InvalidSurvey": "survey.literature",
    "build": "survey.site.build",
    "cached_build": "survey.site.build",
    "dataset": "survey.site.pages.data_files.dataset",
    "edit_places": "survey.site.pages.entries.builder",
    "load": "survey.literature",
    "executed": "survey.site.notebooks.execution",
    "filled": "survey.site.notebooks.rendering",
    "light": "survey.site.notebooks.rendering",
    "render_prose": "survey.site.prose.prose",
}
"""What this wing gives, and where it is. Loaded when asked for: a notebook needs the drawing alone."""

__all__ = list(FACE)


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(FACE[name])
    return module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
