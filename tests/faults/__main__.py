"""``python -m tests.faults --kills 40``: kill each command this often, and report the outcomes."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.kills import campaign
from tests.faults.scenarios import SCENARIOS


def main() -> int:
    """Run the campaign; return 1 if it finds a fault."""
    words = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--kills", type=int, default=40, help="kills of each command")
    words.add_argument("--command", action="append", choices=list(SCENARIOS), help="only this command; repeatable")
    asked = words.parse_args()
    broken = 0
    for name in asked.command or SCENARIOS:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            tally = campaign(SCENARIOS[name], Path(folder) / "work", asked.seed, asked.kills)
        print(
            f"{name}: seed {asked.seed}, {tally.kills} kills within {tally.usual:.1f} s of a run: "
            f"{tally.before} left the earlier output, {tally.after} the new one, "
            f"{tally.left} leftovers for the next run to remove; {tally.early} runs ended before the kill; "
            f"{len(tally.faults)} faults; {time.monotonic() - start:.0f} s in all",
            flush=True,
        )
        print(*(f"  {fault}" for fault in tally.faults), sep="\n", end="\n" if tally.faults else "")
        broken += len(tally.faults)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
