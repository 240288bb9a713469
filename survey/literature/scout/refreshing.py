"""Refreshing: what the metadata of entries say today, as a patch for somebody to read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from survey.literature.bibtex import parse_names, protected
from survey.literature.pool import Entry, Pool, arxiv_id, title_words
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.keeping import last_first


@dataclass(frozen=True, slots=True)
class Change:
    """A fact of an entry that its metadata give otherwise today."""

    key: str
    field: str
    was: str
    now: str
    """What should stand, as BibTeX; empty if a person has to decide."""

    why: str


def changes(pool: Pool, found: Iterable[Candidate]) -> list[Change]:
    """Return what changed in entries, by today's metadata of the works with the same arXiv id or DOI.

    An entry bears the title and authors of the version it names: they are compared only if that is the version found,
    or if a later one has others. A published version is left alone.
    """
    candidates = [*found]
    by_name = {name: one for one in candidates for name in (one.arxiv, one.doi.lower()) if name}
    out: list[Change] = []
    for entry in pool.entries:
        for name in (arxiv_id(entry.text("eprint")), entry.text("doi").lower()):
            if name in by_name:
                out += _of(entry, by_name[name])
    return list(dict.fromkeys(out))


def _of(entry: Entry, now: Candidate) -> Iterator[Change]:
    source = ", ".join(now.sources) or "metadata"
    if now.withdrawn and "withdrawn" not in entry.text("note").lower():
        yield Change(entry.key, "note", entry.text("note"), "", f"withdrawn, says {source}: to be read again")
    if now.doi and not entry.text("doi"):
        yield Change(entry.key, "doi", "", now.doi, f"a DOI, says {source}")
    if now.venue and not (entry.text("booktitle") or entry.text("journal")):
        yield Change(entry.key, "venue", "", "", f"appeared as {now.venue!r}, says {source}")
    version = entry.text("version")
    if version == "published" or not now.version:
        return
    later = version.isdigit() and now.version > int(version)
    names, mine = now.authors, [f"{name.given} {name.last}".strip() for name in entry.authors]
    other_title = title_words(now.title) != title_words(entry.title)
    other_authors = bool(names) and [*map(title_words, names)] != [*map(title_words, mine)]
    if not other_title and not other_authors:
        if version == "unknown":
            yield Change(entry.key, "version", version, str(now.version), f"title and authors are those of {source}")
        return
    why = f"version {now.version}, says {source}" if later else f"{source} has it otherwise for version {now.version}"
    if other_title:
        yield Change(entry.key, "title", entry.text("title"), protected(now.title), why)
    if other_authors:
        written = " and ".join(map(last_first, names))
        yield Change(entry.key, "author", entry.text("author"), written if _readable(written) else "", why)
    if later:
        yield Change(entry.key, "version", version, str(now.version), why)


def _readable(names: str) -> bool:
    try:
        return bool(parse_names(names))
    except ValueError:
        return False


def patch(path: Path, pool: Pool, found: Sequence[Change]) -> str:
    """Return a unified diff of the file that makes the changes which need no decision; empty if there are none.

    ``patch -p1`` and ``git apply`` take it beside the folder of the data, whatever the path to it. Fields that are
    written on several lines are left to a person.
    """
    before = path.read_text(encoding="utf-8").split("\n")
    after = [*before]
    inserted: dict[int, list[str]] = {}
    for change in found:
        block = pool[change.key].block
        if not change.now:
            continue
        if change.field in block.fields:
            place = block.fields[change.field].line - 1
            written = f"{{{change.was}}},"
            if after[place].endswith(written):
                after[place] = after[place].removesuffix(written) + f"{{{change.now}}},"
        else:
            place = block.fields["url"].line - 1 if "url" in block.fields else block.line - 1
            head, equals, _ = before[place].partition("=")
            name = f"  {change.field}".ljust(len(head)) if equals else f"  {change.field} "
            inserted.setdefault(place, []).append(f"{name}= {{{change.now}}},")
    for place in sorted(inserted, reverse=True):
        after[place + 1 : place + 1] = inserted[place]
    name = f"{path.resolve().parent.name}/{path.name}"
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)
