"""Entries are checked field by field; every problem has file, line, entry, field, what, expected, nearest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from survey.literature import InvalidSurvey, load, read_pool
from survey.literature.pool import check_duplicates
from tests.literature.conftest import ENTRY


def lines(folder: Path) -> list[str]:
    return [str(p).removeprefix(f"{folder}/") for p in read_pool(folder)[1]]


def test_a_good_entry_has_no_problem(folder: Callable[..., Path]) -> None:
    assert lines(folder()) == []


# id, what to replace in the good entry, by what, the whole message
WRONG = [
    ("unknown value", "tag-reward = {shared}", "tag-reward = {sharred}",
     '6: entry key2026: tag-reward: "sharred" is not a value of reward (did you mean "shared"?)'),
    ("capitals", "tag-reward = {shared}", "tag-reward = {Shared}",
     '6: entry key2026: tag-reward: "Shared" is not a value of reward (did you mean "shared"?)'),
    ("far from any value", "tag-reward = {shared}", "tag-reward = {x}",
     '6: entry key2026: tag-reward: "x" is not a value of reward (expected one of: shared, process, na, unknown)'),
    ("value twice", "tag-reward = {shared}", "tag-reward = {shared; shared}",
     '6: entry key2026: tag-reward: names "shared" twice'),
    ("absence beside a value", "tag-reward = {shared}", "tag-reward = {shared; na}",
     '6: entry key2026: tag-reward: "na" cannot stand beside a value: "shared; na"'),
    ("what is not said before a value", "tag-reward = {shared}", "tag-reward = {unknown; shared}",
     '6: entry key2026: tag-reward: "unknown" cannot stand beside a value: "unknown; shared"'),
    ("nothing between semicolons", "tag-reward = {shared}", "tag-reward = {shared;}",
     '6: entry key2026: tag-reward: has nothing between two ";"'),
    ("a detail where none is taken", "tag-reward = {shared}", "tag-reward = {shared: learned}",
     '6: entry key2026: tag-reward: "shared: learned": values of reward take nothing after a colon'),
    ("how is missing", "tag-reward = {shared}", "tag-decision = {stop},\n  why-decision = {x},\n  tag-reward = {shared}",
     '6: entry key2026: tag-decision: "stop" does not say how (expected one of: learned, designed)'),
    ("how is misspelt", "tag-reward = {shared}", "tag-decision = {stop: learnt},\n  why-decision = {x},\n  tag-reward = {shared}",
     '6: entry key2026: tag-decision: "stop: learnt" does not say how (did you mean "learned"?)'),
    ("obligatory tag missing", "  tag-reward = {shared},\n  why-reward = {The abstract says so.},\n", "",
     "1: entry key2026: tag-reward: is missing (expected one of: shared, process, na, unknown)"),
    ("evidence missing", "  why-reward = {The abstract says so.},\n", "",
     '1: entry key2026: why-reward: is missing (say in your own words what supports tag-reward = "shared", and where it stands)'),
    ("evidence empty", "The abstract says so.", " ",
     "7: entry key2026: why-reward: is empty (fill it in or delete the line)"),
    ("evidence without a tag", "tag-reward = {shared}", "why-decision = {x},\n  tag-reward = {shared}",
     "6: entry key2026: why-decision: is evidence for a tag that is not there (tag-decision)"),
    ("a rule broken", "tag-reward = {shared},\n  why-reward = {The abstract says so.}",
     "tag-reward = {na},\n  tag-decision = {stop: learned},\n  why-decision = {x}",
     '7: entry key2026: tag-decision: "stop" cannot be: who pays nothing decides nothing (expected "na")'),
    ("unknown field with our prefix", "tag-reward = {shared}", "tag-reward = {shared},\n  tag-rewrad = {shared}",
     '7: entry key2026: tag-rewrad: is not a field of this survey (did you mean "tag-reward"?)'),
    ("a slip of the pen", "year       = {2026}", "year       = {2026}, howpublishd = {x}",
     '4: entry key2026: howpublishd: is not a field that anything reads (did you mean "howpublished"?)'),
    ("obligatory field missing", "  title      = {A Title},\n", "", "1: entry key2026: title: is missing"),
    ("no summary", "  summary    = {It does a thing.},\n", "", "1: entry key2026: summary: is missing"),
    ("no address", "  url        = {https://example.org/a},\n", "",
     "1: entry key2026: url: is missing (an entry needs a url, a doi or an eprint)"),
    ("unknown type", "@misc", "@inproceeding",
     '1: entry key2026: @inproceeding is not an entry type here (did you mean "inproceedings"?)'),
    ("a type that needs more", "@misc", "@article", "1: entry key2026: journal: is missing (an @article needs it)"),
    ("not a web address", "https://example.org/a", "javascript:alert(1)",
     '5: entry key2026: url: "javascript:alert(1)" is not a web address (expected http:// or https://)'),
    ("an address with a blank", "https://example.org/a", "https://example.org/a b",
     '5: entry key2026: url: "https://example.org/a b" is not a web address (expected http:// or https://)'),
    ("impossible date", "2026-05-04", "2026-02-30",
     '9: entry key2026: added: "2026-02-30" is not a date (expected YYYY-MM-DD)'),
    ("year of letters", "year       = {2026}", "year       = {MMXXVI}",
     '4: entry key2026: year: "MMXXVI" is not a year (expected four digits)'),
    ("year after it was added", "year       = {2026}", "year       = {2062}",
     "4: entry key2026: year: 2062 lies after the entry was added (2026-05-04)"),
    ("month that is none", "year       = {2026}", "year       = {2026}, month = {Marhc}",
     '4: entry key2026: month: "Marhc" is not a month (did you mean "mar"?)'),
    ("malformed arXiv id", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {arXiv:2603.06859v2}",
     '4: entry key2026: eprint: "arXiv:2603.06859v2" is not an arXiv id (did you mean "2603.06859"?)'),
    ("eprint of a thirteenth month", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2613.06859}",
     '4: entry key2026: eprint: "2613.06859" is not an arXiv id (expected an id like "2603.06859")'),
    ("year before the eprint", "year       = {2026}", "year       = {2025}, archiveprefix = {arXiv}, eprint = {2603.06859}",
     "4: entry key2026: year: 2025 contradicts eprint 2603.06859 of 2026: before it"),
    ("year after the eprint, unpublished", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2503.06859}",
     "4: entry key2026: year: 2026 contradicts eprint 2503.06859 of 2025: after it, yet no journal or booktitle explains that"),
    ("submitted after the eprint", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2603.06859}, submitted = {2026-05-01}",
     "4: entry key2026: submitted: 2026-05-01 is later than eprint 2603.06859 says"),
    ("announced before the eprint", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2603.06859}, announced = {2026-02}",
     "4: entry key2026: announced: 2026-02 is before eprint 2603.06859 was assigned"),
    ("announced before it was submitted", "year       = {2026}", "year       = {2026}, submitted = {2026-03-09}, announced = {2026-03-08}",
     "4: entry key2026: announced: 2026-03-08 is before submitted = 2026-03-09"),
    ("a month read off the number", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2603.06859}, announced = {2026-03}",
     "4: entry key2026: announced: 2026-03 says no more than eprint 2603.06859 (expected the day, or no announced)"),
    ("a former field", "year       = {2026}", "year       = {2026}, appeared = {2026-03-09}",
     '4: entry key2026: appeared: is no longer a field (write "submitted", the day of the first version, or "announced", when it was first public)'),
    ("a version that is none", "year       = {2026}", "year       = {2026}, archiveprefix = {arXiv}, eprint = {2603.06859}, version = {v2}",
     '4: entry key2026: version: "v2" is not a version (expected its number, as in "2", or "published", or "unknown")'),
    ("a version of nothing", "year       = {2026}", "year       = {2026}, version = {2}",
     "4: entry key2026: version: is that of a preprint (delete it, or say which with eprint)"),
    ("one address twice", "year       = {2026}", "year       = {2026}, sources = {https://a.org https://b.org}, third-party = {https://b.org}",
     '4: entry key2026: third-party: "https://b.org" stands in sources too (keep one)'),
    ("eprint of nobody", "year       = {2026}", "year       = {2026}, eprint = {2603.06859}",
     '1: entry key2026: archiveprefix: is missing or other than "arXiv" (eprint is an arXiv id)'),
    ("malformed DOI", "year       = {2026}", "year       = {2026}, doi = {https://doi.org/10.1038/x}",
     '4: entry key2026: doi: "https://doi.org/10.1038/x" is not a DOI (did you mean "10.1038/x"?)'),
    ("a DOI with escapes", "year       = {2026}", "year       = {2026}, doi = {10.1016/a\\_b\\%3C}",
     '4: entry key2026: doi: "10.1016/a\\_b\\%3C" is not a DOI (did you mean "10.1016/a_b%3C"?)'),
    ("a DOI with a sign that none has", "year       = {2026}", "year       = {2026}, doi = {10.1016/a<b}",
     '4: entry key2026: doi: "10.1016/a<b" is not a DOI (expected one like "10.1038/s41586")'),
    ("not an arXiv class", "year       = {2026}", "year       = {2026}, primaryclass = {CS}",
     '4: entry key2026: primaryclass: "CS" is not an arXiv class (expected one like "cs.MA")'),
    ("and others", "Last, First", "Last, First and others",
     '2: entry key2026: author: ends in "and others" (name every author, or say why not in authors-incomplete)'),
    ("LaTeX that cannot be decoded", "A Title", "A \\foo Title",
     '3: entry key2026: title: the LaTeX command \\foo cannot be shown in "A \\foo Title" (write the character itself)'),
    ("a bare percent sign", "A Title", "50% of a Title",
     '3: entry key2026: title: "%" is a command in LaTeX (write \\%)'),
    ("a percent sign in a formula", "A Title", "A $50% x$ Title",
     '3: entry key2026: title: "%" is a command in LaTeX (write \\%)'),
    ("a hat outside a formula", "A Title", "A x^2 Title",
     '3: entry key2026: title: "^" is a command in LaTeX (write \\^)'),
    ("a title that shows nothing", "A Title", "{~}", '3: entry key2026: title: shows nothing: "{~}"'),
    ("digits of another script", "year       = {2026}", "year       = {２０２６}",
     '4: entry key2026: year: "２０２６" is not a year (expected four digits)'),
    ("a date at the end of time", "2026-05-04", "9999-12-31",
     '9: entry key2026: added: "9999-12-31" is not a date (expected YYYY-MM-DD)'),
    ("two addresses in one", "year       = {2026}", "year       = {2026}, sources = {https://a.org,https://b.org}",
     '4: entry key2026: sources: "https://a.org,https://b.org" is not one web address (put a blank between two, and nothing else)'),
    ("an empty field", "A Title", "", "3: entry key2026: title: is empty (fill it in or delete the line)"),
    ("volume and number outside a journal", "year       = {2026}", "year       = {2026}, volume = {1}, number = {2}",
     "4: entry key2026: number: cannot stand beside volume (styles print only one of them; keep one)"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "problem"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_every_problem_is_one_line(folder: Callable[..., Path], old: str, new: str, problem: str) -> None:
    assert old in ENTRY
    assert lines(folder(ENTRY.replace(old, new, 1))) == [f"pool.bib:{problem}"]


def test_all_problems_are_reported_together(folder: Callable[..., Path]) -> None:
    with pytest.raises(InvalidSurvey) as error:
        load(folder("@misc{a, title = {x}}\n\nstray\n\n@misc{A, year = {20}}"))
    assert len(error.value.problems) > 10
    assert error.value.problems == tuple(sorted(error.value.problems))


def test_not_applicable_needs_no_evidence_and_unknown_does(folder: Callable[..., Path]) -> None:
    entry = ENTRY.replace("  why-reward = {The abstract says so.},\n", "")
    assert lines(folder(entry.replace("{shared}", "{na}"))) == []
    assert len(lines(folder(entry.replace("{shared}", "{unknown}")))) == 1


def test_not_applicable_unknown_and_not_coded_stay_three_things(folder: Callable[..., Path]) -> None:
    entry = load(folder(ENTRY.replace("{shared}", "{unknown}")))["key2026"]
    assert entry.words("reward") == ("unknown",)
    assert "decision" not in entry.tags


def test_fields_of_other_programs_are_kept(folder: Callable[..., Path]) -> None:
    pool = load(folder(ENTRY.replace("year ", "abstract = {Some words.},\n  year ")))
    assert pool["key2026"].text("abstract") == "Some words."


SECOND = ENTRY.replace("key2026", "other2026")


def test_the_same_work_twice_is_a_problem(folder: Callable[..., Path]) -> None:
    bib = folder(f"{ENTRY}\n{SECOND}")
    assert lines(bib) == [
        f"pool.bib:14: entry other2026: title: the same title as key2026 ({bib}/pool.bib:1): is it the same work?"
    ]


@pytest.mark.parametrize("field", ["doi = {10.1234/ab}", "archiveprefix = {arXiv}, eprint = {2603.06859}"])
def test_the_same_identifier_twice_is_a_problem(folder: Callable[..., Path], field: str) -> None:
    first = ENTRY.replace("  url ", f"  {field},\n  url ")
    second = first.replace("key2026", "other2026").replace("A Title", "Another")
    assert len(lines(folder(f"{first}\n{second}"))) == 1


def test_a_work_is_either_retained_or_excluded(folder: Callable[..., Path]) -> None:
    record = (
        "@misc{E1, author = {A, B}, title = {A Title}, year = {2026}, url = {https://x.org}, screened = {2026-01-01}}"
    )
    bib = folder(ENTRY, excluded_bib=record)
    assert lines(bib) == [
        f"excluded.bib:1: entry E1: title: the same title as key2026 ({bib}/pool.bib:1): is it the same work?"
    ]


def test_only_one_problem_for_a_key_used_twice_in_one_file(folder: Callable[..., Path]) -> None:
    bib = folder(f"{ENTRY}\n{ENTRY.replace('A Title', 'Another')}")
    assert lines(bib) == ["pool.bib:12: entry key2026: the key is used twice (first in line 1)"]


def test_different_works_are_not_suspected(pool: object) -> None:
    assert list(check_duplicates(pool)) == []  # type: ignore[arg-type]
