"""Subcommands of survey scout, which keeps the survey current."""
