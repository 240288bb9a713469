"""Escaping of pool text for pages, so that it cannot act as markup.

Pages are Markdown with embedded HTML. Templates escape pool text that goes into HTML; text that
goes into Markdown is made inert first, since a title may hold asterisks, brackets or braces that Markdown
or the prose engine would interpret.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache

from babel import Locale, UnknownLocaleError
from markupsafe import Markup, escape

ACTIVE = re.compile(r"[^\w\s,;.()?/%’‘“”…–—-]|[_]")
"""Every character that HTML, Markdown or a template could interpret."""


LINE_START = re.compile(r"(?m)^([^\S\n]*)([-+.)\d])")


def inert(text: str) -> Markup:
    """Escape text so that Markdown and HTML show it literally.

    >>> str(inert("a *b* <c>"))
    'a &#42;b&#42; &#60;c&#62;'
    """
    safe = literal(" ".join(text.split()))
    return Markup(LINE_START.sub(lambda m: f"{m.group(1)}&#{ord(m.group(2))};", safe))


def literal(text: str) -> Markup:
    """Escape the characters of a text that could act anywhere but at the start of a line, and keep its blanks."""
    return Markup(ACTIVE.sub(lambda m: f"&#{ord(m.group())};", text))


def heading(text: str) -> str:
    """Escape text for the title of a page, which themes insert into HTML unescaped, and again after unescaping it.

    Angle brackets become typographic ones, so that nothing can be a tag after unescaping.
    """
    return str(escape(text.replace("<", "‹").replace(">", "›")))


def in_sentence(label: str) -> str:
    """Return a label as it stands inside a sentence: words with further capitals are names, and stay.

    >>> in_sentence("Kind of Work"), in_sentence("arXiv class"), in_sentence("RL method")
    ('kind of work', 'arXiv class', 'RL method')
    """
    return re.sub(r"\S+", lambda word: word[0] if any(map(str.isupper, word[0][1:])) else word[0].lower(), label)


def at_start(label: str) -> str:
    """Return a label as it stands at the start of a sentence.

    >>> at_start("message"), at_start("RL method"), at_start("arXiv class")
    ('Message', 'RL method', 'arXiv class')
    """
    first = label.split(" ", 1)[0]
    return label if any(map(str.isupper, first[1:])) else label[:1].upper() + label[1:]


def chapter(path: str) -> str:
    """Return the name of a hand-written page for use in a sentence.

    >>> chapter("read/open-problems.md"), chapter("index.md")
    ('Open problems', 'Home')
    """
    stem = posixpath.basename(path).removesuffix(".md")
    return "Home" if path == "index.md" else stem.replace("-", " ").capitalize()


def code(text: str) -> Markup:
    """Return text as HTML, with passages between backticks as code.

    >>> str(code("`t` < 3"))
    '<code>t</code> &lt; 3'
    """
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 and place < len(parts) - 1 else escape(part)
        for place, part in enumerate(parts)
    )


def words(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> words(1, "entry", "entries"), words(0, "entry", "entries")
    ('1 entry', '0 entries')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


@cache
def language(code: str) -> tuple[str, str]:
    """Return the name of a language in that language and in English; its code twice if it is unknown.

    >>> language("zh"), language("pt-br"), language("xx")
    (('中文', 'Chinese'), ('Português (Brasil)', 'Portuguese (Brazil)'), ('xx', 'xx'))
    """
    try:
        locale = Locale.parse(code, sep="-")
    except (ValueError, UnknownLocaleError):
        return code, code
    own, english = locale.display_name or code, locale.english_name or code
    return own[0].upper() + own[1:], english
