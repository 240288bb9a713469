"""The Content-Security-Policy of the site: what its pages may run, load and send, and nothing besides.

The theme puts a few short scripts into its pages. They are named by their hashes, taken
from the theme's own templates and never from a finished page: a script that came into a
page with somebody's text is not among them, stops the build, and would not run. Instant
navigation swaps pages under the policy of the first one, so it is the same on all.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

THEME = tuple(f"partials/javascripts/{name}.html" for name in ("base", "announce", "palette", "content"))
"""The templates of Material whose scripts stand in every page."""

SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
"""What is allowed from where.

Attributes ``style`` are let through: charts and the hue of an axis are written in them, they
reach no other element, and what they could load is held back by ``img-src``.
"""

SCRIPT = re.compile(r"<script\b(?P<attributes>[^>]*)>(?P<code>.*?)</script\s*>", re.IGNORECASE | re.DOTALL)

NOT_RUN = re.compile(r"(?<!\S)(?:src\s*=|type\s*=\s*[\"']?application/(?:ld\+)?json\b)", re.IGNORECASE)
"""Attributes of a script that has its code elsewhere, or of one that is data."""

SCOPE = re.compile(r'<script>(__md_scope=new URL\()"([^"]*)"')
"""The one script of the theme whose text differs from page to page: it names the way to the home page."""

CHARSET = '<meta charset="utf-8">'
"""What a policy must not come before: browsers look for it at the very beginning of a page."""


class Unexpected(ValueError):
    """A page holds a script that the policy does not know."""


@dataclass(frozen=True)
class Policy:
    """The policy of a site whose theme brings certain inline scripts, each given by its hash."""

    hashes: tuple[str, ...]

    @classmethod
    def of(cls, source: Callable[[str], str], templates: Iterable[str] = THEME) -> Policy:
        """The policy for a theme; ``source`` gives the text of a template."""
        found = {hashed(code) for name in templates for code in inline(settled(source(name)))}
        return cls(tuple(sorted(found)))

    def __str__(self) -> str:
        allowed = SOURCES | {"script-src": " ".join([SOURCES["script-src"], *(f"'{name}'" for name in self.hashes)])}
        return "; ".join(f"{directive} {sources}" for directive, sources in allowed.items())

    def applied(self, html: str) -> str:
        """The page with the policy in it; what is no page stays as it is.

        Raises:
            Unexpected: if a script stands in the page that the theme did not bring.

        """
        if CHARSET not in html:
            return html
        html = settled(html)
        for code in inline(html):
            if hashed(code) not in self.hashes:
                start = " ".join(code.split())[:60]
                raise Unexpected(f'the inline script "{start}" is none of the theme (put it into a file of assets/)')
        meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(str(self), quote=False)}">'
        return html.replace(CHARSET, f"{CHARSET}{meta}", 1)


def settled(html: str) -> str:
    """The page with the way to the home page in an attribute of its script, whose text is then always the same.

    >>> settled('<script>__md_scope=new URL("../..",location)</script>')
    '<script data-scope="../..">__md_scope=new URL(document.currentScript.dataset.scope,location)</script>'
    """
    return SCOPE.sub(r'<script data-scope="\2">\1document.currentScript.dataset.scope', html, count=1)


def inline(html: str) -> list[str]:
    """The code of every script that stands in a page itself.

    >>> inline('<script>a()</script><script src="b.js"></script><script type="application/json">{}</script>')
    ['a()']
    """
    return [match["code"] for match in SCRIPT.finditer(html) if not NOT_RUN.search(match["attributes"])]


def hashed(code: str) -> str:
    """How a policy names a script.

    >>> hashed("alert('Hello, world.');")
    'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"
