"""Checks of single files, whether or not they belong to the pool."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from survey.literature.bibtex import Block, read_bibtex, readable, unprotected
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
    TABLES,
)
from survey.literature.loading.tables import read_table
from survey.literature.pool import (
    ADJUDICATIONS,
    AUDITS,
    CONFUSIONS,
    DOI,
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
    title_words,
)
from survey.literature.pool.editions import FOLDER
from survey.literature.problems import InvalidSurvey, Problem, quoted
from survey.literature.taxonomy import read_taxonomy

FEW = 3
"""Longest list of words in a note."""


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


def lost_capitals(blocks: Iterable[Block], path: str) -> Iterator[Problem]:
    """Yield a note for every title with capitals that most styles print in lower case. It is no problem of the data."""
    for block in blocks:
        if words := unprotected(block.text("title")):
            shown = " and ".join(map(quoted, words[:FEW])) + (" and more" if len(words) > FEW else "")
            message = f"most styles print {shown} in lower case (write {{{words[0]}}})"
            yield Problem(path, block.fields["title"].line, message, block.key, "title")


def existing_entries(folder: Path, names: Collection[str], title: str = "") -> Iterator[tuple[Path, Block]]:
    """Yield the works of a folder that have one of these names, or this title, each with its file.

    A name is an arXiv id, a DOI, a web address or a key. Syntax errors are ignored: the caller may be in the middle of
    an edit.
    """
    marks = {mark for name in names if name for mark in (_mark(name), f"key:{name.lower()}")}
    words = "".join(title_words(title))
    for path in (folder / POOL, folder / EXCLUDED, folder / BACKGROUND):
        for block in read_bibtex(path).blocks:
            texts = (text for field in ("eprint", "doi", "url") if (text := block.text(field)))
            theirs = {f"key:{block.key.lower()}", *map(_mark, texts)}
            if marks & theirs or (words and words == "".join(title_words(readable(block.text("title"))))):
                yield path, block


def _mark(name: str) -> str:
    """Return what an arXiv id, a DOI or a web address names, in one form."""
    if id := arxiv_id(name):
        return f"arxiv:{id}"
    doi = DOI.fullmatch(name.lower())
    return f"doi:{doi[1]}" if doi else name.rstrip("/").removeprefix("https://").removeprefix("http://")


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
        SCALE: lambda: [*read_evidence_kinds(path, pool.taxonomy)[1], *read_scale_page(path, pool.taxonomy)[1]],
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
    if path.suffix == ".csv" and path.parent.name == TABLES:
        return tuple(read_table(path)[1])
    if path.suffix == ".csv" and path.parent.name == AUDITS:
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
