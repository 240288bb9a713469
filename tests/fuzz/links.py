"""Symbolic links to files elsewhere, in every place of a project and of a folder of logs: none is read or replaced.

``python -m tests.fuzz.links`` prints the outcome of each as JSON; exit status 1 if a file elsewhere was read or changed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from survey.cli import main as survey
from survey.site.publishing.staging import staged_folder
from tests.fuzz.targets import TARGETS
from tests.fuzz.targets.site import undrawn
from tests.fuzz.targets.target import Files, files_below, write_files
from tests.traces.importers.samples import sample

SECRET = "a-secret-of-another-folder"
FOLDERS = (
    "claude-code/siblings", "claude-code/folders", "claude-code/workflow", "claude-code-team/harbour", "codex/team",
    "openhands/team", "atif/segments",
)  # fmt: skip
"""Folders of logs, by the importer that reads them."""


def outcomes() -> Iterator[tuple[str, str, str]]:
    """Yield the place of each link, its name, and what came of it: "refused", "not read", or what went wrong."""
    (project,) = TARGETS["pages of a site"].seeds()
    project = {**project, "docs/file.txt": b"", "docs/in/page.md": b"# Page\n"}
    for name in sorted(project.keys() - {"mkdocs.yml"}):
        yield "project", name, _built(project, name)
    for folder in FOLDERS:
        logs = files_below(sample(folder))
        for name in sorted(logs):
            yield folder, name, _imported(folder.partition("/")[0], logs, name)
    for name in ("index.html", "assets"):
        yield "output", name, _published(name)


def _linked(files: Files, name: str, folder: Path, elsewhere: Path) -> None:
    """Write the files, and in place of one of them a link to a copy elsewhere that holds the secret."""
    write_files(files, folder)
    elsewhere.mkdir()
    data = files[name].replace(b"\n", b"  \n", 1) if not name.endswith((".md", ".txt")) else SECRET.encode()
    (elsewhere / SECRET).write_bytes(data)
    (folder / name).unlink()
    (folder / name).symlink_to(elsewhere / SECRET)


def _built(files: Files, name: str) -> str:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        project = Path(place, "project")
        _linked(files, name, project, Path(place, "elsewhere"))
        with chdir(project), undrawn():
            result = CliRunner().invoke(survey, ["pages", "--out", "out"])
        if (project / "out").exists():
            return "a page was written"
        return "refused" if result.exit_code == 1 and Path(name).name in result.stderr else f"failed: {result.stderr}"


def _imported(importer: str, logs: Files, name: str) -> str:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place, "logs")
        _linked(logs, name, folder, Path(place, "elsewhere"))
        (Path(place, "elsewhere") / SECRET).write_bytes(logs[name])
        result = CliRunner().invoke(survey, ["trace", "import", importer, str(folder), "-o", str(Path(place, "out"))])
        if result.exit_code == 0:  # then without that file
            (folder / name).unlink()
            again = CliRunner().invoke(
                survey, ["trace", "import", importer, str(folder), "-o", str(Path(place, "out"))]
            )
            return "not read" if again.stderr == result.stderr else "read"
        return "refused" if "a link to a file outside" in result.stderr else f"failed: {result.stderr}"


def _published(name: str) -> str:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        elsewhere, site = Path(place, "elsewhere"), Path(place, "site")
        (elsewhere / "assets").mkdir(parents=True)
        (elsewhere / "index.html").write_text(SECRET)
        (elsewhere / "assets" / "a.txt").write_text(SECRET)
        site.mkdir()
        (site / name).symlink_to(elsewhere / name)
        with staged_folder(site) as new:
            write_files({"index.html": b"new", "assets/a.txt": b"new"}, new)
        kept = (elsewhere / "index.html").read_text() == (elsewhere / "assets" / "a.txt").read_text() == SECRET
        return "not read" if kept and not (site / name).is_symlink() else "a file elsewhere was changed"


def main() -> None:
    """Try every link."""
    found = list(outcomes())
    for one in found:
        print(json.dumps(one))
    if any(kind not in ("refused", "not read") for _, _, kind in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
