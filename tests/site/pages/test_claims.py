"""The ledger: a page for every claim; entries and chapters say which claims concern them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from survey.literature import Pool, load
from survey.literature.claims import Judge, ledger
from survey.literature.pool.claims import Claims
from survey.site.charts.drawing import Pictures
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.pages.claims.ledger import claim_pages, claims_of
from survey.site.pages.entries.builder import entry_pages
from survey.site.prose.prose import render_prose
from tests.conftest import PUBLISHED, ROOT


@pytest.fixture(scope="module")
def pool(pool: Pool) -> Pool:
    """The first edition as it was published: what is said of it here stays true."""
    return pool.as_of(date.fromisoformat(PUBLISHED))


@pytest.fixture(scope="module")
def files(pool: Pool) -> dict[str, str]:
    return {path: fill(text, pool) for path, text in claim_pages(Facts(pool))}


def test_every_claim_has_its_address_its_sentence_and_its_bib(pool: Pool, files: dict[str, str]) -> None:
    for claim in pool.claims:
        assert f"](claims/{claim.id}" not in files["claims/index.md"]
        assert f"{claim.id}/" in files["claims/index.md"]
        assert "Cite this claim" in files[f"claims/{claim.id}.md"]
        assert f"claims/{claim.id}.bib" in files


def test_a_claim_that_was_true_only_of_what_was_known_says_what_was_missed() -> None:
    second = load(ROOT / "bib").as_of(date(2026, 11, 21))
    page = dict(claim_pages(Facts(second)))["claims/stopping-untrained.md"]
    card = page.split('<div class="card">')[1].split("</div>")[0]
    assert "did not hold even then</span>: what had appeared by 2026-05-04 was not all known, such as" in card
    assert 'entries/sirag2025/">sirag2025</a> (public since 2025-' in card
    assert re.search(r'2026-05-04</th><td><span class="status contested">', page), "what it was then is kept"


def test_a_contested_claim_shows_each_reading_the_entries_of_each_and_the_reason(files: dict[str, str]) -> None:
    page = files["claims/stopping-untrained.md"]
    assert "contested" in page
    for reading, number, verdict in (
        ("as coded here", 1, "fails"),
        ("published coding", 0, "passes"),
        ("second reading", 1, "fails"),
    ):
        assert re.search(rf"{reading}</th><td[^>]*>{number} of 84.*?</td><td>{verdict}", page), reading
    assert "entries/puppeteer/" in page
    assert "entries/learning-to-deliberate2025/" in page
    assert "where our coding differs from the published number" in page
    assert "@" in files["claims/stopping-untrained.bib"]


def test_an_entry_lists_the_claims_that_count_it(pool: Pool) -> None:
    counting = claims_of(ledger(pool))
    assert "stopping-untrained" in [judgement.claim.id for judgement in counting["puppeteer"]]
    page = str(dict(entry_pages(Facts(pool)))["entries/puppeteer.md"])
    section = page.split("## Claims that count it")[1].split("## ")[0]
    assert "claims/stopping-untrained/" in section
    assert "contested" in section


def test_a_chapter_ends_with_the_claims_it_discusses(pool: Pool) -> None:
    page = render_prose("# Decisions\n", pool, "read/decisions.md", "decisions.md", Pictures())
    section = page.split("## Claims on this page")[1]
    assert "claims/stopping-untrained/" in section
    assert section.count("<li>") == len([c for c in pool.claims if "read/decisions.md" in c.chapters])
    assert "Claims on this page" not in render_prose("# Other\n", pool, "read/other.md", "other.md", Pictures())


def test_a_survey_without_claims_has_no_ledger(pool: Pool) -> None:
    assert dict(claim_pages(Facts(replace(pool, claims=Claims())))) == {}


def test_the_ledger_of_an_earlier_day_speaks_for_that_day(pool: Pool) -> None:
    then = pool.as_of(date(2026, 5, 4))
    judgement = Judge(then).judged(then.claims["retained"])
    assert judgement.day == date(2026, 5, 4)


def test_the_ledger_shows_every_table_beside_its_published_numbers(pool: Pool, files: dict[str, str]) -> None:
    page = files["claims/index.md"]
    for table in pool.claims.tables:
        shown = page.split(f"<summary>{table.title}</summary>")[1].split("</details>")[0]
        assert ("published</th>" in shown) is bool(table.counts)
        for word, number in table.counts.items():
            label = pool.taxonomy.label(table.axis, word)
            assert re.search(rf">{re.escape(label)}</a></th><td class=\"number\">{number}</td>", shown), (
                table.id,
                word,
            )
