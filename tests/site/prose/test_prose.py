"""Prose with live figures: right when it asks for what is there, loud with file and line when not."""

from __future__ import annotations

import csv
import re
import tomllib
from datetime import date

import pytest

from survey.literature import InvalidSurvey, Pool
from survey.literature.claims import ledger
from survey.literature.gaps import OPEN, gap_map
from survey.site.charts.drawing import Pictures
from survey.site.prose.prose import render_prose
from tests.conftest import ROOT


def rendered(text: str, pool: Pool, page: str = "read/x.md") -> str:
    return render_prose(text, pool, page, f"docs/{page}", Pictures())


def test_figures_are_computed_from_the_pool(pool: Pool) -> None:
    assert rendered("{{ count() }}", pool) == str(len(pool))
    assert rendered('{{ count("credit=message", primary=true, as_of="2026-05-04") }}', pool) == "2"
    assert (
        rendered('{{ words(count("credit=message", primary=true, as_of="2026-05-04"), capital=true) }}', pool) == "Two"
    )
    assert rendered('{{ share("reward=na", primary=true, as_of="2026-05-04") }}', pool) == "39 %"
    assert rendered('{{ records(as_of="2026-05-04") }}', pool) == "32"
    assert rendered('{{ largest("agents", "category=industry", as_of="2026-05-04") }}', pool) == "300"
    assert rendered("{{ asof() }}", pool) == pool.day.isoformat()


def test_a_citation_names_authors_and_year_links_the_entry_and_is_in_the_references(pool: Pool) -> None:
    text = rendered("As shown ([@c3; @sharp]).", pool)
    assert text.startswith("As shown ([Chen et al., 2026](../entries/c3.md); [Li et al., 2026](../entries/sharp.md)).")
    assert "## References" in text
    assert "Contextual Counterfactual Credit Assignment" in text
    assert text.count("<li>") == 2


def test_of_many_authors_a_reference_names_the_first(pool: Pool) -> None:
    largest = max(pool, key=lambda entry: len(entry.authors))
    alone = next(entry for entry in pool if len(entry.authors) == 2)
    text = rendered(f"[@{largest.key}; @{alone.key}]", pool)
    assert len(largest.authors) > 8
    assert f"{', '.join(map(str, largest.authors[:8]))}, et al. ({largest.year})" in text
    assert str(largest.authors[8]) not in text
    assert f"{alone.authors[0]} and {alone.authors[1]} ({alone.year})" in text


def test_the_published_survey_is_cited_and_not_counted(pool: Pool) -> None:
    text = rendered("[@@survey]", pool)
    assert text.startswith("[Zhang, 2026](https://arxiv.org/abs/2605.02801)")
    assert "survey" not in pool


def test_code_stays_as_it_is_written(pool: Pool) -> None:
    code = "Write `{{ count() }}` and `[@c3]`.\n\n```\n{{ nothing }} [@nobody] $x$\n```\n"
    assert rendered(code, pool) == code


def test_no_code_is_fenced_within_a_list_where_it_would_become_a_word_of_its_text() -> None:
    fenced = re.compile(r"^[ \t]+(```|~~~)", re.MULTILINE)
    pages = sorted((ROOT / "docs").rglob("*.md"))
    assert [str(page) for page in pages if fenced.search(page.read_text())] == []


def test_the_repository_is_named_only_where_it_is_known(pool: Pool) -> None:
    assert rendered("{{ repository() }}", pool).strip() == ""
    known = render_prose("{{ repository() }}", pool, "x.md", "x.md", Pictures(), repository="https://example.org/a&b")
    assert '<code id="clone">git clone https://example.org/a&amp;b</code>' in known
    assert 'href="https://example.org/a&amp;b"' in known


