"""``python -m tests.fuzz``: run a campaign and print its figures; exit status 1 if any input failed."""

from __future__ import annotations

from pathlib import Path

import click

from tests.fuzz.campaign import HEAD, Tally, campaign, line, record, shares
from tests.fuzz.targets import TARGETS


@click.command()
@click.option("--seed", default=1, show_default=True, help="Random seed; the same seed generates the same inputs.")
@click.option(
    "--inputs", default=20_000, show_default=True, type=click.IntRange(min=1), help="Number of inputs over all targets."
)
@click.option(
    "--target", "targets", multiple=True, type=click.Choice(list(TARGETS)), help="Only this target; repeatable."
)
@click.option("--seeds", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
              help="Additional seeds, such as logs of real systems or another pool.")  # fmt: skip
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1), help="Number of parallel processes.")
@click.option("--failures", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Output folder for failing inputs.")  # fmt: skip
def main(
    seed: int, inputs: int, targets: tuple[str, ...], seeds: Path | None, jobs: int, failures: Path | None
) -> None:
    """Run mutated inputs on every target and print the outcomes. The last line is the record, as JSON."""
    click.echo(HEAD)
    tallies: list[Tally] = []
    for tally in campaign(shares(inputs, targets or tuple(TARGETS)), seed, seeds, failures, jobs):
        tallies.append(tally)
        click.echo(line(tally))
        for number, words in list(tally.failures.items())[:20]:
            click.echo(f"    {number}: {words}")
    click.echo(record(tallies, seed))
    if any(tally.bad for tally in tallies):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
