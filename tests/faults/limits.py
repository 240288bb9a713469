"""``python -m tests.faults.limits``: the same commands on a full disk and a read-only disk, and without fonts.

Needs ``unshare`` and permission to mount in its own namespace, as for root or with user namespaces; nothing outside
of that namespace changes. Ordinary tests check the same by other means.
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
from tests.faults.kills import run, snapshot
from tests.faults.scenarios import SCENARIOS, environment

UNSHARE = ["unshare", "--map-root-user", "--mount"] if os.getuid() else ["unshare", "--mount"]
CONDITIONS = {
    "full disk": "mount -t tmpfs -o size=32m none out; cp -a was/. out; cat /dev/zero >out/ballast 2>&- || :",
    "read-only disk": "cp -a was/. out; mount --bind out out; mount -o remount,bind,ro out",
}
EXPECTED = {"full disk": "no space left on device", "read-only disk": "read-only file system"}
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts")


def under(condition: str, name: str, folder: Path) -> str:
    """Run a command under a condition; return what is wrong, or an empty text."""
    scenario = SCENARIOS[name]
    folder.mkdir()
    scenario.prepare(folder)
    (folder / "was").mkdir()
    (folder / "out").mkdir()
    place = f"out/{scenario.output}"
    if not scenario.fresh:
        run(scenario, folder, "b")
        (folder / scenario.output).rename(folder / "was" / scenario.output)
    words = scenario.command(folder, "a")
    command = [*words, "--site-dir", place] if name == "build" else [*words[:-1], place]
    script = f'{CONDITIONS[condition]}; "$@" >said 2>&1; echo $? >status; cp -a out after'
    subprocess.run([*UNSHARE, "sh", "-c", script, "sh", *command], cwd=folder, env=environment(folder), check=True)
    said, status = (folder / "said").read_text(), int((folder / "status").read_text())
    after = {
        path: data for path, data in snapshot(folder / "after").items() if path not in ("ballast", scenario.journal)
    }
    wrong = [] if status in (1, 2) else [f"exit status {status}"]
    wrong += [] if after == snapshot(folder / "was") else ["existing files have changed, or new ones remain"]
    wrong += [] if EXPECTED[condition] in said.lower() and scenario.output in said else [f"it says {said[-300:]!r}"]
    return "; ".join(wrong + ["a traceback"] * ("Traceback" in said))


def without_fonts() -> str:
    """Compare the charts of the real pool with and without fonts; return the difference, or an empty text."""
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
    """Yield each condition and command with what is wrong."""
    yield "charts without fonts", without_fonts()
    for condition in CONDITIONS:
        for name in SCENARIOS:
            with tempfile.TemporaryDirectory(prefix="faults-") as folder:
                yield f"{name} on a {condition}", under(condition, name, Path(folder) / "work")


def main() -> int:
    """Print every result; return 1 if something is wrong."""
    broken = 0
    for title, wrong in results():
        print(f"{title}: {wrong or 'ok'}", flush=True)
        broken += bool(wrong)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
