"""The ``survey`` command: ``main``, with subcommands that are imported on demand."""

from __future__ import annotations

from pathlib import Path

import click

from survey.cli.examples import GroupWithExamples

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

WINGS = {
    "survey.cli.literature.pool": ("check", "list", "show", "export"),
    "survey.cli.scout.new": ("new",),
    "survey.cli.literature.counts": ("stats", "crosstab"),
    "survey.cli.literature.claims": ("claims",),
    "survey.cli.literature.gaps": ("gaps",),
    "survey.cli.literature.editions.diff": ("diff",),
    "survey.cli.literature.editions.edition": ("edition",),
    "survey.cli.literature.flow": ("flow",),
    "survey.cli.literature.robustness": ("robustness",),
    "survey.cli.literature.appraisal": ("appraisal",),
    "survey.cli.literature.agreement": ("agreement",),
    "survey.cli.literature.double_coding.queue": ("queue",),
    "survey.cli.literature.double_coding.code": ("code",),
    "survey.cli.literature.double_coding.adjudicate": ("adjudicate",),
    "survey.cli.literature.related": ("related",),
    "survey.cli.scout.group": ("scout",),
    "survey.cli.site": ("pages",),
    "survey.cli.init": ("init",),
    "survey.cli.trace.group": ("trace",),
}
"""The commands of each module, in the order in which the help lists them."""


@click.group(cls=GroupWithExamples, modules=WINGS, context_settings=CONTEXT)
@click.version_option(package_name="orchestration-survey")
@click.option("--bib", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Folder with pool.bib and taxonomy.toml.  [default: bib/ here or in a parent folder]")  # fmt: skip
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """An executable survey of the literature, and a toolkit for orchestration traces.

    \b
    First steps with the literature
      survey check                          problems in bib/, with file and line
      survey stats                          entries per value, on every axis
      survey crosstab {rows} {columns}      two axes against each other, empty cells included
      survey list --where {other}           the entries behind a number
      survey show KEY                       one entry with its tags and their evidence
      survey claims                         which claims of the survey hold, by which reading
      survey gaps {rows} {columns}          empty cells, why they are empty, how surprising that is
      survey diff DAY DAY                   changes in entries and in conclusions
      survey edition keep                   keep published editions as they were after an edit
      survey flow                           records found, excluded, included; completeness
      survey robustness                     which conclusions survive other ways of counting
      survey appraisal                      how the studies were made, as far as assessed
      survey agreement                      inter-reader agreement, with intervals
      survey queue                          which second readings would change most conclusions
      survey code --blind --reader ID       read entries a second time, without seeing their tags
      survey adjudicate                     decide where readings differ
      survey scout                          new works, ranked, to be decided on
      survey related --where {filter}       a sentence to cite, a covering set, a paragraph skeleton
      survey export --format bib -o my.bib  citations for your paper
      survey new ARXIV-ID                   an entry to fill in, with the facts of its metadata
      survey pages --out DIR                the pages of the site, for another generator
      survey init DIR --from refs.bib       a new survey, on any subject, from a BibTeX file

    \b
    First steps with a trace
      survey trace import auto SESSION -o run.jsonl   convert a log to a trace
      survey trace report run.jsonl                   its critical path, agents, costs
      survey trace check run.jsonl                    consistency checks

    \b
    Filters, for every command with --where
      AXIS=VALUE            entries with the value:            --where {filter}
      AXIS=VALUE,VALUE      with any of the values:            --where {either}
      AXIS=CODE or FAMILY   {codes}:                           --where {family}
      AXIS=VALUE:HOW        where the axis has a qualifier:    --where {qualified}
      several --where       all of them must match
      --primary             match first values only, as tables do

    Exit status: 0 success, 1 problems in the data, 2 usage error or a missing package.
    """
    context.obj = folder
