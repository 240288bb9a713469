"""The page and the feed on changes between editions, in conclusions and not only in entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from survey.escaping import csv_text
from survey.literature import Pool
from survey.literature.claims import SIGNS, Cell, Changes, history
from survey.literature.pool import Edition, cell_label, cells
from survey.site.facts import Facts, Files
from survey.site.markup.feeds import Item, atom
from survey.site.markup.templates import render

EDITS = ("work", "field", "before", "after")

LISTED = 100
"""New entries of an edition that are named, the latest first; the table of entries has all."""

FEW = 5
"""Newly filled cells of a pair of axes that are named; the table of the pair shows all."""


def change_pages(facts: Facts) -> Files:
    """Yield the page on changes, and the feed of claims with a new status."""
    pool = facts.pool
    if not pool.editions:
        return
    past = history(pool)
    page = "measure/changes.md"
    yield (
        page,
        render(
            "pages/claims/changes.md.j2",
            pool=pool,
            page=page,
            past=past,
            signs=SIGNS,
            label=_labels(pool),
            anchor=_anchor,
            retagged=_retagged,
            filled=_filled,
            few=FEW,
            listed=LISTED,
            edits_path=_edits_path,
        ),
    )
    for found in past:
        if found.edits:
            yield _edits_path(found), csv_text(EDITS, *_edits(found))
    items = [*(item for found in past for item in _items(found)), *_errata(pool)]
    items.sort(key=lambda item: item.day, reverse=True)
    title = f"{pool.taxonomy.title}: claims with a new status, and errata"
    path = "claims/changes.atom"
    yield path, atom(pool.taxonomy, title, path, items, facts.site_url, pool.day.isoformat())


def _edits_path(found: Changes) -> str:
    return f"measure/changes/{found.after}.csv"


def _edits(found: Changes) -> Iterator[tuple[str, ...]]:
    """Yield each tag and field that changed, with what stood there before and after."""
    for edit in found.edits:
        key, before, after = edit.after.key, edit.before, edit.after
        for axis, old, new in edit.tags:
            yield key, axis, "; ".join(map(str, old)), "; ".join(map(str, new))
        kinds = {"key": (before.key, after.key), "type": (before.block.type, after.block.type)}
        for name in edit.fields:
            yield key, name, *kinds.get(name, (before.text(name), after.text(name)))


def _retagged(found: Changes) -> list[tuple[str, int]]:
    """Return the axes on which works were tagged anew, with their number, most first."""
    return Counter(axis for edit in found.edits for axis, _, _ in edit.tags).most_common()


def _filled(found: Changes) -> list[tuple[str, str, list[Cell]]]:
    """Return the newly filled cells by pair of axes."""
    pairs: dict[tuple[str, str], list[Cell]] = {}
    for a, b in found.filled:
        pairs.setdefault((a[0], b[0]), []).append((a, b))
    return [(*pair, filled) for pair, filled in pairs.items()]


def _items(found: Changes) -> list[Item]:
    return [
        Item(
            f"{new.status}: {new.claim.sentence}",
            f"claims/{new.claim.id}/#{found.after}",
            found.after.isoformat(),
            f"Until {found.before}: {old.status}. Now: {new.verdict}.",
        )
        for old, new in found.status_changes
    ]


def _errata(pool: Pool) -> Iterator[Item]:
    """Yield the corrections of published editions."""
    for edition in pool.editions.values():
        for number, erratum in enumerate(edition.errata, 1):
            yield Item(
                f"Erratum: {edition.title} ({edition.day})",
                f"measure/changes/#{_anchor(edition, number)}",
                erratum.day.isoformat(),
                f"{erratum.reason} Corrected: {', '.join(erratum.works)}.",
            )


def _anchor(edition: Edition, number: int) -> str:
    """Return the anchor of an erratum; errata are numbered in their order, so that it stays."""
    return f"erratum-{edition.day}-{number}"


def _labels(pool: Pool) -> dict[tuple[str, str], str]:
    axes = pool.taxonomy.on("entry")
    return {(axis.id, cell): cell_label(pool.taxonomy, axis, cell) for axis in axes for cell in cells(axis)}
