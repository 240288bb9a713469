"""The page on dependencies: every package, its version and licence, and how to audit them."""

from __future__ import annotations

from collections import Counter

from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.pages.dependencies.listing import GROUPS, listed

PAGE = "take-part/dependencies.md"


def dependency_pages(_: Facts) -> Files:
    """Yield the page, computed from the committed list: the same wherever it is built."""
    packages = sorted(listed(), key=lambda one: one.name.lower())
    groups = [(words, [one for one in packages if one.needed == needed]) for needed, words in GROUPS.items()]
    number = Counter(one.needed for one in packages)
    licences = {words: Counter(one.licence for one in group).most_common() for words, group in groups}
    yield (
        PAGE,
        render("pages/dependencies/dependencies.md.j2", page=PAGE, groups=groups, number=number, licences=licences),
    )
