"""Options on output that commands of every wing share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                      help="Output file; .gz and .zst compress it.  [default: standard output]")  # fmt: skip


def formats(*names: str, about: str = "Output format.") -> Callable[..., Any]:
    """Return an option --format with these choices; the first is the default."""
    return click.option("--format", "form", type=click.Choice(names), default=names[0], show_default=True, help=about)
