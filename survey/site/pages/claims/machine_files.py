"""The claims for programs: each as JSON-LD and as a nanopublication, all as a table to compare."""

from __future__ import annotations

import json

from survey.site.drafts import NO_PROSE
from survey.site.facts import Facts, Files
from survey.site.pages.claims.comparison import comparison
from survey.site.pages.claims.statements import VOCABULARY, Statements

LEDGER = "claims/ledger.csv"


def claim_files(facts: Facts) -> Files:
    """Yield the files of every claim, the ledger as a table, and the vocabulary; nothing if there are no claims.

    The address of a nanopublication depends on all that it states. They are made from the pool itself, therefore, and
    not from a draft, in which the fingerprint of the data is missing.
    """
    judged = [judgements[-1] for judgements in facts.reading(NO_PROSE).ledger.values()]
    if not judged:
        return
    statements = Statements(facts.source, facts.site_url)
    for judgement in judged:
        document = json.dumps(statements.json_ld(judgement), ensure_ascii=False, indent=1)
        yield f"claims/{judgement.claim.id}.jsonld", f"{document}\n"
        yield f"claims/{judgement.claim.id}.trig", statements.nanopublication(judgement)
    yield LEDGER, comparison(facts.source, judged, facts.site_url)
    yield VOCABULARY, statements.vocabulary()
