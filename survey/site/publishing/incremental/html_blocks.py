"""Blocks of HTML in a page, set aside while its Markdown is converted: a large table needs no second reading.

Markdown leaves a block of HTML as it is, but reads each of its tags to find its end, and MkDocs reads them once more
to find anchors. Both take longer than everything else that happens to a page.
"""

from __future__ import annotations

import html
import re

START = re.compile(r"<(table|div|figure|details|section|ul|ol|dl|nav|p|pre|form|fieldset|article|aside)\b")
AFTER_BLANK = re.compile(r"(?:\A|(?<=\n\n))(?=<)")
"""Where a block of HTML may start: at the beginning of a line, after a blank one or after another block."""

MARKDOWN = re.compile(r"\smarkdown[=\s>]")
"""The attribute of an element whose content is Markdown."""

FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
"""The start of a block of code, in which HTML is an example."""

MARK = '<div data-survey-block="{}"></div>'
MARKED = re.compile(MARK.format("([0-9]+)"))

ID = re.compile(r"""\s(?:id|name)="([^"]+)\"""")


def set_aside(text: str) -> tuple[str, list[str]]:
    """Return the Markdown of a page with a mark in place of each block of plain HTML, and the blocks.

    A page with fenced code, or with a mark of its own, is returned unchanged.
    """
    if FENCE.search(text) or MARKED.search(text):
        return text, []
    parts, blocks, done = list[str](), list[str](), 0
    for match in AFTER_BLANK.finditer(text):
        start = match.start()
        while start >= done and (end := _end(text, start)) is not None:
            parts += text[done:start], MARK.format(len(blocks))
            blocks.append(text[start:end])
            done, start = end, end + 1
    return "".join([*parts, text[done:]]), blocks


def put_back(page: str, blocks: list[str]) -> str:
    """Return the HTML of a page with its blocks in their places."""
    return MARKED.sub(lambda match: blocks[int(match[1])], page) if blocks else page


def anchors(blocks: list[str]) -> set[str]:
    """Return the anchors that blocks contain."""
    return {html.unescape(name) for block in blocks for name in ID.findall(block)}


def _end(text: str, start: int) -> int | None:
    """Return where the element that starts here ends, if it is plain HTML and nothing follows in its line."""
    found = START.match(text, start)
    depth = 0
    for match in re.compile(rf"<(/?){found[1]}\b").finditer(text, start) if found else ():
        depth += -1 if match[1] else 1
        if depth == 0:
            end = text.find(">", match.end()) + 1
            return end if text[end : end + 1] in ("\n", "") and not MARKDOWN.search(text, start, end) else None
    return None
