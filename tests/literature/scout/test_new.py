"""``survey new``: an entry with what metadata say, by recorded answers; and the commands that contributors are shown."""

from __future__ import annotations

import hashlib
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlencode

import msgspec
import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.literature.bibtex import parse_bibtex
from survey.literature.loading import latest_today
from survey.literature.scout.asking import Kept
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY, TAXONOMY
from tests.literature.scout.server import atom

ARXIV = "https://export.arxiv.org/api/query"
WORK = r"""<entry><id>http://arxiv.org/abs/2611.00003v2</id><published>2026-11-02T17:59:01Z</published>
<title>$\tau$-Teams: LLM agents that   learn R&amp;D</title><summary>We learn.</summary>
<author><name>Ludwig van Beethoven</name></author><author><name>Mara S\'andor</name></author>
<author><name>The Relay Group</name></author>
<arxiv:comment>9 pages</arxiv:comment><arxiv:journal_ref>Relays 3 (2026)</arxiv:journal_ref>
<link href="http://arxiv.org/abs/2611.00003v2" rel="alternate"/><arxiv:primary_category term="cs.MA"/>
<category term="cs.MA"/></entry>"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small survey, in which commands may ask; every name of a host is unknown."""
    (tmp_path / "bib").mkdir()
    (tmp_path / "bib" / "taxonomy.toml").write_text(TAXONOMY)
    (tmp_path / "bib" / "pool.bib").write_text(ENTRY)
    monkeypatch.delenv("SURVEY_OFFLINE")
    monkeypatch.chdir(tmp_path)

    def nowhere(*_: object, **__: object) -> NoReturn:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    return tmp_path


