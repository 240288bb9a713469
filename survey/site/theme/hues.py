"""The hue of each axis: a style that follows the taxonomy."""

from __future__ import annotations

from itertools import cycle

from survey.literature.taxonomy import HUES, Taxonomy

OTHER = HUES[0]
"""The hue of axes that have none."""


def hues(taxonomy: Taxonomy) -> dict[str, str]:
    """Return the hue of each axis that has one: as the taxonomy says; a main axis takes the next that none names."""
    named = {axis.id: axis.hue for axis in taxonomy if axis.hue}
    free = cycle([hue for hue in HUES if hue not in named.values()] or HUES)
    return named | {axis.id: next(free) for axis in taxonomy.main if not axis.hue}


def hue_style(taxonomy: Taxonomy) -> str:
    """Return the style rule that gives each axis its hue, for both palettes."""
    found = {**hues(taxonomy), "other": OTHER}
    lines = "\n".join(f"  --hue-{axis}: var(--{hue});" for axis, hue in found.items())
    return f":root,\n[data-md-color-scheme] {{\n{lines}\n}}\n"
