"""The subcommand on credit: who earned the reward of a run."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from survey.cli.trace.files import opened, readings_at, tells, valid
from survey.traces import Trace
from survey.traces.credit import KINDS, METHODS, VALUES, NotMeasurable, assign
from survey.traces.credit.rows import COLUMNS, frame, rows

files = click.argument("paths", metavar="FILE...", nargs=-1, required=True,
                       type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))  # fmt: skip


@click.command(short_help="Who earned the reward: credit by unit and method.")
@files
@click.option(
    "--unit", "kind", type=click.Choice(KINDS), default="agent", show_default=True, help="What credit hangs on."
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="leave-one-out",
    show_default=True,
    metavar="METHOD",
    help="One of those listed below.",
)
@click.option(
    "--value",
    type=click.Choice(list(VALUES)),
    default="reach",
    show_default=True,
    help="What a part of a run is worth: the share of the returned work, or of the tokens, that reaches "
    "the result, or the recorded outcome as long as the result, or all work it used, is left.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    metavar="N",
    help="Estimate from so many orders.  [default: exact where it can be, else 1000]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the orders drawn.")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the confidence intervals.",
)
@click.option("--reward", metavar="NAME", help="Which of the run's rewards.  [default: team, or the only one]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "parquet"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write; .gz and .zst pack.  [default: standard output]",
)
@tells
def credit(
    paths: tuple[Path, ...], kind: str, method: str, value: str, samples: int | None, seed: int, level: float,
    reward: str | None, form: str, output: Path | None,
) -> None:  # fmt: skip
    """Say what every agent, role, turn, message or call of a run earned.

    \b
      survey trace credit run.jsonl --method shapley
      survey trace credit run.jsonl --unit message --method shapley --samples 500 --seed 1
      survey trace credit rollouts/*.jsonl --unit turn --method group --format parquet -o credit.parquet

    \b
    From the reward alone   broadcast
    From a group of runs    group, agent-wise, magrpo, two-level, sharp-group
    By taking units out     leave-one-out, shapley, shapley-antithetic, shapley-stratified,
                            shapley-latin, shapley-graph, shapley-causal, sharp
    From other runs         counterfactual
    Along the run           gae

    Taking a unit out of a record runs nothing again: it says what of the record depends on the unit.
    A method that makes no sense for a unit, or lacks something in the trace, says so; exit status 1.
    """
    traces = [valid(reading) for path in paths for reading in readings_at(path)]
    with _bar(f"{METHODS[method].title}, {len(traces)} trace{'s' if len(traces) != 1 else ''}") as progress:
        try:
            found = assign(
                traces, kind, method, value=VALUES[value], samples=samples, seed=seed, level=level, reward=reward,
                progress=progress,
            )  # fmt: skip
        except NotMeasurable as reason:
            raise click.ClickException(str(reason)) from None
    if form == "parquet":
        if output is None and sys.stdout.isatty():
            raise click.UsageError("parquet is no text: name a file with -o, or pass it on")
        written = io.BytesIO()
        frame(traces, found).to_parquet(written, index=False)
        data = written.getvalue()
    else:
        data = {"table": _table, "json": _json, "csv": _csv}[form](traces, found).encode("utf-8", "surrogatepass")
    with opened(output) as stream:
        stream.write(data)


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Tells how far it is, on standard error if that is a terminal; begins anew with each trace."""
    if not sys.stderr.isatty():
        yield lambda done, whole: None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def tell(done: int, whole: int) -> None:
            if done < bar.pos or bar.length != whole:
                bar.pos, bar.length, bar.finished = 0, whole, False
            bar.update(done - bar.pos)

        yield tell


Found = Sequence[Sequence[Any]]


def _table(traces: Sequence[Trace], found: Found) -> str:
    from tabulate import tabulate

    pages = []
    for trace, own in zip(traces, found, strict=True):
        bounded = any(credit.low is not None for credit in own)
        head = ["unit", "credit", *(["from", "to"] if bounded else []), "why"]
        body = [[c.unit, *map(_said, (c.value, c.low, c.high) if bounded else (c.value,)), c.why] for c in own]
        align = ["left", *["right"] * (3 if bounded else 1), "left"]
        table = tabulate(body, headers=head, disable_numparse=True, colalign=align) if own else "no units"
        pages.append(f"{trace.id}\n\n{table}\n")
    return "\n".join(pages)


def _said(amount: float | None) -> str:
    return "" if amount is None else f"{amount + 0.0:.4f}".replace("-0.0000", "0.0000")


def _json(traces: Sequence[Trace], found: Found) -> str:
    return json.dumps(rows(traces, found), ensure_ascii=False, indent=1) + "\n"


def _csv(traces: Sequence[Trace], found: Found) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(traces, found))
    return text.getvalue()
