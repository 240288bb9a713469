"""Turning a foreign file into a pool: every entry that can be one, the first axis, and a report of all that was done.

What is made here passes every check of ``survey check``: after the steps that know what they change, a field that
still fails is put away under ``original-...``, and an entry that cannot be mended so is set aside as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Final

from survey.literature.bibtex import Block, Document, Field, address_of, key_problem, write_bibtex
from survey.literature.loading.conversion.foreign import PREAMBLE, REMARK, Aside, Draft, decoded, read_foreign
from survey.literature.loading.conversion.grouping import Grouping, grouping
from survey.literature.loading.conversion.history import added_as_noted, added_in_git, day_in
from survey.literature.loading.conversion.normalising import inherit, normalise
from survey.literature.pool import Duplicate, Entry, duplicates, read_entries
from survey.literature.problems import Problem
from survey.literature.taxonomy import Taxonomy

NEVER_AWAY: Final = frozenset({"author", "title", "year", "url", "doi", "eprint"})
"""Fields without which an entry is none."""

ROUNDS = 6
"""How often what still fails is put away: each round can show what the one before had hidden."""


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of change: how often it was made, and an example."""

    kind: str
    number: int
    example: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """A foreign file as a pool: the blocks of its entries, its first axis, what was set aside, and what was changed."""

    blocks: tuple[Block, ...]
    axis: Grouping
    aside: tuple[Aside, ...]
    changes: tuple[Change, ...]
    """The most frequent first."""

    dated: str
    """Where the days on which entries were added come from; empty if nothing tells them."""

    @property
    def pool(self) -> str:
        """The text of ``pool.bib``."""
        return write_bibtex(self.blocks)

    @property
    def set_aside(self) -> str:
        """The text of all that is no entry, each part with its line and the reason."""
        return "\n".join(f"% line {one.line}: {one.why}\n{one.raw.strip()}\n" for one in self.aside)

    @property
    def lost_entries(self) -> tuple[Aside, ...]:
        """What was set aside and was meant as an entry."""
        return tuple(
            one for one in self.aside if one.raw.lstrip().startswith("@") and one.why not in (REMARK, PREAMBLE)
        )


def convert(path: Path) -> Conversion:
    """Return a file of BibTeX as a pool.

    Raises:
        OSError: if the file cannot be read.

    """
    text, how = decoded(path.read_bytes())
    foreign = read_foreign(text)
    drafts, aside = list(foreign.drafts), [one for one in foreign.aside if not _only_days(one)]
    notes = [*foreign.notes, *([(how, path.name)] if how else [])]
    others = {draft.key.lower(): draft for draft in drafts}
    days, dated = _days(path, drafts, date.today())
    for draft in drafts:
        inherit(draft, others)
        normalise(draft)
        day = days.get(draft.key, "")
        if day and draft.text("year") <= str(int(day[:4]) + 1):  # else it is a slip in a remark
            draft.fields["added"] = day
    drafts = _with_keys_of_their_own(drafts, aside)
    drafts = [draft for draft in drafts if _mended(draft, path.name, aside)]
    drafts = _different_works(drafts, path.name, aside)
    axis = grouping(drafts)
    for draft in drafts:
        if axis.tags[draft.key]:
            draft.fields[f"tag-{axis.id}"] = "; ".join(axis.tags[draft.key])
    notes += [note for draft in drafts for note in draft.notes]
    aside.sort(key=lambda one: one.line)
    return Conversion(tuple(map(_block, drafts)), axis, tuple(aside), _counted(notes), dated)


def _days(path: Path, drafts: list[Draft], today: date) -> tuple[Mapping[str, str], str]:
    """Return the day on which each entry was added, and where the days are from.

    A history with one day tells only when the file came into it.
    """
    days, noted = added_in_git(path), added_as_noted(drafts)
    where = "the history of git" if len(set(days.values())) > 1 else "remarks and fields in the file" if noted else ""
    days = noted | days if len(set(days.values())) > 1 else noted
    return {key: day for key, day in days.items() if day <= today.isoformat()}, where


def _only_days(part: Aside) -> bool:
    """Return whether a part consists of days alone, which the entries after it now have."""
    lines = [line.strip(" \t%#") for line in part.raw.split("\n")]
    return part.why == REMARK and all(day_in(line) for line in lines if line)


