"""The line parser reads plain entries as bibtexparser does, and leaves all others to it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survey.literature.bibtex import Block, full_parser, line_parser, parse_bibtex
from survey.literature.problems import Problem
from tests.conftest import ROOT
from tests.fuzz.mutate import mutated

PLAIN = """\
@Article{a.1,
  title = {{SWE}-bench by {\\'E}. \\& 50\\% of 3 @ home},
  month = jan,
  Year  = 2026,
  note  = {  much\t room  },
}
"""

PIECES = [
    PLAIN,
    "@misc{b,\n  title = {T}\n}\n",
    "@misc{b,\n  title = {T},\n  title = {again},\n}\n",
    "@misc{B,\n}\n",
    "@misc{c, title = {on one line}, year = 2026}\n",
    "@misc{d,\n  title = {over\n    two lines},\n}\n",
    '@misc{e,\n  title = "in quotes",\n}\n',
    "@misc{f,\n  title = {one} # {two},\n}\n",
    "@misc{g,\n  title = {never closed,\n}\n",
    "@misc{h,\n  title = {a } too many}},\n}\n",
    "@misc{i,\n  title = {at the end \\},\n}\n",
    "@misc{j,\n  title = {swallowed @misc{k, title = {x}}},\n}\n",
    "@misc{l,\n  title = {not\u200bseen},\n}\n",
    "@misc{m,\n  year = may,\n}\n",
    "@string{x = {y}}\n",
    "@comment{@misc{n,\n  title = {T},\n}}\n",
    "% a remark\n",
    "% a remark about @misc{o,\n",
    "text between\n",
    "}\n",
    "{\n",
    "\n",
    "  ",
    "@",
]


def full(text: str) -> tuple[list[Block], list[Problem]]:
    parsed = full_parser.parse(text, "a.bib")
    return parsed.blocks, parsed.problems


def fast(text: str) -> tuple[list[Block], list[Problem]]:
    document = parse_bibtex(text, "a.bib")
    repeated = [problem for problem in document.problems if "(first in line" in problem.message and not problem.field]
    return list(document.blocks), [problem for problem in document.problems if problem not in repeated]


def test_an_entry_as_this_project_writes_it_is_plain() -> None:
    found = line_parser.entry(PLAIN, 0, 0)
    assert found
    assert (found.length, found.line) == (len(PLAIN), 6)
    assert [found.block] == full(PLAIN)[0]


def test_every_entry_of_the_pool_is_plain() -> None:
    text = (ROOT / "bib" / "pool.bib").read_text("utf-8")
    at = line = number = 0
    while found := line_parser.entry(text, at, line):
        at, line, number = at + found.length, found.line, number + 1
    assert not text[at:].strip()
    assert number == len(full(text)[0]) > 200


def test_a_comment_that_ends_in_a_backslash_counts_as_a_line() -> None:
    (block,) = parse_bibtex(f"% a backslash \\\n{PLAIN}").blocks
    assert block.line == 2


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join))
@example("@misc{g,\n  title = {never closed,\n}\n" + PLAIN)
@example("text between\n" + PLAIN + "@comment{" + PLAIN + "}")
def test_pieces_in_any_order_are_read_as_bibtexparser_reads_them(text: str) -> None:
    assert fast(text) == full(text)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_pool_is_read_as_bibtexparser_reads_it(seed: int) -> None:
    entries = (ROOT / "bib" / "pool.bib").read_bytes().split(b"\n\n@")[1:]
    chance = Random(seed)
    for _ in range(100):
        some = b"\n\n@".join([b"", *chance.sample(entries, 4)])
        damaged = mutated(some, entries, "bibtex", chance).decode("utf-8", "replace")
        assert fast(damaged) == full(damaged), damaged
