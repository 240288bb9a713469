"""Rendering of every chart of the site: the picture, its colours, and the figure around it.

The picture is inline SVG: it shows at once, prints, and needs no script. It is drawn in
placeholder colours that become CSS variables, so that one picture serves the light and the
dark palette. Nothing here depends on the pool.
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
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.site.cache import Cache
from survey.site.html.addresses import address, url
from survey.site.html.templates import render
from survey.site.theme.typefaces import SANS, for_charts, made_of

if TYPE_CHECKING:
    import altair as alt
    import vl_convert
else:
    alt = lazy("altair")
    vl_convert = lazy("vl_convert")

VEGA_LITE = "6.4"

RENDERER = "\n".join((f"vl-convert {version('vl-convert-python')}, Vega-Lite {VEGA_LITE}", *made_of()))
"""What a picture depends on, besides its specification: versions, and the typeface that measures its text."""

RENDERERS_BASE = "https://vega.github.io/vega-datasets/"
"""The base that the renderer prepends to relative links; a test verifies that no other host remains in a picture."""

ROOT = "../"
"""The prefix of links in a chart: specifications are in a folder below the home page."""

RUNTIME = "assets/vega.js"
"""The path of the runtime of interactive charts; a page loads it only when a reader requests a chart."""

COLOURS = {
    "#010101": "var(--ink)",
    "#020202": "var(--muted)",
    "#030303": "var(--rule)",
    "#040404": "var(--paper)",
    "#050505": "var(--hue)",
    "#060606": "var(--teal)",
    "#070707": "var(--rust)",
    "#080808": "var(--violet)",
    "#090909": "var(--green)",
    "#0a0a0a": "var(--crimson)",
    "#0b0b0b": "var(--ochre)",
}
"""Placeholder colours of the specification, and the CSS variable of each."""

INK, MUTED, RULE, PAPER, HUE, *SERIES = COLOURS
"""The placeholder colours by purpose; ``SERIES`` distinguish lines or groups of one chart, in this order."""

FONT = f"{SANS}, sans-serif"

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
    """The specification of a chart, with its texts and its table."""

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
    """Whether a phone shows the numbers as a list instead of the picture."""
    anchors: tuple[str, ...] = ()
    """The anchor of each row of the table, where marks lead to it; empty for a row without one."""

    @property
    def file(self) -> tuple[str, str]:
        """The specification as a file of the site, loaded by shared figures; links are relative to its folder."""
        return spec_path(self.id), json.dumps(self.spec, ensure_ascii=False, sort_keys=True)

    def filled(self, row: tuple[tuple[str, str], ...]) -> list[tuple[str, str, str]]:
        """Return the cells of a row that hold entries: column, number, link."""
        return [(self.head[n], text, link) for n, (text, link) in enumerate(row) if n and text != "0"]


def spec_path(id: str) -> str:
    """Return the path of a chart's specification, for the script that makes it interactive."""
    return f"charts/{id}.json"


DRAWERS = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="drawing")
"""The renderer releases the GIL while it draws, but not during its start, which takes some seconds."""

SNIPPET = "window.surveyChart = vegaEmbed;"
"""The code that the runtime script runs after loading the renderer."""


@cache
def _bundled() -> Future[str]:
    return DRAWERS.submit(vl_convert.javascript_bundle, SNIPPET, vl_version=VEGA_LITE)


@cache
def _register_typeface() -> None:
    """Let the renderer measure text in the typeface in which browsers draw it."""
    vl_convert.register_font_directory(str(for_charts()))


@lru_cache(maxsize=512)
def _drawn(spec: str) -> Future[str]:
    _register_typeface()
    return DRAWERS.submit(vl_convert.vegalite_to_svg, json.loads(spec), vl_version=VEGA_LITE)


def _text(spec: dict[str, Any]) -> str:
    return json.dumps(spec, sort_keys=True)


