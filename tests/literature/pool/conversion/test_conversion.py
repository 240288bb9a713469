"""A BibTeX file that was not written for this format becomes a pool that passes every check, and nothing is lost."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from pybtex.database import parse_string

from survey.literature.bibtex import check_field, parse_bibtex
from survey.literature.loading.conversion import Conversion, convert
from tests.literature.pool.conversion.foreign_bib import foreign_bib

WORK = """@article{Doe:2020abc,
    author = "Doe, Jane",
    title = "{A Title}",
    eprint = "2003.01234",
    archivePrefix = "arXiv",
    primaryClass = "hep-ph",
    month = "3",
    year = "2020"
}
"""


def converted(tmp_path: Path, text: str | bytes, name: str = "refs.bib") -> Conversion:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return convert(path)


def fields(tmp_path: Path, old: str = "", new: str = "") -> dict[str, str]:
    """The fields of the one work above, with a part of it replaced."""
    assert old in WORK
    done = converted(tmp_path, WORK.replace(old, new, 1))
    assert [block.key for block in done.blocks] == ["Doe:2020abc"], done.aside
    return {"type": done.blocks[0].type} | {name: field.text for name, field in done.blocks[0].fields.items()}


# what it is, what to replace in the work above, by what, what then stands in the pool
READ = [
    ("a month as a number", "", "", {"month": "mar", "key": None}),
    ("a month as a name", '"3"', '"March"', {"month": "mar", "original-month": None}),
    ("a month with a day", '"3"', '"March 17"', {"month": "mar", "original-month": "March 17"}),
    ("a preprint as an article", "", "", {"type": "misc"}),
    ("an article with its journal", "month", 'journal = "JHEP", month', {"type": "article", "journal": "JHEP"}),
    ("an id with prefix and version", '"2003.01234"', '"arXiv:2003.01234v3"', {"eprint": "2003.01234"}),
    ("an id as an address", '"2003.01234"', '"https://arxiv.org/abs/2003.01234"', {"eprint": "2003.01234"}),
    ("an old id", '"2003.01234"', '"hep-ph/0003123"', {"eprint": "hep-ph/0003123", "year": "2000", "original-year": "2020"}),
    ("no name of the archive", '    archivePrefix = "arXiv",\n', "", {"archiveprefix": "arXiv"}),
    ("another archive", 'archivePrefix = "arXiv"', 'archivePrefix = "hal", doi = "10.1/x", url = {https://hal.science/x}',
     {"eprint": None, "original-eprint": "2003.01234", "original-archiveprefix": "hal", "original-primaryclass": "hep-ph"}),
    ("a DOI with an escape", "month", 'doi = "10.1234/a\\_b", month', {"doi": "10.1234/a_b", "original-doi": None}),
    ("a DOI as an address", "month", 'doi = "https://doi.org/10.1234/ab", month', {"doi": "10.1234/ab", "original-doi": None}),
    ("two DOIs", "month", 'doi = "10.1234/ab, 10.1234/cd", month', {"doi": "10.1234/ab", "original-doi": "10.1234/ab, 10.1234/cd"}),
    ("an old DOI with a semicolon", "month", 'doi = "10.1002/(SICI)1097(1998)17:15/16:1661::AID-SIM968:3.0.CO;2-2", month', {"doi": "10.1002/(SICI)1097(1998)17:15/16:1661::AID-SIM968:3.0.CO;2-2"}),
    ("an old DOI with angles", "month", 'doi = "10.1002/(SICI)10<1661::AID-SIM968>3.0.CO;2-2", month', {"doi": None, "original-doi": "10.1002/(SICI)10<1661::AID-SIM968>3.0.CO;2-2"}),
    ("no DOI at all", "month", 'doi = "in print", month', {"doi": None, "original-doi": "in print"}),
    ("an address in a macro", "month", r'url = "\url{https://x.org/a_b}", month', {"url": "https://x.org/a_b"}),
    ("an address without its scheme", "month", 'url = "www.x.org/a", month', {"url": "https://www.x.org/a"}),
    ("a list that goes on", "Doe, Jane", "Doe, Jane and others", {"author": "Doe, Jane", "authors-incomplete": 'The list of authors ends in "and others" in the source.'}),
    ("a list that goes on in Latin", "Doe, Jane", "Doe, Jane et al.", {"author": "Doe, Jane"}),
    ("people between commas", "Doe, Jane", "J. Doe, M. Roe, K. Poe", {"author": "J. Doe and M. Roe and K. Poe", "original-author": "J. Doe, M. Roe, K. Poe"}),
    ("people between semicolons", "Doe, Jane", "Jane Doe; Max Roe", {"author": "Jane Doe and Max Roe"}),
    ("a collaboration alone", 'author = "Doe, Jane"', 'collaboration = "ATLAS"', {"author": "{ATLAS}", "collaboration": "ATLAS"}),
    ("signs that are commands", "A Title", "50% of R&D_x #1", {"title": r"{50\% of R\&D\_x \#1}", "original-title": "{50% of R&D_x #1}"}),
    ("a caret", "A Title", "A x^2 b", {"title": r"{A x\textasciicircum{}2 b}", "original-title": "{A x^2 b}"}),
    ("a sign in a formula and one beside it", "A Title", r"a_1 & \(b_2\)", {"title": r"{a\_1 \& \(b_2\)}"}),
    ("a formula", "A Title", "On $a_1^2$", {"title": "{On $a_1^2$}", "original-title": None}),
    ("a command that nobody knows", "A Title", r"On \nosuch{E}", {"title": "{On {E}}", "original-title": r"{On \nosuch{E}}"}),
    ("an accent without a letter", "A Title", r"A Title{\~}", {"title": "{A Title{}}", "original-title": r"{A Title{\~}}"}),
    ("a title changed twice", "A Title", r"M\''{u}ller & \nosuch{E}", {"title": r'{M\"{u}ller \& {E}}', "original-title": r"{M\''{u}ller & \nosuch{E}}", "original-title-too": None}),
    ("two apostrophes as an accent", "Doe, Jane", r"M\''{u}ller, Jane", {"author": 'M\\"{u}ller, Jane'}),
    ("a comma before a name", "Doe, Jane", ", Stanza", {"author": "Stanza", "original-author": ", Stanza"}),
    ("biblatex", 'year = "2020"', 'date = "2020-03-07", journaltitle = "J", location = "Rome"',
     {"type": "article", "year": "2020", "journal": "J", "address": "Rome", "date": None, "original-date": "2020-03-07"}),
    ("a year with words", 'year = "2020"', 'year = "c. 2020"', {"year": "2020", "original-year": "c. 2020"}),
    ("a later year of a preprint", 'year = "2020"', 'year = "2021"', {"year": "2020", "original-year": "2021"}),
    ("an earlier year of a preprint", 'year = "2020"', 'year = "2019"',
     {"year": "2020", "original-year": "2019", "eprint": "2003.01234", "archiveprefix": "arXiv", "primaryclass": "hep-ph", "original-eprint": None}),
    ("a later year of a paper", 'year = "2020"', 'year = "2021", journal = "J"', {"year": "2021", "original-year": None}),
    ("published before it was posted", 'year = "2020"', 'year = "2018", journal = "J"',
     {"year": "2018", "eprint": None, "original-eprint": "2003.01234", "url": "https://arxiv.org/abs/2003.01234"}),
    ("a thesis before it was posted", 'year = "2020"', 'year = "2018", school = "S"', {"year": "2018", "original-eprint": "2003.01234"}),
    ("online", "@article", "@online", {"type": "misc", "original-type": "online"}),
    ("a conference", "@article{Doe:2020abc,", '@conference{Doe:2020abc, booktitle = "C",', {"type": "inproceedings"}),
    ("a report in biblatex", "@article{Doe:2020abc,", '@report{Doe:2020abc, institution = "I",', {"type": "techreport"}),
    ("a thesis in biblatex", "@article{Doe:2020abc,", '@thesis{Doe:2020abc, institution = "I", type = "phdthesis",', {"type": "phdthesis", "school": "I"}),
    ("a version of another kind", "month", 'version = "v2.1", month', {"version": None, "original-version": "v2.1"}),
    ("a field that looks like a slip", "month", 'howpublishd = "x", month', {"howpublishd": None, "original-howpublishd": "x"}),
    ("no address", "eprint", "eprnt", {"eprnt": None, "original-eprnt": "2003.01234"}),
    ("a field of somebody's own", "month", 'SLACcitation = "%%CITATION = X%%", month', {"slaccitation": "%%CITATION = X%%"}),
    ("an invisible character", "A Title", "A\u200b Title", {"title": "{A Title}"}),
    ("an empty field", "month", 'note = "", month', {"note": None}),
    ("a number beside a volume of proceedings", "@article{Doe:2020abc,", '@inproceedings{Doe:2020abc, booktitle="B", volume="1", number="2",', {"number": None, "original-number": "2"}),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "found"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_what_can_be_read_in_one_way_is_read(tmp_path: Path, old: str, new: str, found: dict[str, str | None]) -> None:
    got = fields(tmp_path, old, new)
    assert {name: got.get(name) for name in found} == found


SOUND = [
    r"On $a_1^2$", r"On \(x^2\)", r"On \[x^2_{\rm T}\]", r"\ensuremath{\alpha_s}", r"\ensuremath{\Lambda_{b}^{\mathrm{0_x}}} decays",
    r"\ensuremath\alpha and \ensuremath {x_1}", r"$\$5_a$ and 5\$", r"100\% of R\&D\_x \#1", r"{\'E}tude na{\"i}ve", r"A {LHC} -- B", "``Jets''",
    r"\emph{Jets} and \textbf{more}", "A: B; C, D. E?", "Größe",
]  # fmt: skip


@pytest.mark.parametrize("title", SOUND)
def test_a_title_without_a_problem_stays_as_it_was_written(tmp_path: Path, title: str) -> None:
    assert list(check_field("title", title)) == []
    got = fields(tmp_path, '"{A Title}"', f"{{{title}}}")
    assert (got["title"], got.get("original-title")) == (title, None)


# what it is, the text, why it is set aside
SET_ASIDE = [
    ("no year", WORK.replace('"2020"', '""').replace('    eprint = "2003.01234",\n', '    doi = "10.1234/x",\n'), "year is missing"),
    ("no title", WORK.replace('"{A Title}"', '""'), "title is missing"),
    ("no author", WORK.replace('"Doe, Jane"', '""'), "author is missing"),
    ("no key", WORK.replace("Doe:2020abc", ""), "there is no key"),
    ("no end", WORK.rstrip("}\n"), "cannot be read"),
    ("a preamble", '@preamble{"\\newcommand{\\x}{y}"}\n', "a preamble"),
    ("a remark", "Some words of mine.\n", "a remark"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), [row[1:] for row in SET_ASIDE], ids=[row[0] for row in SET_ASIDE])
def test_what_cannot_be_an_entry_is_set_aside_as_it_was_written(tmp_path: Path, text: str, why: str) -> None:
    other = (
        WORK.replace("Doe:2020abc", "roe2020").replace("2003.01234", "2003.05678").replace("A Title", "Another Work")
    )
    done = converted(tmp_path, f"{text}\n{other}")
    assert [block.key for block in done.blocks] == ["roe2020"]
    assert [one.raw.strip() for one in done.aside] == [text.strip()]
    assert why in done.aside[0].why
    assert text.strip() in done.set_aside


@pytest.mark.parametrize(
    ("found", "key"),
    [
        ("Doe 2020", "Doe-2020"),
        ("nime_Çamcı", "nime_Camci"),
        ("Næss'20", "Naess-20"),
        ("DBLP:journals/x/Y01", "DBLP:journals/x/Y01"),
    ],
)
def test_a_key_keeps_its_letters_or_is_spelt_without_those_that_none_can_have(
    tmp_path: Path, found: str, key: str
) -> None:
    done = converted(tmp_path, WORK.replace("Doe:2020abc", found))
    assert [block.key for block in done.blocks] == [key]
    assert done.blocks[0].text("original-key") == ("" if found == key else found)


def test_a_macro_is_written_out_and_parts_are_joined(tmp_path: Path) -> None:
    done = converted(
        tmp_path, '@string{jhep = "J. High Energy Phys."}\n' + WORK.replace("month", 'journal = jhep # " A", month')
    )
    assert done.blocks[0].text("journal") == "J. High Energy Phys. A"


@pytest.mark.parametrize(
    ("written", "text"), [("jhep", "jhep"), ('jhep # " A"', "jhep A"), ("{jhep}", None), ('"jhep"', None)]
)
def test_a_macro_that_nothing_defines_is_told_and_kept_as_it_was_written(
    tmp_path: Path, written: str, text: str | None
) -> None:
    done = converted(tmp_path, WORK.replace("month", f"journal = {written}, month").replace('"3"', "mar"))
    told = [(one.number, one.example) for one in done.changes if one.kind.startswith("macros that no @string")]
    assert told == ([(1, f"Doe:2020abc: journal = {written}")] if text else [])
    assert done.blocks[0].text("journal") == (text or "jhep")
    assert done.blocks[0].text("original-journal") == (written if text else "")


def test_a_macro_of_a_macro_that_nothing_defines_is_told(tmp_path: Path) -> None:
    done = converted(tmp_path, '@string{jhep = jrn # " HEP"}\n' + WORK.replace("month", "journal = jhep, month"))
    assert any(one.example == '@string jhep = jrn # " HEP"' for one in done.changes)
    assert done.blocks[0].text("journal") == "jrn HEP"


def test_what_a_cross_reference_stands_for_is_written_out(tmp_path: Path) -> None:
    parent = '@proceedings{P, title = "The Volume", editor = "Poe, K.", publisher = "Press", year = 2019, isbn = "1"}\n'
    child = '@inproceedings{c, crossref = "P", author = "Doe, J.", title = "A Talk", doi = "10.1234/x"}\n'
    done = converted(tmp_path, child + parent)
    got = {name: field.text for name, field in done.blocks[0].fields.items()}
    assert (got["booktitle"], got["year"], got["publisher"]) == ("The Volume", "2019", "Press")
    assert got["original-crossref"] == "P"


def test_a_cross_reference_to_what_is_not_there_is_kept_and_told(tmp_path: Path) -> None:
    done = converted(tmp_path, WORK.replace("month", "crossref = {nowhere}, month"))
    [block] = done.blocks
    assert (block.text("crossref"), block.text("original-crossref")) == ("", "nowhere")
    assert any(one.kind == "crossref to what is not in the file: kept as original-crossref" for one in done.changes)


@pytest.mark.parametrize(
    ("written", "title", "original"),
    [
        ('"An {open brace"', "An open brace", r'"An \textbraceleft{}open brace"'),
        (r"{A \{set\} and \} more}", "A set and more", None),
    ],
)
def test_a_brace_without_its_partner_is_spelt_in_the_original(
    tmp_path: Path, written: str, title: str, original: str | None
) -> None:
    done = converted(
        tmp_path, f'@misc{{a, title = {written}, author = "Doe, J.", year = 2020, url = {{https://x.org}}}}\n'
    )
    [block] = done.blocks
    assert block.text("title") == title
    if original:
        assert block.text("original-title") == original
    assert '"' not in block.text("title")


def test_the_same_work_twice_is_one_entry_and_both_keys_lead_to_it(tmp_path: Path) -> None:
    done = converted(tmp_path, WORK + WORK.replace("Doe:2020abc", "doe20"))
    assert [(block.key, block.text("ids")) for block in done.blocks] == [("Doe:2020abc", "doe20")]
    assert "the same eprint" in done.aside[0].why


def test_a_file_in_an_old_encoding_is_read(tmp_path: Path) -> None:
    done = converted(tmp_path, WORK.replace("Doe, Jane", "Müller, J.").encode("cp1252"))
    assert done.blocks[0].text("author") == "Müller, J."
    assert any("Windows-1252" in change.kind for change in done.changes)


# the first axis


@pytest.mark.parametrize(
    ("first", "second", "axis", "labels"),
    [
        ('keywords = "jets, QCD"', 'keywords = "QCD; tracking"', "keyword", ["QCD", "jets", "tracking"]),
        ('groups = "My Jets"', 'groups = "My Tracks"', "group", ["My Jets", "My Tracks"]),
        ('note = "x"', 'primaryClass = "cs.LG"', "class", ["cs.LG", "hep-ph"]),
    ],
)
def test_the_first_axis_is_made_from_what_the_file_has(
    tmp_path: Path, first: str, second: str, axis: str, labels: list[str]
) -> None:
    other = WORK.replace("Doe:2020abc", "b").replace("2003.01234", "2003.05678").replace("A Title", "Other Words")
    other = re.sub(r'primaryClass = "hep-ph"', second, other)
    done = converted(tmp_path, WORK.replace("month", f"{first},\n    month") + other)
    assert done.axis.id == axis
    assert list(done.axis.labels.values()) == labels
    assert all(block.text(f"tag-{axis}") for block in done.blocks)


def test_headings_of_a_file_are_the_axis_and_days_are_none(tmp_path: Path) -> None:
    works = [
        re.sub(r"    primaryClass.*\n", "", WORK)
        .replace("Doe:2020abc", f"k{n}")
        .replace("2003.01234", f"2003.0000{n}")
        .replace("A Title", f"{word} title")
        for n, word in enumerate(["First", "Second", "Third", "Fourth"])
    ]
    done = converted(
        tmp_path, f"% ==== Jets ====\n{works[0]}% June 16, 2020\n{works[1]}%% Tracks %%\n{works[2]}{works[3]}"
    )
    assert {block.key: block.text("tag-section") for block in done.blocks} == {
        "k0": "jets", "k1": "jets", "k2": "tracks", "k3": "tracks",
    }  # fmt: skip
    assert [block.text("added") for block in done.blocks] == ["", "2020-06-16", "", ""]


# the day on which an entry was added


def git(folder: Path, *arguments: str, day: str = "2020-01-01") -> None:
    when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin", **when}
    )


def test_the_history_of_git_tells_when_each_entry_first_stood_in_the_file(tmp_path: Path) -> None:
    other = WORK.replace("Doe:2020abc", "b").replace("2003.01234", "2003.05678").replace("A Title", "Other Words")
    git(tmp_path, "init", "--initial-branch=main")
    path = tmp_path / "old.bib"
    path.write_text(WORK)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one", day="2020-04-01")
    git(tmp_path, "mv", "old.bib", "refs.bib")
    git(tmp_path, "commit", "-m", "move", day="2020-05-01")
    (tmp_path / "refs.bib").write_text(WORK.replace("A Title", "A Better Title") + other)
    git(tmp_path, "commit", "-am", "two", day="2021-06-01")
    done = convert(tmp_path / "refs.bib")
    assert {block.key: block.text("added") for block in done.blocks} == {"Doe:2020abc": "2020-04-01", "b": "2021-06-01"}
    assert done.dated == "the history of git"


# two thousand entries in the style of INSPIRE


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Conversion]:
    text = foreign_bib(2000)
    return text, converted(tmp_path_factory.mktemp("large"), text)


def test_of_two_thousand_entries_those_with_a_closing_brace_are_all_in_the_pool(large: tuple[str, Conversion]) -> None:
    text, done = large
    keys = set(re.findall(r"^@\w+\{([^,\s]+:[^,\s]+),$", text, re.MULTILINE))
    broken = {match[1] for one in done.lost_entries if (match := re.match(r"@\w+\{([^,]+),", one.raw))}
    assert keys == {block.key for block in done.blocks} | broken
    assert 1 <= len(done.lost_entries) <= 20
    assert all("cannot be read" in one.why or "the same entry" in one.why for one in done.lost_entries)


def test_no_text_of_two_thousand_entries_is_lost(large: tuple[str, Conversion]) -> None:
    """Held against pybtex's reading of the file: every word of every field is in the entry of the pool."""
    text, done = large
    sound = text
    for one in done.lost_entries:
        sound = sound.replace(one.raw, "", 1)
    theirs = parse_string(sound, "bibtex").entries
    missing = []
    for block in done.blocks:
        mine = " ".join(field.text for field in block.fields.values()).lower()
        entry = theirs[block.key]
        people = {role: " ".join(map(str, persons)) for role, persons in entry.persons.items()}
        for name, written in {**entry.fields, **people}.items():
            value = re.sub(r"(?<=\d)v(\d+)$", r" \1", written)  # an id with its version
            words = re.findall(r"[a-z0-9]{3,}", re.sub(r"\\url|https?://(dx\.)?doi\.org", "", value.lower()))
            if name.lower() not in ("month", "archiveprefix"):
                missing += [(block.key, name, word) for word in words if word not in mine and word != "others"]
    assert missing == []


