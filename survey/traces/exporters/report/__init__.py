"""The report of a run: one HTML file to read, print and share.

The file loads nothing from any host and works without JavaScript. The template engine is imported only when a
report is rendered.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from survey.traces.exporters.report.contents import contents
from survey.traces.exporters.report.formatting import Clock, duration, number, plural, share, short, visible
from survey.traces.metrics.prices import Prices
from survey.traces.model import Trace

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["html"]


def html(trace: Trace, prices: Prices | None = None) -> str:
    """Return the report of a run, with the public prices of models or those given.

    The same trace yields the same bytes. A measure that the trace does not allow is shown with the reason in place of
    a figure.
    """
    return _template().render(**contents(trace, prices))


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else visible(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "share": share, "duration": duration, "short": short, "plural": plural}
    style, script = (files(__name__).joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    seal = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {"style": Markup(style), "script": Markup(script), "seal": seal, "Clock": Clock}
    return environment.get_template("template.html.j2")
