"""The notes of a release: which conclusions changed since the edition before."""

from __future__ import annotations

from collections import Counter

from survey.literature import Pool
from survey.literature.claims import SIGNS, Judge, changes
from survey.site.markup.templates import render


def notes(pool: Pool, commit: str) -> str:
    """Return the notes of an edition in Markdown. Every text of the data in it is inert."""
    earlier = [day for day in pool.editions if day < pool.day]
    judge = pool.once(Judge)
    found = Counter(judge.judged(claim, pool.day).status for claim in pool.claims)
    text = render(
        "publishing/release/notes.md.j2",
        pool=pool,
        edition=pool.editions[pool.day],
        commit=commit,
        statuses=[(status, found[status]) for status in SIGNS if found[status]],
        changed=changes(pool, max(earlier), pool.day) if earlier else None,
    )
    return text.replace("&#58; ", ": ")  # before a blank a colon begins no address
