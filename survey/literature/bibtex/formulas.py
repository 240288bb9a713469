r"""Formulas as one line of Unicode, for display where no markup can stand: ``$\alpha_s$`` becomes αₛ.

Sub- and superscripts are Unicode's own where it has every sign of them, else they keep their ``_`` or ``^``. Accents
are combining characters. Pages show formulas as MathML instead.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from survey.literature.bibtex.commands import (
    COMBINING,
    FONTS,
    HIDDEN,
    QUANTITIES,
    SCRIPTS,
    SECOND,
    SWITCHES,
    UnknownLatex,
    symbol,
)

MARKS: Final = {
    "bar": "\u0304", "overline": "\u0305", "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303",
    "widetilde": "\u0303", "vec": "\u20d7", "overrightarrow": "\u20d7", "overleftarrow": "\u20d6",
    "dot": "\u0307", "ddot": "\u0308", "acute": "\u0301",
    "grave": "\u0300", "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
    "underline": "\u0332", "not": "\u0338", "slashed": "\u0338", "cancel": "\u0338",
}  # fmt: skip
"""Accents of formulas and the combining character each one stands for."""

THROUGHOUT: Final = ("overline", "underline")
"""Accents that every letter of their argument bears; of others, the first does."""

ROOTS: Final = {"": "√", "3": "∛", "4": "∜"}
FRACTIONS: Final = ("frac", "tfrac", "dfrac", "cfrac", "nicefrac", "sfrac")
DOUBLE_STRUCK: Final = ("mathbb", "mathds", "mathbbm")
STACKED: Final = {"overset": "^", "stackrel": "^", "underset": "_"}
"""Commands that put their first argument above or below the second, and the sign of a script that does so."""

ARROWS: Final = {"xrightarrow": "→", "xleftarrow": "←"}
"""Arrows with their argument above them."""

AROUND: Final = {
    "ket": ("|", "⟩"), "bra": ("⟨", "|"), "braket": ("⟨", "⟩"), "pmod": (" (mod ", ")"), "mod": (" mod ", ""),
    "enquote": ("“", "”"),
}  # fmt: skip
"""What commands put around their argument."""

RAISED: Final = {"∘": "°", "∗": "*"} | {sign: sign for sign in "′*†‡°"}
"""Superscripts that need no sign before them, since they are raised anyway."""

RELATION = re.compile("[\u2190-\u21ff\u27f0-\u27ff\u2208-\u220d\u221d\u223c\u2241-\u228b\u2a7d\u2a7e≠∣]")
"""What stands between two sides: a blank on each side makes a line of text readable."""

OPERATOR = re.compile("[±∓×÷·⋅∗∘∙⊕⊖⊗⊙∧∨∩∪]")
"""What has a blank after it if one is written."""

INSIDE = re.compile(r"(?<=[(\[]) | (?=[)\]])")
"""A blank at the inner side of a bracket, left by a relation there."""

BLANKS = re.compile(r"[ \t\n]*")
NAME = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
OPTION = re.compile(r"[ \t\n]*\[([^\[\]{}\\]*)\]")
CLOSER = re.compile(r"[ \t\n]*\\!")
DEEPEST = 40
"""Arguments and braces within one another at most: nobody writes more, and each takes a call of a function."""


def in_unicode(formula: str) -> str:
    r"""Return a formula, without its dollar signs, as a line of text.

    >>> in_unicode(r"H \to b\bar{b}"), in_unicode(r"\sqrt{s}=13"), in_unicode(r"x_{\max}^2")
    ('H → bb̄', '√s=13', 'xₘₐₓ²')

    Raises:
        UnknownLatex: if a command is neither a symbol nor one that changes how its argument looks.

    """
    shown, _ = _row(formula, 0, 0)
    return INSIDE.sub("", re.sub(r"[ \t\n]{2,}", " ", shown)).strip(" \t\n")


def argument(text: str, at: int, name: str, depth: int = 0) -> tuple[str, int]:
    """Return the argument of a command as a line of text, and the position after it.

    Raises:
        UnknownLatex: if there is none, or a command in it is unknown.

    """
    shown, at = _argument(text, at, name, depth)
    return shown.strip(" "), at


def _argument(text: str, at: int, name: str, depth: int) -> tuple[str, int]:
    """Return an argument with the blanks at its ends, which count within a text."""
    at = _after_blanks(text, at)
    while (match := NAME.match(text, at)) and match[1] in SWITCHES:  # K_\rm{S} is how many write it
        at = _after_blanks(text, match.end())
    if at >= len(text) or text[at] == "}":
        raise UnknownLatex(f"{name} without its argument")
    return _atom(text, at, depth + 1)


def _row(text: str, at: int, depth: int) -> tuple[str, int]:
    """Return what stands up to the closing brace, or the end of the formula, and the position after it."""
    out: list[str] = []
    while at < len(text):
        if text[at] == "}":
            if depth:
                return "".join(out), at + 1
            at += 1
        elif text[at] in "^_":
            inner, after = argument(text, at + 1, text[at], depth)
            out.append(script(text[at], inner))
            at = after
        else:
            shown, at = _atom(text, at, depth)
            out.append(shown)
    return "".join(out), at


def _atom(text: str, at: int, depth: int) -> tuple[str, int]:
    """Return a sign, a group or a command with its arguments, and the position after it."""
    if depth > DEEPEST:
        raise UnknownLatex(f"{text[at]} within more than {DEEPEST} others")
    match text[at]:
        case "{":
            return _row(text, at + 1, depth + 1)
        case "\\":
            return _command(text, at, depth)
        case "'":
            return "′", at + 1
        case "~":
            return "\u00a0", at + 1
        case "&":
            return " ", at + 1
        case sign:
            return sign, at + 1


def _command(text: str, start: int, depth: int) -> tuple[str, int]:
    match = NAME.match(text, start)
    if match is None:
        raise UnknownLatex("\\ at the end")
    name, at = match[1], match.end()
    if name in MARKS or (name in COMBINING and name not in ("=", ".")):
        while name == "not" and (closer := CLOSER.match(text, at)):  # as many move the stroke over the letter
            at = closer.end()
        inner, at = argument(text, at, f"\\{name}", depth)
        return _marked(inner, MARKS.get(name) or COMBINING[name], name in THROUGHOUT), at
    if name == "sqrt":
        option = OPTION.match(text, at)
        inner, at = argument(text, option.end() if option else at, r"\sqrt", depth)
        degree = option[1].strip() if option else ""
        return (ROOTS.get(degree) or f"{script('^', degree)}√") + _together(inner, inner.isdigit()), at
    if name in FRACTIONS:
        over, at = argument(text, at, f"\\{name}", depth)
        under, at = argument(text, at, f"\\{name}", depth)
        return f"{_together(over, over.isalnum())}/{_together(under, under.isalnum())}", at
    if name in DOUBLE_STRUCK:
        inner, at = argument(text, at, f"\\{name}", depth)
        return "".join(map(_double_struck, inner)), at
    if shown := _arranged(text, name, at, depth):
        return shown
    if name in SWITCHES:
        at = _after_blanks(text, at)
        return "", at + (name in ("left", "right") and text[at : at + 1] == ".")
    if name in FONTS:
        return _argument(text, at, f"\\{name}", depth)
    return _symbol(text, name, at)


def _arranged(text: str, name: str, at: int, depth: int) -> tuple[str, int] | None:
    """Return what a command shows that arranges its arguments, and the position after them; None for another."""
    if name in STACKED or name == "binom" or name in SECOND or name in QUANTITIES:
        first, at = argument(text, at, f"\\{name}", depth) if name not in SECOND else ("", _after_group(text, at))
        second, at = argument(text, at, f"\\{name}", depth)
        if name in STACKED:
            return second + script(STACKED[name], first), at
        return {"binom": f"({first} choose {second})"}.get(name, f"{first}\u00a0{second}" if first else second), at
    if name in HIDDEN:
        return "", _after_group(text, at)
    if name in SCRIPTS or name in ARROWS or name in AROUND:
        inner, at = argument(text, at, f"\\{name}", depth)
        if name in AROUND:
            return inner.join(AROUND[name]), at
        return (f" {ARROWS[name]}{script('^', inner)} " if name in ARROWS else script(SCRIPTS[name], inner)), at
    return None


def _after_group(text: str, at: int) -> int:
    """Return the position after an argument that is not shown, whatever it holds."""
    at, open = _after_blanks(text, at), 0
    for place in range(at, len(text)):
        open += {"{": 1, "}": -1}.get(text[place], 0)
        if open <= 0:
            return place + 1
    return len(text)


def _symbol(text: str, name: str, at: int) -> tuple[str, int]:
    shown = symbol(name)
    if shown is None:
        raise UnknownLatex(f"\\{name}")
    if RELATION.fullmatch(shown):
        return f" {shown} ", at
    if not name.isalpha() or OPERATOR.fullmatch(shown):
        return shown, at
    after = _after_blanks(text, at)
    if len(shown) > 1 and (text[after : after + 1].isalnum() or text[after : after + 1] == "\\"):
        return f"{shown} ", after  # the name of a function
    return shown, after


def script(sign: str, inner: str) -> str:
    """Return a text raised (``^``) or lowered (``_``): in signs of Unicode, or with the sign before it."""
    if not inner:
        return ""
    if sign == "^" and all(one in RAISED for one in inner):
        return "".join(RAISED[one] for one in inner)
    known = scripts()[sign]
    if all(one in known for one in inner):
        return "".join(known[one] for one in inner)
    return sign + _together(inner, inner.isalnum())


@cache
def scripts() -> dict[str, dict[str, str]]:
    """Return the raised and the lowered character that Unicode has for a character, by ``^`` and ``_``."""
    out: dict[str, dict[str, str]] = {"^": {"-": "⁻"}, "_": {"-": "₋"}}
    blocks = ((0x2070, 0x209D), (0xB2, 0xB4), (0xB9, 0xBA), (0x2B0, 0x2B9), (0x2E1, 0x2E4), (0x1D2C, 0x1DC0),
              (0x2C7C, 0x2C7E))  # fmt: skip
    for code in (code for block in blocks for code in range(*block)):
        how, _, base = unicodedata.decomposition(chr(code)).partition(" ")
        if how in ("<super>", "<sub>") and " " not in base:
            out["^" if how == "<super>" else "_"].setdefault(chr(int(base, 16)), chr(code))
    return out


def _marked(text: str, mark: str, throughout: bool) -> str:
    if throughout:
        return "".join(one if one.isspace() or unicodedata.combining(one) else one + mark for one in text)
    return text[:1] + mark + text[1:] if text else ""


def _together(text: str, plain: bool) -> str:
    """Return a part in parentheses, unless it is one sign, or plain."""
    letters = [one for one in text if not unicodedata.combining(one)]
    return text if plain or len(letters) <= 1 else f"({text})"


def _double_struck(letter: str) -> str:
    if not (letter.isascii() and letter.isalnum()):
        return letter
    kind = "DIGIT" if letter.isdigit() else "CAPITAL" if letter.isupper() else "SMALL"
    word = unicodedata.name(letter).rpartition(" ")[2]
    for name in (f"DOUBLE-STRUCK {kind} {word}", f"MATHEMATICAL DOUBLE-STRUCK {kind} {word}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


def _after_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at
