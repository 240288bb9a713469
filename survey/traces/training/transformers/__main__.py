"""Run the experiment and write its results, with the commit, the seeds and the machine that they came from."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import click

from survey.extras import missing
from survey.traces.training.transformers.experiment import SETTINGS, experiment
from survey.traces.training.transformers.tasks import TASKS


@click.command(context_settings={"show_default": True})
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--setting", type=click.Choice(tuple(SETTINGS)), default="small", help="How large, and for how long.")
@click.option("--device", type=click.Choice(("cpu", "cuda")), default="cpu", help="Where the teams train.")
@click.option("--task", "tasks", type=click.Choice(tuple(TASKS)), multiple=True, help="Only this task.  [default: all]")
@click.option("--commit", help="The commit of the code.  [default: what git says]")
def main(file: Path, setting: str, device: str, tasks: tuple[str, ...], commit: str | None) -> None:
    """Train small teams of transformers under each kind of credit; write the learning curves to FILE, as JSON."""
    commit = commit or subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
    try:
        found = experiment(SETTINGS[setting], device, tasks or tuple(TASKS), click.echo)
    except ModuleNotFoundError as error:
        if message := missing(error):
            raise click.ClickException(message) from None
        raise
    file.write_text(_written({"commit": commit, **found}))


def _written(found: dict[str, Any]) -> str:
    """Return results as JSON, with a line for each curve."""
    curves = ",\n".join(f"  {json.dumps(curve)}" for curve in found.pop("curves"))
    return json.dumps(found, indent=1).removesuffix("\n}") + f',\n "curves": [\n{curves}\n ]\n}}\n'


if __name__ == "__main__":
    main()
