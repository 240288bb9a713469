"""The page and the feed on changes between editions, in conclusions and not only in entries."""

from __future__ import annotations

from survey.literature import Pool
from survey.literature.claims import SIGNS, Changes, history
from survey.literature.pool import cell_label, cells
from survey.site.facts import Facts, Files
from survey.site.markup.feeds import Item, atom
from survey.site.markup.templates import render


def change_pages(facts: Facts) -> Files:
    """Yield the page on changes, and the feed of claims with a new status."""
    pool = facts.pool
    if not pool.editions:
        return
    past = history(pool)
    page = "measure/changes.md"
    yield page, render("pages/claims/changes.md.j2", pool=pool, page=page, past=past, signs=SIGNS, label=_labels(pool))
    items = [item for found in past for item in _items(found)]
    title = f"{pool.taxonomy.title}: claims with a new status"
    yield "claims/changes.atom", atom(title, "claims/changes.atom", items, facts.site_url, pool.day.isoformat())


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


def _labels(pool: Pool) -> dict[tuple[str, str], str]:
    axes = pool.taxonomy.on("entry")
    return {(axis.id, cell): cell_label(pool.taxonomy, axis, cell) for axis in axes for cell in cells(axis)}
