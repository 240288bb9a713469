"""A server on this machine that answers as the services document it, with works that were made up for these tests.

It can be told to fail: see ``Fault``. It notes every question that it is asked.
"""

from __future__ import annotations

import gzip
import json
import socket
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Query = Mapping[str, str]
Answer = Callable[[str, Query], bytes | None]
"""Gives the body for what follows the path, and for a query; None if there is nothing."""


@dataclass(frozen=True)
class Question:
    """What the server was asked."""

    path: str
    query: Query
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of an answer: a status, or what is named here."""

    status: int = 0
    headers: Query = field(default_factory=dict)
    how: str = ""
    """One of "cut off", "closed", "silent", "changed"."""

    old: bytes = b""
    new: bytes = b""
    """For "changed": which bytes of the answer are others."""


CUT_OFF, CLOSED, SILENT = Fault(how="cut off"), Fault(how="closed"), Fault(how="silent")
BUSY = Fault(429, {"Retry-After": "0"})


def changed(old: bytes, new: bytes) -> Fault:
    return Fault(how="changed", old=old, new=new)


class Server:
    """The services, each below a path of its own."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.answers: dict[str, Answer] = dict(SERVICES)
        self.etags: dict[str, str] = {}
        self.faults: defaultdict[str, list[Fault]] = defaultdict(list)
        self.closing = Event()
        self.address = ""

    def fail(self, path: str, fault: Fault, times: int = 1) -> None:
        """Fail for the next questions to a path."""
        self.faults[path] += [fault] * times

    def at(self, path: str) -> str:
        return self.address + path

    def asked(self, name: str) -> list[str]:
        """Return what a parameter was in each question."""
        return [question.query.get(name, "") for question in self.questions]


@contextmanager
def serving() -> Iterator[Server]:
    """Serve until the block ends."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, server)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


def _answer(handler: BaseHTTPRequestHandler, server: Server) -> None:
    parts = urlsplit(handler.path)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    server.questions.append(Question(parts.path, query, dict(handler.headers)))
    path = next((path for path in server.answers if parts.path == path or parts.path.startswith(f"{path}/")), "")
    fault = server.faults[path].pop(0) if server.faults[path] else Fault()
    body = server.answers[path](unquote(parts.path.removeprefix(path).lstrip("/")), query) if path else None
    if fault.how == "silent":
        server.closing.wait(10)
    if fault.how in ("silent", "closed"):
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)
        return
    if fault.how == "changed":
        assert body is not None and fault.old in body, body
        body = body.replace(fault.old, fault.new)
    etag = server.etags.get(path, "")
    status = fault.status or (404 if body is None else 200)
    if status == 200 and etag and handler.headers.get("If-None-Match") == etag:
        status = 304
    body = (body or b"") if status == 200 else b""
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **({"ETag": etag} if etag else {}), **fault.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    if fault.how == "cut off":
        handler.wfile.write(body[: len(body) // 2])
        handler.close_connection = True
        return
    handler.wfile.write(body)


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


# ------------------------------------------------------------- arXiv

ARXIV_WORKS = [
    """<entry>
    <id>http://arxiv.org/abs/2603.00011v2</id>
    <updated>2026-03-12T09:00:00Z</updated>
    <published>2026-03-02T17:59:01Z</published>
    <title>Relay Races for
  Small Agents</title>
    <summary>  We hand work on when p &lt; 0.5 and q &gt; 2.
  It helps.
    </summary>
    <author><name>Ada Beispiel</name><arxiv:affiliation>Nowhere</arxiv:affiliation></author>
    <author><name>Bob O'Muster</name></author>
    <arxiv:doi>10.5555/relay.2026</arxiv:doi>
    <link title="doi" href="http://dx.doi.org/10.5555/relay.2026" rel="related"/>
    <arxiv:comment>12 pages</arxiv:comment>
    <arxiv:journal_ref>Journal of Relays 3 (2026)</arxiv:journal_ref>
    <link href="http://arxiv.org/abs/2603.00011v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2603.00011v2" rel="related" type="application/pdf"/>
    <arxiv:primary_category term="cs.MA" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.AI" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.MA" scheme="http://arxiv.org/schemas/atom"/>
    <category term="I.2.11; 68T42" scheme="http://arxiv.org/schemas/atom"/>
  </entry>""",
    """<entry>
    <id>http://arxiv.org/abs/2603.00022v3</id>
    <updated>2026-03-20T09:00:00Z</updated>
    <published>2026-03-03T00:10:00Z</published>
    <title>A Claim That Did Not Hold</title>
    <summary>We claimed too much.</summary>
    <author><name>Carla Exempel</name></author>
    <arxiv:comment>This paper has been withdrawn by the author due to an error in Lemma 2</arxiv:comment>
    <link href="http://arxiv.org/abs/2603.00022v3" rel="alternate" type="text/html"/>
    <arxiv:primary_category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
  </entry>""",
    """<entry>
    <id>http://arxiv.org/abs/cs/0603007v1</id>
    <published>2006-03-03T00:10:00Z</published>
    <title>An Id of Former Days</title>
    <summary>Old.</summary>
    <author><name>Dora Model</name></author>
    <link href="http://arxiv.org/abs/cs/0603007v1" rel="alternate" type="text/html"/>
    <arxiv:primary_category term="cs.MA" scheme="http://arxiv.org/schemas/atom"/>
  </entry>""",
]


def atom(entries: Sequence[str], total: int) -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <title type="html">ArXiv Query: search_query=...</title>
  <id>http://arxiv.org/api/made-up</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">{total}</opensearch:totalResults>
  {"".join(entries)}
</feed>""".encode()


