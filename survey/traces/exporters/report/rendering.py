"""Reports as one HTML file each, which loads nothing. The template engine is imported when a report is rendered."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from survey.traces.exporters.report.formatting import Clock, duration, money, number, plural, share, short, visible

if TYPE_CHECKING:
    from jinja2 import Template

HERE = __name__.rpartition(".")[0]


@cache
def template(styles: tuple[str, ...], scripts: tuple[str, ...], name: str) -> Template:
    """Return a template of this package, with the styles and scripts that its page holds.

    The page's policy lets these scripts run and no other.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader(HERE, "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else visible(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number, "share": share, "duration": duration, "money": money, "short": short, "plural": plural,
    }  # fmt: skip
    style, script = "".join(map(_text, styles)), program(scripts)
    seal = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {"style": Markup(style), "script": Markup(script), "seal": seal, "Clock": Clock}
    return environment.get_template(name)


def program(scripts: tuple[str, ...]) -> str:
    """Return scripts of this package as one, in a block, since a window may show one report after another."""
    return f"{{\n{''.join(map(_text, scripts))}}}\n"


def _text(name: str) -> str:
    """Return a style or a script without its indentation and comments, as every report holds it."""
    lines = map(str.strip, files(HERE).joinpath(name).read_text("utf-8").splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(("//", "/* --")))
