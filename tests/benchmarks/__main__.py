"""``make bench``: run every benchmark and print its ratios."""

from tests.benchmarks import (
    bench_credit,
    bench_explorer,
    bench_import,
    bench_notebooks,
    bench_pool,
    bench_score,
    bench_site,
    bench_traces,
)

for bench in (
    bench_pool,
    bench_site,
    bench_traces,
    bench_import,
    bench_credit,
    bench_score,
    bench_explorer,
    bench_notebooks,
):
    for line in bench.run():
        print(line)
