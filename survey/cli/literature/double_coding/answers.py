"""Questions on the terminal, answered by a person or by lines on standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from survey.cli.output import echo
from survey.literature.double_coding import text_problem

STOP, SKIP, HELP = ".", "-", "?"


class Stop(Exception):
    """The reader stops here; everything answered before is recorded."""


class Skip(Exception):
    """The reader leaves this question out."""


def ask(question: str, problem: Callable[[str], str] = lambda _: "", required: bool = True) -> str:
    """Return the answer to a question.

    A person is asked again after an invalid answer. On standard input that is no terminal, an invalid answer ends the
    run with exit status 1: the lines after it could belong to any question.

    Raises:
        Stop: at the end of the input, at an interrupt, or for the answer ".".
        Skip: for the answer "-".

    """
    while True:
        try:
            answer = input(f"{question}: ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Stop from None
        if not sys.stdin.isatty():
            click.echo()  # the answer is not on the screen
        if answer == STOP:
            raise Stop
        if answer == SKIP:
            raise Skip
        wrong = text_problem(answer) or ("an answer is needed" if required and not answer else "")
        wrong = wrong or (problem(answer) if answer else "")
        if not wrong:
            return answer
        if not sys.stdin.isatty():
            raise click.ClickException(f"{question}: {wrong}")
        echo(wrong, err=True)
