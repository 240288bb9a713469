"""The literature commands: output, exit status and messages."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import WINGS, main
from survey.literature import Pool
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY, TAXONOMY

Survey = Callable[..., Result]


@pytest.fixture
def survey(monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Run the command in the project's folder (or in ``cwd``)."""

    def run(*arguments: str, cwd: Path = ROOT) -> Result:
        monkeypatch.chdir(cwd)
        result = CliRunner().invoke(main, list(arguments))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a small survey of one entry in bib/."""
    (tmp_path / "bib").mkdir()
    (tmp_path / "bib" / "taxonomy.toml").write_text(TAXONOMY)
    (tmp_path / "bib" / "pool.bib").write_text(ENTRY)
    return tmp_path


# ------------------------------------------------------------------- check


def test_check_without_problems_prints_one_line(survey: Survey) -> None:
    result = survey("check")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    axes = len(tomllib.loads((ROOT / "bib" / "taxonomy.toml").read_text())["axis"])
    readers = tomllib.loads((ROOT / "bib" / "codings" / "readers.toml").read_text())
    entries, records = (
        len(re.findall(r"(?m)^@", (ROOT / "bib" / f"{name}.bib").read_text())) for name in ("pool", "excluded")
    )
    assert result.stdout == (
        f"{entries} entries, {records} excluded records, {axes} axes, {len(readers)} codings: no problems\n"
    )


def test_check_counts_the_incomplete_author_lists(survey: Survey, small: Path) -> None:
    short = ENTRY.replace("title ", "authors-incomplete = {The page names one author only.},\n  title ")
    (small / "bib" / "pool.bib").write_text(short)
    assert survey("check", cwd=small).stdout.endswith("1 author list known to be incomplete (key2026)\n")


def test_check_prints_every_problem_and_exits_with_1(survey: Survey, small: Path) -> None:
    (small / "bib" / "pool.bib").write_text(ENTRY.replace("{shared}", "{sharred}").replace("https:", "ftp:"))
    result = survey("check", cwd=small)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        'bib/pool.bib:5: entry key2026: url: "ftp://example.org/a" is not a web address (expected http:// or https://)',
        'bib/pool.bib:6: entry key2026: tag-reward: "sharred" is not a value of reward (did you mean "shared"?)',
        "2 problems",
    ]


def test_check_finds_the_data_from_a_folder_below(survey: Survey, small: Path) -> None:
    (small / "deep" / "down").mkdir(parents=True)
    assert survey("check", cwd=small / "deep" / "down").exit_code == 0


def test_check_of_a_file_compares_it_with_the_pool(survey: Survey, small: Path) -> None:
    (small / "mine.bib").write_text(ENTRY.replace("key2026", "mine2026"))
    result = survey("check", "mine.bib", cwd=small)
    assert result.exit_code == 1
    assert "mine.bib:3: entry mine2026: title: the same title as key2026 (bib/pool.bib:1): is it the same work?" in (
        result.stderr
    )
    (small / "mine.bib").write_text(ENTRY.replace("key2026", "mine2026").replace("A Title", "Another"))
    assert survey("check", "mine.bib", cwd=small).stdout == "1 file: no problems\n"
    (small / "yours.bib").write_text(ENTRY.replace("key2026", "yours2026").replace("A Title", "Another"))
    assert "the same title as mine2026" in survey("check", "mine.bib", "yours.bib", cwd=small).stderr


def test_check_of_a_file_accepts_taxonomies_and_codings(survey: Survey, small: Path) -> None:
    (small / "t.toml").write_text(TAXONOMY.replace('"ranked"', '"heap"'))
    (small / "c.csv").write_text("key,axis,value\nkey2026,reward,nothing\n")
    (small / "x.txt").write_text("")
    result = survey("check", "t.toml", "c.csv", "x.txt", cwd=small)
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["c.csv", "t.toml", "x.txt", "3 problems"]


def test_without_data_the_message_names_the_option(survey: Survey, tmp_path: Path) -> None:
    result = survey("stats", cwd=tmp_path)
    assert result.exit_code == 2
    assert "found no bib/taxonomy.toml here or in a parent folder (name the folder with --bib DIR)" in result.stderr


# ---------------------------------------------------------- stats, crosstab


def test_stats_as_a_table_shows_zeros(survey: Survey) -> None:
    out = survey("stats", "--as-of", "2026-05-04").stdout
    assert out.startswith("84 entries, 32 excluded records, as of 2026-05-04\n")
    reward = out[out.index("Reward family (reward)\n") :].partition("\n\n")[0]
    assert [line.split()[:3] for line in reward.splitlines() if line.startswith("tool ")] == [["tool", "0", "3"]]


def test_stats_as_json_and_csv_hold_the_same(survey: Survey, pool: Pool) -> None:
    whole = json.loads(survey("stats", "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(survey("stats", "--format", "csv").stdout)))
    assert (whole["entries"], whole["excluded"]) == (len(pool), len(pool.records))
    from_json = [(axis, row["cell"], row["count"]) for axis, table in whole["axes"].items() for row in table]
    assert from_json == [(row["axis"], row["cell"], int(row["count"])) for row in rows]


def test_a_crosstab_that_is_wider_than_the_terminal_is_printed_in_blocks(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = survey("crosstab", "reward", "credit").stdout.splitlines()
    monkeypatch.setenv("COLUMNS", "60")
    lines = survey("crosstab", "reward", "credit").stdout.splitlines()
    assert max(map(len, lines)) <= 60
    heads = [line.split("  ")[0] for line in lines].count("reward \\ credit")
    assert heads > 1
    assert sum(line.startswith("shared ") for line in lines) == heads
    figures = [line.split()[1:] for line in lines if line.startswith("shared ")]
    assert [one for block in figures for one in block] == next(
        line.split()[1:] for line in whole if line.startswith("shared ")
    )


def test_crosstab_in_every_format(survey: Survey) -> None:
    table = survey("crosstab", "reward", "credit", "--as-of", "2026-05-04").stdout
    assert any(line.split() == ["tool", *["."] * 11] for line in table.splitlines())
    whole = json.loads(survey("crosstab", "reward", "credit", "--format", "json").stdout)
    assert whole["counts"]["shared"]["message"] >= 1
    rows = list(csv.DictReader(io.StringIO(survey("crosstab", "reward", "credit", "--format", "csv").stdout)))
    assert {row["reward"]: int(row["agent"]) for row in rows}["shared"] == whole["counts"]["shared"]["agent"]


def test_counts_have_intervals_where_two_readers_coded_the_axis(survey: Survey) -> None:
    whole = json.loads(survey("stats", "--format", "json").stdout)
    rows = {row["cell"]: row for row in whole["axes"]["reward"]}
    assert all(row["low"] <= row["count"] <= row["high"] for row in rows.values() if row["low"] is not None)
    assert any(row["low"] < row["count"] for row in rows.values() if row["low"] is not None)
    assert rows["role"]["read_once"] + rows["role"]["read_twice"] == rows["role"]["count"]
    assert rows["na"]["low"] is None
    assert whole["intervals"]["reward"]["second"] == "facets-b-2026-11"
    assert "no entry was read" in whole["intervals"]["standing"]["none_because"]
    assert all(row["read_once"] is None for row in whole["axes"]["reason"])
    shown = survey("stats").stdout
    assert f"{rows['role']['low']}\N{EN DASH}{rows['role']['high']}" in shown


def test_cells_have_intervals_of_their_own(survey: Survey) -> None:
    whole = json.loads(survey("crosstab", "reward", "credit", "--format", "json").stdout)
    assert [cell["count"] for cell in whole["cells"]] == [n for row in whole["counts"].values() for n in row.values()]
    (cell,) = (cell for cell in whole["cells"] if (cell["row"], cell["column"]) == ("hybrid", "agent"))
    shown = survey("crosstab", "reward", "credit", "--intervals").stdout
    assert f"{cell['count']} ({cell['low']}\N{EN DASH}{cell['high']})" in shown
    assert "interval" not in survey("crosstab", "reward", "credit").stdout
    none = survey("crosstab", "reward", "standing", "--intervals").stdout
    assert "no interval for misclassification: no entry was read on" in none


def test_an_unknown_axis_is_a_usage_error(survey: Survey) -> None:
    result = survey("crosstab", "rewards", "credit")
    assert result.exit_code == 2
    assert 'there is no axis "rewards" (did you mean "reward"?)' in result.stderr


def test_a_wrong_date_is_a_usage_error(survey: Survey) -> None:
    result = survey("stats", "--as-of", "yesterday")
    assert result.exit_code == 2
    assert '"yesterday" is not a date (expected YYYY-MM-DD, as in 2026-05-04)' in result.stderr


def test_check_notes_a_title_whose_capitals_no_braces_protect(survey: Survey, small: Path) -> None:
    (small / "bib" / "pool.bib").write_text(ENTRY.replace("{A Title}", "{AlphaZero on {SWE}-bench: LLM, RL, R1, AI}"))
    result = survey("check", cwd=small)
    assert (result.exit_code, result.stdout) == (0, "1 entry, 0 excluded records, 2 axes, 0 codings: no problems\n")
    words = '"AlphaZero" and "LLM" and "RL" and more'
    note = (
        f"note: bib/pool.bib:3: entry key2026: title: most styles print {words} in lower case (write {{AlphaZero}})\n"
    )
    assert result.stderr == note
    shutil.copy(small / "bib" / "pool.bib", small / "mine.bib")
    (small / "bib" / "pool.bib").write_text("")
    alone = survey("check", "mine.bib", cwd=small)
    assert (alone.exit_code, alone.stderr) == (0, note.replace("bib/pool.bib", "mine.bib"))


def test_check_prints_few_notes_on_a_bibliography_that_protects_nothing(survey: Survey, small: Path) -> None:
    def entry(n: int) -> str:
        named = ENTRY.replace("key2026", f"key{n}").replace("example.org/a", f"example.org/{n}")
        return named.replace("{A Title}", f"{{LLM number {n}}}")

    (small / "bib" / "pool.bib").write_text("\n".join(map(entry, range(100, 125))))
    result = survey("check", cwd=small)
    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) == 21
    assert result.stderr.endswith("note: 5 more titles with capitals that no braces protect\n")


ONES = [
    ("check",), ("list",), ("stats",), ("claims",), ("gaps",), ("flow",), ("queue",), ("diff", "--with", "was"),
    ("diff", "--with", "was", "--format", "markdown"), ("diff", "2026-01-01", "2026-12-01"),
    ("crosstab", "reward", "decision"), ("related", "--where", "reward=shared"), ("check", "bib/pool.bib"),
    ("export", "--format", "bib", "-o", "one.bib"),
]  # fmt: skip
"""Commands that count the works of a pool, or what changed in it."""


@pytest.mark.parametrize("arguments", ONES, ids=" ".join)
def test_a_count_of_one_is_told_in_the_singular(survey: Survey, small: Path, arguments: tuple[str, ...]) -> None:
    old = ENTRY.replace("{A Title}", "{Another Title}")
    shutil.copytree(small / "bib", small / "was")
    (small / "was" / "pool.bib").write_text(
        old + old.replace("key2026", "gone2026").replace("/a}", "/b}").replace("Another", "Third")
    )
    result = survey(*arguments, cwd=small)
    assert result.exit_code == 0, result.stderr
    told = re.sub(r"\bof 1\b", "", result.output)
    nouns = "entries|works|records|axes|codings|claims|rankings|cells|files|tags"
    assert re.findall(rf"(?<![\w.,-])1 (?:[a-z]+ ){{0,2}}(?:{nouns})\b", told) == []
    assert not re.search(r"(?<![\w.,-])1 [a-z]+ (?:are|were|have)\b", told)
    assert re.search(r"(?<![\w.,-])1 (?:entry|work|file)\b", result.output)


# ---------------------------------------------------------- list, show, export


def test_list_shows_the_entries_behind_a_number(survey: Survey) -> None:
    out = survey("list", "--where", "credit=message", "--primary", "--as-of", "2026-05-04").stdout
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["c3", "debate-as-reward"]
    assert out.splitlines()[-1] == "2 of 84 entries, 32 excluded records, as of 2026-05-04"


def test_an_empty_list_says_which_filter_to_drop(survey: Survey) -> None:
    out = survey("list", "--where", "category=survey", "--where", "reward=shared").stdout
    assert "without --where category=survey: " in out
    assert "without --where reward=shared: " in out


def test_list_as_json_is_the_export_of_the_same_entries(survey: Survey) -> None:
    arguments = ["--where", "reward=R6", "--format", "json"]
    assert survey("list", *arguments).stdout == survey("export", *arguments).stdout


def test_a_malformed_filter_is_answered_with_the_expected_form(survey: Survey) -> None:
    result = survey("list", "--where", "reward")
    assert result.exit_code == 2
    assert '"reward": expected AXIS=VALUE' in result.stderr


def test_show_prints_every_tag_with_its_evidence(survey: Survey, pool: Pool) -> None:
    out = " ".join(survey("show", "c3").stdout.split())
    for axis in pool["c3"].tags:
        assert pool.taxonomy[axis].label in out
        assert pool["c3"].why(axis) in out


def test_show_prints_the_differing_tags_of_other_readers(survey: Survey) -> None:
    out = " ".join(survey("show", "magrpo").stdout.split())
    assert "The coding second-reading-2026-11 has credit: team" in out


def test_show_finds_excluded_records(survey: Survey) -> None:
    assert "Reason for exclusion: prompted-framework" in survey("show", "E003").stdout


def test_show_of_an_unknown_key_names_the_nearest(survey: Survey) -> None:
    result = survey("show", "marfft")
    assert result.exit_code == 2
    assert 'there is no entry "marfft" (did you mean "marft"?)' in result.stderr


def test_export_writes_a_file(survey: Survey, tmp_path: Path) -> None:
    target = tmp_path / "my.bib"
    result = survey("export", "--format", "bib", "--key", "c3", "--key", "marft", "-o", str(target))
    assert (result.exit_code, result.stderr) == (0, f"2 entries written to {target}\n")
    assert target.read_text().count("\n@") == 2


def test_export_into_a_missing_folder_is_reported(survey: Survey, tmp_path: Path) -> None:
    result = survey("export", "--format", "bib", "-o", str(tmp_path / "no" / "my.bib"))
    assert result.exit_code == 1
    assert "no such file or directory" in result.stderr


def test_export_never_overwrites_the_data_itself(survey: Survey, small: Path) -> None:
    result = survey("export", "--format", "bib", "-o", "bib/pool.bib", cwd=small)
    assert result.exit_code == 2
    assert "bib/pool.bib is data of the survey" in result.stderr
    assert (small / "bib" / "pool.bib").read_text() == ENTRY


def test_export_to_a_dash_is_standard_output(survey: Survey, small: Path) -> None:
    assert survey("export", "--format", "bib", "-o", "-", cwd=small).stdout.startswith("% Small, edition 2026-05-04")
    assert not (small / "-").exists()


def test_a_terminal_without_unicode_still_gets_its_table() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    result = subprocess.run([sys.executable, "-m", "survey", "stats"], cwd=ROOT, env=environment, capture_output=True)
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m survey stats --format csv | head -1"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (
        "axis,cell,label,count,mentions,share,low,high,read_once,read_twice,adjudicated\n",
        "",
    )


def test_export_of_an_unknown_key_is_a_usage_error(survey: Survey) -> None:
    result = survey("export", "--format", "bib", "--key", "c4")
    assert result.exit_code == 2
    assert 'no matching entry "c4"' in result.stderr


@pytest.mark.parametrize("name", ["2603.06859", "word2026"])
def test_a_new_entry_has_every_axis_and_check_names_what_is_empty(survey: Survey, small: Path, name: str) -> None:
    out = survey("new", name, cwd=small).stdout
    for text in ("% tag-reward", "shared | process | na | unknown", "tag-decision", "why-reward", "summary"):
        assert text in out
    (small / "bib" / "pool.bib").write_text(f"{ENTRY}\n{out}")
    problems = survey("check", cwd=small).stderr
    assert "tag-reward: is empty (expected one of: shared, process, na, unknown)" in problems
    assert "author: is empty (fill it in or delete the line)" in problems
    assert ("@misc has no key" in problems) == (name == "2603.06859")


def test_an_entry_filled_in_by_the_readme_passes(survey: Survey, small: Path) -> None:
    text = survey("new", "2603.06859", cwd=small).stdout
    for empty, filled in {
        "@misc{,": "@misc{chen2026,",
        "author        = {}": "author        = {Chen, Yanjun and Zhang, Wei}",
        "title         = {}": "title         = {Another Title}",
        "primaryclass  = {}": "primaryclass  = {cs.LG}",
        "tag-reward    = {}": "tag-reward    = {process; shared}",
        "why-reward    = {}": "why-reward    = {Section 3 scores every turn.}",
        "tag-decision  = {}": "tag-decision  = {stop: learned}",
        "why-decision  = {}": "why-decision  = {Section 4 has an action that ends the work.}",
        "summary       = {}": "summary       = {Scores turns and learns when to stop.}",
        "  sources       = {},\n": "",
        "  submitted     = {},\n": "",
        "  announced     = {},\n": "",
        "  version       = {},\n": "",
        "  third-party   = {},\n": "",
    }.items():
        assert empty in text, empty
        text = text.replace(empty, filled)
    (small / "bib" / "pool.bib").write_text(f"{ENTRY}\n{text}")
    assert survey("check", cwd=small).stdout.startswith("2 entries")
    assert json.loads(survey("stats", "--format", "json", cwd=small).stdout)["entries"] == 2


def test_new_takes_an_arxiv_id_or_a_key(survey: Survey) -> None:
    result = survey("new", "two words")
    assert result.exit_code == 2
    assert (
        '"two words" is neither an arXiv id ("2603.06859"), a DOI, a web address nor a key ("word2026")'
        in result.stderr
    )


# ----------------------------------------------------------------- the manual


COMMANDS = [name for names in WINGS.values() for name in names]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_manual_and_in_the_readme(survey: Survey, command: str) -> None:
    assert survey(command, "--help").exit_code == 0
    assert f"  survey {command}" in survey("--help").stdout
    assert f"survey {command}" in (ROOT / "README.md").read_text()


WORDS = re.compile(r"2026-(05-04|11-2.)|\bc3\b|\brewards?\b|\bcredit\b|\bllm|\bagents?\b", re.IGNORECASE)
"""Days, keys and subjects of our survey."""


@pytest.mark.parametrize(
    "command", [command for module, commands in WINGS.items() if "trace" not in module for command in commands]
)
def test_the_manual_of_another_survey_has_no_example_of_ours(survey: Survey, command: str) -> None:
    bread = ROOT / "tests" / "literature" / "bread"
    assert WORDS.findall(survey("--bib", str(bread), command, "--help").stdout) == []


def test_messages_on_another_survey_have_no_example_of_ours(survey: Survey, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests" / "literature" / "bread", tmp_path / "bib")
    (tmp_path / "bib" / "searches.toml").write_text("[floor]\ngroups = 1\n")
    found = survey("check", cwd=tmp_path).stderr
    assert "expected lists of words, as in" in found
    (tmp_path / "bib" / "taxonomy.toml").write_text('[survey]\ntitle = "Bread"\n')
    found += survey("check", cwd=tmp_path).stderr + survey("diff", "2024-01-01", cwd=tmp_path).stderr
    assert "expected tables like" in found
    assert "expected two days" in found
    assert WORDS.findall(found) == []


def test_the_manual_fits_a_terminal(survey: Survey) -> None:
    for command in ([], *([name] for name in COMMANDS)):
        assert max(map(len, survey(*command, "--help").stdout.splitlines())) <= 100