def arxiv(_: str, query: Query) -> bytes:
    if ids := query.get("id_list"):
        found = [entry for entry in ARXIV_WORKS if any(f"abs/{one}v" in entry for one in ids.split(","))]
        return atom(found, len(found))
    start, most = int(query["start"]), int(query["max_results"])
    return atom(ARXIV_WORKS[start : start + most], len(ARXIV_WORKS))


ARXIV_ERROR = atom(
    [
        """<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title>
        <summary>incorrect id format for nonsense</summary></entry>"""
    ],
    1,
)

# ------------------------------------------------------------- feeds

ARXIV_FEED = b"""<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0"><channel>
<title>cs.MA updates on arXiv.org</title>
<item><title>Relay Races for Small Agents</title><link>https://arxiv.org/abs/2603.00011</link>
<description>arXiv:2603.00011v1 Announce Type: new
Abstract: We hand work on when p &lt; 0.5 and q &gt; 2. It helps.</description>
<guid isPermaLink="false">oai:arXiv.org:2603.00011v1</guid><category>cs.MA</category><category>cs.AI</category>
<pubDate>Wed, 04 Mar 2026 00:00:00 -0500</pubDate><arxiv:announce_type>new</arxiv:announce_type>
<dc:creator>Ada Beispiel, Bob O'Muster</dc:creator></item>
<item><title>A Work That Was Replaced</title><link>https://arxiv.org/abs/2501.00001</link>
<guid isPermaLink="false">oai:arXiv.org:2501.00001v4</guid>
<pubDate>Wed, 04 Mar 2026 00:00:00 -0500</pubDate><arxiv:announce_type>replace</arxiv:announce_type></item>
</channel></rss>"""

