"""Notebooks as pages: run when what they depend on has changed, and as light as any other page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from survey.literature import InvalidSurvey, Pool, load
from survey.site.charts.drawing import Pictures
from survey.site.charts.plots import plot, table
from survey.site.notebooks import execution
from survey.site.notebooks.execution import executed
from survey.site.notebooks.rendering import markdown, slimmed, tables, with_figures
from survey.site.prose.prose import render_prose
from survey.site.publishing.folder import write_folder
from tests.conftest import ROOT, few_data

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

LOOSE = re.compile(r"\bat 0x[0-9a-f]{6,}|(?<![\w.])/(?:home|tmp|root|Users|work)/")
"""An object's address or a path of this machine, which the next run would print differently."""


def cell(kind: str, source: str, id: str) -> dict[str, Any]:
    more: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": id, "metadata": {}, "source": source, **more}


def notebook(project: Path, name: str, *cells: dict[str, Any]) -> Path:
    path = project / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    few_data(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n[One](../notebooks/one.ipynb)\n")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "site.txt").write_text("altair==6.3.0\n")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: T\n"
        "plugins:\n  - survey\n  - mkdocs-jupyter: {include: ['*.ipynb'], execute: false, no_prompt: true}\n"
        "markdown_extensions: [attr_list, md_in_html, tables]\n"
    )
    return tmp_path


def ran(project: Path, *paths: Path) -> list[str]:
    """The notebooks that are run when these are asked for."""
    said: list[str] = []
    executed(paths, project, said.append)
    return sorted(Path(line.removeprefix("running ")).stem for line in said)


# ------------------------------------------------------------- when it is run


def test_a_notebook_runs_again_when_and_only_when_something_it_depends_on_has_changed(project: Path) -> None:
    counting = notebook(
        project, "counting", cell("code", "from survey.literature import load\nlen(load('../bib'))", "a")
    )
    alone = notebook(project, "alone", cell("code", "import helper\nhelper.two() + 1", "a"))
    (project / "notebooks" / "helper.py").write_text("def two():\n    return 2\n")
    both = (counting, alone)
    assert ran(project, *both) == ["alone", "counting"]
    assert ran(project, *both) == []

    (project / "docs" / "index.md").write_text("# Another sentence\n")
    assert ran(project, *both) == [], "an edit of prose runs nothing"

    pool_file = project / "bib" / "pool.bib"
    pool_file.write_text(pool_file.read_text() + "\n% a note\n")
    assert ran(project, *both) == ["counting"], "an edit of the pool runs what reads it"

    taxonomy = project / "bib" / "taxonomy.toml"
    taxonomy.write_text(taxonomy.read_text() + "\n# a note\n")
    assert ran(project, *both) == ["counting"], "the taxonomy is data as well"

    (project / "notebooks" / "helper.py").write_text("def two():\n    return 1 + 1\n")
    assert ran(project, *both) == ["alone"], "an edit of a module runs what loads it"

    (project / "requirements" / "site.txt").write_text("altair==6.4.0\n")
    assert ran(project, *both) == ["alone", "counting"], "other versions may give other results"

    notebook(project, "alone", cell("code", "40 + 2", "a"))
    assert ran(project, *both) == ["alone"]


def test_a_run_depends_on_the_modules_of_the_package_that_it_loads_and_on_no_others(project: Path) -> None:
    executed([notebook(project, "one", cell("code", "from survey.traces import check", "a"))], project)
    reads = {
        Path(p).as_posix()
        for p in json.loads((project / ".cache/notebooks/one.json").read_text().partition("\n")[2])["reads"]
    }
    package = {path.partition("/survey/")[2] for path in reads if "/survey/" in path}
    assert {"traces/replay/checking.py", "traces/model/trace.py", "__init__.py"} <= package
    assert not [
        path
        for path in package
        if path.startswith(("literature/", "site/notebooks/e", "site/notebooks/rend", "traces/credit"))
    ]


