"""Every way into the project, given what nobody meant to give it: ``python -m tests.fuzz``."""