COMPANY_FEED = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>News of a company</title>
<entry><id>tag:company.example,2026:1</id><title type="html">Teams &amp;amp; &lt;em&gt;Tools&lt;/em&gt;</title>
<link href="https://company.example/teams"/><published>2026-03-05T08:00:00Z</published>
<author><name>The Company</name></author><summary type="html">&lt;p&gt;A post.&lt;/p&gt;</summary></entry>
<entry><id>tag:company.example,2025:9</id><title>A Post of the Year Before</title>
<link href="https://company.example/old"/><published>2025-03-05T08:00:00Z</published></entry></feed>"""

FORMER_RSS = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://venue.example/"/>
<item rdf:about="https://venue.example/7"><title>A Talk on Teams</title><link>https://venue.example/7</link>
<description>&lt;p&gt;With &lt;b&gt;demos&lt;/b&gt;. Abstract: none.&lt;/p&gt;</description>
<dc:creator>Emil Muster</dc:creator><dc:date>2026-03-06T10:00:00+01:00</dc:date></item></rdf:RDF>"""

# ------------------------------------------------------------- OpenAlex


def openalex_work(number: int, **others: object) -> dict[str, object]:
    """A work of OpenAlex with the fields that we ask for."""
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.5555/cites.{number}",
        "title": f"The {number}th Work that Cites Relays",
        "publication_date": "2026-03-07",
        "authorships": [
            {"author_position": "first", "author": {"id": "https://openalex.org/A1", "display_name": "Finn Probe"}},
            {"author_position": "last", "author": {"id": "https://openalex.org/A2", "display_name": "Gita Test"}},
        ],
        "abstract_inverted_index": {"Relays": [0], "pass": [1, 3], "and": [2], "Batons.": [4]},
        "primary_location": {
            "landing_page_url": f"https://doi.org/10.5555/cites.{number}",
            "pdf_url": None,
            "source": {"id": "https://openalex.org/S1", "display_name": "Proceedings of Relays", "type": "conference"},
        },
        "locations": [
            {"landing_page_url": f"https://doi.org/10.5555/cites.{number}", "pdf_url": None, "source": None},
            {
                "landing_page_url": f"http://arxiv.org/abs/2603.1{number:04}",
                "pdf_url": f"https://arxiv.org/pdf/2603.1{number:04}",
                "source": {"display_name": "arXiv (Cornell University)", "type": "repository"},
            },
        ],
        "is_retracted": False,
        **others,
    }


OPENALEX_WORKS = [
    openalex_work(1),
    openalex_work(2, is_retracted=True),
    openalex_work(
        3,
        doi=None,
        publication_date="2026-01-01",
        authorships=[],
        abstract_inverted_index=None,
        primary_location={"source": {"display_name": "arXiv (Cornell University)", "type": "repository"}},
        locations=[{"landing_page_url": "https://doi.org/10.48550/arXiv.2603.10003", "pdf_url": None, "source": None}],
    ),
    openalex_work(4, title=None),
    openalex_work(5, primary_location=None),
]
OPENALEX_IDS = {"10.48550/arXiv.2601.00001": "W9001", "10.5555/relay.2026": "W9002"}


def openalex(_: str, query: Query) -> bytes:
    filters = dict(part.split(":", 1) for part in query["filter"].split(","))
    found: list[Mapping[str, object]]
    if query["select"] == "id":
        found = [
            {"id": f"https://openalex.org/{OPENALEX_IDS[doi]}"}
            for doi in filters["doi"].split("|")
            if doi in OPENALEX_IDS
        ]
    elif "doi" in filters:
        found = [
            work
            for work in OPENALEX_WORKS
            if str(work["doi"]).removeprefix("https://doi.org/") in filters["doi"].split("|")
        ]
    else:
        found = list(OPENALEX_WORKS)
    size = int(query["per_page"])
    if "cursor" in query:
        start = 0 if query["cursor"] == "*" else int(query["cursor"].removeprefix("place-"))
        after = f"place-{start + size}" if start + size < len(found) else None
        meta = {"count": len(found), "per_page": size, "page": None, "next_cursor": after}
    else:
        start = (int(query["page"]) - 1) * size
        meta = {"count": len(found), "per_page": size, "page": int(query["page"])}
    return as_json({"meta": meta, "results": found[start : start + size], "group_by": []})


# ------------------------------------------------------------- Semantic Scholar


