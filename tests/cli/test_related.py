"""``survey related``: output in every format, and messages."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.literature import Pool
from survey.literature.related import NOTICE, related
from survey.literature.taxonomy import examples
from survey.site.markup.templates import environment
from tests.conftest import ROOT

Survey = Callable[..., Result]

THEN = ("--as-of", "2026-05-04")


@pytest.fixture
def survey(monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Run the command in the project's folder."""

    def run(*arguments: str) -> Result:
        monkeypatch.chdir(ROOT)
        result = CliRunner().invoke(main, list(arguments))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def flat(text: str) -> str:
    return " ".join(text.split())


def test_it_prints_the_sentence_the_path_and_the_paragraph_with_its_notice(survey: Survey, pool: Pool) -> None:
    found = related(pool.as_of(date(2026, 5, 4)), [("credit", "message")])
    result = survey("related", "--where", "credit=message", *THEN)
    assert result.exit_code == 0
    out = flat(result.stdout)
    assert out.startswith(found.sentence)
    assert f"Covering set: {found.path_summary}" in out
    assert re.findall(r"(?m)^ +\d+\. ([\w-]+):", result.stdout) == [s.entry.key for s in found.path]
    assert NOTICE in out
    assert found.paragraph() in out
    assert out.index(NOTICE) < out.index(found.paragraph())
    assert out.endswith("Citations: survey export --format bib --where credit=message --as-of 2026-05-04")


def test_an_empty_selection_is_cited_too(survey: Survey) -> None:
    result = survey("related", "--where", "credit=tool-call", "--primary", *THEN)
    assert result.exit_code == 0
    assert "n = 0 of 84, edition 2026-05-04" in flat(result.stdout)
    assert "covering set" not in result.stdout.lower()
    assert "survey export" not in result.stdout


def test_the_axes_to_cover_can_be_chosen(survey: Survey, pool: Pool) -> None:
    told = json.loads(survey("related", "--cover", "reward", "--cover", "credit", "--format", "json").stdout)
    found = related(pool, [], ["reward", "credit"])
    assert told["cover"] == ["reward", "credit"]
    assert [step["key"] for step in told["path"]] == [step.entry.key for step in found.path]


def test_json_holds_all_of_it_with_edition_and_data(survey: Survey, pool: Pool) -> None:
    then = pool.as_of(date(2026, 5, 4))
    told = json.loads(survey("related", "--where", "reward=hybrid", "--format", "json", *THEN).stdout)
    found = related(then, [("reward", "hybrid")])
    assert (told["as_of"], told["entries"], told["data"]) == ("2026-05-04", 84, then.fingerprint)
    assert told["keys"] == [e.key for e in found.entries]
    assert told["n"] == len(told["keys"])
    assert told["sentence"] == found.sentence
    assert told["smallest"] is True
    assert told["notice"] == NOTICE
    assert told["paragraph"] == {style: found.paragraph(style) for style in ("text", "latex", "markdown")}
    assert [(a["axis"], a["value"]) for a in told["path"][0]["adds"]] == list(found.path[0].new_values)


def test_latex_can_be_pasted_with_all_remarks_behind_a_percent_sign(survey: Survey) -> None:
    out = survey("related", "--where", "reward=hybrid", "--format", "latex", *THEN).stdout
    assert "\\begin{enumerate}\n  \\item \\cite{" in out
    for line in out.splitlines():
        assert not re.search(r"(?<!\\)[#&_](?![^{]*\})", line.partition(" % ")[0]) or line.startswith("%"), line
    assert all(part in out for part in ("% This is a skeleton.", "% Citations: survey export"))


def test_markdown_can_be_pasted_with_all_remarks_in_comments(survey: Survey) -> None:
    out = survey("related", "--where", "reward=hybrid", "--format", "markdown", *THEN).stdout
    assert re.search(r"(?m)^1\. \[@[\w-]+\] <!-- .+ -->$", out)
    assert "<!-- This is a skeleton." in out
    assert out.count("<!--") == out.count("-->")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--where", "rewad=shared"), 'Invalid value for --where: there is no axis "rewad" (did you mean "reward"?)'),
        (("--where", "reward=sharred"), '"sharred" is not a value of reward (did you mean "shared"?)'),
        (("--cover", "credits"), 'Invalid value for --cover: there is no axis "credits" (did you mean "credit"?)'),
        (("--format", "word"), "Invalid value for '--format': 'word' is not one of"),
    ],
)
def test_a_usage_error_names_the_nearest_right_word(survey: Survey, arguments: tuple[str, ...], message: str) -> None:  # fmt: skip
    result = survey("related", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    "asked",
    [
        ["--where", "reward=hybrid"],
        ["--where", "credit=agent", "--primary"],
        ["--where", "decision=stop:learned"],
        # a set has a first value for survey export --primary, and none for tables
        ["--where", "decision=stop", "--primary"],
    ],
    ids=" ".join,
)
def test_the_printed_command_exports_exactly_the_cited_entries(
    survey: Survey, tmp_path: Path, asked: list[str]
) -> None:
    out = survey("related", *asked, "--format", "markdown", *THEN).stdout
    command = re.search(r"<!-- Citations: survey (.+) -->", out)
    assert command
    bib = survey(*shlex.split(command.group(1))).stdout
    told = json.loads(survey("related", *asked, "--format", "json", *THEN).stdout)
    assert sorted(re.findall(r"(?m)^@\w+\{([^,]+),", bib)) == sorted(told["keys"])


def test_every_command_that_the_page_and_the_help_show_runs(survey: Survey, pool: Pool) -> None:
    template = (ROOT / "survey/site/pages/related/related.md.j2").read_text()
    (block,) = re.findall(r"(?s)<pre>.*?</pre>", template)
    page = environment().from_string(block).render(examples=examples(pool.taxonomy))
    shown = re.findall(r"(?m)(?:^ *|<code>)survey (related --.+?)(?:</code>|$)", f"{survey('related', '-h').stdout}\n{page}")  # fmt: skip
    runnable = [command for command in shown if "AXIS" not in command]
    assert len(runnable) >= 6
    for command in runnable:
        assert survey(*shlex.split(command)).exit_code == 0, command
