"""The page of each entry: tags with evidence, citation, claims that count it, nearest entries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from unicodedata import normalize

from survey.literature import Entry, Pool
from survey.literature.claims import SIGNS, Judgement, Status
from survey.literature.export.bib import to_bib
from survey.literature.pool import aliases
from survey.literature.related import Neighbours, neighbours
from survey.site.cache import digest
from survey.site.drafts import NO_PROSE
from survey.site.facts import Facts, Files
from survey.site.markup.citations import coins
from survey.site.markup.links import entry_page
from survey.site.markup.templates import render
from survey.site.markup.works import name_of
from survey.site.pages.claims.ledger import claims_of


def entry_pages(facts: Facts) -> Files:
    """Yield the page and the BibTeX of each entry, and a redirect page for each former key."""
    others = facts.reading(NO_PROSE)
    near, counting = others.once(_near), others.once(_counting)
    for entry in facts.pool:
        yield bib_of(entry.key), to_bib(facts.pool.keep([entry.key]))
        works = [(others.pool[key], shared) for key, shared in near[entry.key]]
        claims = [one.brief for one in counting.get(entry.key, [])]
        yield entry_page(entry.key), _page(facts, entry, works, claims)
    yield from _moved(facts.pool)


def bib_of(key: str) -> str:
    """Return the path of the BibTeX of an entry."""
    return entry_page(key).removesuffix(".md") + ".bib"


def _page(
    facts: Facts,
    entry: Entry,
    near: list[tuple[Entry, list[tuple[str, str]]]],
    claims: list[tuple[str, str, Status]],
) -> str:
    """Return the page of an entry, made again only if what is shown of it, or beside it, has changed."""
    pool, page, mentions = facts.pool, entry_page(entry.key), facts.mentions(entry.key)

    def made() -> str:
        return render(
            "pages/entries/entry.md.j2",
            entry=entry,
            taxonomy=pool.taxonomy,
            appraisal=pool.appraisal,
            page=page,
            bib_file=bib_of(entry.key),
            axes=[a for a in pool.taxonomy.on("entry") if a.id in entry.tags],
            bib=to_bib(pool.keep([entry.key]), stamped=False),
            near=near,
            readings=_readings(pool, entry),
            counting=claims,
            signs=SIGNS,
            structured=structured(entry),
            names=[entry.key, *_names(entry)],
            coins=coins(entry),
            issues=facts.issues,
            mentions=mentions,
        )

    fields = [entry.block.type, entry.key, *((name, field.text) for name, field in entry.block.fields.items())]
    beside = [(other.key, other.text("title"), other.by, other.year, shared) for other, shared in near]
    shown = [fields, beside, [(*claim, status.name) for *claim, status in claims], facts.issues, facts.other_data]
    shown += [(one.page, one.title, one.passages) for one in mentions]
    return facts.cached(f"{page} {digest(json.dumps(shown))}", made, data=False)


def _names(entry: Entry) -> list[str]:
    """Return the names by which a search finds a work besides its title; MARS² is typed MARS2 as well."""
    name = name_of(entry)
    return list(dict.fromkeys(filter(None, (name, normalize("NFKC", name)))))


def _near(facts: Facts) -> Neighbours:
    return neighbours(facts.pool)


def _counting(facts: Facts) -> dict[str, list[Judgement]]:
    return claims_of(facts.ledger)


def source_locations(pool: Pool) -> dict[str, tuple[str, int]]:
    """Return the file and line of the source of each page, by the page's path."""
    return {entry_page(e.key): (e.path, e.block.line) for e in pool}


def structured(entry: Entry) -> dict[str, object]:
    """Return the work as schema.org metadata."""
    identifiers = [f"https://doi.org/{entry.text('doi')}" if entry.text("doi") else ""]
    identifiers.append(f"https://arxiv.org/abs/{entry.text('eprint')}" if entry.text("eprint") else "")
    return {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle" if entry.block.type != "misc" or entry.text("eprint") else "CreativeWork",
        "name": entry.title,
        "author": [
            {"@type": "Organization" if n.corporate else "Person", "name": str(n)} for n in entry.authors
        ],
        "datePublished": entry.appeared,
        **({"url": entry.url} if entry.url else {}),
        "sameAs": [link for link in identifiers if link],
    }  # fmt: skip


def _moved(pool: Pool) -> Iterator[tuple[str, str]]:
    """Yield the pages of former keys, so that no published address disappears."""
    for old, key in aliases(pool).items():
        if entry_page(old) != entry_page(key):
            yield entry_page(old), render("pages/entries/moved.md.j2", old=old, entry=pool[key])


def _readings(pool: Pool, entry: Entry) -> list[tuple[str, str, str, str, list[tuple[str, str, str]]]]:
    """Return what each coding says about an entry: id, reader, date, statement, and a row per axis."""
    out = []
    for coding in pool.codings.values():
        rows = [
            (axis, "; ".join(map(str, j.tags)), "same" if j.tags[0].word == entry.primary(axis) else "differs")
            for axis, j in coding.of(entry.key).items()
        ]
        if rows:
            out.append((coding.id, coding.reader, coding.made.isoformat(), coding.statement, rows))
    return out
