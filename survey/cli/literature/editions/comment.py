"""Changes as a comment on a pull request: short, folded, and inert.

The author of a pull request controls the text in the pool, the taxonomy and the claims. All of it goes into
code spans, where neither Markdown nor HTML has any effect and GitHub creates no links or notifications. A reply
by mail quotes a comment without its spans, so a zero-width space follows every @ and #.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from survey.escaping import visible
from survey.literature import Pool
from survey.literature.bibtex import KEY, address_of
from survey.literature.claims import Changes, formatted_number
from survey.literature.pool import cell_label, cells, format_tags

LIMIT = 60_000
"""Maximum length of a comment in characters: GitHub accepts 65,536, and the poster adds a line."""

LONG = 160
"""Maximum number of characters shown of one text from the pool."""

NOTIFIES = re.compile(r"[@#]")
NO_WIDTH = "\u200b"


def comment(found: Changes, was: Pool, now: Pool, files: Sequence[str] = (), site: str = "") -> str:
    """Return the changes between two copies as Markdown of at most ``LIMIT`` characters.

    If the comment would be longer, every list is cut to the same length and says how many items it omits.
    If ``site`` is given, entries and claims link to their pages there.
    """
    lists: list[Sequence[Any]] = [value for value in vars(found).values() if isinstance(value, tuple)]
    most = max(map(len, [*lists, files]))
    fits, exceeds = -1, most + 1  # binary search: lists of length `fits` fit, lists of length `exceeds` do not
    text = ""
    while exceeds - fits > 1:
        length = most if fits < 0 and exceeds > most else (fits + exceeds) // 2
        tried = _rendered(found, was, now, files, site, length)
        if len(tried) <= LIMIT:
            fits, text = length, tried
        else:
            exceeds = length
    return text


def change_summary(found: Changes, files: Sequence[str] = ()) -> str:
    """Return a one-line summary of the changes. It holds counts only, and no text from the pool."""
    parts = [
        _added_and_removed(len(found.entries), len(found.gone_entries), "entry", "entries"),
        _added_and_removed(len(found.records), len(found.gone_records), "excluded record", "excluded records"),
        _count(sum(bool(edit.tags) for edit in found.edits), "work changes its tags", "works change their tags"),
        _count(sum(not edit.tags for edit in found.edits), "work is edited", "works are edited"),
        _added_and_removed(len(found.new_claims), len(found.gone_claims), "claim", "claims"),
        _count(len(found.status_changes), "claim changes status", "claims change status"),
        _count(len(found.restated), "claim is redefined", "claims are redefined"),
        _count(len(found.rankings), "ranking changes", "rankings change"),
        _count(len(found.filled), "gap is filled", "gaps are filled"),
        _count(len(found.emptied), "gap is opened", "gaps are opened"),
    ]
    shown = [part for part in parts if part]
    differ = _count(len(files), "other file differs", "other files differ")
    return "; ".join([*(shown or ["no counts change"]), *([differ] if differ else [])]).capitalize()


def _added_and_removed(added: int, removed: int, one: str, many: str) -> str:
    if added and removed:
        return f"{_count(added, f'{one} added', f'{many} added')}, {removed} removed"
    return _count(added, f"{one} added", f"{many} added") or _count(removed, f"{one} removed", f"{many} removed")


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""


def code(text: object) -> Markup:
    """Return text in a code span, on one line and shortened; no character in it can end the span.

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


def link(name: str, site: str, *path: str) -> Markup:
    """Return a key or an id as a link to its page; in a code span if there is no site, or it is none.

    The letters of a key do nothing in Markdown. A code span in a link could be torn apart by a backtick before it.
    """
    if not site or not KEY.fullmatch(name):
        return code(name)
    address = "/".join(quote(part, safe="") for part in path)
    return Markup("[{}]({}{}/)").format(name, site, address)


@cache
def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("survey.cli.literature.editions", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(code=code, tags=lambda tags: code(format_tags(tags) or "not coded"))
    env.globals.update(
        link=link,
        address_of=address_of,
        formatted_number=formatted_number,
        number=lambda n, one, many: f"{n} {one if n == 1 else many}",
    )
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
        .render(found=found, files=files, site=site, length=length, label=label, summary=change_summary(found, files))
    )
