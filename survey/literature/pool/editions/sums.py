"""Checksums of an edition: one per work and one per field, so that a difference can be named without an old copy."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

from survey.literature.pool.editions.edition import ENTRY, RECORD, TYPE
from survey.literature.pool.editions.keys import aliases
from survey.literature.pool.editions.restoring import Works

FIELD = "field"

Sums = dict[tuple[str, str], str]
"""By kind (entry, record, field) and key or name of the field."""

FEW = 8
"""Longest list of works or fields in a message."""


def sums(works: Works) -> Sums:
    """Return the checksums of works: of each, and of each field over all of them."""
    found: Sums = {}
    columns: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for kind in (ENTRY, RECORD):
        for block in works.of(kind):
            row = {TYPE: block.type} | {name: field.text for name, field in block.fields.items()}
            found[kind, block.key] = _sum(sorted(row.items()))
            for name, text in row.items():
                columns[name].append((block.key, text))
    return found | {(FIELD, name): _sum(sorted(column)) for name, column in columns.items()}


def formatted_sums(works: Works) -> str:
    """Return the checksums as text: one per line, with kind and name."""
    return "".join(f"{kind} {name} {found}\n" for (kind, name), found in sorted(sums(works).items()))


def described_difference(path: Path, works: Works) -> str:
    """Return which works and fields differ from the checksums in a file; empty if there are none to compare with."""
    then = _read(path)
    if not then:
        return ""
    now = sums(works)
    differ = sorted({place for place in then.keys() | now.keys() if then.get(place) != now.get(place)})
    keys = [place for place in differ if place[0] != FIELD]
    gone = {key for kind, key in keys if (kind, key) not in now}
    new = {key for kind, key in keys if (kind, key) not in then}
    changed = {key for _, key in keys} - gone - new
    fields = [name for kind, name in differ if kind == FIELD]
    parts = []
    if changed:
        parts.append(f"{_listed(changed)} differ{'s' if len(changed) == 1 else ''} in {_listed(fields)}")
    if gone - new:
        parts.append(f"{_listed(gone - new)} {'is' if len(gone - new) == 1 else 'are'} gone")
    if moved := gone & new:
        parts.append(f"{_listed(moved)} moved between the entries and the excluded records")
    if new - gone:
        parts.append(f"{_listed(new - gone)} {'is' if len(new - gone) == 1 else 'are'} new")
    return "; ".join(parts)


def arrivals(works: Works, path: Path) -> set[str]:
    """Return the works that the checksums in a file do not know, under their keys or their former ones."""
    known = {key for kind, key in _read(path) if kind != FIELD}
    renamed = {now for former, now in aliases(works).items() if former in known}
    return {block.key for block in works} - known - renamed if known else set()


def _read(path: Path) -> Sums:
    """Return the checksums in a file; none if it cannot be read."""
    try:
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return {}
    return {(line[0], line[1]): line[2] for line in lines if len(line) == 3}


def _listed(names: set[str] | list[str]) -> str:
    ordered = sorted(names)
    more = len(ordered) - FEW
    return ", ".join(ordered[:FEW]) + (f" and {more} more" if more > 0 else "")


def _sum(data: object) -> str:
    return hashlib.sha256(json.dumps(data, ensure_ascii=False).encode()).hexdigest()[:8]
