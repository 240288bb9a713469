"""A group of commands that imports a command when it is asked for, and names the extra that one lacks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from survey.escaping import LAYOUT, visible
from survey.extras import missing


class MissingExtra(click.ClickException):
    """A command needs a package that an extra installs: one line on standard error, and exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(self.message, file=file, err=True)


class LazyGroup(click.Group):
    """A group of which some commands are in modules that are imported late: a trace needs no pool.

    ``modules`` says which module brings which commands; it has a tuple ``COMMANDS``.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, tuple[str, ...]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names: the group's own, then those of the modules in their order."""
        return [*super().list_commands(ctx), *(name for names in self.modules.values() for name in names)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; its module is imported now if that was not done."""
        for module, names in self.modules.items():
            if cmd_name in names:
                commands: tuple[click.Command, ...] = import_module(module).COMMANDS
                return next(command for command in commands if command.name == cmd_name)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ``MissingExtra`` if it needs a package that only an extra installs."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:  # it may quote a file or its name
            error.message = visible(error.message, LAYOUT)  # type: ignore[misc]
            raise
        except ModuleNotFoundError as error:
            said = missing(error)
            if said is None:
                raise
            raise MissingExtra(f"{ctx.command_path} {ctx.invoked_subcommand}: {said}") from None