def test_what_draws_in_a_notebook_knows_nothing_of_the_pool() -> None:
    """Else each edit in the code of the literature would run all notebooks again."""
    program = (
        "import sys, survey.site.charts.plots; print([name for name in sys.modules if 'survey.literature' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_a_kept_run_that_is_damaged_is_run_again(project: Path) -> None:
    one = notebook(project, "one", cell("code", "1 + 1", "a"))
    first = executed([one], project)[one]
    (project / ".cache" / "notebooks" / "one.json").write_text('{"own": [')
    assert ran(project, one) == ["one"]
    assert executed([one], project)[one] == first


@pytest.mark.parametrize(
    ("old", "new"),
    [('"notebook"', '"notebok"'), ('"cell_type": "code"', '"cell_type": "cod"'), ('"2"', '"3"'), ('{"own"', '["own"')],
)
def test_a_kept_run_in_which_anything_was_changed_is_none(tmp_path: Path, old: str, new: str) -> None:
    place, own = tmp_path / "one.json", ["a state"]
    cells = [{"cell_type": "code", "source": "1 + 1", "outputs": [{"data": {"text/plain": "2"}}]}]
    kept = execution.with_digest({"own": own, "reads": {}, "notebook": {"cells": cells}}).decode()
    place.write_text(kept)
    assert execution._valid_run(place, own) == {"cells": cells}
    place.write_text(kept.replace(old, new))
    assert execution._valid_run(place, own) is None


def test_two_runs_give_the_same_bytes(project: Path) -> None:
    source = "import sys\nprint(1)\nprint({'b', 'a', 'c', 'd'})\nprint('x', file=sys.stderr)\n[3]"
    one = notebook(project, "one", cell("code", source, "a"), cell("markdown", "Text", "b"))
    first = json.dumps(executed([one], project)[one])
    shutil.rmtree(project / ".cache")
    assert json.dumps(executed([one], project)[one]) == first


@pytest.mark.parametrize("length", [60, 90, 120])
def test_a_notebook_runs_however_long_the_name_of_the_temporary_folder_is(
    project: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """The name of a socket may have a hundred bytes or so, that of a file more."""
    folder = Path(tempfile.mkdtemp(prefix="x" * length, dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    try:
        assert ran(project, notebook(project, "one", cell("code", "print(1 + 1)", "a"))) == ["one"]
    finally:
        folder.rmdir()  # nothing is left behind


def test_no_code_in_the_cache_or_among_the_users_own_settings_is_executed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "executed"
    for home in (project / ".cache" / "ipython", tmp_path / "own"):
        startup = home / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "00.py").write_text(f"open({str(witness)!r}, 'w')")
        (home / "profile_default" / "ipython_config.py").write_text(f"open({str(witness)!r}, 'w')")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "own"))
    assert ran(project, notebook(project, "one", cell("code", "1 + 1", "a"))) == ["one"]
    assert not witness.exists()


def test_a_notebook_without_code_is_not_run(project: Path) -> None:
    one = notebook(project, "one", cell("markdown", "# Only text", "a"))
    assert ran(project, one) == []


# ------------------------------------------------------------------- failures


def test_a_notebook_that_raises_names_file_line_cell_and_reason(project: Path) -> None:
    one = notebook(project, "one", cell("markdown", "# T", "a"), cell("code", "x = {}\nx['token']", "bad-cell"))
    line = one.read_text().split('"bad-cell"')[0].count("\n") + 1
    with pytest.raises(InvalidSurvey) as raised:
        executed([one], project)
    assert str(raised.value).endswith(f"one.ipynb:{line}: cell 2 (x = {{}}) raises KeyError: 'token'")


@pytest.fixture
def stack() -> Iterator[None]:
    """Python's own limit of nested calls: what built the site in this process before may have raised it."""
    found = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(found)


def nested(depth: int) -> str:
    """A notebook whose kernel is a list in a list in a list."""
    kernel = "[" * depth + "]" * depth
    return f'{{"cells": [], "nbformat": 4, "nbformat_minor": 4, "metadata": {{"kernelspec": {kernel}}}}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not a notebook", "is not a notebook"),
        ('{"cells": [], "nbformat": 4}', "is not a notebook"),
        ('{"cells": [], "nbformat": 9, "nbformat_minor": 0, "metadata": {}}', "is not a notebook"),
        (
            '{"cells": [{"cell_type": "markdown", "source": [7]}], "nbformat": 4, "nbformat_minor": 4}',
            "is not a notebook",
        ),
        ("[" * 100_000, "is not a notebook: it is nested too deeply"),
        *[
            (nested(depth), "is not a notebook: it is nested too deeply")
            for depth in (370, 600)  # too deep to be shown, too deep to be looked at
        ],
        (nested(200), "is not a notebook: .{1,200}$"),
    ],
    ids=[
        "text",
        "no metadata",
        "a format to come",
        "a source that is no text",
        "brackets",
        "nested",
        "nested more deeply",
        "long",
    ],
)
@pytest.mark.usefixtures("stack")
def test_a_file_that_is_no_notebook_is_said_to_be_none(project: Path, content: str, message: str) -> None:
    path = notebook(project, "one")
    path.write_text(content)
    with pytest.raises(InvalidSurvey, match=message):
        executed([path], project)


