"""The site wing: pages and charts computed from the pool.

``build(Facts(pool))`` returns every computed file as ``{path: content}`` and is independent of any site
generator; ``survey.site.publishing.plugin`` passes the files to MkDocs, ``survey pages`` writes them to a folder.
Notebooks draw with ``survey.site.charts.plots``.

Rooms, each importing only those before it: ``cache``, ``drafts`` (what a family of pages may read), ``html``
(addresses and templates that need no pool), ``markup`` (links, text), ``theme`` (scripts, styles, typefaces),
``charts``, ``prose`` (live figures in chapters), ``notebooks``, ``facts`` (what several families of pages need),
``pages`` (one room per family), ``families`` (the table of contents), ``build``, ``publishing``.
"""

from importlib import import_module
from typing import Any

FACE = {
    "Cache": "survey.site.cache",
    "Facts": "survey.site.facts",
    "InvalidSurvey": "survey.literature",
    "build": "survey.site.build",
    "Build": "survey.site.build",
    "Later": "survey.site.build",
    "mark": "survey.site.build",
    "ComputedFile": "survey.site.publishing.incremental.computed_file",
    "LastBuild": "survey.site.publishing.incremental.last_build",
    "SiteFiles": "survey.site.publishing.incremental.last_build",
    "Pages": "survey.site.publishing.incremental.pages",
    "broken_links": "survey.site.publishing.broken_links",
    "links_outside": "survey.site.publishing.configuration",
    "executed": "survey.site.notebooks.execution",
    "BackgroundRuns": "survey.site.notebooks.background",
    "slimmed": "survey.site.notebooks.rendering",
}
"""The public names of this wing and their modules, imported on first use: a notebook needs only the charts."""

__all__ = list(FACE)


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(FACE[name])
    return module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