def new(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["new", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def record(project: Path, source: str, address: str, body: bytes) -> None:
    """Keep an answer of today, as the client keeps what a source said."""
    place = project / ".cache" / "scout" / "raw" / source / hashlib.sha256(address.encode()).hexdigest()[:24]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_suffix(".body").write_bytes(body)
    place.with_suffix(".json").write_bytes(msgspec.json.encode(Kept(address, latest_today())))


@pytest.fixture
def recorded(project: Path) -> Path:
    """The project, with arXiv's answer about one work."""
    query = urlencode({"id_list": "2611.00003", "max_results": "1"})
    record(project, "arxiv", f"{ARXIV}?{query}", atom([WORK], 1))
    return project


def test_an_entry_has_what_arxiv_says_and_empty_lines_for_the_rest(recorded: Path) -> None:
    result = new("https://arxiv.org/abs/2611.00003")
    assert result.exit_code == 0, result.stderr
    (block,) = parse_bibtex(result.stdout).blocks
    assert (block.type, block.key) == ("misc", "tau-teams2026")
    filled = {name: field.text for name, field in block.fields.items() if field.text and name != "added"}
    assert filled == {
        "author": "van Beethoven, Ludwig and Sándor, Mara and {The Relay Group}",
        "title": "{$\\tau$}-Teams: {LLM} agents that learn R\\&D", "year": "2026", "month": "nov",
        "eprint": "2611.00003", "archiveprefix": "arXiv", "primaryclass": "cs.MA",
        "url": "https://arxiv.org/abs/2611.00003", "submitted": "2026-11-02", "version": "2",
        "sources": "https://arxiv.org/abs/2611.00003",
    }  # fmt: skip
    assert {"announced", "tag-reward", "why-reward", "summary"} <= {*block.fields} - {*filled}
    assert result.stderr == (
        'Filled in from arxiv: compare it with the work itself; it appeared as "Relays 3 (2026)", for which journal '
        "or booktitle is missing\n"
    )


def test_the_key_may_be_given(recorded: Path) -> None:
    assert "\n@misc{teams2026," in new("2611.00003", "--key", "teams2026").stdout
    wrong = new("2611.00003", "--key", "../x")
    assert (wrong.exit_code, '"../x" cannot be a key' in wrong.stderr) == (2, True)


def test_a_work_of_the_pool_is_refused_by_its_title_too(recorded: Path) -> None:
    title = "{$\\tau$}-Teams: {LLM} Agents that Learn {R\\&D}"
    (recorded / "bib" / "pool.bib").write_text(
        re.sub(r"title( *)= \{[^\n]*\},", rf"title = {{{title}}},".replace("\\", r"\\"), ENTRY)
    )
    result = new("2611.00003")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: 2611.00003 is in the pool: key2026 (bib/pool.bib:1)\n"


@pytest.mark.parametrize(
    "name", ["2611.00009", "10.5555/x", "https://example.org/teams", "https://openreview.net/forum?id=x"]
)
def test_without_a_network_the_entry_is_blank_and_one_line_says_so(project: Path, name: str) -> None:
    result = new(name)
    assert result.exit_code == 0
    assert result.stderr.startswith(f"The entry is blank: {name} was not looked up (not reached: ")
    assert result.stderr.endswith("its name does not resolve: is there a network?))\n")
    assert len(result.stderr.splitlines()) == 1
    assert re.search(r"(?m)^  author +=  *\{\},$", result.stdout)
    assert new(name, "--offline").stdout == result.stdout


def test_what_is_not_arxivs_answer_is_one_line_and_no_traceback(project: Path) -> None:
    query = urlencode({"id_list": "2611.00003", "max_results": "1"})
    record(project, "arxiv", f"{ARXIV}?{query}", b"<!DOCTYPE html><p>Are you a person?</p>")
    result = new("2611.00003")
    assert (result.exit_code, len(result.stderr.splitlines())) == (0, 1)
    assert "arxiv gave XML with a document type" in result.stderr


# ------------------------------------------------- the commands that contributors are shown


def shown(path: Path, start: str, end: str) -> Iterator[str]:
    """Yield the commands of a part of a page, in code spans and code blocks."""
    text = path.read_text().split(start)[1].split(end)[0]
    for found in re.findall(r"`(survey [^`]+)`|^(?: {8})?(survey [^\n#]+)", text, re.MULTILINE):
        command = "".join(found).strip()
        if not re.search(r"\b(?:DAY|KEY|FILE)\b|mine\.bib", command):
            yield command


PARTS = {
    "README.md": ("\n## Adding an entry", "\n## "),
    "CONTRIBUTING.md": ("\n## Add or correct an entry", "\n## "),
    "docs/take-part/adding-an-entry.md": ("# Adding an entry", "\n## Duplicate works"),
    "survey --help": ("", ""),
}


@pytest.mark.parametrize("page", PARTS)
def test_the_commands_of_the_pages_for_contributors_run_as_they_stand(tmp_path: Path, page: str) -> None:
    """Each runs offline, in a copy of the data of its own; after a new entry, the check says what to fill in."""
    if page == "survey --help":
        told = re.findall(r"(survey new \S+)", CliRunner().invoke(main, ["--help"]).stdout)
        told += re.findall(r"(?m)^ +(survey new .+)$", CliRunner().invoke(main, ["new", "--help"]).stdout)
    else:
        told = [*dict.fromkeys(shown(ROOT / page, *PARTS[page]))]
    assert any("new" in command for command in told)
    program = tmp_path / "survey"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m survey "$@"\n')
    program.chmod(0o755)
    for number, command in enumerate(told):
        project = tmp_path / str(number)
        shutil.copytree(ROOT / "bib", project / "bib")
        shell = ["sh", "-c", f'PATH="{tmp_path}:$PATH" && {command}']
        done = subprocess.run(shell, cwd=project, capture_output=True, text=True, check=False)
        assert (done.returncode, "already exists" in done.stderr) == (0, False), (command, done.stderr)
        if ">> bib/pool.bib" in command:
            checked = subprocess.run([program, "check"], cwd=project, capture_output=True, text=True, check=False)
            assert checked.returncode == 1
            assert checked.stderr.count(": is empty") == len(checked.stderr.splitlines()) - 2, checked.stderr
