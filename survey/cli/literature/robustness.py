"""The subcommand on robustness."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.options import as_of, finds_bib, formats
from survey.cli.literature.printing import headline, sentence, wrapped
from survey.literature import Pool, load
from survey.literature.claims import (
    Conclusion,
    Order,
    Outcome,
    Ranking,
    by_standing,
    conclusions,
    hangs_on,
    question,
    rankings,
)
from survey.literature.pool import Variant
from survey.literature.problems import expected, quoted

COLUMNS = ("claim", "variant", "number", "of", "against", "holds", "turned-by", "falls-with")


@click.command(short_help="Test every conclusion again under other ways of counting.")
@click.argument("ids", metavar="[CLAIM]...", nargs=-1)
@as_of
@formats("table", "json", "csv")
@finds_bib
def robustness(folder: Path, ids: tuple[str, ...], day: date | None, form: str) -> None:
    """Test every conclusion again under other ways of counting.

    The variants are those of bib/claims.toml: another reading, fewer works, works that were left
    out counted again, and one entry after the other taken out. A claim survives a variant if it
    passes its test there; "5 of 6" counts the variants that can ask it. To survive says how much
    hangs on a choice and not that the claim is true; to fail can mean that the variant
    leaves out the very works that the claim is about.

    \b
    peer reviewed (0)    fails there, with this number
    leave one out (c3)   turns when this entry is left out
    15 to 10             what is counted, and what it has to exceed

    With CLAIM, that claim variant by variant. Without, the order of values on every main axis
    follows: who leads, and how far the order agrees with the full one (Kendall's tau-b; ✗ where
    another value leads). The format csv has a row per claim and variant.
    """
    pool = load(folder)
    known = [claim.id for claim in pool.claims]
    for id in ids:
        if id not in known:
            raise click.UsageError(f"there is no claim {quoted(id)} {expected(id, known)}")
    if not pool.claims.variants:
        raise click.UsageError("there is no variant to test with (describe one in claims.toml, as [variant.ID])")
    now = pool.as_of(day)
    found = conclusions(pool, [claim for claim in pool.claims if not ids or claim.id in ids], day)
    orders = () if ids else rankings(pool, day)
    if form == "json":
        told = {"data": now.fingerprint, "variants": [_variant(v) for v in pool.claims.variants]}
        told |= {"claims": [_claim(c) for c in found], "rankings": [_ranking(r) for r in orders]}
        click.echo(json.dumps(headline(now) | told, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        click.echo(_csv(found), nl=False)
    elif ids:
        click.echo("\n\n".join(_page(conclusion, pool) for conclusion in found))
    else:
        _table(found)
        _orders(orders, pool.claims.variants)
        click.echo(f"\n{len(found)} claims, {len(pool.claims.variants)} variants, {sentence(now)}")


# ----------------------------------------------------------------- in a terminal


def _table(found: tuple[Conclusion, ...]) -> None:
    for standing, some in by_standing(found).items():
        if some:
            click.echo(f"\n{click.style(f'{standing}: {len(some)}', bold=True)}")
            rows = [[c.claim.id, _number(c.broad), _survives(c), _failing(c)] for c in some]
            headers, align = ["claim", "as coded", "passes in", "fails in"], ["left", "right", "right", "left"]
            if not any(c.failed for c in some):
                rows, headers, align = [row[:3] for row in rows], headers[:3], align[:3]
            widths = [None, None, None, 44][: len(headers)]
            click.echo(tabulate(rows, headers, colalign=align, disable_numparse=True, maxcolwidths=widths))
    if turning := hangs_on(found):
        click.echo(f"\n{click.style('entries that turn a claim when left out', bold=True)}")
        for key, some in turning.items():
            click.echo(wrapped(f"{key}: {', '.join(c.claim.id for c in some)}"))


def _orders(orders: tuple[Ranking, ...], variants: tuple[Variant, ...]) -> None:
    """For each axis who leads, how often, and tau-b with the full order in every variant."""
    shown = [v for v in variants if any(o.variant == v for r in orders for o in r.orders)]
    rows = []
    for r in orders:
        by = {o.variant.id: o for o in r.orders}
        leads = f"{len([o for o in r.orders if o.stays])} of {len(r.orders)}"
        rows.append([r.axis.id, ", ".join(r.full.leaders), leads, *(_tau(by.get(v.id)) for v in shown)])
    if rows:
        click.echo(f"\n{click.style('who leads on each axis, and tau-b with the order as coded', bold=True)}")
        headers = ["axis", "leads", "leads in", *(v.label.replace(" ", "\n") for v in shown)]
        align = ["left", "left", *["right"] * (len(headers) - 2)]
        click.echo(tabulate(rows, headers, colalign=align, disable_numparse=True))


def _tau(order: Order | None) -> str:
    if order is None:
        return ""
    return f"{'–' if order.tau is None else f'{order.tau:.2f}'}{'' if order.stays else ' ✗'}"


def _survives(conclusion: Conclusion) -> str:
    return f"{conclusion.survived} of {len(conclusion.tests)}" if conclusion.tests else ""


def _number(o: Outcome) -> str:
    if o.holds is None:
        return "–"
    return f"{o.number} to {o.against}" if o.against else str(o.number)


def _failing(conclusion: Conclusion) -> str:
    """The variants in which a claim fails, with the number, or the entries without which it turns."""
    return ", ".join(
        f"{o.variant.label} ({', '.join(o.turns) if o.variant.leave_one_out else _number(o)})"
        for o in conclusion.failed
        if o.turns or not o.variant.leave_one_out
    )


def _page(conclusion: Conclusion, pool: Pool) -> str:
    claim = conclusion.claim
    standing = f"{conclusion.standing}" + (f" ({_survives(conclusion)} passed)" if conclusion.tests else "")
    lines = [
        click.style(wrapped(claim.sentence), bold=True),
        wrapped(f"{claim.id}: {standing}, as of {conclusion.day}"),
        wrapped(f"counted: {question(claim, pool.taxonomy)}"),
        "",
    ]
    rows = [[o.variant.label, *_told(o, conclusion)] for o in (conclusion.broad, *conclusion.outcomes)]
    lines.append(tabulate(rows, tablefmt="plain", colalign=("left", "right", "left"), disable_numparse=True))
    return "\n".join([*lines, "", wrapped(f"It does not say: {claim.limit}")])


def _told(o: Outcome, conclusion: Conclusion) -> tuple[str, str]:
    if o.holds is None:
        return "", "cannot ask it"
    number = _number(o) if conclusion.claim.largest or o.against else f"{o.number} of {o.of}"
    passes = "passes" if o.holds else "fails"
    if o.variant.leave_one_out:
        return "", f"{passes}: " + (f"turns without {', '.join(o.turns)}" if o.turns else "no single entry turns it")
    if o.breaks is not None and conclusion.broad.holds:
        passes += f" (falls with {o.breaks} of {len(o.variant.readmit)})"
    return number, passes


# ------------------------------------------------------------------ for programs


def _variant(variant: Variant) -> dict[str, Any]:
    return {"id": variant.id, "label": variant.label, "says": variant.says, "is_test": not variant.at_worst}


def _claim(c: Conclusion) -> dict[str, Any]:
    return {
        "id": c.claim.id,
        "sentence": c.claim.sentence,
        "day": c.day.isoformat(),
        "standing": str(c.standing),
        "survived": c.survived,
        "tests": len(c.tests),
        "as_coded": _outcome(c.broad),
        "variants": {o.variant.id: _outcome(o) for o in c.outcomes},
    }


def _outcome(o: Outcome) -> dict[str, Any] | None:
    """An outcome for programs; null where the variant cannot ask the claim."""
    if o.holds is None:
        return None
    told: dict[str, Any] = {"holds": o.holds}
    if o.variant.leave_one_out:
        return told | {"turned_by": list(o.turns)}
    told |= {"number": o.number, "of": o.of, "against": o.against}
    return told | ({"falls_with": o.breaks} if o.variant.at_worst else {})


def _ranking(r: Ranking) -> dict[str, Any]:
    return {
        "axis": r.axis.id,
        "order": list(r.ordered),
        "leaders": list(r.full.leaders),
        "survived": r.survived,
        "tests": len(r.orders),
        "pairs": r.pairs,
        "counts": dict(r.full.counts),
        "variants": {
            o.variant.id: {
                "stays": o.stays, "leaders": list(o.leaders), "tau": o.tau, "reversed": o.reversed,
                "counts": dict(o.counts) or None, "turned_by": list(o.turns),
            }
            for o in r.orders
        },
    }  # fmt: skip


def _csv(found: tuple[Conclusion, ...]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for c in found:
        for o in (c.broad, *c.outcomes):
            if o.holds is None:
                continue
            numbers = ("", "", "") if o.variant.leave_one_out else (o.number, o.of, o.against)
            falls = "" if o.breaks is None else o.breaks
            writer.writerow((c.claim.id, o.variant.id, *numbers, str(o.holds).lower(), " ".join(o.turns), falls))
    return out.getvalue()


COMMANDS = (robustness,)