def scholar_paper(number: int, **others: object) -> dict[str, object]:
    """A paper of Semantic Scholar with the fields that we ask for."""
    return {
        "paperId": f"{number:040x}",
        "externalIds": {"ArXiv": f"2603.2{number:04}", "DOI": f"10.48550/arXiv.2603.2{number:04}", "CorpusId": number},
        "url": f"https://www.semanticscholar.org/paper/{number:040x}",
        "title": f"Batons, Part {number} of Many Parts",
        "abstract": "We pass\n batons.",
        "venue": "arXiv.org",
        "publicationDate": "2026-03-08",
        "authors": [{"authorId": "1", "name": "Hana Versuch"}, {"authorId": None, "name": "Ivo Prueba"}],
        **others,
    }


SCHOLAR_PAPERS = [
    scholar_paper(1),
    scholar_paper(2, externalIds={"DOI": "10.5555/batons.2", "CorpusId": 2}, venue="Relay Conference"),
    scholar_paper(3, externalIds=None, publicationDate=None, authors=[], abstract=None, venue="", url=None),
]


def scholar_paper_of(rest: str, _: Query) -> bytes | None:
    """Answer what is asked of one paper, by an id of its own or elsewhere."""
    for paper in SCHOLAR_PAPERS:
        others = paper["externalIds"] or {}
        assert isinstance(others, dict)
        if rest in (paper["paperId"], f"ARXIV:{others.get('ArXiv')}", f"DOI:{others.get('DOI')}"):
            return as_json({**paper, "publicationTypes": ["JournalArticle", "Conference"]})
    return None


def semantic_scholar(_: str, query: Query) -> bytes:
    start = int(query.get("token", "AT0").removeprefix("AT"))
    page = {"total": len(SCHOLAR_PAPERS), "data": SCHOLAR_PAPERS[start : start + 2]}
    return as_json({**page, "token": f"AT{start + 2}" if start + 2 < len(SCHOLAR_PAPERS) else None})


# ------------------------------------------------------------- OpenReview


def note(number: int, **others: object) -> dict[str, object]:
    """A note of OpenReview, of the second version of its API."""
    content = {
        "title": {"value": f"Note {number} on the Passing of Batons"},
        "authors": {"value": ["Jana Ensayo", "Kim Essai"]},
        "authorids": {"value": ["~Jana_Ensayo1", "~Kim_Essai1"]},
        "abstract": {"value": "Batons\nare passed."},
        "venue": {"value": "RELAY 2026 Poster"},
        "venueid": {"value": "RELAY.cc/2026/Conference"},
        "pdf": {"value": "/pdf/0.pdf"},
    }
    return {
        "id": f"note{number}",
        "forum": f"note{number}",
        "invitations": ["RELAY.cc/2026/Conference/-/Submission"],
        "cdate": 1768046400000,  # 2026-01-10, noon
        "tcdate": 1768046400000,
        "odate": 1770724800000,  # 2026-02-10, noon
        "pdate": 1773144000000,  # 2026-03-10, noon
        "content": content | others,
    }


NOTES = [
    note(1),
    note(2, authors={}),
    note(3, venueid={"value": "RELAY.cc/2026/Conference/Withdrawn_Submission"}, venue={"value": "Withdrawn"}),
]


def openreview(_: str, query: Query) -> bytes:
    if "id" in query:
        return as_json({"notes": [note for note in NOTES if note["id"] == query["id"]]})
    start, most = int(query["offset"]), int(query["limit"])
    found = NOTES if query["content.venueid"].startswith("RELAY") else []
    return as_json({"notes": found[start : start + most], "count": len(found)})


# ------------------------------------------------------------- DBLP


