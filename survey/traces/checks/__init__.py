"""Structural checks of JSON documents against the schema, before replay."""

from survey.traces.checks.sanitising import Pairs, pointer, sanitised

__all__ = ["Pairs", "pointer", "sanitised"]
