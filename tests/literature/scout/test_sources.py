"""Sources: what each makes of an answer in its service's documented form, to the last page, and of a changed one."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from survey.literature.scout.asking import TRIES, Client, OutOfReach
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.sources import (
    AclAnthology,
    Arxiv,
    Asked,
    Crossref,
    Dblp,
    Feeds,
    OpenAlex,
    OpenReview,
    SemanticScholar,
    Source,
    openalex,
)
from tests.literature.scout.server import (
    ANTHOLOGY,
    ARXIV_ERROR,
    ARXIV_WORKS,
    CLOSED,
    HITS,
    NOTES,
    OPENALEX_WORKS,
    RECORDS,
    SCHOLAR_PAPERS,
    Fault,
    Server,
    atom,
    changed,
)

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)


def asked(**what: Any) -> Asked:
    return Asked(SINCE, UNTIL, **what)


ALL: dict[str, tuple[Callable[..., Source], Asked, int]] = {
    "arxiv": (Arxiv, asked(classes=("cs.MA", "cs.AI")), len(ARXIV_WORKS)),
    "openalex": (OpenAlex, asked(cited=("2601.00001", "10.5555/relay.2026")), len(OPENALEX_WORKS) - 1),
    "scholar": (SemanticScholar, asked(queries=("relay baton",)), len(SCHOLAR_PAPERS)),
    "openreview": (OpenReview, asked(venues=("RELAY.cc/2026/Conference",)), len(NOTES)),
    "dblp": (Dblp, asked(queries=("relay baton",)), len(HITS) - 1),
    "crossref": (Crossref, asked(queries=("relay baton",)), len(RECORDS) - 1),
}
"""For each service: its source, what it is asked, and how many works it then has."""

MODULES = {"scholar": "semantic_scholar"}


def find(name: str, server: Server, client: Client, **options: Any) -> list[Candidate]:
    source, what, _ = ALL[name]
    return list(source(server.at(f"/{name}"), **options).find(client, what))


# ------------------------------------------------------------- all services


@pytest.mark.parametrize("name", ALL)
def test_a_service_is_paged_to_the_end(
    name: str, server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = find(name, server, client)
    assert len(works) == ALL[name][2]
    questions = len(server.questions)
    client.folder = client.folder.with_name("other")
    if name != "scholar":  # which says itself how much is in a page
        monkeypatch.setattr(f"survey.literature.scout.sources.{MODULES.get(name, name)}.PAGE", 1)
    assert find(name, server, client) == works
    assert len(server.questions) - questions > (1 if name == "scholar" else len(works) - 1)


@pytest.mark.parametrize("name", ALL)
def test_a_service_that_is_asked_nothing_is_not_asked(name: str, server: Server, client: Client) -> None:
    source, _, _ = ALL[name]
    assert list(source(server.at(f"/{name}")).find(client, asked())) == []
    assert server.questions == []


@pytest.mark.parametrize("name", ALL)
def test_every_work_names_its_source(name: str, server: Server, client: Client) -> None:
    source, _, _ = ALL[name]
    assert {found.sources for found in find(name, server, client)} == {(source().name,)}


@pytest.mark.parametrize("name", ALL)
def test_an_answer_in_another_form_names_the_service_and_is_not_kept(name: str, server: Server, client: Client) -> None:
    server.answers[f"/{name}"] = lambda rest, query: b"<!DOCTYPE html><html><body>Are you human?</body></html>"
    with pytest.raises(OutOfReach, match=rf"^{ALL[name][0]().name}: "):
        find(name, server, client)
    assert [path for path in client.folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("arxiv", b"totalResults", b"totalFound"),
        ("arxiv", b"feed", b"answer"),
        ("openalex", b'"results"', b'"works"'),
        ("openalex", b'"count"', b'"number"'),
        ("scholar", b'"title"', b'"name"'),
        ("scholar", b'"data"', b'"papers"'),
        ("scholar", b'"externalIds"', b'"ids"'),
        ("scholar", b'"2026-03-08"', b"20260308"),
        ("openreview", b'"title": {"value": "Note 1 on the Passing of Batons"}', b'"title": "Note 1"'),
        ("openreview", b'"count"', b'"total"'),
        ("dblp", b'"@total"', b'"total"'),
        ("dblp", b'"@total": "4"', b'"@total": "four"'),
        ("dblp", b'"title"', b'"name"'),
        ("dblp", b'"year": "2026"', b'"year": "soon"'),
        ("crossref", b'"DOI"', b'"doi"'),
        ("crossref", b'"items"', b'"works"'),
        ("crossref", b'"total-results"', b'"total"'),
    ],
)
def test_a_field_that_we_need_and_that_has_changed_names_the_service(
    name: str, old: bytes, new: bytes, server: Server, client: Client
) -> None:
    server.fail(f"/{name}", changed(old, new))
    with pytest.raises(
        OutOfReach, match=rf"^{ALL[name][0]().name}: .*(form that we do not know|does not say|Atom nor RSS)"
    ):
        find(name, server, client)


@pytest.mark.parametrize("name", ["openalex", "openreview", "dblp", "crossref"])
def test_a_service_that_gives_fewer_works_than_it_has_is_out_of_reach(
    name: str, server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"survey.literature.scout.sources.{name}.PAGE", 2)
    page = server.answers[f"/{name}"]
    lists = re.compile(rb'("(?:results|notes|hit|items)": )\[.*\]', re.DOTALL)

    def no_second_page(rest: str, query: Any) -> bytes | None:
        body = page(rest, query)
        later = (
            query.get("select") != "id" and query.get("page", "1") + query.get("offset", query.get("f", "0")) != "10"
        )
        return lists.sub(rb"\1[]", body) if body and later else body

    server.answers[f"/{name}"] = no_second_page
    with pytest.raises(OutOfReach, match=r"gave 2 of \d works"):
        find(name, server, client)


def test_a_service_that_fails_is_out_of_reach_by_its_name(server: Server, client: Client) -> None:
    server.fail("/dblp", Fault(404))
    with pytest.raises(OutOfReach, match=r"^dblp: answered 404 to .*/dblp$"):
        find("dblp", server, client)


# ------------------------------------------------------------- arXiv


def test_arxiv_is_asked_for_classes_and_days(server: Server, client: Client) -> None:
    find("arxiv", server, client)
    assert server.asked("search_query") == ["(cat:cs.MA OR cat:cs.AI) AND submittedDate:[202603010000 TO 202603312359]"]


def test_a_work_of_arxiv_has_every_field(server: Server, client: Client) -> None:
    assert find("arxiv", server, client)[0] == Candidate(
        title="Relay Races for Small Agents", authors=("Ada Beispiel", "Bob O'Muster"),
        abstract="We hand work on when p < 0.5 and q > 2. It helps.", arxiv="2603.00011", doi="10.5555/relay.2026",
        classes=("cs.MA", "cs.AI"), submitted=date(2026, 3, 2), version=2, venue="Journal of Relays 3 (2026)",
        links=("http://arxiv.org/abs/2603.00011v2",), sources=("arxiv",),
    )  # fmt: skip


def test_a_work_of_arxiv_that_was_withdrawn_says_so(server: Server, client: Client) -> None:
    assert [found.withdrawn for found in find("arxiv", server, client)] == [False, True, False]
    server.answers["/arxiv"] = lambda rest, query: atom(
        [ARXIV_WORKS[0].replace("We hand work on", "This paper has been withdrawn, since")], 1
    )
    client.folder = client.folder.with_name("other")
    assert [found.withdrawn for found in find("arxiv", server, client)] == [True]


def test_an_arxiv_id_of_former_days_is_an_id(server: Server, client: Client) -> None:
    assert [found.arxiv for found in find("arxiv", server, client)] == ["2603.00011", "2603.00022", "cs/0603007"]


def test_no_work_of_the_days_is_no_error(server: Server, client: Client) -> None:
    server.answers["/arxiv"] = lambda rest, query: atom([], 0)
    assert find("arxiv", server, client) == []


def test_an_empty_page_of_arxiv_is_no_end_and_is_asked_again_in_the_next_run(server: Server, client: Client) -> None:
    server.answers["/arxiv"] = lambda rest, query: atom([], 3)
    with pytest.raises(OutOfReach, match=r"^arxiv: gave 0 works from 1 on, of 3: ask again later$"):
        find("arxiv", server, client)
    server.answers["/arxiv"] = lambda rest, query: atom(ARXIV_WORKS, 3)
    assert len(find("arxiv", server, client)) == 3


def test_an_error_of_arxiv_is_no_work(server: Server, client: Client) -> None:
    server.answers["/arxiv"] = lambda rest, query: ARXIV_ERROR
    for works in (find, lambda *rest: list(Arxiv(server.at("/arxiv")).facts(client, ["nonsense"]))):
        with pytest.raises(OutOfReach, match=r"^arxiv: answered Error: incorrect id format for nonsense$"):
            works("arxiv", server, client)


def test_more_works_than_arxiv_pages_through_ask_for_fewer_days(server: Server, client: Client) -> None:
    server.answers["/arxiv"] = lambda rest, query: atom(ARXIV_WORKS, 30_001)
    with pytest.raises(OutOfReach, match=r"has more than 30000 works since 2026-03-01: ask for fewer days"):
        find("arxiv", server, client)
    assert len(server.questions) == 1


def test_arxiv_gives_the_facts_of_single_works(server: Server, client: Client) -> None:
    found = Arxiv(server.at("/arxiv")).facts(client, ["2603.00022", "2603.99999"])
    assert [(one.arxiv, one.version) for one in found] == [("2603.00022", 3)]
    assert server.asked("id_list") == ["2603.00022,2603.99999"]


# ------------------------------------------------------------- feeds


def feeds(server: Server, client: Client, *names: str) -> list[Candidate]:
    return list(Feeds().find(client, asked(pages=tuple(server.at(f"/feed-{name}") for name in names))))


def test_the_feed_of_arxiv_gives_what_is_announced_and_not_what_is_replaced(server: Server, client: Client) -> None:
    assert feeds(server, client, "arxiv") == [
        Candidate(
            title="Relay Races for Small Agents", authors=("Ada Beispiel", "Bob O'Muster"),
            abstract="We hand work on when p < 0.5 and q > 2. It helps.", arxiv="2603.00011",
            classes=("cs.MA", "cs.AI"), announced=date(2026, 3, 4), version=1,
            links=("https://arxiv.org/abs/2603.00011",), sources=("feeds",),
        )
    ]  # fmt: skip


def test_a_feed_in_atom_gives_its_items_of_the_days_as_plain_text(server: Server, client: Client) -> None:
    assert feeds(server, client, "company") == [
        Candidate(
            title="Teams & Tools", authors=("The Company",), abstract="A post.", announced=date(2026, 3, 5),
            links=("https://company.example/teams",), sources=("feeds",),
        )
    ]  # fmt: skip


def test_a_feed_in_the_first_version_of_rss_is_read(server: Server, client: Client) -> None:
    assert feeds(server, client, "former") == [
        Candidate(
            title="A Talk on Teams", authors=("Emil Muster",), abstract="With demos . Abstract: none.",
            announced=date(2026, 3, 6), links=("https://venue.example/7",), sources=("feeds",),
        )
    ]  # fmt: skip


def test_a_feed_that_fails_hides_no_other_and_is_named(server: Server, client: Client) -> None:
    server.fail("/feed-company", Fault(410))
    server.fail("/feed-former", changed(b"rdf:RDF", b"rdf:XYZ"))
    pages = tuple(server.at(f"/feed-{name}") for name in ("company", "former", "arxiv"))
    works = Feeds().find(client, asked(pages=pages))
    assert next(works).arxiv == "2603.00011"
    with pytest.raises(OutOfReach) as error:
        next(works)
    assert str(error.value) == (f"feeds: answered 410 to {pages[0]}; {pages[1]} gave neither Atom nor RSS, but <XYZ>")


def test_a_feed_that_is_out_of_reach_stays_known_as_it_was(server: Server, client: Client) -> None:
    server.etags["/feed-company"] = '"first"'
    first = feeds(server, client, "company")
    client.today += timedelta(days=1)
    server.fail("/feed-company", Fault(500), times=TRIES)
    with pytest.raises(OutOfReach):
        feeds(server, client, "company")
    assert feeds(server, client, "company") == first
    assert server.questions[-1].headers["If-None-Match"] == '"first"'


BOMB = """<?xml version="1.0" encoding="{0}"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa">]>
<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&a;</title></entry></feed>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_with_a_document_type_is_refused_in_any_encoding(server: Server, client: Client, encoding: str) -> None:
    server.answers["/feed-company"] = lambda rest, query: BOMB.format(encoding).encode(encoding)
    with pytest.raises(OutOfReach, match=r"gave XML with a document type, which no feed needs$"):
        feeds(server, client, "company")


