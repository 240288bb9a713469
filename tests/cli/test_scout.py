"""The subcommand scout, run on files and on a queue of its own."""

from __future__ import annotations

import csv
import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.cli.scout.find import client_in
from survey.literature import load
from tests.conftest import ROOT

NEW = {
    "title": "A team of language models that learns when to delegate",
    "authors": ["Ada Lovelace", "Ludwig van Beethoven"],
    "abstract": "We train an orchestrator of language model agents by reinforcement learning to delegate subtasks.",
    "arxiv": "2611.00001",
    "classes": ["cs.MA"],
    "submitted": "2026-11-10",
    "announced": "2026-11-11",
    "version": 1,
}
OTHER = NEW | {"title": "Agents of language models in a kitchen of teapots", "arxiv": "2611.00002",
               "abstract": "We count teapots with a language model agent; nothing is trained."}  # fmt: skip


def with_nothing_waiting(project: Path) -> None:
    """Write a copy of the data to a project, with an empty queue."""
    shutil.copytree(ROOT / "bib", project / "bib")
    queue = project / "bib" / "screened.csv"
    with queue.open(newline="") as file:
        reader = csv.DictReader(file)
        decided = [row for row in reader if row["decision"] in ("kept", "excluded")]
    with queue.open("w", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames or [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(decided)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The data with an empty queue, and a listing of two works that they lack."""
    with_nothing_waiting(tmp_path)
    lines = [json.dumps(one) for one in (OTHER, NEW)]
    (tmp_path / "listing.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(project: Path, *arguments: str, answers: str = "") -> Result:
    return CliRunner().invoke(main, ["--bib", str(project / "bib"), "scout", *arguments], input=answers)


def queue(project: Path) -> dict[str, dict[str, str]]:
    with (project / "bib" / "screened.csv").open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def filled(project: Path) -> Path:
    result = run(project, "find", str(project / "listing.jsonl"), "--write", "--route", "outside-search")
    assert result.exit_code == 0, result.output
    return project


def test_a_listing_is_ranked_without_a_network_the_nearest_work_first(project: Path) -> None:
    result = run(project, "find", str(project / "listing.jsonl"))
    assert result.exit_code == 0, result.output
    assert result.output.index("2611.00001") < result.output.index("2611.00002")
    assert "2 works seen, 2 above the floor, 2 new, 2 shown" in result.output


def test_a_work_of_the_pool_is_not_found_again_by_id_or_by_title(project: Path) -> None:
    pool = load(project / "bib")
    same = [{"title": "Other words", "arxiv": pool["c3"].text("eprint"), "abstract": "language model agents"},
            {"title": pool["magrpo"].title, "abstract": "language model agents"}]  # fmt: skip
    (project / "known.jsonl").write_text("".join(json.dumps(one) + "\n" for one in same))
    assert "Nothing new passes the floor" in run(project, "find", str(project / "known.jsonl")).output


def test_the_queue_and_the_run_are_written_and_checked(project: Path) -> None:
    filled(project)
    assert queue(project)["arxiv:2611.00001"]["decision"] == ""
    pool = load(project / "bib")
    run_of_today = pool.scouting.runs[-1]
    assert (run_of_today.seen, run_of_today.ranked, run_of_today.queued) == (2, 2, 2)
    assert "Newest work seen     2026-11-11" in run(project, "status").output
    again = run(project, "find", str(project / "listing.jsonl"), "--write", "--route", "outside-search")
    assert "Nothing new passes the floor" in again.output


def test_keeping_writes_an_entry_of_facts_with_unknown_tags(project: Path) -> None:
    before = len(load(filled(project) / "bib"))
    result = run(
        project, "triage", str(project / "listing.jsonl"), "-n", "1", answers="k\n1\nIt trains a delegating lead.\n"
    )
    assert result.exit_code == 0, result.output
    pool = load(project / "bib")
    assert len(pool) == before + 1
    entry = pool.entries[-1]
    assert (entry.title, entry.text("eprint"), entry.text("submitted")) == (NEW["title"], "2611.00001", "2026-11-10")
    assert entry.text("author") == "Lovelace, Ada and van Beethoven, Ludwig"
    assert entry.text("summary") == "It trains a delegating lead."
    assert entry.primary("category") == entry.primary("topology") == entry.primary("credit") == "unknown"
    assert queue(project)["arxiv:2611.00001"]["decision"] == "kept"


def test_excluding_asks_for_a_criterion_and_nothing_is_screened_twice(project: Path) -> None:
    filled(project)
    result = run(project, "triage", str(project / "listing.jsonl"), "-n", "1", answers="e\n2\n")
    assert result.exit_code == 0, result.output
    row = queue(project)["arxiv:2611.00001"]
    assert (row["decision"], row["criterion"]) == ("excluded", "single-agent")
    assert "2611.00001" not in run(project, "find", str(project / "listing.jsonl")).output


def test_what_is_skipped_waits_and_stopping_leaves_the_rest_as_it_was(project: Path) -> None:
    filled(project)
    assert run(project, "triage", str(project / "listing.jsonl"), answers="s\nq\n").exit_code == 0
    decisions = [queue(project)[f"arxiv:2611.0000{n}"]["decision"] for n in (1, 2)]
    assert decisions == ["skipped", ""]


def test_refresh_writes_a_patch_that_changes_what_the_metadata_say_otherwise(project: Path) -> None:
    pool = load(project / "bib")
    entry = next(one for one in pool if one.text("version") == "1" and one.text("eprint"))
    names = [f"{name.given} {name.last}".strip() for name in entry.authors]
    now = {"title": "Another title now", "authors": names, "arxiv": entry.text("eprint"), "version": 3}
    (project / "today.jsonl").write_text(json.dumps(now) + "\n")
    patch = project / "refresh.patch"
    result = run(project, "refresh", str(project / "today.jsonl"), "-o", str(patch))
    assert result.exit_code == 0, result.output
    added = [line[1:].strip() for line in patch.read_text().splitlines() if line.startswith("+ ")]
    assert [line.partition("=")[2].strip() for line in added] == ["{Another title now},", "{3},"]
    assert "2 facts of 1 entry differ" in result.output


def test_the_evaluation_is_written_once_and_read_back(project: Path) -> None:
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 11) for day in (5, 12, 19, 26)]
    kept = [entry.text("eprint") for entry in load(project / "bib") if entry.text("eprint")][:120]
    works = [
        {"title": f"Team {n} of language model agents", "abstract": "agents of language models " + "delegate " * (n % 3 == 0),
         "arxiv": kept[n // 3] if n % 3 == 0 else f"2501.{n:05}", "announced": days[n % len(days)]}
        for n in range(360)
    ]  # fmt: skip
    (project / "year.jsonl").write_text("".join(json.dumps(one) + "\n" for one in works))
    for _ in range(2):
        result = run(project, "evaluate", str(project / "year.jsonl"), "--listing", "a year", "--write")
        assert result.exit_code == 0, result.output
    assert (project / "bib" / "searches.toml").read_text().count("\n[evaluation]\n") == 1
    found = load(project / "bib").scouting.evaluation
    assert found is not None and found.listing == "a year" and found.months
    assert "recall at 20 a week" in result.output


def test_without_a_network_one_line_says_so_and_names_what_works(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nothing listens there
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr("survey.cli.scout.find.client_in", partial(client_in, tries=1))
    result = run(project, "find", "--source", "arxiv")
    assert result.exit_code == 1
    (said, error) = result.output.strip().splitlines()
    assert said.startswith("Not reached: arxiv") and said.endswith("survey scout find FILE")
    assert error == "Error: no source could be reached, and none was before"


def test_an_unknown_source_and_an_unknown_route_are_errors_with_the_nearest(project: Path) -> None:
    assert 'did you mean "arxiv"' in run(project, "find", "--source", "arxif").output
    wrong = run(project, "find", str(project / "listing.jsonl"), "--write", "--route", "outside-serch")
    assert 'did you mean "outside-search"' in wrong.output
