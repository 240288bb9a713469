"""The pool: everything in ``bib/`` as immutable values, one module per kind of file.

``Pool`` holds entries, records, codings, editions, claims, notes and searches; ``cells`` lists the cells of an axis;
``check_duplicates`` reports duplicates. ``survey.literature.loading`` fills the pool; every room that counts reads it.
"""

from survey.literature.pool.appraisal import Answer, Appraisal, Finding, Item, read_appraisal
from survey.literature.pool.blank_entry import blank_entry
from survey.literature.pool.cells import NOT_CODED, cell_label, cells, counted, mentioned
from survey.literature.pool.claims import All, Claim, Table, Variant, conditions, pairs, read_claims
from survey.literature.pool.codings import (
    ADJUDICATIONS,
    AUDIT,
    COLUMNS,
    NOTES,
    READERS,
    WAS,
    Adjudication,
    Audit,
    AuditedField,
    Coding,
    Judgement,
    Verdict,
    compared_values,
    read_adjudications,
    read_audited_fields,
    read_audits,
    read_codings,
    read_judgements,
    read_readers,
    read_sheet,
    read_trials,
)
from survey.literature.pool.duplicates import arxiv_id, check_duplicates
from survey.literature.pool.editions import (
    Edition,
    Works,
    aliases,
    check_editions,
    check_published_keys,
    read_editions,
)
from survey.literature.pool.entries import (
    REQUIRED,
    Entry,
    Record,
    check_days,
    read_background,
    read_entries,
    read_records,
)
from survey.literature.pool.evidence_kinds import EvidenceKind, read_evidence_kinds
from survey.literature.pool.gap_notes import Note, Searched, read_gaps, read_notes
from survey.literature.pool.impossible import check_impossible_cells
from survey.literature.pool.pool import Pool
from survey.literature.pool.screening import (
    check_routes,
    check_rulings,
    check_sourcing,
    read_protocol,
    read_searches,
    routes_of,
)
from survey.literature.pool.tags import Tag, format_tags, parse_tags

__all__ = [
    "ADJUDICATIONS",
    "AUDIT",
    "COLUMNS",
    "NOTES",
    "NOT_CODED",
    "READERS",
    "REQUIRED",
    "WAS",
    "Adjudication",
    "All",
    "Answer",
    "Appraisal",
    "Audit",
    "AuditedField",
    "Claim",
    "Coding",
    "Edition",
    "Entry",
    "EvidenceKind",
    "Finding",
    "Item",
    "Judgement",
    "Note",
    "Pool",
    "Record",
    "Searched",
    "Table",
    "Tag",
    "Variant",
    "Verdict",
    "Works",
    "aliases",
    "arxiv_id",
    "blank_entry",
    "cell_label",
    "cells",
    "check_days",
    "check_duplicates",
    "check_editions",
    "check_impossible_cells",
    "check_published_keys",
    "check_routes",
    "check_rulings",
    "check_sourcing",
    "compared_values",
    "conditions",
    "counted",
    "format_tags",
    "mentioned",
    "pairs",
    "parse_tags",
    "read_adjudications",
    "read_appraisal",
    "read_audited_fields",
    "read_audits",
    "read_background",
    "read_claims",
    "read_codings",
    "read_editions",
    "read_entries",
    "read_evidence_kinds",
    "read_gaps",
    "read_judgements",
    "read_notes",
    "read_protocol",
    "read_readers",
    "read_records",
    "read_searches",
    "read_sheet",
    "read_trials",
    "routes_of",
]  # fmt: skip
