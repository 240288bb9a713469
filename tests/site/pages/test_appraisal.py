"""The page on study-level appraisal, and what entries and claims say of it: every number counted anew from the file."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import replace

import pytest

from survey.literature import Pool
from survey.literature.pool import Appraisal
from survey.site.facts import Facts
from survey.site.pages.claims.ledger import claim_pages
from survey.site.pages.counts.appraisal import PAGE, appraisal_page
from survey.site.pages.entries.builder import entry_pages
from tests.conftest import ROOT

DATA = tomllib.loads((ROOT / "bib" / "appraisal.toml").read_text())


@pytest.fixture(scope="module")
def page(pool: Pool) -> str:
    return dict(appraisal_page(Facts(pool)))[PAGE]


def cells(page: str, section: str) -> list[list[str]]:
    """The text of each row of the table in a section, without tags."""
    body = page.partition(section)[2].partition("</tbody>")[0].partition("<tbody>")[2]
    rows = re.findall(r"(?s)<tr>(.*?)</tr>", body)
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in rows
    ]


def test_answers_are_counted_by_question(page: str) -> None:
    for row, (id, item) in zip(cells(page, "## Questions and answers"), DATA["item"].items(), strict=True):
        answers = Counter(items[id]["answer"] for items in DATA["work"].values() if id in items)
        assert item["question"] in row[0]
        assert row[1:] == [
            str(n) for n in (answers.total(), *(answers[a] for a in ("yes", "partly", "no", "not-said")))
        ]


def test_every_assessed_work_is_listed_with_its_answers(page: str, pool: Pool) -> None:
    rows = cells(page, "assessed\n")
    assert len(rows) == len(DATA["work"])
    by_title = {row[0]: row[1:] for row in rows}
    for key, items in DATA["work"].items():
        row = next(found for title, found in by_title.items() if title.startswith(pool[key].title))
        for id, cell in zip(DATA["item"], row, strict=True):
            assert cell.endswith(items[id]["answer"] if id in items else "(not assessed)")


def test_claims_are_counted_on_the_works_that_answer_yes(page: str, pool: Pool) -> None:
    row = next(row for row in cells(page, "## Claims on the works") if "process" in row[0] or "message" in row[0])
    claim = next(claim for claim in pool.claims if claim.sentence == row[0])
    assert set(claim.count) == {"credit"}
    for id, cell in zip(DATA["item"], row[2:], strict=True):
        yes = [key for key, items in DATA["work"].items() if items.get(id, {}).get("answer") == "yes"]
        counted = [key for key in yes if (pool[key].words("credit") or ("",))[0] == "message"]
        assert cell.startswith(f"{len(counted)} of {len(yes)} ") or not yes


def test_an_entry_and_a_claim_say_what_was_assessed(pool: Pool) -> None:
    facts = Facts(pool)
    entries = dict(entry_pages(facts))
    key, items = next(iter(DATA["work"].items()))
    for found in items.values():
        assert found["source"] in entries[f"entries/{key}.md"]
    assert "How the study was made" not in entries["entries/gaia2023.md"]
    ledger = dict(claim_pages(facts))
    claim = pool.claims["explicit-credit-of-some"]
    told = re.search(r"<dt>Studies behind it</dt><dd>(\d+) works", ledger[f"claims/{claim.id}.md"])
    assert told
    counting = [key for key in DATA["work"] if pool[key].primary("credit-explicit") == "yes"]
    assert int(told[1]) == len(counting)


def test_a_survey_without_questions_has_no_such_page(pool: Pool) -> None:
    bare = replace(pool, appraisal=Appraisal())
    assert list(appraisal_page(Facts(bare))) == []
    assert "Studies behind it" not in "".join(str(text) for _, text in claim_pages(Facts(bare)))
