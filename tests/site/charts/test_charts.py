"""Charts: picture, sentence and table come from the same counts and agree."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import altair as alt
import pytest
import vl_convert

from survey.literature import Pool, counts, crosstab, load
from survey.literature.pool import cells
from survey.site.charts import drawing
from survey.site.charts import pool_charts as charts
from survey.site.charts.drawing import COLOURS, INHERITED, VEGA_LITE, Pictures
from survey.site.charts.pool_charts import _with_early_years_together, every_chart
from tests.conftest import ROOT

POOL = load(ROOT / "bib")
CHARTS = every_chart(POOL)
PICTURES = Pictures()
AXES = [axis.id for axis in POOL.taxonomy]
PAIRS = [id for id in CHARTS if not id.startswith("by-")]


class Texts(HTMLParser):
    """The texts of an SVG, and where its links lead."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.feed(svg)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if tag == "a" and name == "xlink:href"]

    def handle_data(self, data: str) -> None:
        self.texts += [data.strip()] if data.strip() else []


@pytest.mark.parametrize("id", list(CHARTS))
def test_every_specification_is_valid_vega_lite(id: str) -> None:
    alt.LayerChart.from_dict(CHARTS[id].spec, validate=True)


@pytest.mark.parametrize("axis", AXES)
def test_the_picture_of_an_axis_shows_every_count_of_the_table(axis: str) -> None:
    chart = CHARTS[f"by-{axis}"]
    drawn = Texts(PICTURES.svg(chart.spec))
    table = counts(POOL, axis)
    shown = [text for text in drawn.texts if text.isdigit()]
    assert sorted(map(int, shown)) == sorted(table["count"])
    assert {row[0][0] for row in chart.rows} == set(table["label"]) <= {*drawn.texts}
    assert [int(row[1][0]) for row in chart.rows] == list(table["count"])


@pytest.mark.parametrize("id", PAIRS)
def test_the_picture_of_a_pair_shows_a_number_in_every_cell(id: str) -> None:
    chart = CHARTS[id]
    drawn = [int(text) for text in Texts(PICTURES.svg(chart.spec)).texts if text.isdigit()]
    from_table = [int(text) for row in chart.rows for text, _ in row[1:]]
    assert sorted(drawn) == sorted(from_table)
    rows, columns = id.split("-by-")
    assert sum(from_table) == crosstab(POOL, rows, columns).to_numpy().sum()


@pytest.mark.parametrize("axis", AXES)
def test_the_sentence_names_the_largest_count_of_a_value(axis: str) -> None:
    table = counts(POOL, axis)
    asked = POOL.taxonomy[axis]
    values = table[[cell.partition(": ")[0] in asked.values for cell in table["cell"]]]
    assert f" with {values['count'].max()} of " in CHARTS[f"by-{axis}"].sentence
    for label in values[values["count"] == 0]["label"]:
        assert label in CHARTS[f"by-{axis}"].sentence


def test_every_bar_and_cell_is_a_link_to_the_entries_behind_it() -> None:
    bars = Texts(PICTURES.svg(CHARTS["by-reward"].spec)).links
    assert "../axes/reward/hybrid/" in bars
    matrix = Texts(PICTURES.svg(CHARTS["reward-by-credit"].spec)).links
    assert "../measure/reward-by-credit/#shared--message" in matrix


