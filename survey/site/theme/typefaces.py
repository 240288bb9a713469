"""The typefaces of the site: subsets of two installed fonts, one WOFF2 file for each that typefaces.css names.

Text is set in Source Serif 4; interface, tables and charts in Source Sans 3. Both are under the SIL Open Font
License, which reserves their names, so the subsets are called Survey Serif and Survey Sans and keep the copyright
notice. The same packages and the same style sheet always give the same bytes.
"""

from __future__ import annotations

import atexit
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import uharfbuzz as hb
from fontTools.ttLib import TTFont

from survey.atomic import temporary_folder

FOLDER = "assets/type"
"""The folder of the files in the site, relative to ``docs/``."""

NOTICE = f"{FOLDER}/OFL.txt"
"""The licence of the typefaces; it must accompany them."""

SERIF, SANS = "Survey Serif", "Survey Sans"

FEATURES = ("kern", "mark", "mkmk", "ccmp", "locl", "liga", "lnum", "onum", "pnum", "tnum", "case", "rvrn")
"""Layout features to keep: kerning, accents, ligatures, and every kind of figures."""

PACKAGES = ("fontpkg-source-serif-4", "fontpkg-source-sans-3", "fonttools", "uharfbuzz", "brotli")
"""The packages on which the bytes depend, besides this module and the style sheet."""

CHART_WEIGHTS = (400, 600, 700)
"""The weights of text in charts; the renderer measures a variable font in one weight only."""

COPYRIGHT, FAMILY, STYLE, UNIQUE, FULL, VERSION, POSTSCRIPT, LICENCE, ADDRESS = 0, 1, 2, 3, 4, 5, 6, 13, 14
"""Name ids of the font format."""

