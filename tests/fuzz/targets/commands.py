"""The command line as a fuzz target: any arguments, in a folder outside of which nothing is written."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import click
from click.testing import CliRunner

from survey.cli import main
from tests.fuzz.mutate import arguments
from tests.fuzz.targets.site import undrawn
from tests.fuzz.targets.target import ROOT, SEEDS, Files, Lost, Outcome, Target, clear, write_files
from tests.traces.importers.samples import sample

LINES = """
check
check new.bib
stats --format json --as-of 2026-05-04
crosstab reward decision --format csv
list --where reward=shared --where decision=stop:learned --primary
show key2026
export --format bib -o out.bib
export --format csl-json --key key2026
export --format ris --where kind=method
export --format csv
export --format json
export --format parquet -o out.parquet
export --format bib-tagged
new 2603.06859
claims --format json
gaps reward decision
gaps --format json
diff 2026-05-04 2026-11-21
diff --with other/bib --format markdown --site https://example.org/
robustness
agreement
related --where reward=R1 --cover reward --format latex
--bib bib stats
--version
--help
trace check run.jsonl --strict --limit 5 --format json
trace report run.jsonl --format html -o page.html
trace report run.jsonl
trace report run.jsonl other.jsonl session.jsonl -o runs.html --workers 2
trace report run.jsonl other.jsonl --format json
trace report scores.jsonl --format parquet -o runs.parquet --no-pages --restart
trace import auto session.jsonl -o made.jsonl.gz --salt x
trace import claude-code session.jsonl --keep-content
trace formats
trace export perfetto run.jsonl -o out.json
trace export mermaid run.jsonl
trace replay run.jsonl --until e3 --cut
trace replay run.jsonl --format json
trace diff run.jsonl other.jsonl
trace anonymise run.jsonl --salt x -o out.zst
trace reward run.jsonl --family R7 --weight latency=0 --format csv
trace credit run.jsonl --unit message --method shapley
trace stopping run.jsonl other.jsonl --rule giving-up:3,0.2 --among a --between 0 1 --format csv
trace score *.jsonl -o scores.jsonl --workers 2
trace score run.jsonl --measure wall_s --family R1 --format csv --restart
trace score run.jsonl other.jsonl --credit shapley --unit agent --samples 8 --seed 3 --no-rewards
pages --out made
pages --out made --project other
""".strip().splitlines()
"""Every command."""

OUTSIDE = ("dask",)
"""Arguments that no input may use: a cluster has its own tests."""


def _lines() -> list[Files]:
    return [{"arguments": json.dumps(line.split()).encode()} for line in LINES]


@cache
def _words() -> tuple[str, ...]:
    """Return every word that the commands know, and some that none knows."""
    known = {word for line in LINES for word in line.split()}
    waiting: list[click.Command] = [main]
    while waiting:
        command = waiting.pop()
        known |= {
            name
            for parameter in command.params
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name[:1] == "-"
        }
        if isinstance(command, click.Group):
            context = click.Context(command)
            names = command.list_commands(context)
            known.update(names)
            waiting += filter(None, (command.get_command(context, name) for name in names))
    strange = ("", "-", "--", "x", "0", "-1", "9" * 400, "nan", "bib", "bib/pool.bib", ".", "missing", "\udcff", "é" * 300,
               "=", "a=b", "reward=", "reward=shared,", "reward=nobody", "decision=stop:", "2026-02-30", "0001-01-01",
               "9999-12-31", "x" * 5_000, "\u202e", "*", "key2026\n", "link.bib", "empty", "a/b/c")  # fmt: skip
    return (*sorted(known), *strange)


def _mutated(seed: Files, others: Sequence[bytes], kind: str, chance: Random) -> Files:
    del others, kind
    return {"arguments": json.dumps(arguments(json.loads(seed["arguments"]), _words(), chance)).encode()}


def _run(files: Files, folder: Path) -> Outcome:
    given: list[str] = json.loads(files["arguments"])
    if set(given) & set(OUTSIDE):
        return Outcome.REPORTED
    with chdir(folder), _inside(folder, given) as outside, undrawn(), _alone():
        result = CliRunner().invoke(main, given, input=b"")
    if outside:
        raise Lost(f"writes outside its folder: {outside[:3]}")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code not in (0, 1, 2):
        raise Lost(f"ends with {result.exit_code}")
    if result.exit_code and not (result.output.strip() or result.stderr.strip()):
        raise Lost(f"ends with {result.exit_code} and says nothing")
    _lay(folder)
    return Outcome.REPORTED if result.exit_code else Outcome.ACCEPTED


@contextmanager
def _alone() -> Iterator[None]:
    """Score in this process: another takes a second to start, and the campaign's alarm does not limit it."""
    with patch("survey.cli.trace.corpus.processes", lambda tasks, work, workers, failures: map(work, tasks)):
        yield


