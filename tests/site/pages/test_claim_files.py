"""The claims for programs, read by rdflib: well-formed nanopublications, JSON-LD, and a table, which state the ledger."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import rdflib
import yaml
from click.testing import CliRunner
from pybtex.database import parse_file
from rdflib.namespace import DCTERMS, PROV, RDF

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.claims import READINGS
from survey.site.drafts import fill
from survey.site.facts import Facts
from survey.site.pages.claims.ledger import claim_pages
from survey.site.pages.claims.machine_files import LEDGER, claim_files
from survey.site.pages.claims.statements import VOCABULARY
from tests.conftest import ROOT
from tests.literature.test_bread import BREAD
from tests.site.hostile import write_hostile

SITE = "https://example.org/survey/"
NP = rdflib.Namespace("http://www.nanopub.org/nschema#")
SCHEMA = rdflib.Namespace("https://schema.org/")
OURS = rdflib.Namespace(f"{SITE}{VOCABULARY}#")

Files = dict[str, str]
Quads = list[tuple[str, Any, Any, Any]]


@pytest.fixture(scope="module")
def files(pool: Pool) -> Files:
    return dict(claim_files(Facts(pool, SITE)))


def quads(text: str) -> Quads:
    read = rdflib.Dataset()
    read.parse(data=text, format="trig")
    return [(str(graph), s, p, o) for s, p, o, graph in read.quads((None, None, None, None))]


@pytest.fixture(scope="module")
def parsed(files: Files) -> dict[str, Quads]:
    """The quads of each nanopublication, by the id of its claim."""
    return {Path(path).stem: quads(text) for path, text in files.items() if path.endswith(".trig")}


def part(found: Quads, name: str) -> rdflib.Graph:
    """The graph of a nanopublication that its head calls so."""
    (graph,) = [str(o) for _, _, p, o in found if p == NP[f"has{name}"]]
    out = rdflib.Graph()
    for where, s, p, o in found:
        if where == graph:
            out.add((s, p, o))
    return out


def held(graph: rdflib.Graph, subject: Any, predicate: Any) -> Any:
    """The only value of a property, as Python holds it."""
    (value,) = graph.objects(subject, predicate)
    assert isinstance(value, rdflib.Literal)
    return value.toPython()


# ------------------------------------------------------------------ nanopublications


def check_well_formed(found: Quads) -> str:
    """Check the criteria of the guidelines (http://nanopub.org/guidelines/); return the name of the whole."""
    ((head, whole, _, _),) = [quad for quad in found if quad[2:] == (RDF.type, NP.Nanopublication)]
    names = [head]
    for name in ("hasAssertion", "hasProvenance", "hasPublicationInfo"):
        ((_, subject, _, graph),) = [quad for quad in found if quad[2] == NP[name] and quad[0] == head]
        assert subject == whole
        names.append(str(graph))
    assert len(set(names)) == 4
    assert {quad[0] for quad in found} == {*names}, "no triple is outside the four graphs, and none of them is empty"
    assert len([quad for quad in found if quad[0] == head]) == 4, "nothing else is in the head"
    assert any(str(s) == names[1] for where, s, _, _ in found if where == names[2]), "provenance is about the assertion"
    about = {p for where, s, p, _ in found if where == names[3] and s == whole}
    assert {DCTERMS.created, DCTERMS.creator, DCTERMS.license} <= about
    return str(whole)


def trusty_code(found: Quads, code: str) -> str:
    """The artifact code of quads, after the specification of trusty URIs, from what rdflib has read."""

    def row(value: Any) -> str:
        if not isinstance(value, rdflib.Literal):
            return str(value).replace(code, " ")
        kind = value.datatype or rdflib.XSD.string
        return f"^{kind} " + str(value).replace("\\", "\\\\").replace("\n", "\\n")

    def order(quad: tuple[str, Any, Any, Any]) -> tuple[Any, ...]:
        names, value = [str(one).replace(code, " ") for one in quad[:3]], quad[3]
        if isinstance(value, rdflib.Literal):
            return (*names, 1, str(value), str(value.datatype or rdflib.XSD.string))
        return (*names, 0, str(value).replace(code, " "), "")

    text = "".join(f"{row(one)}\n" for quad in sorted(found, key=order) for one in quad)
    return "RA" + base64.b64encode(hashlib.sha256(text.encode()).digest(), b"-_").decode().rstrip("=")


def test_every_claim_is_a_well_formed_nanopublication_whose_address_is_its_hash(
    pool: Pool, parsed: dict[str, Quads]
) -> None:
    assert set(parsed) == {claim.id for claim in pool.claims}
    for id, found in parsed.items():
        address, _, code = check_well_formed(found).partition("#")
        assert address == f"{SITE}claims/{id}.trig", "it is found where its name says"
        assert code == trusty_code(found, code)


def test_a_nanopublication_keeps_its_address_until_what_it_says_changes(pool: Pool, files: Files) -> None:
    assert dict(claim_files(Facts(pool, SITE))) == files
    before = dict(claim_files(Facts(pool.as_of(min(pool.editions)), SITE)))
    changed = {path for path in files if before[path] != files[path]}
    kept = {f"claims/{claim.id}.trig" for claim in pool.claims if claim.snapshot}
    assert kept, "claims about a closed snapshot"
    assert {path for path in files if path.endswith(".trig")} - changed == kept


def test_the_assertion_states_the_ledger_as_the_command_line_prints_it(pool: Pool, parsed: dict[str, Quads]) -> None:
    done = CliRunner().invoke(main, ["--bib", str(ROOT / "bib"), "claims", "--format", "json"])
    printed = {claim["id"]: claim for claim in json.loads(done.stdout)["claims"]}
    for id, found in parsed.items():
        stated, claim = part(found, "Assertion"), printed[id]
        (verdict,) = stated.subjects(RDF.type, SCHEMA.ClaimReview)
        subject = stated.value(verdict, SCHEMA.itemReviewed)
        assert str(stated.value(subject, SCHEMA.text)) == claim["sentence"]
        assert str(stated.value(verdict, OURS.status)) == str(OURS[re.sub(r"\W+", "-", claim["status"])])
        assert str(stated.value(verdict, OURS.edition)) == claim["day"]
        assert str(stated.value(verdict, OURS.data)) == pool.as_of(held(stated, verdict, OURS.edition)).fingerprint
        keys = {work: str(key) for work, key in stated.subject_objects(SCHEMA.identifier)}
        assert {keys[work] for work in stated.objects(verdict, OURS.because)} == set(claim["because"])
        results = {str(stated.value(r, SCHEMA.measurementMethod)): r for r in stated.objects(verdict, OURS.result)}
        assert set(results) == {READINGS[reading] for reading in claim["readings"]}
        for reading, counted in claim["readings"].items():
            result = results[READINGS[reading]]
            assert held(stated, result, SCHEMA.value) == counted["number"]
            assert held(stated, result, OURS.passes) is counted["holds"]
            assert {keys[work] for work in stated.objects(result, OURS.counted)} == set(counted["counted"])
            assert {keys[work] for work in stated.objects(result, OURS.comparedWith)} == set(counted["against"])


def test_the_works_that_a_claim_counts_have_the_tag_in_the_file(parsed: dict[str, Quads]) -> None:
    """For claims that count one value of one axis, from BibTeX as another program reads it."""
    entries = parse_file(str(ROOT / "bib" / "pool.bib"), "bibtex").entries
    claims = tomllib.loads((ROOT / "bib" / "claims.toml").read_text())["claim"]
    taxonomy = tomllib.loads((ROOT / "bib" / "taxonomy.toml").read_text())["axis"]
    checked = 0
    for id, claim in claims.items():
        count, others = claim.get("count", {}), {"of", "primary", "largest", "snapshot", "applicable"} & claim.keys()
        if others or len(count) != 1:
            continue
        ((axis, value),) = count.items()
        if not any(f"tag-{axis}" in entry.fields for entry in entries.values()) or not isinstance(value, str):
            continue
        if value.partition(":")[0] not in taxonomy[axis].get("value", {}):
            continue
        wanted = [part.strip() for part in value.split(":")]
        tags = {key: entry.fields.get(f"tag-{axis}", "").split(";") for key, entry in entries.items()}
        expected = {
            key for key, found in tags.items() if any([p.strip() for p in tag.split(":")][: len(wanted)] == wanted for tag in found)
        }  # fmt: skip
        stated = part(parsed[id], "Assertion")
        (result,) = [
            s for s, _, o in stated.triples((None, SCHEMA.measurementMethod, None)) if str(o) == READINGS["pool"]
        ]
        counted = {str(stated.value(work, SCHEMA.identifier)) for work in stated.objects(result, OURS.counted)}
        assert counted == expected, id
        assert held(stated, result, SCHEMA.value) == len(expected)
        checked += 1
    assert checked >= 5


def test_provenance_leads_to_the_data_the_codings_and_the_command(pool: Pool, parsed: dict[str, Quads]) -> None:
    readings = pool.claims.readings
    assert readings is not None
    found = part(parsed["stopping-untrained"], "Provenance")
    (assertion,) = found.subjects(PROV.wasDerivedFrom)
    data, counting = found.value(assertion, PROV.wasDerivedFrom), found.value(assertion, PROV.wasGeneratedBy)
    assert str(found.value(data, OURS.data)) == pool.fingerprint
    assert str(found.value(counting, rdflib.RDFS.label)) == f"survey claims stopping-untrained --as-of {pool.day}"
    used = {str(found.value(one, rdflib.RDFS.label)) for one in found.objects(counting, PROV.used)} - {"None"}
    assert used == {readings.published, readings.second}
    assert str(part(parsed["stopping-untrained"], "Assertion").value(None, SCHEMA.firstAppearance)) in ("None", "")
    (first,) = part(parsed["stopping-untrained"], "Assertion").objects(None, SCHEMA.firstAppearance)
    assert str(first) == "https://arxiv.org/abs/2605.02801"


def test_every_term_of_the_survey_is_defined_in_its_vocabulary(files: Files, parsed: dict[str, Quads]) -> None:
    defined = set(rdflib.Graph().parse(data=files[VOCABULARY], format="turtle").subjects())
    used = {
        one for found in parsed.values() for _, *triple in found for one in triple if str(one).startswith(str(OURS))
    }
    assert used <= defined
    assert len(used) > 10


# ------------------------------------------------------------------ JSON-LD


def read_json(document: Mapping[str, Any]) -> rdflib.Graph:
    assert all(isinstance(base, str) and base for base in document["@context"].values()), "no context elsewhere"
    return rdflib.Graph().parse(data=json.dumps(document), format="json-ld")


def plain(graph: rdflib.Graph) -> set[tuple[str, ...]]:
    """Triples in which a string without a type and one with it are alike, as RDF 1.1 wants it."""
    return {
        tuple(one.n3().replace("^^<http://www.w3.org/2001/XMLSchema#string>", "") for one in triple) for triple in graph
    }


def test_the_json_ld_of_a_claim_states_the_assertion_of_its_nanopublication(
    files: Files, parsed: dict[str, Quads]
) -> None:
    for id, found in parsed.items():
        document = plain(read_json(json.loads(files[f"claims/{id}.jsonld"])))
        assert plain(part(found, "Assertion")) <= document
        source = {row for row in plain(part(found, "Provenance")) if ".assertion>" not in row[0]}
        assert source <= document


def test_the_page_of_a_claim_holds_its_status_data_edition_and_provenance(pool: Pool, files: Files) -> None:
    pages = {path: fill(text, pool) for path, text in claim_pages(Facts(pool, SITE))}
    for claim in pool.claims:
        page = pages[f"claims/{claim.id}.md"]
        (meta,) = re.findall(r"(?s)^.*?---\n(.*?)\n---\n", page)
        embedded = read_json(yaml.safe_load(meta)["structured"])
        assert plain(embedded) <= plain(read_json(json.loads(files[f"claims/{claim.id}.jsonld"])))
        for term in (OURS.status, OURS.data, OURS.edition, PROV.wasDerivedFrom, SCHEMA.value):
            assert (None, term, None) in embedded
        assert f'href="../{claim.id}.jsonld"' in page
        assert f'href="../{claim.id}.trig"' in page


# ------------------------------------------------------------------ other surveys


def test_a_survey_without_an_address_has_names_that_hold_anywhere(pool: Pool) -> None:
    made = dict(claim_files(Facts(pool)))
    found = quads(made["claims/stopping-untrained.trig"])
    name, _, code = check_well_formed(found).partition("#")
    assert code == trusty_code(found, code)
    names = {str(one) for quad in found for one in (quad[0], *quad[1:]) if not isinstance(one, rdflib.Literal)}
    assert name in {one.partition("#")[0] for one in names}
    ours = {one.partition("#")[0] for one in names if one.startswith("urn:")}
    assert all(UUID(one.removeprefix("urn:uuid:")).version == 5 for one in ours)
    elsewhere = {one.split("/")[2] for one in names if not one.startswith("urn:")}
    assert not any(host.startswith(("127.", "localhost", "example.")) for host in elsewhere)
    document = read_json(json.loads(made["claims/stopping-untrained.jsonld"]))
    assert plain(part(found, "Assertion")) <= plain(document)


def test_an_address_without_a_slash_at_its_end_is_the_same_address(pool: Pool, files: Files) -> None:
    again = dict(claim_files(Facts(pool, SITE.rstrip("/"))))
    assert again["claims/stopping-untrained.trig"] == files["claims/stopping-untrained.trig"]


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    pool = load(write_hostile(tmp_path))
    made = dict(claim_files(Facts(pool, SITE)))
    assert len(pool.claims)
    for claim in pool.claims:
        found = quads(made[f"claims/{claim.id}.trig"])
        check_well_formed(found)
        assert claim.sentence in {str(o) for _, _, p, o in found if p == SCHEMA.text}
        assert plain(part(found, "Assertion")) <= plain(read_json(json.loads(made[f"claims/{claim.id}.jsonld"])))


def test_a_survey_without_claims_has_no_such_files() -> None:
    assert dict(claim_files(Facts(load(BREAD), SITE))) == {}


# ------------------------------------------------------------------ the table for ORKG


def test_the_table_has_a_row_per_claim_with_what_the_import_of_orkg_asks_for(pool: Pool, files: Files) -> None:
    header, *lines = csv.reader(io.StringIO(files[LEDGER], newline=""))
    assert header[0] == "paper:title", "the only required column"
    known = {
        "title",
        "authors",
        "publication_month",
        "publication_year",
        "doi",
        "url",
        "published_in",
        "research_field",
    }
    assert {name.partition(":")[2] for name in header if name.startswith("paper:")} <= known
    assert [name for name in header if name.startswith("contribution:")] == ["contribution:research_problem"]
    assert len(header) == len(set(header)), "two columns of one name would be two values of one property"
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert [row["claim id"] for row in rows] == [claim.id for claim in pool.claims]
    done = CliRunner().invoke(main, ["--bib", str(ROOT / "bib"), "claims", "--format", "csv"])
    printed = {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout, newline=""))}
    for row, claim in zip(rows, pool.claims, strict=True):
        assert row["paper:title"] and row["paper:authors"] and row["claim"] == claim.sentence
        assert (row["paper:url"] == "https://arxiv.org/abs/2605.02801") == (claim.source == "survey")
        assert 1 <= int(row["paper:publication_month"]) <= 12
        assert row["resource:status"] == printed[claim.id]["status"]
        for reading, label in READINGS.items():
            assert row[f"number, {label}"] == printed[claim.id][reading]
