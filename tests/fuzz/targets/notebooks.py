"""The targets of the notebooks: the file, an earlier run of it, and what a notebook plugin makes of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from survey.literature import InvalidSurvey, load
from survey.site.notebooks.execution import _valid_run, executed, read_notebook, with_digest
from survey.site.notebooks.rendering import markdown, slimmed, tables, with_figures
from tests.fuzz.targets.target import SEEDS, Files, Lost, Outcome, Target, write_files

KNOWN = ("notebooks/one.ipynb", "read/x.md", "index.md")


def _cell(kind: str, source: list[str], **more: object) -> dict[str, object]:
    return {"cell_type": kind, "id": f"c{len(source[0])}", "metadata": {}, "source": source, **more}


OUTPUTS = [
    {"output_type": "stream", "name": "stdout", "text": ["a line\n", "another\n"]},
    {"output_type": "display_data", "metadata": {}, "data": {
        "application/json": {"title": "A table", "head": ["a", "b"], "rows": [[1, "x"], [2.5, None]]},
        "text/html": ["<table><tr><td>1</td></tr></table>"], "text/plain": ["A table"]}},
    {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "7"}},
]  # fmt: skip

NOTEBOOK = {
    "cells": [
        _cell("markdown", ["# One\n", "\n", "There are {{ count() }} [@key2026], $x^2$, [more](../read/x.md)."]),
        _cell("code", ["print(1)"], execution_count=1, outputs=OUTPUTS),
    ],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}

PAGE = b"""<div class="jp-Cell jp-MarkdownCell"><div class="jp-RenderedMarkdown"><h1>One
<a class="anchor-link" href="#one">&#182;</a></h1><p><a href="../read/x.md#a">more</a></p>
<div class="highlight"><pre>x</pre></div></div></div>
<div class="jp-Cell jp-CodeCell"><style>p{}</style><div class="highlight-ipynb"><pre><span class="n">a</span></pre></div>
<div class="jp-OutputArea-output jp-RenderedText"><pre>7</pre></div><script>x</script>
<div class="jp-OutputArea-output"><figure class="chart"><svg style="fill: var(--a, #012345)"/></figure></div></div>
"""


@cache
def _pool() -> object:
    return load(SEEDS / "bib")


def _run(files: Files, folder: Path) -> Outcome:
    """The file is a notebook, and can be shown in every way; or it is refused by its name."""
    write_files(files, folder)
    path = folder / "one.ipynb"
    try:
        notebook = read_notebook(path)
        said = [cell for cell in notebook["cells"] if cell["cell_type"] != "code"]
        if len(said) == len(notebook["cells"]):
            notebook = executed([path], folder)[path]
        with_figures(notebook, _pool(), "notebooks/one.ipynb", lambda *_: "")  # type: ignore[arg-type]
    except InvalidSurvey as error:
        if "one.ipynb" not in str(error):
            raise Lost("refused without the name of the file") from None
        return Outcome.REPORTED
    held = tables(notebook)
    page = markdown(notebook)
    for head, _ in held.values():
        assert isinstance(head, list)
    if any("".join(cell["source"]).strip() and not page.strip() for cell in notebook["cells"]):
        raise Lost("a page without the text of its cells")
    return Outcome.ACCEPTED


def _run_again(files: Files, folder: Path) -> Outcome:
    """An earlier run is taken only as it was; a damaged one is as good as none, and the notebook is run anew."""
    write_files(files, folder)
    found = _valid_run(folder / "one.json", OWN)
    if found is not None and found != NOTEBOOK:
        raise Lost("a damaged run is taken for a true one")
    return Outcome.REPORTED if found is None else Outcome.ACCEPTED


OWN = ["what it depends on"]


def _cached_runs() -> list[Files]:
    run = with_digest({"own": OWN, "reads": {"absent": "absent"}, "notebook": NOTEBOOK})
    return [{"one.json": run}]


def _rendered(files: Files, folder: Path) -> Outcome:
    del folder
    (data,) = files.values()
    try:
        slimmed(data.decode("utf-8", "replace"), "notebooks/one.ipynb", KNOWN)
    except InvalidSurvey:
        return Outcome.REPORTED
    return Outcome.ACCEPTED


TARGETS = (
    Target("notebook", "json", lambda: [{"one.ipynb": json.dumps(NOTEBOOK, indent=1).encode()}], _run, more=("*.ipynb",)),
    Target("run of a notebook", "json", _cached_runs, _run_again),
    Target("page of a notebook", "html", lambda: [{"page.html": PAGE}], _rendered),
)  # fmt: skip
