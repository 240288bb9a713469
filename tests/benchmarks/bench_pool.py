"""Load, check and count a large pool and find its gaps, against parsing the same file with bibtexparser."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time
from types import MappingProxyType

from bibtexparser.splitter import Splitter

from survey.literature import Pool, counts, crosstab, load
from survey.literature.bibtex import Field, write_bibtex
from survey.literature.gaps import every_map, ranked
from tests.benchmarks.isolated import peak_memory, run_isolated
from tests.conftest import ROOT

SIZES = {1_000: 3, 10_000: 3, 100_000: 1}
"""Runs by number of entries."""

GIB = 2
"""The memory limit of the largest pool."""


def run() -> Iterator[str]:
    """Yield a line for each size: the ratio to the time of bibtexparser."""
    pool = load(ROOT / "bib")
    yield "load + check + statistics + gaps, against parsing the same file with bibtexparser"
    for size, rounds in SIZES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "taxonomy.toml").write_bytes((ROOT / "bib" / "taxonomy.toml").read_bytes())
            (folder / "pool.bib").write_text(grown(pool, size))
            large = (folder / "pool.bib").stat().st_size / 1e6
            runs = [run_isolated("tests.benchmarks.bench_pool", folder) for _ in range(rounds)]
        ratios = [ours / peer for ours, peer, _ in runs]
        each = median(ours for ours, _, _ in runs) / size * 1e6
        yield (
            f"  {size:>7} entries, {large:5.1f} MB: {median(ratios):.2f} times "
            f"({min(ratios):.2f} to {max(ratios):.2f}; {each:.0f} us an entry), "
            f"at most {max(peak for _, _, peak in runs) / GIB:.2f} times {GIB} GiB of memory"
        )


def main(folder: Path) -> None:
    """Print the seconds of ours and of bibtexparser, and the peak memory of ours in GiB."""
    ours = seconds(lambda: _all(folder))
    most = peak_memory() / 1024
    text = (folder / "pool.bib").read_text()
    print(json.dumps([ours, seconds(lambda: Splitter(text).split()), most]))


def grown(pool: Pool, size: int) -> str:
    """Return a pool of a given size: the real entries repeated, each with its own key and identifiers."""
    blocks = []
    for number in range(size):
        block = pool.entries[number % len(pool)].block
        fields = {
            n: f
            for n, f in block.fields.items()
            if n not in ("doi", "eprint", "archiveprefix", "submitted", "announced", "version")
        }
        fields["url"] = Field(f"https://example.org/{number}", 1)
        fields["title"] = Field(f"{block.text('title')} {number}", 1)
        blocks.append(replace(block, key=f"{block.key}.{number}", fields=MappingProxyType(fields)))
    return write_bibtex(blocks)


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call in seconds."""
    start = process_time()
    work()
    return process_time() - start


def _all(folder: Path) -> None:
    pool = load(folder)
    for axis in pool.taxonomy.on("entry"):
        counts(pool, axis.id)
    crosstab(pool, "reward", "credit")
    ranked(every_map(pool))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
