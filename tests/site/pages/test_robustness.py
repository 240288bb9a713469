"""The page on robustness: claims by variants, what hangs on one entry, the orders; readable without colour."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import msgspec
import pytest

from survey.literature import Pool
from survey.literature.claims import Conclusion, Standing, by_standing, conclusions, rankings, turning_entries
from survey.literature.pool.claims import Claims
from survey.site.facts import Facts
from survey.site.pages.claims.robustness import PAGE, robustness_pages
from tests.conftest import PUBLISHED

HOSTILE = "</td><script>alert(1)</script> **bold** {{ 7*7 }}"


@pytest.fixture(scope="module")
def pool(pool: Pool) -> Pool:
    """The first edition as it was published: what is said of it here stays true."""
    return pool.as_of(date.fromisoformat(PUBLISHED))


@pytest.fixture(scope="module")
def text(pool: Pool) -> str:
    ((path, text),) = robustness_pages(Facts(pool))
    assert path == PAGE
    return text


@pytest.fixture(scope="module")
def found(pool: Pool) -> dict[str, Conclusion]:
    return {conclusion.claim.id: conclusion for conclusion in conclusions(pool)}


def row(text: str, section: str, id: str) -> list[str]:
    """The cells of a claim in a section, without their markup."""
    part = text.split(f"## {section}")[1].split("\n## ")[0]
    line = re.search(rf'<tr><th scope="row"><a href="[^"]*claims/{id}/">.*?</tr>', part)
    assert line, id
    cells = re.findall(r"<td[^>]*>(.*?)</td>", line[0])
    return [re.sub(r"<[^>]+>", "", cell).replace("&nbsp;", " ").replace("\u00a0", " ").strip() for cell in cells]


def test_every_claim_stands_in_the_section_of_its_standing(text: str, found: dict[str, Conclusion]) -> None:
    groups = by_standing(found.values())
    for standing, heading in (
        (Standing.FRAGILE, "Fails in some variant"),
        (Standing.ROBUST, "Passes in every variant"),
        (Standing.FAILS, "Fails as coded, before any variant"),
    ):
        assert f"## {heading}: {len(groups[standing])}\n" in text
        for conclusion in groups[standing]:
            cells = row(text, heading, conclusion.claim.id)
            assert cells[0] == f"{conclusion.survived} of {len(conclusion.tests)}"
            assert len(cells) == 2 + len([o for o in conclusion.outcomes if not o.variant.at_worst])


def test_a_cell_says_number_and_verdict_and_a_dash_where_nothing_is_asked(text: str) -> None:
    assert row(text, "Fails in some variant", "hybrid-reward-leads") == [
        "2 of 5", "15 to 10 ✓", "–", "15 to 10 ✓", "3 to 19 ✗", "–", "–", "3 to 4 ✗", "5 to 7 ✗", "·cannot fail", "✓",
    ]  # fmt: skip
    assert row(text, "Fails in some variant", "scale-undisclosed-methods")[4] == "24 of 39 ✓"
    assert row(text, "Fails in some variant", "kimi-trained-orchestrator")[-1] == "1 entry ✗"
    assert 'aria-label="fails">✗' in text, "a sign that is read out"


def test_what_it_does_not_mean_stands_before_the_tables(text: str) -> None:
    assert text.index("## What robustness means, and what it does not") < text.index("## Fails in some variant")
    assert "A claim that fails is not refuted." in text


def test_every_variant_says_what_it_does_and_how_many_claims_fail(
    pool: Pool, text: str, found: dict[str, Conclusion]
) -> None:
    for variant in pool.claims.variants:
        assert f"<dt>{variant.label}</dt><dd>{variant.says} <b>" in text
    groups = by_standing(found.values())
    asked = [*groups[Standing.ROBUST], *groups[Standing.FRAGILE]]
    for id, before in (("peer-reviewed", "45 entries; "), ("leave-one-out", "")):
        outcomes = [o for c in asked for o in c.outcomes if o.variant.id == id and o.holds is not None]
        failing, label = sum(not o.holds for o in outcomes), id.replace("-", " ")
        assert re.search(rf"<dt>{label}</dt>.*?<b>{before}{failing} of \d+ claims fail\.</b>", text), label


def test_the_entries_on_which_conclusions_hang_are_linked(text: str, found: dict[str, Conclusion]) -> None:
    section = text.split("on which a claim depends")[1].split("\n## ")[0]
    hanging = turning_entries(found.values())
    shown = re.findall(r"<li>(.+?) changes? (.+?)<br>(.+?)</li>", section)
    keys = [re.findall(r'href="../../entries/([^/]+)/"', some) for some, _, _ in shown]
    assert sorted(key for some in keys for key in some) == sorted(hanging)
    for some, (_, number, claims) in zip(keys, shown, strict=True):
        for key in some:
            ids = [conclusion.claim.id for conclusion in hanging[key]]
            assert re.findall(r'href="../../claims/([^/]+)/"', claims) == ids
            assert number.startswith(f"{len(ids)} claim")
        failing = sum(not conclusion.broad.holds for conclusion in hanging[some[0]])
        assert claims.count("(would pass without") == failing
    assert "(would pass without" in section
    assert max(map(len, keys)) > 1, "entries on which the same claims depend stand together"


def test_how_many_near_misses_it_takes_is_told_apart(text: str) -> None:
    assert row(text, "Worst case: near misses count against the claim", "message-credit-sparse") == [
        "2",
        "12",
        "8 of 10",
    ]
    assert row(text, "Worst case: near misses count against the claim", "orchestrator-credit-sparse") == [
        "8",
        "18",
        "2 of 10",
    ]


def test_every_main_axis_is_ordered_with_zeros(pool: Pool, text: str) -> None:
    for ranking in rankings(pool):
        section = text.split(f'id="order-{ranking.axis.id}"')[1].split("</section>")[0]
        assert section.count("<tr>") == 3 + len(ranking.full.counts), "a head, a row per value, tau, reversed pairs"
        assert "leads</strong>" in section
    assert "second reading: shared; high confidence: shared; peer reviewed: shared" in text


class Balance(HTMLParser):
    """Whether every element that is opened is closed, and which addresses within the page there are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "br":
            self.open.append(tag)
        self.targets |= {str(value) for name, value in attrs if name == "href" and str(value).startswith("#")}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_light_and_its_anchors_exist(text: str) -> None:
    page = Balance()
    page.feed(text)
    assert page.open == []
    ids = {*re.findall(r' id="([^"]+)"', text), *re.findall(r"\{: #(\S+) \}", text)}
    assert {target[1:] for target in page.targets} <= ids
    assert len(text.encode()) < 120_000
    assert text.count('<div class="wide"') == text.count("<table")
    assert not re.search(r"(?m)^##[^\n]*\n(?!\n)", text), "a blank line after every heading"
    assert not re.search(r"[^\n]\n##", text), "and before"


def test_nothing_from_the_data_can_act(pool: Pool) -> None:
    variants = tuple(msgspec.structs.replace(v, label=HOSTILE, says=HOSTILE) for v in pool.claims.variants)
    claims = tuple(msgspec.structs.replace(c, sentence=HOSTILE) for c in pool.claims)
    hostile = replace(pool, claims=Claims(pool.claims.readings, claims, (), variants))
    ((_, text),) = robustness_pages(Facts(hostile))
    assert "<script" not in text
    outside = re.sub(r"(?s)<(div|p|ul|section)\b.*?</\1>", "", text)
    assert "**bold**" not in outside, "Markdown would obey it"


def test_a_survey_without_claims_or_variants_has_no_such_page(pool: Pool) -> None:
    assert list(robustness_pages(Facts(replace(pool, claims=Claims())))) == []
    assert list(robustness_pages(Facts(replace(pool, claims=Claims(pool.claims.readings, pool.claims.claims))))) == []
