"""``survey diff --with`` as a person and a pull request use it; ``survey new`` of what is there already."""

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
from survey.cli.literature.comment import LIMIT, NO_WIDTH, code, comment, link
from survey.literature import load
from survey.literature.claims import between
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
    assert survey("diff", "--with", "was/bib").stdout.splitlines()[0] == "1 entry more"
    changed = ENTRY.replace("  summary ", STOPS)
    first = survey("diff", "--with", "was/bib", pool=changed).stdout.splitlines()[0]
    assert first == "1 work changes its tags; 1 ranking changes; 1 gap is filled"
    assert survey("diff", "--with", "was/bib", pool=NEW).stdout.startswith("1 entry comes, 1 goes\n")


def test_a_copy_that_is_the_same_changes_nothing(survey: Survey, was: Path) -> None:
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("Nothing that is counted changes\n")
    assert "1 entries and 0 excluded records stay as they are" in text


def test_a_file_that_is_not_compared_entry_by_entry_is_named_if_it_differs(survey: Survey, was: Path) -> None:
    (was / "codings").mkdir()
    (was / "codings" / "mine.txt").write_text("")
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("Nothing that is counted changes; 1 other file differs\n")
    assert text.endswith("Other files that differ\n    codings/mine.txt\n")


def test_tags_are_told_from_what_to_what_in_every_format(survey: Survey, was: Path) -> None:
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


def test_what_goes_and_what_it_leaves_empty(survey: Survey, was: Path) -> None:
    (was / "pool.bib").write_text(ENTRY + NEW.replace("  summary ", STOPS))
    text = survey("diff", "--with", "was/bib", pool=ENTRY).stdout
    assert text.startswith("1 entry fewer; 1 ranking changes; 1 gap is opened\n")
    assert "1 works are gone\n    new2026\n" in text
    assert text.endswith("1 filled cells are empty\n    reward shared with decision stop, learned\n")


# ------------------------------------------------------------------------ used wrongly


