"""Texts on claims: what is counted, what the number must be, and how certain it is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from survey.literature.agreement import Figure
from survey.literature.claims.certainty import Certainty
from survey.literature.pool import All, Claim, conditions
from survey.literature.taxonomy import Axis, Taxonomy


def question(claim: Claim, taxonomy: Taxonomy) -> str:
    """Return what is counted and what the number must be, as text.

    >>> from survey.literature import load
    >>> pool = load("bib")
    >>> question(pool.claims["message-credit-sparse"], pool.taxonomy)
    'entries with credit unit: message, by first value; at most 10 % of all'
    """
    works = "records" if any(taxonomy[axis].on == "record" for axis in claim.count) else "entries"
    counted = f"{works} with {_selection(claim.count, taxonomy)}" if claim.count else works
    counted += ", by first value" if claim.primary else ""
    if claim.largest:
        counted = f"the largest number of {claim.largest} among {counted}"
    return f"{counted}; {_expectation(claim, taxonomy, works)}"


def interval_in_words(certainty: Certainty) -> str:
    """Return the intervals of a claim's numbers, and what they mean for its test, as a sentence without a full stop."""
    number = certainty.number
    if number is None or certainty.near is None:
        return f"no interval: {certainty.reason}"
    text = f"{_ends(number)} of {_ends(certainty.of) if certainty.of else number.of}"
    if certainty.against:
        text += f", against {_ends(certainty.against)}"
    turns = "near its threshold: some of these numbers turn the test"
    return f"{text}; {turns if certainty.near else 'none of these numbers turns the test'}"


def _ends(figure: Figure) -> str:
    return f"{figure.low} to {figure.high}" if figure.low != figure.high else str(figure.low)


COMPARED = {"at-least": "at least", "at-most": "at most", "above": "more than", "below": "less than"}


def _expectation(claim: Claim, taxonomy: Taxonomy, works: str) -> str:
    population = f"{works} with {_selection(claim.of, taxonomy)}" if claim.of else "all"
    if claim.applicable:
        axes = " and ".join(taxonomy[axis].label.lower() for axis in claim.count)
        population = f"{'all' if population == 'all' else population} to which {axes} applies"
    if claim.is_share:
        return f"{COMPARED[claim.test.removeprefix('share-')]} {_share(claim.operand)} of {population}"
    match claim.test:
        case "more-than":
            return f"more than {works} with {_selection(claim.operand, taxonomy)}"
        case "leads":
            return f"more than any other value of {taxonomy[claim.operand].label.lower()}"
        case "is":
            return f"exactly {claim.operand}" + (f" among {population}" if claim.of else "")
        case test:
            return f"{test.replace('-', ' ')} {claim.operand}" + (f" among {population}" if claim.of else "")


def _share(share: Fraction) -> str:
    """Return a share as a percentage if that is exact, else as a fraction.

    >>> _share(Fraction(1, 10)), _share(Fraction(1, 3)), _share(Fraction("0.125"))
    ('10 %', '1/3', '12.5 %')
    """
    percent = 100 * share
    return f"{float(percent):g} %" if (10 * percent).denominator == 1 else str(share)


def _selection(filter: Mapping[str, Any], taxonomy: Taxonomy) -> str:
    return " and ".join(_named(taxonomy[axis], condition, taxonomy) for axis, condition in filter.items())


def _named(axis: Axis, condition: Any, taxonomy: Taxonomy) -> str:
    joint = " and " if isinstance(condition, All) else " or "
    labels = []
    for value in conditions(condition):
        word, _, how = (part.strip() for part in value.partition(":"))
        label = " or ".join(taxonomy.label(axis.id, found) for found in axis.resolve(word))
        labels.append(f"{label} ({axis.qualifiers[how].label})" if how else label)
    return f"{axis.label.lower()}: {joint.join(labels)}"