def test_a_document_type_that_is_only_quoted_is_text(server: Server, client: Client) -> None:
    server.fail("/feed-company", changed(b"A post.", b"A post on <![CDATA[<!DOCTYPE html>]]>."))
    assert len(feeds(server, client, "company")) == 1


@pytest.mark.parametrize("body", [b"", b"no XML", b"<rss", b'<?xml version="1.0" encoding="none-such"?><rss/>'])
def test_what_is_no_xml_is_out_of_reach(server: Server, client: Client, body: bytes) -> None:
    server.answers["/feed-company"] = lambda rest, query: body
    with pytest.raises(OutOfReach, match=r"gave no well-formed XML"):
        feeds(server, client, "company")


# ------------------------------------------------------------- OpenAlex


def test_openalex_is_asked_who_cites_the_works_in_these_days(server: Server, client: Client) -> None:
    find("openalex", server, client)
    assert server.asked("filter") == [
        "doi:10.48550/arXiv.2601.00001|10.5555/relay.2026",
        "cites:W9001|W9002,from_publication_date:2026-03-01,to_publication_date:2026-03-31",
    ]


def test_a_work_of_openalex_has_every_field(server: Server, client: Client) -> None:
    assert find("openalex", server, client)[0] == Candidate(
        title="The 1th Work that Cites Relays", authors=("Finn Probe", "Gita Test"),
        abstract="Relays pass and pass Batons.", arxiv="2603.10001", doi="10.5555/cites.1", announced=date(2026, 3, 7),
        venue="Proceedings of Relays", links=("https://doi.org/10.5555/cites.1", "http://arxiv.org/abs/2603.10001"),
        sources=("openalex",), kind="inproceedings", published="2026",
    )  # fmt: skip


