"""The tables of what was measured and tried: each row has its benchmark or campaign, and its verdict is computed."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from datetime import date

import pytest

from survey.literature import InvalidSurvey, Pool
from survey.site.charts.drawing import Pictures
from survey.site.prose.performance import Measured, campaigns, measured
from survey.site.prose.prose import render_prose
from tests.conftest import ROOT


def one(aim: float | None, found: float) -> Measured:
    return Measured("what", "against", aim, found, "bench_pool", date(2026, 11, 21))


@pytest.mark.parametrize(
    ("aim", "found", "verdict"),
    [(2.0, 1.5, "met"), (2.0, 2.0, "met"), (2.0, 2.01, "missed"), (None, 9.0, "no aim")],
)
def test_an_aim_is_met_or_not_by_its_figure(aim: float | None, found: float, verdict: str) -> None:
    assert one(aim, found).verdict == verdict


def test_every_figure_comes_from_a_benchmark_that_make_bench_runs(pool: Pool) -> None:
    runs = (ROOT / "tests" / "benchmarks" / "__main__.py").read_text()
    for row in measured(pool.tables["measured"]):
        assert f"{row.bench}," in runs or f"{row.bench})" in runs, row.what


def test_every_campaign_can_be_run_again(pool: Pool) -> None:
    for campaign in campaigns(pool.tables["campaigns"]):
        python, option, module, *_ = campaign.command.split()
        assert (python, option) == ("python", "-m")
        assert importlib.util.find_spec(module), campaign.command
        assert 0 <= campaign.failed <= campaign.times


def test_the_page_shows_every_row_with_its_verdict(pool: Pool) -> None:
    page = render_prose("{{ measured() }}\n\n{{ campaigns() }}", pool, "take-part/tested.md", "tested.md", Pictures())
    tried = campaigns(pool.tables["campaigns"])
    assert page.count("<tr>") == 2 + len(measured(pool.tables["measured"])) + len(tried)
    assert all(f"{campaign.times:,}" in page for campaign in tried)


def test_a_survey_without_such_a_table_is_told_where_it_would_be(pool: Pool) -> None:
    with pytest.raises(InvalidSurvey, match=r"tested\.md:1: there is no table tables/measured\.csv beside the pool"):
        render_prose("{{ measured() }}", replace(pool, tables={}), "x.md", "tested.md", Pictures())
