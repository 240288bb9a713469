"""``python -m tests.faults --kills 40``: kill each command so often, and say what came of it."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.doors import DOORS
from tests.faults.kills import campaign


def main() -> int:
    """Run the campaign; 1 if anything was broken."""
    words = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--kills", type=int, default=40, help="of each command")
    words.add_argument("--of", action="append", choices=list(DOORS), help="only this command; several times")
    asked = words.parse_args()
    broken = 0
    for name in asked.of or DOORS:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            tally = campaign(DOORS[name], Path(folder) / "work", asked.seed, asked.kills)
        print(
            f"{name}: seed {asked.seed}, {tally.kills} kills within {tally.usual:.1f} s of a run: "
            f"{tally.before} left the earlier output, {tally.after} the new one, "
            f"{tally.left} something for the next run to take away; {tally.early} runs were over before; "
            f"{len(tally.faults)} faults; {time.monotonic() - start:.0f} s in all",
            flush=True,
        )
        print(*(f"  {fault}" for fault in tally.faults), sep="\n", end="\n" if tally.faults else "")
        broken += len(tally.faults)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
