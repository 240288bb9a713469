"""Text from the pool on its way into a page: nothing of it can act, and every link is relative.

Pages are Markdown with HTML in it. Pool text that goes into HTML is escaped by the
templates; text that goes into Markdown is made inert first, since a title may hold
asterisks, brackets or braces that Markdown or the prose engine would obey.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlencode

from babel import Locale, UnknownLocaleError
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from survey.literature import Entry
from survey.site.cite import reference

ACTIVE = re.compile(r"[^\w\s,;.()?/%’‘“”…–—-]|[_]")
"""Everything that HTML, Markdown or a template could take for a command."""

LISTED = 100
"""Works in one list: of more, a page shows the newest and leads to the table of all entries, which filters them."""

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


def url(source: str, target: str) -> str:
    """The address of a page or file, seen from a page (both as paths below docs/).

    >>> url("read/credit.md", "entries/c3.md")
    '../../entries/c3/'
    >>> url("index.md", "data/pool.bib")
    'data/pool.bib'
    """
    path, hash_, anchor = target.partition("#")
    here, there = _places(source), _places(path)
    shared = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        shared += 1
    relative = "/".join((*[".."] * (len(here) - shared), *there[shared:])) or "."
    if address(path).endswith("/") or not address(path):
        relative += "/"
    return f"{relative}{hash_}{anchor}"


@lru_cache(maxsize=1 << 17)  # a large page links to the same thousands again and again
def _places(path: str) -> tuple[str, ...]:
    """The folders and the name on the way to where a file is published."""
    return tuple(address(path).rstrip("/").split("/")) if address(path) else ()


@lru_cache(maxsize=1 << 17)
def address(path: str) -> str:
    """Where a file is published: pages become folders.

    >>> address("read/credit.md"), address("notebooks/credit.ipynb"), address("data/pool.bib")
    ('read/credit/', 'notebooks/credit/', 'data/pool.bib')
    """
    folder, name = posixpath.split(path)
    if not name.endswith(".md") and not (folder == "notebooks" and name.endswith(".ipynb")):
        return path
    stem = posixpath.splitext(path)[0]
    if stem == "index" or stem.endswith("/index"):
        return stem.removesuffix("index")
    return f"{stem}/"


def filtered(page: str, chosen: Mapping[str, str]) -> str:
    """The address of the table of all entries with filters set: cells by axis.

    >>> filtered("measure/credit-by-decision.md", {"credit": "message", "decision": "stop: learned"})
    '../../explore/?credit=message&decision=stop:+learned'
    """
    return f"{url(page, 'explore/index.md')}?{urlencode(chosen, safe=':')}"


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


def newest_first(works: Iterable[Entry]) -> list[Entry]:
    """The order of works in a list: by the year that it shows, then by first publication, the last first."""
    by_key = sorted(works, key=lambda work: work.key)
    return sorted(by_key, key=lambda work: (work.year, work.appeared), reverse=True)


def work(entry: Entry, page: str) -> Markup:
    """A work in a list: its title, which leads to its page, by whom and when."""
    return _work(url(page, f"entries/{entry.key}.md"), entry.title, entry.by, entry.year)


@lru_cache(maxsize=1 << 17)  # a work stands in a hundred lists
def _work(address: str, title: str, by: str, year: int) -> Markup:
    named = Markup('<a href="{}"><span class="work-title">{}</span></a> <span class="work-by">{}, {}</span>')
    return named.format(address, title, by, year)


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


@cache
def environment() -> Environment:
    """The templates of the site, with autoescape on and unknown names an error."""
    env = Environment(
        loader=PackageLoader("survey.site"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a server loads this module anew when a template changes
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(inert=inert, heading=heading, code=code, chapter=chapter, language=language)
    env.globals.update(url=url, filtered=filtered, reference=reference, words=words, work=work, listed=LISTED)
    return env


def render(template: str, **values: Any) -> str:
    """A template filled in."""
    return environment().get_template(template).render(**values)