def test_a_work_of_openalex_that_was_retracted_is_withdrawn(server: Server, client: Client) -> None:
    assert [found.withdrawn for found in find("openalex", server, client)] == [False, True, False, False]


def test_a_preprint_at_openalex_has_no_venue_and_the_first_of_a_month_is_no_day(server: Server, client: Client) -> None:
    assert find("openalex", server, client)[2] == Candidate(
        title="The 3th Work that Cites Relays", arxiv="2603.10003", sources=("openalex",),
        links=("https://doi.org/10.48550/arXiv.2603.10003",), published="2026",
    )  # fmt: skip


def test_with_a_key_openalex_is_paged_by_cursor(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openalex, "PAGE", 2)
    assert len(find("openalex", server, client, key="s3cret")) == 4
    assert server.asked("cursor") == ["*", "*", "place-2", "place-4"]
    assert server.asked("api_key") == ["s3cret"] * 4
    assert server.asked("page") == [""] * 4


def test_without_a_key_openalex_is_paged_by_number_as_far_as_it_goes(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openalex, "MOST", 3)
    with pytest.raises(OutOfReach, match=r"^openalex: has 5 works: ask for fewer days, or with a key$"):
        find("openalex", server, client)
    assert server.asked("page") == ["1", "1"]
    assert server.asked("cursor") == ["", ""]


