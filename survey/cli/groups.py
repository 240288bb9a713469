"""Groups of commands: each command is imported when it is asked for, and names the extra that it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from survey.extras import missing


class MissingExtra(click.ClickException):
    """A command needs a package that an extra installs; one line on standard error says which, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(self.message, file=file, err=True)


class LateGroup(click.Group):
    """A group whose commands are imported late: a trace needs no pool, and most commands no numpy."""

    modules: Mapping[str, tuple[str, ...]] = {}
    """Which module brings which commands. Each module has a tuple ``COMMANDS``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names: the group's own, then those of the modules in their order."""
        return [*super().list_commands(ctx), *(name for names in self.modules.values() for name in names)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; its module is imported now."""
        for module, names in self.modules.items():
            if cmd_name in names:
                commands: tuple[click.Command, ...] = import_module(module).COMMANDS
                return next(command for command in commands if command.name == cmd_name)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ``MissingExtra`` where it lacks a package that an extra brings."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            said = missing(error)
            if said is None:
                raise
            raise MissingExtra(f"{ctx.command_path} {ctx.invoked_subcommand}: {said}") from None
