"""The subcommand queue: which second readings would change most."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.options import as_of, pass_bib
from survey.cli.literature.printing import json_header, summary_line
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.double_coding import Flip, Queue, Waiting, queue
from survey.plurals import plural

COLUMNS = ("rank", "key", "axis", "value", "readings", "disagreement", "weight", "claims", "changes", "chances")
HIDDEN = ("value", "claims", "changes", "chances")
"""Columns from which a reader could infer the tags."""

axes_option = click.option("--axis", "axes", multiple=True, metavar="AXIS", help="Only this axis; repeatable.")


@click.command("queue", short_help="List which second readings would change most.")
@axes_option
@click.option("-n", "--number", type=click.IntRange(min=1), default=20, show_default=True,
              help="Number of rows.")  # fmt: skip
@click.option("--blind", is_flag=True, help="Leave out values and claims, from which the tags could be inferred.")
@click.option("--claims", "by_claim", is_flag=True, help="List the claims, those that the fewest readings turn first.")
@as_of
@formats("table", "json", "csv")
@pass_bib
def queue_command(
    folder: Path, axes: tuple[str, ...], number: int, blind: bool, by_claim: bool, day: date | None, form: str
) -> None:
    """List the entries and axes whose second reading would change the results of most claims.

    A tag counts as read once if no second coding in bib/codings/ has it. (The published coding and
    the pool's tag are one reading: the pool took it over.) For each claim in bib/claims.toml, the
    smallest number of such tags is computed that, read differently, would turn the result of its
    test; a tag is pivotal if it belongs to a smallest set. Any value that the axis admits counts as
    a different reading, plausible or not.

    \b
    changes   how few second readings turn the claim
    chance    how often a second reading moved a tag like this one in the direction that turns the
              claim, among the tags of the axis that were read twice; one reading more is added
              that differs as often as readings on the axis do
    weight    the sum of chance / changes over all claims for which the tag is pivotal; the list is
              in this order, ties by disagreement
    differ    disagreement: the share of comparisons on the axis in which two readings differ, from
              blind readings where there are any; na, none and unknown count as one value. An axis
              that nobody read twice takes that of the worst axis that was, and is marked ?

    Claims on records, on the largest number, or on the size of the pool have no pivotal tags. Only
    the result as coded is considered, not the strict or the published reading.

    Whoever is to read blind should use --blind here, or let survey code --blind choose.
    """
    pool = load(folder).as_of(day)
    try:
        found = queue(pool, axes)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--axis") from None
    rows = found.waiting[:number]
    if by_claim:
        _claims(pool, found, number, form)
    elif form == "json":
        document = {"data": pool.fingerprint, "read_once": len(found.waiting), "read_twice": found.twice}
        document |= {"pairs": [_pair(rank, row, blind) for rank, row in enumerate(rows, 1)]}
        document |= {} if blind else {"claims": [_claim(flip) for flip in found.flips]}
        click.echo(json.dumps(json_header(pool) | document, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        columns = [name for name in COLUMNS if not (blind and name in HIDDEN)]
        cells = [_cells(rank, row) for rank, row in enumerate(rows, 1)]
        click.echo(csv_text(columns, *([row[name] for name in columns] for row in cells)), nl=False)
    else:
        _table(pool, found, rows, blind)


# ----------------------------------------------------------------- in a terminal


def _table(pool: Pool, found: Queue, rows: tuple[Waiting, ...], blind: bool) -> None:
    shown = [
        [rank, r.key, r.axis, *([] if blind else [r.tags or "not coded"]), _differ(r.disagreement, r.measured),
         f"{r.weight:.3f}", *([] if blind else [_stakes(r)])]
        for rank, r in enumerate(rows, 1)
    ]  # fmt: skip
    value, claims = ([], []) if blind else (["value"], ["turns (changes)"])
    headers = ["", "key", "axis", *value, "differ", "weight", *claims]
    align = ["right", "left", "left", *("left" for _ in value), "right", "right", *("left" for _ in claims)]
    widths = [None, None, None, *(24 for _ in value), None, None, *(40 for _ in claims)]
    if rows:
        click.echo(tabulate(shown, headers, colalign=align, maxcolwidths=widths, disable_numparse=True))
    pivotal = sum(bool(row.stakes) for row in found.waiting)
    once = f"{plural(len(found.waiting), 'tag was', 'tags were')} read once, {pivotal} of them pivotal for a claim"
    click.echo(f"{once}; {found.twice} {'was' if found.twice == 1 else 'were'} read twice\n{summary_line(pool)}")


def _differ(disagreement: float, measured: bool) -> str:
    return f"{disagreement:.2f}{'' if measured else ' ?'}"


def _stakes(row: Waiting, few: int = 3) -> str:
    named = ", ".join(f"{stake.claim} ({stake.changes})" for stake in row.stakes[:few])
    return named + (f", {len(row.stakes) - few} more" if len(row.stakes) > few else "")


def _claims(pool: Pool, found: Queue, number: int, form: str) -> None:
    """Print the claims, those that the fewest changes turn first."""
    ordered = sorted(found.flips, key=lambda f: (f.changes is None, f.changes or 0))[:number]
    rows = [_claim(flip) for flip in ordered]
    if form == "json":
        click.echo(json.dumps(json_header(pool) | {"claims": rows}, ensure_ascii=False, indent=1))
    elif form == "csv":
        click.echo(csv_text(_claim(found.flips[0]) if found.flips else (), *(row.values() for row in rows)), nl=False)
    elif rows:
        shown = [[f.claim.id, "" if f.left_out else _result(f.holds), "–" if f.changes is None else f.changes,
                  len(f.moves) or "", f.left_out] for f in ordered]  # fmt: skip
        align = ("left", "left", "right", "right", "left")
        headers = ["claim", "as coded", "changes", "pivotal", "why not"]
        click.echo(tabulate(shown, headers, colalign=align, maxcolwidths=[None, None, None, None, 40]))
    else:
        click.echo("there are no claims")


def _result(holds: bool) -> str:
    return "passes" if holds else "fails"


# ------------------------------------------------------------------ for programs


def _claim(flip: Flip) -> dict[str, Any]:
    return {
        "claim": flip.claim.id,
        "passes": None if flip.left_out else flip.holds,
        "changes": flip.changes,
        "pivotal": len(flip.moves),
        "left_out": flip.left_out or None,
    }


def _pair(rank: int, row: Waiting, blind: bool) -> dict[str, Any]:
    pair: dict[str, Any] = {"rank": rank, "key": row.key, "axis": row.axis, "readings": row.readings}
    pair |= {"disagreement": row.disagreement, "measured": row.measured, "weight": row.weight}
    if blind:
        return pair
    stakes = [{"claim": s.claim, "changes": s.changes, "chance": s.chance} for s in row.stakes]
    return pair | {"value": row.tags or None, "claims": stakes}


def _cells(rank: int, row: Waiting) -> dict[str, object]:
    values = (
        rank, row.key, row.axis, row.tags, row.readings, row.disagreement, row.weight,
        "; ".join(stake.claim for stake in row.stakes),
        "; ".join(str(stake.changes) for stake in row.stakes),
        "; ".join(f"{stake.chance:.4f}" for stake in row.stakes),
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


COMMANDS = (queue_command,)
