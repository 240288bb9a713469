"""Rendering of executed notebooks as pages: live figures filled in, and only the HTML that readers need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from typing import Any

from bs4 import BeautifulSoup, ParserRejectedMarkup, Tag

from survey.literature import InvalidSurvey, Pool, Problem
from survey.literature.problems import expected, quoted
from survey.site.charts.drawing import Pictures
from survey.site.html.addresses import url
from survey.site.markup.templates import render
from survey.site.prose.prose import Prose

CELL = re.compile(r"jp-(MarkdownCell|CodeCell)")
"""The class names of JupyterLab by which a notebook plugin marks a cell."""

PLAIN = re.compile(r'<span class="(?:w|p|o|n|nn)">([^<]*)</span>')
"""Highlighting of code without a visible effect, which is half the size of a page."""

FALLBACK = re.compile(r"var\((--[\w-]+), #[0-9a-f]{6}\)")
"""The fallback colour of a picture outside the site; on the site it is not needed."""

RAW = re.compile(r"<(style|script)\b.*?(?:</\1\s*>|\Z)", re.DOTALL)
"""Invisible parts of a page: most of the output of a notebook plugin, and slow to parse. An open one hides the rest."""

SHORT = 6
"""Lines of code that are shown before a chart; longer code is folded."""

LONG, SHOWN = 15, 8
"""Code longer than LONG lines shows its first SHOWN lines only; a reader unfolds the others."""

SOURCE = re.compile(r"^[^:#]+\.(md|ipynb)(#.*)?$")
"""A link to the source of another page."""


def with_figures(notebook: dict[str, Any], pool: Pool, page: str, pictures: Pictures) -> dict[str, Any]:
    """Return the notebook with live figures and citations in its text, and its references as a last cell.

    Raises:
        InvalidSurvey: if the text refers to an entry, axis, value or function that does not exist.

    """
    out = deepcopy(notebook)
    prose = Prose.of(pool, page, pictures)
    for number, cell in enumerate(out["cells"], 1):
        if cell["cell_type"] == "markdown":
            cell["source"] = prose.rendered("".join(cell["source"]), f"{page}, cell {number}")
    if references := prose.references():
        out["cells"].append({"cell_type": "markdown", "id": "survey-references", "metadata": {}, "source": references})
    return out


def slimmed(html: str, page: str, known: Collection[str]) -> str:
    """Return the page without the scripts, styles and frames that a notebook plugin puts around each cell.

    Links to source files become addresses, since the generator does not process a notebook's
    text; ``known`` are the existing source files.

    Raises:
        InvalidSurvey: if a link leads to a page that does not exist, or the HTML cannot be read.

    """
    try:
        soup = BeautifulSoup(RAW.sub("", html), "html.parser")
    except ParserRejectedMarkup:
        message = 'holds HTML that cannot be read (expected elements; is there a "<![" too many?)'
        raise InvalidSurvey([Problem(page, 1, message)]) from None
    for link in soup.find_all("a", href=SOURCE):
        link["href"] = _address(str(link["href"]), page, known)
    cells = [_cell(tag) for tag in soup.find_all(class_=CELL) if not tag.find(class_=CELL)]
    return render("notebooks/notebook.html.j2", cells=cells, page=page, name=posixpath.basename(page))


def _cell(tag: Tag) -> dict[str, Any]:
    """Return the visible parts of a cell: text as HTML, or code with its outputs."""
    if text := tag.find(class_="jp-RenderedMarkdown"):
        for anchor in text.find_all("a", class_="anchor-link"):
            anchor["class"], anchor["title"], anchor.string = "headerlink", "Link to this section", "#"
        for pre in text.select(".highlight > pre"):
            code = Tag(name="code")
            code.extend(list(pre.contents))
            pre.append(code)
        for exercise in text.select("details.more"):
            exercise["data-search-exclude"] = ""  # an exercise asks about what the page says elsewhere
        return {"text": _inside(text)}
    for output in tag.select(".jp-OutputArea-output > pre"):
        output["tabindex"] = "0"  # it may be wider than the page: the keyboard must reach it
    source = tag.select_one(".highlight-ipynb pre")
    lines = source.get_text().strip().count("\n") + 1 if source else 0
    folded = lines > SHORT and tag.select_one("figure.chart") is not None
    first, rest = _split(source, SHOWN) if source and lines > LONG and not folded else (source, None)
    return {
        "code": _inside(first) if first else "",
        "rest": _inside(rest, "\n") if rest else "",
        "more": lines - SHOWN,
        "lines": lines,
        "folded": folded,
        "outputs": [
            {"html": _inside(output), "plain": "jp-RenderedText" in output["class"]}
            for output in tag.select(".jp-OutputArea-output")
        ],
    }


def _split(source: Tag, lines: int) -> tuple[Tag, Tag]:
    """Split a block of code after some lines, and keep the highlighting of both parts."""
    first, rest = deepcopy(source), deepcopy(source)
    left = lines
    for mine, other in zip(list(first.find_all(string=True)), list(rest.find_all(string=True)), strict=True):
        before, after = str(mine).split("\n")[:left], str(mine).split("\n")[left:]
        left -= len(before) - (not after)
        mine.replace_with("\n".join(before))
        other.replace_with("\n".join(after))
    return first, rest


def _inside(tag: Tag, around: str | None = None) -> str:
    """Return the inner HTML of an element, stripped of the characters ``around`` it, by default whitespace."""
    return FALLBACK.sub(r"var(\1)", PLAIN.sub(r"\1", tag.decode_contents().strip(around)))


def _address(link: str, page: str, known: Collection[str]) -> str:
    path, hash_, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    if target not in known:
        raise InvalidSurvey([Problem(page, 1, f"links to {quoted(target)} {expected(target, known)}")])
    return url(page, f"{target}{hash_}{anchor}")


Table = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""Head and rows."""


def tables(notebook: Mapping[str, Any]) -> dict[str, Table]:
    """Return head and rows of every table that an executed notebook shows, by its title."""
    outputs = (output for cell in notebook["cells"] for output in cell.get("outputs", ()))
    data = (output.get("data", {}).get("application/json") for output in outputs)
    return {table["title"]: (table["head"], table["rows"]) for table in data if _is_table(table)}


def _is_table(data: object) -> bool:
    """Return whether a JSON output is a table of ours; a notebook may also show other JSON."""
    return isinstance(data, dict) and isinstance(data.get("title"), str) and {"head", "rows"} <= data.keys()


def markdown(notebook: dict[str, Any]) -> str:
    """Return the notebook as a page of Markdown: text, code and outputs in order."""
    return render("notebooks/notebook.md.j2", cells=[_blocks(cell) for cell in notebook["cells"]])


def _blocks(cell: dict[str, Any]) -> dict[str, Any]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return {"text": re.sub(r"(\]\([^\]):#]+)\.ipynb", r"\1.md", source)}
    outputs = [_shown(output) for output in cell["outputs"]]
    return {"code": source, "outputs": outputs}


def _shown(output: dict[str, Any]) -> dict[str, Any]:
    if output["output_type"] == "stream":
        return {"html": "".join(output["text"]), "plain": True}
    data = output.get("data", {})
    html = "".join(data.get("text/html", ""))
    if html or "text/plain" in data:
        return {"html": html or "".join(data["text/plain"]), "plain": not html}
    # an error, or an output without text: its type is shown, so that nothing is dropped silently
    return {"html": f"({', '.join(data) or output['output_type']})", "plain": True}
