"""Titles with formulas: MathML on pages, a line of text for the search, and nothing in them can act."""

from __future__ import annotations

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown  # type: ignore[import-untyped]
from material.plugins.search.plugin import Parser  # type: ignore[import-untyped]

from survey.literature import Entry, Pool, load
from survey.literature.bibtex import Field
from survey.literature.export import FORMATS
from survey.site.build import build
from survey.site.facts import Facts
from survey.site.markup.formulas import heading_of, title_of, title_tree
from survey.site.markup.text import inert
from tests.conftest import ROOT

BREAD = ROOT / "tests" / "literature" / "bread"
MATHML = "{http://www.w3.org/1998/Math/MathML}"


@pytest.fixture(scope="module")
def bread() -> Pool:
    return load(BREAD)


def titled(pool: Pool, title: str) -> Entry:
    entry = pool["oven2024"]
    return replace(
        entry, block=replace(entry.block, fields=MappingProxyType({**entry.block.fields, "title": Field(title, 1)}))
    )


def text_of(markup: str) -> str:
    return unescape(
        re.sub("<[^>]*>", "", re.sub(r"<mpadded data-search-exclude>.*?</mpadded><annotation", "<annotation", markup))
    )


def parsed(markup: str) -> ET.Element:
    """HTML as XML, which has no attributes without a value."""
    valued = markup.replace("data-search-exclude>", 'data-search-exclude="">')
    return ET.fromstring(f"<p>{valued}</p>")


def test_a_formula_is_mathml_with_its_line_of_text(bread: Pool) -> None:
    shown = str(title_of(titled(bread, r"{Measurement} of $\alpha_s$ at {LHC}")))
    assert shown == (
        'Measurement of <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><semantics>'
        "<mpadded data-search-exclude><msub><mi>α</mi><mi>s</mi></msub></mpadded>"
        '<annotation encoding="text/plain">αₛ</annotation></semantics></math> at LHC'
    )


STROKES = [
    (r"\slashed{E}_T", "<msub><mtext>E\u0338</mtext><mi>T</mi></msub>", "E\u0338_T"),
    (r"\slashed E", "<mtext>E\u0338</mtext>", "E\u0338"),
    (r"\slashed{\rm E}", "<mtext>E\u0338</mtext>", "E\u0338"),
    (r"\not\!\!E_T", "<msub><mtext>E\u0338</mtext><mi>T</mi></msub>", "E\u0338_T"),
    (r"\not{p}", "<mtext>p\u0338</mtext>", "p\u0338"),
    (r"\cancel{\alpha}", "<mtext>α\u0338</mtext>", "α\u0338"),
    (r"\bar{\slashed{D}}", "<mtext>D\u0338</mtext>", "D\u0304\u0338"),
    (r"a \notin A", "<mo>∉</mo>", "a ∉ A"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "inside", "line"), STROKES, ids=[one[0] for one in STROKES])
def test_a_letter_with_a_stroke_is_mathml(bread: Pool, formula: str, inside: str, line: str) -> None:
    entry = titled(bread, f"Search for ${formula}$")
    shown = unescape(title_of(entry))
    assert inside in shown
    assert "menclose" not in shown
    assert unicodedata.normalize("NFD", entry.title) == f"Search for {unicodedata.normalize('NFD', line)}"


@pytest.mark.parametrize(
    "written", [r"$\alpha_s$", r"\(\alpha_s\)", r"\[\alpha_s\]", r"\ensuremath{\alpha_s}", r"{\ensuremath {\alpha_s}}"]
)
def test_a_formula_is_mathml_however_it_is_enclosed(bread: Pool, written: str) -> None:
    assert "<msub><mi>α</mi><mi>s</mi></msub>" in str(title_of(titled(bread, f"On {written} again")))


TITLES = [r"On {Ovens} and $\alpha_s$", r"$H \to b\bar{b}$ at $\sqrt{s}=13$~TeV", r"A \(x^2\) b", r"$^{14}$C", r"$\slashed{E}_T$: missing", r"$\foo$: no MathML",
          r"\ensuremath{\Lambda_{b}^{0}} decays", r"At \[x^2\]", r"{$\tau$}-bench", r"$x \text{ for } y$"]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_the_index_of_the_search_has_the_title_that_exports_have(bread: Pool, title: str) -> None:
    entry = titled(bread, title)
    parser = Parser()
    parser.feed(markdown(f"# {heading_of(entry)}", extensions=["toc"]))
    assert unescape("".join(parser.data[0].title)) == entry.title


@pytest.mark.parametrize("title", TITLES)
def test_a_search_finds_the_title_that_exports_have(bread: Pool, title: str) -> None:
    entry = titled(bread, title)
    assert text_of(str(title_of(entry))) == text_of(str(heading_of(entry))) == entry.title


