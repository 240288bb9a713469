"""The pages show each interval with the readings behind it, or why there is none."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.agreement import cell_interval, interval
from survey.site.facts import Facts
from survey.site.pages.agreement.builder import agreement_pages
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.counts.builder import count_pages

BREAD = Path(__file__).parents[2] / "literature" / "bread"


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


@pytest.fixture(scope="module")
def pages(pool: Pool) -> dict[str, str]:
    facts = Facts(pool)
    return {**dict(axis_pages(facts)), **dict(count_pages(facts)), **dict(agreement_pages(facts))}


def test_a_value_has_its_interval_on_its_page_on_that_of_the_axis_and_in_the_statistics(
    pool: Pool, pages: dict[str, str]
) -> None:
    found = interval(pool, "reward", "hybrid")
    said = f"{found.count} {found.low}–{found.high}, read twice {found.readings.twice} of {found.count}"
    for page in ("axes/reward/hybrid.md", "axes/reward/index.md", "measure/index.md"):
        assert said in text(pages[page])


def test_a_cell_of_a_table_has_its_interval(pool: Pool, pages: dict[str, str]) -> None:
    found = cell_interval(pool, "reward", "hybrid", "credit", "agent")
    said = f"{found.count} {found.low}–{found.high}, read twice {found.readings.twice} of {found.count}"
    assert said in text(pages["measure/reward-by-credit.md"])


def test_an_axis_that_was_read_once_says_why_it_has_no_interval(pages: dict[str, str]) -> None:
    said = "No interval for misclassification: no entry was read on what a benchmark measures by two readers"
    assert said in text(pages["axes/measures/index.md"])
    assert said in text(pages["axes/measures/safety.md"])


def test_the_page_on_agreement_explains_them_for_every_axis_of_entries(pool: Pool, pages: dict[str, str]) -> None:
    shown = pages["measure/agreement.md"].partition("## Counts with their uncertainty")[2]
    assert all(f">{axis.label}</a></th>" in shown for axis in pool.taxonomy.on("entry"))
    assert "What two readers agree on is right" in shown


def test_a_survey_without_codings_says_so_on_every_page() -> None:
    facts = Facts(load(BREAD))
    made = {**dict(axis_pages(facts)), **dict(count_pages(facts)), **dict(agreement_pages(facts))}
    for page in ("axes/leavening/index.md", "axes/leavening/soda.md", "measure/agreement.md"):
        assert "by two readers whose codings are stored" in text(made[page])
    assert "–" not in text(made["measure/index.md"]).partition("Leavening")[2]
