"""How the tags of an entry bear on a claim: what counts, and which sets of tags would count otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from survey.literature.pool import All, Claim, conditions
from survey.literature.pool.tags import Tag
from survey.literature.taxonomy import Absence, Axis, Shape, Taxonomy

Tags = tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Bearing:
    """What the tags on one axis do for a claim: whether they match its filters, and the first word if it matters."""

    counted: bool
    within: bool
    against: bool
    first: str = ""


def bearings(claim: Claim) -> Callable[[Axis, Tags], Bearing]:
    """Return a function that says what tags on an axis do for a claim, and remembers it: few different tags occur."""
    known: dict[tuple[str, Tags], Bearing] = {}

    def remembered(axis: Axis, tags: Tags) -> Bearing:
        if (axis.id, tags) not in known:
            known[axis.id, tags] = bearing(claim, axis, tags)
        return known[axis.id, tags]

    return remembered


def bearing(claim: Claim, axis: Axis, tags: Tags) -> Bearing:
    """Return what some tags on an axis do for a claim."""
    return Bearing(
        _matches(claim.count, axis, tags, claim.primary),
        _matches(claim.of, axis, tags, primary=False) and _applies(claim, axis, tags),
        _matches(claim.more_than or {}, axis, tags, claim.primary),
        tags[0].word if tags and claim.leads == axis.id else "",
    )


def possible_bearings(claim: Claim, axis: Axis) -> frozenset[Bearing]:
    """Return what tags on an axis can do for a claim, whatever a reader writes."""
    return frozenset(bearing(claim, axis, tags) for tags in _possible_tags(claim, axis))


def claim_axes(claim: Claim, taxonomy: Taxonomy) -> tuple[Axis, ...]:
    """Return the axes that a claim depends on."""
    return tuple(taxonomy[axis] for axis in claim.axes)


def _applies(claim: Claim, axis: Axis, tags: Tags) -> bool:
    """Return whether an axis that a claim counts applies to an entry, if its population asks for that."""
    return not claim.applicable or axis.id not in claim.count or (bool(tags) and tags[0].word != Absence.NA)


def _matches(filter: Mapping[str, Any], axis: Axis, tags: Tags, primary: bool) -> bool:
    if axis.id not in filter:
        return True
    condition = filter[axis.id]
    ranked = axis.shape not in (Shape.SET, Shape.QUANTITY)  # a set has no first value
    present = {pair for tag in tags[: 1 if primary and ranked else None]
               for pair in ((tag.word, ""), (tag.word, tag.qualifier))}  # fmt: skip
    names = [conditions(condition)] if not isinstance(condition, All) else [[name] for name in condition.all]
    return all(present & {wanted for name in some for wanted in _wanted(axis, name)} for some in names)


def _wanted(axis: Axis, name: str) -> Iterator[tuple[str, str]]:
    word, _, how = (part.strip() for part in name.partition(":"))
    return ((found, how) for found in axis.resolve(word))


def _possible_tags(claim: Claim, axis: Axis) -> Iterator[Tags]:
    """Yield tags that differ in their bearing: each alone, each two in either order, what a filter wants together."""
    number = 1 if axis.shape is Shape.QUANTITY else None
    single = [Tag(axis.id, word, how, number) for word in axis.values for how in (axis.qualifiers or [""])]
    for tag in (*single, *(Tag(axis.id, word) for word in axis.absences)):
        yield (tag,)
    if axis.shape is Shape.ONE:
        return
    for two in permutations(single, 2):
        if two[0].word != two[1].word:
            yield two
    for filter in (claim.count, claim.of, claim.more_than or {}):
        condition = filter.get(axis.id)
        if isinstance(condition, All):
            wanted = [next(_wanted(axis, name), ("", "")) for name in condition.all]
            hows = next(iter(axis.qualifiers), "")
            yield tuple(Tag(axis.id, word, how or hows, number) for word, how in dict(wanted).items())
