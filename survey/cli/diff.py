"""The subcommand on what changed."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import click

from survey.cli.options import Day, finds_bib, formats
from survey.cli.printing import wrapped
from survey.literature import Pool, load
from survey.literature.changes import Changes, changes
from survey.literature.statistics import cell_label


@click.command(short_help="What changed between two days, in entries and in conclusions.")
@click.argument("before", type=Day())
@click.argument("after", type=Day())
@formats("text", "json")
@finds_bib
def diff(folder: Path, before: date, after: date, form: str) -> None:
    """Say what changed from BEFORE to AFTER: entries that came, and what follows from them.

    Claims whose status or number is another one, rankings of values in another order, and cells
    of two main axes in which nobody stood and now somebody does.

    \b
        survey diff 2026-05-04 2026-11-21
    """
    pool = load(folder)
    try:
        found = changes(pool, before, after)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if form == "json":
        click.echo(json.dumps(_as_dict(found), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(_lines(found, pool)))


def _as_dict(found: Changes) -> dict[str, object]:
    return {
        "before": found.before.isoformat(),
        "after": found.after.isoformat(),
        "entries": [entry.key for entry in found.entries],
        "records": [record.key for record in found.records],
        "claims": [
            {
                "id": new.claim.id,
                "before": {"status": str(old.status), "number": old.broad.number},
                "after": {"status": str(new.status), "number": new.broad.number, "because": list(new.because)},
            }
            for old, new in found.claims
        ],
        "rankings": [{"axis": r.axis, "before": list(r.before), "after": list(r.after)} for r in found.rankings],
        "filled": [[list(a), list(b)] for a, b in found.filled],
    }


def _lines(found: Changes, pool: Pool) -> list[str]:
    out = [
        click.style(f"From {found.before} to {found.after}", bold=True),
        f"{len(found.entries)} entries and {len(found.records)} excluded records came",
    ]
    if found.entries:
        out.append(wrapped(", ".join(entry.key for entry in found.entries), "    "))
    out += ["", click.style(f"{len(found.overturned)} claims have another status", bold=True)]
    for old, new in found.overturned:
        out.append(wrapped(f"{new.claim.id}: {old.status} -> {new.verdict}", "    "))
    rest = [(old, new) for old, new in found.claims if old.status is new.status]
    out += ["", f"{len(rest)} more have another number"]
    for old, new in rest:
        out.append(f"    {new.claim.id}: {old.broad.number} of {old.broad.of} -> {new.broad.number} of {new.broad.of}")
    out += ["", click.style(f"{len(found.rankings)} rankings have another order", bold=True)]
    for ranking in found.rankings:
        out.append(wrapped(f"{ranking.axis}: {' > '.join(ranking.before)}", "    "))
        out.append(wrapped(f"now {' > '.join(ranking.after)}", "        "))
    out += ["", click.style(f"{len(found.filled)} empty cells are filled", bold=True)]
    for (a, x), (b, y) in found.filled:
        labels = (cell_label(pool.taxonomy, pool.taxonomy[axis], cell) for axis, cell in ((a, x), (b, y)))
        out.append(
            wrapped(" with ".join(f"{axis} {label}" for axis, label in zip((a, b), labels, strict=True)), "    ")
        )
    return out


COMMANDS = (diff,)
