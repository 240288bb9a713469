"""Subcommands on the literature, grouped into modules."""