def test_a_notebook_that_raises_fails_the_build(project: Path) -> None:
    notebook(project, "one", cell("code", "1 / 0", "a"))
    assert "cell 1 (1 / 0) raises ZeroDivisionError: division by zero" in built(project)


def test_an_unknown_citation_is_reported_with_its_cell(pool: Pool, project: Path) -> None:
    path = notebook(project, "one", cell("markdown", "# T", "a"), cell("markdown", "As in [@c33].", "b"))
    with pytest.raises(InvalidSurvey, match=r'notebooks/one.ipynb, cell 2:1: there is no entry "c33"'):
        with_figures(executed([path], project)[path], pool, "notebooks/one.ipynb", Pictures())


def test_a_link_to_a_page_that_is_not_there_fails_the_build(project: Path) -> None:
    notebook(project, "one", cell("markdown", "# T\n\n[Rewards](../read/reward.md)", "a"))
    assert '"read/reward.md"' in built(project)


# ------------------------------------------------------------------- the page


def built(project: Path) -> str:
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", "site"]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    return result.stderr if result.returncode else ""


def test_a_notebook_is_a_page_with_citations_links_and_outputs_and_a_file_to_take_home(project: Path) -> None:
    text = "# One\n\nShared rewards: {{ count('reward=shared') }} [@c3], $x^2$. [Home](../index.md)\n\n## Then"
    code = "print('<b>said</b>')\n{'k': 1}"
    notebook(project, "one", cell("markdown", text, "a"), cell("code", code, "b"))
    assert built(project) == ""
    page = (project / "site" / "notebooks" / "one" / "index.html").read_text()
    body = page[page.index('<h1 id="one"') : page.index("Executed when")]
    assert '<a href="../../entries/c3/">Chen et al., 2026</a>' in body
    assert '<a href="../../">Home</a>' in body
    assert "<math" in body
    assert '<h2 id="then">' in body
    assert '<a href="../../entries/c3/">entry</a></li>' in body
    assert "&lt;b&gt;said&lt;/b&gt;" in body
    assert "{'k': 1}" in body
    assert "<script" not in body
    assert "<style" not in body
    assert "jp-" not in body
    taken = json.loads((project / "site" / "notebooks" / "files" / "one.ipynb").read_text())
    assert taken["cells"][0]["source"] == text, "what is taken home is what was written"
    assert taken["cells"][1]["outputs"], "and holds the outputs"


def test_tables_are_those_outputs_that_are_tables_and_no_other_json() -> None:
    table = {"title": "T", "head": ["a"], "rows": [[1]]}
    outputs = [{"data": {"application/json": data}} for data in (table, {"title": "x"}, [1], 7, None)]
    assert tables({"cells": [{"outputs": outputs}]}) == {"T": (["a"], [[1]])}


