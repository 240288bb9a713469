"""Reading and writing BibTeX: invalid input is a problem with its line; output is read back."""

from __future__ import annotations

import string
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survey.literature.bibtex import FORBIDDEN, Block, Field, collapsed, parse_bibtex, read_bibtex, write_bibtex
from survey.literature.bibtex.blocks import unwritable

# id, text, every problem it must give
BROKEN = [
    ("no key", "@misc{, title = {x}}", ["1: @misc has no key (expected @misc{key, ...)"]),
    (
        "key with a space",
        "@misc{a b, title = {x}}",
        ['1: entry a b: "a b" cannot be a key (letters, digits, . _ + -, and : / inside)'],
    ),
    (
        "key twice",
        "@misc{a, title = {x}}\n@misc{a, title = {y}}",
        ["2: entry a: the key is used twice (first in line 1)"],
    ),
    (
        "keys that differ in case",
        "@misc{c3, title = {x}}\n\n@misc{C3, title = {y}}",
        ["3: entry C3: the key differs from c3 only in case (first in line 1)"],
    ),
    (
        "field twice",
        "@misc{a,\n  title = {x},\n  title = {y}\n}",
        ["3: entry a: title: is there twice (first in line 2)"],
    ),
    (
        "field twice in another case",
        "@misc{a,\n  title = {x},\n  Title = {y}\n}",
        ["3: entry a: title: is there twice (first in line 2)"],
    ),
    (
        "a missing @",
        "@misc{a, title = {x}}\n\nmisc{b, title = {y}}",
        [
            '3: text between entries: "misc{b, title = {y}}" '
            "(start a remark with %; an entry with @; or is there a brace too many above?)"
        ],
    ),
    (
        "one brace too many",
        "@misc{a,\n  title = {x}},\n  year = {2020}\n}",
        [
            '2: text between entries: "," '
            "(start a remark with %; an entry with @; or is there a brace too many above?)"
        ],
    ),
    (
        "a concatenation",
        '@misc{a, note = acl # " 2024"}',
        ['1: entry a: note: "acl # " 2024"" joins parts with # (write the text out in braces)'],
    ),
    (
        "a concatenation of two texts",
        '@misc{a, note = "x" # "y"}',
        ['1: entry a: note: ""x" # "y"" joins parts with # (write the text out in braces)'],
    ),
    (
        "an undefined macro",
        "@misc{a, journal = jmlr}",
        ['1: entry a: journal: "jmlr" is a macro that nothing defines (write the text in braces)'],
    ),
    (
        "a month that is none",
        "@misc{a, month = janv}",
        ['1: entry a: month: "janv" is a macro that nothing defines (did you mean "jan"?)'],
    ),
    (
        "a missing comma",
        "@misc{a,\n  year = {2020}\n  note = {x}\n}",
        [
            '2: entry a: year: "{2020}\\u000a  note = {x}" is not one value '
            "(expected one text in braces; is a comma missing?)"
        ],
    ),
    (
        "an open brace at the end",
        "@misc{a, title = {x}}\n@misc{b,\n  title = {y\n}",
        [
            "2: entry b: the entry cannot be read: unexpectedly reached end of file "
            "(is a brace, comma or quote missing?)"
        ],
    ),
    (
        "an open brace before a neighbour",
        "@misc{a,\n  title = {x {y},\n}\n@misc{b, title = {z}}",
        [
            "1: entry a: the entry cannot be read: unexpected block start: `@misc`. Was still looking for "
            "field-value closing `,` or `}` (is a brace, comma or quote missing?)"
        ],
    ),
    (
        "a neighbour swallowed in one line",
        "@misc{a, title = {x, year = {2020}} @misc{b, title = {y}}}",
        [
            '1: entry a: title: "{x, year = {2020}} @misc{b, title = {y}}" is not one value '
            "(expected one text in braces; is a comma missing?)"
        ],
    ),
    (
        "fields swallowed",
        "@misc{a,\n  title = {x,\n  year = {2020},\n  note = {z}}\n}",
        ["2: entry a: title: seems to have swallowed what follows it (is a closing brace missing?)"],
    ),
    (
        "an escaped brace alone",
        "@misc{a, title = {50 \\{ x}}",
        ['1: entry a: title: braces do not balance: "50 \\{ x"'],
    ),
    ("a control character", "@misc{a,\n title = {x\x00y}}", ["2: entry a: title: contains the character U+0000, which cannot be seen (delete it)"]),
    (
        "a control that turns text round",
        "@misc{a, title = {x\u202ey}}",
        ["1: entry a: title: contains the character U+202E, which cannot be seen (delete it)"],
    ),
    (
        "a string macro",
        "@string{acl = {ACL}}",
        ["1: @string is not used in a pool (write the text out where it is needed)"],
    ),
    (
        "an entry hidden in a comment",
        "@comment{ @misc{a, title = {x}} }",
        ['1: @comment hides "@misc{a" (delete the entry, or write % before each line)'],
    ),
    (
        "a backslash before the last blank",
        "@misc{a, note = {x \\ }}",
        ['1: entry a: note: a backslash at the end hides the closing brace: "x \\"'],
    ),
    ("a field name with a blank", "@misc{a, the title = {x}}", ['1: entry a: "the title" cannot be the name of a field']),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problems"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_invalid_bibtex_is_a_problem_with_its_line(text: str, problems: list[str]) -> None:
    assert [str(p) for p in parse_bibtex(text, "x.bib").problems] == [f"x.bib:{p}" for p in problems]


def test_a_broken_entry_hides_no_other() -> None:
    document = parse_bibtex("@misc{a, title = {x}\n@misc{b, title = {y}}\n@misc{c, title = {z}}")
    assert [block.key for block in document.blocks] == ["b", "c"]
    assert len(document.problems) == 1


def test_remarks_between_entries_are_allowed_behind_a_percent_sign() -> None:
    assert not parse_bibtex("% about this file\n\n@misc{a, title = {x}}\n% the end\n").problems


def test_every_form_of_value_is_read_as_its_text() -> None:
    block = parse_bibtex('@Article(k, Title = "A {B} c", YEAR = 2024, month = Jan, note = {x\n   y})').blocks[0]
    assert (block.type, block.key) == ("article", "k")
    assert {name: f.text for name, f in block.fields.items()} == {
        "title": "A {B} c",
        "year": "2024",
        "month": "jan",
        "note": "x y",
    }


def test_each_field_knows_its_line() -> None:
    block = parse_bibtex("% x\n@misc{a,\n  title = {x\n  y},\n  year = {2020}\n}").blocks[0]
    assert (block.line, block.fields["title"].line, block.fields["year"].line) == (2, 3, 5)


# id, bytes, the problem, whether entries can still be read
FILES = [
    ("byte-order mark", b"\xef\xbb\xbf@misc{a, title = {x}}",
     "1: starts with a byte-order mark (save the file as UTF-8 without one)", 1),
    ("not UTF-8", b"@misc{a,\n title = {caf\xe9}}", "2: byte 0xe9 is not UTF-8 (save the file as UTF-8)", 0),
    ("mixed line endings", b"@misc{a,\r\n title = {x},\n year = {2020}}",
     "2: this line ends in LF, those before it in CRLF (use one line ending in the whole file)", 1),
]  # fmt: skip


@pytest.mark.parametrize(("data", "problem", "read"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_a_file_that_is_not_clean_text_is_a_problem(tmp_path: Path, data: bytes, problem: str, read: int) -> None:
    (tmp_path / "x.bib").write_bytes(data)
    document = read_bibtex(tmp_path / "x.bib", "x.bib")
    assert [str(p) for p in document.problems] == [f"x.bib:{problem}"]
    assert len(document.blocks) == read


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_file_with_one_line_ending_is_clean(tmp_path: Path, ending: str) -> None:
    (tmp_path / "x.bib").write_bytes(f"@misc{{a,{ending} title = {{x}}{ending}}}{ending}".encode())
    document = read_bibtex(tmp_path / "x.bib")
    assert not document.problems
    assert document.blocks[0].fields["title"].line == 2


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    problems = read_bibtex(tmp_path / "no.bib", "no.bib").problems
    assert str(problems[0]) == "no.bib:1: cannot be read: no such file or directory"


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.bib"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    problems = read_bibtex(path, "x.bib", max_bytes=20_000_000).problems
    assert str(problems[0]) == (
        "x.bib:1: the file has 50 MB, more than the 20 MB that [limits] pool-megabytes in taxonomy.toml allows"
    )


def test_fifty_megabytes_of_nonsense_end_in_problems(tmp_path: Path) -> None:
    (tmp_path / "x.bib").write_bytes(b"@misc{a, title = {" + b"{nonsense " * 5_000_000)
    document = read_bibtex(tmp_path / "x.bib", "x.bib")
    assert not document.blocks
    assert "the entry cannot be read" in str(document.problems[0])


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
HOSTILE = st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "\\",
            "\\{",
            "\\}",
            '"',
            ",",
            "=",
            "@",
            "@misc{a,",
            "%",
            "#",
            "\n",
            " ",
            "$",
            "~",
            "é",
            "漢",
            "x",
            "};",
        ]
    ),
    max_size=12,
).map("".join)
KEY = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,12}", fullmatch=True)
NAME = st.from_regex(r"[a-z][a-z0-9_-]{0,12}", fullmatch=True)


