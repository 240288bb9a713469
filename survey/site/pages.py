"""Every page and file of the site that is computed: a pool in, ``{path: content}`` out.

Paths are those below ``docs/``; pages are Markdown, other files text or bytes. Nothing
here knows a site generator.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

from survey import collector
from survey.literature import Axis, Entry, Pool, Value, cells, counts, crosstab
from survey.literature.claims import ledger
from survey.literature.export import FORMATS
from survey.literature.export.bib import to_bib
from survey.literature.related import Related, related
from survey.literature.statistics import cell_label, counted
from survey.site import charts, drawing, kept
from survey.site.agreement import agreement_pages
from survey.site.changes import change_pages
from survey.site.dependencies import dependency_pages
from survey.site.downloads import DOWNLOADS
from survey.site.drawing import Chart
from survey.site.entries import entry_pages
from survey.site.explorer import explorer
from survey.site.feed import feed
from survey.site.gaps import gap_pages
from survey.site.ledger import claim_pages
from survey.site.machine import machine_files
from survey.site.markup import newest_first, render
from survey.site.newentry import new_entry_pages
from survey.site.notebooks.rendering import tables
from survey.site.related import Cited, cell_bib, every_cell, related_pages
from survey.site.robustness import robustness_pages
from survey.site.scale import scale_pages
from survey.site.traces import trace_pages


def build(
    pool: Pool, site_url: str = "", issues: str = "", notebooks: Iterable[Mapping[str, Any]] = ()
) -> dict[str, str | bytes]:
    """All computed files of the site.

    ``issues`` is the address that opens a new issue, for the links that dispute a tag; ``notebooks``
    are executed ones, whose tables pages may show again.
    """
    out: dict[str, str | bytes] = {}
    drawn = every_chart(pool)
    drawing.ahead(drawn.values())
    shown = {title: table for notebook in notebooks for title, table in tables(notebook).items()}
    judged, cited = ledger(pool), every_cell(pool)
    downloads = {path: FORMATS[download.form](pool) for path, download in DOWNLOADS.items()}
    for part in (
        entry_pages(pool, issues, judged), _axes(pool, drawn), explorer(pool), _excluded(pool),
        _measure(pool, drawn, cited),
        claim_pages(pool, judged), robustness_pages(pool), agreement_pages(pool), scale_pages(pool, shown),
        gap_pages(pool, site_url, pool.notes), change_pages(pool, site_url), related_pages(pool, cited),
        new_entry_pages(pool, issues), _charts(drawn), _assets(), trace_pages(), dependency_pages(),
        machine_files(pool, site_url, downloads, dataset(pool, site_url)),
    ):  # fmt: skip
        for path, content in part:
            if path in out:
                raise ValueError(f"two builders make {path}")
            out[path] = content
    out |= downloads
    out["feed.atom"] = feed(pool, site_url)
    return out


def kept_build(
    data: Path, pool: Pool, site_url: str = "", issues: str = "", notebooks: Iterable[Mapping[str, Any]] = ()
) -> dict[str, str | bytes]:
    """The same files, from an earlier build if all that they are made of is as it was.

    ``data`` is the folder of the pool.
    """
    ran = list(notebooks)
    files = sorted(path for path in data.rglob("*") if path.is_file())
    made_of = (kept.code(), kept.content_of(files, site_url, issues, json.dumps(ran)))
    with collector.paused():
        return kept.made(made_of, lambda: build(pool, site_url, issues, ran))


def every_chart(pool: Pool) -> dict[str, Chart]:
    """The charts of the whole pool by id: every axis, every pair of main axes, the years."""
    drawn = [charts.bars(pool, axis.id) for axis in pool.taxonomy]
    drawn += [charts.matrix(pool, a, b) for a, b in _pairs(pool)]
    return {chart.id: chart for chart in [*drawn, charts.years(pool)]}


def edit_places(pool: Pool) -> dict[str, tuple[str, int]]:
    """Where the source of a computed page is edited: file and line, by path."""
    return {f"entries/{e.key}.md": (e.path, e.block.line) for e in pool}


def draw(pool: Pool, page: str, axis: str, across: str = "") -> str:
    """The figure that a page asks for with ``chart(...)``, with links as seen from that page.

    Raises:
        ValueError: if there is no such axis, or the pair has no page of its own.

    """
    for name in filter(None, (axis, across)):
        pool.where([(name, pool.taxonomy[name].words[0])] if name in pool.taxonomy.axes else [(name, "")])
    if not across:
        return charts.bars(pool, axis).figure(page, shared=pool.snapshot is None)
    if (axis, across) not in _pairs(pool):
        axes = ", ".join(a.id for a in _main(pool))
        raise ValueError(f"{axis} by {across} has no page (main axes in the order of the taxonomy: {axes})")
    chart = charts.matrix(pool, axis, across)
    return chart.figure(page, shared=pool.snapshot is None)


# -------------------------------------------------------------------- builders


def _axes(pool: Pool, drawn: Mapping[str, Chart]) -> Iterator[tuple[str, str]]:
    for axis in pool.taxonomy:
        page = f"axes/{axis.id}/index.md"
        yield (
            page,
            render(
                "axis.md.j2",
                axis=axis,
                pool=pool,
                page=page,
                chart=drawn[f"by-{axis.id}"].figure(page),
                count={row.cell: row for row in counts(pool, axis.id).rename(columns={"count": "n"}).itertuples()},
                absent={word: _with_word(pool, axis, word) for word in axis.absences},
            ),
        )
        for value in axis.values.values():
            entries = _with_word(pool, axis, value.id)
            page = f"axes/{axis.id}/{value.id}.md"
            bib = f"axes/{axis.id}/{value.id}.bib" if axis.on == "entry" else ""
            if bib:
                yield bib, to_bib(pool.keep(e.key for e in entries))
            yield page, render("value.md.j2", axis=axis, value=value, pool=pool, page=page, entries=entries, bib=bib,
                               how=_how(axis, value, entries),
                               cite=related(pool, [(axis.id, value.id)]) if bib else None)  # fmt: skip
    yield "axes/index.md", render("axes.md.j2", pool=pool, page="axes/index.md")
    yield "glossary.md", render("glossary.md.j2", pool=pool, page="glossary.md")


def _excluded(pool: Pool) -> Iterator[tuple[str, str]]:
    page = "explore/excluded.md"
    yield page, render("excluded.md.j2", pool=pool, page=page, axes=pool.taxonomy.on("record"))


def _measure(pool: Pool, drawn: Mapping[str, Chart], cited: Cited) -> Iterator[tuple[str, str]]:
    page = "measure/index.md"
    shown = [drawn[f"by-{axis.id}"] for axis in pool.taxonomy.on("entry")]
    yield page, render("statistics.md.j2", pool=pool, page=page, charts=shown, years=drawn["by-year"])
    page = "measure/crosstabs.md"
    yield page, render("crosstabs.md.j2", pool=pool, page=page, pairs=_pairs(pool))
    for rows, columns in _pairs(pool):
        yield _crosstab(pool, rows, columns, drawn[f"{rows}-by-{columns}"], cited[rows, columns])
    page = "measure/screening.md"
    record_axes = pool.taxonomy.on("record")
    shown = [drawn[f"by-{axis.id}"] for axis in record_axes]
    stages = counts(pool, record_axes[0].id).to_dict("records") if record_axes else []
    yield (
        page,
        render(
            "screening.md.j2",
            pool=pool,
            page=page,
            charts=shown,
            axes=record_axes,
            stages=stages,
            log=pool.searches.until(pool.day),
        ),
    )


def _crosstab(pool: Pool, rows: str, columns: str, chart: Chart, cites: Mapping[str, Related]) -> tuple[str, str]:
    page = f"measure/{rows}-by-{columns}.md"
    return page, render(
        "crosstab.md.j2",
        pool=pool,
        page=page,
        chart=chart,
        rows=pool.taxonomy[rows],
        columns=pool.taxonomy[columns],
        filled=_filled(pool, rows, columns),
        empty=_empty(pool, rows, columns),
        cites=cites,
        cell_bib=cell_bib,
        anchor=charts.anchor,
    )


def _charts(drawn: Mapping[str, Chart]) -> Iterator[tuple[str, str]]:
    """The specifications behind the pictures."""
    for chart in drawn.values():
        yield chart.file


def _assets() -> Iterator[tuple[str, str | bytes]]:
    for file in sorted(files("survey.site").joinpath("assets").iterdir(), key=lambda f: f.name):
        yield f"assets/{file.name}", file.read_bytes()
    yield drawing.RUNTIME, drawing.runtime()


# ------------------------------------------------- what the builders share


def _main(pool: Pool) -> list[Axis]:
    return [axis for axis in pool.taxonomy.on("entry") if axis.main]


def _pairs(pool: Pool) -> list[tuple[str, str]]:
    """Every pair of main axes, and each pair the other way round under its own address."""
    return [pair for a, b in combinations([axis.id for axis in _main(pool)], 2) for pair in ((a, b), (b, a))]


def _with_word(pool: Pool, axis: Axis, word: str) -> list[Entry]:
    if axis.on == "entry":
        return newest_first(pool.where([(axis.id, word)]))
    return newest_first(record for record in pool.records if word in record.words(axis.id))


def _how(axis: Axis, value: Value, entries: list[Entry]) -> dict[str, list[Entry]]:
    return {
        qualifier: [e for e in entries if any(t.word == value.id and t.qualifier == qualifier for t in e.tags[axis.id])]
        for qualifier in axis.qualifiers
    }


def _filled(pool: Pool, rows: str, columns: str) -> list[tuple[str, str, str, str, list[Entry]]]:
    """The cells that hold entries: the two cells, their labels, the entries."""
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in newest_first(pool):
        for a in counted(entry, down):
            for b in counted(entry, across):
                found.setdefault((a, b), []).append(entry)
    return [
        (a, b, cell_label(pool.taxonomy, down, a), cell_label(pool.taxonomy, across, b), found[a, b])
        for a in cells(down)
        for b in cells(across)
        if (a, b) in found
    ]


def _empty(pool: Pool, rows: str, columns: str) -> list[tuple[str, str, str, str]]:
    """The cells of values that hold nothing: the two cells and their labels."""
    count = crosstab(pool, rows, columns).to_dict("index")
    down, across = pool.taxonomy[rows], pool.taxonomy[columns]
    return [
        (a, b, cell_label(pool.taxonomy, down, a), cell_label(pool.taxonomy, across, b))
        for a in cells(down)
        for b in cells(across)
        if count[a][b] == 0 and a.partition(": ")[0] in down.values and b.partition(": ")[0] in across.values
    ]


def dataset(pool: Pool, site_url: str) -> dict[str, object]:
    """The pool as a data set, for search engines of data."""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": pool.taxonomy.title,
        "description": f"A tagged bibliography: {len(pool)} entries with evidence for every tag, as of {pool.day}.",
        "license": "https://creativecommons.org/publicdomain/zero/1.0/",
        "dateModified": pool.last_added.isoformat(),
        "url": site_url,
        "creator": {"@type": "Organization", "name": "The contributors"},
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": f"{site_url}{path}",
                "encodingFormat": download.media,
            }
            for path, download in DOWNLOADS.items()
        ],
    }
