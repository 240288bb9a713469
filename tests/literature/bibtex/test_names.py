"""Author lists are split as BibTeX splits them."""

import re

import pytest

from survey.literature.bibtex import Name, parse_names

SPLIT = [
    ("Last, First Middle", Name("Last", "First Middle")),
    ("First Last", Name("Last", "First")),
    ("de Witt, Christian Schroeder", Name("Witt", "Christian Schroeder", "de")),
    ("{Schroeder de Witt}, Christian", Name("Schroeder de Witt", "Christian")),
    ("Brown, Jr., Bob", Name("Brown", "Bob", suffix="Jr.")),
    ("{Kimi Team}", Name("Kimi Team", corporate=True)),
    (r"M{\"u}ller, {\'E}va", Name("Müller", "Éva")),
    ("Wolpert, David H.", Name("Wolpert", "David H.")),
    ("{Simon and Schuster}", Name("Simon and Schuster", corporate=True)),
    ("{The {AI} and {ML} Group}", Name("The AI and ML Group", corporate=True)),
]


@pytest.mark.parametrize(("raw", "name"), SPLIT, ids=[s[0] for s in SPLIT])
def test_a_name_is_split(raw: str, name: Name) -> None:
    assert parse_names(raw) == (name,)


def test_a_list_keeps_its_order() -> None:
    assert [name.last for name in parse_names("B, X and {Team} and A, Y")] == ["B", "Team", "A"]


def test_a_name_prints_forwards_and_sorts_backwards() -> None:
    name = parse_names("von Last, Jr., First")[0]
    assert (str(name), name.sorted) == ("First von Last Jr.", "von Last, Jr., First")


REFUSED = [
    ("A, B and others", 'ends in "and others" (name every author, or say why not in authors-incomplete)'),
    ("A, B and  and C, D", '"and C, D" is not one name: it contains "and" (join names with " and ")'),
    ("Doe, Jane and, Bob", '"Doe, Jane and, Bob" is not one name: it contains "and" (join names with " and ")'),
    ("Doe, Jane; Roe, Rick", '"Doe, Jane; Roe, Rick" is not one name: it contains ";" (join names with " and ")'),
    ("Doe, Jane et al.", 'ends in "and others" (name every author, or say why not in authors-incomplete)'),
    ("{}", '"{}" names nobody'),
    (", First", '", First" has no last name (expected "Last, First")'),
    ("a, b, c, d", "Too many commas: a, b, c, d"),
]


@pytest.mark.parametrize(("raw", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_list_that_is_wrong_is_refused(raw: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_names(raw)
