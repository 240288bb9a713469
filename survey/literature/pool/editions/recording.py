"""Recording editions: the rows that restore what was published, and the text of ``editions.toml``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from difflib import SequenceMatcher

from survey.literature.bibtex import Block
from survey.literature.pool.editions.edition import ENTRY, KIND, ORDER, PLACE, RECORD, TYPE, Edition, Erratum, Row
from survey.literature.pool.editions.reading import COLUMNS
from survey.literature.pool.editions.restoring import Bases, Works, published_works, restored, works_by_date

Rows = Mapping[str, Mapping[str, Row]]


def rows_between(then: Works, today: Works, edition: Edition, changed: date) -> dict[str, dict[str, Row]]:
    """Return the rows with which the works of today give those of an edition, in content and in order.

    A row that the edition has already keeps its day; others get ``changed``, at the earliest the day after the
    edition, because the edition is the pool at the end of its day.
    """
    when = max(changed, edition.day + timedelta(days=1))
    bases, kinds = Bases(today), works_by_date(today, edition.day.isoformat()).kinds
    values: dict[str, dict[str, str]] = {key: {KIND: ""} for key in kinds if key not in then.kinds}
    for kind in (ENTRY, RECORD):
        for block in then.of(kind):
            rows = {KIND: kind} if kinds.get(block.key) != kind else {}
            if rows | (found := _differences(bases[block.key], block)):
                values[block.key] = rows | found
    bare = replace(edition, rows=_dated(values, edition, when))
    for kind, keys in _moved(published_works(today, bare), then).items():
        order = [block.key for block in then.of(kind)]
        for key in keys:
            values.setdefault(key, {})[PLACE] = str(order.index(key))
    return _dated(values, edition, when)


def _differences(now: Block, then: Block) -> dict[str, str]:
    """Return what must be put back into a block of today, as texts by field."""
    found = {TYPE: then.type} if then.type != now.type else {}
    names = dict.fromkeys([*then.fields, *now.fields])
    found |= {name: then.text(name) for name in names if then.text(name) != now.text(name)}
    rows = {name: Row(text, date.max) for name, text in found.items()}
    if [*restored(now, then.key, rows).fields] != [*then.fields]:
        found[ORDER] = " ".join(then.fields)
    return found


def _moved(now: Works, then: Works) -> dict[str, list[str]]:
    """Return the keys of works that do not stand in the order of the edition, by kind."""
    found = {}
    for kind in (ENTRY, RECORD):
        before, after = ([block.key for block in works.of(kind)] for works in (then, now))
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        same = {key for block in blocks for key in before[block.a : block.a + block.size]}
        found[kind] = [key for key in before if key not in same]
    return found


def _dated(values: Mapping[str, Mapping[str, str]], edition: Edition, when: date) -> dict[str, dict[str, Row]]:
    out: dict[str, dict[str, Row]] = {}
    for key, fields in values.items():
        known = edition.rows.get(key, {})
        out[key] = {
            name: known[name] if name in known and known[name].value == value else Row(value, when)
            for name, value in fields.items()
        }
    return out


def formatted_rows(rows: Rows) -> str:
    """Return rows as CSV, sorted by key and field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for key, fields in sorted(rows.items()):
        writer.writerows((key, name, row.value, row.changed.isoformat()) for name, row in sorted(fields.items()))
    return text.getvalue()


def with_data(text: str, day: date, data: str) -> str:
    """Return the text of ``editions.toml`` with the fingerprint of an edition set."""
    start, end = _table(text, day)
    table, line = text[start:end], f"data = {_quoted(data)}"
    if re.search(r"(?m)^data\s*=", table):
        return text[:start] + re.sub(r"(?m)^data\s*=.*$", line, table, count=1) + text[end:]
    return f"{text[:start]}{table.rstrip()}\n{line}\n{'' if end == len(text) else chr(10)}{text[end:]}"


def with_edition(text: str, day: date, title: str, note: str) -> str:
    """Return the text of ``editions.toml`` with a new edition at its end."""
    rest = f"note = {_quoted(note)}\n" if note else ""
    return f"{text.rstrip()}\n\n[{day}]\ntitle = {_quoted(title)}\n{rest}".lstrip()


def with_erratum(text: str, day: date, erratum: Erratum) -> str:
    """Return the text of ``editions.toml`` with a further erratum of an edition, after its table."""
    works = ", ".join(map(_quoted, erratum.works))
    table = (
        f"[[{day}.errata]]\nday = {erratum.day}\nreason = {_quoted(erratum.reason)}\n"
        f"was = {_quoted(erratum.was)}\nworks = [{works}]\n"
    )
    return f"{text.rstrip()}\n\n{table}"


def _table(text: str, day: date) -> tuple[int, int]:
    """Return where the table of an edition starts and ends, without the tables of its errata."""
    found = re.search(rf"(?m)^\[{day}\][^\n]*\n", text)
    if found is None:
        raise ValueError(f"there is no table [{day}]")
    following = re.search(r"(?m)^\[", text[found.end() :])
    return found.start(), found.end() + following.start() if following else len(text)


def _quoted(text: str) -> str:
    """Return a text as a basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)