def test_formulas_become_mathml_and_need_no_script(pool: Pool) -> None:
    text = rendered("Inline $\\frac{1}{n}$ and\n\n$$\nA_i = r_i - \\bar{r}\n$$\n", pool)
    assert text.count("<math ") == 2
    assert "$" not in text
    assert "*" not in text


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (r"\frac", r'not a formula that can be shown: "\frac" (no available tokens)'),
        ("a^b^c", 'not a formula that can be shown: "a^b^c" (double superscripts)'),
        (r"\begin{matrix} a", r'not a formula that can be shown: "\begin{matrix} a" (missing end)'),
        (r"\color", r'not a formula that can be shown: "\color" (the converter failed)'),
        (r"\frac{1}{n", r'a brace too many or too few in the formula "\frac{1}{n"'),
        (r"\argmx_a q", r'"\argmx" is not a known command of formulas: "\argmx_a q"'),
    ],
)
def test_a_formula_that_cannot_be_shown_whole_is_an_error_with_its_line(pool: Pool, formula: str, said: str) -> None:
    for text in (f"One.\n\nTwo ${formula}$.\n", f"One.\n\n$${formula}$$\n"):
        with pytest.raises(InvalidSurvey) as caught:
            rendered(text, pool)
        assert str(caught.value).startswith(f"docs/read/x.md:3: {said}")


def test_braces_that_are_to_be_seen_need_no_partner(pool: Pool) -> None:
    assert "&#x0007B;" in rendered(r"$\{ x$", pool)


def test_a_page_of_another_day_says_so(pool: Pool) -> None:
    old = pool.as_of(date(2026, 5, 4))
    assert "pool as of 2026-05-04" in rendered("[@c3]", old)