class Pictures:
    """Draws charts, or takes them from a cache."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache or Cache()

    def begin(self, charts: Iterable[Chart]) -> None:
        """Start drawing charts and bundling the runtime in the background."""
        if not self.cache.has((RENDERER, SNIPPET)):
            _bundled()
        for spec in (_text(chart.spec) for chart in charts):
            if not self.cache.has((RENDERER, spec)):
                _drawn(spec)

    def figure(self, chart: Chart, page: str, shared: bool = True, listed: bool = True) -> str:
        """Return a chart as a figure in a page.

        It is ``shared`` if its specification is a file of the site, and ``listed`` if a phone shows its numbers as a
        list, unless the page has such a list anyway.
        """
        spec, runtime = (url(page, spec_path(chart.id)), url(page, RUNTIME)) if shared else ("", "")
        home = url(page, "index.md")
        picture = self.svg(chart.spec).replace(f'xlink:href="{ROOT}', f'xlink:href="{home}')
        figure = render(
            "charts/chart.html.j2",
            chart=chart,
            svg=picture,
            spec=spec,
            runtime=runtime,
            home=home,
            root=ROOT,
            listed=listed,
        )
        return figure.replace(f'href="{home}{address(page)}#', 'href="#')

    def svg(self, spec: dict[str, Any]) -> str:
        """Return the picture: the same specification always gives the same bytes."""
        text = _text(spec)
        return _in_palette(self.cache.get((RENDERER, text), lambda: _drawn(text).result()))

    def runtime(self) -> str:
        """Return the script that draws interactive charts, bundled from the installed packages, loaded on demand."""
        return self.cache.get((RENDERER, SNIPPET), lambda: _bundled().result())


def _in_palette(picture: str) -> str:
    """Return a picture in the colours of the page, without what the page itself says or does."""
    for stand_in, variable in COLOURS.items():
        picture = picture.replace(f'"{stand_in}"', f'"{variable}"')
    picture = re.sub(r' aria-[a-z]+="[^"]*"| role="[^"]*"', "", picture)  # the figure around it has them
    # Material's instant navigation would try to set href on links in a drawing: xlink:href it leaves alone
    picture = picture.replace(RENDERERS_BASE, "")
    picture = picture.replace("xlink:href=", 'tabindex="-1" xlink:href=').replace(' target="_blank"', "")
    picture = re.sub(
        r'(<svg [^<>]*?) width="(\d+)(?:\.\d+)?" height="(\d+)(?:\.\d+)?"', r'\1 width="\2" height="\3"', picture
    )
    return MARKS.sub(_said_once, picture)


MARKS = re.compile(r'<g class="mark-[^<>]*>(?:(?!</?g\b).)*</g>')
"""The marks of one kind."""

SHAPE = re.compile(r"(<(?:path|text|line|rect|circle)\b)([^<>]*?)(/?>)")
ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
NUMBERS = re.compile(r' (?:d|transform|opacity)="[^"]*"')
LONG = re.compile(r"(\.\d{3})\d+")
PLACE = re.compile(r' transform="translate\(([-.\d]+),([-.\d]+)\)"')
"""The place of a text that is neither turned nor moved again: as x and y it is said more briefly."""

STROKE = ("stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap")
TEXT = ("text-anchor", "font-family", "font-size", "font-weight", "font-style")
INHERITED = frozenset(("fill", "fill-opacity", *STROKE, *TEXT))
"""Attributes that a shape takes from the group around it."""


def _said_once(marks: re.Match[str]) -> str:
    """Return marks with what they have in common on their group, numbers to three digits, and no default."""
    group = SHAPE.sub(lambda shape: shape[1] + _brief(shape[1], shape[2]) + shape[3], marks[0])
    each = [dict(ATTRIBUTE.findall(attributes)) for _, attributes, _ in SHAPE.findall(group)]
    if len(each) < 2:
        return group
    common = {
        f' {name}="{value}"'
        for name, value in each[0].items()
        if name in INHERITED and all(one.get(name) == value for one in each)
    }
    group = SHAPE.sub(lambda shape: shape[1] + _without(common, shape[2]) + shape[3], group)
    return group.replace(">", f"{''.join(sorted(common))}>", 1)


def _brief(shape: str, attributes: str) -> str:
    brief = NUMBERS.sub(lambda found: LONG.sub(r"\1", found[0]), attributes).replace(' opacity="1"', "")
    return PLACE.sub(r' x="\1" y="\2"', brief) if shape == "<text" else brief


def _without(common: set[str], attributes: str) -> str:
    return ATTRIBUTE.sub(lambda found: "" if found[0] in common else found[0], attributes)


def finished(drawn: alt.LayerChart, data: list[dict[Any, Any]], width: int, height: int) -> dict[str, Any]:
    """Return the specification of a chart with size, theme and data."""
    return filled(look(drawn), data, width, height)


def look(drawn: alt.LayerChart) -> dict[str, Any]:
    """Return a chart with the theme and without data. Validation is left to a test, as it takes seconds here."""
    spec: dict[str, Any] = drawn.configure(**THEME).to_dict(validate=False)
    for layer in spec["layer"]:
        layer.pop("data", None)  # one copy of the data above all layers, not one in each
    return spec


def filled(look: dict[str, Any], data: list[dict[Any, Any]], width: int, height: int, **values: Any) -> dict[str, Any]:
    """Return the specification of one of many charts with the same look.

    ``"$name"`` in the look is replaced by the value of that name; a list ``["$name"]`` by a list value.
    """
    if values:
        look = _substituted(look, {f"${name}": value for name, value in values.items()})
    return look | {"width": width, "height": height, "data": {"values": data}}


def _substituted(part: Any, values: dict[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _substituted(inner, values) for key, inner in part.items()}
    if isinstance(part, list):
        whole = isinstance(values.get(part[0]), list) if len(part) == 1 and isinstance(part[0], str) else False
        return values[part[0]] if whole else [_substituted(item, values) for item in part]
    return values.get(part, part) if isinstance(part, str) else part
