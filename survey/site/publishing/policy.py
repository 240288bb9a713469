"""The Content-Security-Policy of the site: what its pages may run, load and send.

The theme adds a few short inline scripts to its pages. The policy allows them by hash, taken
from the theme's own templates and never from a finished page: a script injected through a text
is not among them, stops the build, and would not run. Instant navigation swaps pages
under the policy of the first one, so all pages have the same policy.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

THEME = tuple(f"partials/javascripts/{name}.html" for name in ("base", "announce", "palette", "content"))
"""The templates of Material with inline scripts of every page."""

SOURCES = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
"""The allowed sources by directive.

The page that opens a log runs WebAssembly in a worker made of text, which has the rights of its page and no more
(one from a file has its own), and shows reports in a frame. None of it lets a page run or load what is not the site's.

``style`` attributes are allowed: charts and the hue of an axis use them, they affect no other
element, and ``img-src`` blocks what they could load.
"""

SCRIPT = re.compile(
    r"<script\b(?P<attributes>[^>]*+)(?:>(?P<code>.*?)(?:(?P<end></script\s*>)|\Z)|\Z)", re.IGNORECASE | re.DOTALL
)
"""A script, or an open one up to the end of the page: browsers do not run it, and to look behind it takes long."""

NOT_RUN = re.compile(r"(?<!\S)(?:src\s*=|type\s*=\s*[\"']?application/(?:ld\+)?json\b)", re.IGNORECASE)
"""Attributes of an external script, or of one that holds data."""

SCOPE = re.compile(r'<script>(__md_scope=new URL\()"([^"]*)"')
"""The one script of the theme whose text differs between pages: it holds the relative path to the home page."""

CHARSET = '<meta charset="utf-8">'
"""The element after which the policy is placed: browsers look for it at the very beginning of a page."""


class Unexpected(ValueError):
    """A page holds an inline script that the policy does not allow."""


@dataclass(frozen=True)
class Policy:
    """The policy of a site; ``hashes`` are those of the theme's inline scripts."""

    hashes: tuple[str, ...]

    @classmethod
    def of(cls, source: Callable[[str], str], templates: Iterable[str] = THEME) -> Policy:
        """Return the policy for a theme; ``source`` returns the text of a template."""
        found = {csp_hash(code) for name in templates for code in inline_scripts(with_scope_attribute(source(name)))}
        return cls(tuple(sorted(found)))

    def __str__(self) -> str:
        allowed = SOURCES | {"script-src": " ".join([SOURCES["script-src"], *(f"'{name}'" for name in self.hashes)])}
        return "; ".join(f"{directive} {sources}" for directive, sources in allowed.items())

    def applied(self, html: str) -> str:
        """Return the page with the policy; text that is not a page is returned unchanged.

        Raises:
            Unexpected: if the page holds an inline script that is not the theme's.

        """
        if CHARSET not in html:
            return html
        html = with_scope_attribute(html)
        for code in inline_scripts(html):
            if csp_hash(code) not in self.hashes:
                start = " ".join(code.split())[:60]
                raise Unexpected(f'the inline script "{start}" is not from the theme (put it into a file of assets/)')
        meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(str(self), quote=False)}">'
        return html.replace(CHARSET, f"{CHARSET}{meta}", 1)


def with_scope_attribute(html: str) -> str:
    """Return the page with the path to the home page in an attribute of its script, so that the text is constant.

    >>> with_scope_attribute('<script>__md_scope=new URL("../..",location)</script>')
    '<script data-scope="../..">__md_scope=new URL(document.currentScript.dataset.scope,location)</script>'
    """
    return SCOPE.sub(r'<script data-scope="\2">\1document.currentScript.dataset.scope', html, count=1)


def inline_scripts(html: str) -> list[str]:
    """Return the code of every inline script of a page.

    >>> inline_scripts('<script>a()</script><script src="b.js"></script><script type="application/json">{}</script>')
    ['a()']
    """
    return [
        match["code"] for match in SCRIPT.finditer(html) if match["end"] and not NOT_RUN.search(match["attributes"])
    ]


def csp_hash(code: str) -> str:
    """Return the hash by which a policy allows a script.

    >>> csp_hash("alert('Hello, world.');")
    'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"
