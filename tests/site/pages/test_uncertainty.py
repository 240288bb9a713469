"""The pages show each interval with the readings behind it, or why there is none."""

from __future__ import annotations

import re
from html import unescape
from itertools import product
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.literature.agreement import Figure, Uncertainty
from survey.site.facts import Facts
from survey.site.pages.agreement.builder import agreement_pages
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.counts.builder import count_pages

BREAD = Path(__file__).parents[2] / "literature" / "bread"


def said_of(found: Figure) -> str:
    """A count with its interval, of which one number is shown if both ends are the same."""
    ends = f"{found.low}" if found.low == found.high else f"{found.low}–{found.high}"
    return f"{found.count} {ends}, read twice {found.readings.twice} of {found.count}"


def width(found: Figure) -> int:
    assert found.low is not None and found.high is not None
    return found.high - found.low


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


@pytest.fixture(scope="module")
def pages(pool: Pool) -> dict[str, str]:
    facts = Facts(pool)
    return {**dict(axis_pages(facts)), **dict(count_pages(facts)), **dict(agreement_pages(facts))}


def test_a_value_has_its_interval_on_its_page_on_that_of_the_axis_and_in_the_statistics(
    pool: Pool, pages: dict[str, str]
) -> None:
    uncertain = Uncertainty(pool)
    found = {value: uncertain.value("reward", value) for value in pool.taxonomy["reward"].values}
    widest, narrowest = max(found, key=lambda value: width(found[value])), "individual"
    assert width(found[widest]) > width(found[narrowest]) == 0
    for value in (widest, narrowest):
        for page in (f"axes/reward/{value}.md", "axes/reward/index.md", "measure/index.md"):
            assert said_of(found[value]) in text(pages[page])


def test_a_cell_of_a_table_has_its_interval(pool: Pool, pages: dict[str, str]) -> None:
    uncertain, places = Uncertainty(pool), product(*(pool.taxonomy[axis].values for axis in ("reward", "credit")))
    crossed = [uncertain.crossed({"reward": reward, "credit": credit}) for reward, credit in places]
    found = max((one for one in crossed if one.count), key=width)
    assert width(found) > 0
    assert found.readings.twice == found.count
    assert f"{found.count} {found.low}–{found.high} " in text(pages["measure/reward-by-credit.md"])


def test_an_axis_that_was_read_once_says_why_it_has_no_interval(pages: dict[str, str]) -> None:
    said = "No interval for misclassification: no entry was read on role in the survey by two readers"
    assert said in text(pages["axes/standing/index.md"])
    assert said in text(pages["axes/standing/core.md"])


def test_the_page_on_agreement_explains_them_for_every_axis_of_entries(pool: Pool, pages: dict[str, str]) -> None:
    shown = pages["measure/agreement.md"].partition("## Counts with their uncertainty")[2]
    assert all(f">{axis.label}</a></th>" in shown for axis in pool.taxonomy.on("entry"))
    assert "What two readers agree on is right" in shown


def test_a_survey_without_codings_says_nothing_of_second_readings() -> None:
    facts = Facts(load(BREAD))
    made = {**dict(axis_pages(facts)), **dict(count_pages(facts)), **dict(agreement_pages(facts))}
    assert "measure/agreement.md" not in made
    for page in ("axes/leavening/soda.md", "measure/index.md"):
        assert "two readers" not in text(made[page]) and "read twice" not in text(made[page])
    assert "–" not in text(made["measure/index.md"]).partition("Leavening")[2]
