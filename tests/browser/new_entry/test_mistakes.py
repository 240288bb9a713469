"""What is missing or wrong in the form for a new entry is said as `survey check` says it, beside its field."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.literature import Pool, parse_bibtex
from tests.browser.conftest import Site, Visit, visits
from tests.browser.new_entry.form import PAGE, SET, bibtex, checked, controls, empty, told

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]

BASE = "c3"
"""An entry that mistakes are made in; as a work of its own, under another key, title and number."""


@pytest.fixture(scope="module")
def form(site: Site, chromium: Browser) -> Iterator[Visit]:
    """The page, opened once for all mistakes."""
    with visits(site, chromium) as visit:
        yield opened_by(visit)


@pytest.fixture
def cleared(form: Visit) -> Iterator[Visit]:
    """The same page with an empty form."""
    empty(form.page)
    yield form
    form.clean()


def opened_by(visit: Open) -> Visit:
    found = visit(PAGE)
    expect(found.page.locator("[data-new-entry] form")).to_be_visible()
    return found


@pytest.fixture
def base(pool: Pool) -> tuple[dict[str, str], list[str]]:
    """A sound new work: what to type, and what to tick."""
    values, ticks = controls(pool[BASE].block, pool.taxonomy)
    own = {
        "f-key": "madeup2026",
        "f-added": "2026-11-24",
        "f-title": "Zebras Quietly Juggling Porcelain",
        "f-eprint": "2603.99999",
        "f-doi": "",
    }
    return values | own, ticks


def typed(page: Page, base: tuple[dict[str, str], list[str]], **changed: str) -> None:
    """Clear the form and set it to the sound work, with what is ``changed``: fields, ``_`` for a hyphen."""
    empty(page)
    values = base[0] | {f"f-{name.replace('_', '-')}": text for name, text in changed.items()}
    page.evaluate(SET, [values, base[1]])


# ------------------------------------------------------------------- mistakes

MISTAKES: dict[str, tuple[dict[str, str], list[str]]] = {
    "nothing filled in": ({}, []),
    "no key": ({"f-key": ""}, ["key @misc has no key (expected @misc{key, ...)"]),
    "a blank in the key": ({"f-key": "a b"}, ['key "a b" cannot be a key (letters, digits, . _ + -, and : / inside)']),
    "a key that is the name of a list": ({"f-key": "Index"}, ['key "Index" cannot be a key (the site has another page or file of this name)']),
    "a key that is the name of a file": ({"f-key": "x.bib"}, ['key "x.bib" cannot be a key (the site has another page or file of this name)']),
    "a key with two colons in a row": ({"f-key": "a::b"}, ['key "a::b" cannot be a key (letters, digits, . _ + -, and : / inside)']),
    "a key that is the address of a file": ({"f-key": "x:bib"}, ['key "x:bib" cannot be a key (the site has another page or file of this name)']),
    "a former key that leaves its folder": ({"f-ids": "a, ../../x"}, ['ids "../../x" cannot be a key (letters, digits, . _ + -, and : / inside)']),
    "a type without its field": ({"f-type": "article"}, ["journal is missing (an @article needs it)"]),
    "no number at all": ({"f-url": "", "f-eprint": ""}, ["url is missing (an entry needs a url, a doi or an eprint)"]),
    "a version in the arXiv id": ({"f-eprint": "2603.06859v2"}, ['eprint "2603.06859v2" is not an arXiv id (did you mean "2603.06859"?)']),
    "an arXiv id of no kind": ({"f-eprint": "x"}, ['eprint "x" is not an arXiv id (expected an id like "2603.06859")']),
    "a year that contradicts it": ({"f-year": "2020"}, ["year 2020 contradicts eprint 2603.99999 of 2026: before it"]),
    "a year after it": ({"f-year": "2027"}, []),
    "no year": ({"f-year": "20xx"}, ['year "20xx" is not a year (expected four digits)']),
    "a year after it was added": ({"f-year": "2030", "f-eprint": ""}, []),
    "a DOI as an address": ({"f-doi": "https://doi.org/10.1/x 10.1234/abc"}, []),
    "a DOI with escapes": ({"f-doi": "10.1016/a\\_b\\%3C"}, ['doi "10.1016/a\\_b\\%3C" is not a DOI (did you mean "10.1016/a_b%3C"?)']),
    "no DOI": ({"f-doi": "abc"}, ['doi "abc" is not a DOI (expected one like "10.1038/s41586")']),
    "no address": ({"f-url": "www.example.org", "f-code": "http://"}, ['url "www.example.org" is not a web address (expected http:// or https://)']),
    "two sources with a comma": ({"f-sources": "https://a.org, https://b.org"}, ['sources "https://a.org," is not one web address (put a blank between two, and nothing else)']),
    "a date that is none": ({"f-added": "2026-02-30", "f-announced": "2026-13"}, ['added "2026-02-30" is not a date (expected YYYY-MM-DD)']),
    "added before an edition that lacks it": ({"f-added": "2026-11-23"}, ["added 2026-11-23 is not after the edition of 2026-11-23, which was published without it (expected a later day)"]),
    "submitted after the preprint": ({"f-submitted": "2026-09-01"}, ["submitted 2026-09-01 is later than eprint 2603.99999 says"]),
    "announced before the preprint": ({"f-announced": "2026-02-27"}, ["announced 2026-02-27 is before eprint 2603.99999 was assigned"]),
    "announced before it was submitted": ({"f-submitted": "2026-03-09", "f-announced": "2026-03-08"}, ["announced 2026-03-08 is before submitted = 2026-03-09"]),
    "a month read off the number": ({"f-announced": "2026-03"}, ["announced 2026-03 says no more than eprint 2603.99999 (expected the day, or no announced)"]),
    "submitted in a month": ({"f-submitted": "2026-03"}, ['submitted "2026-03" is not a date (expected YYYY-MM-DD)']),
    "a version that is none": ({"f-version": "v2"}, ['version "v2" is not a version (expected its number, as in "2", or "published", or "unknown")']),
    "no version": ({"f-version": ""}, ["version is missing (an entry with eprint needs it)"]),
    "a third party among the sources": ({"f-sources": "https://www.emergentmind.com/papers/1"}, ['sources "https://www.emergentmind.com/papers/1" is a third party\'s page (move it to third-party)']),
    "one address twice": ({"f-sources": "https://a.org", "f-third-party": "https://a.org"}, ['third-party "https://a.org" stands in sources too (keep one)']),
    "a third party that is not named": ({"f-why-rl": "A third party's note says so."}, ["why-rl rests on a third party's page, yet third-party names none"]),
    "no arXiv class": ({"f-primaryclass": "CS"}, ['primaryclass "CS" is not an arXiv class (expected one like "cs.MA")']),
    "volume and number": ({"f-volume": "1", "f-number": "2"}, []),
    "and others": ({"f-author": "A, B\nothers"}, ['author ends in "and others" (name every author, or say why not in authors-incomplete)']),
    "et al": ({"f-author": "Zebra et al."}, []),
    "names with semicolons": ({"f-author": "A, B; C, D"}, []),
    "two names on a line": ({"f-author": "A and B, and C"}, []),
    "too many commas": ({"f-author": "A, B, C, D"}, ["author Too many commas: A, B, C, D"]),
    "a comma at the end": ({"f-author": "Zebra,"}, ["author Trailing comma at end of name: Zebra,"]),
    "no last name": ({"f-author": ", Zoe"}, ['author ", Zoe" has no last name (expected "Last, First")']),
    "a body of nothing": ({"f-author": "{}\nA, B"}, []),
    "an unknown command": ({"f-title": r"The \foo of Zebras"}, []),
    "an unknown command in a formula": ({"f-title": r"Zebras at $\foo$"}, []),
    "a superscript of nothing": ({"f-title": "Zebras of $x^$"}, []),
    "an accent on nothing": ({"f-title": r"Zebras \'{} there"}, []),
    "a title that shows nothing": ({"f-title": "{}"}, ['title shows nothing: "{}"']),
    "what cannot be seen": ({"f-summary": "Quiet\u200bly."}, ["summary contains the character U+200B, which cannot be seen (delete it)"]),
    "a number that is none": ({"f-tag-scale--agents": "0", "f-tag-scale--steps": "1.5"}, ['tag-scale "agents: 0": expected a whole number above 0, as in "agents: 100"']),
    "no evidence": ({"f-why-credit": ""}, ['why-credit is missing (say in your own words what supports tag-credit = "message", and where it stands)']),
    "no summary": ({"f-summary": " \n "}, ["summary is missing"]),
    "a DOI that is there": ({"f-doi": "10.1609/aaai.v32i1.11794"}, []),
    "an arXiv id that is there": ({"f-eprint": "1705.08926", "f-year": "2017"}, []),
    "a DOI that arXiv gave": ({"f-doi": "10.48550/arXiv.1705.08926"}, ["doi the same eprint as coma2018 (pool.bib): is it the same work?"]),
    "a title that is there by its own author": ({"f-title": "Counterfactual Multi-Agent Policy Gradients", "f-author": "Foerster, Jakob"}, ["title the same title as coma2018 (pool.bib): is it the same work?"]),
    "a key that is there": ({"f-key": "COMA2018"}, ["key the key differs from coma2018 only in case (first in pool.bib)"]),
    "a title that is there": ({"f-title": "Counterfactual multi-agent policy gradients!", "f-eprint": "", "f-url": "https://example.org/z"}, []),
}  # fmt: skip
"""What is typed instead, and some of what must be said; all of what is said is compared with the command."""


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_what_is_wrong_is_said_as_survey_check_says_it(cleared: Visit, base: tuple[dict[str, str], list[str]], pool: Pool, mistake: str) -> None:  # fmt: skip
    changed, said = MISTAKES[mistake]
    if changed:
        cleared.page.evaluate(SET, [base[0] | changed, base[1]])
    found = told(cleared.page)
    assert set(said) <= set(found)
    assert found == checked(bibtex(cleared.page), pool)
    assert found


def test_a_key_of_another_collection_and_a_formula_are_sound(cleared: Visit, base: tuple[dict[str, str], list[str]], pool: Pool) -> None:  # fmt: skip
    own = {"f-key": "DBLP:journals/zoo/Zebra26", "f-title": r"Zebras at $\sqrt{s}=13$ and $\Xi_{cc}^{++} \to \bar{b}$"}
    cleared.page.evaluate(SET, [base[0] | own, base[1]])
    assert told(cleared.page) == checked(bibtex(cleared.page), pool) == []


TICKED: dict[str, tuple[list[str], list[str]]] = {
    "absence beside a value": (["f-tag-reward-for--outcome", "f-tag-reward-for--na"], ['tag-reward-for "na" cannot stand beside a value: "outcome; na"']),
    "unknown before a value": (["f-tag-reward-for--unknown", "f-tag-reward-for--outcome"], ['tag-reward-for "unknown" cannot stand beside a value: "unknown; outcome"']),
    "unknown after a value": (["f-tag-reward-for--outcome", "f-tag-reward-for--unknown"], []),
    "a decision without how": (["f-tag-decision--spawn"], ['tag-decision "spawn" does not say how (expected one of: learned, designed)']),
    "a survey with a reward": (["f-tag-category--survey", "f-tag-reward-payee--team"], ['tag-reward-payee "team" cannot be: for category = "survey" the table of what applies has na (expected "na")']),
    "a survey from which a reward follows": (["f-tag-category--survey", "f-tag-reward-payee--na", "f-tag-reward-for--tool"], ['tag-reward-payee "tool" cannot be: for category = "survey" the table of what applies has na (expected "na")']),
    "a number for all that tells turns apart": (["f-tag-credit-method--broadcast", "f-tag-credit-grain--turn"], []),
    "a method that measures": (["f-tag-category--rl-method", "f-tag-measures--cost"], []),
    "an impossible cell": (["f-tag-reward-payee--role", "f-tag-credit-grain--run", "f-tag-credit-holder--team"], ['tag-credit-grain "team" cannot stand beside reward = "role": the holder of credit is between whom the signal can differ, and a reward that differs between agents or roles tells them apart (change one of them)']),
    "an impossible decision": (["f-tag-category--benchmark", "f-tag-decision--stop--learned"], []),
    "parts from which nothing follows": (["f-tag-reward-payee--team", "f-tag-reward-for--none", "f-tag-reward-judge--checker"], ['tag-reward-judge no reward follows from reward-payee = "team" and reward-for = "none" and reward-judge = "checker" (change one of them)']),
    "parts without evidence": (["f-tag-reward-payee--team", "f-tag-reward-for--process"], ['why-reward is missing (say in your own words what supports tag-reward = "process", and where it stands)']),
    "na and no evidence": (["f-tag-reward-payee--na", "f-tag-reward-for--na", "f-tag-reward-judge--na", "f-tag-reward-when--na"], []),
}  # fmt: skip


@pytest.mark.parametrize("mistake", list(TICKED))
def test_tags_that_cannot_be_are_said_as_survey_check_says_it(cleared: Visit, pool: Pool, mistake: str) -> None:
    ticks, said = TICKED[mistake]
    cleared.page.evaluate(SET, [{"f-key": "x"}, ticks])
    found = told(cleared.page)
    assert set(said) <= set(found)
    assert found == checked(bibtex(cleared.page), pool)


@pytest.mark.parametrize(("text", "said"), [
    ("Braces {left open", 'braces do not balance: "Braces {left open"'),
    ("Braces} closed", 'a closing brace has no opening one: "Braces} closed"'),
    ("Ends in \\", 'a backslash at the end hides the closing brace: "Ends in \\"'),
])  # fmt: skip
def test_text_that_would_break_the_file_is_left_out_and_said(cleared: Visit, base: tuple[dict[str, str], list[str]], text: str, said: str) -> None:  # fmt: skip
    typed(cleared.page, base, summary=text)
    assert f"summary {said}" in told(cleared.page)
    assert "summary" not in parse_bibtex(bibtex(cleared.page)).blocks[0].fields


def test_a_mistake_is_said_beside_its_field_and_in_a_list_that_leads_there(visit: Open) -> None:
    opened = opened_by(visit)
    page = opened.page
    field = page.get_by_label("DOI")
    field.fill("abc")
    expect(page.locator("#f-doi-wrong")).to_have_text("")  # not while it is typed
    field.press("Tab")
    expect(page.locator("#f-doi-wrong")).to_contain_text('"abc" is not a DOI')
    expect(field).to_have_attribute("aria-invalid", "true")
    assert "f-doi-wrong" in (field.get_attribute("aria-describedby") or "")
    expect(page.locator("[data-status]")).to_contain_text("1 error,")
    page.locator(".problems a", has_text="doi").click()
    assert page.evaluate("document.activeElement.id") == "f-doi"
    page.locator("[data-missing] summary").click()
    page.locator("[data-missing] a", has_text="tag-credit-grain").first.click()
    assert page.evaluate("document.activeElement.id").startswith("f-tag-credit-grain--")
    field.fill("10.1234/abc")
    expect(page.locator("#f-doi-wrong")).to_have_text("")
    expect(page.locator("[data-wrong] li")).to_have_count(0)
    expect(page.locator("[data-missing]")).to_be_visible()
    opened.clean()
