"""The page and the feed on changes between editions, in conclusions and not only in entries."""

from __future__ import annotations

from collections.abc import Iterator

from survey.literature import Pool
from survey.literature.claims import SIGNS, Changes, history
from survey.literature.pool import Edition, cell_label, cells
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
    shown = {"pool": pool, "page": page, "past": past, "signs": SIGNS, "label": _labels(pool), "anchor": _anchor}
    yield page, render("pages/claims/changes.md.j2", **shown)
    items = [*(item for found in past for item in _items(found)), *_errata(pool)]
    items.sort(key=lambda item: item.day, reverse=True)
    title = f"{pool.taxonomy.title}: claims with a new status, and errata"
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
