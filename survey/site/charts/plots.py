"""Charts and tables for notebooks, in the style of the site.

    plot(chart, title, sentence, frame)

returns a figure like those of the site: the picture follows the light and the dark
palette, the sentence states the finding, and the data come as a table.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.site.charts.drawing import COLOURS, HUE, INK, MUTED, PAPER, RULE, SERIES, THEME, Chart, Pictures
from survey.site.html.templates import render

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
else:
    alt = lazy("altair")

__all__ = ["HUE", "INK", "MUTED", "PAPER", "RULE", "SERIES", "plot", "table"]

LOOK = THEME | {"axisY": {"grid": True, "gridColor": RULE}}
"""The theme of the site's charts, with horizontal grid lines."""

ALONE = {
    "--ink": "#1c1d1f",
    "--muted": "#5b5f66",
    "--rule": "#d8d4cb",
    "--paper": "#ffffff",
    "--hue": "#23478f",
    "--teal": "#156a80",
    "--rust": "#a14d08",
    "--violet": "#74388c",
    "--green": "#44702a",
    "--crimson": "#8a3550",
    "--ochre": "#7a5b1e",
}
"""The colours of a picture outside the site, as in a notebook that is being edited."""


@dataclass(frozen=True)
class Shown:
    """The output of a cell as HTML and text; for a table also its data."""

    html: str
    words: str
    data: dict[str, Any] | None = None

    def _repr_html_(self) -> str:
        return self.html

    def _repr_json_(self) -> dict[str, Any] | None:
        return self.data

    def __repr__(self) -> str:
        return self.words


def plot(chart: alt.TopLevelMixin, title: str, sentence: str, frame: pd.DataFrame, source: str, hue: str = "") -> Shown:
    """Return a chart with its title, a computed sentence that states the finding, and its table.

    ``source`` names the origin of the numbers ("Simulated, 20 seeds"); ``hue`` is the axis of the
    taxonomy that the chart is about, if any. ``SERIES`` are the colours to distinguish lines.
    """
    spec: dict[str, Any] = chart.to_dict()
    spec["config"] = LOOK
    spec.pop("$schema", None)
    figure = Chart(
        id=re.sub(r"\W+", "-", title.lower()).strip("-"),
        title=title,
        sentence=sentence,
        source=source,
        spec=spec,
        head=tuple(map(str, frame.columns)),
        rows=tuple(tuple((cell, "") for cell in row) for row in _cells(frame)),
        hue=hue,
        lines=False,
    )
    html = Pictures().figure(figure, "notebooks/any.ipynb", shared=False)
    for variable in COLOURS.values():
        name = variable[4:-1]
        html = html.replace(f'"{variable}"', f'"var({name}, {ALONE[name]})"')
    return Shown(html, f"{title}. {sentence}")


def table(frame: pd.DataFrame, title: str) -> Shown:
    """Return a frame as a table with a title; the first column names the rows. Floats get three digits.

    Pages of the site can reuse the numbers by the title (``survey.site.notebooks.rendering.tables``).
    """
    head = list(map(str, frame.columns))
    html = render("charts/table.html.j2", title=title, head=head, rows=_cells(frame))
    rows = json.loads(frame.to_json(orient="values", double_precision=15))
    return Shown(html, frame.to_string(index=False), {"title": title, "head": head, "rows": rows})


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    return [[_formatted(cell) for cell in row] for row in frame.itertuples(index=False)]


def _formatted(cell: Any) -> str:
    """Format a cell.

    >>> [_formatted(cell) for cell in (0.12345, 12345.6, 3, float("nan"), None, "a")]
    ['0.123', '12346', '3', '–', '–', 'a']
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "–"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return str(cell)
