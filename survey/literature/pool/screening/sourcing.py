"""Checks of where facts and evidence come from: what a preprint must say, and which third parties were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from survey.literature.pool.entries import Entry
from survey.literature.pool.screening.protocol import Sourcing
from survey.literature.problems import Problem, quoted

SOURCES, THIRD_PARTY = "sources", "third-party"


def check_sourcing(sourcing: Sourcing, entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield a problem for each thing that entries do not say about their sources, and should by the protocol."""
    for entry in entries:
        for name, message in _problems(sourcing, entry):
            line = entry.block.fields[name].line if name in entry.block.fields else entry.block.line
            yield Problem(entry.path, line, message, entry.key, name)


def _problems(sourcing: Sourcing, entry: Entry) -> Iterator[tuple[str, str]]:
    fields = entry.block.fields
    for name in sourcing.preprint:
        if "eprint" in fields and name not in fields:
            yield name, "is missing (an entry with eprint needs it)"
    for url in entry.text(SOURCES).split():
        if _is_of(url, sourcing.third_parties):
            yield SOURCES, f"{quoted(url)} is a third party's page (move it to {THIRD_PARTY})"
    if sourcing.said_as and THIRD_PARTY not in fields:
        for name, field in fields.items():
            if name.startswith("why-") and sourcing.said_as in field.text.lower():
                yield name, f"rests on a third party's page, yet {THIRD_PARTY} names none"


def _is_of(url: str, hosts: Iterable[str]) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # reported where the field is checked
        return False
    return any(host == other or host.endswith(f".{other}") for other in hosts)
