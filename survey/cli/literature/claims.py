"""The subcommand claims: the verdict on every countable sentence of the survey."""

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
from survey.literature.claims import READINGS, SIGNS, Judge, Judgement, citable_sentence, question
from survey.literature.problems import expected, quoted


@click.command(short_help="Judge every countable sentence of the survey.")
@click.argument("ids", metavar="[CLAIM]...", nargs=-1)
@as_of
@formats("table", "json", "csv")
@pass_bib
def claims(folder: Path, ids: tuple[str, ...], day: date | None, form: str) -> None:
    """Judge every countable sentence of the survey, as listed in bib/claims.toml.

    Each claim is counted as coded in the pool, strictly, as published, and by a second reading:

    \b
    holds              in every coding, and in the strict reading
    holds only broadly in every coding, but not in the strict reading
    contested          codings of the same works disagree
    no longer holds    held on an earlier snapshot; newer entries contradict it
    does not hold      in no coding, on no snapshot
    not measurable     no entry is coded on an axis that it needs

    With CLAIM, show everything about that claim: its readings, the entries behind each, what it
    does not say, what would change it, and a sentence to cite.
    """
    pool = load(folder)
    for id in ids:
        if id not in [claim.id for claim in pool.claims]:
            known = [claim.id for claim in pool.claims]
            raise click.UsageError(f"there is no claim {quoted(id)} {expected(id, known)}")
    judge = Judge(pool)
    judged = [judge.judged(claim, day) for claim in pool.claims if not ids or claim.id in ids]
    now = pool.as_of(day)
    if form == "json":
        document = {"data": now.fingerprint, "claims": [as_dict(judgement, pool) for judgement in judged]}
        click.echo(json.dumps(json_header(now) | document, ensure_ascii=False, indent=1))
    elif form == "csv":
        click.echo(_csv(judged), nl=False)
    elif ids:
        click.echo("\n\n".join(_page(judgement, pool) for judgement in judged))
    else:
        _table(judged)
        click.echo(f"\n{len(judged)} claims, {summary_line(now)}")


def as_dict(judgement: Judgement, pool: Pool) -> dict[str, Any]:
    """Return a judgement as a JSON object."""
    claim = judgement.claim
    return {
        "id": claim.id,
        "sentence": claim.sentence,
        "source": claim.source,
        "day": judgement.day.isoformat(),
        "status": str(judgement.status),
        "since": judgement.since.isoformat() if judgement.since else None,
        "because": list(judgement.because),
        "question": question(claim, pool.taxonomy),
        "limit": claim.limit,
        "changes": claim.changes,
        "readings": {
            t.reading: {
                "number": t.number, "of": t.of, "holds": t.holds, "counted": list(t.counted), "against": list(t.against)
            }
            for t in judgement.tallies
        },
    }  # fmt: skip


def _csv(judged: list[Judgement]) -> str:
    rows = []
    for judgement in judged:
        numbers = {t.reading: t.number for t in judgement.tallies}
        rows.append([
            judgement.claim.id, judgement.status, judgement.day, judgement.since or "",
            *(numbers.get(reading, "") for reading in READINGS), judgement.claim.sentence,
        ])  # fmt: skip
    return csv_text(["id", "status", "day", "since", *READINGS, "sentence"], *rows)


def _table(judged: list[Judgement]) -> None:
    for status in SIGNS:
        found = [j for j in judged if j.status is status]
        if not found:
            continue
        click.echo(f"\n{click.style(f'{status}: {len(found)}', bold=True)}")
        rows = [[j.claim.id, *(_number(j, reading) for reading in READINGS)] for j in found]
        align = ["left", *["right"] * len(READINGS)]
        click.echo(tabulate(rows, ["claim", *READINGS.values()], colalign=align, disable_numparse=True))


def _number(judgement: Judgement, reading: str) -> str:
    found = next((t for t in judgement.tallies if t.reading == reading), None)
    return "" if found is None else f"{found.number}{'' if found.holds else ' ✗'}"


def _page(judgement: Judgement, pool: Pool) -> str:
    claim = judgement.claim
    lines = [
        click.style(wrapped(claim.sentence), bold=True),
        f"{claim.id}: {judgement.verdict}, as of {judgement.day}",
        wrapped(f"counted: {question(claim, pool.taxonomy)}"),
        "",
    ]
    for t in judgement.tallies:
        whole = "" if claim.largest else f" of {t.of}"
        lines.append(f"{READINGS[t.reading]}: {t.number}{whole}, {'passes' if t.holds else 'fails'}")
        if t.counted and len(t.counted) <= 20:
            lines.append(wrapped(", ".join(t.counted), "    "))
    lines += ["", wrapped(f"Limit: {claim.limit}"), wrapped(f"What would change it: {claim.changes}")]
    then = pool.as_of(judgement.day)
    lines += ["", wrapped(citable_sentence(judgement, then.fingerprint))]
    return "\n".join(lines)


COMMANDS = (claims,)
