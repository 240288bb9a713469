"""Live figures: the functions of the pool that prose can call.

Each function can be called in a page as ``{{ count("AXIS=VALUE") }}``.
Filters are written as on the command line. A reference to something that does not exist
is an error, never an empty string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from markupsafe import Markup

from survey.literature import Axis, Entry, Pool, Shape
from survey.literature.claims import Judge, Status, edition_bib
from survey.literature.counting.lag import lag, recall_at
from survey.literature.gaps import OPEN, gap_map, pairs
from survey.literature.pool import BUDGETS, Rows, cell_label
from survey.literature.problems import expected, quoted
from survey.site.charts.drawing import Pictures
from survey.site.charts.overview import picture
from survey.site.charts.pool_charts import requested
from survey.site.markup.links import entry_page
from survey.site.markup.templates import render
from survey.site.markup.text import inert
from survey.site.prose import performance, sessions

NUMBER_WORDS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


CLONED = Markup(
    '<div class="repository"><pre><code id="clone">git clone {0}</code></pre>'
    '<p class="act"><button type="button" data-copy="clone">Copy</button> <a href="{0}">The repository</a></p></div>'
)


@dataclass
class Figures:
    """The functions of one page. ``cited`` collects the keys that the page cites."""

    pool: Pool
    page: str
    pictures: Pictures
    site_url: str = ""
    address: str = ""
    """The address of the repository, if it is known."""
    cited: dict[str, Entry] = field(default_factory=dict)

    def functions(self) -> Mapping[str, Any]:
        """Return the functions that a page may call, by name."""
        names = (
            "count",
            "share",
            "words",
            "largest",
            "cites",
            "authors",
            "records",
            "eligible",
            "term",
            "chart",
            "picture",
            "emptiest",
            "claim",
            "coverage",
            "asof",
            "bibtex",
            "repository",
            "measured",
            "campaigns",
            "sessions",
            "verdicts",
            "lag",
        )
        return {name: getattr(self, name) for name in names}

    def count(self, *filters: str, primary: bool = False, as_of: str | None = None) -> int:
        """Return how many entries match; all of them without a filter."""
        return len(self._pool(as_of).where(map(_pair, filters), primary))

    def share(self, *filters: str, primary: bool = False, as_of: str | None = None) -> str:
        """Return the share of all entries that match, in per cent."""
        whole = len(self._pool(as_of))
        percent = 100 * self.count(*filters, primary=primary, as_of=as_of) / whole if whole else 0
        return f"{percent:.0f} %" if percent >= 1 or percent == 0 else f"{percent:.1f} %"

    def words(self, number: int, capital: bool = False) -> str:
        """Return a small number as a word, a large one in digits."""
        word = NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)
        return word.capitalize() if capital else word

    def largest(self, quantity: str, *filters: str, as_of: str | None = None) -> str:
        """Return the largest number that matching entries disclose, with thin spaces between thousands."""
        numeric = [axis for axis in self.pool.taxonomy.on("entry") if axis.shape is Shape.QUANTITY]
        scales = [axis.id for axis in numeric if quantity in axis.values]
        if not scales:
            known = [value for axis in numeric for value in axis.values]
            raise ValueError(f"{quoted(quantity)} is not a quantity {expected(quantity, known)}")
        chosen = self._pool(as_of).where(map(_pair, filters))
        numbers = [t.number for e in chosen for t in e.tags.get(scales[0], ()) if t.word == quantity and t.number]
        if not numbers:
            raise ValueError(f"no entry among {list(filters)} discloses {quantity}")
        return f"{max(numbers):,}".replace(",", "\u202f")

    def cites(self, *filters: str, primary: bool = False, as_of: str | None = None) -> Markup:
        """Return the entries that match, as a list of citations."""
        chosen = sorted(self._pool(as_of).where(map(_pair, filters), primary), key=lambda e: (e.year, e.by))
        return Markup(", ").join(self.cite(entry.key) for entry in chosen) if chosen else Markup("none")

    def authors(self, key: str) -> Markup:
        """Return a work as the subject of a sentence: Chen et al. (2026), linked."""
        entry = self.entry(key)
        return self._link(entry, f"{entry.by} ({entry.year})")

    def cite(self, key: str) -> Markup:
        """Return a work as a parenthetical citation: Chen et al., 2026, linked."""
        entry = self.entry(key)
        return self._link(entry, f"{entry.by}, {entry.year}")

    def eligible(self) -> int:
        """Return how many excluded records are eligible and not yet included."""
        return len(self.pool.eligible)

    def records(self, *filters: str, as_of: str | None = None) -> int:
        """Return how many excluded records match; all of them without a filter."""
        pairs = [_pair(text) for text in filters]
        for axis, value in pairs:
            axes = {a.id: a for a in self.pool.taxonomy.on("record")}
            if axis not in axes:
                raise ValueError(f"there is no axis {quoted(axis)} of records {expected(axis, axes)}")
            if value not in axes[axis].words:
                raise ValueError(f"{quoted(value)} is not a value of {axis} {expected(value, axes[axis].words)}")
        matching = (r for r in self._pool(as_of).records if all(v in r.words(a) for a, v in pairs))
        return sum(1 for _ in matching)

    def term(self, axis: str, value: str, text: str = "") -> Markup:
        """Return a value of the taxonomy, linked to its page."""
        asked = self._axis(axis)
        if value not in asked.values:
            raise ValueError(f"{quoted(value)} is not a value of {axis} {expected(value, asked.values)}")
        return Markup("[{}]({})").format(
            inert(text or asked.values[value].label), _source_link(self.page, f"axes/{axis}/{value}.md")
        )

    def chart(self, axis: str, across: str = "", as_of: str | None = None) -> Markup:
        """Return the chart of one axis, or of the cross-tabulation of two."""
        pool = self._pool(as_of)
        return Markup(self.pictures.figure(requested(pool, axis, across), self.page, shared=pool.snapshot is None))

    def picture(self, *axes: str) -> Markup:
        """Return the overview diagram of these axes, from left to right."""
        for axis in axes:
            self._axis(axis)
        return Markup(picture(self.pool, self.page, axes))

    def emptiest(self, rows: str, columns: str, number: int = 2) -> Markup:
        """Return the open cells of two main axes with the largest expected counts, linked to their map."""
        if (rows, columns) not in pairs(self.pool):
            raise ValueError(f"there is no map of gaps of {rows} by {columns}")
        cells = sorted(gap_map(self.pool, rows, columns).of(*OPEN), key=lambda cell: -cell.expected)[:number]
        page = _source_link(self.page, f"gaps/{rows}-by-{columns}.md")
        named = partial(cell_label, self.pool.taxonomy)
        down, across = self._axis(rows), self._axis(columns)
        labels = [f"{named(down, cell.row)} × {named(across, cell.column)}" for cell in cells]
        return Markup(" and ").join(Markup("[{}]({})").format(inert(label), page) for label in labels)

    def claim(self, id: str, text: str = "") -> Markup:
        """Return the status of a claim, such as "contested", linked to its page."""
        try:
            judgement = self.pool.once(Judge).judged(self.pool.claims[id])
        except KeyError as error:
            raise ValueError(error.args[0]) from None
        return Markup("[{}]({})").format(inert(text or judgement.status), _source_link(self.page, f"claims/{id}.md"))

    def verdicts(self, *statuses: str) -> int:
        """Return how many claims have one of these statuses ("holds", "missed"); all of them without."""
        known = [status.name.lower() for status in Status]
        for status in statuses:
            if status not in known:
                raise ValueError(f"there is no status {quoted(status)} {expected(status, known)}")
        if not statuses:
            return len(list(self.pool.claims))
        judge = self.pool.once(Judge)
        return sum(judge.judged(claim).status.name.lower() in statuses for claim in self.pool.claims)

    def lag(self, figure: str, budget: int = 0) -> str:
        """Return a figure of how far behind the survey is; "recall" is at so many works a week (a budget)."""
        found, evaluation = lag(self.pool), self.pool.scouting.evaluation
        known: dict[str, object] = {"newest": found.newest, "queued": found.queued, "read": found.read}
        if found.delay is not None:
            known["days"] = f"{found.delay:.0f}"
        if evaluation and budget in BUDGETS:
            known["recall"] = f"{recall_at(evaluation, budget)[0]:.0%}".replace("%", " %")
        if known.get(figure) is None:
            raise ValueError(f"the data have no figure {quoted(figure)} of the lag {expected(figure, known)}")
        return str(known[figure])

    def coverage(self, axis: str, *filters: str) -> Markup:
        """Return a table of matching entries by the values of an axis, grouped by family."""
        asked = self._axis(axis)
        entries = sorted(self.pool.where(map(_pair, filters)), key=lambda e: (e.year, e.key))
        families = [(f, [v for v in asked.values.values() if v.family == f.id]) for f in asked.families.values()]
        alone = [v for v in asked.values.values() if not v.family]
        return Markup(
            render(
                "prose/coverage.html.j2", axis=asked, entries=entries, families=families, alone=alone, page=self.page
            )
        )

    def asof(self) -> str:
        """Return the day of the snapshot from which this page's figures are computed."""
        return self.pool.day.isoformat()

    def bibtex(self, as_of: str | None = None) -> Markup:
        """Return how to cite this site as of the snapshot, or as of the day of an edition, in BibTeX."""
        day = date.fromisoformat(as_of) if as_of else self.pool.day
        return Markup("\n```bibtex\n{}```\n").format(Markup(edition_bib(self.pool, day, self.site_url)))

    def repository(self) -> Markup:
        """Return the line that clones the repository, and a link to it; nothing where its address is not known."""
        return CLONED.format(self.address) if self.address else Markup("")

    def measured(self) -> Markup:
        """Return the table of benchmark results, each compared with a peer or a limit."""
        return Markup(render("prose/measured.html.j2", measured=performance.measured(self._table("measured"))))

    def campaigns(self) -> Markup:
        """Return the table of fuzzing and fault-injection campaigns with their findings."""
        return Markup(render("prose/campaigns.html.j2", campaigns=performance.campaigns(self._table("campaigns"))))

    def sessions(self, figure: str) -> str:
        """Return a figure of the real sessions with sub-agents."""
        return sessions.figure(figure, self._table("sessions"))

    def _table(self, name: str) -> Rows:
        if name not in self.pool.tables:
            raise ValueError(f"there is no table tables/{name}.csv beside the pool {expected(name, self.pool.tables)}")
        return self.pool.tables[name]

    def entry(self, key: str) -> Entry:
        """Return the work of a key, and add it to the page's list of references."""
        known = {e.key: e for e in self.pool} | {f"@{e.key}": e for e in self.pool.background}
        if key not in known:
            raise ValueError(f"there is no entry {quoted(key)} {expected(key, known)}")
        self.cited.setdefault(key, known[key])
        return known[key]

    def _axis(self, axis: str) -> Axis:
        if axis not in self.pool.taxonomy.axes:
            raise ValueError(f"there is no axis {quoted(axis)} {expected(axis, self.pool.taxonomy.axes)}")
        return self.pool.taxonomy[axis]

    def _link(self, entry: Entry, label: str) -> Markup:
        here = entry.key in self.pool
        if not here and not entry.url:
            return inert(label)
        target = _source_link(self.page, entry_page(entry.key)) if here else _within_brackets(entry.url)
        return Markup("[{}]({})").format(inert(label), target)

    def _pool(self, as_of: str | None) -> Pool:
        return self.pool.as_of(date.fromisoformat(as_of)) if as_of else self.pool


def _pair(text: str) -> tuple[str, str]:
    axis, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{quoted(text)} is not a filter (expected AXIS=VALUE)")
    return axis.strip(), value.strip()


def _within_brackets(url: str) -> str:
    """Escape characters of an address that would end a link in Markdown or start another."""
    return re.sub(r"[()\[\]]", lambda sign: f"%{ord(sign[0]):02X}", url)


def _source_link(page: str, target: str) -> str:
    """Return a link between source files, which the generator checks and turns into an address."""
    return "../" * page.count("/") + target
