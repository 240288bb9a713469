"""RDF as written here, read by rdflib; and the hash of a trusty URI, held against a published nanopublication."""

from __future__ import annotations

import json
from datetime import date

import rdflib
from hypothesis import given
from hypothesis import strategies as st

from survey.literature.export.rdf import (
    PREFIXES,
    Graphs,
    Iri,
    Literal,
    Term,
    Triple,
    artifact_code,
    json_ld,
    literal,
    trig,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TRICKY = st.sampled_from(
    ["", '"', "\\", '\\"', "\n\r\t\b\f\x00\x1f\x7f", "a\\u0041", '"""', "'", "\u2028\ufeff", "𝔸", "<b>&"]
)
PREFIX = st.sampled_from([*PREFIXES.values()])
LOCAL = st.text("ab9-_.~%:/#'()é", max_size=8)
IRIS = st.one_of(
    st.builds(lambda base, local: Iri(base + local), PREFIX, LOCAL),
    st.builds(lambda path: Iri(f"https://example.org/{path}"), TEXT),
)
TERMS: st.SearchStrategy[Term] = st.one_of(
    IRIS,
    st.one_of(TEXT, TRICKY, st.integers(), st.booleans(), st.dates()).map(literal),
)
TRIPLES = st.lists(st.tuples(IRIS, IRIS, TERMS), min_size=1, max_size=6)


def as_rdflib(term: Term) -> rdflib.term.Node:
    if isinstance(term, Iri):
        return rdflib.URIRef(term)
    return rdflib.Literal(term.text, datatype=rdflib.XSD[term.datatype])


def plain(term: rdflib.term.Node) -> rdflib.term.Node:
    """A literal with its type: in RDF 1.1 one without a type is a string."""
    if isinstance(term, rdflib.Literal) and term.datatype is None:
        return rdflib.Literal(str(term), datatype=rdflib.XSD.string)
    return term


@given(st.dictionaries(IRIS, TRIPLES, min_size=1, max_size=3))
def test_whatever_the_terms_another_program_reads_the_same_graphs(graphs: Graphs) -> None:
    read = rdflib.Dataset()
    read.parse(data=trig(graphs, PREFIXES), format="trig")
    found = {(str(c), s, p, plain(o)) for s, p, o, c in read.quads((None, None, None, None))}
    assert found == {(str(g), *map(as_rdflib, triple)) for g, triples in graphs.items() for triple in triples}


@given(TRIPLES)
def test_the_default_graph_alone_is_turtle(triples: list[tuple[Iri, Iri, Term]]) -> None:
    read = rdflib.Graph().parse(data=trig({Iri(""): triples}, PREFIXES), format="turtle")
    assert {(s, p, plain(o)) for s, p, o in read} == {tuple(map(as_rdflib, triple)) for triple in triples}


# a property that is an address of its own must not look like a keyword or a prefix of the context
NAMED = st.builds(lambda base, local: Iri(base + local), PREFIX, st.text("abcXYZ", min_size=1, max_size=6))


@given(st.lists(st.tuples(IRIS, NAMED, TERMS), min_size=1, max_size=6))
def test_json_ld_states_the_same_triples_and_needs_no_other_file(triples: list[tuple[Iri, Iri, Term]]) -> None:
    document = json_ld(triples, PREFIXES)
    assert all(isinstance(base, str) for base in document["@context"].values())
    read = rdflib.Graph().parse(data=json.dumps(document), format="json-ld")
    assert {(s, p, plain(o)) for s, p, o in read} == {tuple(map(as_rdflib, triple)) for triple in triples}


def test_an_address_that_would_end_its_brackets_is_percent_encoded() -> None:
    assert Iri("https://x.org/a b>{<é") == "https://x.org/a%20b%3E%7B%3Cé"


NP, DCT, NPX, PROV = PREFIXES["np"], PREFIXES["dct"], "http://purl.org/nanopub/x/", PREFIXES["prov"]
WHOLE = "http://example.org/nanopub-validator-example/"
CODE = "RAPpJU5UOB4pavfWyk7FE3WQiam5yBpmIlviAQWtBSC4M"


def published(code: str) -> Graphs:
    """The example trusty1 from the test suite of nanopub-java, whose address holds its hash."""
    this = Iri(WHOLE + code)
    head, assertion, provenance, info = (Iri(f"{this}#{p}") for p in ("Head", "assertion", "provenance", "pubinfo"))
    kind = Iri(f"{PREFIXES['rdf']}type")
    return {
        info: [
            (this, Iri(f"{DCT}created"), Literal("2014-07-29T10:13:35+01:00", "dateTime")),
            (this, Iri("http://purl.org/pav/createdBy"), Iri("http://orcid.org/0000-0002-1267-0234")),
            (this, kind, Iri(f"{NPX}ExampleNanopub")),
        ],
        head: [
            (this, Iri(f"{NP}hasAssertion"), assertion),
            (this, Iri(f"{NP}hasProvenance"), provenance),
            (this, Iri(f"{NP}hasPublicationInfo"), info),
            (this, kind, Iri(f"{NP}Nanopublication")),
        ],
        assertion: [
            (assertion, Iri(f"{NPX}asSentence"), Iri("http://purl.org/aida/Malaria+is+transmitted+by+mosquitoes.")),
            (assertion, kind, Iri(f"{NPX}UnderspecifiedAssertion")),
        ],
        provenance: [(assertion, Iri(f"{PROV}hadPrimarySource"), Iri("http://dx.doi.org/10.3233/ISU-2010-0613"))],
    }


def test_the_hash_of_a_published_nanopublication_is_the_one_in_its_address() -> None:
    assert artifact_code(published("RA@@"), "RA@@") == CODE
    assert artifact_code(published(CODE), CODE) == CODE


def test_the_hash_changes_with_a_type_and_not_with_the_order() -> None:
    one, two = Iri("https://example.org/a"), Iri("https://example.org/b")
    triples: list[Triple] = [(one, two, literal("2026-05-04")), (two, one, literal(7)), (one, one, two)]
    code = artifact_code({one: triples}, "@@")
    assert artifact_code({one: triples[::-1]}, "@@") == code
    assert artifact_code({one: [(one, two, literal(date(2026, 5, 4))), *triples[1:]]}, "@@") != code
    assert artifact_code({two: triples}, "@@") != code
