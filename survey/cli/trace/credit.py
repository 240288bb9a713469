"""``survey trace credit``: assign the reward of a run to its units."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, get_args

import click
import msgspec

from survey.cli.output import echo, formats, output
from survey.cli.trace.files import files, open_output, read_documents, reports_errors, require_trace
from survey.escaping import LAYOUT, csv_text, visible
from survey.plurals import plural
from survey.traces import Trace
from survey.traces.credit import ALIKE, KINDS, METHODS, VALUES, NotMeasurable, Policy, assign
from survey.traces.credit.rows import COLUMNS, frame, rows


@click.command(short_help="Assign the reward of a run to agents, messages or other units.")
@files
@click.option(
    "--unit", "kind", type=click.Choice(KINDS), default="agent", show_default=True, help="Unit that receives credit."
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="leave-one-out",
    show_default=True,
    metavar="METHOD",
    help="One of the methods listed above.",
)
@click.option(
    "--value",
    type=click.Choice(list(VALUES)),
    default="reward",
    show_default=True,
    help="Value of a part of a run. reward: the reward times the share of useful acts that still lead to the result; "
    "outcome, outcome-returns: the reward while the result, or all work that it used, remains; reach, reach-tokens: "
    "the share of returns, or tokens, that reaches the result, whatever the reward.",
)
@click.option("--baseline", type=float, metavar="NUMBER", help="Reward of doing nothing, for the value.  [default: 0]")
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    metavar="N",
    help="Estimate from N sampled orders.  [default: exact where feasible, else 1000]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sampling.")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the confidence intervals.",
)
@click.option("--reward", metavar="NAME", help="Reward to assign.  [default: team, or the only one]")
@click.option(
    "--gamma",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Discount of gae and magrpo.",
)
@click.option("--lam", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Lambda of gae.")
@click.option(
    "--critic",
    type=click.File("rb"),
    metavar="FILE",
    help="Predictions of a critic for gae, in JSON: {TRACE: {UNIT: VALUE}}.",
)
@click.option("--bootstrap", type=float, default=0.0, show_default=True, help="Prediction after the last step of gae.")
@click.option("--per-agent", is_flag=True, help="One sequence of gae for each agent, not one for the team.")
@click.option(
    "--bad",
    type=click.Choice(get_args(Policy)),
    default="raise",
    show_default=True,
    help="What becomes of runs and units that cannot be credited: an error that lists all, no rows, or 0.",
)
@formats("table", "json", "csv", "parquet")
@output
@reports_errors
def credit(
    paths: tuple[Path, ...], kind: str, method: str, value: str, baseline: float | None, samples: int | None,
    seed: int, level: float, reward: str | None, gamma: float, lam: float, critic: BinaryIO | None, bootstrap: float,
    per_agent: bool, bad: Policy, form: str, output: Path | None,
) -> None:  # fmt: skip
    """Compute the credit of every agent, role, turn, message or call of a run.

    \b
      survey trace credit run.jsonl --method shapley
      survey trace credit run.jsonl --unit message --method shapley --samples 500 --seed 1
      survey trace credit rollouts/*.jsonl --unit turn --method group --format parquet -o credit.parquet

    \b
    From the reward alone   broadcast
    From a group of runs    group, rloo, agent-wise, magrpo, two-level, sharp-group
    By removing units       leave-one-out, shapley, shapley-antithetic, shapley-stratified,
                            shapley-latin, shapley-graph, shapley-causal, sharp
    From other runs         counterfactual, coma
    Along the run           gae

    Removing a unit reruns nothing: it estimates the reward from what in the record is left and depends on the unit.
    Exit status 1 with every reason if a method does not apply to a unit or if traces lack what it needs.
    """
    notes: list[str] = []
    traces = [require_trace(reading) for path in paths for reading in read_documents(path)]
    with _bar(f"{METHODS[method].title}, {plural(len(traces), 'trace')}") as progress:
        try:
            found = assign(
                traces, kind, method, value=value, baseline=baseline, samples=samples, seed=seed, level=level,
                reward=reward, gamma=gamma, lam=lam, critic=_predictions(critic), bootstrap=bootstrap,
                by_agent=per_agent, bad=bad, report=notes.append, progress=progress,
            )  # fmt: skip
        except (NotMeasurable, ValueError) as reason:
            raise click.ClickException(str(reason)) from None
    for trace, own in zip(traces, found, strict=True) if METHODS[method].removes else ():
        if own and own[0].why.endswith(ALIKE):
            notes.append(f"{trace.id}: {own[0].value:.4f} is {own[0].why.rpartition('; ')[2]}")
    if kind == "message" and METHODS[method].removes:
        notes.append(
            "note: a record shows who sent a message to whom, and not whether it informed or misled; what messages "
            "were worth takes reruns (against_policy in survey.traces.credit)"
        )
    for note in notes:
        echo(note, err=True)
    if form == "parquet":
        if output is None and sys.stdout.isatty():
            raise click.UsageError("parquet is binary: name a file with -o, or redirect the output")
        buffer = io.BytesIO()
        frame(traces, found).to_parquet(buffer, index=False)
        data = buffer.getvalue()
    else:
        data = {"table": _table, "json": _json, "csv": _csv}[form](traces, found).encode("utf-8", "surrogatepass")
    with open_output(output) as stream:
        stream.write(data)


def _predictions(file: BinaryIO | None) -> dict[str, dict[str, float]] | None:
    """Read the predictions of a critic: an object by trace, of objects by unit."""
    if file is None:
        return None
    try:
        return msgspec.json.decode(file.read(), type=dict[str, dict[str, float]])
    except msgspec.DecodeError as error:
        raise click.BadParameter(f"{error} (expected {{TRACE: {{UNIT: VALUE}}}})", param_hint="--critic") from None


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error if that is a terminal; it restarts with each trace."""
    if not sys.stderr.isatty():
        yield lambda done, whole: None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def show(done: int, whole: int) -> None:
            if done < bar.pos or bar.length != whole:
                bar.pos, bar.length, bar.finished = 0, whole, False
            bar.update(done - bar.pos)

        yield show


Found = Sequence[Sequence[Any]]


def _table(traces: Sequence[Trace], found: Found) -> str:
    from tabulate import tabulate

    pages = []
    for trace, own in zip(traces, found, strict=True):
        bounded = any(credit.low is not None for credit in own)
        head = ["unit", "credit", *(["from", "to"] if bounded else []), "why"]
        body = [[c.unit, *map(_number, (c.value, c.low, c.high) if bounded else (c.value,)), c.why] for c in own]
        align = ["left", *["right"] * (3 if bounded else 1), "left"]
        table = tabulate(body, headers=head, disable_numparse=True, colalign=align) if own else "no units"
        pages.append(visible(f"{trace.id}\n\n{table}\n", LAYOUT))
    return "\n".join(pages)


def _number(amount: float | None) -> str:
    return "" if amount is None else f"{amount + 0.0:.4f}".replace("-0.0000", "0.0000")


def _json(traces: Sequence[Trace], found: Found) -> str:
    return json.dumps(rows(traces, found), ensure_ascii=False, indent=1) + "\n"


def _csv(traces: Sequence[Trace], found: Found) -> str:
    return csv_text(COLUMNS, *(row.values() for row in rows(traces, found)))


COMMANDS = (credit,)
