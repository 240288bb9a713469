r"""Conversion of LaTeX in BibTeX fields to Unicode, for display.

The pool stores raw text. bibtexparser's own decoder is not used: it loses the text after a ``%`` and the braces
around a corporate author. The tables below cover what BibTeX fields contain in practice: accents, special letters,
dashes, protecting braces.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

COMBINING = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    "u": "\u0306", ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b",
    "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328", "b": "\u0331",
}  # fmt: skip
"""Accent commands and the combining character each one stands for."""

SYMBOLS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "ae": "æ", "AE": "Æ",
    "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ",
    "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "textendash": "–", "textemdash": "—",
    "textquoteright": "’", "textquoteleft": "‘", "textquotedblleft": "“",
    "textquotedblright": "”", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
    "textunderscore": "_", "textregistered": "®", "texttrademark": "™", "copyright": "©",
    "dots": "…", "ldots": "…", "textellipsis": "…", "tau": "τ", "alpha": "α", "beta": "β",
    "gamma": "γ", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "epsilon": "ε",
    "infty": "∞", "times": "×", "to": "→", "rightarrow": "→", "cdot": "·", "pm": "±",
    "LaTeX": "LaTeX", "TeX": "TeX", "relax": "", "-": "", "/": "", "\\": " ", ",": "\u2009",
    " ": " ", "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}",
}  # fmt: skip
"""Commands without an argument and the text each one stands for."""

FONTS = frozenset({
    "emph", "textit", "textbf", "textsc", "texttt", "textrm", "textsf", "textsl", "textup",
    "textnormal", "text", "mathrm", "mathbf", "mathit", "mathcal", "mathsf", "mathtt", "ensuremath",
    "mbox", "url", "href", "uppercase", "lowercase",
})  # fmt: skip
"""Commands that only format their argument: the argument stays."""

PLAIN = {"{": "", "}": "", "~": "\u00a0", "---": "—", "--": "–", "``": "“", "''": "”"}
"""Braces are dropped, a tie is a no-break space, and the old ligatures become one character."""

DOTLESS = str.maketrans({"ı": "i", "ȷ": "j"})
"""An accent over a dotless i is an accent over i."""

COMMAND = re.compile(r"\\([A-Za-z]+|.)[ \t]*", re.DOTALL)
GROUP = re.compile(r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
"""A braced argument, with at most one pair of braces inside: stacked accents need no more."""

SPECIAL = re.compile(r"[\\{}$~]|---?|``|''")


class UnknownLatex(ValueError):
    """A command that is in none of the tables; ``command`` names it."""

    def __init__(self, command: str) -> None:
        self.command = command
        super().__init__(f"the LaTeX command {command} cannot be shown")


def to_unicode(text: str) -> str:
    r"""Return the text of a BibTeX field as displayed.

    >>> to_unicode(r"Gr{\'e}goire and {\L}ukasz: 50\% of {SWE}-bench")
    'Grégoire and Łukasz: 50% of SWE-bench'

    Raises:
        UnknownLatex: if a command is neither an accent, a symbol nor a font.

    """
    if not SPECIAL.search(text):
        return text
    out: list[str] = []
    position, in_formula = 0, False
    while special := SPECIAL.search(text, position):
        out.append(text[position : special.start()])
        token, position = special.group(), special.end()
        if token == "\\":
            shown, position = _command(text, special.start())
            out.append(shown)
        elif token == "$":
            in_formula = not in_formula
        else:
            out.append(PLAIN[token])
    if in_formula:
        raise UnknownLatex("$ without its partner")
    out.append(text[position:])
    return unicodedata.normalize("NFC", "".join(out))


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
    if name in FONTS:
        return "", end
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
