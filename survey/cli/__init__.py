"""The ``survey`` command: ``main`` and, in a module per wing, its subcommands."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from survey import __version__

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

WINGS = {
    "literature.pool": ("check", "stats", "crosstab", "list", "show", "export", "new"),
    "literature.claims": ("claims",),
    "literature.gaps": ("gaps",),
    "literature.diff": ("diff",),
    "literature.robustness": ("robustness",),
    "literature.agreement": ("agreement",),
    "literature.related": ("related",),
    "site": ("pages",),
    "trace.group": ("trace",),
}
"""Which module brings which commands, in the order in which they are listed."""


class Wings(click.Group):
    """A group that imports a wing when one of its commands is asked for: a trace needs no pandas."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the wings."""
        return [name for names in WINGS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its wing."""
        for module, names in WINGS.items():
            if cmd_name in names:
                commands: tuple[click.Command, ...] = import_module(f"survey.cli.{module}").COMMANDS
                return next(command for command in commands if command.name == cmd_name)
        return None


@click.group(cls=Wings, context_settings=CONTEXT)
@click.version_option(__version__)
@click.option("--bib", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="The folder with pool.bib and taxonomy.toml.  [default: the nearest bib/ upwards]")  # fmt: skip
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """A survey that is computed, and a toolkit for the traces it is about.

    \b
    First steps with the literature
      survey check                          is everything in bib/ as it should be?
      survey stats                          how many entries per value, on every axis
      survey crosstab reward credit         two axes against each other, empty cells included
      survey list --where credit=message    the entries behind a number
      survey show c3                        one entry with its tags and their evidence
      survey claims                         which sentences of the survey hold, by which reading
      survey gaps reward credit             what is empty, in which way, and how surprising that is
      survey diff 2026-05-04 2026-11-21     what changed, in entries and in conclusions
      survey robustness                     which conclusions survive another way of counting
      survey agreement                      how far two readings agree, with intervals
      survey related --where reward=R6      a sentence to cite, a reading path, a skeleton
      survey export --format bib -o my.bib  citations for your paper
      survey new 2603.06859                 an empty entry to fill in
      survey pages --out DIR                the pages of the site, for another generator

    \b
    First steps with a trace
      survey trace import auto SESSION -o run.jsonl   a real system's log as a trace
      survey trace report run.jsonl                   its critical path, agents, costs
      survey trace check run.jsonl                    what cannot have happened

    \b
    Filters, wherever --where is taken
      AXIS=VALUE            entries that carry the value:      --where reward=shared
      AXIS=VALUE,VALUE      any of them:                       --where credit=turn,message
      AXIS=CODE or FAMILY   O1 to O5, R1 to R8, E1 to E4:      --where reward=R6
      AXIS=VALUE:HOW        where the axis says how:           --where decision=stop:learned
      several --where       all of them must hold
      --primary             look at first values only, as the published tables do

    Exit status: 0 done, 1 the data has problems, 2 used wrongly.
    """
    context.obj = folder
