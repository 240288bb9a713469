"""The Jinja templates of the site, each stored beside the code that renders it."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment

from survey.literature.bibtex import address_of
from survey.site.html.addresses import url
from survey.site.html.templates import plain
from survey.site.markup.citations import reference
from survey.site.markup.formulas import heading_of, title_of
from survey.site.markup.links import entry_page, filtered
from survey.site.markup.optional import has
from survey.site.markup.text import at_start, chapter, code, heading, in_sentence, inert, language, words
from survey.site.markup.works import LISTED, short, work


@cache
def environment() -> Environment:
    """Return the environment of the site's templates, with its filters and functions."""
    env = plain()
    env.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    env.filters.update(
        inert=inert, heading=heading, code=code, chapter=chapter, language=language, address_of=address_of
    )
    env.filters.update(in_sentence=in_sentence, at_start=at_start)
    env.globals.update(
        title_of=title_of,
        heading_of=heading_of,
        url=url,
        entry_page=entry_page,
        filtered=filtered,
        reference=reference,
        words=words,
        work=work,
        short=short,
        listed=LISTED,
        has=has,
    )
    return env


def render(template: str, **values: Any) -> str:
    """Render a template."""
    return environment().get_template(template).render(**values)