WRONG = [
    ("x\n\nSee [@c4x].", '3: there is no entry "c4x" (none of the'),
    ("[@nobody-at-all]", '1: there is no entry "nobody-at-all"'),
    ("[@marfft]", '1: there is no entry "marfft" (did you mean "marft"?)'),
    ('a\nb\n{{ count("reward=shard") }}', '3: "shard" is not a value of reward (did you mean "shared"?)'),
    ('{{ count("rewards=shared") }}', '1: there is no axis "rewards" (did you mean "reward"?)'),
    ('{{ count("reward") }}', '1: "reward" is not a filter (expected AXIS=VALUE)'),
    ("{{ cuont() }}", "1: 'cuont' is undefined"),
    ("x\n{{ coverage() }}", "2: coverage() missing 1 required positional argument: 'axis'"),
    ("x\n{{ [][count()] + 1 }}", "2: list object has no element"),
    ("{{ " + "(" * 900 + "1" + ")" * 900 + " }}", "1: braces and tags are nested too deeply to be read"),
    ("{% for a in 'ab' %}" * 25 + "{% endfor %}" * 25, "1: braces and tags are nested too deeply to be read"),
    ("x\n{{ count( }}", "2: not a figure: unexpected '}', expected ')'"),
    ('{{ term("reward", "x") }}', '1: "x" is not a value of reward'),
    ('{{ largest("agent") }}', '1: "agent" is not a quantity (did you mean "agents"?)'),
    ('{{ records("reason=none") }}', '1: "none" is not a value of reason'),
    ('{{ chart("rewards") }}', '1: there is no axis "rewards" (did you mean "reward"?)'),
    ('{{ chart("reward", "scale") }}', "1: reward by scale has no page"),
    ('{{ count(as_of="May") }}', "1: Invalid isoformat string"),
    ("{{ ''.__class__ }}", "1: access to attribute '__class__' of 'str' object is unsafe"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_what_does_not_exist_fails_with_file_and_line(pool: Pool, text: str, message: str) -> None:
    with pytest.raises(InvalidSurvey) as error:
        rendered(text, pool)
    assert str(error.value).startswith(f"docs/read/x.md:{message}")


PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_the_docs_renders(pool: Pool, page: str) -> None:
    text = rendered((ROOT / "docs" / page).read_text(), pool, page)
    assert "{{ count" not in text or "`" in text
    assert "[@" not in text or "`" in text


@pytest.mark.parametrize("page", [p for p in PAGES if p.startswith("read/")])
def test_every_chapter_has_figures_citations_a_table_and_what_is_open(pool: Pool, page: str) -> None:
    source = (ROOT / "docs" / page).read_text()
    assert source.count("[@") + source.count("authors(") + source.count("cites(") >= 8
    assert source.count("{{ ") >= 4
    assert "|---" in source.replace("| ---", "|---")
    *_, last_but_one, _ = re.findall(r"(?m)^## (.+)$", source)
    assert last_but_one == "What is open"
    assert len(source.split()) > 1200


def test_the_emptiest_cells_are_open_ones_and_lead_to_their_map(pool: Pool) -> None:
    text = render_prose('{{ emptiest("reward", "credit", 3) }}', pool, "index.md", "index.md", Pictures())
    links = re.findall(r"\[([^\]]+)\]\(gaps/reward-by-credit\.md\)", text)
    assert len(links) == 3
    kinds = {cell.kind for cell in gap_map(pool, "reward", "credit").of(*OPEN)}
    assert kinds <= set(OPEN)
    with pytest.raises(InvalidSurvey, match="there is no map of gaps of credit by reward"):
        render_prose('{{ emptiest("credit", "reward") }}', pool, "index.md", "index.md", Pictures())


def test_a_page_can_say_how_a_claim_stands(pool: Pool) -> None:
    stands = '{{ claim("stopping-untrained") }}'
    days = {
        date(2026, 5, 4): "contested",
        date(2026, 11, 21): "did not hold even then",
        pool.day: "did not hold even then",
    }
    for day, status in days.items():  # each edition has the tags that it published
        text = render_prose(stands, pool.as_of(day), "read/x.md", "x.md", Pictures())
        assert f"[{status}](../claims/stopping-untrained.md)" in text
    with pytest.raises(
        InvalidSurvey, match=r'there is no claim "stoping-untrained" .did you mean "stopping-untrained"'
    ):
        render_prose('{{ claim("stoping-untrained") }}', pool, "read/x.md", "x.md", Pictures())


def test_the_lag_is_that_of_the_data(pool: Pool) -> None:
    """Counted anew from the files."""
    with (ROOT / "bib" / "screened.csv").open(newline="") as file:
        decisions = [row["decision"] for row in csv.DictReader(file)]
    log = tomllib.loads((ROOT / "bib" / "searches.toml").read_text())
    months = log["evaluation"]["month"]
    seen = 100 * sum(month["read"][1] for month in months) / sum(month["came"] for month in months)
    decided = len(decisions) - decisions.count("") - decisions.count("skipped")
    newest = max(run["newest"] for run in log["run"])
    told = render_prose(
        '{{ lag("newest") }}; {{ lag("read") }} of {{ lag("queued") }}; {{ lag("recall", 50) }}',
        pool, "x.md", "x.md", Pictures(),
    )  # fmt: skip
    assert told.split("\n")[0] == f"{newest}; {decided} of {len(decisions)}; {seen:.0f} %"
    for asked in ('lag("newst")', 'lag("recall", 51)'):
        with pytest.raises(InvalidSurvey, match="the data have no figure"):
            render_prose(f"{{{{ {asked} }}}}", pool, "x.md", "x.md", Pictures())


def test_claims_are_counted_by_their_status(pool: Pool) -> None:
    """Counted anew from the ledger of the newest day."""
    last = [judgements[-1].status.name.lower() for judgements in ledger(pool).values()]
    text = '{{ verdicts() }}; {{ verdicts("holds", "once") }}; {{ verdicts("missed") }}; {{ verdicts("contested") }}'
    told = [str(number) for number in (len(last), last.count("holds") + last.count("once"), last.count("missed"), last.count("contested"))]  # fmt: skip
    assert render_prose(text, pool, "x.md", "x.md", Pictures()).split("\n")[0] == "; ".join(told)
    with pytest.raises(InvalidSurvey, match=r'no status "hold" \(did you mean "holds"'):
        render_prose('{{ verdicts("hold") }}', pool, "x.md", "x.md", Pictures())
