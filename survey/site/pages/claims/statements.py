"""A claim as statements for machines: what is claimed, its verdict and counts, and where these come from.

The same triples are the JSON-LD of the claim's page and its nanopublication. Addresses are those of the site. A survey
without one has no address to promise: its things have names, ``urn:uuid:`` with a UUID of the title and the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version

from survey.extras import PROJECT
from survey.literature import Pool
from survey.literature.bibtex import address_of
from survey.literature.claims import Judgement, question
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
    name,
    trig,
)
from survey.literature.pool import Entry
from survey.literature.taxonomy import licence
from survey.site.html.addresses import address
from survey.site.markup.links import entry_page, urn
from survey.site.pages.claims.vocabulary import definitions, slug

VOCABULARY = "claims/vocabulary.ttl"
UNKNOWN_CODE = "RA" + "-" * 43
"""Stands for the artifact code of a nanopublication while it is computed."""

PARTS = ("head", "assertion", "provenance", "pubinfo")
"""The graphs of a nanopublication."""


@dataclass(frozen=True)
class Statements:
    """The statements about the claims of a pool; ``site_url`` may be empty."""

    pool: Pool
    site_url: str = ""

    def iri(self, path: str, fragment: str = "") -> Iri:
        """Return the IRI of a page or file, given by its path below docs/, or of a part of it."""
        if (path, fragment) not in self._iris:
            self._iris[path, fragment] = self._iri(path, fragment)
        return self._iris[path, fragment]

    @cached_property
    def _iris(self) -> dict[tuple[str, str], Iri]:
        return {}

    def _iri(self, path: str, fragment: str) -> Iri:
        site = self.site_url.rstrip("/")
        base = f"{site}/{address(path)}" if site else urn(self.pool.taxonomy.title, path)
        return Iri(f"{base}#{fragment}" if fragment else base)

    def json_ld(self, judgement: Judgement, works: bool = True) -> dict[str, object]:
        """Return a claim with its verdict and provenance as a JSON-LD document; without ``works`` only their number."""
        named = {self._term(term) for term in ("counted", "comparedWith", "because")}
        entries = {self._work(key) for key in (*judgement.entries, *judgement.because)}
        stated = [*self.assertion(judgement), *self.provenance(judgement, self._verdict(judgement))]
        kept = [one for one in stated if works or not (one[0] in entries or one[1] in named)]
        return json_ld(kept, self.prefixes)

    def nanopublication(self, judgement: Judgement) -> str:
        """Return a claim as a nanopublication in TriG, under a trusty URI: it changes with every statement."""
        graphs = self._graphs(judgement, UNKNOWN_CODE)
        return trig(graphs, self.prefixes).replace(UNKNOWN_CODE, artifact_code(graphs, UNKNOWN_CODE))

    def vocabulary(self) -> str:
        """Return the definitions of the terms that no other vocabulary has, in Turtle."""
        return trig({Iri(""): definitions(self._term)}, self.prefixes)

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The prefixes in use, with one for the survey's own vocabulary."""
        return PREFIXES | {"survey": f"{self.iri(VOCABULARY)}#"}

    # -------------------------------------------------------------- the graphs of a nanopublication

    def _graphs(self, judgement: Judgement, code: str) -> Graphs:
        whole = self.iri(f"claims/{judgement.claim.id}.trig", code)
        head, assertion, provenance, info = (
            Iri(f"{whole}.{p}") for p in ("head", "assertion", "provenance", "pubinfo")
        )
        return {
            head: [
                (whole, name("rdf:type"), name("np:Nanopublication")),
                (whole, name("np:hasAssertion"), assertion),
                (whole, name("np:hasProvenance"), provenance),
                (whole, name("np:hasPublicationInfo"), info),
            ],
            assertion: [*self.assertion(judgement)],
            provenance: [*self.provenance(judgement, assertion)],
            info: [
                (whole, name("dct:created"), Literal(f"{judgement.day}T00:00:00+00:00", "dateTime")),
                *((whole, name("dct:creator"), one) for one in self._creators),
                *((whole, name("dct:license"), one) for one in self._licences),
                (whole, name("dct:isPartOf"), self.iri("claims/index.md")),
                (whole, name("rdfs:label"), literal(f"{judgement.claim.id}, edition {judgement.day}")),
                *self._stands_for_it(),
            ],
        }

    def assertion(self, judgement: Judgement) -> Iterator[Triple]:
        """Yield what is claimed, its verdict in an edition, and the counts by every reading."""
        claim, verdict = judgement.claim, self._verdict(judgement)
        subject = self.iri(f"claims/{claim.id}.md", "claim")
        day, then = judgement.day, self.pool.as_of(judgement.day)
        facts: list[tuple[Iri, str, Term]] = [
            (subject, "rdf:type", name("schema:Claim")),
            (subject, "schema:identifier", literal(claim.id)),
            (subject, "schema:text", literal(claim.sentence)),
            (subject, "schema:url", self.iri(f"claims/{claim.id}.md")),
            *((subject, "schema:firstAppearance", Iri(work.url)) for work in self._sources(judgement) if work.url),
            (subject, "survey:counts", literal(question(claim, self.pool.taxonomy))),
            (subject, "survey:limit", literal(claim.limit)),
            (subject, "survey:wouldChange", literal(claim.changes)),
            (verdict, "rdf:type", name("schema:ClaimReview")),
            (verdict, "schema:itemReviewed", subject),
            (verdict, "schema:reviewBody", literal(judgement.verdict)),
            (verdict, "survey:status", self._term(slug(judgement.status))),
            (verdict, "survey:edition", literal(day)),
            (verdict, "survey:data", literal(then.fingerprint)),
            *((verdict, "survey:since", literal(str(day))) for day in [judgement.since] if day),
            *((verdict, "survey:because", self._work(key)) for key in judgement.because),
        ]
        for t in judgement.tallies:
            result = self.iri(f"claims/{claim.id}.md", f"{day}-{t.reading}")
            facts += [
                (verdict, "survey:result", result),
                (result, "rdf:type", name("schema:Observation")),
                (result, "schema:observationAbout", subject),
                (result, "schema:observationDate", literal(day)),
                (result, "schema:measurementMethod", literal(judgement.names[t.reading])),
                (result, "schema:value", literal(t.number)),
                *((result, "survey:of", literal(of)) for of in [t.of] if not claim.largest),
                (result, "survey:passes", literal(t.holds)),
                *((result, "survey:counted", self._work(key)) for key in t.counted),
                *((result, "survey:comparedWith", self._work(key)) for key in t.against),
            ]
        for key in dict.fromkeys([*judgement.entries, *judgement.because]):
            facts.append((self._work(key), "schema:identifier", literal(key)))
            facts.append((self._work(key), "schema:sameAs", Iri(self._works[key].url)))
        return ((subject, self._predicate(short), value) for subject, short, value in facts)

    def provenance(self, judgement: Judgement, about: Iri) -> Iterator[Triple]:
        """Yield where an assertion comes from: the data and the codings, what counted them, and who stands for it."""
        claim, day = judgement.claim, judgement.day
        counting = self.iri(f"claims/{claim.id}.md", f"{day}-counting")
        edition = self.iri("data/datapackage.json", str(day))
        then = self.pool.as_of(day)
        facts: list[tuple[Iri, str, Term]] = [
            (about, "prov:wasDerivedFrom", edition),
            (about, "prov:wasGeneratedBy", counting),
            *((about, "prov:wasAttributedTo", one) for one in self._creators),
            (edition, "rdf:type", name("schema:Dataset")),
            (edition, "rdf:type", name("prov:Entity")),
            (edition, "schema:name", literal(then.stamp)),
            *((edition, "schema:license", one) for one in self._licences),
            (edition, "survey:edition", literal(day)),
            (edition, "survey:data", literal(then.fingerprint)),
            (counting, "rdf:type", name("prov:Activity")),
            (counting, "rdfs:label", literal(f"survey claims {claim.id} --as-of {day}")),
            (counting, "prov:used", edition),
            (counting, "prov:wasAssociatedWith", self._software),
        ]
        for id in self._codings(judgement):
            coding, read = self.pool.codings[id], self.iri("measure/agreement.md", id)
            facts += [
                (counting, "prov:used", read),
                (read, "rdf:type", name("prov:Entity")),
                (read, "rdfs:label", literal(id)),
                (read, "dc:creator", literal(coding.reader)),
                (read, "dct:created", literal(coding.made)),
                (read, "dct:description", literal(coding.statement)),
            ]
        yield from ((subject, self._predicate(short), value) for subject, short, value in facts)
        yield from self._stands_for_it()
        yield from self._agent(self._software, "prov:SoftwareAgent", f"{PROJECT} {version(PROJECT)}")

    # -------------------------------------------------------------- names

    def _predicate(self, short: str) -> Iri:
        return self._term(short.removeprefix("survey:")) if short.startswith("survey:") else name(short)

    def _term(self, term: str) -> Iri:
        return self.iri(VOCABULARY, term)

    def _verdict(self, judgement: Judgement) -> Iri:
        return self.iri(f"claims/{judgement.claim.id}.md", str(judgement.day))

    @cached_property
    def _creators(self) -> list[Iri]:
        """Who made the data, if the survey says it."""
        return [self.iri("index.md", "contributors")] if self.pool.taxonomy.settings.creator else []

    @cached_property
    def _licences(self) -> list[Term]:
        """The licence of the data, if the survey names one: by its address, or else by its name."""
        found = licence(self.pool.taxonomy.settings.licence)
        return [] if found is None else [Iri(found.address) if found.address else literal(found.name)]

    @cached_property
    def _software(self) -> Iri:
        return self.iri("index.md", "software")

    @cached_property
    def _works(self) -> dict[str, Entry]:
        return {work.key: work for work in (*self.pool.records, *self.pool.entries)}

    def _work(self, key: str) -> Iri:
        """Return the IRI of an entry, or of the row of an excluded record."""
        return self.iri(entry_page(key)) if key in self.pool else self.iri("explore/excluded.md", address_of(key))

    def _sources(self, judgement: Judgement) -> list[Entry]:
        """Return the work that made a claim first, if the claim names one of the background."""
        return [work for work in self.pool.background if work.key == judgement.claim.source]

    def _codings(self, judgement: Judgement) -> list[str]:
        """Return the codings by which a claim was counted besides the pool's own tags."""
        readings = self.pool.claims.readings
        named = {} if readings is None else {"published": readings.published, "second": readings.second}
        return [named[t.reading] for t in judgement.tallies if named.get(t.reading) in self.pool.codings]

    def _stands_for_it(self) -> list[Triple]:
        creator = self.pool.taxonomy.settings.creator
        return [triple for one in self._creators for triple in self._agent(one, "prov:Agent", creator)]

    def _agent(self, agent: Iri, kind: str, label: str) -> list[Triple]:
        return [(agent, name("rdf:type"), name(kind)), (agent, name("rdfs:label"), literal(label))]