def hit(number: int, **others: object) -> dict[str, object]:
    """A hit of DBLP's search."""
    info = {
        "authors": {
            "author": [{"@pid": "1/1", "text": "Lea Muestra 0001"}, {"@pid": "2/2", "text": "Max D&apos;Esempio"}]
        },
        "title": f"Relays &amp; Batons, Part {number}.",
        "venue": "RELAY",
        "pages": "1-9",
        "year": "2026",
        "type": "Conference and Workshop Papers",
        "access": "open",
        "key": f"conf/relay/{number}",
        "doi": f"10.5555/RELAY.{number}",
        "ee": f"https://doi.org/10.5555/relay.{number}",
        "url": f"https://dblp.org/rec/conf/relay/{number}",
    }
    return {"@score": "3", "@id": str(number), "info": info | others, "url": f"URL#{number}"}


HITS = [
    hit(1),
    hit(2, authors={"author": {"@pid": "3/3", "text": "Nora Sola"}}, venue=["RELAY", "BATON"]),
    hit(3, year="2019"),
    hit(4, venue="CoRR", doi="10.48550/ARXIV.2603.30004", ee="https://doi.org/10.48550/arXiv.2603.30004"),
]


def dblp(_: str, query: Query) -> bytes:
    found = HITS if query["q"] == "relay baton" else []
    start, most = int(query["f"]), int(query["h"])
    sent = found[start : start + most]
    hits: dict[str, object] = {
        "@total": str(len(found)),
        "@computed": "4",
        "@sent": str(len(sent)),
        "@first": str(start),
    }
    if sent:
        hits["hit"] = sent
    status = {"@code": "200", "text": "OK"}
    return as_json(
        {"result": {"query": query["q"], "status": status, "time": {"@unit": "msecs", "text": "1"}, "hits": hits}}
    )


# ------------------------------------------------------------- Crossref


def record(number: int, **others: object) -> dict[str, object]:
    """A record of Crossref."""
    return {
        "DOI": f"10.5555/Record.{number}",
        "type": "proceedings-article",
        "title": [f"Record {number} of <i>Relays</i>"],
        "subtitle": ["A Study in Batons"],
        "author": [
            {"given": "Olga", "family": "Vzor", "sequence": "first", "affiliation": []},
            {"name": "The Baton Group", "sequence": "additional", "affiliation": []},
        ],
        "abstract": "<jats:title>Abstract</jats:title><jats:p>We pass <jats:italic>batons</jats:italic> &amp; run.</jats:p>",
        "container-title": ["Proceedings of Relays"],
        "issued": {"date-parts": [[2026, 3]]},
        "published-online": {"date-parts": [[2026, 3, 9]]},
        "published-print": {"date-parts": [[2026, 4, 1]]},
        "relation": {
            "has-preprint": [{"id-type": "doi", "id": f"10.48550/arXiv.2603.4{number:04}", "asserted-by": "subject"}]
        },
        "URL": f"https://doi.org/10.5555/record.{number}",
        "reference": [{"key": "1", "DOI": "10.5555/older"}],
        **others,
    }


RECORDS = [
    record(1),
    record(
        2, **{"updated-by": [{"type": "retraction", "DOI": "10.5555/notice", "label": "Retraction"}], "relation": {}}
    ),
    record(
        3, subtitle=[], abstract=None, author=None, issued={"date-parts": [[None]]}, relation={"is-preprint-of": "odd"}
    )
    | {"published-online": None, "published-print": None},
    record(4, title=[]),
    record(5, relation={"has-preprint": [{"id-type": "arxiv", "id": "2603.40005v2", "asserted-by": "subject"}]}),
]


