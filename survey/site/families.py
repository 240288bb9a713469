"""The table of contents of the site: each family of pages, what it reads, and where its files are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from survey.literature.taxonomy.settings import WINGS
from survey.site.charts.drawing import RUNTIME
from survey.site.drafts import CHAPTERS, EVIDENCE, NO_PROSE, PROSE, SUMMARY, TABLES, Reads
from survey.site.facts import Facts, Files
from survey.site.pages.agreement.builder import agreement_pages
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.claims.changes import change_pages
from survey.site.pages.claims.ledger import claim_pages
from survey.site.pages.claims.machine_files import claim_files
from survey.site.pages.claims.robustness import robustness_pages
from survey.site.pages.counts.builder import count_pages
from survey.site.pages.data_files.builder import data_files
from survey.site.pages.dependencies.builder import dependency_pages
from survey.site.pages.entries.builder import entry_pages
from survey.site.pages.explorer.builder import excluded_pages, explorer_pages
from survey.site.pages.feeds.builder import feeds
from survey.site.pages.gaps.builder import gap_pages
from survey.site.pages.new_entry.builder import new_entry_pages
from survey.site.pages.related.builder import related_pages
from survey.site.pages.scale.builder import has_scale_page, scale_pages
from survey.site.pages.traces.builder import trace_pages
from survey.site.pages.traces.open_log.builder import open_log_pages
from survey.site.pages.traces.real_sessions import real_session_pages
from survey.site.theme.assets import OPEN_LOG, SCALE, STYLE, scripts, style_sheet, typefaces

Content = str | bytes
Make = Callable[[Facts], Iterator[tuple[str, str]] | Iterator[tuple[str, Content]]]


@dataclass(frozen=True)
class Family:
    """Pages and files that one function makes from facts."""

    make: Make
    reads: Reads | None
    """What it reads besides tags and citations; None if it reads nothing of the pool."""
    paths: tuple[str, ...] = ()
    """Patterns of the paths of its files. Without them a server waits for the family before it shows a page."""
    slow: bool = False
    """Whether a server shows the former pages after an edit until the new ones are computed."""
    wing: str = ""
    """The optional part of the site that it belongs to; a survey names those that it builds."""

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.make.__name__

    def has(self, path: str) -> bool:
        """Return whether a path can be that of one of its files."""
        return any(fnmatchcase(path, pattern) for pattern in self.paths)


def _begin(facts: Facts) -> Files:
    """Yield the specifications of the charts, and begin to draw them in the background."""
    facts.pictures.begin(facts.charts.values())
    for chart in facts.charts.values():
        yield chart.file


def _exports(facts: Facts) -> Iterator[tuple[str, str | bytes]]:
    """Yield the whole pool in each format."""
    yield from facts.exports.items()


def _end(facts: Facts) -> Iterator[tuple[str, str | bytes]]:
    """Yield the typefaces, and the runtime that makes charts interactive."""
    yield from typefaces(facts.cache)
    yield RUNTIME, facts.pictures.runtime()


TRACES, DEPENDENCIES = WINGS


def _scripts(facts: Facts) -> Files:
    """Yield the style sheet, which has the hues of the axes, and the scripts of the pages that there are."""
    yield STYLE, style_sheet(facts.pool.taxonomy)
    used = {SCALE: has_scale_page(facts.pool), OPEN_LOG: TRACES in facts.pool.taxonomy.settings.wings}
    yield from scripts(without=[script for script in used if not used[script]])


FAMILIES: tuple[Family, ...] = (
    Family(_begin, NO_PROSE, ("charts/*.json",), slow=True),
    Family(entry_pages, PROSE | {CHAPTERS}, ("entries/*",)),
    Family(axis_pages, {SUMMARY, CHAPTERS}, ("axes/*.md", "axes/*.bib", "glossary.md"), slow=True),
    Family(explorer_pages, {SUMMARY}),
    Family(excluded_pages, NO_PROSE),
    Family(count_pages, {CHAPTERS}, ("measure/*.md",), slow=True),
    Family(claim_pages, NO_PROSE, ("claims/*.md", "claims/*.bib"), slow=True),
    Family(claim_files, PROSE, ("claims/*.jsonld", "claims/*.trig", "claims/*.csv", "claims/*.ttl"), slow=True),
    Family(robustness_pages, NO_PROSE, ("measure/robustness.md",), slow=True),
    Family(change_pages, NO_PROSE, ("measure/changes.md", "measure/changes/*.csv", "claims/*.atom"), slow=True),
    Family(agreement_pages, {EVIDENCE}, ("measure/agreement*", "charts/agreement.json"), slow=True),
    Family(scale_pages, {TABLES}),
    Family(gap_pages, NO_PROSE, ("gaps/*.md", "gaps/*.bib"), slow=True),
    Family(related_pages, NO_PROSE, ("measure/cells/*", "take-part/related-work.md", "related/*")),
    Family(new_entry_pages, NO_PROSE),
    Family(trace_pages, None, wing=TRACES),
    Family(open_log_pages, None, wing=TRACES),
    Family(real_session_pages, None, wing=TRACES),
    Family(dependency_pages, None, wing=DEPENDENCIES),
    Family(feeds, {SUMMARY}, ("*.atom",)),
    Family(data_files, PROSE, ("data/*",)),
    Family(_exports, PROSE, ("data/*",)),
    Family(_scripts, NO_PROSE),
    Family(_end, None),
)


def families_of(wings: Collection[str]) -> tuple[Family, ...]:
    """Return the families of a survey that names these optional wings."""
    return tuple(family for family in FAMILIES if not family.wing or family.wing in wings)
