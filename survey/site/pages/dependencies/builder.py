"""The page on what the survey is built from: every package, its version, its licence, and how to check them."""

from __future__ import annotations

from collections import Counter

from survey.site.facts import Facts, Files
from survey.site.markup.templates import render
from survey.site.pages.dependencies.listing import listed

PAGE = "take-part/dependencies.md"

GROUPS = {
    "site": "To build the site",
    "cluster": "To score traces beyond one machine",
    "tests": "To test and check it, and to pack it",
}
"""What a package is needed for, in the words of the list and of the page."""


def dependency_pages(_: Facts) -> Files:
    """The page, from the list beside the lock file: the same wherever it is built."""
    packages = sorted(listed(), key=lambda one: one.name.lower())
    groups = [(words, [one for one in packages if one.needed == needed]) for needed, words in GROUPS.items()]
    licences = {words: Counter(one.licence for one in group).most_common() for words, group in groups}
    yield PAGE, render("pages/dependencies/dependencies.md.j2", page=PAGE, groups=groups, licences=licences)
