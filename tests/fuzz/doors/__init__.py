"""All doors by name: ``DOORS``."""

from __future__ import annotations

from tests.fuzz.doors import commands, importers, literature, notebooks, site, traces
from tests.fuzz.doors.door import Door, Files, Lost, Received

__all__ = ["DOORS", "Door", "Files", "Lost", "Received"]

DOORS = {
    door.name: door
    for module in (literature, traces, importers, notebooks, site, commands)
    for door in module.DOORS
}  # fmt: skip