def test_cited_works_that_openalex_does_not_know_are_no_silent_nothing(server: Server, client: Client) -> None:
    source = OpenAlex(server.at("/openalex"))
    with pytest.raises(OutOfReach, match=r"^openalex: knows none of 1 work"):
        list(source.find(client, asked(cited=("2601.99999",))))


def test_openalex_gives_the_facts_of_single_works(server: Server, client: Client) -> None:
    found = OpenAlex(server.at("/openalex")).facts(client, ["https://doi.org/10.5555/cites.5", "10.5555/unknown"])
    assert [one.doi for one in found] == ["10.5555/cites.5"]


# ------------------------------------------------------------- Semantic Scholar


def test_semantic_scholar_is_asked_for_words_and_days(server: Server, client: Client) -> None:
    find("scholar", server, client)
    assert server.asked("query") == ["relay baton", "relay baton"]
    assert server.asked("publicationDateOrYear")[0] == "2026-03-01:2026-03-31"
    assert server.asked("token") == ["", "AT2"]
    assert "x-api-key" not in server.questions[0].headers


def test_a_key_for_semantic_scholar_is_sent_with_each_question(server: Server, client: Client) -> None:
    find("scholar", server, client, key="s3cret")
    assert [question.headers["x-api-key"] for question in server.questions] == ["s3cret", "s3cret"]