@pytest.mark.parametrize(
    "title", ["On Ovens", r"Caf{\'e} & <b> _x_ *y*", r"100\% {R}ye", r"\$5 bread", r"$\foo$", "a $ b"]
)
def test_a_title_without_formulas_is_the_text_that_it_was(bread: Pool, title: str) -> None:
    entry = titled(bread, title)
    assert heading_of(entry) == inert(entry.title)
    assert unescape(str(title_of(entry))) == entry.title


HOSTILE = [
    r"$\text{<script>alert(1)</script>}$", r"$\href{javascript:alert(1)}{x}$", r"$\url{javascript:alert(1)}$", "$<script>$",
    r"$\class{a}{x}$", r"$\style{color:red}{x}$", r"$\text{&lt;img src=x onerror=alert(1)&gt;}$", r"$\mathrm{&#x3C;b&#x3E;}$",
    r"$\text{\{\{ 7*7 \}\}}$", r"$\text{[x](javascript:alert(2)) `c` **b** _i_}$", r"$\newcommand{\x}{\x}\x$",
]  # fmt: skip


@pytest.mark.parametrize("title", HOSTILE)
def test_nothing_in_a_formula_can_act(bread: Pool, title: str) -> None:
    for shown in map(str, (title_of(titled(bread, title)), heading_of(titled(bread, title)))):
        tags = {element.tag.removeprefix(MATHML) for element in parsed(shown).iter()}
        assert tags <= {"p", "math", "semantics", "annotation", *(tag for tag in tags if re.fullmatch("m[a-z]+", tag))}
        assert not re.search(r"(?i)\s(?:on\w+|href|style|class|id|src)=", re.sub(">[^<]*<", "><", shown))
        if "<math" in shown:
            assert not re.search(r"[`*_{}\[\]]", re.sub("<[^>]*>", "", shown))


PARTS = [r"\text{", r"\frac{", r"\sqrt{", r"\bar{", *"{}^_<>&\"';x1*`[]()/= ", "&lt;", "&#x3C;"]


@given(st.lists(st.sampled_from(PARTS)))
def test_any_formula_is_well_formed_markup(bread: Pool, parts: list[str]) -> None:
    assert parsed(str(title_of(titled(bread, f"${' '.join(parts)}$")))) is not None


def written(tree: list[Any]) -> str:
    """Return the markup of a title from its parts, as a script builds it."""
    parts = []
    for part in tree:
        if isinstance(part, str):
            parts.append(escape(part, quote=False))
            continue
        space, tag, attributes, *inner = part
        given = f' xmlns="{space}"' if tag == "math" else ""
        shown = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        parts.append(f"<{tag}{given}{shown}>{written(inner)}</{tag}>")
    return "".join(parts)


@given(st.lists(st.sampled_from(PARTS)))
def test_a_script_is_given_the_same_title_in_parts(bread: Pool, parts: list[str]) -> None:
    entry = titled(bread, f"At $x{' '.join(parts)}$ & more")
    if tree := title_tree(entry):
        shown = str(title_of(entry)).replace(" data-search-exclude", "")
        assert ET.canonicalize(f"<p>{written(tree)}</p>") == ET.canonicalize(f"<p>{shown}</p>")
    else:
        assert "<math" not in title_of(entry)


def test_pages_show_mathml_and_everything_else_a_line_of_text(bread: Pool, tmp_path: Path) -> None:
    raw = r"Ovens at $\sqrt{s}=13$~TeV"
    entry = titled(bread, raw)
    pool = replace(bread, entries=tuple(entry if one.key == entry.key else one for one in bread))
    line = "Ovens at √s=13\u00a0TeV"
    assert raw.encode() in FORMATS["bib"](pool)
    for form in ("csv", "ris"):
        assert line.encode() in FORMATS[form](pool)
    assert json.loads(FORMATS["csl-json"](pool))[2]["title"] == line
    files = build(Facts(pool, "https://example.org/", ""))
    page = str(files["entries/oven2024.md"])
    assert re.search(r"(?m)^# Ovens at <math .*</math>", page)
    assert f'title: "de la Bakker 2024: {line}"' in page
    assert raw in unescape(page)  # in the BibTeX that the page shows
    for where in ("axes/proofing/index.md", "explore/index.md"):
        assert "<msqrt>" in str(files[where]), where
    [row] = (row for row in json.loads(str(files["explore/rows.json"])) if row[0] == entry.key)
    assert row[1] == line
    assert "<msqrt><mrow><mi>s</mi></mrow></msqrt>" in written(row[5])
    assert not any(len(row) > 5 for row in json.loads(str(build(Facts(bread))["explore/rows.json"])))
