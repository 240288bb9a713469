"""What changed, as a comment on a pull request: short, folded, and nothing in it acts.

Whoever sends a pull request chooses what stands in the pool, in the taxonomy and in the claims.
All of it is put into code spans, in which neither Markdown nor HTML means anything. GitHub links
and notifies nobody from there; but an answer by mail quotes a comment without its spans,
so a blank of no width behind every @ and # keeps names and numbers apart from them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from survey.literature import Pool
from survey.literature.claims import Changes, figure
from survey.literature.pool import cell_label, cells, format_tags
from survey.literature.problems import visible

LIMIT = 60_000
"""No comment is longer, in characters: GitHub takes 65,536, and whoever posts it adds a line."""

LONG = 160
"""Of one text from the pool, no more characters are shown."""

NOTIFIES = re.compile(r"[@#]")
NO_WIDTH = "\u200b"


def comment(found: Changes, was: Pool, now: Pool, files: Sequence[str] = (), site: str = "") -> str:
    """What changed between two copies in Markdown, at most ``LIMIT`` characters.

    If it would be longer, every list is cut to the same length, and says how many it leaves out.
    With the address of a ``site``, entries and claims are linked to their pages there.
    """
    lists: list[Sequence[Any]] = [value for value in vars(found).values() if isinstance(value, tuple)]
    most = max(map(len, [*lists, files]))
    fits, exceeds = -1, most + 1  # lists cut to `fits` fit, those cut to `exceeds` do not, or there are none
    text = ""
    while exceeds - fits > 1:
        length = most if fits < 0 and exceeds > most else (fits + exceeds) // 2
        tried = _rendered(found, was, now, files, site, length)
        if len(tried) <= LIMIT:
            fits, text = length, tried
        else:
            exceeds = length
    return text


def headline(found: Changes, files: Sequence[str] = ()) -> str:
    """What changed in one line.

    Counts only: nothing in it comes from the pool.
    """
    parts = [
        *_more_or_fewer(len(found.entries), len(found.gone_entries), "entry", "entries"),
        *_more_or_fewer(len(found.records), len(found.gone_records), "excluded record", "excluded records"),
        _count(sum(bool(edit.tags) for edit in found.edits), "work changes its tags", "works change their tags"),
        _count(sum(not edit.tags for edit in found.edits), "work is edited", "works are edited"),
        *_more_or_fewer(len(found.new_claims), len(found.gone_claims), "claim", "claims"),
        _count(len(found.overturned), "claim changes status", "claims change status"),
        _count(len(found.restated), "claim asks something else", "claims ask something else"),
        _count(len(found.rankings), "ranking changes", "rankings change"),
        _count(len(found.filled), "gap is filled", "gaps are filled"),
        _count(len(found.emptied), "gap is opened", "gaps are opened"),
    ]
    said = [part for part in parts if part]
    differ = _count(len(files), "other file differs", "other files differ")
    return "; ".join([*(said or ["nothing that is counted changes"]), *([differ] if differ else [])]).capitalize()


def _more_or_fewer(came: int, went: int, one: str, many: str) -> list[str]:
    if came and went:
        return [f"{_count(came, f'{one} comes', f'{many} come')}, {went} {'goes' if went == 1 else 'go'}"]
    return [_count(came, f"{one} more", f"{many} more"), _count(went, f"{one} fewer", f"{many} fewer")]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""


def code(text: object) -> Markup:
    """Text in a code span, on one line and shortened, which nothing in it can leave.

    >>> print(code("`*a*` <b>"))
    `` `*a*` <b> ``
    >>> code("ask @octocat about #1") == "`ask @" + NO_WIDTH + "octocat about #" + NO_WIDTH + "1`"
    True
    """
    flat = visible(" ".join(str(text).split())) or "(empty)"
    shown = flat if len(flat) <= LONG else f"{flat[: LONG - 1]}…"
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    blank = " " if "`" in (shown[0], shown[-1]) else ""
    return Markup(f"{fence}{blank}{NOTIFIES.sub(lambda m: m[0] + NO_WIDTH, shown)}{blank}{fence}")


def link(text: object, site: str, *path: str) -> Markup:
    """Text in a code span; linked if there is a site."""
    address = "/".join(quote(part, safe="") for part in path)
    return Markup("[{}]({}{}/)").format(code(text), site, address) if site else code(text)


@cache
def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("survey.cli.literature", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(code=code, tags=lambda tags: code(format_tags(tags) or "not coded"))
    env.globals.update(link=link, figure=figure, number=lambda n, one, many: f"{n} {one if n == 1 else many}")
    return env


def _rendered(found: Changes, was: Pool, now: Pool, files: Sequence[str], site: str, length: int) -> str:
    def label(place: tuple[str, str]) -> Markup:
        axis, cell = place
        pool = now if axis in now.taxonomy.axes else was
        known = cell in cells(pool.taxonomy[axis])
        shown = cell_label(pool.taxonomy, pool.taxonomy[axis], cell) if known else cell
        return code(f"{axis}: {shown}")

    return (
        _environment()
        .get_template("comment.md.j2")
        .render(found=found, files=files, site=site, length=length, label=label, headline=headline(found, files))
    )
