"""``survey trace stopping``: what a stopping rule would have saved in recorded runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from survey.cli.output import formats, output
from survey.cli.trace.files import files, open_output, read_documents, reports_errors, require_trace
from survey.cli.trace.printing import amount
from survey.escaping import LAYOUT, csv_text, visible
from survey.plurals import plural
from survey.traces.stopping import Evaluation, Rule, Saving, Savings, rule, savings

COLUMNS = (
    "trace_id", "rounds", "stop", "tokens_saved", "calls_saved", "seconds_saved", "reward", "reward_at_end", "why_not"
)  # fmt: skip


class _Word(click.ParamType[tuple[str, Rule]]):
    """A rule with its parameters, and the words that ask for it."""

    name = "RULE"

    def convert(
        self, value: str | tuple[str, Rule], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Rule]:
        try:
            return value if isinstance(value, tuple) else (value, rule(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(short_help="Report what a stopping rule would have saved in recorded runs.")
@files
@click.option("--rule", "chosen", type=_Word(), default="patience:1", show_default=True, metavar="RULE[:NUMBERS]",
              help="One of the rules listed above, with its parameters.")  # fmt: skip
@click.option("--reward", metavar="NAME", help="Score to read.  [default: the only one of events; team, or the only "
              "one, of the run]")  # fmt: skip
@click.option("--among", multiple=True, metavar="AGENT",
              help="Agent that answers the same question as the others named; repeatable.  [default: in a declared "
                   "debate, all that hand out no work]")  # fmt: skip
@click.option("--between", type=(float, float), metavar="LOW HIGH",
              help="Range of the reward, to bound its mean where it is not recorded.")  # fmt: skip
@formats("table", "json", "csv")
@output
@reports_errors
def stopping(
    paths: tuple[Path, ...],
    chosen: tuple[str, Rule],
    reward: str | None,
    among: tuple[str, ...],
    between: tuple[float, float] | None,
    form: str,
    output: Path | None,
) -> None:
    """Report what a stopping rule would have saved in recorded runs of several rounds.

    \b
      survey trace stopping debates.jsonl --rule agreement:1
      survey trace stopping runs/*.jsonl --rule fixed:3 --between 0 1
      survey trace stopping session.jsonl --rule patience:2 --format json

    \b
    fixed:ROUNDS                        after a number of rounds
    patience:ROUNDS                     once nothing has improved for a number of rounds
    agreement:SHARE                     once the members of a debate agree to a share
    passing                             once the last check of a round passes
    giving-up:AFTER,BELOW,ROUNDS,CAP    like patience; also after some rounds if the agreement is
                                        below a bar, and at a cap

    A round is an exchange: what agents say or hand out, and what others answer, before the first speak again. For an
    agent that works alone it is a cycle of its tools, such as edit and test. Nothing is rerun. A stop within a record
    is exact, and its reward known where the record grades that round. A run that the rule would have continued is
    counted as censored, and nothing is guessed for it. The rule is taken to replace the team's own way to end.

    Exit status 1 if the rule applies to no run; each such run is listed with the reason.
    """
    words, made = chosen
    traces = (require_trace(reading) for path in paths for reading in read_documents(path))
    found = savings(traces, made, reward=reward, debaters=among or None)
    try:
        evaluated = found.evaluation(made, between) if found.runs else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--between") from None
    if form == "json":
        text = json.dumps(_document(words, found, evaluated), ensure_ascii=False, indent=1) + "\n"
    elif form == "csv":
        text = csv_text(COLUMNS, *([row[name] for name in COLUMNS] for row in _rows(found)))
    else:
        text = visible(_table(words, found, evaluated), LAYOUT)
    with open_output(output) as stream:
        stream.write(text.encode("utf-8", "surrogatepass"))
    if not found.runs:
        raise SystemExit(1)


def _rows(found: Savings) -> list[dict[str, Any]]:
    rows = [_row(one) for one in found.runs]
    return rows + [dict.fromkeys(COLUMNS) | {"trace_id": id, "why_not": reason} for id, reason in found.why_not]


def _row(one: Saving) -> dict[str, Any]:
    saved = one.saved
    return {
        "trace_id": one.episode.trace_id,
        "rounds": len(one.episode.rounds),
        "stop": one.stop,
        "tokens_saved": saved and saved.tokens,
        "calls_saved": saved and saved.calls,
        "seconds_saved": saved and saved.seconds,
        "reward": one.reward,
        "reward_at_end": one.reward_at_end,
        "why_not": None,
    }


def _document(words: str, found: Savings, evaluated: Evaluation | None) -> dict[str, Any]:
    total: dict[str, Any] = {"runs": len(found.runs), "stopped": len(found.stopped), "censored": found.censored}
    for what in ("tokens", "calls", "seconds"):
        sums = found.total(what)
        total[what] = sums and {"saved": sums[0], "of": sums[1], "runs": sums[2]}
    rewards = found.rewards()
    total["reward"] = rewards and {"at_stop": rewards[0], "at_end": rewards[1], "runs": rewards[2]}
    bounded = evaluated is not None and evaluated.low is not None
    total["mean_reward_between"] = [evaluated.low, evaluated.high] if evaluated and bounded else None
    return {"rule": words, "runs": _rows(found), "total": total}


def _table(words: str, found: Savings, evaluated: Evaluation | None) -> str:
    from tabulate import tabulate

    lines = []
    if found.runs:
        head = ["run", "rounds", "stop after", "tokens saved", "calls saved", "seconds saved", "reward", "at the end"]
        body = [_cells(_row(one)) for one in found.runs]
        align = ["left", *["right"] * 7]
        lines += [tabulate(body, headers=head, disable_numparse=True, colalign=align), "", *_summary(words, found)]
    if evaluated and evaluated.low is not None and evaluated.high is not None and evaluated.exact < evaluated.runs:
        lines.append(
            f"The mean reward of {words} lies between {evaluated.low:.4g} and {evaluated.high:.4g}: "
            f"it is unknown for {evaluated.runs - evaluated.exact} of {_count(evaluated.runs, 'run')}."
        )
    if found.why_not:
        lines += [""] * bool(lines) + [f"{words} does not apply to:"]
        lines += [f"  {visible(id)}: {visible(reason)}" for id, reason in found.why_not]
    return "\n".join(lines) + "\n"


def _cells(row: dict[str, Any]) -> list[str]:
    numbers = [row[name] for name in COLUMNS[3:6]]
    rewards = [row["reward"], row["reward_at_end"]]
    return [
        visible(str(row["trace_id"])),  # an id cannot pass for another line of the table
        str(row["rounds"]),
        "goes on" if row["stop"] is None else str(row["stop"]),
        *("" if number is None else amount(number) for number in numbers),
        *("" if number is None else f"{number:.4g}" for number in rewards),
    ]


def _summary(words: str, found: Savings) -> list[str]:
    count, known = len(found.runs), found.rewards()
    early = sum(one.stop is not None and one.stop < len(one.episode.rounds) for one in found.runs)
    lines = [f"{words} would have ended {early} of {_count(count, 'run')} before the recorded end."]
    parts = []
    for what in ("tokens", "calls", "seconds"):
        if early and (sums := found.total(what)) and sums[1]:
            record = "records" if sums[2] == 1 else "record"
            where = "" if sums[2] == len(found.stopped) else f" in {_count(sums[2], 'run')} that {record} them"
            parts.append(f"{amount(sums[0])} of {amount(sums[1])} {what} ({sums[0] / sums[1]:.0%}){where}")
    if parts:
        lines.append(f"It saves {', '.join(parts)} of the rounds of the runs that it ends.")
    if found.censored:
        lines.append(
            f"Censored: in {_count(found.censored, 'run')} it would have gone on beyond the recorded end; "
            "nothing in the record says what would have come. (Where a team keeps its own end as well, they stay as "
            "they are.)"
        )
    if known:
        lines.append(
            f"Reward: {known[0]:.4g} at the stop and {known[1]:.4g} at the end, the mean over "
            f"{_count(known[2], 'run')} where both are recorded."
        )
    elif found.stopped:
        lines.append("Reward: no run that it ends records the reward of that stop.")
    return lines


def _count(number: int, word: str) -> str:
    return plural(number, word)


COMMANDS = (stopping,)