def test_a_paper_of_semantic_scholar_has_every_field(server: Server, client: Client) -> None:
    first, second, third = find("scholar", server, client)
    address = "https://www.semanticscholar.org/paper/"
    assert first == Candidate(
        title="Batons, Part 1 of Many Parts", authors=("Hana Versuch", "Ivo Prueba"), abstract="We pass batons.",
        arxiv="2603.20001", announced=date(2026, 3, 8), links=(f"{address}{1:040x}",), sources=("semantic-scholar",),
        published="2026-03",
    )  # fmt: skip
    assert (second.arxiv, second.doi, second.venue) == ("", "10.5555/batons.2", "Relay Conference")
    assert third == Candidate(title="Batons, Part 3 of Many Parts", sources=("semantic-scholar",))


def test_a_token_that_comes_again_ends_the_questions(server: Server, client: Client) -> None:
    server.answers["/scholar"] = lambda rest, query: b'{"total": 9, "token": "AT2", "data": []}'
    with pytest.raises(OutOfReach, match=r"^semantic-scholar: pages in a circle$"):
        find("scholar", server, client)


# ------------------------------------------------------------- OpenReview


def test_openreview_is_asked_for_venues(server: Server, client: Client) -> None:
    source = OpenReview(server.at("/openreview"))
    assert len(list(source.find(client, asked(venues=("RELAY.cc/2026/Conference", "BATON.cc"))))) == len(NOTES)
    assert server.asked("content.venueid") == ["RELAY.cc/2026/Conference", "BATON.cc"]


def test_a_note_of_openreview_has_every_field(server: Server, client: Client) -> None:
    assert find("openreview", server, client)[0] == Candidate(
        title="Note 1 on the Passing of Batons", authors=("Jana Ensayo", "Kim Essai"), abstract="Batons are passed.",
        submitted=date(2026, 1, 10), announced=date(2026, 2, 10), venue="RELAY 2026 Poster",
        links=("https://openreview.net/forum?id=note1",), sources=("openreview",),
    )  # fmt: skip


def test_an_anonymous_note_has_no_authors_and_a_withdrawn_one_says_so(server: Server, client: Client) -> None:
    _, anonymous, withdrawn = find("openreview", server, client)
    assert (anonymous.authors, anonymous.withdrawn, withdrawn.withdrawn) == ((), False, True)


