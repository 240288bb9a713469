"""Fuzzing of every input of the project: ``python -m tests.fuzz``."""