RULE = re.compile(r'@font-face \{(?>[^{}]*?url\("type/(?P<file>[\w-]+)\.woff2"\))[^{}]*+\}')
PROPERTY = re.compile(r"(?<![a-z-])([a-z-]++): ([^:;]++);")
RANGE = re.compile(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?")


@dataclass(frozen=True, slots=True)
class Source:
    """A font of an installed package, and how to subset it."""

    package: str
    file: str
    axes: Mapping[str, tuple[float, float]]
    """The range of each axis to keep; the range of weights is in the style sheet."""
    features: tuple[str, ...] = FEATURES
    scale: float = 1
    """The factor by which letters are drawn larger at the same font size."""


SOURCES: Mapping[tuple[str, str], Source] = {
    # headings use the display sizes of the optical axis; text uses the size for 20 px
    (SERIF, "normal"): Source(
        "fontpkg_source_serif_4", "SourceSerif4[opsz,wght].ttf", {"opsz": (20, 36)}, (*FEATURES, "smcp")
    ),
    (SERIF, "italic"): Source("fontpkg_source_serif_4", "SourceSerif4-Italic[opsz,wght].ttf", {"opsz": (20, 20)}),
    # the x-height is low; enlarged to that of common system fonts, text is readable at 11 px
    (SANS, "normal"): Source("fontpkg_source_sans_3", "SourceSans3[wght].ttf", {}, scale=1.06),
    (SANS, "italic"): Source("fontpkg_source_sans_3", "SourceSans3-Italic[wght].ttf", {}, scale=1.06),
}
"""The font of each face of the style sheet, by family and style."""


@dataclass(frozen=True, slots=True)
class Subset:
    """A file that the style sheet names: the face, its weights and its characters."""

    file: str
    family: str
    style: str
    weights: tuple[int, int]
    characters: frozenset[int]


@cache
def stylesheet() -> str:
    """Return the style sheet that names the files."""
    return (Path(__file__).parent / "styles" / "typefaces.css").read_text(encoding="utf-8")


def made_of() -> tuple[str, ...]:
    """Return everything on which the files depend."""
    return (Path(__file__).read_text(encoding="utf-8"), stylesheet(), *(f"{name} {version(name)}" for name in PACKAGES))


@cache
def typefaces() -> dict[str, bytes]:
    """Return every file that the style sheet names, and the licence: its path in the site and its content.

    Raises:
        ValueError: if the style sheet names an unknown face or axis.

    """
    with ThreadPoolExecutor() as pool:  # compression takes most of the time and releases the lock
        made = dict(pool.map(_compressed, subsets(stylesheet())))
    return made | {NOTICE: _notice().encode()}


@cache
def for_charts() -> Path:
    """Return a folder with the sans, a file for each weight, for measuring text as browsers will draw it.

    The folder exists until the process ends: the renderer reads it at every drawing.
    """
    resources = ExitStack()
    atexit.register(resources.close)
    folder = resources.enter_context(temporary_folder("survey-typefaces-"))
    characters = frozenset[int]().union(*(part.characters for part in subsets(stylesheet()) if part.family == SANS))
    for weight in CHART_WEIGHTS:
        name = f"sans-{weight}"
        font = subset(Subset(name, SANS, "normal", (weight, weight), characters))
        (folder / f"{name}.ttf").write_bytes(_saved(font))
    return folder


def subsets(css: str) -> Iterator[Subset]:
    """Yield the subset that each ``@font-face`` rule names; the first rule that names a file defines it.

    >>> css = '@font-face { font-family: "A"; font-style: italic; font-weight: 400 700; src: url("type/a.woff2"); '
    >>> [part] = subsets(css + "unicode-range: U+20-21, U+3A; }")
    >>> part.file, part.family, part.style, part.weights, sorted(part.characters)
    ('a', 'A', 'italic', (400, 700), [32, 33, 58])
    """
    for rule in {rule["file"]: rule for rule in reversed([*RULE.finditer(css)])}.values():
        properties = dict(PROPERTY.findall(rule[0]))
        weights = [int(weight) for weight in properties["font-weight"].split()]
        ranges = [
            (int(first, 16), int(last or first, 16)) for first, last in RANGE.findall(properties["unicode-range"])
        ]
        characters = frozenset(code for first, last in ranges for code in range(first, last + 1))
        family, style = properties["font-family"].strip('"'), properties["font-style"]
        yield Subset(rule["file"], family, style, (weights[0], weights[-1]), characters)


def subset(part: Subset) -> TTFont:
    """Subset a font under our name.

    Raises:
        ValueError: if the face or the axis is unknown.

    """
    source = SOURCES.get((part.family, part.style))
    if source is None:
        known = ", ".join(" ".join(face) for face in SOURCES)
        raise ValueError(f"typefaces.css: {part.file}: found {part.family} {part.style}, expected one of {known}")
    face = hb.Face(hb.Blob.from_file_path(str(_installed(source.package) / "files" / source.file)))
    asked = hb.SubsetInput()
    asked.flags = hb.SubsetFlags.NO_HINTING | hb.SubsetFlags.NOTDEF_OUTLINE
    _only(asked.unicode_set, part.characters)
    _only(asked.layout_feature_tag_set, (int.from_bytes(feature.encode(), "big") for feature in source.features))
    _only(asked.name_id_set, (COPYRIGHT, VERSION, LICENCE, ADDRESS))
    for axis, (low, high) in {**source.axes, "wght": part.weights}.items():
        if not asked.set_axis_range(face, axis, float(low), float(high)):
            raise ValueError(f"typefaces.css: {part.file}: {source.file} has no axis {axis}")
    font = TTFont(io.BytesIO(asked.subset(face).blob.data), recalcTimestamp=False)
    font["head"].unitsPerEm = round(font["head"].unitsPerEm / source.scale)
    _name(font, part.family, {"normal": "Regular", "italic": "Italic"}[part.style])
    return font


def _compressed(part: Subset) -> tuple[str, bytes]:
    font = subset(part)
    font.flavor = "woff2"
    return f"{FOLDER}/{part.file}.woff2", _saved(font)


def _installed(package: str) -> Path:
    return Path(str(files(package)))


def _only(chosen: hb.Set, numbers: Iterable[int]) -> None:
    chosen.clear()
    for number in numbers:
        chosen.add(number)


def _name(font: TTFont, family: str, style: str) -> None:
    """Rename a font; keep its copyright, licence and axis names."""
    names, full = font["name"], f"{family} {style}"
    kept = {COPYRIGHT, VERSION, LICENCE, ADDRESS}
    if "fvar" in font:
        font["fvar"].instances = []
        kept |= {axis.axisNameID for axis in font["fvar"].axes}
    if "STAT" in font:
        del font["STAT"]
    names.names = [name for name in names.names if name.nameID in kept]
    named = {FAMILY: family, STYLE: style, UNIQUE: full, FULL: full, POSTSCRIPT: full.replace(" ", "")}
    for number, properties in named.items():
        names.setName(properties, number, 3, 1, 0x409)


def _saved(font: TTFont) -> bytes:
    out = io.BytesIO()
    font.save(out, reorderTables=False)
    return out.getvalue()


def _notice() -> str:
    """Return the licence texts of both packages below a note on the change."""
    properties = "Survey Serif and Survey Sans are subsets of Source Serif 4 and Source Sans 3, under the same licence."
    packages = dict.fromkeys(source.package for source in SOURCES.values())
    texts = [(_installed(package) / "LICENSE").read_text(encoding="utf-8").strip() for package in packages]
    return "\n\n\n".join([properties, *texts]) + "\n"
