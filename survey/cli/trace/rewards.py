"""``survey trace reward``: the rewards that each family assigns in a run."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterable, Mapping
from math import isfinite, nan
from pathlib import Path

import click

from survey.cli.output import Alert, Heading, echo, formats, page
from survey.cli.trace.files import file, open_output, reports_errors, select_trace, which
from survey.escaping import csv_text
from survey.plurals import plural
from survey.traces import Trace, replay
from survey.traces.problems import nearest
from survey.traces.rewards import FAMILIES, VARIANTS, Family, Reward, RewardResult, family, rewards, table

COLUMNS = ("trace_id", "kind", "unit", "reward", "family", "part", "why")


class _Word(click.ParamType[Family]):
    """A reward family, by code or name."""

    name = "FAMILY"

    def convert(self, value: str | Family, param: click.Parameter | None, ctx: click.Context | None) -> Family:
        try:
            return value if isinstance(value, Family) else family(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _Setting(click.ParamType[tuple[str, float]]):
    """A weight and its value."""

    name = "name=value"

    def convert(
        self, value: str | tuple[str, float], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        name, _, amount_text = value.partition("=")
        try:
            amount = float(amount_text)
        except ValueError:
            amount = nan
        if not isfinite(amount):
            self.fail(f'"{value}" is not a weight (expected a name, "=" and a number: local=0.3)', param, ctx)
        return name.strip(), amount


@click.command(short_help="Compute what each reward family pays in a trace, and why.")
@file
@which
@click.option("--family", "families", type=_Word(), multiple=True, metavar="FAMILY",
              help="R1 to R8, or by name: shared, individual, role, process, tool, debate, orchestration, hybrid; "
                   "also parl.  [default: R1 to R8]")  # fmt: skip
@click.option("--weight", "settings", type=_Setting(), multiple=True, metavar="NAME=VALUE",
              help="Set a weight of the families chosen; repeatable. A weight of 0 leaves a part out.")  # fmt: skip
@formats("table", "json", "csv")
@reports_errors
def reward(
    path: Path,
    wanted: str | None,
    families: tuple[Family, ...],
    settings: tuple[tuple[str, float], ...],
    form: str,
) -> None:
    """Compute what the reward families R1 to R8 pay in a trace: to whom, how much, and why.

    \b
      survey trace reward run.jsonl
      survey trace reward run.jsonl --family R7 --weight latency=0
      survey trace reward run.jsonl --family R8 --weight local=0.3 --format json
      survey trace reward run.jsonl --family parl --weight progress=0.5

    A family that the trace does not support is listed with the reason; a missing reward never counts as 0.
    Exit status 1 if --family was given and no such family pays anything.
    """
    asked = list(dict.fromkeys(one.name for one in families or FAMILIES.values()))
    parameters = _parameters([family(name) for name in asked], settings)
    found = select_trace(path, wanted)
    replayed = replay(found)
    try:
        paid = rewards(replayed, asked, parameters)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--weight") from None
    if form == "json":
        document = {
            "trace_id": found.id,
            "task_id": found.task,
            "rewards": table(paid.rewards),
            "why_not": paid.why_not,
        }
        echo(json.dumps(document, ensure_ascii=False, indent=1))
    elif form == "csv":
        with open_output(None) as stream:
            stream.write(_csv(found, paid).encode("utf-8", "surrogatepass"))
        for name, reason in paid.why_not.items():
            echo(f"{name}: {reason}", err=True)
    else:
        click.echo(page(_lines(found, paid, replayed.problems.errors)))
    if families and not paid.rewards:
        raise SystemExit(1)


def _parameters(asked: list[Family], settings: Iterable[tuple[str, float]]) -> dict[str, dict[str, float]]:
    """Assign the given weights to the families that have them."""
    found: dict[str, dict[str, float]] = {}
    known = sorted({name for one in asked for name in one.weights})
    for name, value in settings:
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "they have none"
            message = f'"{name}" is not a weight of the families chosen{nearest(name, known)}; {expected}'
            raise click.BadParameter(message, param_hint="--weight")
        for one in asked:
            if name in one.weights:
                found.setdefault(one.name, {})[name] = value
    return found


def _csv(trace: Trace, paid: RewardResult) -> str:
    return csv_text(COLUMNS, *([trace.id, *(row[name] for name in COLUMNS[1:])] for row in table(paid.rewards)))


def _lines(trace: Trace, paid: RewardResult, errors: int) -> list[str]:
    width = min(max(shutil.get_terminal_size().columns, 60), 110)
    lines: list[str] = [Heading(trace.id)]
    if errors:
        message = f"{plural(errors, 'error')}: the rewards are unreliable (run survey trace check)."
        lines.append(Alert(message))
    for title, rows in _grouped(paid.rewards).items():
        lines += ["", Heading(title), *_rows(rows, width)]
    if paid.why_not:
        lines += ["", Heading("Not computable in this trace"), *_reasons(paid.why_not, width)]
    return lines


def _grouped(found: Iterable[Reward]) -> dict[str, list[Reward]]:
    groups: dict[str, list[Reward]] = {}
    for one in found:
        known = VARIANTS["parl"] if one.part.startswith("r_") else FAMILIES[one.family]
        groups.setdefault(f"{known.code} {known.title}", []).append(one)
    return groups


def _rows(rows: list[Reward], width: int) -> list[str]:
    """Return rewards with their explanations; several parts paid to one unit also have a total."""
    units = {f"{one.kind} {one.unit}" for one in rows}
    alone = len(units) == 1 < len(rows)
    names = [
        one.part if alone and one.part else f"{one.kind} {one.unit}{f', {one.part}' if one.part else ''}"
        for one in rows
    ]
    column = min(max(map(len, names)), width // 2 - 12)
    lines = [f"  to the {units.pop()}"] if alone else []
    for name, one in zip(names, rows, strict=True):
        shown = name if len(name) <= column else name[: column - 1] + "…"
        start = f"  {shown:{column}}  {one.reward + 0.0:>8.4g}  "
        lines += textwrap.wrap(one.why, width, initial_indent=start, subsequent_indent=" " * len(start))
    if alone:
        lines.append(f"  {'total':{column}}  {sum(one.reward for one in rows) + 0.0:>8.4g}")
    return lines


def _reasons(why_not: Mapping[str, str], width: int) -> list[str]:
    together: dict[str, list[str]] = {}
    for name, reason in why_not.items():
        together.setdefault(reason, []).append(name)
    return [
        textwrap.fill(f"{', '.join(names)}: {reason}", width, initial_indent="  ", subsequent_indent="    ")
        for reason, names in together.items()
    ]


COMMANDS = (reward,)
