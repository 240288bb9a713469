"""All fuzz targets by name: ``TARGETS``."""

from __future__ import annotations

from tests.fuzz.targets import commands, importers, literature, notebooks, site, traces
from tests.fuzz.targets.target import Files, Lost, Outcome, Target

__all__ = ["TARGETS", "Files", "Lost", "Outcome", "Target"]

TARGETS = {
    target.name: target
    for module in (literature, traces, importers, notebooks, site, commands)
    for target in module.TARGETS
}  # fmt: skip
