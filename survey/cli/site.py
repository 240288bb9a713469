"""Subcommand of the site: pages."""

from __future__ import annotations

from pathlib import Path

import click

from survey.atomic import DISK_FULL
from survey.cli.literature.options import pass_bib
from survey.literature import load
from survey.plurals import plural


@click.command(short_help="Write the pages of the site into a folder.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR",
              help="Output folder, new or empty; written completely or not at all.")  # fmt: skip
@click.option("--project", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="Folder with mkdocs.yml.  [default: the parent of the data folder]")  # fmt: skip
@pass_bib
def pages(folder: Path, out: Path, project: Path | None) -> None:
    """Write every page of the site as Markdown, and a mkdocs.yml that does not need the survey's plugin.

    Any generator that reads mkdocs.yml can build the folder: MkDocs with Material, or Zensical.
    """
    from survey.site.publishing.folder import write_folder
    from survey.site.publishing.staging import Busy

    project = project or folder.resolve().parent
    if not (project / "mkdocs.yml").is_file():
        raise click.UsageError(f"there is no mkdocs.yml in {project} (name its folder with --project DIR)")
    try:
        number = write_folder(load(folder), project, out, folder)
    except FileExistsError as error:
        raise click.UsageError(str(error)) from None
    except Busy as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if error.filename is None and error.errno in DISK_FULL:
            raise OSError(error.errno, error.strerror, str(out)) from None
        raise
    click.echo(f"{plural(number, 'file')} written to {out}")


COMMANDS = (pages,)
