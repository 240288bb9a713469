"""BibTeX of every kind, read in Chromium: each work is found however it is written, and nothing is dropped silently."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from survey.literature import Pool
from survey.literature.export.bib import to_bib
from tests.browser.conftest import Visit
from tests.browser.related.own_bib import BROKEN, PAGE, compare, linked, section

pytestmark = pytest.mark.programs

Open = Callable[..., Visit]


@pytest.fixture
def opened(visit: Open) -> Visit:
    found = visit(PAGE)
    expect(found.page.locator("form.bring")).to_be_visible()
    return found


# ------------------------------------------------------------- what is matched

C3 = "Contextual Counterfactual Credit Assignment for Multi-Agent Reinforcement Learning in LLM Collaboration"

MATCHED = [
    ("by title", f"@misc{{x, title = {{{C3}}}}}", "c3"),
    ("by title with braces, commands and another case", "@misc{x, title = {{C}ontextual \\emph{counterfactual} credit {A}ssignment for Multi--agent reinforcement learning in {{LLM}} collaboration.}}", "c3"),
    ("by title in quotation marks", f'@misc{{x, title = "{C3.replace("LLM", "{LLM}")}"}}', "c3"),
    ("by title joined from parts", f'@misc{{x, title = "{C3[:20]}" # {{{C3[20:]}}}}}', "c3"),
    ("by title with a special letter", "@misc{x, title = {$\\tau$-bench: {A} Benchmark}, eprint = {1705.08926}}", "coma2018"),
    ("by arXiv number", "@misc{x, title = {T}, eprint = {1705.08926}, archiveprefix = {arXiv}}", "coma2018"),
    ("with a version", "@misc{x, title = {T}, eprint = {1705.08926v3}}", "coma2018"),
    ("with a class", "@misc{x, title = {T}, eprint = {arXiv:1705.08926 [cs.AI]}}", "coma2018"),
    ("from an address", "@misc{x, title = {T}, url = {https://arxiv.org/abs/1705.08926v1}}", "coma2018"),
    ("from the address of a PDF", "@misc{x, title = {T}, url = {http://www.arxiv.org/pdf/1705.08926v1.pdf}}", "coma2018"),
    ("from arXiv's DOI", "@misc{x, title = {T}, doi = {10.48550/arXiv.1705.08926}}", "coma2018"),
    ("from the journal", "@article{x, title = {T}, journal = {arXiv preprint arXiv:1705.08926}}", "coma2018"),
    ("as dblp writes it", "@article{x, title = {T}, journal = {CoRR}, volume = {abs/1705.08926}}", "coma2018"),
    ("from a note", "@misc{x, title = {T}, note = {arXiv:1705.08926, accepted at AAAI}}", "coma2018"),
    ("by DOI", "@article{x, title = {T}, doi = {10.1609/aaai.v32i1.11794}}", "coma2018"),
    ("by DOI in capitals, as an address", "@article{x, title = {T}, doi = {https://doi.org/10.1609/AAAI.V32I1.11794}}", "coma2018"),
    ("by DOI from the url", "@article{x, title = {T}, url = {https://dx.doi.org/10.1609/aaai.v32i1.11794}}", "coma2018"),
    ("without any title", "@misc{x, eprint = {1705.08926}}", "coma2018"),
    ("in parentheses", "@misc(x, eprint = {1705.08926})", "coma2018"),
    ("with fields in capitals and no comma at the end", "@MISC{x, TITLE = {T}, EPRINT = {1705.08926}}", "coma2018"),
    ("with a bare value", "@misc{x, eprint = 1705.08926, year = 2018}", "coma2018"),
    ("without a key", "@misc{eprint = {1705.08926}}", "coma2018"),
    ("with a comma missing between fields", "@misc{x, title = {T} eprint = {1705.08926}}", "coma2018"),
    ("with a key with a blank", "@misc{Foerster 2018, eprint = {1705.08926}}", "coma2018"),
    ("behind a byte-order mark, with Windows line ends", "\ufeff@misc{x,\r\n  eprint = {1705.08926}\r\n}\r\n", "coma2018"),
    ("behind comments, strings and preambles", '@comment{jabref-meta: {x}}\n@string{a = "b"}\n@preamble{"{\\x}"}\n% me@example.org\n@comment no brace\n@misc{x, eprint = {1705.08926}}', "coma2018"),
]  # fmt: skip


@pytest.mark.parametrize("group", [MATCHED[:9], MATCHED[9:17], MATCHED[17:]], ids=["titles", "numbers", "forms"])
def test_a_work_is_found_however_it_is_written(opened: Visit, subtests: pytest.Subtests, group: list[tuple[str, str, str]]) -> None:  # fmt: skip
    for name, bib, key in group:
        with subtests.test(name):
            said = compare(opened, bib)
            assert linked(opened.page, "What you have") == [key]
            assert "Of 1 work in your list, the survey has 1 among its" in said
            assert "could not be read" not in said
    opened.clean()


@pytest.mark.parametrize(
    "bib",
    [
        "@misc{x, title = {Something else altogether}, eprint = {1705.0892}}",
        "@misc{x, title = {Something else altogether}, eprint = {1705.089261}}",
        "@misc{x, title = {Something else altogether}, eprint = {hal-1705.08926}, archiveprefix = {HAL}}",
        "@misc{x, title = {Something else altogether}, note = {version 1705.08926}}",
        "@misc{c3, title = {Something else altogether}}",
    ],
    ids=["a digit less", "a digit more", "another archive", "a number that is no arXiv number", "only the key"],
)
def test_a_work_is_not_mistaken_for_another(opened: Visit, bib: str) -> None:
    assert "the survey has 0 among its" in compare(opened, bib)
    assert "Something else altogether" in section(opened.page, "What the survey lacks")


def test_every_entry_and_record_of_the_survey_finds_itself(opened: Visit, pool: Pool) -> None:
    said = compare(opened, to_bib(pool))
    assert f"Of {len(pool)} works in your list, the survey has {len(pool)} among its {len(pool)} entries" in said
    assert linked(opened.page, "What you have")[:100] == [entry.key for entry in pool][:100]
    assert "Nothing: your list has every value" in section(opened.page, "What you miss")
    titles = "\n".join(f"@misc{{k{n}, title = {{{e.text('title')}}}}}" for n, e in enumerate(pool))
    assert f"the survey has {len(pool)} among" in compare(opened, titles)
    opened.clean()


def test_a_number_that_agrees_with_another_title_shows_both(opened: Visit) -> None:
    compare(opened, "@misc{x, title = {Quite {A}nother Title}, eprint = {1705.08926}}")
    assert "x, line 1, by arXiv number; your title: Quite Another Title" in section(opened.page, "What you have")


def test_a_record_that_was_left_out_is_shown_with_the_reason(opened: Visit, pool: Pool) -> None:
    record = pool.records[0]
    said = compare(opened, f"@misc{{x, title = {{{record.text('title')}}}}}")
    assert "has screened and excluded 1" in said
    told = section(opened.page, "Screened and excluded")
    evidence = next(axis for axis in pool.taxonomy.on("record") if axis.evidence)
    assert "Reason for exclusion" in told
    assert record.why(evidence.id) in told
    assert opened.page.locator(f".findings a[href$='#{record.key}']").count() == 1


def test_a_background_work_is_known_and_not_called_lacking(opened: Visit, pool: Pool) -> None:
    work = pool.background[0]
    said = compare(opened, f"@misc{{x, title = {{{work.text('title')}}}}}")
    assert "cites 1 as background" in said
    assert section(opened.page, "What the survey lacks") == ""


# ------------------------------------------------------------- what cannot be read


def test_what_cannot_be_read_is_listed_with_its_line_and_the_rest_is_read(opened: Visit) -> None:
    said = compare(opened, BROKEN)
    assert "Of 3 works in your list" in said
    assert "6 passages could not be read" in said
    told = section(opened.page, "What could not be read")
    assert re.findall(r"line (\d+): @", told) == ["2", "5", "6", "7", "8", "10"]
    for reason in (
        "line 4: another entry begins before this one ends; skipped up to line 3",
        'expected = after "title"',
        "expected a value after =",
        "neither a title nor an identifier",
        "not the start of an entry",
        "line 10: a quotation mark is not closed",
    ):
        assert reason in told, reason
    opened.clean()


@pytest.mark.parametrize("text", ["%PDF-1.7 and so on", "TY  - JOUR\nER  - ", "{}", "\u0000\u0001"])
def test_what_is_no_bibtex_is_said_to_be_none(opened: Visit, text: str) -> None:
    assert "Found no BibTeX entry" in compare(opened, text)
    assert opened.page.locator(".findings").inner_text() == ""
    opened.clean()


def test_an_empty_box_is_pointed_at(opened: Visit) -> None:
    assert compare(opened, "  ") == "Nothing is pasted yet."
    assert opened.page.evaluate("document.activeElement.id") == "bib-text"


def test_text_from_a_file_is_only_ever_text(opened: Visit) -> None:
    attack = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>"
    quoted = attack.replace('"', "'")
    compare(opened, f"@misc{{k, title = {{{attack}}}}}\n@misc{{<b>{{, title = {{x}}\n"
                    f"@misc{{r, title = {{{quoted}}}, eprint = {{1705.08926}}}}")  # fmt: skip
    assert opened.page.locator(".findings :is(img, script, b)").count() == 0
    assert "<img src=x" in opened.page.locator(".findings").inner_text()
    assert opened.page.title() != "hit"
    opened.clean()


TOOK = """async (box, text) => {
  const took = [];
  for (let round = 0; round < 3; round += 1) {
    box.value = text;
    const start = performance.now();
    box.form.requestSubmit();
    took.push(performance.now() - start);
    await new Promise((done) => setTimeout(done));
  }
  return Math.min(...took);
}"""
"""The shortest of three times that a list takes: other programs only ever make it longer."""


def in_linear_time(found: Visit, text: Callable[[int], str], size: int) -> None:
    """Compare a list of this size, and fail if it takes more than twice as long as one of a quarter should let it."""
    box = found.page.get_by_label("or paste BibTeX")
    short, long = (box.evaluate(TOOK, text(some)) for some in (size // 4, size))
    assert long < 2 * 4 * max(short, 1)


def test_ten_thousand_entries_take_linear_time_and_are_all_shown(opened: Visit, pool: Pool) -> None:
    real = to_bib(pool)

    def bib(size: int) -> str:
        return real + "".join(
            f"@article{{k{n},\n  author = {{Last, F. and {{\\'E}}cole, G.}},\n  title = {{{{A}} Study of Something, Part {n}}},\n"
            f"  journal = {{arXiv preprint arXiv:{9901 + n % 12}.{n:05}}},\n  year = {{2019}}\n}}\n"
            for n in range(size - len(pool))
        )

    in_linear_time(opened, bib, 10_000)
    said = opened.page.locator("[role=status]").inner_text()
    assert f"Of 10000 works in your list, the survey has {len(pool)} among" in said
    opened.page.locator("summary", has_text=f"{10_000 - len(pool)} works").click()
    opened.page.get_by_role("button", name=f"Show {10_000 - len(pool) - 100} more").click()
    expect(opened.page.locator(".findings details[open] .works > li")).to_have_count(10_000 - len(pool))


def test_a_file_without_end_of_anything_is_read_in_linear_time(opened: Visit) -> None:
    in_linear_time(opened, lambda size: "@misc{x, title = {{{{ \n" * size + '"{' * (5 * size // 2), 20_000)
    assert "20000 passages could not be read" in opened.page.locator("[role=status]").inner_text()
