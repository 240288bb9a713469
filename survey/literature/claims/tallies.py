"""Counting for a claim: its population, the selected works, and whether the test is passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from survey.literature.pool import Claim, Entry, Pool, Table, conditions, pairs
from survey.literature.taxonomy import Absence, Shape


@dataclass(frozen=True)
class Tally:
    """A claim counted in one reading: the number, its population, whether the test is passed.

    ``counted`` are the keys behind the number; ``against`` those behind the number that it is compared with, if any.
    A reading speaks only of the works that it read: ``of`` are these, ``works`` all, and ``ours`` and ``agrees`` say
    what the pool's own tags give on the same works: their number, and whether they pass the test alike.
    """

    reading: str
    number: int
    of: int
    holds: bool
    counted: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    works: int = 0
    ours: int = 0
    agrees: bool = True


def matching(pool: Pool, filter: Mapping[str, Any], primary: bool = False) -> tuple[Entry, ...]:
    """Return the entries, or the excluded records, that a filter selects; all entries if it is empty."""
    if any(pool.taxonomy[axis].on == "record" for axis in filter):
        return tuple(
            record for record in pool.records if all(_has(record, axis, filter[axis], pool) for axis in filter)
        )
    return pool.where(pairs(filter), primary).entries


def _has(record: Entry, axis: str, condition: Any, pool: Pool) -> bool:
    words = {word for value in conditions(condition) for word in pool.taxonomy[axis].resolve(value)}
    return not words.isdisjoint(record.words(axis))


def population(pool: Pool, claim: Claim) -> tuple[Entry, ...]:
    """Return the works that a claim is about: those that ``of`` selects, and to which the counted axes apply."""
    works = matching(pool, claim.of) if claim.of else pool.records if _of_records(pool, claim) else pool.entries
    if not claim.applicable:
        return works
    return tuple(work for work in works if all(work.primary(axis) not in ("", Absence.NA) for axis in claim.count))


def measurable(pool: Pool, claim: Claim) -> bool:
    """Return whether the claim can be counted: its works have a value on each of its axes, and disclose the largest."""
    works = matching(pool, claim.of) if claim.of else (*pool.entries, *pool.records)
    absent = {"", *Absence}
    coded = all(any(work.primary(axis) not in absent for work in works) for axis in claim.count)
    if claim.largest and not _largest(pool, matching(pool, claim.count, claim.primary), claim.largest)[1]:
        return False
    return coded and bool(works or not claim.count)


def tally(pool: Pool, claim: Claim, reading: str, narrower: Mapping[str, Any] | None = None) -> Tally:
    """Count a claim on a pool as coded; ``narrower`` is a filter applied to what is counted, and to what it exceeds."""
    works = population(pool, claim)
    within = pool if works is pool.entries or _of_records(pool, claim) else pool.only(works)

    def narrowed(chosen: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return matching(pool.only(chosen), narrower) if narrower else chosen

    chosen = narrowed(matching(within, claim.count, claim.primary))
    against: tuple[Entry, ...] = ()
    if claim.more_than is not None:
        against = narrowed(matching(pool, claim.more_than, claim.primary))
    elif claim.leads is not None:
        against = _runner_up(pool.only(narrowed(pool.entries)), claim)
    number, total = len(chosen), len(works)
    if claim.largest:
        number, chosen = _largest(pool, chosen, claim.largest)
    holds = passes(claim, number, total, len(against))
    return Tally(reading, number, total, holds, _keys(chosen), _keys(against), total, number)


def has_other_denominator(claim: Claim) -> bool:
    """Return whether a claim could be a share of other works: those to which its axes apply, or all of them."""
    return claim.is_share and not any(Absence.NA in conditions(values) for values in claim.count.values())


def where_it_applies(pool: Pool, claim: Claim) -> Tally | None:
    """Return a claim counted on the works to which its axes apply, if it is a share of more works than these."""
    if claim.applicable or not has_other_denominator(claim) or _of_records(pool, claim):
        return None
    natural = replace(claim, applicable=True)
    found = tally(pool, natural, "pool")
    return found if found.of < len(population(pool, claim)) else None


def speaking(pool: Pool, claim: Claim, found: Tally) -> tuple[str, ...]:
    """Return the works that speak against a claim that fails: for a lower bound of a share those that do not count."""
    if claim.test in ("share-at-least", "share-above"):
        counted = set(found.counted)
        return tuple(work.key for work in population(pool, claim) if work.key not in counted)
    return found.against or found.counted


def passes(claim: Claim, number: int, of: int, other: int) -> bool:
    """Return whether a number passes the test of a claim; ``other`` is the number that it is compared with."""
    operand = claim.operand
    match claim.test:
        case "is":
            return bool(number == operand)
        case "at-least":
            return bool(number >= operand)
        case "at-most":
            return bool(number <= operand)
        case "share-at-least":
            return of > 0 and number >= operand * of
        case "share-at-most":
            return of > 0 and number <= operand * of
        case "share-above":
            return of > 0 and number > operand * of
        case "share-below":
            return of > 0 and number < operand * of
        case _:
            return number > other


def _runner_up(pool: Pool, claim: Claim) -> tuple[Entry, ...]:
    """Return the entries of the most frequent other value of the axis, without words for absence."""
    axis = pool.taxonomy[str(claim.leads)]
    leading = {tag for entry in matching(pool, claim.count, True) for tag in entry.words(axis.id)[:1]}
    groups = Counter(entry.primary(axis.id) for entry in pool)
    others = [(groups[value], value) for value in axis.values if value not in leading]
    most = max(others, default=(0, ""))[1]
    return tuple(entry for entry in pool if entry.primary(axis.id) == most)


def _largest(pool: Pool, entries: tuple[Entry, ...], quantity: str) -> tuple[int, tuple[Entry, ...]]:
    """Return the largest number that any of the entries discloses, and the entries that disclose it."""
    axes = [axis.id for axis in pool.taxonomy if axis.shape is Shape.QUANTITY and quantity in axis.values]

    def disclosed(entry: Entry) -> Iterator[int]:
        return (tag.number or 0 for axis in axes for tag in entry.tags.get(axis, ()) if tag.word == quantity)

    numbers = [max(disclosed(entry), default=0) for entry in entries]
    most = max(numbers, default=0)
    return most, tuple(entry for entry, number in zip(entries, numbers, strict=True) if number == most and most)


def _of_records(pool: Pool, claim: Claim) -> bool:
    return any(pool.taxonomy[axis].on == "record" for axis in claim.count)


def _keys(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    return tuple(entry.key for entry in entries)


def distribution(pool: Pool, table: Table) -> dict[str, int]:
    """Return the number of works in a table per primary word of its axis, in the order of the taxonomy."""
    axis = pool.taxonomy[table.axis]
    works = matching(pool, table.within) if axis.on == "entry" else pool.records
    found = Counter(work.primary(axis.id) for work in works)
    return {word: found[word] for word in axis.words}