def test_an_output_without_words_says_at_least_what_it_is() -> None:
    outputs = [{"output_type": "display_data", "data": {"image/png": "iVBOR"}}, {"output_type": "error"}]
    page = markdown({"cells": [{"cell_type": "code", "source": "draw()", "outputs": outputs}]})
    assert "(image/png)" in page
    assert "(error)" in page


def test_a_page_with_html_that_no_parser_takes_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidSurvey, match=r"notebooks/one\.ipynb:1: holds HTML that cannot be read"):
        slimmed("<p><![CDv </p>", "notebooks/one.ipynb", frozenset())


def test_for_other_generators_a_notebook_is_markdown(project: Path, pool: Pool) -> None:
    code = cell("code", "print('a line')\n7", "b")
    path = notebook(project, "one", cell("markdown", "# One\n\nSee [the other](two.ipynb) and [@c3].", "a"), code)
    page = markdown(with_figures(executed([path], project)[path], pool, "notebooks/one.ipynb", Pictures()))
    assert "[the other](two.md)" in page
    assert "](../entries/c3.md)" in page
    assert "```python\nprint('a line')\n7\n```" in page
    assert "```text\na line\n```" in page.replace("\n\n```", "\n```")


def test_the_folder_for_other_generators_names_notebooks_as_pages(project: Path) -> None:
    notebook(project, "one", cell("markdown", "# One", "a"))
    with (project / "mkdocs.yml").open("a") as config:
        config.write("nav:\n  - Home: index.md\n  - Notebooks:\n      - One: notebooks/one.ipynb\n")
    write_folder(load(project / "bib"), project, project / "out")
    assert (project / "out" / "docs" / "notebooks" / "one.md").read_text().startswith("# One")
    assert "(../notebooks/one.md)" in (project / "out" / "docs" / "index.md").read_text()
    config_out = (project / "out" / "mkdocs.yml").read_text()
    assert "notebooks/one.md" in config_out
    assert "jupyter" not in config_out


# -------------------------------------------------------------------- plots


def test_a_plot_is_a_figure_with_its_sentence_and_its_table() -> None:
    import altair as alt
    import pandas as pd

    frame = pd.DataFrame({"agents": [1, 8], "speed-up": [1.0, 3.25]})
    chart = alt.Chart(frame).mark_line().encode(x="agents", y="speed-up").properties(width=200, height=100)
    shown = plot(chart, "Speed-up <b>", "It rises to 3.25.", frame, "Simulated")
    html = shown._repr_html_()
    assert "Speed-up &lt;b&gt;" in html
    assert 'role="img"' in html
    assert '<th scope="row">8</th><td>3.25</td>' in html
    assert "http" not in html.replace("http://www.w3.org/", "")
    assert re.search(r"var\(--\w+, #\w{6}\)", html), "colours that follow the site, and stand without it"
    assert not re.search(r'"#0[0-9a-b]0[0-9a-b]0[0-9a-b]"', html), "no stand-in colour is left"
    assert repr(shown) == "Speed-up <b>. It rises to 3.25."


def test_a_table_escapes_what_it_shows() -> None:
    import pandas as pd

    html = table(pd.DataFrame({"unit": ["<i>"], "credit": [0.33333]}), "Credit & units")._repr_html_()
    assert "&lt;i&gt;" in html
    assert "<td>0.333</td>" in html
    assert "Credit &amp; units" in html


# ----------------------------------------------------------- ours, one by one


@pytest.fixture(scope="module")
def ours() -> dict[Path, dict[str, Any]]:
    return executed(NOTEBOOKS, ROOT)


