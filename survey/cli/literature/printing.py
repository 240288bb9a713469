"""How results look in a terminal."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

import click
import pandas as pd
from tabulate import tabulate

from survey.literature import Entry, Pool


def headline(pool: Pool) -> dict[str, Any]:
    """What every JSON output says first: of which day, over how many."""
    return {"as_of": pool.day.isoformat(), "entries": len(pool), "excluded": len(pool.records)}


def sentence(pool: Pool) -> str:
    """The same in words."""
    return f"{len(pool)} entries, {len(pool.records)} excluded records, as of {pool.day.isoformat()}"


def count_table(table: pd.DataFrame) -> str:
    """A column of counts with bars; mentions only where they say something new."""
    widest = max(table["count"].max(), 1) if len(table) else 1
    shown = pd.DataFrame({"value": table["cell"], "count": table["count"]})
    if "mentions" in table and (table["mentions"] != table["count"]).any():
        shown["mentions"] = table["mentions"]
    shown[""] = ["▇" * round(24 * number / widest) for number in table["count"]]
    alignment = ["left", *["right"] * (shown.shape[1] - 2), "left"]
    return tabulate(shown.to_numpy().tolist(), headers=list(shown.columns), colalign=alignment)


def wrapped(text: str, indent: str = "") -> str:
    """A text in lines that fit the terminal."""
    width = min(max(shutil.get_terminal_size().columns, 60), 100)
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent)


def entry_page(entry: Entry, pool: Pool) -> list[str]:
    """All that is known of an entry, line by line."""
    lines = [click.style(wrapped(entry.title), bold=True), wrapped("; ".join(map(str, entry.authors)))]
    if entry.text("authors-incomplete"):
        lines.append(wrapped(f"(incomplete: {entry.text('authors-incomplete')})"))
    lines += [f"{entry.venue}, {entry.year}   {entry.url}", f"{entry.path}:{entry.block.line}", ""]
    if entry.text("summary"):
        lines += [wrapped(entry.text("summary")), ""]
    for axis_id, tags in entry.tags.items():
        axis = pool.taxonomy[axis_id]
        lines.append(f"{click.style(axis.label, bold=True)}: {'; '.join(map(str, tags))}")
        if entry.why(axis_id):
            lines.append(wrapped(entry.why(axis_id), "    "))
    for coding in pool.codings.values():
        differing = [
            f"{axis}: {'; '.join(map(str, judgement.tags))}"
            for axis, judgement in coding.of(entry.key).items()
            if judgement.tags[0].word != entry.primary(axis)
        ]
        if differing:
            lines += ["", wrapped(f"The coding {coding.id} has {' | '.join(differing)}")]
    return lines