def _lay(folder: Path) -> None:
    """Restore the folder: a small survey with a page, a copy of it, a trace and a log."""
    if sorted(path.name for path in folder.iterdir()) == LAID and not any((folder / "empty").iterdir()):
        return
    clear(folder)
    shutil.copytree(SEEDS / "bib", folder / "bib")
    shutil.copytree(SEEDS / "bib", folder / "other" / "bib")
    shutil.copy(SEEDS / "bib" / "background.bib", folder / "new.bib")
    shutil.copy(sample("claude-code/inline.jsonl"), folder / "session.jsonl")
    for name in ("run.jsonl", "other.jsonl"):
        trace = json.loads((ROOT / "survey/traces/model/example.json").read_text())
        (folder / name).write_text(json.dumps(trace) + "\n")
    (folder / "empty").mkdir()
    for project in (folder, folder / "other"):
        write_files({"mkdocs.yml": b"site_name: Small\n", "docs/index.md": b"# Small\n\n{{ count() }}\n"}, project)


LAID = ["bib", "docs", "empty", "mkdocs.yml", "new.bib", "other", "other.jsonl", "run.jsonl", "session.jsonl"]


# --------------------------------------------------- nothing leaves the folder

CHANGES = {
    "os.mkdir": 0,
    "os.rename": 1,
    "os.remove": 0,
    "os.rmdir": 0,
    "os.symlink": 1,
    "os.link": 1,
    "os.truncate": 0,
}
"""Audit events that change files, with the index of the path in their arguments."""

_watch: dict[str, Any] = {}


def _audited(event: str, details: tuple[Any, ...]) -> None:
    """Block changes outside of the folder before they happen."""
    if not _watch or (event != "open" and event not in CHANGES):
        return
    if event == "open":
        path, _, flags = details
        if not isinstance(flags, int) or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            return
    else:
        path = details[CHANGES[event]]
    if isinstance(path, int) or path is None:
        return
    place = os.path.realpath(os.fsdecode(path))
    if event == "open" and Path(place).is_dir():  # an unnamed file, which disappears with its process
        return
    if f"{place}/".startswith((f"{_watch['folder']}/", "/dev/")) or place.endswith(".pyc") or "__pycache__" in place:
        return
    if not any(word and (word in place or os.path.realpath(word) == place) for word in _watch["given"]):
        _watch["outside"].append(f"{event} {place}")
    raise PermissionError(13, "outside of the folder", place)


@contextmanager
def _inside(folder: Path, given: Sequence[str]) -> Iterator[list[str]]:
    """Yield attempted writes outside of a folder that the arguments do not name; all are blocked."""
    if "hooked" not in _HOOKED:
        sys.addaudithook(_audited)  # cannot be removed; inactive unless watching
        _HOOKED.append("hooked")
    outside: list[str] = []
    words = [part for word in given for part in (word, word.partition("=")[2], word[2:])]
    _watch.update(folder=os.path.realpath(folder), given=words, outside=outside)
    try:
        yield outside
    finally:
        _watch.clear()


_HOOKED: list[str] = []

TARGETS = (Target("command line", "argument", _lines, _run, _lay, mutate=_mutated),)
