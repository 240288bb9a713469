"""Formulas as MathML, which browsers display and read aloud without a script: in prose, and in the titles of works."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from markupsafe import Markup, escape

from survey.literature import Entry
from survey.literature.bibtex import in_unicode, readable, runs
from survey.literature.problems import quoted
from survey.site.markup.text import inert, literal

UNSEARCHED = "<mpadded data-search-exclude>"

Node = str | list[Any]
"""Text, or an element."""

ESCAPED = re.compile(r"\\.")
"""An escaped character: an escaped brace is a visible one."""

UNKNOWN = re.compile(r"\\[A-Za-z]+")
"""The converter's output for an unknown command."""


STRUCK = re.compile(
    r"\\(?:slashed|cancel|not)(?![A-Za-z])(?:[ \t]|\\!)*"
    r"(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\[A-Za-z]+|[A-Za-z])"
)
"""A stroke through its argument, which the converter lacks, or draws in a way that browsers do not show."""

OVERLAY = re.compile("[^\\W\\d_]\u0338")
"""A letter with a stroke through it."""

LOOKS = frozenset({
    "mathvariant", "stretchy", "fence", "form", "separator", "accent", "accentunder", "linethickness", "displaystyle",
    "scriptlevel", "movablelimits", "symmetric", "minsize", "maxsize", "lspace", "rspace",
})  # fmt: skip
"""Attributes of MathML that name no address, style or script."""

ENTITY = re.compile(r"&#x([0-9A-F]{1,6});")
"""How the converter writes a sign into the text of an element."""


def title_of(entry: Entry) -> Markup:
    """Return the title of a work as HTML, its formulas as MathML."""
    return _titled(entry.text("title"), escape)


def heading_of(entry: Entry) -> Markup:
    """Return the title of a work for a heading in Markdown, its formulas as MathML."""
    return _titled(entry.text("title"), inert)


def title_tree(entry: Entry) -> list[Node]:
    """Return the title of a work as text and elements, for scripts, which never parse text as HTML.

    An element is its namespace, its tag, its attributes, and what it contains. Empty for a title without a formula.
    """
    shown = str(title_of(entry)).replace(UNSEARCHED, "<mpadded>")
    return _nodes(fromstring(f"<title>{shown}</title>")) if "<math" in shown else []


def _nodes(element: Element) -> list[Node]:
    inner: list[Node] = [element.text] if element.text else []
    for child in element:
        space, _, tag = child.tag.removeprefix("{").rpartition("}")
        inner.append([space, tag, dict(child.attrib), *_nodes(child)])
        inner += [child.tail] if child.tail else []
    return inner


@lru_cache(maxsize=1 << 17)  # a work is in a hundred lists
def _titled(latex: str, escaped: Callable[[str], Markup]) -> Markup:
    shown = readable(latex)
    if shown == latex or not any(sign in latex for sign in ("$", r"\(", r"\[", r"\ensuremath")):
        return escaped(shown)  # also what cannot be shown
    return Markup("").join(_formula(part) if maths else _words(part, escaped) for part, maths in runs(latex))


def _words(text: str, escaped: Callable[[str], Markup]) -> Markup:
    """Return the words between two formulas, with the blanks at their ends."""
    inner = text.strip()
    before, _, after = text.partition(inner) if inner else (text, "", "")
    return Markup("{}{}{}").format(before, escaped(unicodedata.normalize("NFC", inner)), after)


def _formula(latex: str) -> Markup:
    """Return a formula of a title as MathML, with the line of text by which a search finds it; else that line alone.

    Titles come from anybody. The converter passes on what a formula holds of markup and addresses, so its elements
    are written here: text escaped, and of their attributes those that only say how a sign looks.
    """
    from latex2mathml.converter import convert_to_element

    line = inert(unicodedata.normalize("NFC", in_unicode(latex)))
    try:
        mathml(latex, "inline")  # refuses what cannot be converted completely
    except ValueError:
        return line
    [row] = math = convert_to_element(_struck(latex.strip()))
    # the search takes the first end of a tag of this name for the end of what it leaves out: no formula has another
    shown = Markup("<semantics>" + UNSEARCHED + "{}</mpadded>").format(Markup("").join(map(_written, row)))
    noted = Markup('<annotation encoding="text/plain">{}</annotation></semantics>').format(line)
    return Markup('<math xmlns="{}" display="inline">{}{}</math>').format(math.get("xmlns"), shown, noted)


def _written(element: Element) -> Markup:
    kept = [(name, value) for name, value in element.attrib.items() if name in LOOKS]
    attributes = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in kept)
    inner = literal(ENTITY.sub(lambda sign: chr(int(sign[1], 16)), element.text or ""))
    tag = Markup(element.tag)
    return Markup("<{}{}>{}{}</{}>").format(tag, attributes, inner, Markup("").join(map(_written, element)), tag)


def mathml(latex: str, display: str) -> str:
    """Return a formula as MathML, which browsers display and read aloud natively.

    Raises:
        ValueError: if it is not LaTeX that can be converted completely.

    """
    bare = ESCAPED.sub("", latex)
    if bare.count("{") != bare.count("}"):
        raise ValueError(f"a brace too many or too few in the formula {quoted(latex.strip())}")
    from latex2mathml.converter import convert  # reads a large table, and few pages have formulas

    try:
        markup = " ".join(convert(_struck(latex.strip()), display=display).split())
    except Exception as error:  # the converter's errors have no common base class, and some are Python's
        raise ValueError(f"not a formula that can be shown: {quoted(latex.strip())} ({_reason(error)})") from None
    if unknown := UNKNOWN.search(markup):
        raise ValueError(f"{quoted(unknown[0])} is not a known command of formulas: {quoted(latex.strip())}")
    return markup.replace("*", "&#42;").replace("_", "&#95;")  # Markdown would see emphasis


def _struck(latex: str) -> str:
    """Return a formula with the letters that have a stroke through them as text, in Unicode."""

    def written(match: re.Match[str]) -> str:
        try:
            shown = in_unicode(match.group())
        except ValueError:
            return match.group()  # the converter says what it does not know
        return rf"\text{{{shown}}}" if OVERLAY.fullmatch(shown) else match.group()

    return STRUCK.sub(written, latex)


def _reason(error: Exception) -> str:
    """Return the converter's error name in words; it has no other message."""
    name = type(error).__name__.removesuffix("Error")
    own = type(error).__module__.startswith("latex2mathml")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() if own else "the converter failed"
