"""Packages that only an extra installs: imported when first used, and named with their extra where they are missing.

``pip install orchestration-survey`` brings what reading a pool and a trace takes. A module that computes with
more imports it lazily, so that the module itself can be imported without the package, and fast::

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy("numpy")
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

PROJECT = "orchestration-survey"

SITE = "building the site"
SCOUT = "ranking candidates"
CLUSTER = "the engine dask"

EXTRAS: Mapping[str, tuple[str, str]] = {
    "numpy": ("analysis", "computing with arrays"),
    "pandas": ("analysis", "making a data frame"),
    "pyarrow": ("analysis", "writing Parquet"),
    "cryptography": ("cluster", CLUSTER),
    "dask": ("cluster", CLUSTER),
    "distributed": ("cluster", CLUSTER),
    "fsspec": ("cluster", "reading remote files"),
    "requests": ("scout", "asking services"),
    "scipy": ("scout", SCOUT),
    "sklearn": ("scout", SCOUT),
    "urllib3": ("scout", "asking services"),
    "torch": ("torch", "training transformers"),
    "altair": ("site", SITE),
    "babel": ("site", SITE),
    "bs4": ("site", SITE),
    "fontTools": ("site", SITE),
    "latex2mathml": ("site", SITE),
    "mkdocs": ("site", SITE),
    "nbclient": ("site", SITE),
    "nbformat": ("site", SITE),
    "packaging": ("site", SITE),
    "uharfbuzz": ("site", SITE),
    "vl_convert": ("site", SITE),
    "yaml": ("site", SITE),
}
"""For each package that we import and that the base installation lacks: its extra, and what it is needed for."""


def missing(error: ModuleNotFoundError) -> str | None:
    """What to install for an import that failed; None if no extra brings the package.

    >>> missing(ModuleNotFoundError("No module named 'numpy'", name="numpy"))
    "computing with arrays needs numpy (pip install 'orchestration-survey[analysis]')"
    """
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    extra, purpose = EXTRAS[package]
    return f"{purpose} needs {package} (pip install '{PROJECT}[{extra}]')"


def needed(package: str) -> ModuleType:
    """The package, imported now.

    Raises:
        ModuleNotFoundError: if it is not installed, with the extra that brings it.

    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(error) or str(error), name=error.name) from None


def lazy(package: str) -> Any:
    """A stand-in for a package, which imports it when one of its names is first used."""
    return _Lazy(package)


class _Lazy(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # inspection asks everything for it, and must not need the package
            raise AttributeError(name)
        module = needed(self.__name__)
        self.__dict__.update(vars(module))  # from here on its names are found without this function
        return getattr(module, name)
