"""RDF: triples in named graphs, written as TriG and as JSON-LD, with the hash of a trusty URI.

Only what this survey writes: no blank nodes, no language tags, no collections. Contexts of JSON-LD are in the file:
a reader needs no other host.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from typing import Any

XSD = "http://www.w3.org/2001/XMLSchema#"

PREFIXES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "np": "http://www.nanopub.org/nschema#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "https://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": XSD,
}


class Iri(str):
    """An IRI. Characters that no IRI may hold are percent-encoded."""

    __slots__ = ()

    def __new__(cls, text: str) -> Iri:
        """Return the IRI of an address as it was typed."""
        return super().__new__(cls, FORBIDDEN.sub(_percent, text))


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, as text and the name of its type in XML Schema."""

    text: str
    datatype: str = "string"


Term = Iri | Literal
Triple = tuple[Iri, Iri, Term]
Graphs = Mapping[Iri, Sequence[Triple]]
"""Triples by the name of their graph."""

FORBIDDEN = re.compile(r"[\x00-\x20<>\"{}|^`\\\x7f-\x9f\ud800-\udfff]")
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
ESCAPED = re.compile(r"[\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
LOCAL = re.compile(r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?")
"""Local names that need no escape anywhere; all others are written as whole IRIs."""

BARE = {
    "integer": re.compile(r"[+-]?[0-9]+"),
    "boolean": re.compile("true|false"),
}
"""Types whose values TriG and JSON have a notation for, and how they look."""


@cache
def name(prefixed: str) -> Iri:
    """Return the IRI of a prefixed name.

    >>> name("prov:used")
    'http://www.w3.org/ns/prov#used'
    """
    prefix, _, local = prefixed.partition(":")
    return Iri(PREFIXES[prefix] + local)


def literal(value: str | int | bool | date) -> Literal:
    """Return a value with its type.

    >>> literal(True), literal(date(2026, 5, 4))
    (Literal(text='true', datatype='boolean'), Literal(text='2026-05-04', datatype='date'))
    """
    if isinstance(value, bool):
        return Literal("true" if value else "false", "boolean")
    if isinstance(value, int):
        return Literal(str(value), "integer")
    return Literal(value.isoformat(), "date") if isinstance(value, date) else Literal(value)


# ------------------------------------------------------------------ TriG


def trig(graphs: Graphs, prefixes: Mapping[str, str]) -> str:
    """Return graphs as TriG. The graph with the empty name is the default graph: alone it is Turtle."""
    lines = [f"@prefix {prefix}: <{Iri(base)}> ." for prefix, base in prefixes.items()]
    written = cache(partial(_written, prefixes=prefixes))
    for graph, triples in graphs.items():
        indent = "  " if graph else ""
        lines += ["", f"{written(graph)} {{"] if graph else [""]
        for subject, found in _by_subject(triples).items():
            lines.append(indent + written(subject))
            stated = [
                f"{indent}  {written(predicate)} {', '.join(map(written, values))}"
                for predicate, values in found.items()
            ]
            lines += [f"{line} ;" for line in stated[:-1]] + [f"{stated[-1]} ."]
        lines += ["}"] if graph else []
    return "\n".join(lines) + "\n"


def _written(term: Term, prefixes: Mapping[str, str]) -> str:
    if isinstance(term, Iri):
        for prefix, base in prefixes.items():
            if term.startswith(base) and LOCAL.fullmatch(term[len(base) :]):
                return f"{prefix}:{term[len(base) :]}"
        return f"<{term}>"
    if term.datatype in BARE and BARE[term.datatype].fullmatch(term.text):
        return term.text
    text = f'"{ESCAPED.sub(_escape, term.text)}"'
    return text if term.datatype == "string" else f"{text}^^{_written(Iri(XSD + term.datatype), prefixes)}"


def _escape(found: re.Match[str]) -> str:
    return ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}"


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))


def _by_subject(triples: Iterable[Triple]) -> dict[Iri, dict[Iri, list[Term]]]:
    out: dict[Iri, dict[Iri, list[Term]]] = {}
    for subject, predicate, value in dict.fromkeys(triples):
        out.setdefault(subject, {}).setdefault(predicate, []).append(value)
    return out


# ------------------------------------------------------------------ JSON-LD


def json_ld(triples: Iterable[Triple], prefixes: Mapping[str, str]) -> dict[str, Any]:
    """Return triples as a JSON-LD document: an object for each subject, the terms of schema.org without a prefix."""
    used = {prefix: base for prefix, base in prefixes.items() if prefix != "schema"}
    nodes = []
    for subject, found in _by_subject(triples).items():
        node: dict[str, Any] = {"@id": subject}
        for predicate, values in found.items():
            if predicate == name("rdf:type"):
                key, shown = "@type", [_key(value, prefixes) for value in values if isinstance(value, Iri)]
            else:
                key, shown = _key(predicate, prefixes), [_value(value) for value in values]
            node[key] = shown[0] if len(shown) == 1 else shown
        nodes.append(node)
    return {"@context": {"@vocab": PREFIXES["schema"], **used}, "@graph": nodes}


def _key(iri: Iri, prefixes: Mapping[str, str]) -> str:
    for prefix, base in prefixes.items():
        if iri.startswith(base) and LOCAL.fullmatch(local := iri[len(base) :]):
            return local if prefix == "schema" else f"{prefix}:{local}"
    return iri


def _value(term: Term) -> Any:
    if isinstance(term, Iri):
        return {"@id": term}
    if term.datatype == "boolean":
        return term.text == "true"
    if term.datatype == "integer":
        return int(term.text)
    return term.text if term.datatype == "string" else {"@value": term.text, "@type": f"xsd:{term.datatype}"}


# ------------------------------------------------------------------ trusty URIs


def artifact_code(graphs: Graphs, placeholder: str) -> str:
    """Return the artifact code of graphs whose IRIs hold a placeholder in its place: module RA of trusty URIs.

    The code changes with every triple, so that an IRI with it can be checked against the graphs that it names.
    """
    rows = {
        (graph.replace(placeholder, " "), *_sortable(triple, placeholder))
        for graph, triples in graphs.items()
        for triple in triples
    }
    lines = "".join(map(_hashed, sorted(rows)))
    digest = hashlib.sha256(lines.encode()).digest()
    return "RA" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _sortable(triple: Triple, placeholder: str) -> tuple[str, str, bool, str, str]:
    subject, predicate = (iri.replace(placeholder, " ") for iri in triple[:2])
    value = triple[2]
    if isinstance(value, Iri):
        return subject, predicate, False, value.replace(placeholder, " "), ""
    return subject, predicate, True, value.text, XSD + value.datatype


def _hashed(row: tuple[str, str, str, bool, str, str]) -> str:
    graph, subject, predicate, is_literal, text, datatype = row
    if is_literal:
        text = f"^{datatype} " + text.replace("\\", "\\\\").replace("\n", "\\n")
    return f"{graph}\n{subject}\n{predicate}\n{text}\n"
