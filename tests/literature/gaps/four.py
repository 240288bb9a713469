"""Four entries whose tables, paths and paragraphs can be worked out by hand."""

from __future__ import annotations


def entry(key: str, reward: str, decision: str, announced: str = "2026-01-01") -> str:
    return f"""
@misc{{{key},
  author       = {{Last, First}},
  title        = {{Title of {key}}},
  year         = {{2026}},
  url          = {{https://example.org/{key}}},
  announced    = {{{announced}}},
  tag-reward   = {{{reward}}},
  why-reward   = {{The abstract says so.}},
  tag-decision = {{{decision}}},
  why-decision = {{The abstract says so.}},
  summary      = {{It does a thing.}},
  added        = {{2026-05-04}},
}}
"""


FOUR = "".join([
    entry("late", "shared; process", "stop: learned", "2026-01-09"),
    entry("early", "shared", "stop: designed", "2026-01-02"),
    entry("double", "process; shared", "stop: designed", "2026-01-03"),
    entry("silent", "unknown", "na", "2025"),
])  # fmt: skip
