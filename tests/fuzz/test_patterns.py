"""No regular expression of the package takes more than linear time, on inputs made from its own parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz.patterns import LINEAR, TOLERANCE, Expression, expressions, growth, hostile

FOUND, UNREADABLE = expressions(ROOT / "survey")


def planted(pattern: str, method: str = "finditer", flags: int = 0) -> Expression:
    return Expression("here", pattern, flags, method)


def test_every_expression_is_found() -> None:
    assert UNREADABLE == []
    places = {expression.where for expression in FOUND}
    calls = re.compile(r"\bre\.(?:compile|match|fullmatch|search|subn?|split|findall|finditer)\(")
    written = sum(len(calls.findall(path.read_text())) for path in (ROOT / "survey").rglob("*.py"))
    assert len(places) == written > 100


def test_an_expression_is_used_as_it_is_in_its_module_and_where_it_is_imported(tmp_path: Path) -> None:
    methods = {(one.where.partition(":")[0], one.pattern): one.method for one in FOUND}
    assert methods["survey/literature/bibtex/line_parser.py", r"(?:[ \t]*(?:%[^@\\\n]*)?\n)*"] == "match"
    assert methods["survey/traces/files/window.py", r"\}\s*,\s*\{"] == "finditer"
    assert methods["survey/literature/taxonomy/axes.py", r"[A-Z]+[0-9]+"] == "fullmatch"


@pytest.mark.parametrize("expression", FOUND, ids=lambda one: f"{one.where} {one.method}")
def test_an_expression_takes_linear_time(expression: Expression) -> None:
    found, text = growth(expression)
    assert found <= LINEAR * TOLERANCE, f"{expression.where}: {expression.pattern!r} at {text}"


PLANTED = {
    "spaces before the end of a line": planted(r"\s+$", "sub"),
    "lines before a bracket": planted(r"(?m)^\s*\[+"),
    "two runs of the same letters": planted(r"a*a*b", "match"),
    "anything before a word, twice": planted(r"x.*tool.*\bid", "fullmatch"),
    "an element that is not closed": planted(r"<b>.*?</b>", "findall", re.DOTALL),
    "a name before a colon": planted(r"[a-z-]+: ", "search"),
    "a run in the middle, after a beginning": planted(r"From (\w+ ?)*x*: ", "match"),
    "repeats of repeats": planted(r"(?:a+)+b", "match"),
    "a quadratic part within a group": planted(r"begin(?:\s*(?:-\s*)?\s*x)?end", "search"),
    "bytes": Expression("here", rb"\s+$", 0, "search"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_expression_that_is_not_linear_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.patterns.ENDLESS", 0.5)
    found, text = growth(PLANTED[name])
    assert found > LINEAR * TOLERANCE
    assert text


@pytest.mark.parametrize(
    "expression",
    [
        planted(r"(?<!\s)\s++$", "sub"),
        planted(r"(?m)^[ \t]*+\["),
        planted(r"(?>a*)b", "match"),
        planted(r"x.{1,200} y"),
    ],
    ids=str,
)
def test_a_linear_expression_is_accepted(expression: Expression) -> None:
    assert growth(expression)[0] <= LINEAR * TOLERANCE


def test_hostile_inputs_reach_every_part_of_an_expression() -> None:
    made = {start + piece for start, piece in hostile(planted(r"From (?P<name>\S{1,5}?) to [^\n:]*(?:yes|no): "))}
    assert {"From x to ", "From x to xyes: ", "From x to Fno: "} <= made
