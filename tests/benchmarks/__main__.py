"""``make bench``: run all benchmarks, or the named ones, and print the ratios."""

import sys

from tests.benchmarks import (
    bench_credit,
    bench_explorer,
    bench_import,
    bench_import_time,
    bench_notebooks,
    bench_pool,
    bench_score,
    bench_site,
    bench_traces,
    bench_training,
)

BENCHES = {
    bench.__name__.rpartition("bench_")[2]: bench
    for bench in (
        bench_pool,
        bench_site,
        bench_traces,
        bench_import,
        bench_import_time,
        bench_credit,
        bench_training,
        bench_score,
        bench_explorer,
        bench_notebooks,
    )
}

if unknown := [name for name in sys.argv[1:] if name not in BENCHES]:
    raise SystemExit(f"unknown benchmark {', '.join(unknown)} (expected any of {', '.join(BENCHES)})")
for name in sys.argv[1:] or BENCHES:
    for line in BENCHES[name].run():
        print(line, flush=True)
