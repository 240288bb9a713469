"""Subcommands on editions: what changed between them, and how they stay as published."""
