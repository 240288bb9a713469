"""A pool of 2,000 entries on axes with 80 and 31 values: no page is too large to read, and every number is exact."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.literature import Pool, load
from survey.literature.counting import FOLD
from survey.site.facts import Facts
from survey.site.pages.axes.builder import axis_pages
from survey.site.pages.counts.builder import count_pages
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
    tags = {axis: chance.choices(range(many), [1 / (n + 5) for n in range(many)])[0] for axis, many in AXES.items()}
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


@pytest.mark.parametrize(("rows", "columns"), [("method", "task"), ("task", "method")])
def test_every_cell_is_on_the_page_of_its_pair_once_with_its_exact_number(
    large: Pool, pages: dict[str, str], rows: str, columns: str
) -> None:
    page = pages[f"measure/{rows}-by-{columns}.md"]
    number = Counter((entry.primary(rows), entry.primary(columns)) for entry in large)
    detailed = re.findall(r'<div id="([^"]+)"><dt><b>[^<]*</b> <span class="n">(\d+)</span>', page)
    brief = re.findall(r'<a class="chip small" id="([^"]+)" href="([^"]+)">[^<]* <b>(\d+)</b></a>', page)
    found = {anchor: int(count) for anchor, count in detailed} | {anchor: int(count) for anchor, _, count in brief}
    assert found == {f"{a}--{b}": n for (a, b), n in number.items()}
    empty = set(re.findall(r'<span id="([^"]+)">', page))
    assert len(detailed) + len(brief) + len(empty) == len(found.keys() | empty) == AXES[rows] * AXES[columns]
    for anchor, href, _ in brief:
        row, column = anchor.split("--")
        assert href == f"../../explore/?{rows}={row}&amp;{columns}={column}"


def test_the_most_frequent_values_come_first_and_the_rest_is_folded(large: Pool, pages: dict[str, str]) -> None:
    first, rest = pages["measure/method-by-task.md"].split('<details class="more cells">')
    number = Counter(entry.primary("method") for entry in large)
    shown = [f"method-{n}" for n in re.findall(r"<h3>method number (\d+)</h3>", first)]
    assert len(shown) == FOLD
    assert [number[value] for value in shown] == sorted(number.values(), reverse=True)[:FOLD]
    assert len(re.findall("<h3>", rest)) == AXES["method"] - FOLD
    assert "16 of 80 values of method shown, 16 of 31 values of task shown" in first


def test_the_map_of_gaps_has_every_cell_behind_those_of_the_most_frequent_values(pages: dict[str, str]) -> None:
    first, rest = pages["gaps/method-by-task.md"].split("<summary>All 2480 cells")
    assert len(re.findall("<td class=", first)) == FOLD * FOLD
    assert len(re.findall("<td class=", rest.split("</details>")[0])) == 2480
    anchors = set(re.findall(r' id="([^"]+)"', pages["measure/method-by-task.md"]))
    targets = re.findall(r'href="../../measure/method-by-task/#([^"]+)"', first + rest)
    assert len(targets) > 1000
    assert {*targets} <= anchors
    own = set(re.findall(r' id="([^"]+)"', first + rest))
    assert set(re.findall(r'href="#([^"]+)"', first + rest)) <= own


def no_terminal(_: int) -> os.terminal_size:
    raise OSError


@pytest.mark.parametrize(
    "command", ["gaps method task", "gaps task method", "crosstab method task", "crosstab task task"]
)
@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("90", 90), ("200", 100), ("", 100)])
def test_tables_in_a_terminal_fit_its_width(
    large: Pool, command: str, columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(Path(large.entries[0].path).parent)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(os, "get_terminal_size", no_terminal)
    result = CliRunner().invoke(main, ["--bib", folder, *command.split()])
    assert result.exit_code == 0, result.output
    longest = max(map(len, result.output.splitlines()))
    assert width - 12 < longest <= width
    assert "16 of" in result.output
    assert "the most frequent first" in result.output
