"""The subcommand claims: the verdict on every countable sentence of the survey."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from survey.cli.literature.appraisal import matching
from survey.cli.literature.options import appraised, as_of, pass_bib
from survey.cli.literature.printing import json_header, summary_line, wrapped
from survey.cli.literature.uncertainty import reliability
from survey.cli.output import formats
from survey.escaping import csv_text
from survey.literature import Pool, load
from survey.literature.agreement import Figure, Reliability
from survey.literature.claims import (
    READINGS,
    SIGNS,
    Certainties,
    Judge,
    Judgement,
    can_narrow,
    citation,
    depends_on_size,
    interval_in_words,
    narrowed,
    question,
    readings_of,
    where_it_applies,
)
from survey.literature.claims.tallies import Tally, tally
from survey.literature.pool import Claim
from survey.literature.problems import expected, quoted
from survey.plurals import plural


@click.command(short_help="Judge every countable sentence of the survey.")
@click.argument("ids", metavar="[CLAIM]...", nargs=-1)
@as_of
@appraised
@formats("table", "json", "csv")
@pass_bib
def claims(folder: Path, ids: tuple[str, ...], day: date | None, answers: list[tuple[str, str]], form: str) -> None:
    """Judge every countable sentence of the survey, as listed in bib/claims.toml.

    Each claim is counted as coded in the pool, in the strict reading, in the published coding, and in
    the second reading. A reading is counted on the works that it read ("4 of 84"), and on no others:

    \b
    holds                    as coded here, and in another reading of works that it read
    holds, read once         as coded here; no other reading has read enough to say
    holds only broadly       as coded here, but not in the strict reading
    contested                read differently: codings of the same works disagree
    no longer holds          changed since: it held on what had appeared; newer works contradict it
    did not hold even then   missed then: it held on what was known, not on what had appeared
    does not hold            it fails, and held in no edition
    not measurable           nothing is coded, or disclosed, that it needs

    With CLAIM, show everything about that claim: its readings, the entries behind each, what it
    does not say, what would change it, a sentence to cite, and how certain its numbers are: the 95 %
    interval of what they would be if every entry were read twice, and whether the test can turn in it.

    With --appraised, count each claim on the works alone whose studies have these answers in the
    appraisal (survey appraisal), and set the result beside that of all works.
    """
    pool = load(folder)
    for id in ids:
        if id not in [claim.id for claim in pool.claims]:
            known = [claim.id for claim in pool.claims]
            raise click.UsageError(f"there is no claim {quoted(id)} {expected(id, known)}")
    if answers:
        _on_appraised(pool.as_of(day), ids, answers, form)
        return
    judge, certain = pool.once(Judge), Certainties(pool)
    judged = [judge.judged(claim, day) for claim in pool.claims if not ids or claim.id in ids]
    now = pool.as_of(day)
    if form == "json":
        document = {"data": now.fingerprint, "claims": [as_dict(judgement, pool, certain) for judgement in judged]}
        click.echo(json.dumps(json_header(now) | document, ensure_ascii=False, indent=1))
    elif form == "csv":
        click.echo(_csv(judged, certain), nl=False)
    elif ids:
        click.echo("\n\n".join(_page(judgement, pool, certain) for judgement in judged))
    else:
        _table(judged, readings_of(pool))
        click.echo(f"\n{plural(len(judged), 'claim')}, {summary_line(now)}")


def as_dict(judgement: Judgement, pool: Pool, certain: Certainties) -> dict[str, Any]:
    """Return a judgement as a JSON object."""
    claim = judgement.claim
    sure = certain.of(claim, judgement.day)
    natural = where_it_applies(pool.as_of(judgement.day), claim)
    return {
        "id": claim.id,
        "sentence": claim.sentence,
        "source": claim.source,
        "day": judgement.day.isoformat(),
        "status": str(judgement.status),
        "verdict": judgement.verdict,
        "held": judgement.held.isoformat() if judgement.held else None,
        "since": judgement.since or None,
        "because": list(judgement.because),
        "question": question(claim, pool.taxonomy),
        "limit": claim.limit,
        "changes": claim.changes,
        "readings": {
            t.reading: {
                "number": t.number, "of": t.of, "holds": t.holds, "counted": list(t.counted),
                "against": list(t.against), "works": t.works, "as_coded_here": t.ours, "agrees": t.agrees,
            }
            for t in judgement.tallies
        },
        "appeared": {
            "number": judgement.appeared.number, "of": judgement.appeared.of, "holds": judgement.appeared.holds,
        } if judgement.appeared else None,
        "where_it_applies": {"number": natural.number, "of": natural.of, "holds": natural.holds} if natural else None,
        "certainty": {
            "number": _interval(sure.number), "of": _interval(sure.of), "against": _interval(sure.against),
            "near_threshold": sure.near, "none_because": sure.reason or None, **asdict(sure.readings),
            "reliability": {one.axis.id: reliability(one) for one in sure.reliability},
        },
    }  # fmt: skip


def _interval(figure: Figure | None) -> list[int] | None:
    return None if figure is None or figure.low is None or figure.high is None else [figure.low, figure.high]


def _on_appraised(pool: Pool, ids: tuple[str, ...], answers: list[tuple[str, str]], form: str) -> None:
    """Print each claim as coded on all works, and on those with these answers."""
    appraisal = pool.appraisal.within(entry.key for entry in pool)
    keys = matching(appraisal, answers)
    counted = [claim for claim in pool.claims if (not ids or claim.id in ids) and can_narrow(pool, claim)]
    pairs = [(claim, tally(pool, claim, "pool"), narrowed(pool, claim, keys)) for claim in counted]
    if form == "json":
        found = [
            {
                "id": claim.id, "number": few.number, "of": few.of, "counted": list(few.counted),
                "holds": None if depends_on_size(claim) else few.holds,
                "all": {"number": every.number, "of": every.of, "holds": every.holds},
            }
            for claim, every, few in pairs
        ]  # fmt: skip
        document = {"appraised": dict(answers), "works": sorted(keys), "claims": found}
        click.echo(json.dumps(json_header(pool) | document, ensure_ascii=False, indent=1))
        return
    rows = [
        [claim.id, *_narrow_cells(every, claim), *_narrow_cells(few, claim, few=True)] for claim, every, few in pairs
    ]
    if form == "csv":
        click.echo(
            csv_text(["id", "number", "of", "holds", "appraised", "appraised_of", "appraised_holds"], *rows), nl=False
        )
        return
    shown = [
        [claim.id, _whole(every, claim), row[3], _whole(few, claim), row[6]]
        for (claim, every, few), row in zip(pairs, rows, strict=True)
    ]
    click.echo(tabulate(shown, ["claim", "all works", "passes", "appraised", "passes"], disable_numparse=True))
    wanted = " and ".join(f"{item}: {answer}" for item, answer in answers)
    click.echo(
        f"\n{plural(len(keys), 'work')} with {wanted}, of {len(appraisal.asked)} that are asked. A fixed number has no"
        f" result on fewer works. {summary_line(pool)}"
    )


def _whole(found: Tally, claim: Claim) -> str:
    return str(found.number) if claim.largest else f"{found.number} of {found.of}"


def _narrow_cells(found: Tally, claim: Claim, few: bool = False) -> list[Any]:
    return [found.number, found.of, "" if few and depends_on_size(claim) else "yes" if found.holds else "no"]


def _csv(judged: list[Judgement], certain: Certainties) -> str:
    rows = []
    for judgement in judged:
        numbers = {t.reading: t.number for t in judgement.tallies}
        sure = certain.of(judgement.claim, judgement.day)
        near = "" if sure.near is None else "yes" if sure.near else "no"
        rows.append([
            judgement.claim.id, judgement.status, judgement.day, judgement.since or "",
            *(numbers.get(reading, "") for reading in READINGS), *(_interval(sure.number) or ("", "")), near,
            judgement.claim.sentence,
        ])  # fmt: skip
    header = ["id", "status", "day", "since", *READINGS, "low", "high", "near_threshold", "sentence"]
    return csv_text(header, *rows)


def _table(judged: list[Judgement], readings: Mapping[str, str]) -> None:
    for status in SIGNS:
        found = [j for j in judged if j.status is status]
        if not found:
            continue
        click.echo(f"\n{click.style(f'{status}: {len(found)}', bold=True)}")
        rows = [[j.claim.id, *(_number(j, reading) for reading in readings)] for j in found]
        align = ["left", *["right"] * len(readings)]
        click.echo(tabulate(rows, ["claim", *readings.values()], colalign=align, disable_numparse=True))


def _number(judgement: Judgement, reading: str) -> str:
    found = next((t for t in judgement.tallies if t.reading == reading), None)
    if found is None:
        return ""
    part = f" of {found.of}" if found.of < found.works and not judgement.claim.largest else ""
    return f"{found.number}{part}{'' if found.holds else ' ✗'}"


def _page(judgement: Judgement, pool: Pool, certain: Certainties) -> str:
    claim = judgement.claim
    lines = [
        click.style(wrapped(claim.sentence), bold=True),
        f"{claim.id}: {judgement.verdict}, as of {judgement.day}",
        wrapped(f"counted: {question(claim, pool.taxonomy)}"),
        "",
    ]
    for t in judgement.tallies:
        whole = "" if claim.largest else f" of {t.of}"
        read = f" that it read (of {t.works}; as coded here {t.ours} of these)" if t.of < t.works else ""
        said = judgement.names[t.reading]
        lines.append(wrapped(f"{said}: {t.number}{whole}{read}, {'passes' if t.holds else 'fails'}"))
        if t.counted and len(t.counted) <= 20:
            lines.append(wrapped(", ".join(t.counted), "    "))
    if natural := where_it_applies(pool.as_of(judgement.day), claim):
        result = "passes" if natural.holds else "fails"
        lines.append(wrapped(f"of the works to which it applies: {natural.number} of {natural.of}, {result}"))
    if (found := judgement.appeared) is not None:
        whole = "" if claim.largest else f" of {found.of}"
        result = "passes" if found.holds else "fails"
        lines.append(wrapped(f"what had appeared by {judgement.day}: {found.number}{whole}, {result}"))
    sure = certain.of(claim, judgement.day)
    lines += ["", wrapped(f"if every entry were read twice (95 %): {interval_in_words(sure)}")]
    if sure.readings.entries:
        lines.append(f"read: {sure.readings.once} once, {sure.readings.twice} twice or more")
    if sure.reliability:
        kappas = [f"{one.axis.label.lower()} {_kappa(one)}" for one in sure.reliability]
        lines.append(wrapped(f"reliability, as Cohen's kappa: {'; '.join(kappas)}"))
    lines += ["", wrapped(f"Limit: {claim.limit}"), wrapped(f"What would change it: {claim.changes}")]
    then = pool.as_of(judgement.day)
    lines += ["", wrapped(citation(judgement, then.fingerprint).plain)]
    return "\n".join(lines)


def _kappa(one: Reliability) -> str:
    if one.found is None:
        return "no two readers have coded it"
    return f"{'not defined' if one.kappa is None else f'{one.kappa:.2f}'} (n = {one.found.n} read twice)"


COMMANDS = (claims,)
