"""Checks of single files, whether or not they belong to the pool."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from survey.literature.bibtex import Block, read_bibtex
from survey.literature.loading.reading import (
    APPRAISAL,
    BACKGROUND,
    CLAIMS,
    EDITIONS,
    EXCLUDED,
    GAPS,
    POOL,
    PROTOCOL,
    SCALE,
    SCREENED,
    SEARCHES,
)
from survey.literature.pool import (
    ADJUDICATIONS,
    AUDIT,
    CONFUSIONS,
    READERS,
    Entry,
    Pool,
    arxiv_id,
    check_duplicates,
    check_impossible_cells,
    check_sourcing,
    read_adjudications,
    read_appraisal,
    read_audited_fields,
    read_claims,
    read_confusions,
    read_editions,
    read_entries,
    read_evidence_kinds,
    read_judgements,
    read_notes,
    read_protocol,
    read_readers,
    read_records,
    read_scale_page,
    read_scouting,
    read_screened,
    read_searches,
    screening_ids,
)
from survey.literature.pool.editions import FOLDER
from survey.literature.problems import InvalidSurvey, Problem
from survey.literature.taxonomy import read_taxonomy


def check_files(paths: Sequence[Path], pool: Pool) -> tuple[Problem, ...]:
    """Return the problems of some files; name or extension says whether one is entries, taxonomy, claims or coding.

    Entries are compared with the pool and across the files: a duplicate is a problem. ``excluded.bib`` is
    read as excluded records.
    """
    bibs = [path for path in paths if path.suffix == ".bib"]
    problems = [problem for path in paths if path not in bibs for problem in _check_other(path, pool)]
    checked = {os.path.realpath(path) for path in bibs}
    known: list[Entry] = [e for e in (*pool.entries, *pool.records) if os.path.realpath(e.path) not in checked]
    for path in bibs:
        read = read_records if path.name == EXCLUDED else read_entries
        entries, found = read(read_bibtex(path, max_bytes=pool.taxonomy.max_bytes), pool.taxonomy)
        known += entries
        problems += found
        problems += check_impossible_cells(entries, pool.taxonomy)
        if read is read_entries:
            problems += check_sourcing(pool.protocol.sourcing, entries)
    shown = {str(path) for path in bibs}
    return tuple(sorted([*problems, *(p for p in check_duplicates(known) if p.path in shown)]))


def existing_entries(folder: Path, name: str) -> Iterator[tuple[str, Block]]:
    """Yield the works of a folder that have this arXiv id or key, each with its file.

    Syntax errors are ignored: the caller may be in the middle of an edit.
    """
    id = arxiv_id(name)
    for path in (folder / POOL, folder / EXCLUDED, folder / BACKGROUND):
        for block in read_bibtex(path).blocks:
            ids = {arxiv_id(block.text(field)) for field in ("eprint", "doi", "url")}
            if id in ids if id else block.key.lower() == name.lower():
                yield str(path), block


def _check_other(path: Path, pool: Pool) -> tuple[Problem, ...]:
    known = {e.key for e in (*pool.entries, *pool.records)}
    tags = {entry.key: entry.tags for entry in pool}
    by_name: dict[str, Callable[[], Sequence[Problem]]] = {
        READERS: lambda: read_readers(path)[1],
        ADJUDICATIONS: lambda: read_adjudications(path.parent, pool.taxonomy, tags, pool.codings)[1],
        CONFUSIONS: lambda: read_confusions(path.parent, pool.taxonomy, pool.codings)[1],
        CLAIMS: lambda: read_claims(path, pool.taxonomy, known, pool.codings)[1],
        EDITIONS: lambda: read_editions(path)[1],
        APPRAISAL: lambda: read_appraisal(path, pool.taxonomy, pool.entries)[1],
        PROTOCOL: lambda: read_protocol(path, pool.taxonomy, {r.key for r in pool.records})[1],
        SCREENED: lambda: _check_screened(path, pool),
        SEARCHES: lambda: _check_searches(path, pool),
        GAPS: lambda: read_notes(path, pool.taxonomy)[1],
        SCALE: lambda: [*read_evidence_kinds(path, pool.taxonomy)[1], *read_scale_page(path)[1]],
    }
    if path.name in by_name:
        return tuple(by_name[path.name]())
    if path.suffix == ".toml":
        try:
            read_taxonomy(path)
        except InvalidSurvey as error:
            return error.problems
        return ()
    if path.suffix == ".csv" and path.parent.name == FOLDER:
        return tuple(p for p in read_editions(path.parent.parent / EDITIONS)[1] if p.path == str(path))
    if path.suffix == ".csv" and path.name.startswith(AUDIT):
        return tuple(read_audited_fields(path, pool.taxonomy, known)[1])
    if path.suffix == ".csv":
        return tuple(read_judgements(path, pool.taxonomy, known)[1])
    return (Problem(str(path), 1, "cannot be checked (expected a .bib, .toml or .csv file)"),)


def _check_searches(path: Path, pool: Pool) -> Sequence[Problem]:
    log, problems = read_searches(path)
    return [*problems, *read_scouting(path, pool.taxonomy, log.routes)[1]]


def _check_screened(path: Path, pool: Pool) -> Sequence[Problem]:
    criteria = [criterion.id for criterion in pool.protocol.of(excludes=True)]
    works = screening_ids([*pool.entries, *pool.records])
    return read_screened(path, pool.searches.routes, criteria, works)[1]
