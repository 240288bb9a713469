"""The assets that pages load: the scripts, each bundled from its modules, one style sheet, and the typefaces."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from survey.literature.taxonomy import Taxonomy
from survey.site.cache import Cache
from survey.site.theme import typefaces as fonts
from survey.site.theme.bundling import bundled
from survey.site.theme.hues import hue_style

SITE = Path(__file__).parents[1]

SCALE, OPEN_LOG = "assets/scale.js", "assets/open-log.js"
"""The scripts of pages that not every survey has."""

SCRIPTS = {
    "assets/survey.js": "theme/scripts/survey.js",  # every page
    "assets/search.js": "theme/scripts/search.js",  # every page, before Material's own
    "assets/related.js": "pages/related/related.js",
    "assets/new-entry.js": "pages/new_entry/new-entry.js",
    SCALE: "pages/scale/scale.js",
    OPEN_LOG: "pages/traces/open_log/open-log.js",
}
"""Each script that pages load, and its entry module."""

STYLE = "assets/survey.css"

STYLES = (
    "theme/styles/palette.css",
    "theme/styles/typefaces.css",
    "theme/styles/type.css",
    "theme/styles/page.css",
    "theme/styles/parts.css",
    "theme/styles/tables.css",
    "charts/charts.css",
    "pages/entries/entries.css",
    "pages/counts/counts.css",
    "charts/overview.css",
    "pages/explorer/explorer.css",
    "theme/styles/narrow.css",
    "theme/styles/print.css",
    "prose/prose.css",
    "pages/traces/traces.css",
    "notebooks/notebooks.css",
    "pages/claims/claims.css",
    "pages/agreement/agreement.css",
    "pages/scale/scale.css",
    "pages/related/related.css",
    "pages/gaps/gaps.css",
    "pages/new_entry/new-entry.css",
    "pages/traces/open_log/open-log.css",
)
"""The parts of the style sheet in the order of the cascade: of two rules of equal weight the later one wins."""


def scripts(without: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield every script but those named: its path below ``docs/`` and its content.

    Raises:
        FileNotFoundError: if a file is missing.
        ValueError: if a module cannot be bundled.

    """
    for path, entry in SCRIPTS.items():
        if path not in without:
            yield path, bundled(SITE / entry)


def typefaces(cache: Cache) -> Iterator[tuple[str, bytes]]:
    """Yield every typeface."""
    yield from cache.get(fonts.made_of(), fonts.typefaces).items()


def style_sheet(taxonomy: Taxonomy) -> str:
    """Return all styles as one sheet, with the hues of the axes of a taxonomy."""
    return "\n".join([*((SITE / path).read_text(encoding="utf-8") for path in STYLES), hue_style(taxonomy)])
