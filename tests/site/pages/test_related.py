"""The page for a reader's own .bib, the data that it reads, and the boxes to cite a value or a cell from."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from html import unescape
from itertools import combinations, product
from typing import Any

import pytest

from survey.literature import Pool, crosstab, parse_bibtex
from survey.literature.pool import NOT_CODED, counted
from survey.literature.related import by_preference, in_reading_order, related
from survey.site.drafts import PROSE, draft, fill
from survey.site.facts import Facts, cells_of
from survey.site.markup.links import anchor
from survey.site.markup.templates import environment
from survey.site.pages.counts.crosstab import crosstab_page, table_of
from survey.site.pages.related.builder import PAGE, WORKS, cell_bib, related_pages
from survey.site.theme.assets import SCRIPTS, SITE
from survey.site.theme.bundling import bundled

SCRIPT = bundled(SITE / SCRIPTS["assets/related.js"])


@pytest.fixture(scope="module")
def made(pool: Pool) -> dict[str, str]:
    return {path: fill(text, pool) for path, text in related_pages(Facts(pool))}


@pytest.fixture(scope="module")
def works(made: dict[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(made[WORKS])
    return data


# ------------------------------------------------------------- the page


def test_the_page_offers_the_form_only_to_scripts_and_else_names_the_command(made: dict[str, str]) -> None:
    page = made[PAGE]
    assert '<form class="bring" hidden>' in page
    assert "survey related --where AXIS=VALUE" in page.split("data-without")[1].split("</p>")[0]
    assert '<script src="../../assets/related.js" defer></script>' in page
    assert 'data-works="../../related/works.json"' in page


def test_every_control_has_a_label_and_the_result_is_announced(made: dict[str, str]) -> None:
    page = made[PAGE]
    for control in re.findall(r'<(?:input|textarea)[^>]* id="([^"]+)"', page):
        assert f'<label for="{control}">' in page
    assert 'role="status" aria-live="polite"' in page


def test_the_page_shows_the_shortest_way_through_every_main_axis(pool: Pool, made: dict[str, str]) -> None:
    axes = [axis.id for axis in pool.taxonomy.on("entry") if axis.main]
    whole = related(pool, [], axes)
    path = made[PAGE].split('<ol class="path">')[1].split("</ol>")[0]
    assert re.findall(r"entries/([\w-]+)/", path) == [step.entry.key for step in whole.path]
    for axis in axes:
        found = related(pool, [], [axis])
        assert f"{pool.taxonomy[axis].label}: {len(found.path)} entr" in made[PAGE]


# ------------------------------------------------------------- its data


def test_the_data_is_what_the_page_needs_and_no_more(pool: Pool, works: dict[str, Any]) -> None:
    assert works["stamp"] == pool.stamp
    assert [entry["key"] for entry in works["entries"]] == [e.key for e in by_preference(pool.entries, pool.taxonomy)]
    assert sorted(works["entries"], key=lambda e: e["place"])[0]["key"] == in_reading_order(pool, pool.taxonomy)[0].key
    assert [record["key"] for record in works["records"]] == [r.key for r in pool.records]
    assert len(works["background"]) == len(pool.background)
    assert {key for work in works["entries"] for key in work} == {
        "key", "title", "shown", "by", "doi", "eprint", "url", "cells", "place", "bib",
    }  # fmt: skip


def test_every_value_of_a_main_axis_is_there_and_no_word_for_absence(pool: Pool, works: dict[str, Any]) -> None:
    main = [axis for axis in pool.taxonomy.on("entry") if axis.main]
    assert [axis["id"] for axis in works["axes"]] == [axis.id for axis in main]
    for shown, axis in zip(works["axes"], main, strict=True):
        words = [cell.partition(": ")[0] for cell, _ in shown["cells"]]
        assert list(dict.fromkeys(words)) == list(axis.values)
        assert not {*axis.absences, NOT_CODED} & set(words)


def test_counting_the_data_gives_the_tables_of_the_survey(pool: Pool, works: dict[str, Any]) -> None:
    """The page counts cells in the browser: first values where an axis is ranked, else every value."""
    number = {axis["id"]: n for n, axis in enumerate(works["axes"])}
    for rows, columns in (("reward", "credit"), ("decision", "algorithm")):
        table = crosstab(pool, rows, columns)
        found: Counter[tuple[str, str]] = Counter()
        for entry in works["entries"]:
            down, across = (
                entry["cells"][number[axis]][: 1 if works["axes"][number[axis]]["ranked"] else None]
                for axis in (rows, columns)
            )
            found.update(product(down, across))
        for row, _ in works["axes"][number[rows]]["cells"]:
            for column, _ in works["axes"][number[columns]]["cells"]:
                assert found[row, column] == table.at[row, column]


def test_each_entry_brings_its_bibtex_and_each_record_its_reason(pool: Pool, works: dict[str, Any]) -> None:
    for work in works["entries"]:
        assert [block.key for block in parse_bibtex(work["bib"]).blocks] == [work["key"]]
    evidence = next(axis for axis in pool.taxonomy.on("record") if axis.evidence)
    for shown, record in zip(works["records"], pool.records, strict=True):
        assert shown["why"].endswith(record.why(evidence.id))


# ------------------------------------------------------------- its script


def test_the_script_makes_no_markup_from_text_and_runs_nothing_it_is_given() -> None:
    for wrong in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser", 'setAttribute("style"', "style:"):  # fmt: skip
        assert wrong not in SCRIPT, wrong


def test_the_script_asks_for_its_data_once_and_sends_nothing() -> None:
    assert SCRIPT.count("fetch(") == 1
    assert SCRIPT.count("loadJson(") == 2  # its definition, and one call
    for wrong in ("XMLHttpRequest", "sendBeacon", "WebSocket", "EventSource", "import(", "localStorage", "http://", "https://"):  # fmt: skip
        assert wrong not in SCRIPT, wrong


def test_the_script_names_no_axis_and_no_value(pool: Pool) -> None:
    for axis in pool.taxonomy:
        assert f'"{axis.id}"' not in SCRIPT or axis.id in {"source"}, axis.id


# ------------------------------------------------------------- boxes to cite from


def test_a_cell_is_cited_alike_whichever_axis_is_in_the_rows(pool: Pool) -> None:
    cited = Facts(pool).citations
    one, other = cited["reward", "credit"], cited["credit", "reward"]
    assert other == cells_of(draft(pool, PROSE), "credit", "reward")
    assert one[anchor("shared", "agent")].sentence == other[anchor("agent", "shared")].sentence
    assert len(one) == len(other)


def test_every_cell_that_holds_entries_has_its_bibtex(pool: Pool, made: dict[str, str]) -> None:
    for name, found in cells_of(pool, "credit", "decision").items():
        assert (cell_bib(found) in made) is bool(found.entries), name
        if found.entries:
            keys = [block.key for block in parse_bibtex(made[cell_bib(found)]).blocks]
            assert keys == [e.key for e in found.entries]
            assert made[cell_bib(found)].startswith(f"% {pool.stamp}")


def test_the_cells_of_a_pair_are_those_of_its_table(pool: Pool) -> None:
    found = cells_of(pool, "reward", "decision")
    for entry in pool:
        for a in counted(entry, pool.taxonomy["reward"]):
            for b in counted(entry, pool.taxonomy["decision"]):
                if NOT_CODED not in (a, b):
                    assert entry in found[anchor(a, b)].entries


def macro(name: str, *arguments: object) -> str:
    module = environment().get_template("markup/related-macros.j2").module
    return str(getattr(module, name)(*arguments))


def test_the_box_of_a_value_has_sentence_bibtex_path_and_skeleton_with_what_it_is(pool: Pool) -> None:
    found = related(pool, [("reward", "hybrid")])
    box = macro("cite_box", found, "axes/reward/hybrid.md", "axes/reward/hybrid.bib")
    assert '<p class="reference" id="cite-reward-hybrid">' in box
    assert 'data-copy="cite-reward-hybrid"' in box
    assert 'href="../hybrid.bib" download' in box
    assert box.count("entries/") == len(found.path)
    assert found.notice in box
    for style in ("latex", "markdown"):
        assert f'id="{style}-reward-hybrid"' in box
        assert f'data-copy="{style}-reward-hybrid"' in box
    assert re.findall(r"\bon\w+=", box) == []


def test_a_box_is_left_out_of_the_search_as_a_whole(pool: Pool) -> None:
    """Material's search resumes at the end of a div within the one it leaves out."""
    box = macro("cite_box", related(pool, [("reward", "hybrid")]), "axes/reward/hybrid.md")
    assert box.count("<div") == box.count("data-search-exclude") == 1


