"""The pool: everything in ``bib/`` as immutable values, one module for each kind of file.

``Pool`` holds entries, records, codings, editions, claims, notes and searches; ``cells`` says where an entry stands on
an axis; ``same_work`` finds duplicates. Asked by every room that counts; ``survey.literature.loading`` fills it.
"""

from survey.literature.pool.blank_entry import skeleton
from survey.literature.pool.cells import NOT_CODED, cell_label, cells, counted, mentioned
from survey.literature.pool.claims_file import All, Claim, Table, Variant, conditions, pairs, read_claims
from survey.literature.pool.codings import (
    ADJUDICATIONS,
    READERS,
    Adjudication,
    Coding,
    Judgement,
    compared_part,
    read_adjudications,
    read_codings,
    read_judgements,
    read_readers,
)
from survey.literature.pool.duplicates import arxiv_id, same_work
from survey.literature.pool.editions import aliases, check_published_keys, read_editions
from survey.literature.pool.entries import REQUIRED, Entry, Record, read_background, read_entries, read_records
from survey.literature.pool.evidence_kinds import Kind, read_kinds
from survey.literature.pool.gap_notes import Note, read_notes
from survey.literature.pool.impossible import standing_in_impossible_cells
from survey.literature.pool.pool import Pool
from survey.literature.pool.searches import read_searches
from survey.literature.pool.tags import Tag, format_tags

__all__ = [
    "ADJUDICATIONS",
    "NOT_CODED",
    "READERS",
    "REQUIRED",
    "Adjudication",
    "All",
    "Claim",
    "Coding",
    "Entry",
    "Judgement",
    "Kind",
    "Note",
    "Pool",
    "Record",
    "Table",
    "Tag",
    "Variant",
    "aliases",
    "arxiv_id",
    "cell_label",
    "cells",
    "check_published_keys",
    "compared_part",
    "conditions",
    "counted",
    "format_tags",
    "mentioned",
    "pairs",
    "read_adjudications",
    "read_background",
    "read_claims",
    "read_codings",
    "read_editions",
    "read_entries",
    "read_judgements",
    "read_kinds",
    "read_notes",
    "read_readers",
    "read_records",
    "read_searches",
    "same_work",
    "skeleton",
    "standing_in_impossible_cells",
]
