"""A pool of 2,000 entries on axes with 80 and 31 values: no page is too large to read, and every number is exact."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from survey.literature import Pool, load
from survey.site.facts import Facts
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.counts.builder import count_pages
from survey.site.pages.entries.builder import entry_pages
from survey.site.pages.explorer.builder import explorer_pages
from survey.site.pages.gaps.builder import gap_pages
from survey.site.pages.new_entry.builder import new_entry_pages
from survey.site.pages.related.builder import related_pages

ENTRIES = 2000
AXES = {"method": 80, "task": 31}
LARGEST, USUAL = 500_000, 150_000


def taxonomy() -> str:
    parts = ['[survey]\ntitle = "Many methods"\nlanguages = ["en"]\n']
    parts += ['[absence.unknown]\nlabel = { en = "does not say" }\ndefinition = "The source does not say."\n']
    for axis, number in AXES.items():
        label = f'label = {{ en = "{axis.capitalize()}" }}\ndefinition = "The {axis} of a work."'
        parts.append(f'[axis.{axis}]\n{label}\nshape = "ranked"\nrequired = true\nmain = true\nabsence = ["unknown"]\n')
        for n in range(number):
            name = f'label = {{ en = "{axis} number {n}" }}\ndefinition = "One of many {axis}s, number {n}."'
            rule = 'rule = "It is named."\npositive = "A work that names it."\nnegative = "A work that cites it."'
            parts.append(f"[axis.{axis}.value.{axis}-{n}]\n{name}\n{rule}\n")
    return "\n".join(parts)


def entry(number: int, chance: random.Random) -> str:
    """An entry with values of which a few are frequent and most are rare, as in a real field."""
    tags = {axis: min(int(chance.paretovariate(0.7)) - 1, chance.randrange(many)) for axis, many in AXES.items()}
    also = f"; method-{(tags['method'] + 7) % AXES['method']}" if number % 5 == 0 else ""
    return f"""\
@article{{work{number}of{2000 + number % 25},
  author = {{Author{number}, Ada and Other{number % 90}, Ben and Third{number % 50}, Cleo}},
  title = {{A Study of Things That Are Numbered {number} and of What Follows From Them}},
  journal = {{Journal of Numbers}},
  year = {{{2000 + number % 25}}},
  url = {{https://example.org/{number}}},
  tag-method = {{method-{tags["method"]}{also}}},
  why-method = {{Section 3 names it.}},
  tag-task = {{task-{tags["task"]}}},
  why-task = {{Section 4 names it.}},
  summary = {{It studies what follows from the number {number}.}},
  added = {{2025-01-01}}
}}
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    bib = Path(tmp_path_factory.mktemp("large"))
    chance = random.Random(20)
    (bib / "taxonomy.toml").write_text(taxonomy())
    (bib / "pool.bib").write_text("\n".join(entry(number, chance) for number in range(ENTRIES)))
    return load(bib)


@pytest.fixture(scope="module")
def pages(large: Pool) -> dict[str, str]:
    """The pages whose size depends on the number of values, and one page of an entry."""
    facts = Facts(large)
    out = dict(count_pages(facts)) | dict(gap_pages(facts)) | dict(axis_pages(facts)) | dict(explorer_pages(facts))
    out |= dict(new_entry_pages(facts)) | dict(related_pages(facts))
    return {path: text for path, text in out.items() if path.endswith(".md")}


def test_no_page_is_too_large(pages: dict[str, str]) -> None:
    sizes = {path: len(text.encode()) for path, text in pages.items()}
    assert {path: size for path, size in sizes.items() if size > LARGEST} == {}
    assert sum(size < USUAL for size in sizes.values()) > 0.9 * len(sizes)
