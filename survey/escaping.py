"""Text of unknown origin, escaped for where it is read: on a terminal, or in a spreadsheet.

Names in a log or in a pull request are chosen by somebody else. A terminal obeys escape sequences in what it
prints, and characters that change the direction of text make it show something else than it holds; a spreadsheet
computes a cell that looks like a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

LAYOUT = "\n\t"
"""Characters that lay out a text of several lines and do no harm."""

FORMULA = re.compile(r"(?:\A(?=[ \xa0\"]*[=+\-@＝＋－＠'\t\r\n])|(?<=[;\t\r\n])(?=[ \xa0\"]*[=+\-@＝＋－＠']))")
"""Where a spreadsheet might begin to read a formula: at the start of a cell; and behind a semicolon, a tab or a line
break, at which it cuts cells in some countries. Or where it would swallow the apostrophe that marks a text."""


def visible(text: str, layout: str = "") -> str:
    """Return the text with characters that do not print written as escapes, as in JSON; those in ``layout`` stay.

    >>> print(visible("a\\x1b[2Jb"), visible("\\u202egnp.exe"))
    a\\u001b[2Jb \\u202egnp.exe
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in layout else _escape(c) for c in text)


def _escape(character: str) -> str:
    halves = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{halves[i : i + 2].hex()}" for i in range(0, len(halves), 2))


def as_cell(value: Any) -> Any:
    """Return a value as the content of a cell that no spreadsheet computes; anything but text is as it was.

    An apostrophe is put wherever a formula might begin, and before each apostrophe there. Removing the first
    apostrophe at each of these places restores the text.

    >>> as_cell("=1+1"), as_cell("a;=1+1"), as_cell("'tis"), as_cell("a = b")
    ("'=1+1", "a;'=1+1", "''tis", 'a = b')
    """
    return FORMULA.sub("'", value) if isinstance(value, str) else value


def csv_text(*rows: Iterable[Any]) -> str:
    """Return rows as CSV that no spreadsheet computes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(as_cell, row) for row in rows)
    return text.getvalue()