def test_openreview_wants_a_login(server: Server, client: Client) -> None:
    server.fail("/openreview", Fault(403), times=2)
    with pytest.raises(
        OutOfReach, match=r"^openreview: answered 403 to .*/openreview \(it wants the token of a login\)$"
    ):
        find("openreview", server, client)
    with pytest.raises(OutOfReach, match=r"\(it wants a token that is still valid\)$"):
        find("openreview", server, client, token="t0ken")
    find("openreview", server, client, token="t0ken")
    assert server.questions[-1].headers["Authorization"] == "Bearer t0ken"


# ------------------------------------------------------------- DBLP


def test_a_record_of_dblp_has_every_field(server: Server, client: Client) -> None:
    assert find("dblp", server, client)[0] == Candidate(
        title="Relays & Batons, Part 1", authors=("Lea Muestra", "Max D'Esempio"), doi="10.5555/relay.1", venue="RELAY",
        links=("https://doi.org/10.5555/relay.1", "https://dblp.org/rec/conf/relay/1"), sources=("dblp",),
    )  # fmt: skip


def test_one_author_and_two_venues_are_read_like_many(server: Server, client: Client) -> None:
    second = find("dblp", server, client)[1]
    assert (second.authors, second.venue) == (("Nora Sola",), "RELAY, BATON")


def test_a_preprint_at_dblp_has_an_arxiv_id_and_no_venue(server: Server, client: Client) -> None:
    last = find("dblp", server, client)[-1]
    assert (last.arxiv, last.doi, last.venue) == ("2603.30004", "", "")


def test_dblp_leaves_out_hits_of_other_years(server: Server, client: Client) -> None:
    assert [found.title[-1] for found in find("dblp", server, client)] == ["1", "2", "4"]


def test_no_hit_at_dblp_is_no_error(server: Server, client: Client) -> None:
    assert list(Dblp(server.at("/dblp")).find(client, asked(queries=("nothing",)))) == []


# ------------------------------------------------------------- Crossref


def test_crossref_is_asked_for_words_and_days(server: Server, client: Client) -> None:
    find("crossref", server, client)
    assert server.asked("query.bibliographic") == ["relay baton"]
    assert server.asked("filter") == ["from-pub-date:2026-03-01,until-pub-date:2026-03-31"]


def test_a_record_of_crossref_has_every_field(server: Server, client: Client) -> None:
    assert find("crossref", server, client)[0] == Candidate(
        title="Record 1 of Relays: A Study in Batons", authors=("Olga Vzor", "The Baton Group"),
        abstract="We pass batons & run.", arxiv="2603.40001", doi="10.5555/record.1", announced=date(2026, 3, 9),
        venue="Proceedings of Relays", links=("https://doi.org/10.5555/record.1",), sources=("crossref",),
        parted=("Vzor, Olga", "{The Baton Group}"), kind="inproceedings", published="2026-03",
    )  # fmt: skip


def test_a_record_of_crossref_that_was_retracted_is_withdrawn(server: Server, client: Client) -> None:
    assert [found.withdrawn for found in find("crossref", server, client)] == [False, True, False, False]


def test_a_record_with_little_in_it_is_read(server: Server, client: Client) -> None:
    assert find("crossref", server, client)[2] == Candidate(
        title="Record 3 of Relays", doi="10.5555/record.3", venue="Proceedings of Relays",
        links=("https://doi.org/10.5555/record.3",), sources=("crossref",), kind="inproceedings",
    )  # fmt: skip


def test_a_preprint_may_be_named_by_its_arxiv_id(server: Server, client: Client) -> None:
    assert find("crossref", server, client)[-1].arxiv == "2603.40005"


def test_of_the_works_that_resemble_a_query_those_that_do_so_most_are_taken(server: Server, client: Client) -> None:
    assert len(find("crossref", server, client, most=2)) == 2
    assert server.asked("rows") == ["2"]