def test_every_notebook_of_ours_is_kept_without_outputs() -> None:
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert not [c for c in cells if c.get("outputs") or c.get("execution_count")], path.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_of_ours_opens_with_a_title_cites_and_says_nothing_on_the_side(
    path: Path, ours: dict[Path, dict[str, Any]], pool: Pool
) -> None:
    cells = ours[path]["cells"]
    outputs = [o for c in cells if c["cell_type"] == "code" for o in c["outputs"]]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert text.startswith("# ")
    assert "[@" in text, "it builds on entries of the pool"
    assert not [o for o in outputs if o.get("name") == "stderr"]
    assert not LOOSE.search(json.dumps(outputs))
    assert max(len(line) for c in cells if c["cell_type"] == "code" for line in "".join(c["source"]).splitlines()) <= 88
    assert (
        with_figures(ours[path], pool, f"notebooks/{path.name}", Pictures())["cells"][-1]["id"] == "survey-references"
    )


def cell_of(code: str, output: str) -> str:
    """A code cell as mkdocs-jupyter gives it."""
    lines = "".join('<span class="n">line</span><span class="p">;</span>\n' for _ in range(code.count("\n") + 1))
    return (
        f'<div class="jp-Cell jp-CodeCell"><div class="highlight-ipynb"><pre>{lines}</pre></div>'
        f'<div class="jp-OutputArea-output">{output}</div></div>'
    )


@pytest.mark.parametrize(
    "code",
    [
        "\n".join(f"line {number}" for number in range(20)),
        "\n".join(["def f():", *(f"    return {number}" for number in range(19))]),
        "first = 1\n" + '"""' + "\n".join(f"text {number}" for number in range(18)) + '"""\nlast = 2',
    ],
    ids=["lines", "indented", "a text across the fold"],
)
def test_long_code_is_shown_by_its_first_lines_and_unfolds(code: str) -> None:
    html = "".join(f'<span class="n">{escape(part)}</span>' for part in re.split('(""".*?""")', code, flags=re.DOTALL))
    cell = f'<div class="jp-Cell jp-CodeCell"><div class="highlight-ipynb"><pre>{html}\n</pre></div></div>'
    page = BeautifulSoup(slimmed(cell, "notebooks/one.ipynb", frozenset()), "html.parser")
    shown, rest = (part.get_text() for part in page.select("pre"))
    assert f"{shown}\n{rest}" == code
    assert shown.count("\n") + 1 == 8
    assert page.select_one("details.rest pre") is page.select("pre")[1]
    assert page.select_one("details.rest .unfold").get_text() == f"Show {code.count(chr(10)) + 1 - 8} more lines"  # type: ignore[union-attr]


def test_code_of_fifteen_lines_is_shown_whole() -> None:
    page = slimmed(cell_of("a\n" * 14, "<p>no picture</p>"), "notebooks/one.ipynb", frozenset())
    assert "<details" not in page
    assert page.count(";") == 15


def test_a_long_way_to_a_picture_is_folded_and_a_short_one_is_not() -> None:
    picture = '<figure class="chart"></figure>'
    assert "<details" in slimmed(cell_of("a\n" * 9, picture), "notebooks/one.ipynb", frozenset())
    assert "<details" not in slimmed(cell_of("a\n" * 3, picture), "notebooks/one.ipynb", frozenset())
    assert "<details" not in slimmed(cell_of("a\n" * 9, "<p>no picture</p>"), "notebooks/one.ipynb", frozenset())


def test_light_drops_marks_of_code_that_nobody_sees() -> None:
    page = slimmed(cell_of("a", '<svg fill="var(--hue, #23478f)"></svg>'), "notebooks/one.ipynb", frozenset())
    assert "line;" in page
    assert 'fill="var(--hue)"' in page


def test_light_leaves_prose_as_it_is() -> None:
    page = '<div class="jp-Cell jp-MarkdownCell"><div class="jp-RenderedMarkdown"><p>A &amp; B</p></div></div>'
    assert "<p>A &amp; B</p>" in slimmed(page, "notebooks/one.ipynb", frozenset())


def test_prose_in_parts_is_prose_as_a_whole(pool: Pool) -> None:
    assert '<a href="../../entries/c3/">entry</a></li>' in render_prose("[@c3]", pool, "read/x.md", "x.md", Pictures())
