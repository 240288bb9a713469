"""A sliding window over a JSON text too long for memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

from survey.traces.checks import Pairs
from survey.traces.model import schema
from survey.traces.problems import quoted

PIECE = 1 << 17
SPACE = re.compile(r"[ \t\r\n]*")
BETWEEN = re.compile(r"\}\s*,\s*\{")
TRIES = 8
TAILS = (1024, 8192)
"""How much of the end of the window is searched for a boundary: most objects are short."""
LONGEST_TOKEN = 20
"""Longer than any token or escape in which the window may end."""
REMEMBERED = 1 << 22
"""How much of a broken document is searched for the start of the next one."""


class Broken(Exception):
    """Raised where the text is not valid JSON: the position in the window, and the reason."""

    def __init__(self, at: int, why: str) -> None:
        self.at, self.why = at, why


class Window:
    """The buffered text and a position in it, ``at``. Text before the position may be dropped."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.text, self.at, self.ended, self.damage = "", 0, False, ""
        self._lines = 0
        self._start = 0  # where the document began; -1 once that was dropped
        # invalid UTF-8 bytes become surrogates, so that they break one string and not the file
        self._stream, self._decode = stream, codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode

    def line(self, at: int) -> int:
        """Return the line number of a position."""
        return self._lines + self.text.count("\n", 0, at) + 1

    def grow(self) -> bool:
        """Read more text, as much as is unread, so that a long value takes linear time; return False at the end."""
        if self.ended:
            return False
        more = self._read(max(PIECE, len(self.text) - self.at))
        kept = self._start if self._start >= 0 and self.at - self._start < REMEMBERED else self.at
        if "\n" in self.text:  # to look is faster than to count, and many a long trace is one line
            self._lines += self.text.count("\n", 0, kept)
        self.text, self.at = self.text[kept:] + more, self.at - kept
        self._start = 0 if kept == self._start else -1
        return True

    def _read(self, size: int) -> str:
        try:
            data = self._stream.read(size)
            self.ended = not data
            return self._decode(data, self.ended)
        except Exception as error:  # each compression format has its own errors, with no common base class
            self.damage, self.ended = f"the file cannot be unpacked ({error})", True
            return ""

    def more(self) -> bool:
        """Skip whitespace; return whether anything follows."""
        while True:
            self.at = SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return True
            if not self.grow():
                return False

    def peek(self) -> str:
        """Return the next non-space character, or "" at the end."""
        return self.text[self.at] if self.more() else ""

    def take(self, expected: str) -> str:
        """Consume the next non-space character, which must be one of those expected; else raise ``Broken``."""
        found = self.peek()
        if not found or found not in expected:
            shown = quoted(self.text[self.at : self.at + 20]) if found else "the end of the text"
            raise Broken(self.at, self.damage or f"found {shown}, expected {' or '.join(expected)}")
        self.at += 1
        return found

    def value(self) -> Any:
        """Consume the next value; objects become ``Pairs``."""
        while True:
            self.more()
            try:
                value, end = _PAIRS.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if not _may_go_on(error) or not self.grow():
                    raise Broken(error.pos, self.damage or error.msg.lower()) from None
            except (RecursionError, ValueError) as error:
                raise Broken(self.at, _reason(error)) from None
            else:
                if end < len(self.text) or not self.grow():  # a number at the end of the window may continue
                    self.at = end
                    return value

    def pieces(self, decode: Callable[[str], list[Any] | None]) -> Iterator[tuple[str, list[Any] | None]]:
        """Yield the text of the list whose bracket was just consumed, some elements at a time.

        Each piece comes with the result of ``decode``, which raises ``ValueError`` where a text is
        not a JSON list, and may return None for a list that needs the slow path.
        """
        while True:
            if len(self.text) - self.at < PIECE:
                self.grow()
            piece = self._middle(decode)
            if piece:
                yield piece
                continue
            try:
                _, end = _PLAIN.raw_decode("[" + self.text[self.at :])
            except json.JSONDecodeError as error:
                if not _may_go_on(error) or not self.grow():
                    raise Broken(self.at + error.pos - 1, self.damage or error.msg.lower()) from None
            except (RecursionError, ValueError) as error:
                raise Broken(self.at, _reason(error)) from None
            else:
                rest = "[" + self.text[self.at : self.at + end - 1]
                self.at += end - 1
                yield rest, None
                return

    def _middle(self, decode: Callable[[str], list[Any] | None]) -> tuple[str, list[Any] | None] | None:
        """Return a piece that ends between two objects, or None.

        A boundary found by its text may lie inside an element, or behind the list. Then the piece
        is not a list of complete elements, the parser fails, and an earlier boundary is tried.
        """
        if self.ended:
            return None
        for match in self._last_boundaries():
            piece = f"[{self.text[self.at : match.start() + 1]}]"
            try:
                items = decode(piece)
            except (ValueError, RecursionError):
                continue
            self.at = match.end() - 1
            return piece, items
        return None

    def _last_boundaries(self) -> Iterator[re.Match[str]]:
        """Yield the last places that look like the end of one object and the start of the next, last first."""
        for tail in TAILS:
            yield from list(BETWEEN.finditer(self.text, max(self.at, len(self.text) - tail)))[: -TRIES - 1 : -1]

    def begin(self) -> None:
        """Mark the start of a document."""
        self.more()
        self._start = self.at

    def recover(self) -> None:
        """Resume after an error, at the next line that begins a document.

        That may be the next line, even if the broken document appeared to continue into it.
        """
        self.at = max(self._start, 0) if self._start >= 0 else self.at
        self._start = -1
        while not (found := _BEGINNING.search(self.text, self.at)):
            self.at = max(len(self.text) - LONGEST_BEGINNING, self.at)
            if not self.grow():
                self.at = len(self.text)
                return
        self.at = found.start() + 1


LONGEST_BEGINNING = 200
_BEGINNING = re.compile(r'\n\{\s{0,100}"(?:' + "|".join(schema()["properties"]) + ')"')
_PAIRS = json.JSONDecoder(object_pairs_hook=Pairs)
_PLAIN = json.JSONDecoder()


def _may_go_on(error: json.JSONDecodeError) -> bool:
    """Return whether the text may be valid but truncated.

    For an error in the middle of the text no more is read: otherwise a file with a broken line
    would be read to its end before the next line could be parsed.
    """
    return error.msg.startswith("Unterminated string") or error.pos > len(error.doc) - LONGEST_TOKEN


def _reason(error: Exception) -> str:
    return "is nested too deeply" if isinstance(error, RecursionError) else "found a number with too many digits"
