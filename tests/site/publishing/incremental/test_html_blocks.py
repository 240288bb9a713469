"""What is set aside while Markdown is converted comes back as Markdown itself would have left it."""

from __future__ import annotations

from pathlib import Path

import markdown  # type: ignore[import-untyped]
import pytest

from survey.literature import load
from survey.site.build import build
from survey.site.facts import Facts
from survey.site.publishing.incremental.html_blocks import anchors, put_back, set_aside
from tests.conftest import few_data

EXTENSIONS = ["toc", "tables", "fenced_code", "admonition", "attr_list", "md_in_html"]

CASES = {
    "a table between headings": '## A\n\n<table id="t">\n<tr><td>*x*</td></tr>\n\n<tr><td>y</td></tr>\n</table>\n\n## B\n',
    "an example in a fence": 'Text.\n\n```html\n<p>a</p>\n\n<div id="x">b</div>\n\n```\n\n<div>c</div>\n',
    "an example in a fence of tildes": "~~~\n\n<div>b</div>\n\n~~~\n",
    "inside Markdown inside HTML": "<div markdown>\n\n<p>**bold**</p>\n\n<div>*x*</div>\n\n</div>\n\n<div>*y*</div>\n",
    "two in a row": "<div>a</div>\n<div>b</div>\n\n<ul>\n<li>c</li>\n</ul>\ntext\n",
    "text behind the end": "<div>a</div> and *b*\n\n<p>c</p><p>d</p>\n",
    "nested and unclosed": "<div>\n\n<div>a</div>\n\n</div>\n\n<div>\n\nb\n",
    "in a comment": "<!--\n\n<div>a</div>\n\n-->\n\n*b*\n",
    "a mark of ours": 'A\n\n<div data-survey-block="7"></div>\n\n<div>b</div>\n',
}


def converted(text: str) -> str:
    return str(markdown.markdown(text, extensions=EXTENSIONS))


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_the_page_is_what_markdown_makes_of_the_whole(text: str) -> None:
    left, blocks = set_aside(text)
    assert put_back(converted(left), blocks) == converted(text)


def test_so_is_every_computed_page_and_most_of_their_text_is_set_aside(tmp_path: Path) -> None:
    files = build(Facts(load(few_data(tmp_path))))
    pages = {path: str(text).partition("\n---\n")[2] for path, text in files.items() if path.endswith(".md")}
    assert len(pages) > 100
    spared = 0
    for path, text in pages.items():
        left, blocks = set_aside(text)
        assert put_back(converted(left), blocks) == converted(text), path
        spared += len(text) - len(left)
    assert spared > 0.5 * sum(map(len, pages.values()))


def test_anchors_of_blocks_are_known() -> None:
    _, blocks = set_aside('<div id="a&amp;b"><a name="c"></a></div>\n')
    assert anchors(blocks) == {"a&b", "c"}
