"""The typefaces of the site: reproducible, small, under our own name, and complete for the names of authors."""

from __future__ import annotations

import io
import re

import pytest
import vl_convert
from fontTools.ttLib import TTFont

from survey.site.theme import typefaces
from survey.site.theme.typefaces import SANS, SERIF, for_charts, stylesheet, subset, subsets

FIRST = {"serif": 85_000, "serif-italic": 47_000, "sans": 37_000, "sans-italic": 20_000}
NAMES = "Šćepanović, Nguyễn Thị Hồng, Łódź, Żółć, Ağaoğlu, Økland, Bertalanič, Besançon, Çelik, τ²-bench, λ₁"


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return typefaces.typefaces()


def test_the_bytes_are_the_same_every_time(made: dict[str, bytes]) -> None:
    assert made == typefaces.typefaces.__wrapped__()


def test_every_file_of_the_style_sheet_is_made_and_no_other(made: dict[str, bytes]) -> None:
    asked = {f"assets/{path}" for path in re.findall(r'url\("([^"]+)"\)', stylesheet())}
    assert asked == set(made) - {typefaces.NOTICE}


def test_the_files_that_a_chapter_loads_are_small(made: dict[str, bytes]) -> None:
    for name, most in FIRST.items():
        assert len(made[f"assets/type/{name}.woff2"]) < most, name


def test_the_reserved_name_is_not_used_and_the_licence_goes_along(made: dict[str, bytes]) -> None:
    for path, content in made.items():
        if path.endswith(".woff2"):
            names = {name.nameID: str(name) for name in TTFont(io.BytesIO(content))["name"].names}
            assert "Open Font License" in names[13], path
            assert not [n for n, text in names.items() if n not in (0, 5, 13, 14) and "Source" in text], path
    assert b"SIL OPEN FONT LICENSE" in made[typefaces.NOTICE]


@pytest.mark.parametrize("family", [SERIF, SANS])
def test_the_names_of_authors_can_be_set(family: str) -> None:
    there = set().union(*(subset(part).getBestCmap() for part in subsets(stylesheet()) if part.family == family))
    assert [letter for letter in NAMES if ord(letter) not in there] == []


def test_figures_of_the_sans_are_equally_wide() -> None:
    font = TTFont(for_charts() / "sans-400.ttf")
    assert len({font["hmtx"][font.getBestCmap()[ord(figure)]][0] for figure in "0123456789"}) == 1


@pytest.mark.parametrize("weight", typefaces.CHART_WEIGHTS)
def test_the_renderer_measures_text_as_it_is_drawn(weight: int) -> None:
    font = TTFont(for_charts() / f"sans-{weight}.ttf")
    figure = font["hmtx"][font.getBestCmap()[ord("0")]][0] / font["head"].unitsPerEm
    vl_convert.register_font_directory(str(for_charts()))
    assert _width("0" * 12, weight) - _width("0" * 2, weight) == pytest.approx(10 * figure * 100, abs=2)


def _width(text: str, weight: int) -> float:
    """How wide a chart becomes that has nothing but a label of this text, in 100 px."""
    axis = {"labelFont": f"{SANS}, sans-serif", "labelFontSize": 100, "labelFontWeight": weight, "labelLimit": 9999}
    y = {"field": "a", "type": "nominal", "axis": {**axis, "title": None}}
    spec = {"data": {"values": [{"a": text}]}, "mark": "tick", "encoding": {"y": y}}
    found = re.search(r'width="([\d.]+)"', vl_convert.vegalite_to_svg(spec, vl_version="6.4"))
    assert found
    return float(found[1])


def test_an_unknown_face_is_refused() -> None:
    css = '@font-face { font-family: "Comic"; font-style: normal; font-weight: 400; '
    [part] = subsets(css + 'src: url("type/comic.woff2"); unicode-range: U+20; }')
    with pytest.raises(ValueError, match="comic: found Comic normal, expected one of Survey Serif normal"):
        subset(part)
