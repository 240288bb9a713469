"""Readings beside the pool: codings, trials of rules, what was settled where they differ, and audits of entries."""

from survey.literature.pool.codings.adjudications import Adjudication, read_adjudications
from survey.literature.pool.codings.audits import (
    AUDITS,
    Audit,
    AuditedField,
    Verdict,
    read_audited_fields,
    read_audits,
    share_interval,
)
from survey.literature.pool.codings.coding import (
    ADJUDICATIONS,
    READERS,
    Coding,
    compared_values,
    read_codings,
    read_readers,
    read_trials,
)
from survey.literature.pool.codings.confusions import CONFUSIONS, Confusion, read_confusions
from survey.literature.pool.codings.rows import COLUMNS, NOTES, WAS, Judgement, csv_rows, read_judgements, read_sheet

__all__ = [
    "ADJUDICATIONS",
    "AUDITS",
    "COLUMNS",
    "CONFUSIONS",
    "NOTES",
    "READERS",
    "WAS",
    "Adjudication",
    "Audit",
    "AuditedField",
    "Coding",
    "Confusion",
    "Judgement",
    "Verdict",
    "compared_values",
    "csv_rows",
    "read_adjudications",
    "read_audited_fields",
    "read_audits",
    "read_codings",
    "read_confusions",
    "read_judgements",
    "read_readers",
    "read_sheet",
    "read_trials",
    "share_interval",
]  # fmt: skip
