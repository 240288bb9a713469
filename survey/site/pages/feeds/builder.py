"""The Atom feeds of entries. They quote summaries, which the pages that link to them do not."""

from __future__ import annotations

from survey.literature import Axis, Pool, Value
from survey.site.drafts import NO_PROSE
from survey.site.facts import Facts, Files
from survey.site.markup.feeds import Item, atom, newest
from survey.site.markup.text import words
from survey.site.pages.gaps.cards import map_path, maps_with_cards

Plan = tuple[str, str, tuple[str, str, str, str], list[str]]
"""The feed of a gap: its path, its title, its first item, and the keys of the entries in or near the gap."""


def feeds(facts: Facts) -> Files:
    """Yield the feed of additions, and that of each value and of each gap with a card."""
    pool = facts.pool
    yield "feed.atom", feed(pool, facts.site_url)
    for axis in pool.taxonomy.on("entry"):
        for value in axis.values.values():
            yield f"axes/{axis.id}/{value.id}.atom", value_feed(pool, axis, value, facts.site_url)
    tags = facts.reading(NO_PROSE)
    for path, title, first, near in tags.cached("feeds of gaps", lambda: _plans(tags)):
        entries = (pool[key] for key in near)
        items = [Item(*first), *newest(entries)]
        yield path, atom(pool.taxonomy, title, path, items, facts.site_url, pool.day.isoformat())


def feed(pool: Pool, site_url: str) -> str:
    """Return the feed of the newest entries, dated by when they were added, not by when the site was built."""
    title = f"{pool.taxonomy.title}: additions"
    return atom(pool.taxonomy, title, "feed.atom", newest(pool), site_url, pool.last_added.isoformat())


def value_feed(pool: Pool, axis: Axis, value: Value, site_url: str) -> str:
    """Return the feed of the newest entries with a value."""
    entries = pool.where([(axis.id, value.id)])
    title = f"{pool.taxonomy.title}: {axis.label}, {value.label}"
    path = f"axes/{axis.id}/{value.id}.atom"
    return atom(pool.taxonomy, title, path, newest(entries), site_url, pool.last_added.isoformat())


def _plans(facts: Facts) -> list[Plan]:
    """Return the feed of each gap with a card: the state of the cell first, then what is in or near it."""
    pool, plans = facts.pool, list[Plan]()
    for map, cards in facts.once(maps_with_cards):
        page = map_path(map.rows.id, map.columns.id).removesuffix(".md")
        for card in cards:
            state = "Empty" if not card.cell.count else words(card.cell.count, "entry", "entries")
            said = f"{state} as of {pool.day.isoformat()}: {card.title}"
            first = (said, f"{page}/#{card.anchor}", pool.day.isoformat(), card.sentence)
            plans.append((card.feed, f"{pool.taxonomy.title}: gap, {card.title}", first, [e.key for e in card.near]))
    return plans
