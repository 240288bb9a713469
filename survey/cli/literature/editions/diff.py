"""The subcommand diff: changes between two days, or between two copies of the data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import click

from survey.cli.literature.editions.comment import change_summary, comment
from survey.cli.literature.options import Day, pass_bib
from survey.cli.literature.printing import wrapped
from survey.cli.output import formats
from survey.escaping import visible
from survey.literature import Entry, Pool, Tag, load
from survey.literature.bibtex import CHECKS
from survey.literature.claims import Cell, Changes, Judgement, changes, compare_copies, formatted_number
from survey.literature.loading import EXCLUDED, POOL, TAXONOMY
from survey.literature.pool import cell_label, format_tags
from survey.literature.problems import quoted
from survey.plurals import plural


def _other_copy(context: click.Context, param: click.Parameter, folder: Path | None) -> Path | None:
    if folder and not (folder / TAXONOMY).is_file() and (folder / "bib" / TAXONOMY).is_file():
        raise click.BadParameter(f"{folder} has no {TAXONOMY} (did you mean {folder / 'bib'}?)")
    return folder


def _site(context: click.Context, param: click.Parameter, url: str) -> str:
    if url and (any(CHECKS["url"](url)) or set(url) & set("()?#")):
        raise click.BadParameter(f"{quoted(url)} is not the address of a site (expected one like https://example.org/)")
    return f"{url.rstrip('/')}/" if url else ""


@click.command(short_help="Report what changed between two days or two copies, in entries and in conclusions.")
@click.argument("before", type=Day(), required=False)
@click.argument("after", type=Day(), required=False)
@click.option("--with", "other", metavar="FOLDER", callback=_other_copy,
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Compare with an older copy of bib/ instead of an earlier day.")  # fmt: skip
@click.option("--site", metavar="URL", default="", callback=_site,
              help="Link entries and claims to their pages on this site (markdown).")  # fmt: skip
@formats("text", "json", "markdown")
@pass_bib
def diff(folder: Path, before: date | None, after: date | None, other: Path | None, site: str, form: str) -> None:
    """Report what changed from BEFORE to AFTER: added works, and their effect on the conclusions.

    Lists claims with a new status or number, changed rankings of values, and cells of two main
    axes that were empty and now hold an entry.

    With --with, report what changes from another copy of the data to this one. The list then
    includes removed works, changed tags and other fields, and redefined claims. Both copies are
    judged as of the same day, the later of theirs.

    \b
        survey diff 2024-01-31 2024-12-31
        survey diff --with ../main/bib --format markdown
    """
    if other is not None:
        if before is not None:
            raise click.UsageError("expected two days, or --with FOLDER, but not both")
        was, pool = load(other), load(folder)
        found, files = compare_copies(was, pool), _other_files(other, folder)
    elif before is None or after is None:
        raise click.UsageError("expected two days (as in 2024-01-31 2024-12-31), or --with FOLDER")
    else:
        was = pool = load(folder)
        files = ()
        try:
            found = changes(pool, before, after)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if form == "json":
        click.echo(json.dumps(_as_dict(found, files), ensure_ascii=False, indent=1))
    elif form == "markdown":
        click.echo(comment(found, was, pool, files, site), nl=False)
    elif other is not None:
        click.echo("\n".join([change_summary(found, files), "", *_copies(found), *_lines(found, pool), *_named(files)]))
    else:
        title = click.style(f"From {found.before} to {found.after}", bold=True)
        edited = _edited(found) if found.edits else []  # an edition keeps its works as published
        click.echo("\n".join([title, *edited, *_lines(found, pool)]))


def _other_files(was: Path, now: Path) -> tuple[str, ...]:
    """Return the files that differ or exist in one copy only; those compared entry by entry are left out."""
    names = {path.relative_to(side).as_posix() for side in (was, now) for path in side.rglob("*") if path.is_file()}
    return tuple(name for name in sorted(names - {POOL, EXCLUDED}) if _bytes(was / name) != _bytes(now / name))


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _as_dict(found: Changes, files: Iterable[str]) -> dict[str, object]:
    return {
        "before": found.before.isoformat(),
        "after": found.after.isoformat(),
        "entries": _keys(found.entries),
        "records": _keys(found.records),
        "gone": {"entries": _keys(found.gone_entries), "records": _keys(found.gone_records)},
        "changed": [
            {
                "key": edit.after.key,
                "was": edit.before.key,
                "tags": {axis: {"before": _tags(old), "after": _tags(new)} for axis, old, new in edit.tags},
                "fields": list(edit.fields),
            }
            for edit in found.edits
        ],
        "claims": [
            {
                "id": new.claim.id,
                "before": {"status": str(old.status), "number": old.broad.number, "of": old.broad.of},
                "after": {"status": str(new.status), "number": new.broad.number, "of": new.broad.of,
                          "because": list(new.because)},
            }
            for old, new in found.claims
        ],
        "new_claims": _ids(found.new_claims),
        "gone_claims": _ids(found.gone_claims),
        "restated": _ids(found.restated),
        "rankings": [{"axis": r.axis, "before": list(r.before), "after": list(r.after)} for r in found.rankings],
        "counts": [{"axis": c.axis, "cell": c.cell, "before": c.before, "after": c.after} for c in found.counts],
        "filled": [[list(a), list(b)] for a, b in found.filled],
        "emptied": [[list(a), list(b)] for a, b in found.emptied],
        "unchanged": vars(found.unchanged),
        "files": list(files),
    }  # fmt: skip


def _copies(found: Changes) -> list[str]:
    """Return the lines on changes that only occur between two copies."""
    old, new = found.old, found.new
    there = f"{plural(old.entries, 'entry')} and {plural(old.records, 'excluded record')} there"
    same = found.unchanged
    works = f"{plural(same.entries, 'entry')} and {plural(same.records, 'excluded record')}"
    conclusions = f"{plural(same.claims, 'claim')} and {plural(same.rankings, 'ranking')}"
    out = [
        f"Both copies as of {found.after}: {there}, {new.entries} and {new.records} here",
        f"Unchanged: {works}, {conclusions}; {plural(same.cells, 'filled cell stays', 'filled cells stay')} filled",
        "",
    ]
    gone = (*found.gone_entries, *found.gone_records)
    out += [plural(len(gone), "work was removed", "works were removed"), *_indented(", ".join(_keys(gone)))]
    out += _edited(found)
    for what, claims in (("added", found.new_claims), ("removed", found.gone_claims), ("redefined", found.restated)):
        if claims:
            out += [
                plural(len(claims), f"claim was {what}", f"claims were {what}"),
                *_indented(", ".join(_ids(claims))),
            ]
    return out


def _edited(found: Changes) -> list[str]:
    out = [plural(len(found.edits), "work was changed", "works were changed")]
    for edit in found.edits:
        out += _indented(f"{edit.after.key}: {', '.join(edit.fields)}" if edit.fields else edit.after.key)
        out += [f"        {axis}: {_tags(old) or 'not coded'} -> {_tags(new) or 'not coded'}"
                for axis, old, new in edit.tags]  # fmt: skip
    return out


def _lines(found: Changes, pool: Pool) -> list[str]:
    records = plural(len(found.records), "excluded record")
    out = [f"Added: {plural(len(found.entries), 'entry')} and {records}"]
    out += _indented(", ".join(_keys(found.entries)))
    out += [
        "",
        click.style(plural(len(found.status_changes), "claim has a new status", "claims have a new status"), bold=True),
    ]
    for old, new in found.status_changes:
        out.append(wrapped(f"{new.claim.id}: {old.status} -> {new.verdict}", "    "))
    out += ["", plural(len(found.number_changes), "more has a new number", "more have a new number")]
    for old, new in found.number_changes:
        out.append(f"    {new.claim.id}: {formatted_number(old)} -> {formatted_number(new)}")
    out += ["", click.style(plural(len(found.rankings), "ranking has changed", "rankings have changed"), bold=True)]
    for ranking in found.rankings:
        out.append(wrapped(f"{ranking.axis}: {' > '.join(ranking.before)}", "    "))
        out.append(wrapped(f"now {' > '.join(ranking.after)}", "        "))
    out += ["", click.style(plural(len(found.filled), "empty cell was filled", "empty cells were filled"), bold=True)]
    out += [_cell(cell, pool) for cell in found.filled]
    if found.emptied:
        out += [
            "",
            click.style(plural(len(found.emptied), "filled cell was emptied", "filled cells were emptied"), bold=True),
        ]
        out += [_cell(cell, pool) for cell in found.emptied]
    return out


def _cell(cell: Cell, pool: Pool) -> str:
    labels = (f"{axis} {cell_label(pool.taxonomy, pool.taxonomy[axis], value)}" for axis, value in cell)
    return wrapped(" with ".join(labels), "    ")


def _named(files: tuple[str, ...]) -> list[str]:
    return ["", "Other files that differ", *_indented(visible(", ".join(files)))] if files else []


def _indented(text: str) -> list[str]:
    return [wrapped(text, "    ")] if text else []


def _keys(works: Iterable[Entry]) -> list[str]:
    return [work.key for work in works]


def _ids(judgements: Iterable[Judgement]) -> list[str]:
    return [judgement.claim.id for judgement in judgements]


def _tags(tags: tuple[Tag, ...]) -> str:
    return format_tags(tags)


COMMANDS = (diff,)