def test_a_copy_that_cannot_be_read_says_where_and_why(survey: Survey, was: Path) -> None:
    (was / "pool.bib").write_text(ENTRY.replace("{shared}", "{shard}"))
    result = survey("diff", "--with", "was/bib")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0].startswith('was/bib/pool.bib:6: entry key2026: tag-reward: "shard" is not')
    (was / "taxonomy.toml").unlink()
    assert survey("diff", "--with", "was/bib").stderr.startswith("was/bib/taxonomy.toml:1: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give two days (as in 2026-05-04 2026-11-21), or --with FOLDER"),
        (("2026-05-04",), "give two days (as in 2026-05-04 2026-11-21), or --with FOLDER"),
        (("2026-05-04", "2026-05-05", "--with", "was/bib"), "give two days, or --with FOLDER, and not both"),
        (("--with", "was"), "was has no taxonomy.toml (did you mean was/bib?)"),
        (("--with", "nowhere"), "Directory 'nowhere' does not exist"),
        (("--with", "was/bib", "--site", "javascript:alert()"), '"javascript:alert()" is not the address of a site'),
        (("--with", "was/bib", "--site", "https://x.org/)x"), '"https://x.org/)x" is not the address of a site'),
    ],
)
def test_what_is_used_wrongly_names_the_way_out(
    survey: Survey, was: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = survey("diff", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


# ------------------------------------------------------------------------ a comment


def test_a_comment_is_one_line_and_folds_the_rest(survey: Survey, was: Path) -> None:
    text = survey("diff", "--with", "was/bib", "--format", "markdown").stdout
    first, empty, counts, *rest = text.splitlines()
    assert (first, empty) == ("1 entry more.", "")
    assert counts.startswith("1 entry and 0 excluded records before, 2 and 0 after; ")
    assert [line for line in rest if line.startswith("<details>")] == [
        "<details><summary>Counts on the main axes (2)</summary>",
        "<details><summary>Entries that come (1)</summary>",
    ]
    assert rest[-3:] == ["- `new2026` `Last`, 2026: `Something Else`", "", "</details>"]


def test_entries_are_linked_if_there_is_a_site(survey: Survey, was: Path) -> None:
    arguments = ("diff", "--with", "was/bib", "--format", "markdown", "--site", "https://example.org/survey")
    assert "- [`new2026`](https://example.org/survey/entries/new2026/) `Last`" in survey(*arguments).stdout


def test_whatever_a_key_holds_its_address_stays_one() -> None:
    assert link("a)(b@c", "https://example.org/", "entries", "a)(b@c/../#d") == (
        f"[`a)(b@{NO_WIDTH}c`](https://example.org/entries/a%29%28b%40c%2F..%2F%23d/)"
    )


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
    """A comment as HTML without its code spans, and what stands in those."""
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    return re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL), [
        html.unescape(span) for span in re.findall(r"<code>(.*?)</code>", rendered, re.DOTALL)
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_the_pool_does_not_act(text: str, tmp_path: Path) -> None:
    braced = text.replace("\n", " ").replace("#", r"\#").replace("&", r"\&").replace("_", r"\_").replace("%", r"\%")
    braced = braced.replace("{{ site }} {\\% raw \\%}", "raw").replace("~", r"\textasciitilde{}")
    hostile = NEW.replace("Something Else", f"Hostile {braced} indeed")
    hostile = hostile.replace("{Last, First}", "{{" + braced.replace(";", "") + "}}")
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", ENTRY + hostile))
    outside, inside = shown(comment(between(old, new), old, new, files=[text], site="https://example.org/"))
    harmless, _ = shown(comment(between(old, old), old, old))
    assert set(re.findall(r"</?([a-z]+\d?)", outside)) <= {"p", "ul", "li", "details", "summary", "a"}
    assert set(re.findall(r'href="([^"]*)"', outside)) <= {"https://example.org/entries/new2026/"}
    assert "evil" not in outside
    assert not re.search(r"[@#`!]", re.sub(r'href="[^"]*"', "", outside)), outside
    assert len(harmless) < len(outside)
    spans = [span.replace(NO_WIDTH, "") for span in inside]
    assert " ".join(text.split()) in spans, "and it can still be read"
    assert not any(re.search(rf"[@#](?!{NO_WIDTH})", span) for span in inside), "not even in an answer by mail"


@given(st.text(max_size=40))
def test_no_text_leaves_its_code_span(text: str) -> None:
    outside, inside = shown(f"- before {code(text)} after\n- {code(text)}\n")
    assert len(inside) == 2
    assert re.sub(r"\s+", "", outside) == "<ul><li>beforeafter</li><li></li></ul>"


def test_a_comment_that_would_be_too_long_says_how_much_it_leaves_out(tmp_path: Path) -> None:
    many = "".join(
        NEW.replace("new2026", f"new{n}").replace("Something Else", f"Title {n} {'long ' * 60}") for n in range(1000)
    )
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", ENTRY + many))
    text = comment(between(old, new), old, new)
    assert LIMIT - 500 < len(text) <= LIMIT, "as much as there is room for"
    listed = len(re.findall(r"(?m)^- `new\d+`", text))
    assert f"- and {1000 - listed} more\n\n</details>" in text
    assert text.startswith("1000 entries more.\n")
    assert "<details><summary>Entries that come (1000)</summary>" in text
    assert text.count("<details>") == text.count("</details>")


def test_one_text_that_is_too_long_is_shortened(tmp_path: Path) -> None:
    fields = "".join(f"  x{n}note = {{a}},\n" for n in range(20_000))
    now = ENTRY.replace("It does a thing", f"It does {'a thing, ' * 20_000}").replace("  year ", f"{fields}  year ")
    old, new = load(folder(tmp_path, "was", ENTRY)), load(folder(tmp_path, "now", now.replace("A Title", "A" * 90_000)))
    assert len(comment(between(old, new), old, new)) < 2_000


# ------------------------------------------------------------------------ survey new

ON_ARXIV = ENTRY.replace("  url ", "  eprint = {2603.06859},\n  archiveprefix = {arXiv},\n  url ")
BY_ADDRESS = ENTRY.replace("https://example.org/a", "https://arxiv.org/abs/2603.06859v2")


@pytest.mark.parametrize("pool", [ON_ARXIV, BY_ADDRESS, f"{ON_ARXIV}@misc{{half,"])
def test_a_new_entry_of_an_id_that_is_there_is_printed_and_standard_error_says_where(survey: Survey, pool: str) -> None:
    result = survey("new", "2603.06859", pool=pool)
    assert result.stderr == "2603.06859 is already there: key2026 (now/bib/pool.bib:1)\n"
    assert (result.exit_code, "@misc{," in result.stdout) == (0, True)


def test_it_may_be_an_excluded_record(survey: Survey, tmp_path: Path) -> None:
    survey("check")
    excluded = tmp_path / "now" / "bib" / "excluded.bib"
    excluded.write_text(ON_ARXIV.replace("key2026", "E1"))
    result = CliRunner().invoke(main, ["--bib", "now/bib", "new", "2603.06859"])
    assert result.stderr == "2603.06859 is already there: E1 (now/bib/excluded.bib:1)\n"


def test_of_what_is_not_there_nothing_is_said(survey: Survey) -> None:
    assert survey("new", "2603.06860", pool=ON_ARXIV).stderr == ""
    assert survey("new", "word2026", pool=ON_ARXIV).stderr == ""
    assert survey("new", "KEY2026").stderr == "KEY2026 is already there: key2026 (now/bib/pool.bib:1)\n"
