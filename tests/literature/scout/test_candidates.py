"""Candidates: their marks, and which of them are one work."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.literature import InvalidSurvey
from survey.literature.scout.candidates import (
    LEAST_LETTERS,
    Candidate,
    identifiers,
    merged,
    read_candidates,
    write_candidates,
)

TITLE = "Passing Batons among Small Agents"


def work(title: str = TITLE, **others: Any) -> Candidate:
    return Candidate(title=title, **others)


# ------------------------------------------------------------- identifiers


@pytest.mark.parametrize(
    "text",
    [
        "2603.00011",
        "2603.00011v3",
        "http://arxiv.org/abs/2603.00011v3",
        "https://www.arxiv.org/pdf/2603.00011v3.pdf",
        "https://arxiv.org/html/2603.00011",
        "10.48550/arXiv.2603.00011",
        "https://doi.org/10.48550/ARXIV.2603.00011",
        "doi:10.48550/arxiv.2603.00011",
    ],
)
def test_every_way_to_name_a_preprint_gives_its_arxiv_id_and_no_doi(text: str) -> None:
    assert identifiers(text) == ("2603.00011", "")


@pytest.mark.parametrize("text", ["10.5555/A.B-1", "https://doi.org/10.5555/a.b-1", "http://dx.doi.org/10.5555/a.b-1"])
def test_every_way_to_write_a_doi_gives_the_same(text: str) -> None:
    assert identifiers(text) == ("", "10.5555/a.b-1")


def test_other_texts_hold_no_identifier() -> None:
    assert identifiers("", "https://example.org/2603.00011", "W19-0001") == ("", "")


def test_a_work_is_called_by_its_surest_name() -> None:
    link = ("https://example.org/1",)
    assert work(arxiv="2603.00011", doi="10.5555/A", links=link).id == "arxiv:2603.00011"
    assert work(doi="10.5555/A", links=link).id == "doi:10.5555/a"
    assert work(links=link).id == "https://example.org/1"
    assert work().id == "title:passingbatonsamongsmallagents"


# ------------------------------------------------------------- which are one work


def test_versions_of_a_preprint_are_one_work_with_the_facts_of_the_latest() -> None:
    (found,) = merged(
        [
            work(
                "Batons, a Sketch", arxiv="2603.00011", version=1, abstract="Short.", authors=("Ada",), sources=("a",)
            ),
            work("Batons", arxiv="2603.00011", version=2, authors=("Ada", "Bob"), withdrawn=True, sources=("b",)),
        ]
    )
    assert found == work(
        "Batons",
        arxiv="2603.00011",
        version=2,
        abstract="Short.",
        authors=("Ada", "Bob"),
        withdrawn=True,
        sources=("a", "b"),
    )


def test_a_doi_joins_in_whatever_case() -> None:
    (found,) = merged([work("A", doi="10.5555/AB"), work("B", doi="10.5555/ab")])
    assert (found.title, found.doi, found.links) == ("A", "10.5555/AB", ())


def test_a_long_title_joins_without_case_accents_and_signs() -> None:
    assert len(merged([work("Staffelläufe: Batons for Agents"), work("STAFFELLAUFE – batons for agents.")])) == 1


def test_a_short_title_does_not_join() -> None:
    short = "A" * (LEAST_LETTERS - 1)
    assert len(merged([work(short), work(short)])) == 2
    assert len(merged([work(short + "A"), work(short + "A")])) == 1


def test_two_arxiv_ids_are_two_works_whatever_they_share() -> None:
    both = [work(arxiv="2603.00011", doi="10.5555/a"), work(arxiv="2603.00022", doi="10.5555/a")]
    assert merged(both) == both


def test_a_third_work_shows_that_two_are_one() -> None:
    preprint, published = work(arxiv="2603.00011"), work("Batons at Work", doi="10.5555/a")
    assert len(merged([preprint, published])) == 2
    (found,) = merged([preprint, published, work(doi="10.5555/a")])
    assert (found.title, found.arxiv, found.doi) == (TITLE, "2603.00011", "10.5555/a")


def test_a_third_work_joins_no_two_arxiv_ids() -> None:
    two = [
        work("Batons at Work", doi="10.5555/a"),
        work("Batons at Work", doi="10.5555/a", arxiv="2603.00022"),
        work(doi="10.5555/b"),
        work(doi="10.5555/b", arxiv="2603.00011"),
        work(doi="10.5555/a"),
    ]
    assert [found.arxiv for found in merged(two)] == ["2603.00022", "2603.00011"]


def test_a_work_between_two_others_goes_to_the_one_with_the_surer_mark() -> None:
    titled, identified = work(arxiv="2603.00011"), work("Batons at Work", arxiv="2603.00022", doi="10.5555/a")
    found = merged([titled, identified, work(doi="10.5555/a", venue="Relays")])
    assert [one.venue for one in found] == ["", "Relays"]


def test_works_come_in_the_order_in_which_they_first_occur() -> None:
    first, second, third = work("The first of all these works"), work(), work("The third of all these works")
    found = merged([first, second, third, work(venue="Relays"), work("The first of all these works", venue="Batons")])
    assert [one.venue for one in found] == ["Batons", "Relays", ""]


def test_days_are_the_earliest_that_any_source_says() -> None:
    (found,) = merged(
        [
            work(submitted=date(2026, 3, 5), version=2),
            work(announced=date(2026, 3, 9)),
            work(submitted=date(2026, 3, 2), announced=date(2026, 3, 4), version=1),
        ]
    )
    assert (found.submitted, found.announced, found.first_seen) == (
        date(2026, 3, 2),
        date(2026, 3, 4),
        date(2026, 3, 4),
    )
    assert work(submitted=date(2026, 3, 2)).first_seen == date(2026, 3, 2)


def test_the_other_doi_of_a_work_stays_as_a_link() -> None:
    (found,) = merged([work(doi="10.5555/preprint"), work(doi="10.5555/published", links=("https://example.org",))])
    assert found.doi == "10.5555/preprint"
    assert found.links == ("https://example.org", "https://doi.org/10.5555/published")


def few(*texts: str) -> st.SearchStrategy[str]:
    """One of a few texts, so that works share some."""
    return st.sampled_from(("", *texts))


WORKS = st.lists(
    st.builds(
        Candidate,
        title=st.sampled_from([TITLE, "Batons at Work, or Rather Not", "Relays without Any Batons", "Short"]),
        arxiv=few("2603.00011", "2603.00022", "2603.00033"),
        doi=few("10.5555/a", "10.5555/A", "10.5555/b", "10.5555/c"),
        version=st.none() | st.integers(1, 3),
        venue=few("Relays"),
        withdrawn=st.booleans(),
        sources=st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True).map(tuple),
    ),
    max_size=9,
)


@given(WORKS)
def test_merging_again_changes_nothing(works: list[Candidate]) -> None:
    assert merged(merged(works)) == merged(works)


@given(WORKS)
def test_merging_loses_neither_ids_nor_sources(works: list[Candidate]) -> None:
    found = merged(works)
    assert {one.arxiv for one in works} - {""} == {one.arxiv for one in found} - {""}
    assert {one.doi.lower() for one in works} - {""} == {
        identifiers(text)[1] for one in found for text in (one.doi, *one.links)
    } - {""}
    assert {source for one in works for source in one.sources} == {source for one in found for source in one.sources}
    assert any(one.withdrawn for one in works) == any(one.withdrawn for one in found)


@given(WORKS)
def test_no_two_merged_works_have_an_arxiv_id_in_common_or_a_mark_without_two_ids(works: list[Candidate]) -> None:
    found = merged(works)
    for number, one in enumerate(found):
        for other in found[:number]:
            if set(one.marks) & set(other.marks):
                assert one.arxiv and other.arxiv and one.arxiv != other.arxiv


# ------------------------------------------------------------- listings


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    works = [work(arxiv="2603.00011", announced=date(2026, 3, 4), authors=("Ada",)), work("Größe", withdrawn=True)]
    write_candidates(tmp_path / "found.jsonl", works)
    assert list(read_candidates(tmp_path / "found.jsonl")) == works


@pytest.mark.parametrize(
    "line", ['{"titel": "A"}', '{"title": 3}', "{}", "nonsense", '{"title": "A", "announced": "soon"}']
)
def test_a_line_that_is_no_candidate_is_an_error_with_its_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text(f'{{"title": "A"}}\n\n{line}\n')
    with pytest.raises(InvalidSurvey, match=r"found\.jsonl:3: not a candidate: "):
        list(read_candidates(path))
