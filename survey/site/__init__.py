"""The site wing: pages and charts computed from the pool.

``build(pool)`` gives every computed file as ``{path: content}`` and knows no site
generator; ``survey.site.plugin`` hands them to MkDocs, ``survey pages`` to a folder.
A notebook draws with ``survey.site.plots``.
"""

from importlib import import_module
from typing import Any

FACE = {
    "InvalidSurvey": "survey.literature",
    "dataset": "survey.site.pages",
    "draw": "survey.site.pages",
    "edit_places": "survey.site.pages",
    "kept": "survey.site.kept",
    "kept_build": "survey.site.pages",
    "load": "survey.literature",
    "notebooks": "survey.site.notebooks",
    "render_prose": "survey.site.prose",
}
"""What this wing gives, and where it is. Loaded when asked for: a notebook needs the drawing alone."""

__all__ = list(FACE)


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(FACE[name])
    return module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