@pytest.mark.parametrize("turned", [False, True])
def test_the_pattern_on_a_table_gives_the_sentence_of_each_of_its_cells(pool: Pool, turned: bool) -> None:
    facts = Facts(pool)
    for pair in combinations([axis.id for axis in pool.taxonomy.main], 2):
        rows, columns = reversed(pair) if turned else pair
        cites, page = facts.citations[rows, columns], fill(crosstab_page(facts, rows, columns)[1], pool)
        [(pattern, example)] = re.findall(r'data-pattern="([^"]*)">([^<]*)</p>', page)
        made = set()
        for row in table_of(facts, rows, columns):
            for cell in (*row.filled, *row.empty):
                if (found := cites.get(cell.anchor)) and (cell.bib or not cell.entries):
                    number = len(cell.entries)
                    entries = f"{number or 'no'} {'entries' if number > 1 else 'entry'}"
                    places = {"row": row.label, "column": cell.label, "n": str(number), "entries": entries}
                    made.add(unescape(pattern).format(**places))
                    assert unescape(pattern).format(**places) == fill(found.sentence, pool)
        assert unescape(example) in made


def test_text_of_the_pool_cannot_act_in_a_box(pool: Pool) -> None:
    nasty = replace(pool, taxonomy=replace(pool.taxonomy, title='<script>"&'))
    box = macro("cite_box", related(nasty, []), "x.md")
    assert "<script" not in box
    assert "&lt;script&gt;&#34;&amp;" in box
