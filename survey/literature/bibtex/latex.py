r"""Conversion of LaTeX in BibTeX fields to Unicode, for display.

The pool stores raw text. bibtexparser's own decoder is not used: it loses the text after a ``%`` and the braces
around a corporate author.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from survey.literature.bibtex.commands import (
    COMBINING,
    FONTS,
    HIDDEN,
    QUANTITIES,
    SCRIPTS,
    SECOND,
    SWITCHES,
    SYMBOLS,
    UnknownLatex,
    symbol,
)
from survey.literature.bibtex.formulas import DEEPEST, in_unicode, script

PLAIN = {"{": "", "}": "", "~": "\u00a0", "---": "—", "--": "–", "``": "“", "''": "”"}
"""Braces are dropped, a tie is a no-break space, and the old ligatures become one character."""

DOTLESS = str.maketrans({"ı": "i", "ȷ": "j"})
"""An accent over a dotless i is an accent over i."""

COMMAND = re.compile(r"\\([A-Za-z]+|.)[ \t]*", re.DOTALL)
GROUP = re.compile(r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
"""A braced argument, with at most one pair of braces inside: stacked accents need no more."""

SPECIAL = re.compile(r"[\\{}$~]|---?|``|''")

FORMULA = re.compile(r"\$((?:[^$\\]|\\.)*)\$", re.DOTALL)
ENCLOSED = {
    "(": re.compile(r"(.*?)\\\)", re.DOTALL),
    "[": re.compile(r"(.*?)\\\]", re.DOTALL),
}
"""The rest of a formula that begins with a backslash and a bracket."""

ENSURED = re.compile(r"\\ensuremath(?![A-Za-z])[ \t]*")
OPENING = re.compile(rf"\$|\\[(\[]|{ENSURED.pattern}|\\.", re.DOTALL)
"""What begins a formula, or an escaped sign, which begins none."""

CHOICE = re.compile(r"\\texorpdfstring(?![A-Za-z])")
"""A choice between what is typeset and a plain text for the outline of a document."""

BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
ONE = re.compile(r"\\(?:[A-Za-z]+|.)|[^}]", re.DOTALL)
"""A command or a sign, which an argument without braces is."""


def to_unicode(text: str) -> str:
    r"""Return the text of a BibTeX field as displayed, in one line and without markup.

    >>> to_unicode(r"Gr{\'e}goire and {\L}ukasz: 50\% of {SWE}-bench at $\sqrt{s}=13$ TeV")
    'Grégoire and Łukasz: 50% of SWE-bench at √s=13 TeV'

    Raises:
        UnknownLatex: if a command is neither an accent, a symbol nor a font.

    """
    if not SPECIAL.search(text):
        return text
    return unicodedata.normalize("NFC", "".join(in_unicode(part) if maths else part for part, maths in runs(text)))


def runs(text: str) -> Iterator[tuple[str, bool]]:
    r"""Yield the runs of a text: words as displayed, and formulas in LaTeX, each with whether it is a formula.

    >>> list(runs(r"{QCD} and $\alpha_s$"))
    [('QCD and ', False), ('\\alpha_s', True)]

    Raises:
        UnknownLatex: if a command outside formulas is unknown, or a formula has no end.

    """
    out: list[str] = []
    position = 0
    while special := SPECIAL.search(text, position):
        out.append(text[position : special.start()])
        token, position = special.group(), special.end()
        if token == "\\" and (choice := CHOICE.match(text, special.start())):
            typeset, after = _shallow(text, choice.end(), r"\texorpdfstring")
            _, position = _shallow(text, after, r"\texorpdfstring")
            if words := "".join(out):
                yield words, False
                out.clear()
            yield from runs(typeset)
        elif token == "$" or (
            token == "\\" and (text[position : position + 1] in ENCLOSED or ENSURED.match(text, special.start()))
        ):
            formula, position = _formula(text, special.start())
            if formula:
                if words := "".join(out):
                    yield words, False
                yield formula, True
                out.clear()
        elif token == "\\":
            shown, position = _command(text, special.start())
            out.append(shown)
        else:
            out.append(PLAIN[token])
    if words := "".join((*out, text[position:])):
        yield words, False


def by_formula(text: str) -> Iterator[tuple[str, bool]]:
    r"""Yield the parts of a text as they are written, each with whether it is a formula.

    A sign without its partner begins none.

    >>> list(by_formula(r"{QCD} and \(x^2\)"))
    [('{QCD} and ', False), ('\\(x^2\\)', True)]
    """
    start = position = 0
    alone: set[str] = set()
    while opening := OPENING.search(text, position):
        position = opening.end()
        sign = opening.group()
        if sign in alone or not (sign == "$" or sign[1] in ENCLOSED or len(sign) > 2):
            continue
        try:
            _, position = _formula(text, opening.start())
        except UnknownLatex:
            alone.add(sign)
            continue
        if start < opening.start():
            yield text[start : opening.start()], False
        yield text[opening.start() : position], True
        start = position
    if start < len(text):
        yield text[start:], False


IN_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
})  # fmt: skip
"""What stands in LaTeX for a character that is a command there."""


def to_latex(text: str) -> str:
    r"""Return a text in LaTeX, where other letters than ASCII stand as they are.

    >>> to_latex("40 % of R&D_x")
    '40 \\% of R\\&D\\_x'
    """
    return text.translate(IN_LATEX)


def unknown_latex(text: str) -> str:
    """Return the first command in a text that cannot be shown; empty if there is none."""
    try:
        to_unicode(text)
    except UnknownLatex as error:
        return error.command
    return ""


@lru_cache(maxsize=1 << 17)  # the same titles are converted many times
def readable(text: str) -> str:
    """Return ``to_unicode(text)``, or the raw text if it cannot be converted."""
    try:
        return to_unicode(text)
    except UnknownLatex:
        return text


def _formula(text: str, start: int) -> tuple[str, int]:
    """Return the formula at ``start`` without its delimiters, and the position after it."""
    if ensured := ENSURED.match(text, start):
        return _argument(text, ensured.end(), r"\ensuremath")
    sign = text[start + 1 : start + 2]
    match = FORMULA.match(text, start) if text[start] == "$" else ENCLOSED[sign].match(text, start + 2)
    if match is None:
        raise UnknownLatex("$ without its partner" if text[start] == "$" else f"\\{sign} without its partner")
    return match[1], match.end()


def _argument(text: str, start: int, command: str) -> tuple[str, int]:
    """Return the argument at ``start`` as written, without its braces, and the position after it."""
    if not text.startswith("{", start):
        if one := ONE.match(text, start):
            return one.group(), one.end()
        raise UnknownLatex(f"{command} without its argument")
    depth = 0
    for brace in BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if not depth:
            return text[start + 1 : brace.start()], brace.end()
    return text[start + 1 :], len(text)


def _shallow(text: str, start: int, command: str) -> tuple[str, int]:
    """Return an argument that is read by itself, which must not hold many others."""
    inner, end = _argument(text, start, command)
    if inner.count("{") > DEEPEST:
        raise UnknownLatex(f"{command} around more than {DEEPEST} braces")
    return inner, end


def _command(text: str, start: int) -> tuple[str, int]:
    """Return the display text of the command at ``start``, and the position after it."""
    match = COMMAND.match(text, start)
    if match is None:
        raise UnknownLatex("\\ at the end")
    name, end = match.group(1), match.end()
    if name in COMBINING:
        return _accented(text, end, name)
    if name in SYMBOLS:
        # a command of letters consumes the blanks after it, a sign such as \& does not
        return SYMBOLS[name], end if name.isalpha() else match.end(1)
    if name in FONTS or name in SWITCHES:
        return "", end
    if name in HIDDEN or name in SECOND:  # the second argument is what follows
        return "", _argument(text, end, f"\\{name}")[1]
    if name in SCRIPTS or name in QUANTITIES or name == "enquote":
        written, end = _shallow(text, end, f"\\{name}")
        inner = to_unicode(written)
        if name == "enquote":
            return f"“{inner}”", end
        return script(SCRIPTS[name], inner) if name in SCRIPTS else f"{inner}\u00a0", end
    if (shown := symbol(name)) is not None:
        return shown, end if name.isalpha() else match.end(1)
    raise UnknownLatex(f"\\{name}")


def _accented(text: str, start: int, accent: str) -> tuple[str, int]:
    """Return the argument at ``start`` with the accent on its first letter, and the position after it."""
    if group := GROUP.match(text, start):
        inner, end = group.group(1).strip(), group.end()
    elif command := COMMAND.match(text, start):
        inner, end = command.group(0), command.end()
    else:
        inner, end = text[start : start + 1], start + 1
    base = to_unicode(inner).translate(DOTLESS)
    if not base[:1].isalpha():
        raise UnknownLatex(f"\\{accent} without a letter")
    return base[0] + COMBINING[accent] + base[1:], end
