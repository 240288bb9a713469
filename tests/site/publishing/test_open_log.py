"""The parts of the page that opens a log: archives in scripts, the toolkit, and Python for browsers."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from survey.extras import PROJECT
from survey.site.pages.traces.open_log.builder import ARCHIVES, EXAMPLES, open_log_pages
from survey.site.pages.traces.open_log.packing import PIECE, scripts
from survey.site.pages.traces.open_log.runtime import FOLDER, MSGSPEC, PYODIDE, Pinned, _script
from tests.conftest import ROOT


def unpacked(made: dict[str, str], name: str) -> dict[str, bytes]:
    """The files of an archive, as a reader of our own takes them out of its scripts."""
    about = json.loads(re.fullmatch(r".*? = (\{.*\});\n", made[f"{name}.js"])[1])  # type: ignore[index]
    pieces = [re.fullmatch(r'.*? = "([^"]*)";\n', made[one])[1] for one in about["scripts"]]  # type: ignore[index]
    packed = base64.b64decode("".join(pieces))
    assert len(packed) == about["bytes"]
    head, _, rest = gzip.decompress(packed).partition(b"\n")
    stream = io.BytesIO(rest)
    return {name: stream.read(size) for name, size in json.loads(head)}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {Path(path).name: text for path, text in open_log_pages(None) if path.startswith(ARCHIVES)}  # type: ignore[arg-type]


def test_what_is_packed_comes_out_as_it_was_however_long() -> None:
    files = {"a": bytes(range(256)) * 20_000, "empty": b"", "line\nbreak": b"\n"}
    noise = {"noise": bytes((i * i * 2654435761 >> 13) & 255 for i in range(2_000_000))}
    made = dict(scripts("x", files | noise, {}))
    assert len(made) > 2
    assert max(map(len, made.values())) < PIECE + 100
    assert unpacked(made, "x") == files | noise


def test_the_same_files_give_the_same_scripts() -> None:
    assert dict(scripts("x", {"a": b"1"}, {})) == dict(scripts("x", {"a": b"1"}, {}))


def test_the_toolkit_has_the_code_of_the_trace_commands_and_nothing_of_the_pool(made: dict[str, str]) -> None:
    files = unpacked(made, "toolkit")
    assert {name for name, _ in EXAMPLES} < files.keys()
    with zipfile.ZipFile(io.BytesIO(files["toolkit.zip"])) as archive:
        names = archive.namelist()
        assert archive.read("survey/traces/__init__.py") == (ROOT / "survey" / "traces" / "__init__.py").read_bytes()
        importers = archive.read(f"orchestration_survey-{distribution(PROJECT).version}.dist-info/entry_points.txt")
    assert b"[survey.importers]" in importers
    assert {"survey/cli/trace/in_browser.py", "jinja2/__init__.py", "click/__init__.py", "markupsafe/_native.py"} < {
        *names
    }
    assert [name for name in names if name.startswith(("survey/literature", "survey/site"))] == []
    assert not [name for name in names if "__pycache__" in name or name.endswith((".so", ".pyc"))]


def test_the_page_looks_for_python_where_it_is_put() -> None:
    assert FOLDER == ARCHIVES


def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.tgz").write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"x\.tgz: found the SHA-256 [0-9a-f]{64}, expected 00"):
        Pinned("x", "1", "x.tgz", "00").checked(tmp_path)


def test_the_pins_name_their_versions() -> None:
    for one in (PYODIDE, MSGSPEC):
        assert one.version in one.file
        assert re.fullmatch(r"[0-9a-f]{64}", one.sha256)


def test_modules_become_one_script_without_imports_and_exports() -> None:
    machine = "async function _createPyodideModule(m) { return import.meta.url; }\nexport default _createPyodideModule;"
    script = _script(machine, "function dt() {}\nexport{dt as loadPyodide,U as version};")
    assert not re.search(r"\bexport\b|import\.meta", script)
    assert "return _createPyodideModule;" in script
    assert "return dt;" in script


def test_modules_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="export other names than expected"):
        _script("export default other;", "export{dt as loadPyodide};")