def test_a_title_is_changed_only_for_a_problem_and_then_kept_as_it_was(large: tuple[str, Conversion]) -> None:
    text, done = large
    titles = dict(re.findall(r'(?s)^@\w+\{([^,\s]+:[^,\s]+),\n.*?^    title = ["{](.*?)["}],?$', text, re.MULTILINE))
    formulas = [title for title in titles.values() if re.search(r"\\[(\[]|\\ensuremath", title)]
    assert len(formulas) > 50
    for block in done.blocks:
        title = titles[block.key]
        problems = list(check_field("title", title))
        assert block.text("original-title") == (title if problems else "")
        assert (block.text("title") == title) is not bool(problems)


def test_what_was_changed_is_counted_by_kind_with_an_example(large: tuple[str, Conversion]) -> None:
    _, done = large
    numbers = [change.number for change in done.changes]
    assert numbers == sorted(numbers, reverse=True)
    assert all(change.example for change in done.changes)
    assert len(done.changes) < 30


def test_the_pool_is_read_as_it_was_written(large: tuple[str, Conversion]) -> None:
    _, done = large
    again = parse_bibtex(done.pool)
    assert again.problems == ()
    assert [(b.key, b.type, {n: f.text for n, f in b.fields.items()}) for b in again.blocks] == [
        (b.key, b.type, {n: f.text for n, f in b.fields.items()}) for b in done.blocks
    ]
