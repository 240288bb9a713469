"""How every chart of the site is drawn: the picture, its colours, and the figure around it.

The picture is SVG in the page, so that it is there at once, prints, and needs no
script. It is drawn in stand-in colours that become CSS variables: one picture serves
the light and the dark palette. Nothing here knows the pool.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

import altair as alt
import vl_convert

from survey.site.cache import Cache
from survey.site.markup.links import url
from survey.site.markup.templates import render

VEGA_LITE = "6.4"

RENDERER = f"vl-convert {version('vl-convert-python')}, Vega-Lite {VEGA_LITE}"
"""What a picture depends on, besides its specification."""

RENDERERS_BASE = "https://vega.github.io/vega-datasets/"
"""What the renderer puts before relative links; a test holds that no other host remains in a picture."""

ROOT = "../"
"""Links in a chart begin here: specifications lie in a folder of their own below the home page."""

RUNTIME = "assets/vega.js"
"""Where the runtime of interactive charts lies; no page loads it before a reader turns to a chart."""

COLOURS = {
    "#010101": "var(--ink)",
    "#020202": "var(--muted)",
    "#030303": "var(--rule)",
    "#040404": "var(--paper)",
    "#050505": "var(--hue)",
    "#060606": "var(--hue-credit)",
    "#070707": "var(--hue-reward)",
    "#080808": "var(--hue-decision)",
    "#090909": "var(--hue-topology)",
    "#0a0a0a": "var(--hue-algorithm)",
    "#0b0b0b": "var(--hue-scenario)",
}
"""Stand-in colours of the specification, and what each becomes in the page."""

INK, MUTED, RULE, PAPER, HUE, *SERIES = COLOURS
"""What the stand-ins are for; ``SERIES`` tell lines or groups in one chart apart, in this order."""

FONT = "system-ui, sans-serif"

THEME: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "padding": {"left": 28, "right": 12, "top": 4, "bottom": 4},  # browsers set text wider than the renderer
    "axis": {
        "labelColor": INK, "labelFontSize": 12, "labelLimit": 260, "titleColor": MUTED, "titleFontSize": 12,
        "titleFontWeight": "normal", "domain": False, "ticks": False, "grid": False,
    },
    "legend": {
        "labelColor": INK, "labelFontSize": 12, "labelLimit": 320, "titleColor": MUTED, "titleFontSize": 12,
        "titleFontWeight": "normal", "orient": "top", "symbolStrokeWidth": 3, "columnPadding": 24,
    },
    "title": {"color": INK, "fontSize": 12},
    "header": {"labelColor": INK, "labelFontSize": 12, "titleColor": MUTED, "titleFontSize": 12},
    "range": {"category": SERIES},
    "text": {"color": INK, "fontSize": 12},
}  # fmt: skip
"""One look for every chart; hues come from the axis that is shown."""


@dataclass(frozen=True)
class Chart:
    """A picture with everything that goes with it."""

    id: str
    title: str
    sentence: str
    source: str
    spec: dict[str, Any]
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    hue: str = ""
    paired: bool = False
    lines: bool = True
    """Whether a phone gets the numbers line by line in place of the picture."""

    @property
    def file(self) -> tuple[str, str]:
        """The specification as a file of the site, which a shared figure asks for; links as seen from its folder."""
        return spec_path(self.id), json.dumps(self.spec, ensure_ascii=False, sort_keys=True)

    def filled(self, row: tuple[tuple[str, str], ...]) -> list[tuple[str, str, str]]:
        """The cells of a row that hold entries: column, number, link."""
        return [(self.head[n], text, link) for n, (text, link) in enumerate(row) if n and text != "0"]


def spec_path(id: str) -> str:
    """Where the specification of a chart lies, for the script that makes it interactive."""
    return f"charts/{id}.json"


DRAWERS = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="drawing")
"""The renderer holds no lock of Python's while it draws; only while it wakes up, for some seconds."""

SNIPPET = "window.surveyChart = vegaEmbed;"
"""What the script does for the pages, besides bringing the renderer along."""


