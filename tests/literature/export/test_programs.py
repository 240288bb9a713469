"""Real programs read our exports without an error or a warning about an entry."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import Pool
from survey.literature.export import FORMATS

pytestmark = pytest.mark.programs

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def original(pool: Pool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the full pool as clean BibTeX and as CSL-JSON."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / "pool.bib").write_bytes(FORMATS["bib"](pool))
    (folder / "tagged.bib").write_bytes(FORMATS["bib-tagged"](pool))
    (folder / "pool.json").write_bytes(FORMATS["csl-json"](pool))
    return folder


@pytest.fixture
def exported(original: Path, tmp_path: Path) -> Path:
    """A copy of it, in which programs leave their files."""
    return Path(shutil.copytree(original, tmp_path / "exported"))


@pytest.mark.parametrize("style", ["plain", "alpha", "unsrt", "abbrv"])
@pytest.mark.parametrize("file", ["pool", "tagged"])
def test_bibtex_cites_every_entry_without_a_warning(
    exported: Path, pool: Pool, program: Run, style: str, file: str
) -> None:
    (exported / "x.aux").write_text(f"\\citation{{*}}\n\\bibstyle{{{style}}}\n\\bibdata{{{file}}}\n")
    result = program("bibtex", "x", cwd=exported)
    log = (exported / "x.blg").read_text(errors="replace")
    assert result.returncode == 0, log
    assert "Warning" not in log, log
    cited = re.findall(r"\\bibitem(?:\[.*?\])?\{([^}]+)\}", (exported / "x.bbl").read_text(errors="replace"), re.DOTALL)
    assert sorted(cited) == sorted(entry.key for entry in pool)


@pytest.mark.parametrize("file", ["pool", "tagged"])
def test_biber_validates_every_entry_without_a_warning(exported: Path, pool: Pool, program: Run, file: str) -> None:
    arguments = ["--tool", *(["--validate-datamodel"] if file == "pool" else []), "-O", "out.bib", f"{file}.bib"]
    result = program("biber", *arguments, cwd=exported)
    complaints = [line for line in result.stdout.splitlines() if line.startswith(("WARN", "ERROR"))]
    assert (result.returncode, complaints) == (0, [])
    assert len(re.findall(r"(?m)^@", (exported / "out.bib").read_text())) == len(pool)


@pytest.mark.parametrize(("file", "form"), [("pool.bib", "bibtex"), ("pool.bib", "biblatex"), ("pool.json", "csljson")])
def test_pandoc_reads_every_entry(exported: Path, pool: Pool, program: Run, file: str, form: str) -> None:
    result = program("pandoc", "-f", form, "-t", "csljson", file, cwd=exported)
    assert (result.returncode, result.stderr) == (0, "")
    items = {item["id"]: item for item in json.loads(result.stdout)}
    assert set(items) == {entry.key for entry in pool}
    for entry in pool:
        families = [(a.get("family") or a.get("literal")).replace("’", "'") for a in items[entry.key]["author"]]
        wanted = [name.family for name in entry.authors] + (["others"] if entry.text("authors-incomplete") else [])
        assert families == wanted, entry.key


@pytest.mark.parametrize("file", ["pool.bib", "pool.json"])
def test_pandoc_cites_every_entry(exported: Path, pool: Pool, program: Run, file: str) -> None:
    text = "\n\n".join(f"[@{entry.key}]" for entry in pool)
    result = program(
        "pandoc", "--citeproc", "--bibliography", file, "-f", "markdown", "-t", "html", cwd=exported, stdin=text
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert set(re.findall(r'id="ref-([^"]+)"', result.stdout)) == {entry.key for entry in pool}


def test_citeproc_py_cites_every_entry(exported: Path, pool: Pool) -> None:
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of variables of CSL 1.0.2 that it does not know yet
        source = CiteProcJSON(json.loads((exported / "pool.json").read_text()))
        style = CitationStylesStyle("harvard-cite-them-right", validate=False)
        bibliography = CitationStylesBibliography(style, source, formatter.plain)
        for entry in pool:
            bibliography.register(Citation([CitationItem(entry.key)]))
        printed = [str(item) for item in bibliography.bibliography()]
    assert len(printed) == len(pool)
    assert any("Chen" in text and "Counterfactual" in text for text in printed)


@pytest.mark.parametrize("file", ["pool.bib", "tagged.bib"])
def test_pybtex_reads_every_entry_and_every_name(exported: Path, pool: Pool, file: str) -> None:
    from pybtex.database import parse_file

    data = parse_file(str(exported / file))
    assert sorted(data.entries) == sorted(entry.key for entry in pool)
    for entry in pool:
        others = bool(entry.text("authors-incomplete")) and file == "pool.bib"
        assert len(data.entries[entry.key].persons["author"]) == len(entry.authors) + others