def crossref(rest: str, query: Query) -> bytes | None:
    if rest:
        found = [one for one in RECORDS if str(one["DOI"]).lower() == rest]
        return (
            as_json({"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": found[0]})
            if found
            else None
        )
    start, most = int(query["offset"]), int(query["rows"])
    matching = RECORDS if query["query.bibliographic"] == "relay baton" else []
    message = {
        "facets": {},
        "total-results": len(matching),
        "items": matching[start : start + most],
        "items-per-page": most,
    }
    return as_json({"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message})


# ------------------------------------------------------------- the ACL Anthology

ANTHOLOGY = r"""% https://aclanthology.org/anthology+abstracts.bib.gz generated on 2026-03-20

@proceedings{relay-2026-long,
    title = "Proceedings of the Relay Conference",
    editor = "Vzor, Olga",
    month = jul,
    year = "2026",
    url = "https://aclanthology.org/2026.relay-long.0/"
}
@inproceedings{pokus-etal-2026-words,
    title = "Words for {B}atons: {\'E}tude 1",
    author = "Pokus, Petra  and
      van der Staffel, Quirin",
    editor = "Vzor, Olga",
    booktitle = "Proceedings of the Relay Conference (Volume 1: Long Papers)",
    month = jul,
    year = "2026",
    address = "Nowhere",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/2026.relay-long.1/",
    doi = "10.18653/v1/2026.relay-long.1",
    pages = "1--12",
    ISBN = "000-0-000000-00-0",
    abstract = "We name batons. Mail us @baton, or see 50{\%} of
      the \textit{relay}."
}
@inproceedings{broken-2026-entry,
    title = "An Entry without an End,
    author = "Nobody, Nora",
    year = "2026",
@article{rana-2026-journal,
    title = "A Journal of Batons",
    author = "Rana, Ravi",
    journal = "Computational Relays",
    volume = "52",
    year = "2026",
    url = "https://aclanthology.org/2026.cr-1.1/"
}
@inproceedings{old-2019-words,
    title = "Words of Old",
    author = "Old, Otto",
    year = "2019",
    url = "https://aclanthology.org/W19-0001/"
}
"""


def anthology(_: str, query: Query) -> bytes:
    return gzip.compress(ANTHOLOGY.encode(), mtime=0)


DBLP_RECORD = r"""@inproceedings{DBLP:conf/relay/MuestraD26,
  author       = {Lea Muestra and
                  Max D'Esempio},
  title        = {Relays {\&} {B}atons, Part 1.},
  booktitle    = {Proceedings of the Relay Conference, {RELAY} 2026},
  year         = {2026},
  url          = {https://doi.org/10.5555/relay.1},
  doi          = {10.5555/RELAY.1}
}
"""


def dblp_record(rest: str, _: Query) -> bytes | None:
    return DBLP_RECORD.encode() if rest == "conf/relay/MuestraD26.bib" else None


def anthology_entry(rest: str, _: Query) -> bytes | None:
    entry = ANTHOLOGY[ANTHOLOGY.index("@inproceedings{pokus") : ANTHOLOGY.index("@inproceedings{broken")]
    return entry.encode() if rest == "2026.relay-long.1.bib" else None


PAGE = """<!DOCTYPE html><html><head><title>Relays | A Venue</title>
<meta name="citation_title" content="Relays of LLMs &amp; People"/>
<meta name="citation_author" content="García Márquez, Gabriel"><meta name="citation_author" content="Vzor, Olga">
<meta name="citation_publication_date" content="2026/3/9"><meta name="citation_conference_title" content="RELAY">
</head><body><meta name="citation_pages">No work.</body></html>"""


SERVICES: Mapping[str, Answer] = {
    "/arxiv": arxiv,
    "/feed-arxiv": lambda rest, query: ARXIV_FEED,
    "/feed-company": lambda rest, query: COMPANY_FEED,
    "/feed-former": lambda rest, query: FORMER_RSS,
    "/openalex": openalex,
    "/scholar": semantic_scholar,
    "/scholar-paper": scholar_paper_of,
    "/openreview": openreview,
    "/dblp": dblp,
    "/dblp-record": dblp_record,
    "/crossref": crossref,
    "/anthology": anthology,
    "/anthology-entry": anthology_entry,
    "/page": lambda rest, query: PAGE.encode() if rest == "7" else b"<p>No tags.</p>" if rest == "8" else None,
    "/plain": lambda rest, query: b"plain answer",
}
