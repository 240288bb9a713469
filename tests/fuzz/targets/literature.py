"""The targets of the literature: every file of ``bib/``, each read with the others around it."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from survey.literature import InvalidSurvey, Pool, load, read_pool
from survey.literature.bibtex import parse_bibtex, read_bibtex, write_bibtex
from survey.literature.claims import compare_copies
from survey.literature.export import FORMATS
from survey.literature.loading.checking import check_files
from survey.literature.problems import Problem
from tests.fuzz.targets.contents import missing_texts
from tests.fuzz.targets.target import SEEDS, Files, Lost, Outcome, Target, write_files

BIB = SEEDS / "bib"

BLOCK = re.compile(r"(?m)^[ \t]*@([A-Za-z]+)[ \t]*\{[ \t]*([^\s,{}()=]+),\s{0,100}[A-Za-z][A-Za-z-]{0,50}[ \t]*=")
"""What anybody would call an entry: it begins a line, and has a key and a field."""

NO_ENTRY = ("comment", "string", "preamble")

Problems = tuple[Problem, ...]
Keeps = Callable[[Path, Pool | None, Problems], None]
"""Raises ``Lost`` if something of a file is neither in the pool nor in a problem."""


def _around(folder: Path) -> None:
    shutil.copytree(BIB, folder, dirs_exist_ok=True)


def _run(name: str, keeps: Keeps, files: Files, folder: Path) -> Outcome:
    write_files(files, folder)
    pool, problems = read_pool(folder)
    lines = 2 + sum(data.count(b"\n") + data.count(b"\r") for data in files.values())
    for problem in problems:
        assert str(problem).isprintable()
        assert 1 <= problem.line <= lines or Path(problem.path).name != Path(name).name
    keeps(folder / name, pool, problems)
    if problems or pool is None:
        assert problems
        return Outcome.REPORTED
    for write in FORMATS.values():
        write(pool)
    return Outcome.ACCEPTED


def _entries_kept(path: Path, pool: Pool | None, problems: Problems) -> None:
    """Every entry that the text has is read from its line, or a problem lies between its neighbours."""
    del pool
    document = read_bibtex(path, max_bytes=1_000_000)
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        _said(path, problems)
        return
    read = {(block.line, block.key) for block in document.blocks}
    starts = sorted(block.line for block in document.blocks)
    wrong = sorted({problem.line for problem in problems if Path(problem.path).name == path.name})
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match[1].lower() in NO_ENTRY or (line, match[2]) in read:
            continue
        before = max((start for start in starts if start <= line), default=1)
        after = min((start for start in starts if start > line), default=10**9)
        if not any(before <= place < after for place in wrong):
            raise Lost(f"{path.name}:{line}: {match[0].strip()!r} is neither an entry nor in a problem")
    if not document.problems:
        again = parse_bibtex(write_bibtex(document.blocks))
        texts = [
            [(b.key, b.type, {n: f.text for n, f in b.fields.items()}) for b in d.blocks] for d in (document, again)
        ]
        if again.problems or texts[0] != texts[1]:
            raise Lost(f"{path.name}: what is read is not what is written and read again")


def _tables_kept(path: Path, pool: Pool | None, problems: Problems) -> None:
    """Every text and number of the file is somewhere in the pool, unless a problem is about the file."""
    if any(Path(problem.path).name == path.name for problem in problems):
        return
    assert pool is not None
    if missing := missing_texts(path.read_bytes().decode(), pool):
        raise Lost(f"{path.name}: {missing[:3]} are neither in the pool nor in a problem")


def _keys_kept(path: Path, pool: Pool | None, problems: Problems) -> None:
    try:
        lines = path.read_bytes().decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except UnicodeDecodeError:
        _said(path, problems)
        return
    assert pool is not None
    known = {e.key for e in (*pool.entries, *pool.records)} | {"old2024"}
    said = {problem.line for problem in problems if Path(problem.path).name == path.name}
    for number, line in enumerate(lines, 1):
        if (key := line.strip()) and not key.startswith("#") and key not in known and number not in said:
            raise Lost(f"{path.name}:{number}: {key!r} is no key and in no problem")


def _rows_kept(path: Path, pool: Pool | None, problems: Problems) -> None:
    """As many rows are read as there are, or a problem is about the file."""
    if any(Path(problem.path).name == path.name for problem in problems):
        return
    assert pool is not None
    rows = [row for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), strict=True) if row]
    if path.name == "screened.csv":
        read = len(pool.screened)
    else:
        read = len(pool.adjudications if path.stem == "adjudications" else pool.codings[path.stem].judgements)
    if len(rows) - 1 != read:
        raise Lost(f"{path.name}: {len(rows) - 1} rows, of which {read} were read")


def _said(path: Path, problems: Problems) -> None:
    if not any(Path(problem.path).name == path.name for problem in problems):
        raise Lost(f"{path.name}: cannot be read, and no problem says so")


def _door(name: str, kind: str, keeps: Keeps) -> Target:
    seed = {name: (BIB / name).read_bytes()}
    return Target(
        Path(name).name, kind, lambda: [seed], partial(_run, name, keeps), _around, more=(Path(name).name,)
    )  # fmt: skip


def _checked(files: Files, folder: Path) -> Outcome:
    """A contribution, checked against the pool before it is taken in."""
    write_files(files, folder)
    problems = check_files([folder / name for name in files], whole_pool())
    for problem in problems:
        assert str(problem).isprintable()
    return Outcome.REPORTED if problems else Outcome.ACCEPTED


def _compared(files: Files, folder: Path) -> Outcome:
    """Another copy of the data, compared with this one."""
    write_files(files, folder)
    try:
        other = load(folder)
    except InvalidSurvey:
        return Outcome.REPORTED
    found = compare_copies(other, whole_pool())
    here, there = ({e.key for e in (*p.entries, *p.records)} for p in (whole_pool(), other))
    told = {e.key for e in (*found.entries, *found.records, *found.gone_entries, *found.gone_records)}
    told |= {key for edit in found.edits for key in (edit.before.key, edit.after.key)}
    if gone := (here ^ there) - told:
        raise Lost(f"{sorted(gone)} are in one copy only, and the comparison does not say so")
    return Outcome.ACCEPTED


_LOADED: dict[str, Pool] = {}


def whole_pool() -> Pool:
    """The small survey, unharmed."""
    if "pool" not in _LOADED:
        _LOADED["pool"] = load(BIB)
    return _LOADED["pool"]


NEW = b"""@misc{new2026,
  author     = {New, Some},
  title      = {Something New},
  year       = {2026},
  url        = {https://example.org/new},
  tag-reward = {process},
  why-reward = {Page 3.},
  tag-decision = {na},
  tag-kind   = {study},
  summary    = {It is new.},
  added      = {2026-11-22},
}
"""

TARGETS = (
    *(_door(name, "bibtex", _entries_kept) for name in ("pool.bib", "excluded.bib", "background.bib")),
    *(
        _door(f"{name}.toml", "toml", _tables_kept)
        for name in (
            "taxonomy",
            "claims",
            "gaps",
            "scale",
            "searches",
            "protocol",
            "appraisal",
            "editions",
            "codings/readers",
        )
    ),
    *(_door(f"codings/{name}.csv", "csv", _rows_kept) for name in ("first", "second", "adjudications")),
    _door("screened.csv", "csv", _rows_kept),
    _door("editions/keys.txt", "csv", _keys_kept),
    Target(
        "contribution", "bibtex", lambda: [{"new.bib": NEW}, {"new.bib": (BIB / "pool.bib").read_bytes()}], _checked
    ),
    Target(
        "another copy",
        "bibtex",
        lambda: [{"pool.bib": (BIB / "pool.bib").read_bytes()}, {"pool.bib": (BIB / "pool.bib").read_bytes() + NEW}],
        _compared,
        _around,
    ),
)
