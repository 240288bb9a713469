"""Duplicates, and works that only look like duplicates."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

import pytest

from survey.literature import Block, Entry, Pool
from survey.literature.bibtex import Field
from survey.literature.loading import read_pool
from survey.literature.pool import check_duplicates
from tests.literature.conftest import ENTRY

duplicates = import_module("survey.literature.pool.duplicates")  # the package calls a function so
TITLE = "Credit Assignment for Teams of Language Models"


def work(key: str, path: str = "pool.bib", **fields: str) -> Entry:
    given = {"author": "Last, First and Other, Ann", "title": TITLE, "year": "2026"} | fields
    block = Block("misc", key, 1, MappingProxyType({name: Field(text, 2) for name, text in given.items()}))
    return Entry(block, MappingProxyType({}), path)


def suspected(one: dict[str, str], other: dict[str, str]) -> str:
    """Return the reported field of two works and what they share; empty if nothing is reported."""
    problems = list(check_duplicates([work("one", **one), work("other", **other)]))
    assert len(problems) <= 1, "one line for a pair"
    return f"{problems[0].field}: {problems[0].message.partition(' as ')[0].partition(' title')[0]}" if problems else ""


# ------------------------------------------------------------------ the same identifier


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"doi": "10.1234/Abc"}, {"doi": "10.1234/aBC"}, "doi: the same doi"),
        ({"doi": "10.1234/abc"}, {"url": "https://doi.org/10.1234/abc"}, "url: the same doi"),
        ({"eprint": "2603.06859"}, {"eprint": "2603.06859"}, "eprint: the same eprint"),
        ({"eprint": "2603.06859"}, {"eprint": "2603.06859v2"}, "eprint: the same eprint"),
        ({"eprint": "2603.06859"}, {"url": "https://arxiv.org/abs/2603.06859v3"}, "url: the same eprint"),
        ({"eprint": "2603.06859"}, {"url": "http://www.arxiv.org/pdf/2603.06859.pdf"}, "url: the same eprint"),
        ({"eprint": "2603.06859"}, {"doi": "10.48550/arXiv.2603.06859"}, "doi: the same eprint"),
        ({"eprint": "math.GT/0309136"}, {"eprint": "math/0309136"}, "eprint: the same eprint"),
        ({"eprint": "2603.06859"}, {"eprint": "2603.06858"}, ""),
        ({"eprint": "2603.06859"}, {"url": "https://example.org/2603.06859"}, ""),
        ({"doi": "10.1234/abc"}, {"doi": "10.1234/abd"}, ""),
    ],
    ids=lambda case: str(case) or "nothing",
)
def test_an_identifier_in_common_is_proof_however_it_is_written(
    one: dict[str, str], other: dict[str, str], said: str
) -> None:
    assert suspected(one | {"title": "One"}, other | {"title": "Another", "author": "Else, Some"}) == said


def test_an_excluded_record_may_be_the_same_work_too(folder: Callable[..., Path]) -> None:
    pool = ENTRY.replace("  url ", "  doi = {10.1234/ABC},\n  url ")
    record = "@misc{E1, author = {A, B}, title = {T}, year = {2026}, doi = {10.1234/abc}, screened = {2026-01-01}}"
    bib = folder(pool, excluded_bib=record)
    (problem,) = read_pool(bib)[1]
    assert str(problem).endswith(f"entry E1: doi: the same doi as key2026 ({bib}/pool.bib:1): is it the same work?")


def test_a_key_shared_with_another_file_is_also_reported(folder: Callable[..., Path]) -> None:
    first, second = work("key", eprint="2603.06859"), work("KEY", "excluded.bib", eprint="2603.06859")
    assert [problem.field for problem in check_duplicates([first, second])] == ["eprint", "key"]


# ------------------------------------------------------------------ the same title

ARXIV, LATER = {"eprint": "2603.06859"}, {"eprint": "2604.00001"}
STRANGER = {"author": "Else, Some"}
SWAPPED = {"author": "Other, Ann and Last, First"}
SPELT = {"title": r"{CREDIT} Assignment, for teams of language-models"}
NEARLY = {"title": "Credit Assignments for Teams of Language Models"}


TITLES = {
    "to the letter": ({}, {}, "title: the same"),
    "but for case, braces and signs": ({}, SPELT, "title: the same"),
    "but for accents": ({"title": r"Na{\"\i}ve Teams"}, {"title": "Naive Teams"}, "title: the same"),
    "by others, if nothing tells them apart": ({}, STRANGER, "title: the same"),
    "by others, one with an identifier": (ARXIV, STRANGER, "title: the same"),
    "with two identifiers by the same first author": (ARXIV, LATER, "title: the same"),
    "with two identifiers by different first authors": (ARXIV, LATER | STRANGER, ""),
    "a preprint and its proceedings": (ARXIV, {"doi": "10.1234/abc"}, "title: the same"),
    "nearly": ({}, NEARLY, "title: nearly the same"),
    "nearly, one with an identifier": (ARXIV, NEARLY, "title: nearly the same"),
    "nearly, a preprint and its proceedings": (ARXIV, NEARLY | {"doi": "10.1234/abc"}, "title: nearly the same"),
    "nearly, authors in another order": (ARXIV, NEARLY | SWAPPED, "title: nearly the same"),
    "nearly, by others": ({}, NEARLY | STRANGER, ""),
    "nearly, with two identifiers": (ARXIV, NEARLY | LATER, ""),
    "nearly, two pages of one site": ({"url": "https://x.org/a"}, NEARLY | {"url": "https://x.org/b"}, ""),
    "nearly, one page": ({"url": "https://x.org/a"}, NEARLY | {"url": "https://x.org/a/"}, "title: nearly the same"),
    "nearly, on two sites": ({"url": "https://x.org/a"}, NEARLY | {"url": "https://y.org/b"}, "title: nearly the same"),
    "parts of a series": ({"title": f"{TITLE} II"}, {"title": f"{TITLE} III"}, ""),
    "versions": ({"title": "Kimi K2 Technical Report on Teams"}, {"title": "Kimi K2.5 Technical Report on Teams"}, ""),
    "another word": ({}, {"title": "Reward Modelling for Teams of Language Models"}, ""),
    "no letters at all": ({"title": "--"}, {"title": "??"}, ""),
}  # fmt: skip
"""Two works, and the problem reported for the second."""


@pytest.mark.parametrize(("one", "other", "said"), list(TITLES.values()), ids=list(TITLES))
def test_a_shared_title_is_reported_unless_the_works_are_distinguishable(
    one: dict[str, str], other: dict[str, str], said: str
) -> None:
    assert suspected(one, other) == said


def test_the_message_says_what_to_do(folder: Callable[..., Path]) -> None:
    second = ENTRY.replace("key2026", "other2026").replace("https://example.org/a", "https://example.com/a")
    long = [text.replace("A Title", title) for text, title in ((ENTRY, TITLE), (second, NEARLY["title"]))]
    bib = folder("\n".join(long))
    (problem,) = read_pool(bib)[1]
    assert str(problem).removeprefix(f"{bib}/") == (
        f"pool.bib:14: entry other2026: title: nearly the same title as key2026 ({bib}/pool.bib:1), and an author in "
        "common: if it is the same work, keep one of them; if not, give both what tells them apart (a doi, or an eprint)"
    )


def test_an_invalid_author_field_is_not_reported_twice() -> None:
    assert suspected({"author": "A and others"}, NEARLY | {"author": "A and others"}) == ""


def test_no_two_works_of_the_real_data_are_suspected(pool: Pool) -> None:
    assert [str(p) for p in check_duplicates([*pool.entries, *pool.records, *pool.background])] == []


# ------------------------------------------------------------------ many works


def many(number: int) -> list[Entry]:
    """Return works with realistic titles, in which few words are frequent; one in ten has no identifier."""
    chance = random.Random(20260504)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(4, 10))) for _ in range(4000)]
    weights = [1 / (place + 5) for place in range(len(words))]
    return [
        work(
            f"work{place}",
            title=" ".join(chance.choices(words, weights, k=chance.randint(6, 13))),
            author=" and ".join(f"Name{chance.randrange(5000)}, A" for _ in range(5)),
            **({} if place % 10 == 0 else {"eprint": f"26{1 + place % 12:02}.{place:05}"}),
        )
        for place in range(number)
    ]


SLIPS: list[Callable[[str], str]] = [
    lambda title: title[:9] + title[10:],
    lambda title: f"The {title}",
    lambda title: title.replace(" ", "-", 1),
    lambda title: title[:-1] + ("s" if title[-1] != "s" else "z"),
]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often two works are compared, by the question; a time would say how fast the machine is."""
    found = Counter[str]()

    def counting(name: str, ask: Callable[..., bool]) -> Callable[..., bool]:
        def counted(one: object, other: object) -> bool:
            found[name] += 1
            return ask(one, other)

        return counted

    for place, name in (
        (duplicates._Work, "has_other_identifiers"),
        (duplicates, "_comparable"),
        (duplicates, "_near"),
    ):
        monkeypatch.setattr(place, name, counting(name, getattr(place, name)))
    return found


MOST = (duplicates.RARE + 1) * duplicates.WINDOW
"""With how many others a work is compared at most, however many there are."""


def test_among_10000_works_every_misspelt_title_is_found_in_linear_time(asked: Counter[str]) -> None:
    works = many(10_000)
    slips = [
        work(f"slip{place}", title=SLIPS[place % 4](of.text("title")), author=of.text("author"))
        for place, of in enumerate(works[:200])
    ]
    problems = list(check_duplicates([*works, *slips]))
    assert [p.entry for p in problems if not p.entry.startswith("slip")] == []
    assert {p.entry for p in problems} == {slip.key for slip in slips}
    assert asked["_comparable"] < MOST * len(works)
    assert asked["_near"] < len(works), "letter by letter only what is nearly the same"


def test_10000_works_with_one_title_cost_no_more(asked: Counter[str]) -> None:
    works = [work(f"work{n}", author=f"Name{n}, A", eprint=f"2603.{n:05}") for n in range(10_000)]
    assert list(check_duplicates(works)) == []
    assert 0 < asked.total() < MOST * len(works)