def _with_keys_of_their_own(drafts: Iterable[Draft], aside: list[Aside]) -> list[Draft]:
    """Return the drafts whose key can be one, with an address that no earlier draft has."""
    seen: dict[str, Draft] = {}
    for draft in drafts:
        _spell_key(draft)
        if problem := key_problem(draft.key) if draft.key else "there is no key":
            aside.append(Aside(draft.line, draft.raw, problem))
        elif first := seen.get(address_of(draft.key).lower()):
            same = "the same entry" if first.fields == draft.fields else "another entry with this key"
            aside.append(Aside(draft.line, draft.raw, f"{same} is in line {first.line}"))
        else:
            seen[address_of(draft.key).lower()] = draft
    return list(seen.values())


def _spell_key(draft: Draft) -> None:
    """Write a key without the letters and signs that none can have, if something is left of it."""
    if draft.key and key_problem(draft.key):
        letters = unicodedata.normalize("NFKD", draft.key.translate(WITHOUT_ACCENTS))
        key = re.sub(r"[^A-Za-z0-9._+:/-]+", "-", "".join(c for c in letters if not unicodedata.combining(c))).strip(
            "-"
        )
        if not key_problem(key):
            draft.note("keys with letters or signs that none can have: spelt without, as written in original-key",
                       f"{draft.key} -> {key}")  # fmt: skip
            draft.fields["original-key"], draft.key = draft.key, key


WITHOUT_ACCENTS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "đ": "d"}
)
"""Letters that Unicode takes for no accented ones."""


def _mended(draft: Draft, name: str, aside: list[Aside]) -> bool:
    """Put away the fields of a draft that fail a check; return whether it then passes, else set it aside."""
    for _ in range(ROUNDS):
        problems = _problems(draft, name)
        wrong = dict.fromkeys(p.field for p in problems if p.field in draft.fields)
        away = [field for field in wrong if field not in NEVER_AWAY]
        if not away:
            break
        for field in away:
            reason = next(problem.message for problem in problems if problem.field == field)
            draft.put_away(field, f"{field} that fails a check: kept as original-{field}")
            draft.notes[-1] = (draft.notes[-1][0], f"{draft.key}: {reason}")
    if not problems:
        return True
    said = "; ".join(f"{p.field} {p.message}".strip() for p in problems)
    aside.append(Aside(draft.line, draft.raw, said))
    return False


def _problems(draft: Draft, name: str) -> list[Problem]:
    return read_entries(Document(name, (_block(draft),), ()), BARE)[1]


def _different_works(drafts: list[Draft], name: str, aside: list[Aside]) -> list[Draft]:
    """Return the drafts without those that are the same work as an earlier one; the key of each leads to that one."""
    by_key = {draft.key: draft for draft in drafts}
    while found := list(_first_duplicates([_entry(draft, name) for draft in by_key.values()])):
        for duplicate in found:
            later, first = by_key.pop(duplicate.entry.key), by_key[duplicate.first.key]
            aside.append(Aside(later.line, later.raw, duplicate.message))
            if duplicate.sure:
                aliases = filter(None, (first.text("ids"), later.key, later.text("ids")))
                first.fields["ids"] = ", ".join(aliases)
                first.note("the same work twice: one entry, which both keys lead to", f"{later.key} -> {first.key}")
    return list(by_key.values())


def _first_duplicates(entries: list[Entry]) -> Iterator[Duplicate]:
    """Yield a duplicate for each entry that is one of an entry which is none itself."""
    gone: set[str] = set()
    for duplicate in duplicates(entries):
        if duplicate.entry.key not in gone and duplicate.first.key not in gone:
            gone.add(duplicate.entry.key)
            yield duplicate


def _entry(draft: Draft, name: str) -> Entry:
    return Entry(_block(draft), {}, name)


def _block(draft: Draft) -> Block:
    fields = {name: Field(text, draft.line) for name, text in draft.fields.items()}
    return Block(draft.type, draft.key, draft.line, MappingProxyType(fields))


def _counted(notes: Iterable[tuple[str, str]]) -> tuple[Change, ...]:
    numbers: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for kind, example in notes:
        numbers[kind] += 1
        examples.setdefault(kind, example)
    return tuple(Change(kind, number, examples[kind]) for kind, number in numbers.most_common())


BARE: Final = Taxonomy("", ("en",), MappingProxyType({}), MappingProxyType({}))
"""A taxonomy without axes: what entries are checked against before there are any."""