@given(
    key=KEY,
    fields=st.dictionaries(NAME, st.one_of(TEXT, HOSTILE), max_size=5),
    kind=st.sampled_from(["misc", "article"]),
)
@example(key="a", fields={"title": "x\\"}, kind="misc")
@example(key="a", fields={"title": "{" * 50 + "}" * 50}, kind="misc")
@example(key="a", fields={"note": "{@misc{b, title = {y}}}"}, kind="misc")
def test_an_entry_that_can_be_written_is_read_back_as_it_was(key: str, fields: dict[str, str], kind: str) -> None:
    block = Block(kind, key, 1, MappingProxyType({name: Field(text, 1) for name, text in fields.items()}))
    try:
        text = write_bibtex([block])
    except ValueError:
        assert any(unwritable(collapsed(text)) for text in fields.values())
        return
    document = parse_bibtex(text)
    assert len(document.blocks) == 1
    read = document.blocks[0]
    assert (read.type, read.key, list(read.fields)) == (kind, key, list(fields))
    for name, value in fields.items():
        assert read.text(name) == collapsed(value)
    loud = [p for p in document.problems if "swallowed" not in p.message and "cannot be seen" not in p.message]
    assert not loud
    assert any(map(FORBIDDEN.search, fields.values())) == any("cannot be seen" in p.message for p in document.problems)


@given(st.text(st.sampled_from(string.printable), max_size=200))
def test_any_text_is_read_without_a_crash_and_no_entry_is_lost_in_silence(text: str) -> None:
    document = parse_bibtex(text)
    remarks = all(not line.strip() or line.lstrip().startswith("%") for line in text.split("\n"))
    assert document.blocks or document.problems or remarks or "@" in text


def test_a_backslash_before_the_end_of_a_line_does_not_move_what_follows() -> None:
    document = parse_bibtex("@misc{a,\n  title = {A},\\\n  year = {2026},\n}\n\n@misc{b,\n  title = {B},\n}\n")
    assert [(block.key, block.line, block.fields["title"].line) for block in document.blocks] == [
        ("a", 1, 2),
        ("b", 6, 7),
    ]