def test_crossref_gives_the_facts_of_the_works_that_it_knows(server: Server, client: Client) -> None:
    dois = [
        "https://doi.org/10.5555/RECORD.1",
        "10.5555/unknown",
        "2603.00011",
        "10.48550/arXiv.2603.00011",
        "10.5555/record.2",
    ]
    found = Crossref(server.at("/crossref")).facts(client, dois)
    assert [one.doi for one in found] == ["10.5555/record.1", "10.5555/record.2"]
    assert [question.path for question in server.questions] == [
        f"/crossref/10.5555%2F{name}" for name in ("record.1", "unknown", "record.2")
    ]


def test_facts_that_crossref_cannot_give_now_are_an_error(server: Server, client: Client) -> None:
    server.fail("/crossref", Fault(403))
    with pytest.raises(OutOfReach, match=r"^crossref: answered 403"):
        list(Crossref(server.at("/crossref")).facts(client, ["10.5555/record.1"]))


# ------------------------------------------------------------- the ACL Anthology


def anthology(server: Server, client: Client) -> tuple[list[Candidate], str]:
    """The works of the years, and what is wrong after them."""
    found: list[Candidate] = []
    try:
        for work in AclAnthology(server.at("/anthology")).find(client, asked()):
            found.append(work)  # noqa: PERF402 - those before an error count too
    except OutOfReach as error:
        return found, str(error)
    return found, ""


def test_an_entry_of_the_anthology_has_every_field(server: Server, client: Client) -> None:
    assert anthology(server, client)[0][0] == Candidate(
        title="Words for Batons: Étude 1", authors=("Petra Pokus", "Quirin van der Staffel"),
        abstract="We name batons. Mail us @baton, or see 50% of the relay.", doi="10.18653/v1/2026.relay-long.1",
        venue="Proceedings of the Relay Conference (Volume 1: Long Papers)",
        links=("https://aclanthology.org/2026.relay-long.1/",), sources=("acl",),
        parted=("Pokus, Petra", "van der Staffel, Quirin"), kind="inproceedings", published="2026-07",
    )  # fmt: skip


def test_a_broken_entry_of_the_anthology_hides_no_other_and_is_named(server: Server, client: Client) -> None:
    line = ANTHOLOGY[: ANTHOLOGY.index("@inproceedings{broken")].count("\n") + 1
    found, wrong = anthology(server, client)
    assert [work.title for work in found] == ["Words for Batons: Étude 1", "A Journal of Batons"]
    assert wrong == f"acl: has 1 entry that cannot be read (line {line}); all others were"


def test_the_anthology_is_read_whether_or_not_the_server_has_decompressed_it(server: Server, client: Client) -> None:
    compressed = anthology(server, client)
    server.answers["/anthology"] = lambda rest, query: ANTHOLOGY.encode()
    client.forget("acl", server.at("/anthology"))
    assert anthology(server, client) == compressed


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (gzip.compress(ANTHOLOGY.encode(), mtime=0)[:-20], "gave a file that cannot be read"),
        (gzip.compress(ANTHOLOGY.encode(), mtime=0)[:30] + b"\0" * 30, "gave a file that cannot be read"),
        (b"<html>Moved</html>", "gave a file without an entry in BibTeX"),
        (b"@misc{long,\n" + b"a" * 1_000_001, "the entry in line 1 has more than 1 MB"),
    ],
    ids=["cut off", "filled with zeros", "another page", "one endless entry"],
)
def test_a_damaged_anthology_is_out_of_reach_and_not_kept(
    server: Server, client: Client, body: bytes, why: str, tmp_path: Path
) -> None:
    server.answers["/anthology"] = lambda rest, query: body
    assert why in anthology(server, client)[1]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_anthology_that_breaks_off_on_the_way_is_asked_for_again(server: Server, client: Client) -> None:
    server.fail("/anthology", CLOSED)
    assert len(anthology(server, client)[0]) == 2
