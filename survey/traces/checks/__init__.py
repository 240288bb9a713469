"""Structural checks of JSON against the schema, before anything is replayed."""

from survey.traces.checks.soundness import Pairs, pointer, sound

__all__ = ["Pairs", "pointer", "sound"]
