"""``survey diff --with`` in a terminal and in a pull request; ``survey new`` for works that exist already."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from survey.cli import main
from survey.cli.literature.editions.comment import LIMIT, NO_WIDTH, code, comment, link
from survey.literature import load
from survey.literature.claims import compare_copies
from tests.literature.conftest import ENTRY, TAXONOMY

NEW = ENTRY.replace("key2026", "new2026").replace("A Title", "Something Else").replace("/a}", "/b}")
MAIN = TAXONOMY.replace('shape = "ranked"', 'shape = "ranked"\nmain = true').replace(
    'shape = "set"', 'shape = "set"\nmain = true'
)
STOPS = "  tag-decision = {stop: learned},\n  why-decision = {Section 4 says so.},\n  summary "


def folder(parent: Path, name: str, pool: str, taxonomy: str = MAIN) -> Path:
    bib = parent / name / "bib"
    bib.mkdir(parents=True)
    (bib / "pool.bib").write_text(pool)
    (bib / "taxonomy.toml").write_text(taxonomy)
    return bib


@pytest.fixture
def was(tmp_path: Path) -> Path:
    return folder(tmp_path, "was", ENTRY)


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command on a pool, where an older copy is in was/bib."""

    def run(*arguments: str, pool: str = ENTRY + NEW) -> Result:
        shutil.rmtree(tmp_path / "now", ignore_errors=True)
        folder(tmp_path, "now", pool)
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(main, ["--bib", "now/bib", *arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


Survey = Callable[..., Result]

# ------------------------------------------------------------------------ two copies


def test_the_first_line_says_what_changes(survey: Survey, was: Path) -> None:
    assert survey("diff", "--with", "was/bib").stdout.splitlines()[0] == "1 entry added"
    changed = ENTRY.replace("  summary ", STOPS)
    first = survey("diff", "--with", "was/bib", pool=changed).stdout.splitlines()[0]
    assert first == "1 work changes its tags; 1 ranking changes; 1 gap is filled"
    assert survey("diff", "--with", "was/bib", pool=NEW).stdout.startswith("1 entry added, 1 removed\n")


def test_an_identical_copy_changes_nothing(survey: Survey, was: Path) -> None:
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("No counts change\n")
    assert "Unchanged: 1 entry and 0 excluded records" in text


def test_a_file_that_is_not_compared_entry_by_entry_is_named_if_it_differs(survey: Survey, was: Path) -> None:
    (was / "codings").mkdir()
    (was / "codings" / "mine.txt").write_text("")
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("No counts change; 1 other file differs\n")
    assert text.endswith("Other files that differ\n    codings/mine.txt\n")


def test_changed_tags_are_shown_before_and_after_in_every_format(survey: Survey, was: Path) -> None:
    changed = ENTRY.replace("  summary ", STOPS).replace("{shared}", "{process; shared}")
    text = survey("diff", "--with", "was/bib", pool=changed).stdout
    assert "    key2026: why-decision\n        reward: shared -> process; shared\n" in text
    assert "        decision: not coded -> stop: learned\n" in text
    told = json.loads(survey("diff", "--with", "was/bib", "--format", "json", pool=changed).stdout)
    assert told["changed"] == [
        {
            "key": "key2026",
            "was": "key2026",
            "tags": {
                "reward": {"before": "shared", "after": "process; shared"},
                "decision": {"before": "", "after": "stop: learned"},
            },
            "fields": ["why-decision"],
        }
    ]
    assert told["filled"] == [[["reward", "process"], ["decision", "stop: learned"]]]
    markdown = survey("diff", "--with", "was/bib", "--format", "markdown", pool=changed).stdout
    assert (
        "- `key2026`: `reward` `shared` → `process; shared`; `decision` `not coded` → `stop: learned`; "
        "other text in `why-decision`\n"
    ) in markdown
    assert "- `reward: process` with `decision: stop, learned`\n" in markdown


def test_removed_entries_and_the_cells_they_empty_are_reported(survey: Survey, was: Path) -> None:
    (was / "pool.bib").write_text(ENTRY + NEW.replace("  summary ", STOPS))
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("1 entry removed; 1 ranking changes; 1 gap is opened\n")
    assert "1 work was removed\n    new2026\n" in text
    assert text.endswith("1 filled cell was emptied\n    reward shared with decision stop, learned\n")


# ------------------------------------------------------------------------ usage errors


def test_problems_of_the_other_copy_are_reported_with_file_and_line(survey: Survey, was: Path) -> None:
    (was / "pool.bib").write_text(ENTRY.replace("{shared}", "{shard}"))
    result = survey("diff", "--with", "was/bib")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0].startswith('was/bib/pool.bib:6: entry key2026: tag-reward: "shard" is not')
    (was / "taxonomy.toml").unlink()
    assert survey("diff", "--with", "was/bib").stderr.startswith("was/bib/taxonomy.toml:1: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected two days (as in 2024-01-31 2024-12-31), or --with FOLDER"),
        (("2026-05-04",), "expected two days (as in 2024-01-31 2024-12-31), or --with FOLDER"),
        (("2026-05-04", "2026-05-05", "--with", "was/bib"), "expected two days, or --with FOLDER, but not both"),
        (("--with", "was"), "was has no taxonomy.toml (did you mean was/bib?)"),
        (("--with", "nowhere"), "Directory 'nowhere' does not exist"),
        (("--with", "was/bib", "--site", "javascript:alert()"), '"javascript:alert()" is not the address of a site'),
        (("--with", "was/bib", "--site", "https://x.org/)x"), '"https://x.org/)x" is not the address of a site'),
    ],
)
def test_a_usage_error_says_what_was_expected(
    survey: Survey, was: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = survey("diff", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


# ------------------------------------------------------------------------ a comment


def test_a_comment_shows_a_summary_line_and_folds_the_rest(survey: Survey, was: Path) -> None:
    text = survey("diff", "--with", "was/bib", "--format", "markdown").stdout
    first, empty, counts, *rest = text.splitlines()
    assert (first, empty) == ("1 entry added.", "")
    assert counts.startswith("1 entry and 0 excluded records before, 2 and 0 after; ")
    assert [line for line in rest if line.startswith("<details>")] == [
        "<details><summary>Counts on the main axes (2)</summary>",
        "<details><summary>Added entries (1)</summary>",
    ]
    assert rest[-3:] == ["- `new2026` `Last`, 2026: `Something Else`", "", "</details>"]


def test_entries_are_linked_if_there_is_a_site(survey: Survey, was: Path) -> None:
    arguments = ("diff", "--with", "was/bib", "--format", "markdown", "--site", "https://example.org/survey")
    assert "- [new2026](https://example.org/survey/entries/new2026/) `Last`" in survey(*arguments).stdout


def test_only_a_name_that_does_nothing_in_markdown_is_a_link() -> None:
    assert link("a.b+c", "https://example.org/", "entries", "a.b+c/../#d") == (
        "[a.b+c](https://example.org/entries/a.b%2Bc%2F..%2F%23d/)"
    )
    assert link("a)(b@c", "https://example.org/", "entries", "a)(b@c") == f"`a)(b@{NO_WIDTH}c`"


HOSTILE = [
    "@octocat and @org/team",
    "Fixes #12, see other/repo#3",
    "<img src=x onerror=alert(1)>",
    "</details></summary><h1>",
    "<!-- survey: what this changes in the pool -->",
    "[click](https://evil.example)",
    "![seen](https://evil.example/pixel)",
    "`code` ``more`` and `",
    "``` and ~~~",
    "*bold* __under__ ~~struck~~",
    "https://evil.example www.evil.example me@evil.example",
    "&#64;octocat &commat;octocat &lt;b&gt;",
    "| a | b |",
    "{{ site }} {% raw %}",
    "a\n\n# heading\n- item",
]


def shown(markdown: str) -> tuple[str, list[str]]:
    """Return a comment as HTML without its code spans, and the text of those."""
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    return re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL), [
        html.unescape(span) for span in re.findall(r"<code>(.*?)</code>", rendered, re.DOTALL)
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_the_pool_is_inert(text: str, tmp_path: Path) -> None:
    braced = text.replace("\n", " ").replace("#", r"\#").replace("&", r"\&").replace("_", r"\_").replace("%", r"\%")
    braced = braced.replace("{{ site }} {\\% raw \\%}", "raw").replace("~", r"\textasciitilde{}")
    hostile = NEW.replace("Something Else", f"Hostile {braced} indeed")
    hostile = hostile.replace("{Last, First}", "{{" + braced.replace(";", "") + "}}")
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", ENTRY + hostile))
    outside, inside = shown(comment(compare_copies(old, new), old, new, files=[text], site="https://example.org/"))
    harmless, _ = shown(comment(compare_copies(old, old), old, old))
    assert set(re.findall(r"</?([a-z]+\d?)", outside)) <= {"p", "ul", "li", "details", "summary", "a"}
    assert set(re.findall(r'href="([^"]*)"', outside)) <= {"https://example.org/entries/new2026/"}
    assert "evil" not in outside
    assert not re.search(r"[@#`!]", re.sub(r'href="[^"]*"', "", outside)), outside
    assert len(harmless) < len(outside)
    spans = [span.replace(NO_WIDTH, "") for span in inside]
    assert " ".join(text.split()) in spans, "and it can still be read"
    assert not any(re.search(rf"[@#](?!{NO_WIDTH})", span) for span in inside), "not even in a reply by mail"


@given(st.text(max_size=40))
def test_no_text_leaves_its_code_span(text: str) -> None:
    outside, inside = shown(f"- before {code(text)} after\n- {code(text)}\n")
    assert len(inside) == 2
    assert re.sub(r"\s+", "", outside) == "<ul><li>beforeafter</li><li></li></ul>"


def test_a_comment_over_the_limit_is_cut_and_says_how_much_it_omits(tmp_path: Path) -> None:
    many = "".join(
        NEW.replace("new2026", f"new{n}").replace("Something Else", f"Title {n} {'long ' * 60}") for n in range(1000)
    )
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", ENTRY + many))
    text = comment(compare_copies(old, new), old, new)
    assert LIMIT - 500 < len(text) <= LIMIT, "as much as there is room for"
    listed = len(re.findall(r"(?m)^- `new\d+`", text))
    assert f"- and {1000 - listed} more\n\n</details>" in text
    assert text.startswith("1000 entries added.\n")
    assert "<details><summary>Added entries (1000)</summary>" in text
    assert text.count("<details>") == text.count("</details>")


def test_a_long_text_is_shortened(tmp_path: Path) -> None:
    fields = "".join(f"  x{n}note = {{a}},\n" for n in range(20_000))
    now = ENTRY.replace("It does a thing", f"It does {'a thing, ' * 20_000}").replace("  year ", f"{fields}  year ")
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", now.replace("A Title", "A" * 90_000)))
    assert len(comment(compare_copies(old, new), old, new)) < 2_000


# ------------------------------------------------------------------------ survey new

ON_ARXIV = ENTRY.replace("  url ", "  eprint = {2603.06859},\n  archiveprefix = {arXiv},\n  url ")
BY_ADDRESS = ENTRY.replace("https://example.org/a", "https://arxiv.org/abs/2603.06859v2")


@pytest.mark.parametrize("pool", [ON_ARXIV, BY_ADDRESS, f"{ON_ARXIV}@misc{{half,"])
def test_new_refuses_a_work_of_the_pool_and_reports_where_it_is(survey: Survey, pool: str) -> None:
    result = survey("new", "2603.06859", pool=pool)
    assert result.stderr == "Error: 2603.06859 is in the pool: key2026 (now/bib/pool.bib:1)\n"
    assert (result.exit_code, result.stdout) == (1, "")


def test_new_also_reports_excluded_records(survey: Survey, tmp_path: Path) -> None:
    survey("check")
    excluded = tmp_path / "now" / "bib" / "excluded.bib"
    excluded.write_text(ON_ARXIV.replace("key2026", "E1"))
    result = CliRunner().invoke(main, ["--bib", "now/bib", "new", "2603.06859"])
    assert result.stderr.splitlines()[0] == "2603.06859 already exists: E1 (now/bib/excluded.bib:1)"
    assert (result.exit_code, "@misc{," in result.stdout) == (0, True)


def test_new_reports_nothing_for_unknown_works(survey: Survey) -> None:
    blank = "The entry is blank: 2603.06860 was not looked up (--offline)\n"
    assert survey("new", "2603.06860", pool=ON_ARXIV).stderr == blank
    assert survey("new", "word2026", pool=ON_ARXIV).stderr == ""
    assert survey("new", "KEY2026").stderr == "Error: KEY2026 is in the pool: key2026 (now/bib/pool.bib:1)\n"
