"""The page on scale: a picture for each quantity, with every number and every silence in words."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from survey.literature import Pool
from survey.literature.pool import Curves, read_scale_page
from survey.site.facts import Facts
from survey.site.pages.scale.builder import scale_pages
from survey.site.prose.chapters import chapters
from survey.traces.metrics import MEASURES
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def page(pool: Pool) -> str:
    return dict(scale_pages(Facts(pool)))["measure/scale.md"]


def curves(pool: Pool) -> Curves:
    assert pool.scale.pair
    assert pool.scale.pair.curves
    return pool.scale.pair.curves


def test_each_quantity_has_a_picture_a_sentence_and_every_number(page: str, pool: Pool) -> None:
    for value in ("agents", "steps", "parallel"):
        assert f'id="chart-scale-{value}"' in page
    largest = max(tag.number or 0 for entry in pool for tag in entry.tags["scale"] if tag.word == "agents")
    assert f"Largest disclosed: {largest:,.0f} (".replace(",", "\N{NARROW NO-BREAK SPACE}") in page
    assert "100 (trained, as a company reports)" in page
    assert "that could disclose it do not" in page
    numbers = pool.tags["number"].dropna()
    assert page.count('<th scope="row">') >= len(numbers)


def test_each_number_is_a_tick_as_tall_as_its_works_and_leads_to_them(pool: Pool) -> None:
    written = dict(scale_pages(Facts(pool)))
    for value in ("agents", "steps", "parallel"):
        page, ticks = str(written["measure/scale.md"]), json.loads(written[f"charts/scale-{value}.json"])
        ticks = [tick for tick in ticks["data"]["values"] if "number" in tick]
        said = [tag.number for entry in pool for tag in entry.tags["scale"] if tag.word == value and tag.number]
        assert Counter({n: sum(t["works"] for t in ticks if t["number"] == n) for n in said}) == Counter(said)
        table = page.split(f'id="chart-scale-{value}"')[1].split("</figure>")[0]
        alone = [tick for tick in ticks if tick["works"] == 1]
        assert all("/entries/" in tick["href"] for tick in alone)
        for tick in (tick for tick in ticks if tick["works"] > 1):
            rows = table.split(f'<tr id="{tick["href"].partition("#")[2]}">')[1].split("</tr>")[: tick["works"]]
            number = f"{tick['number']:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
            assert all(f"<td>{number}</td><td>{tick['label']}</td>" in row for row in rows)


def test_what_is_reported_is_called_reported(page: str) -> None:
    for kind in ("trained, as a company reports", "deployed, as a company reports", "evaluated", "trained"):
        assert kind in page
    assert "no verification" in page


def test_the_page_names_the_chapter_with_the_sources_where_there_is_one(pool: Pool, page: str) -> None:
    sources = pool.scale.sources
    assert sources
    written = dict(scale_pages(Facts(pool, chapters=chapters(ROOT / "docs"))))["measure/scale.md"]
    assert f"[{sources.title}](../{sources.page}) gives the source of each number." in written
    assert "gives the source" not in page


def test_a_survey_without_kinds_or_numbers_has_no_such_page(pool: Pool) -> None:
    assert list(scale_pages(Facts(replace(pool, evidence=())))) == []


def test_width_is_set_against_size_with_simulated_teams_laid_over_it(pool: Pool, page: str) -> None:
    table = (["Shape", "3", "1000"], [["swarm", 1.2, 130.5], ["harness", 1.4, 3.8]])
    shown = {"data": {"application/json": {"title": curves(pool).table, "head": table[0], "rows": table[1]}}}
    over = dict(scale_pages(Facts(pool, notebooks=[{"cells": [{"outputs": [shown]}]}])))["measure/scale.md"]
    for text, simulated in ((page, False), (over, True)):
        figure = text[text.index('id="chart-scale-abreast"') :].split("</figure>")[0]
        assert ("predict no real one" in figure) is simulated
        assert (">harness</text>" in figure) is simulated
        assert "entries/kimi-k2-6/" in figure
    assert 'data-reach="4"' in over


def test_the_curves_are_those_of_a_notebook(pool: Pool) -> None:
    notebook = json.loads((ROOT / "notebooks" / curves(pool).notebook).read_text())
    assert any(curves(pool).table in "".join(cell["source"]) for cell in notebook["cells"])


def test_a_run_of_ones_own_has_the_measures_of_a_report(pool: Pool) -> None:
    """The data names measures; a report has them all."""
    assert {*pool.scale.measures.values()} <= MEASURES.keys()


def test_only_quantities_have_measures_and_stand_against_each_other(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "scale.toml"
    path.write_text(
        '[page]\nmeasures = { agent = "agents" }\npair = { quantities = ["steps", "team"], axes = ["a", "b"], heading = "c", disclosed = "d" }\n'
    )
    _, problems = read_scale_page(path, pool.taxonomy)
    assert [problem.message for problem in problems] == [
        'page.measures: "agent" is not a quantity (did you mean "agents"?)',
        'page.pair: "team" is not a quantity (expected one of: agents, steps, parallel)',
    ]