@pytest.mark.parametrize("id", list(CHARTS))
def test_no_picture_leads_to_another_host(id: str) -> None:
    drawn = PICTURES.svg(CHARTS[id].spec)
    assert set(re.findall(r"https?://[^\"]+", drawn)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_links_are_relative_to_the_page_that_shows_the_chart() -> None:
    figure = PICTURES.figure(CHARTS["by-reward"], "read/rewards.md")
    assert 'xlink:href="../../axes/reward/hybrid/"' in figure
    assert 'href="../../axes/reward/hybrid/"' in figure
    assert 'data-spec="../../charts/by-reward.json"' in figure


def test_colours_are_variables_of_the_palette() -> None:
    drawn = PICTURES.svg(CHARTS["reward-by-credit"].spec)
    assert not re.search(r"#0[1-5]0[1-5]0[1-5]", drawn)
    assert set(re.findall(r"var\((--[a-z]+)\)", drawn)) <= {"--ink", "--muted", "--rule", "--paper", "--hue"}


def test_a_link_within_the_page_of_a_chart_is_its_anchor() -> None:
    figure = PICTURES.figure(CHARTS["reward-by-credit"], "measure/reward-by-credit.md")
    assert 'xlink:href="#shared--message"' in figure
    assert "measure/reward-by-credit" not in figure


@pytest.mark.parametrize("id", ["by-reward", "reward-by-credit", "by-year"])
def test_what_marks_have_in_common_is_said_once_and_changes_none_of_them(id: str) -> None:
    """Each shape has the same look, place and link as the renderer gave it."""
    chart = CHARTS[id]
    drawn = vl_convert.vegalite_to_svg(chart.spec, vl_version=VEGA_LITE)
    slim = PICTURES.svg(chart.spec)
    assert looks(slim) == looks(drawn)
    assert len(slim) < 0.8 * len(drawn)


def looks(svg: str) -> list[tuple[object, ...]]:
    """Each shape and text of a picture with what it inherits, as XML parsers read it."""
    found: list[tuple[object, ...]] = []

    def brief(numbers: str) -> str:
        return re.sub(r"(\.\d{3})\d+", r"\1", numbers)

    def walk(node: ET.Element, inherited: dict[str, str]) -> None:
        now = inherited | {name: value for name, value in node.attrib.items() if name in INHERITED}
        if node.tag.rpartition("}")[2] in {"path", "text", "line", "rect"}:
            look = {name: COLOURS.get(value, value) for name, value in now.items()}
            d, moved, opacity = (brief(node.get(name, "")) for name in ("d", "transform", "opacity"))
            if node.tag.endswith("text") and not moved:  # a text at x and y is one that was moved there from 0 and 0
                moved = f"translate({node.get('x', '0')},{node.get('y', '0')})"
            found.append((look, d, moved, opacity or "1", node.text))
        for inner in node:
            walk(inner, now)

    walk(ET.fromstring(svg), {})
    return found


def test_the_same_chart_is_the_same_bytes() -> None:
    again = every_chart(load(ROOT / "bib"))
    assert {id: PICTURES.figure(chart, "x.md") for id, chart in again.items()} == {
        id: PICTURES.figure(chart, "x.md") for id, chart in CHARTS.items()
    }


def test_an_empty_pool_is_drawn_and_not_a_crash(pool: Pool) -> None:
    empty = replace(pool, entries=(), records=())
    for chart in every_chart(empty).values():
        assert "<svg" in PICTURES.figure(chart, "index.md")
    assert every_chart(empty)["by-reward"].sentence == "There is nothing to count yet."


def test_words_of_absence_are_shown_only_where_some_entry_has_them() -> None:
    silent = "none"
    assert silent in cells(POOL.taxonomy["reward"])
    for pool, shown in ((POOL, True), (POOL.as_of(date(2026, 5, 4)), False)):
        labels = {row[0][0] for row in charts.matrix(pool, "reward", "credit").rows}
        assert "not applicable" in labels
        assert {POOL.taxonomy.label("reward", v) for v in POOL.taxonomy["reward"].values} <= labels
        assert (silent in labels) is shown is bool(pool.where([("reward", silent)], primary=True))


def test_script_and_drawing_know_the_same_stand_in_colours() -> None:
    script = (ROOT / "survey/site/charts/live.js").read_text()
    known = dict(re.findall(r'"(#0[0-9a-f]{5})": "(--[a-z-]+)"', script))
    assert {colour: f"var({name})" for colour, name in known.items()} == drawing.COLOURS


def test_early_years_share_a_bar_where_large_numbers_would_write_over_each_other() -> None:
    counts = [1] * 30 + [44, 65, 188, 258, 208, 411, 383, 513, 269]
    years = [{"year": 1988 + n, "count": count} for n, count in enumerate(counts)]
    shown = _with_early_years_together(years)
    assert shown[0] == {"year": "to 2007", "count": 20}
    assert shown[1:] == years[20:]
    assert _with_early_years_together(years[-20:]) == years[-20:]
    assert _with_early_years_together(years[:33]) == years[:33]
