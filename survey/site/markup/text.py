"""Text from the pool on its way into a page: nothing of it can act.

Pages are Markdown with HTML in it. Pool text that goes into HTML is escaped by the templates; text that
goes into Markdown is made inert first, since a title may hold asterisks, brackets or braces that Markdown
or the prose engine would obey.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache

from babel import Locale, UnknownLocaleError
from markupsafe import Markup, escape

ACTIVE = re.compile(r"[^\w\s,;.()?/%’‘“”…–—-]|[_]")
"""Everything that HTML, Markdown or a template could take for a command."""


LINE_START = re.compile(r"(?m)^(\s*)([-+.)\d])")


def inert(text: str) -> Markup:
    """Text that Markdown and HTML show as it is written.

    >>> str(inert("a *b* <c>"))
    'a &#42;b&#42; &#60;c&#62;'
    """
    flat = " ".join(text.split())
    safe = ACTIVE.sub(lambda m: f"&#{ord(m.group())};", flat)
    return Markup(LINE_START.sub(lambda m: f"{m.group(1)}&#{ord(m.group(2))};", safe))


def heading(text: str) -> str:
    """Text for the title of a page, which themes put into HTML as it is, and once more after unescaping it.

    Angle brackets become their typographic likes: nothing that is unescaped can then be a tag.
    """
    return str(escape(text.replace("<", "‹").replace(">", "›")))


def chapter(path: str) -> str:
    """How a sentence names a hand-written page.

    >>> chapter("read/open-problems.md"), chapter("index.md")
    ('Open problems', 'Home')
    """
    stem = posixpath.basename(path).removesuffix(".md")
    return "Home" if path == "index.md" else stem.replace("-", " ").capitalize()


def code(text: str) -> Markup:
    """Text for HTML in which what stands between backticks is code.

    >>> str(code("`t` < 3"))
    '<code>t</code> &lt; 3'
    """
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 and place < len(parts) - 1 else escape(part)
        for place, part in enumerate(parts)
    )


def words(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> words(1, "entry", "entries"), words(0, "entry", "entries")
    ('1 entry', '0 entries')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


@cache
def language(code: str) -> tuple[str, str]:
    """How a language is called by those who speak it, and in English; its code twice if it is not known.

    >>> language("zh"), language("pt-br"), language("xx")
    (('中文', 'Chinese'), ('Português (Brasil)', 'Portuguese (Brazil)'), ('xx', 'xx'))
    """
    try:
        locale = Locale.parse(code, sep="-")
    except (ValueError, UnknownLocaleError):
        return code, code
    own, english = locale.display_name or code, locale.english_name or code
    return own[0].upper() + own[1:], english
