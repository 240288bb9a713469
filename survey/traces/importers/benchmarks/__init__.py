"""Benchmarks and evaluations: the runs that they publish."""
