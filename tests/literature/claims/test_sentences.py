"""Each claim's sentence says what its test says: the quantifier, and the number or the share."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from survey.literature import load
from survey.literature.pool import Claim
from tests.conftest import ROOT

CLAIMS = load(ROOT / "bib").claims.claims
NUMBERS = {1: "one", 4: "four", 5: "five", 10: "ten", 20: "twenty"}
SHARES = {
    Fraction(1, 20): "one [a-z ]*in twenty", Fraction(1, 10): "one [a-z ]*in ten", Fraction(1, 5): "(one [a-z ]*in five|a fifth)",
    Fraction(1, 4): "(one [a-z ]*in four|a quarter)", Fraction(1, 3): "a third", Fraction(1, 2): "half",
}  # fmt: skip


def number(value: int) -> str:
    return f"({NUMBERS.get(value, value)}|{value:,}|{value})"


def said(claim: Claim) -> str:
    """A pattern of what the sentence must say."""
    operand = claim.operand
    match claim.test:
        case "is" if operand == 0:
            return r"\b(No|Nobody)\b"
        case "is":
            return rf"\b{number(operand)}\b" if operand > 1 else r"\b(exactly )?one\b"
        case "at-least" if operand == 1:
            return r"\b(at least one|at least once|exists|occurs?|some|already|is paid for)\b"
        case "at-least":
            return rf"\bat least {number(operand)}\b"
        case "at-most":
            return rf"\b(at most {number(operand)}|No .* more than {number(operand)})\b"
        case "share-at-least":
            return rf"\bat least {SHARES[operand]}\b"
        case "share-at-most":
            return rf"\bat most {SHARES[operand]}\b"
        case "share-above":
            assert operand == Fraction(1, 2)
            return r"\b(most|mostly)\b"
        case "share-below":
            assert operand == Fraction(1, 2)
            return r"\b(fewer than half|most .* (do|does) not)\b"
        case "more-than":
            return r"\bmore often than\b"
        case _:
            return r"\bmost (often|frequent)\b"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_sentence_says_what_is_tested(claim: Claim) -> None:
    assert re.search(said(claim), claim.sentence, re.IGNORECASE), claim.sentence


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.is_share and not c.of], ids=lambda claim: claim.id)
def test_a_share_names_the_works_that_it_is_of(claim: Claim) -> None:
    applies = re.search(r"to which|that (decides|measures|trains|can have)", claim.sentence)
    assert bool(applies) == claim.applicable, claim.sentence


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.primary and c.test == "is"], ids=lambda claim: claim.id)
def test_a_sentence_on_first_values_says_so(claim: Claim) -> None:
    assert "first" in claim.sentence, claim.sentence
