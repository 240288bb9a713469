r"""Commands of LaTeX that a title or a name holds: what each one stands for.

The tables below cover what BibTeX fields contain in practice: accents, special letters, dashes, protecting braces.
Any other symbol is looked up in the table of pylatexenc, which knows about 900 and is loaded only then.
"""

from __future__ import annotations

from functools import cache
from typing import Final

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
    "mbox", "url", "href", "uppercase", "lowercase", "mathfrak", "mathscr", "mathnormal", "boldsymbol", "bm",
    "hbox", "rlap", "llap", "num", "si", "unit", "MakeUppercase", "MakeLowercase", "textls", "uline", "operatorname",
    "mathop", "mathrel", "mathbin", "mathord", "textmd", "underbrace", "overbrace",
})  # fmt: skip
"""Commands that only format their argument: the argument stays."""

SWITCHES = frozenset({
    "it", "bf", "rm", "sc", "sf", "tt", "em", "sl", "cal", "itshape", "bfseries", "rmfamily", "scshape", "sffamily",
    "ttfamily", "slshape", "upshape", "mdseries", "normalfont", "boldmath", "unboldmath", "displaystyle", "textstyle",
    "scriptstyle", "tiny", "small", "large", "protect", "limits", "nolimits", "left", "right", "middle", "big", "Big",
    "xspace", "nobreak", "allowbreak", "nobreakdash", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr",
})  # fmt: skip
"""Commands that change how the text after them looks, and show nothing themselves."""

SECOND: Final = frozenset({"textcolor", "colorbox", "raisebox", "scalebox", "foreignlanguage", "textlanguage"})
"""Commands that show their second argument; the first says how."""

HIDDEN: Final = frozenset({"phantom", "hphantom", "vphantom", "color", "label", "selectlanguage", "hspace", "vspace"})
"""Commands whose argument is not shown."""

SCRIPTS: Final = {"textsuperscript": "^", "textsubscript": "_"}
"""Commands that raise or lower their argument, and the sign that does so in formulas."""

QUANTITIES: Final = frozenset({"SI", "qty"})
"""Commands with a number and its unit."""

LIBRARY_LACKS: Final = {
    "ddagger": "‡", "varGamma": "Γ", "varDelta": "Δ", "varTheta": "Θ", "varLambda": "Λ", "varXi": "Ξ", "varPi": "Π",
    "varSigma": "Σ", "varUpsilon": "Υ", "varPhi": "Φ", "varPsi": "Ψ", "varOmega": "Ω", "colon": ":",
    "coloneqq": "≔", "Box": "□", "heartsuit": "♡", "clubsuit": "♣", "neg": "¬", "lnot": "¬", "land": "∧", "lor": "∨",
    "micro": "µ", "slash": "/", "@": "", "enspace": " ", "thinspace": "\u2009", "negthinspace": "", "newline": " ",
    "linebreak": " ", "par": " ", "flqq": "«", "frqq": "»", "glqq": "„", "grqq": "“", "textquotedbl": '"',
    "BibTeX": "BibTeX", "LaTeXe": "LaTeX2ε",
    "prime": "\u2032", "ne": "≠", "Re": "Re", "Im": "Im", "|": "‖", "!": "", ";": " ", ":": " ", ">": " ",
    "quad": " ", "qquad": " ", "degree": "°", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]",
    "arg": "arg", "det": "det", "dim": "dim", "deg": "deg", "gcd": "gcd", "hom": "hom", "ker": "ker", "lg": "lg",
    "ln": "ln", "Pr": "Pr", "sec": "sec", "csc": "csc", "cot": "cot", "coth": "coth", "argmax": "argmax",
    "argmin": "argmin", "bmod": "mod", "iff": "⟺", "implies": "⟹", "eth": "ð", "textperiodcentered": "·",
}  # fmt: skip
"""Symbols of formulas that pylatexenc lacks, or shows otherwise than a line of text needs."""


class UnknownLatex(ValueError):
    """A command that is in none of the tables; ``command`` names it."""

    def __init__(self, command: str) -> None:
        self.command = command
        super().__init__(f"the LaTeX command {command} cannot be shown")


def symbol(name: str) -> str | None:
    r"""Return what the command of a symbol shows, by its name without the backslash; None if nothing knows it.

    >>> symbol("Xi"), symbol("textrightarrow"), symbol("sin"), symbol("foo")
    ('Ξ', '→', 'sin', None)
    """
    return SYMBOLS[name] if name in SYMBOLS else symbols().get(name)


@cache
def symbols() -> dict[str, str]:
    """Return every symbol other than ``SYMBOLS``, by its name: our own, then those of pylatexenc."""
    from pylatexenc.latex2text import get_default_latex_context_db  # takes 30 ms, and few texts need it

    out: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        name, shown = spec.macroname, spec.simplify_repl
        if isinstance(shown, str) and shown.isprintable() and shown.strip() and name not in SYMBOLS and _alone(shown):
            out.setdefault(name, shown)
    return out | LIBRARY_LACKS


def _alone(shown: str) -> bool:
    """Return whether a text of the library is a symbol or the name of a function, not a pattern for arguments."""
    return len(shown) == 1 or (len(shown) == 2 and not shown.isascii()) or shown.replace(" ", "").isalpha()
