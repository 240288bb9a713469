"""The terms for claims that no other vocabulary has, and the statuses of a claim."""

from __future__ import annotations

import re
from collections.abc import Callable

from survey.literature.claims import SIGNS
from survey.literature.export.rdf import Iri, Triple, literal, name

TERMS = {
    "status": "The status of a claim in an edition, one of the concepts of this vocabulary.",
    "edition": "The day of the edition that was judged.",
    "data": "The fingerprint of the entries and excluded records of that edition.",
    "counts": "What is counted for a claim, and what the number must be.",
    "limit": "What a claim does not say.",
    "wouldChange": "What would change a claim.",
    "result": "A count behind a verdict, by one reading.",
    "of": "The number of works that a count selects from.",
    "passes": "Whether a count passes the test of its claim.",
    "counted": "A work that a count counts.",
    "comparedWith": "A work behind the number with which a count is compared.",
    "since": "Since when a claim no longer holds.",
    "because": "A work because of which a claim no longer holds.",
}


def definitions(term: Callable[[str], Iri]) -> list[Triple]:
    """Return the definition of each term, and a concept for each status; ``term`` gives the IRI of a name."""
    out: list[Triple] = []
    for label, words in TERMS.items():
        out.append((term(label), name("rdf:type"), name("rdf:Property")))
        out.append((term(label), name("rdfs:label"), literal(label)))
        out.append((term(label), name("rdfs:comment"), literal(words)))
    for status in SIGNS:
        out.append((term(slug(status)), name("rdf:type"), name("skos:Concept")))
        out.append((term(slug(status)), name("skos:prefLabel"), literal(str(status))))
    return out


def slug(status: str) -> str:
    """Return the name of a status in the vocabulary.

    >>> slug("holds, read once")
    'holds-read-once'
    """
    return re.sub(r"[^a-z0-9]+", "-", status.lower()).strip("-")
