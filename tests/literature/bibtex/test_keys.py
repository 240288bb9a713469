"""Keys of entries: those of other collections stay as they are, and each has an address of its own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.literature.bibtex import KEY, address_of, parse_bibtex, write_bibtex
from survey.literature.bibtex.blocks import RESERVED, key_problem

KEYS = [
    ("chen2026word", "chen2026word"),
    ("b.c+2026_x-y", "b.c+2026_x-y"),
    ("Araz:2026img", "Araz.2026img"),
    ("DBLP:journals/corr/abs-2401-1", "DBLP.journals.corr.abs-2401-1"),
    ("DBLP:conf/nips/VaswaniSPUJGKP17", "DBLP.conf.nips.VaswaniSPUJGKP17"),
    ("Belle-II:2024lwr", "Belle-II.2024lwr"),
    ("10.1145/3292500.3330701", "10.1145.3292500.3330701"),
]


@pytest.mark.parametrize(("key", "address"), KEYS, ids=[key for key, _ in KEYS])
def test_a_key_is_read_and_written_as_it_is_and_has_an_address(key: str, address: str) -> None:
    text = f"@misc{{{key},\n  title = {{A}},\n}}\n"
    document = parse_bibtex(text)
    assert (document.problems, [block.key for block in document.blocks]) == ((), [key])
    assert write_bibtex(document.blocks) == text
    assert address_of(key) == address


@pytest.mark.parametrize("key", [key for key, _ in KEYS])
def test_both_parsers_read_it(key: str) -> None:
    plain, other = f"@misc{{{key},\n  title = {{A}},\n}}\n", f'@misc {{ {key} , title = "A" }}'
    assert [block.key for block in parse_bibtex(plain + other.replace(key, f"{key}b")).blocks] == [key, f"{key}b"]


REFUSED = ["a b", "", "../x", "a:", "a/", ":a", "/a", "a//b", "a::b", "https://arxiv.org/abs/2603.06859", "a,b", "é", "a#b",
           "a?b", "a*b", "a%b", "a'b", 'a"b', "a\\b", "a|b", "<b>"]  # fmt: skip


@pytest.mark.parametrize("key", REFUSED)
def test_what_no_address_or_program_takes_is_refused(key: str) -> None:
    assert key_problem(key) == f'"{key.replace(chr(0), "")}" cannot be a key (letters, digits, . _ + -, and : / inside)'


@pytest.mark.parametrize("key", ["x.bib", "x:bib", "x/BIB", "index", "README", "a/b.html"])
def test_a_key_whose_page_would_be_another_file_is_refused(key: str) -> None:
    assert key_problem(key) == f'"{key}" cannot be a key (the site has another page or file of this name)'


ALIKE = [
    ("Araz:2026img", "Araz:2026img", "the key is used twice (first in line 2)"),
    ("Araz:2026img", "araz:2026IMG", "the key differs from Araz:2026img only in case (first in line 2)"),
    ("Araz:2026img", "Araz.2026img", "the key has the same address as Araz:2026img, Araz.2026img (first in line 2)"),
    ("a/b", "A:B", "the key has the same address as a/b, a.b (first in line 2)"),
]


@pytest.mark.parametrize(("first", "second", "message"), ALIKE, ids=[f"{one} {other}" for one, other, _ in ALIKE])
def test_two_keys_of_one_address_are_reported_with_both_lines(first: str, second: str, message: str) -> None:
    text = f"% two\n@misc{{{first},\n  title = {{A}},\n}}\n@misc{{{second},\n  title = {{B}},\n}}\n"
    assert list(map(str, parse_bibtex(text, "pool.bib").problems)) == [f"pool.bib:5: entry {second}: {message}"]


FORMER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""Every key that was allowed before there were others."""


@given(st.from_regex(FORMER, fullmatch=True))
def test_a_key_without_new_signs_is_its_own_address(key: str) -> None:
    assert KEY.fullmatch(key)
    assert address_of(key) == key


@given(st.from_regex(KEY, fullmatch=True))
def test_an_address_is_one_name_that_needs_no_escape(key: str) -> None:
    assert FORMER.fullmatch(address_of(key))
    assert bool(RESERVED.match(key)) == bool(RESERVED.match(address_of(key)))
