"""Looking up one work: what a reference names, who is asked for it, and the fields that come of the answers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from survey.literature.bibtex import parse_bibtex
from survey.literature.scout import Candidate, Client, Reference, bibliographic_fields, look_up, reference
from survey.literature.scout.looking_up import Knows, LookedUp
from survey.literature.scout.sources import (
    AclAnthology,
    Arxiv,
    Crossref,
    Dblp,
    OpenAlex,
    OpenReview,
    Pages,
    SemanticScholar,
)
from tests.literature.scout.server import Fault, Server

REFERENCES = {
    "2603.06859": Reference("2603.06859"),
    "arXiv:2603.06859v2": Reference("2603.06859", "2"),
    "https://arxiv.org/abs/2603.06859v3": Reference("2603.06859", "3"),
    "https://arxiv.org/pdf/2603.06859v1.pdf": Reference("2603.06859", "1"),
    "http://www.arxiv.org/abs/2603.06859?context=cs.MA": Reference("2603.06859"),
    "https://arxiv.org/abs/cs/0603007": Reference("cs/0603007"),
    "10.48550/arXiv.2603.06859": Reference("2603.06859"),
    "10.5555/record.1": Reference(doi="10.5555/record.1"),
    "https://doi.org/10.5555/Record.1": Reference(doi="10.5555/record.1"),
    "doi:10.5555/record.1": Reference(doi="10.5555/record.1"),
    "https://dl.acm.org/doi/10.5555/record.1": Reference(doi="10.5555/record.1", url="https://dl.acm.org/doi/10.5555/record.1"),
    "https://example.org/teams/7": Reference(url="https://example.org/teams/7"),
}  # fmt: skip


@pytest.fixture
def sources(server: Server) -> Mapping[str, Knows]:
    """Every source, with an address on this machine."""
    found: tuple[Knows, ...] = (
        Arxiv(server.at("/arxiv")),
        OpenAlex(server.at("/openalex")),
        SemanticScholar(paper=server.at("/scholar-paper")),
        OpenReview(server.at("/openreview")),
        Dblp(records=server.at("/dblp-record")),
        Crossref(server.at("/crossref")),
        AclAnthology(one=server.at("/anthology-entry")),
        Pages(),
    )
    return {source.name: source for source in found}


def looked_up(text: str, client: Client, sources: Mapping[str, Knows]) -> LookedUp:
    given = reference(text)
    assert given is not None
    return look_up(given, client, sources)


def fields(found: LookedUp) -> dict[str, str]:
    assert found.work is not None, found
    return bibliographic_fields(found.work)


@pytest.mark.parametrize("text", REFERENCES)
def test_an_id_a_doi_or_an_address_is_read_in_every_form(text: str) -> None:
    assert reference(text) == REFERENCES[text]


@pytest.mark.parametrize("text", ["c3-2026", "two words", "ftp://example.org/x", "https://", "https://[/", "10.1/", ""])
def test_anything_else_is_no_reference(text: str) -> None:
    assert reference(text) is None


def test_a_preprint_is_filled_in_from_arxiv_and_its_publication_is_asked_for(
    client: Client, sources: Mapping[str, Knows]
) -> None:
    found = looked_up("2603.00011", client, sources)
    assert found.asked == ("arxiv", "crossref")
    assert fields(found) == {
        "author": "Beispiel, Ada and O'Muster, Bob", "title": "Relay Races for Small Agents", "year": "2026",
        "month": "mar", "eprint": "2603.00011", "archiveprefix": "arXiv", "primaryclass": "cs.MA",
        "doi": "10.5555/relay.2026", "url": "https://arxiv.org/abs/2603.00011", "submitted": "2026-03-02",
        "version": "2",
    }  # fmt: skip


def test_a_doi_is_filled_in_from_crossref_with_venue_and_preprint(client: Client, sources: Mapping[str, Knows]) -> None:
    found = looked_up("https://doi.org/10.5555/record.1", client, sources)
    assert found.asked == ("crossref", "arxiv")
    assert fields(found) == {
        "author": "Vzor, Olga and {The Baton Group}", "title": "Record 1 of Relays: A Study in Batons",
        "year": "2026", "month": "mar", "booktitle": "Proceedings of Relays", "eprint": "2603.40001",
        "archiveprefix": "arXiv", "doi": "10.5555/record.1", "url": "https://arxiv.org/abs/2603.40001",
        "version": "published",
    }  # fmt: skip


OTHERS = {
    "openreview": ("https://openreview.net/forum?id=note1", "Note 1 on the Passing of Batons", ""),
    "acl": ("https://aclanthology.org/2026.relay-long.1/", "Words for Batons: Étude 1",
            "Proceedings of the Relay Conference (Volume 1: Long Papers)"),
    "dblp": ("https://dblp.org/rec/conf/relay/MuestraD26.html", "Relays \\& Batons, Part 1",
             "Proceedings of the Relay Conference, {RELAY} 2026"),
    "semantic-scholar": (f"https://www.semanticscholar.org/paper/Batons/{2:040x}", "Batons, Part 2 of Many Parts", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_an_address_at_a_source_is_asked_of_that_source(
    client: Client, sources: Mapping[str, Knows], name: str
) -> None:
    address, title, venue = OTHERS[name]
    found = looked_up(address, client, sources)
    assert found.asked[0] == name
    filled = fields(found)
    assert (filled["title"], filled["year"], filled.get("booktitle", "")) == (title, "2026", venue)


def test_a_page_elsewhere_is_read_for_its_citation_tags(
    server: Server, client: Client, sources: Mapping[str, Knows]
) -> None:
    found = Pages().facts(client, [server.at("/page/7")])
    assert bibliographic_fields(next(found)) == {
        "author": "García Márquez, Gabriel and Vzor, Olga", "title": "Relays of {LLMs} \\& People", "year": "2026",
        "month": "mar", "booktitle": "{RELAY}", "url": server.at("/page/7"), "announced": "2026-03-09",
    }  # fmt: skip
    assert [*Pages().facts(client, [server.at("/page/8"), server.at("/page/9")])] == []


def test_a_source_that_fails_is_named_and_the_next_one_is_asked(
    server: Server, client: Client, sources: Mapping[str, Knows]
) -> None:
    server.fail("/arxiv", Fault(status=403))
    server.answers["/openalex"] = lambda rest, query: b'{"meta": {"count": 0}, "results": []}'
    found = looked_up("2603.20001", client, sources)
    assert (found.asked, found.failed) == (
        ("openalex", "semantic-scholar"), {"arxiv": f"answered 403 to {server.at('/arxiv')}"}
    )  # fmt: skip
    assert fields(found)["author"] == "Versuch, Hana and Prueba, Ivo"


def test_a_work_that_nobody_knows_is_none(client: Client, server: Server, sources: Mapping[str, Knows]) -> None:
    server.answers["/openalex"] = lambda rest, query: b'{"meta": {"count": 0}, "results": []}'
    found = looked_up("10.5555/nowhere", client, sources)
    assert (found.work, found.asked, dict(found.failed)) == (None, ("crossref", "openalex", "semantic-scholar"), {})


def test_an_answer_of_another_form_is_a_failure_and_no_traceback(
    server: Server, client: Client, sources: Mapping[str, Knows]
) -> None:
    for path in ("/arxiv", "/openalex", "/scholar-paper"):
        server.answers[path] = lambda rest, query: b"<!DOCTYPE html><p>Are you a person?</p>"
    found = looked_up("2603.00011", client, sources)
    assert found.work is None
    assert set(found.failed) == {"arxiv", "openalex", "semantic-scholar"}


HOSTILE = {
    "an entry in the title": "Teams}, url = {https://evil.example}} @misc{x, author = {",
    "a command in the title": r"\input{/etc/passwd} \write18{x} 100% of $x_1",
    "invisible characters": "Teams\u202e of\u0000 agents",
    "a brace too many": "Teams {of} agents}",
    "nothing but braces": "{}",
}


@pytest.mark.parametrize("title", HOSTILE.values(), ids=HOSTILE)
def test_metadata_of_any_kind_give_an_entry_that_can_be_read(title: str) -> None:
    found = bibliographic_fields(Candidate(title=title, authors=(title, "Ada and {Bob"), venue=title, kind="article"))
    text = "\n".join(["@article{x,", *(f"  {name} = {{{value}}}," for name, value in found.items()), "}", ""])
    document = parse_bibtex(text)
    assert [(block.key, set(block.fields)) for block in document.blocks] == [("x", set(found))]
    assert document.problems == ()
