"""Published addresses: the list of pages and data files that must not disappear, with what an edition adds to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from survey.site.build import Build
from survey.site.cache import Cache

ADDRESSES = "tests/site/addresses.txt"
"""The list, in a project; its comments say what it is."""

DATA = ("data/", "schema/")
"""Folders of files that others may load by their addresses; other files are parts of pages."""

LISTED_ELSEWHERE = ("entries/", "data/entries/", "explore/page-")
"""What bib/editions/keys.txt lists, by the keys of entries; and pages whose number follows that of the entries."""


def site_addresses(project: Path, folder: Path) -> set[str]:
    """Return the pages and data files of the site of today, as paths of their sources, without those of entries.

    Raises:
        InvalidSurvey: if the data cannot be counted.

    """
    computed = Build(folder, Cache(project / ".cache" / "site"), docs=project / "docs").files()
    written = [path.relative_to(project / "docs").as_posix() for path in (project / "docs").rglob("*.md")]
    notebooks = [path.relative_to(project).as_posix() for path in (project / "notebooks").glob("*.ipynb")]
    found = (path for path in (*computed, *written) if path.endswith(".md") or path.startswith(DATA))
    return {*notebooks, *(path for path in found if not path.startswith(LISTED_ELSEWHERE))}


def with_addresses(text: str, addresses: Iterable[str]) -> str:
    """Return the list with more addresses, in order; none is ever dropped.

    >>> print(with_addresses("# A list.\\nindex.md\\n", ["axes/a.md", "index.md"]), end="")
    # A list.
    axes/a.md
    index.md
    """
    lines = [line for line in text.splitlines() if line.strip()]
    comments = [line for line in lines if line.startswith("#")]
    return "\n".join([*comments, *sorted({*lines, *addresses} - {*comments})]) + "\n"
