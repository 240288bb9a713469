"""Subcommands for second readings: what to read next, reading blind, adjudicating."""
