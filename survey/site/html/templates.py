"""The Jinja environment of the site, without any of its filters and functions."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def plain() -> Environment:
    """Return an environment for the templates of the site: autoescape is on, and unknown names are errors."""
    return Environment(
        loader=PackageLoader("survey.site", "."),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a server loads this module anew when a template changes
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _environment() -> Environment:
    return plain()


def render(template: str, **values: Any) -> str:
    """Render a template that uses no filter or function of the site."""
    return _environment().get_template(template).render(**values)
