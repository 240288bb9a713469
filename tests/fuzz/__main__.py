"""``python -m tests.fuzz``: a campaign, with its figures, and exit status 1 if any input was not well received."""

from __future__ import annotations

from pathlib import Path

import click

from tests.fuzz.campaign import HEAD, Tally, campaign, line, record, shares
from tests.fuzz.doors import DOORS


@click.command()
@click.option(
    "--seed", default=1, show_default=True, help="Of what is made by chance; the same seed makes the same inputs."
)
@click.option(
    "--inputs", default=20_000, show_default=True, type=click.IntRange(min=1), help="How many, over all doors."
)
@click.option("--door", "doors", multiple=True, type=click.Choice(list(DOORS)), help="Only this one; may be repeated.")
@click.option("--seeds", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
              help="Begin from the files of a folder as well: logs of real systems, a pool of one's own.")  # fmt: skip
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1), help="How many processes at once.")
@click.option("--failures", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Where inputs go that were not well received.")  # fmt: skip
def main(seed: int, inputs: int, doors: tuple[str, ...], seeds: Path | None, jobs: int, failures: Path | None) -> None:
    """Give mutated inputs in at every door, and say how they were received. The last line is the record, as JSON."""
    click.echo(HEAD)
    tallies: list[Tally] = []
    for tally in campaign(shares(inputs, doors or tuple(DOORS)), seed, seeds, failures, jobs):
        tallies.append(tally)
        click.echo(line(tally))
        for number, words in list(tally.failures.items())[:20]:
            click.echo(f"    {number}: {words}")
    click.echo(record(tallies, seed))
    if any(tally.bad for tally in tallies):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
