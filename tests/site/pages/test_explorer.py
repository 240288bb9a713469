"""The table of all entries: each on one page, in the data for filters, and in the exports."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from types import MappingProxyType

import pytest

from survey.literature import Pool, parse_bibtex
from survey.literature.bibtex import Field
from survey.literature.export.ris import to_ris
from survey.literature.export.tables import to_csv
from survey.literature.pool import NOT_CODED
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.html.addresses import address
from survey.site.pages.explorer.builder import explorer_pages, page_of


def keys(page: str) -> list[str]:
    return re.findall(r'<tr id="([^"]+)">', page)


def pages(pool: Pool, per_page: int) -> list[str]:
    files = dict(explorer_pages(Facts(pool), per_page))
    return [files[page_of(number)] for number in range(1, 1 + len([p for p in files if p.endswith(".md")]))]


def test_a_pool_that_fits_on_a_page_has_one_page_and_no_links_to_others(pool: Pool) -> None:
    assert sorted(dict(explorer_pages(Facts(pool), len(pool)))) == [
        "explore/exports.json",
        "explore/index.md",
        "explore/rows.json",
        "explore/summaries.json",
    ]
    assert "<nav" not in pages(pool, len(pool))[0]
    assert 'title: "All entries"' in pages(pool, len(pool))[0]


@pytest.mark.parametrize(("per_page", "number"), [(100, 1), (84, 1), (83, 2), (30, 3), (1, 84)])
def test_every_entry_is_on_exactly_one_page_in_the_order_of_the_pool(pool: Pool, per_page: int, number: int) -> None:
    snapshot = pool.keep([entry.key for entry in pool][:84])
    made = pages(snapshot, per_page)
    assert len(made) == number
    assert [key for page in made for key in keys(page)] == [entry.key for entry in snapshot]
    assert max(len(keys(page)) for page in made) <= per_page


def test_pages_lead_to_each_other_and_say_where_they_stand(pool: Pool) -> None:
    made = pages(pool.keep([entry.key for entry in pool][:70]), 30)
    links = [dict(re.findall(r'<a href="([^"]+)" rel="(prev|next)">', page)) for page in made]
    assert links == [{"page-2/": "next"}, {"../": "prev", "../page-3/": "next"}, {"../page-2/": "prev"}]
    assert [re.findall(r'title: "(.+)"', page) for page in made] == [
        ["All entries"], ["All entries, page 2 of 3"], ["All entries, page 3 of 3"],
    ]  # fmt: skip
    assert "61 to 70 of 70 entries" in made[2]
    assert [address(page_of(number)) for number in (1, 2, 3)] == ["explore/", "explore/page-2/", "explore/page-3/"]


def test_only_the_first_page_is_for_filters_and_none_is_searched(pool: Pool) -> None:
    made = pages(pool, 30)
    assert ["data-explorer" in page for page in made] == [True] + [False] * (len(made) - 1)
    assert all("search:\n  exclude: true" in page for page in made)


def test_a_pool_without_entries_has_a_page_that_says_so(pool: Pool) -> None:
    files = dict(explorer_pages(Facts(pool.keep([]))))
    assert "0 entries" in files["explore/index.md"]
    assert json.loads(files["explore/rows.json"]) == []


def test_the_data_for_filters_has_every_entry_with_how_it_is_tagged(pool: Pool) -> None:
    rows = json.loads(dict(explorer_pages(Facts(pool)))["explore/rows.json"])
    axes = [axis.id for axis in pool.taxonomy.on("entry")]
    for entry, (key, title, by, year, cells, *shown) in zip(pool, rows, strict=True):
        assert bool(shown) == ("$" in entry.text("title"))
        assert (key, title, by, year) == (entry.key, entry.title, entry.by, entry.year)
        decisions = [f"{t.word}: {t.qualifier}" if t.qualifier else t.word for t in entry.tags["decision"]]
        assert cells[axes.index("decision")] == decisions
        assert [cell.partition(": ")[0] for cell in cells[axes.index("credit")]] == list(entry.words("credit"))


def test_an_entry_that_is_not_coded_says_so_in_its_row_and_can_be_filtered_for(pool: Pool) -> None:
    axes = {**pool.taxonomy.axes, "reward": replace(pool.taxonomy["reward"], required=False)}
    entry = replace(pool["c3"], tags=MappingProxyType({a: t for a, t in pool["c3"].tags.items() if a != "reward"}))
    uncoded = replace(pool, taxonomy=replace(pool.taxonomy, axes=MappingProxyType(axes)), entries=(entry,))
    files = dict(explorer_pages(Facts(uncoded)))
    assert '<td data-axis="reward"><span class="word hollow">not coded</span></td>' in files["explore/index.md"]
    assert [NOT_CODED] in json.loads(files["explore/rows.json"])[0][4]


def test_exports_of_single_entries_add_up_to_those_of_the_pool(pool: Pool) -> None:
    exports = json.loads(fill(dict(explorer_pages(Facts(pool)))["explore/exports.json"], pool))
    parts = [exports["entries"][entry.key] for entry in pool]
    assert exports["header"] + "".join(part["csv"] for part in parts) == to_csv(pool)
    assert "".join(part["ris"] for part in parts) == to_ris(pool)
    assert [block.key for part in parts for block in parse_bibtex(part["bib"]).blocks] == [e.key for e in pool]


def test_a_line_break_inside_a_value_does_not_tear_its_line_in_an_export(pool: Pool) -> None:
    entry = pool["c3"]
    fields = MappingProxyType({**entry.block.fields, "summary": Field("one\ntwo\u2028three", 1)})
    torn = replace(pool, entries=(replace(entry, block=replace(entry.block, fields=fields)), pool["coma2018"]))
    exports = json.loads(fill(dict(explorer_pages(Facts(torn)))["explore/exports.json"], torn))
    lines = exports["header"] + "".join(part["csv"] for part in exports["entries"].values())
    assert list(csv.reader(io.StringIO(lines))) == list(csv.reader(io.StringIO(to_csv(torn))))
    assert list(exports["entries"]) == ["c3", "coma2018"]
