"""Audits: a random sample of entries, checked field by field by readers who did not write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import sqrt
from pathlib import Path
from statistics import NormalDist

from survey.literature.bibtex import CITED, FORMER, OWN
from survey.literature.pool.codings.coding import READERS, read_readers
from survey.literature.pool.codings.rows import csv_rows
from survey.literature.problems import Problem, expected, quoted
from survey.literature.taxonomy import Taxonomy

AUDITS = "audits"
"""The folder of audits beside the codings: a file for each, named by its day, and a ``readers.toml`` on all of them."""

COLUMNS = ("key", "field", "verdict", "right", "why", "source")

VENUE = "venue"
"""Journal or proceedings with volume and pages, which are checked together."""


class Verdict(StrEnum):
    """What an audit says about a field."""

    RIGHT = "right"
    WRONG = "wrong"
    """A source, or a rule of the codebook, decides against what is stored."""

    INCOMPLETE = "incomplete"
    """What is stored is right, and something is lacking."""

    MISSING = "missing"
    """Nothing is stored, and a source carries it."""

    UNCLEAR = "unclear"
    """No source decides, or the codebook leaves it open."""


DECIDED = (Verdict.RIGHT, Verdict.WRONG, Verdict.INCOMPLETE)
"""The verdicts on what is stored, of which the wrong ones are a share."""


@dataclass(frozen=True, slots=True)
class AuditedField:
    """The verdict on one field of one entry: what should stand, why, and the source that decided it."""

    key: str
    field: str
    verdict: Verdict
    right: str
    why: str
    source: str

    @property
    def is_tag(self) -> bool:
        """Whether the field holds tags; otherwise it holds a fact."""
        return self.field.startswith("tag-")


@dataclass(frozen=True, slots=True)
class Audit:
    """All fields of an audit, and how it was made."""

    id: str
    reader: str
    made: date
    statement: str
    fields: tuple[AuditedField, ...]

    @property
    def label(self) -> str:
        """Its day, and what tells it from others of that day."""
        return self.id.replace("-", " ").replace(" ", "-", 2)

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries of the sample, in the order of the file."""
        return tuple(dict.fromkeys(one.key for one in self.fields))

    def counts(self, tags: bool) -> Counter[Verdict]:
        """Return how often each verdict fell, on tags or on facts."""
        return Counter(one.verdict for one in self.fields if one.is_tag is tags)

    def wrong(self, tags: bool) -> tuple[int, int, float, float]:
        """Return the number wrong, the number decided, and the 95 % interval of the share (Wilson 1927)."""
        counts = self.counts(tags)
        wrong, decided = counts[Verdict.WRONG], sum(counts[verdict] for verdict in DECIDED)
        return wrong, decided, *share_interval(wrong, decided)


def share_interval(number: int, of: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share. Nothing is known of a share of nothing.

    >>> [round(bound, 3) for bound in share_interval(1, 50)]
    [0.004, 0.105]
    >>> share_interval(0, 0)
    (0.0, 1.0)
    """
    if not of:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, shrink = number / of, 1 + z * z / of
    middle = (share + z * z / (2 * of)) / shrink
    half = z / shrink * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def read_audits(folder: Path, taxonomy: Taxonomy, keys: Collection[str]) -> tuple[dict[str, Audit], list[Problem]]:
    """Return the audits in the folder of the codings, by the names of their files without extension."""
    folder = folder / AUDITS
    paths = sorted(folder.glob("*.csv"), key=lambda path: path.stem)
    if not paths:
        return {}, []
    readers, problems = read_readers(folder / READERS)
    audits = {}
    for path in paths:
        fields, found = read_audited_fields(path, taxonomy, keys)
        problems += found
        if reader := readers.get(path.stem):
            audits[path.stem] = Audit(reader.id, reader.reader, reader.made, reader.statement, fields)
        else:
            message = f"does not describe {path.name} (expected a table [{path.stem}] with reader, made, statement)"
            problems.append(Problem(str(folder / READERS), 1, message))
    return audits, problems


def read_audited_fields(
    path: Path, taxonomy: Taxonomy, keys: Collection[str]
) -> tuple[tuple[AuditedField, ...], list[Problem]]:
    """Return the fields of one file, and a problem for every row that is none."""
    rows, problems = csv_rows(path, COLUMNS)
    known = {*CITED, *OWN, *FORMER, VENUE, *(f"tag-{axis.id}" for axis in taxonomy.on("entry"))}
    found: dict[tuple[str, str], AuditedField] = {}
    for line, row in rows:
        messages = _wrong(row, known, keys)
        if (row["key"], row["field"]) in found:
            messages.append("repeats an entry and field of an earlier row")
        problems += [Problem(str(path), line, message, row["key"], row["field"]) for message in messages]
        if not messages:
            found[row["key"], row["field"]] = AuditedField(
                row["key"], row["field"], Verdict(row["verdict"]), row["right"], row["why"], row["source"]
            )
    return tuple(found.values()), sorted(problems)


def _wrong(row: Mapping[str, str], fields: Collection[str], keys: Collection[str]) -> list[str]:
    messages = []
    if row["key"] not in keys:
        messages.append(f"there is no entry {quoted(row['key'])} {expected(row['key'], keys)}")
    if row["field"] not in fields:
        messages.append(f"{quoted(row['field'])} is not a field of an entry {expected(row['field'], fields)}")
    if row["verdict"] not in [*Verdict]:
        messages.append(f"{quoted(row['verdict'])} is not a verdict {expected(row['verdict'], [*Verdict])}")
    elif row["verdict"] != Verdict.RIGHT and not row["why"].strip():
        messages.append("why is empty (say in your own words what decides against what is stored)")
    return messages
