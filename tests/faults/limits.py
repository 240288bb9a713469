"""``python -m tests.faults.limits``: the same commands on a disk that is full, one that is read-only, and without fonts.

Needs ``unshare`` and the right to mount in a namespace of its own, as root has it or whoever may make one; nothing
outside of that namespace changes. Ordinary tests prove the same with other means.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.faults.doors import DOORS, environment
from tests.faults.kills import run, snapshot

UNSHARE = ["unshare", "--map-root-user", "--mount"] if os.getuid() else ["unshare", "--mount"]
CONDITIONS = {
    "full disk": "mount -t tmpfs -o size=32m none out; cp -a was/. out; cat /dev/zero >out/ballast 2>&- || :",
    "read-only disk": "cp -a was/. out; mount --bind out out; mount -o remount,bind,ro out",
}
EXPECTED = {"full disk": "no space left on device", "read-only disk": "read-only file system"}
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts")


def under(condition: str, name: str, folder: Path) -> str:
    """What is wrong with what a command does under a condition; empty if all is well."""
    door = DOORS[name]
    folder.mkdir()
    door.prepare(folder)
    (folder / "was").mkdir()
    (folder / "out").mkdir()
    place = f"out/{door.output}"
    if not door.fresh:
        run(door, folder, "b")
        (folder / door.output).rename(folder / "was" / door.output)
    words = door.command(folder, "a")
    command = [*words, "--site-dir", place] if name == "build" else [*words[:-1], place]
    script = f'{CONDITIONS[condition]}; "$@" >said 2>&1; echo $? >status; cp -a out after'
    subprocess.run([*UNSHARE, "sh", "-c", script, "sh", *command], cwd=folder, env=environment(folder), check=True)
    said, status = (folder / "said").read_text(), int((folder / "status").read_text())
    after = {path: data for path, data in snapshot(folder / "after").items() if path not in ("ballast", door.journal)}
    wrong = [] if status in (1, 2) else [f"exit status {status}"]
    wrong += [] if after == snapshot(folder / "was") else ["what was there has changed, or something is left"]
    wrong += [] if EXPECTED[condition] in said.lower() and door.output in said else [f"it says {said[-300:]!r}"]
    return "; ".join(wrong + ["a traceback"] * ("Traceback" in said))


def without_fonts() -> str:
    """What differs in the charts of the real pool if the machine has no fonts; empty if nothing does."""
    code = (
        "from pathlib import Path; from survey.literature import load; from survey.site.charts.drawing import Pictures;"
        "from survey.site.charts.pool_charts import every_chart;"
        "print([Pictures().svg(chart.spec) for chart in every_chart(load(Path('bib'))).values()])"
    )
    hidden = "; ".join(f"[ ! -d {place} ] || mount -t tmpfs none {place}" for place in FONTS)
    words = [sys.executable, "-c", code]
    drawn = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for command in (words, [*UNSHARE, "sh", "-c", f'{hidden}; "$@"', "sh", *words])
    ]
    return "" if drawn[0] == drawn[1] and len(re.findall("<svg", drawn[0])) > 10 else "the charts differ"


def results() -> Iterator[tuple[str, str]]:
    """Each condition and command, and what is wrong."""
    yield "charts without fonts", without_fonts()
    for condition in CONDITIONS:
        for name in DOORS:
            with tempfile.TemporaryDirectory(prefix="faults-") as folder:
                yield f"{name} on a {condition}", under(condition, name, Path(folder) / "work")


def main() -> int:
    """Print every result; 1 if something is wrong."""
    broken = 0
    for title, wrong in results():
        print(f"{title}: {wrong or 'as it should be'}", flush=True)
        broken += bool(wrong)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
