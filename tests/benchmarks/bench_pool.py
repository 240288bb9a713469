"""Load, check and count a large pool, against bibtexparser's bare parse of the same file."""

from __future__ import annotations

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
from tests.conftest import ROOT

SIZES = (1_000, 10_000)
ROUNDS = 3


def run() -> Iterator[str]:
    """One line per size: how many times the bare parse everything takes."""
    pool = load(ROOT / "bib")
    yield "load + check + statistics, against bibtexparser's bare parse of the same file"
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "taxonomy.toml").write_bytes((ROOT / "bib" / "taxonomy.toml").read_bytes())
            text = grown(pool, size)
            (folder / "pool.bib").write_text(text)
            ours = [seconds(lambda: _all(folder)) for _ in range(ROUNDS)]  # noqa: B023
            peer = [seconds(lambda: Splitter(text).split()) for _ in range(ROUNDS)]  # noqa: B023
        ratios = [a / b for a, b in zip(ours, peer, strict=True)]
        yield (
            f"  {size:>7} entries, {len(text) / 1e6:5.1f} MB: {median(ratios):.2f} times "
            f"({min(ratios):.2f} to {max(ratios):.2f}; {median(ours) / size * 1e6:.0f} us an entry)"
        )


def grown(pool: Pool, size: int) -> str:
    """A pool of so many entries: the real ones again and again, each with its own key and identifiers."""
    blocks = []
    for number in range(size):
        block = pool.entries[number % len(pool)].block
        fields = {n: f for n, f in block.fields.items() if n not in ("doi", "eprint", "archiveprefix", "appeared")}
        fields["url"] = Field(f"https://example.org/{number}", 1)
        fields["title"] = Field(f"{block.text('title')} {number}", 1)
        blocks.append(replace(block, key=f"{block.key}.{number}", fields=MappingProxyType(fields)))
    return write_bibtex(blocks)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = process_time()
    work()
    return process_time() - start


def _all(folder: Path) -> None:
    pool = load(folder)
    for axis in pool.taxonomy.on("entry"):
        counts(pool, axis.id)
    crosstab(pool, "reward", "credit")
