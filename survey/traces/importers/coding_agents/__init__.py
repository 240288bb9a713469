"""Coding agents: the sessions that their programs keep."""
