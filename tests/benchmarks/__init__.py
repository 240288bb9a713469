"""Benchmarks: each figure is a ratio to a baseline in the same run, never an absolute time."""
