"""The subcommand scout: what is new, how well that is found, and what changed in what is here."""

from __future__ import annotations

import click

from survey.cli.lazy_group import LazyGroup

MODULES = {
    "survey.cli.scout.find": ("find",),
    "survey.cli.scout.triage": ("triage",),
    "survey.cli.scout.upkeep": ("status", "evaluate", "refresh"),
}


@click.group(
    cls=LazyGroup, modules=MODULES, invoke_without_command=True, short_help="Find new works, rank them, decide on them."
)
@click.pass_context
def scout(context: click.Context) -> None:
    """Find new works, rank them by what was kept so far, and decide on them one by one.

    \b
      survey scout find --write        ask the sources, and put the best 50 into the queue
      survey scout find LISTING.jsonl  the same from files, without a network
      survey scout triage              read the queue: one key keeps, excludes or skips
      survey scout refresh             what changed in the metadata of the entries
      survey scout evaluate FILE       how much of what came in a reader would have seen
      survey scout status              how far behind the survey is

    Without a subcommand: survey scout find. What is looked for stands in bib/searches.toml, every decision
    in bib/screened.csv. Raw answers are kept in .cache/scout/.
    """
    if context.invoked_subcommand is None:
        from survey.cli.scout.find import find

        context.invoke(find)


COMMANDS = (scout,)
