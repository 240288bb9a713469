"""Problems in data files, reported so that a reader can fix them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from survey.escaping import visible

VARIABLE = re.compile(r'"[^"]*"|\([^()]*\)|\\[A-Za-z]+')
"""What differs between two problems of one kind, beside words with digits."""

FEW = 20
"""Longest list of allowed values that a message prints."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem and its location.

    ``str(problem)`` is the line to print::

        bib/pool.bib:214: entry c3: tag-credit-grain: "mesage" is not ... (did you mean "message"?)
    """

    path: str
    line: int
    message: str
    entry: str = ""
    field: str = ""
    is_of_record: bool = False
    """Whether it only says that the data depart from what was published: they can still be counted."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}"
        parts = [place, f"entry {self.entry}" if self.entry else "", self.field, self.message]
        return visible(": ".join(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class Kind:
    """Problems of one kind: how many there are, and the first of them."""

    field: str
    number: int
    first: Problem


def kinds(problems: Iterable[Problem]) -> list[Kind]:
    """Return the kinds of some problems, the most frequent first.

    Problems are of one kind if they are in the same field and their messages differ only in what they quote, in words
    with digits, in commands of LaTeX, and in what they offer in brackets.
    """
    found: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        words = VARIABLE.sub("", problem.message).split(" ")
        kind = " ".join(word for word in words if not any(map(str.isdigit, word)))
        found.setdefault((problem.field, kind), []).append(problem)
    most = sorted(found.items(), key=lambda item: (-len(item[1]), item[1][0]))
    return [Kind(field, len(some), some[0]) for (field, _), some in most]


class InvalidSurvey(Exception):
    """The data is invalid; ``problems`` lists every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def quoted(text: str, limit: int = 60) -> str:
    """Return the text in quotes, shortened, with invisible characters written out."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{visible(shown)}"'


def expected(found: str, allowed: Iterable[str]) -> str:
    """Return the end of a message: the nearest allowed word, or the list of allowed words.

    >>> expected("mesage", ["turn", "message"])
    '(did you mean "message"?)'
    >>> expected("x", ["turn", "message"])
    '(expected one of: turn, message)'
    """
    words = list(allowed)
    by_lower_case = {word.lower(): word for word in words}
    near = get_close_matches(found.lower().replace("_", "-"), by_lower_case, n=1, cutoff=0.6)
    if near:
        return f'(did you mean "{by_lower_case[near[0]]}"?)'
    if len(words) > FEW:
        return f"(none of the {len(words)} that exist is near it)"
    return f"(expected one of: {', '.join(words)})"