@cache
def _bundled() -> Future[str]:
    return DRAWERS.submit(vl_convert.javascript_bundle, SNIPPET, vl_version=VEGA_LITE)


@lru_cache(maxsize=512)
def _drawn(spec: str) -> Future[str]:
    return DRAWERS.submit(vl_convert.vegalite_to_svg, json.loads(spec), vl_version=VEGA_LITE)


def _text(spec: dict[str, Any]) -> str:
    return json.dumps(spec, sort_keys=True)


class Pictures:
    """Draws charts, or takes from a cache what was drawn before."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache or Cache()

    def begin(self, charts: Iterable[Chart]) -> None:
        """Begin to draw charts, and to put the runtime together, while others go on with something else."""
        if not self.cache.has((RENDERER, SNIPPET)):
            _bundled()
        for spec in (_text(chart.spec) for chart in charts):
            if not self.cache.has((RENDERER, spec)):
                _drawn(spec)

    def figure(self, chart: Chart, page: str, shared: bool = True) -> str:
        """A chart as a figure in a page; ``shared`` if its specification is a file of the site."""
        spec, runtime = (url(page, spec_path(chart.id)), url(page, RUNTIME)) if shared else ("", "")
        home = url(page, "index.md")
        picture = self.svg(chart.spec).replace(f'xlink:href="{ROOT}', f'xlink:href="{home}')
        return render(
            "charts/chart.html.j2", chart=chart, svg=picture, spec=spec, runtime=runtime, home=home, root=ROOT
        )

    def svg(self, spec: dict[str, Any]) -> str:
        """The picture: the same specification always gives the same bytes."""
        said = _text(spec)
        return _in_palette(self.cache.get((RENDERER, said), lambda: _drawn(said).result()))

    def runtime(self) -> str:
        """The script that draws interactive charts, from the installed packages: one file, loaded on demand."""
        return self.cache.get((RENDERER, SNIPPET), lambda: _bundled().result())


def _in_palette(picture: str) -> str:
    """A picture whose colours are those of the page, with nothing in it that the page says or does itself."""
    for stand_in, variable in COLOURS.items():
        picture = picture.replace(f'"{stand_in}"', f'"{variable}"')
    picture = re.sub(r' aria-[a-z]+="[^"]*"| role="[^"]*"', "", picture)  # said once, by the figure around it
    # Material's instant navigation would try to set href on links in a drawing: xlink:href it leaves alone
    picture = picture.replace(RENDERERS_BASE, "")
    picture = picture.replace("xlink:href=", 'tabindex="-1" xlink:href=').replace(' target="_blank"', "")
    return re.sub(
        r'(<svg [^>]*?) width="(\d+)(?:\.\d+)?" height="(\d+)(?:\.\d+)?"', r'\1 width="\2" height="\3"', picture
    )


def finished(drawn: alt.LayerChart, data: list[dict[Any, Any]], width: int, height: int) -> dict[str, Any]:
    """The specification of a chart with size, theme and data."""
    return filled(look(drawn), data, width, height)


def look(drawn: alt.LayerChart) -> dict[str, Any]:
    """A chart with the theme and without data; a test validates every one, validating here takes seconds."""
    spec: dict[str, Any] = drawn.configure(**THEME).to_dict(validate=False)
    for layer in spec["layer"]:
        layer.pop("data", None)  # one copy of the data above all layers, not one in each
    return spec


def filled(look: dict[str, Any], data: list[dict[Any, Any]], width: int, height: int, **said: Any) -> dict[str, Any]:
    """The specification of one of many charts that look alike.

    Where the look says ``"$name"`` stands what is said under the name; a list ``["$name"]`` is a list that is said.
    """
    if said:
        look = _said(look, {f"${name}": value for name, value in said.items()})
    return look | {"width": width, "height": height, "data": {"values": data}}


def _said(part: Any, words: dict[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _said(inner, words) for key, inner in part.items()}
    if isinstance(part, list):
        whole = isinstance(words.get(part[0]), list) if len(part) == 1 and isinstance(part[0], str) else False
        return words[part[0]] if whole else [_said(item, words) for item in part]
    return words.get(part, part) if isinstance(part, str) else part
