"""Reading ``bib/``: each file once, with the problems of all files reported together."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType

from survey.literature.bibtex import read_bibtex
from survey.literature.claims import Judge
from survey.literature.loading.memory import Memory
from survey.literature.loading.tables import read_tables
from survey.literature.pool import (
    Entry,
    Pool,
    Record,
    aliases,
    check_days,
    check_duplicates,
    check_editions,
    check_former_keys,
    check_impossible_cells,
    check_published_keys,
    check_routes,
    check_rulings,
    check_sourcing,
    known_by,
    read_adjudications,
    read_appraisal,
    read_audits,
    read_background,
    read_claims,
    read_codings,
    read_confusions,
    read_editions,
    read_entries,
    read_evidence_kinds,
    read_gaps,
    read_protocol,
    read_records,
    read_scale_page,
    read_scouting,
    read_screened,
    read_searches,
    read_trials,
    screening_ids,
)
from survey.literature.problems import InvalidSurvey, Problem
from survey.literature.taxonomy import read_taxonomy

POOL, EXCLUDED, BACKGROUND = "pool.bib", "excluded.bib", "background.bib"
TAXONOMY, CODINGS, CLAIMS = "taxonomy.toml", "codings", "claims.toml"
EDITIONS, KEYS = "editions.toml", "editions/keys.txt"
SCALE, GAPS, SEARCHES, PROTOCOL = "scale.toml", "gaps.toml", "searches.toml", "protocol.toml"
APPRAISAL, SCREENED, TABLES = "appraisal.toml", "screened.csv", "tables"

FIRST_ZONE = timezone(timedelta(hours=14))
"""The time zone in which a day begins first: no contributor is ahead of it."""


def latest_today() -> date:
    """Return the latest day that can be today: that of the build (SOURCE_DATE_EPOCH), or of any place on Earth."""
    return max(_built() or date.min, datetime.now(FIRST_ZONE).date())


def _built() -> date | None:
    """Return the day of the build, so that it gives the same bytes on any day."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdigit() else None


def read_pool(folder: Path, today: date | None = None) -> tuple[Pool | None, tuple[Problem, ...]]:
    """Return the pool of a folder and all its problems; no pool if the taxonomy cannot be read.

    A work that was taken in after ``today`` is a problem; by default ``latest_today`` says which day that is. Where
    nobody noted when a work was added, it was by ``today``, by default the day of the build. A process reads again
    only what has changed since it read the folder last.
    """
    memory = Memory.of(folder)
    day = today or _built() or datetime.now(UTC).date()
    return memory.get(_read, folder, today or latest_today(), day, memory)


def _read(folder: Path, today: date, day: date, memory: Memory) -> tuple[Pool | None, tuple[Problem, ...]]:
    read = memory.get
    try:
        taxonomy = read(read_taxonomy, folder / TAXONOMY)
    except InvalidSurvey as error:
        return None, error.problems
    document = read_bibtex(folder / POOL, max_bytes=taxonomy.max_bytes, known=memory.blocks)
    if memory.taxonomy is not taxonomy:
        memory.taxonomy = taxonomy
        memory.checked.clear()
    entries, problems = read_entries(document, taxonomy, memory.checked)
    entries = known_by(entries, day)
    problems += check_impossible_cells(entries, taxonomy)
    records: tuple[Record, ...] = ()
    if os.path.lexists(folder / EXCLUDED):
        excluded = read(read_bibtex, folder / EXCLUDED, "", taxonomy.max_bytes)
        records, found = read_records(excluded, taxonomy)
        problems += found
    background: tuple[Entry, ...] = ()
    if os.path.lexists(folder / BACKGROUND):
        background, found = read_background(read_bibtex(folder / BACKGROUND), taxonomy)
        problems += found
    problems += check_duplicates([*entries, *records, *background])
    problems += check_former_keys([*entries, *records])
    problems += check_days([*entries, *records], today)
    keys = frozenset(entry.key for entry in (*entries, *records))
    codings, found = read(read_codings, folder / CODINGS, taxonomy, keys)
    problems += found
    audits, found = read(read_audits, folder / CODINGS, taxonomy, keys)
    problems += found
    trials, found = read(read_trials, folder / CODINGS, taxonomy, keys)
    problems += found
    comments, found = read(read_confusions, folder / CODINGS, taxonomy, frozenset(codings))
    problems += found
    tags = {entry.key: entry.tags for entry in entries}
    adjudications, found = read(read_adjudications, folder / CODINGS, taxonomy, tags, codings)
    problems += found
    notes, searched, found = read_gaps(folder / GAPS, taxonomy)
    problems += found
    searches, found = read(read_searches, folder / SEARCHES)
    problems += [*found, *check_routes(searches, [*entries, *records])]
    protocol, found = read_protocol(folder / PROTOCOL, taxonomy, {record.key for record in records})
    problems += [*found, *check_rulings(protocol, records), *check_sourcing(protocol.sourcing, entries)]
    scouting, found = read_scouting(folder / SEARCHES, taxonomy, searches.routes)
    problems += found
    excluding = [criterion.id for criterion in protocol.of(excludes=True)]
    screened, found = read_screened(folder / SCREENED, searches.routes, excluding, screening_ids([*entries, *records]))
    problems += found
    appraisal, found = read_appraisal(folder / APPRAISAL, taxonomy, entries)
    problems += found
    editions, found = read(read_editions, folder / EDITIONS, beside=folder / Path(EDITIONS).stem)
    problems += found
    if not problems:  # what cannot be read differs in every edition
        problems += check_editions(entries, records, editions.values(), taxonomy)
    evidence, found = read_evidence_kinds(folder / SCALE, taxonomy)
    problems += found
    scale, found = read_scale_page(folder / SCALE, taxonomy)
    problems += found
    tables, found = read(read_tables, folder / TABLES)
    problems += found
    problems += check_published_keys(folder / KEYS, keys, aliases([*entries, *records]))
    claims, found = read(read_claims, folder / CLAIMS, taxonomy, keys, codings)
    pool = Pool(
        taxonomy,
        entries,
        records,
        codings=MappingProxyType(codings),
        trials=MappingProxyType(trials),
        audits=MappingProxyType(audits),
        background=background,
        adjudications=MappingProxyType(adjudications),
        comments=MappingProxyType(comments),
        claims=claims,
        editions=MappingProxyType(editions),
        evidence=evidence,
        scale=scale,
        notes=notes,
        searched=searched,
        searches=searches,
        protocol=protocol,
        scouting=scouting,
        screened=screened,
        appraisal=appraisal,
        tables=MappingProxyType(tables),
    )
    # published numbers can only be compared once all the data they count was read
    problems += found or ([] if problems else Judge(pool).reproduction_problems())
    return pool, tuple(sorted(problems))


def load(folder: Path | str) -> Pool:
    """Return the pool of a folder.

    Data that only depart from what was published can be counted: ``survey check`` reports that.

    Raises:
        InvalidSurvey: with every problem of every file, if there is any other.

    """
    return counted_pool(*read_pool(Path(folder)))


def counted_pool(pool: Pool | None, problems: tuple[Problem, ...]) -> Pool:
    """Return the pool that was read, if it can be counted. Raises ``InvalidSurvey`` with all problems otherwise."""
    if pool is None or not all(problem.is_of_record for problem in problems):
        raise InvalidSurvey(problems)
    return pool
