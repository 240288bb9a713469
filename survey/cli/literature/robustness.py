"""The subcommand robustness: every conclusion under other ways of counting."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.options import as_of, pass_bib
from survey.cli.literature.printing import json_header, summary_line, wrapped
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.claims import (
    Conclusion,
    Order,
    Outcome,
    Ranking,
    by_standing,
    conclusions,
    question,
    rankings,
    turning_entries,
)
from survey.literature.double_coding import every_pair, flip, smallest_change
from survey.literature.pool import Variant
from survey.literature.problems import expected, quoted
from survey.plurals import plural

COLUMNS = ("claim", "variant", "number", "of", "against", "holds", "turned-by", "falls-with")


@click.command(short_help="Test every conclusion under other ways of counting.")
@click.argument("ids", metavar="[CLAIM]...", nargs=-1)
@as_of
@formats("table", "json", "csv")
@pass_bib
def robustness(folder: Path, ids: tuple[str, ...], day: date | None, form: str) -> None:
    """Test every conclusion under other ways of counting.

    The variants come from bib/claims.toml: another reading, fewer works, excluded works counted
    again, and leave-one-out. A claim survives a variant if it passes its test there; "5 of 6"
    counts the variants to which the claim applies. Survival shows how little a conclusion depends
    on a choice, not that it is true. Variants that could not fail, whatever the tags say, are not
    counted. A claim can also fail because the variant excludes the very
    works that the claim is about.

    \b
    peer reviewed (0)    fails in this variant, with this number
    leave one out (KEY)  the result changes when this entry is left out
    15 to 10             the number counted, and the number it has to exceed

    With CLAIM, show that claim variant by variant. Without, a ranking of the values on every main
    axis follows: which value leads, and how far the order agrees with the full one (Kendall's
    tau-b; ✗ where another value leads). The format csv has a row per claim and variant.
    """
    pool = load(folder)
    known = [claim.id for claim in pool.claims]
    for id in ids:
        if id not in known:
            raise click.UsageError(f"there is no claim {quoted(id)} {expected(id, known)}")
    if not pool.claims.variants:
        raise click.UsageError("there is no variant to test with (add one to claims.toml, as [variant.ID])")
    now = pool.as_of(day)
    found = conclusions(pool, [claim for claim in pool.claims if not ids or claim.id in ids], day)
    orders = () if ids else rankings(pool, day)
    if form == "json":
        document = {"data": now.fingerprint, "variants": [_variant(v) for v in pool.claims.variants]}
        document |= {"claims": [_claim(c) for c in found], "rankings": [_ranking(r) for r in orders]}
        click.echo(json.dumps(json_header(now) | document, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        click.echo(_csv(found), nl=False)
    elif ids:
        click.echo("\n\n".join(_page(conclusion, pool) for conclusion in found))
    else:
        _table(found)
        _orders(orders, pool.claims.variants)
        click.echo(
            f"\n{plural(len(found), 'claim')}, {plural(len(pool.claims.variants), 'variant')}, {summary_line(now)}"
        )


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
    if turning := turning_entries(found):
        click.echo(f"\n{click.style('entries whose removal changes the result of a claim', bold=True)}")
        for key, some in turning.items():
            click.echo(wrapped(f"{key}: {', '.join(c.claim.id for c in some)}"))


def _orders(orders: tuple[Ranking, ...], variants: tuple[Variant, ...]) -> None:
    """Print for each axis the leading value, how often it leads, and tau-b with the full order in every variant."""
    shown = [v for v in variants if any(o.variant == v for r in orders for o in r.orders)]
    rows = []
    for r in orders:
        by = {o.variant.id: o for o in r.orders}
        leads = f"{len([o for o in r.orders if o.stays])} of {len(r.orders)}"
        rows.append([r.axis.id, ", ".join(r.full.leaders), leads, *(_tau(by.get(v.id)) for v in shown)])
    if rows:
        click.echo(f"\n{click.style('the leading value on each axis, and tau-b with the order as coded', bold=True)}")
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
    """Return the variants in which a claim fails, with the number or the entries whose removal changes it."""
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
    rows = [[o.variant.label, *_result(o, conclusion)] for o in (conclusion.broad, *conclusion.outcomes)]
    lines.append(tabulate(rows, tablefmt="plain", colalign=("left", "right", "left"), disable_numparse=True))
    change = smallest_change(flip(pool, claim, every_pair(pool)))
    lines += ["", wrapped(f"The smallest change that would turn it: {change}.")]
    return "\n".join([*lines, wrapped(f"Limit: {claim.limit}")])


def _result(o: Outcome, conclusion: Conclusion) -> tuple[str, str]:
    if o.holds is None:
        return "", "does not apply"
    if o.idle:
        return "", "cannot fail"
    number = _number(o) if conclusion.claim.largest or o.against else f"{o.number} of {o.of}"
    passes = "passes" if o.holds else "fails"
    if o.variant.leave_one_out:
        return "", f"{passes}: " + (
            f"changes without {', '.join(o.turns)}" if o.turns else "no single entry changes it"
        )
    if o.breaks is not None and conclusion.broad.holds:
        passes += f" (fails from {o.breaks} of {len(o.variant.readmit)} on)"
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
    """Return an outcome as a JSON object; null where the variant does not apply to the claim."""
    if o.holds is None:
        return None
    result: dict[str, Any] = {"holds": o.holds, "can_fail": not o.idle}
    if o.variant.leave_one_out:
        return result | {"turned_by": list(o.turns)}
    result |= {"number": o.number, "of": o.of, "against": o.against}
    return result | ({"falls_with": o.breaks} if o.variant.at_worst else {})


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
    rows: list[tuple[object, ...]] = []
    for c in found:
        for o in (c.broad, *c.outcomes):
            if o.holds is None:
                continue
            numbers = ("", "", "") if o.variant.leave_one_out else (o.number, o.of, o.against)
            falls = "" if o.breaks is None else o.breaks
            rows.append((c.claim.id, o.variant.id, *numbers, str(o.holds).lower(), " ".join(o.turns), falls))
    return csv_text(COLUMNS, *rows)


COMMANDS = (robustness,)
