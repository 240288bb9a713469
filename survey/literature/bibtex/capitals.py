"""Capitals in titles: most styles print a title in lower case after its first letter, and spare what braces hold."""

from __future__ import annotations

import re

from survey.literature.bibtex.commands import UnknownLatex
from survey.literature.bibtex.latex import readable, to_latex, to_unicode

FORMULA = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$")
IN_TEX = re.compile(r"[\\^_]")
"""What tells a formula from two prices."""

WORD = re.compile(r"[^\W_]+")
NUMBERED = re.compile("[A-Z][0-9]+")
"""A capital with a number, as in R1."""

CAPITAL = re.compile(r"\\[A-Za-z]+|" + FORMULA.pattern + r"|[^\W_]+")
"""A command, a formula or a word."""


def unprotected(title: str) -> tuple[str, ...]:
    """Return the words of a title that lose capitals in most styles: those with one after their first letter.

    A capital with a number, as in R1, counts as well, unless it begins the title or follows a colon.

    >>> unprotected("AlphaZero plays {SWE}-bench with LLMs and R1"), unprotected("Learning to Spawn: A {RL} Study")
    (('AlphaZero', 'LLMs', 'R1'), ())
    """
    outside = _outside_braces(title)
    found = []
    for match in CAPITAL.finditer(outside):
        word = match.group()
        if word.startswith("\\"):
            continue
        begins = outside[: match.start()].strip()[-1:] in ("", ":")
        lost = word != word.lower() if word.startswith("$") else _loses(word, begins)
        if lost:
            found.append(word)
    return tuple(dict.fromkeys(found))


def protected(title: str) -> str:
    r"""Return a title that a source shows, as LaTeX: what is a command there is escaped, and capitals are in braces.

    Formulas and commands are kept or converted, since arXiv shows titles as their authors typed them.

    >>> protected("LLM teams & their pRoles at 5%"), protected(r"$\tau$-Bench for $5")
    ('{LLM} teams \\& their {pRoles} at 5\\%', '{$\\tau$}-Bench for \\$5')
    """
    parts, place = [], 0
    for formula in FORMULA.finditer(title):
        if IN_TEX.search(formula[1]) and _shown(formula.group()):
            parts += [escaped(title[place : formula.start()]), f"{{{formula.group()}}}"]
            place = formula.end()
    latex = "".join([*parts, escaped(title[place:])])
    words = unprotected(latex)
    return "".join(
        part if depth else WORD.sub(lambda word: f"{{{word[0]}}}" if word[0] in words else word[0], part)
        for depth, part in _by_depth(latex)
    )


def escaped(text: str) -> str:
    r"""Return a text that a source shows, as LaTeX. Accents that it writes as commands become letters.

    >>> escaped(r"Erd\H{o}s & S\'andor_2")
    'Erdős \\& Sándor\\_2'
    """
    return to_latex(readable(text)) if "\\" in text else to_latex(text)


def _shown(latex: str) -> bool:
    try:
        return bool(to_unicode(latex).strip())
    except UnknownLatex:
        return False


def _loses(word: str, begins: bool) -> bool:
    return word[1:] != word[1:].lower() or (not begins and NUMBERED.fullmatch(word) is not None)


def _outside_braces(title: str) -> str:
    """Return a title with a blank for each character in braces."""
    return "".join(" " * len(part) if depth else part for depth, part in _by_depth(title))


def _by_depth(title: str) -> list[tuple[int, str]]:
    """Return a title in parts: those outside of all braces, with depth 0, and those inside, with their braces."""
    parts: list[tuple[int, str]] = []
    depth = start = 0
    for place, character in enumerate(title):
        if character not in "{}" or (place and title[place - 1] == "\\"):
            continue
        if character == "{" and not depth:
            parts.append((0, title[start:place]))
            start = place
        depth = max(depth + (1 if character == "{" else -1), 0)
        if not depth:
            parts.append((1, title[start : place + 1]))
            start = place + 1
    return [*parts, (depth, title[start:])]
