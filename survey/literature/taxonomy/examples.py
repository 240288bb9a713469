"""Words of a taxonomy for examples: the axes and filters that help texts and pages name to show how one asks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from survey.literature.taxonomy.axes import Axis, Shape, Taxonomy

NEUTRAL: Final[Mapping[str, str]] = MappingProxyType({
    "rows": "ROWS", "columns": "COLUMNS", "third": "AXIS", "fourth": "AXIS", "filter": "AXIS=VALUE",
    "other": "AXIS=VALUE", "either": "AXIS=VALUE,VALUE", "kind": "AXIS=VALUE", "family": "AXIS=FAMILY",
    "qualified": "AXIS=VALUE:HOW", "codes": "the short names of values",
})  # fmt: skip
"""What stands for each example where there is no taxonomy, or where it has nothing of the kind."""


def examples(taxonomy: Taxonomy) -> dict[str, str]:
    """Return examples by what they show: axes to cross, and filters.

    The axes are those from the first main one that ranks its values on. A filter names the last value of an axis.
    """
    main = list(taxonomy.main) or list(taxonomy.on("entry"))
    first = next((place for place, axis in enumerate(main) if axis.shape is Shape.RANKED), 0)
    crossed = main[first : first + 4]
    found = dict(zip(("rows", "columns", "third", "fourth"), (axis.id for axis in crossed), strict=False))
    found |= {"filter": _filter(crossed[0]), "kind": f"{main[0].id}={next(iter(main[0].values))}"}
    if len(crossed) > 1:
        found |= {"other": _filter(crossed[1]), "either": f"{crossed[1].id}={','.join([*crossed[1].values][-2:])}"}
    qualified = next((axis for axis in taxonomy.on("entry") if axis.qualifiers), None)
    if qualified:
        found["qualified"] = f"{_filter(qualified)}:{next(iter(qualified.qualifiers))}"
    shared = [value.family for value in crossed[0].values.values() if value.family]
    if shared:
        found["family"] = f"{crossed[0].id}={max(shared, key=shared.count)}"
    coded = [codes for axis in taxonomy.on("entry") if (codes := _codes(axis))]
    if coded:
        found["codes"] = ", ".join(coded)
    return {**NEUTRAL, **found}


def _filter(axis: Axis) -> str:
    return f"{axis.id}={[*axis.values][-1]}"


def _codes(axis: Axis) -> str:
    """Return the short names of the values or families of an axis, the first and the last; empty without any."""
    names = [value.code for value in axis.values.values() if value.code] or list(axis.families)
    return f"{names[0]} to {names[-1]}" if len(names) > 1 else "".join(names)
