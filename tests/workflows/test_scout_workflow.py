"""The weekly workflow scout.yml: what the job that may only read hands over, and what the other does with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

from survey.literature import load
from tests.cli.test_scout import with_nothing_waiting
from tests.conftest import ROOT
from tests.workflows.test_workflows import actions, code, read

COMMIT = "0123456789abcdef0123456789abcdef01234567"

WORK = {
    "title": "A team of language model agents `rm -rf .` $(touch attacked)",
    "abstract": "We train an orchestrator of language model agents to delegate.",
    "arxiv": "2611.00001", "announced": "2026-11-11",
}  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Some One", "-c", "user.email=one@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def looked(tmp_path: Path) -> Callable[..., tuple[int, dict[str, str], str]]:
    """Run the step that looks, with a listing in place of the services; return its status, its files, its output."""

    def run(*works: dict[str, Any], refreshed: dict[str, Any] | None = None) -> tuple[int, dict[str, str], str]:
        work, temporary, output = tmp_path / "work", tmp_path / "temporary", tmp_path / "output"
        temporary.mkdir()
        with_nothing_waiting(work)
        git(work, "init", "--quiet")
        git(work, "add", "bib")
        git(work, "commit", "--quiet", "--message", "The data")
        for name, listing in (("found", works), ("refreshed", [refreshed] if refreshed else [])):
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in listing))
        program = work / ".venv" / "bin" / "survey"
        program.parent.mkdir(parents=True)
        program.write_text(
            "#!/bin/sh\n"
            'case "$2" in\n'
            f'find) set -- "$@" {tmp_path / "found.jsonl"} ;;\n'
            f"refresh) {'' if refreshed else 'echo not reached: a service >&2; exit 1;'} "
            f'set -- "$@" {tmp_path / "refreshed.jsonl"} ;;\n'
            "esac\n"
            f'exec {sys.executable} -m survey "$@"\n'
        )
        program.chmod(0o755)
        (step,) = [step for step in read("scout.yml")["jobs"]["look"]["steps"] if step.get("id") == "look"]
        variables = {"RUNNER_TEMP": temporary, "GITHUB_OUTPUT": output, "PYTHONPATH": ROOT}
        environment = os.environ | {name: str(value) for name, value in variables.items()}
        done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=work, env=environment, capture_output=True)
        files = {path.name: path.read_text() for path in (temporary / "scout").iterdir()}
        assert not (work / "attacked").exists()
        return done.returncode, files, output.read_text() if output.exists() else done.stderr.decode()

    return run


def test_what_is_new_is_queued_and_handed_over(looked: Callable[..., tuple[int, dict[str, str], str]]) -> None:
    status, files, output = looked(WORK)
    assert (status, output) == (0, "found=true\n")
    assert files.keys() == {"find.txt", "refresh.txt", "refresh.patch", "screened.csv", "searches.toml"}
    assert "arxiv:2611.00001" in files["screened.csv"]
    assert 'route = "scout"' in files["searches.toml"].rpartition("[[run]]")[2]
    assert "1 work seen, 1 above the floor, 1 new, 1 shown" in files["find.txt"]
    assert (files["refresh.patch"], files["refresh.txt"]) == ("", "not reached: a service\n")


def test_without_anything_new_nothing_is_proposed(looked: Callable[..., tuple[int, dict[str, str], str]]) -> None:
    assert looked(WORK | {"abstract": "", "title": "Teapots"})[2] == "found=false\n"


def test_other_metadata_are_proposed_as_a_patch_that_git_takes(
    looked: Callable[..., tuple[int, dict[str, str], str]], tmp_path: Path
) -> None:
    entry = next(one for one in load(ROOT / "bib") if one.text("version") == "1" and one.text("eprint"))
    names = [f"{name.given} {name.last}".strip() for name in entry.authors]
    now = {"title": "Another title now", "authors": names, "arxiv": entry.text("eprint"), "version": 3}
    status, files, output = looked(refreshed=now)
    assert (status, output) == (0, "found=true\n")
    (tmp_path / "given.patch").write_text(files["refresh.patch"])
    git(tmp_path / "work", "apply", str(tmp_path / "given.patch"))
    assert load(tmp_path / "work" / "bib")[entry.key].title == "Another title now"


# ---------------------------------------------------------------- the job that may write


def test_what_may_write_runs_nothing_that_was_found() -> None:
    look, propose = (read("scout.yml")["jobs"][id] for id in ("look", "propose"))
    assert "permissions" not in look
    assert propose["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert actions(propose) == ["actions/download-artifact", "actions/github-script"], "no checkout, no shell"
    assert propose["steps"][0]["with"]["path"].startswith("${{ runner.temp }}/"), "nothing is unpacked over anything"
    assert "secrets" not in json.dumps([look, propose])


GITHUB = """
const context = { repo: { owner: 'Some', repo: 'survey' }, sha: given.commit, ref: 'refs/heads/main' };
const sent = [];
const core = { notice: (message) => { sent.push(['notice', message]); } };
const call = (name, result) => async ({ owner, repo, ...rest }) => { sent.push([name, rest]); return { data: result }; };
const github = { rest: {
  pulls: { list: async () => ({ data: given.open }), create: call('pull', { number: 9 }) },
  git: {
    getCommit: async ({ commit_sha }) => ({ data: { tree: { sha: `tree of ${commit_sha}` } } }),
    createTree: call('tree', { sha: 'tree' }), createCommit: call('commit', { sha: 'new' }),
    listMatchingRefs: async () => ({ data: given.refs.map((ref) => ({ ref })) }),
    updateRef: call('update', {}), createRef: call('create', {}),
  },
} };
"""
"""The part of the GitHub API that the script calls."""

Sent = list[list[Any]]


@pytest.fixture
def proposed(tmp_path: Path) -> Callable[..., Sent]:
    """Run the proposing script on the files of the other job; return its calls to GitHub."""

    def run(files: dict[str, str], refs: tuple[str, ...] = (), open: tuple[dict[str, int], ...] = ()) -> Sent:
        (tmp_path / "scout").mkdir(exist_ok=True)
        whole = dict.fromkeys(("screened.csv", "searches.toml", "find.txt", "refresh.txt", "refresh.patch"), "") | files
        for name, text in whole.items():
            (tmp_path / "scout" / name).write_text(text)
        (step,) = [step for step in read("scout.yml")["jobs"]["propose"]["steps"] if code(step)]
        given = json.dumps({"commit": COMMIT, "refs": refs, "open": open})
        program = f"const given = {given};{GITHUB}(async () => {{ {code(step)} }})()"
        program += ".then(() => process.stdout.write(JSON.stringify(sent)));"
        (tmp_path / "propose.js").write_text(program)
        environment = os.environ | {"RUNNER_TEMP": str(tmp_path)}
        node = compute_driver_executable()[0]
        done = subprocess.run([node, "propose.js"], cwd=tmp_path, env=environment, capture_output=True, check=True)
        sent: Sent = json.loads(done.stdout)
        return sent

    return run


def test_the_data_become_one_commit_and_one_pull_request(proposed: Callable[..., Sent]) -> None:
    tree, commit, ref, pull, notice = proposed(
        {"screened.csv": "id\né\n", "searches.toml": "x = 1\n", "find.txt": "New."}
    )
    assert tree[1]["base_tree"] == f"tree of {COMMIT}"
    assert [(one["path"], one["mode"], one["content"]) for one in tree[1]["tree"]] == [
        ("bib/screened.csv", "100644", "id\né\n"), ("bib/searches.toml", "100644", "x = 1\n"),
    ]  # fmt: skip
    assert (commit[1]["tree"], commit[1]["parents"]) == ("tree", [COMMIT])
    assert ref == ["create", {"ref": "refs/heads/scout", "sha": "new"}]
    assert (pull[1]["head"], pull[1]["base"]) == ("scout", "main")
    assert "\nNew.\n" in pull[1]["body"] and "git apply" not in pull[1]["body"]
    assert notice == ["notice", "Opened pull request 9."]


def test_the_branch_of_a_finished_pull_request_is_used_again(proposed: Callable[..., Sent]) -> None:
    sent = proposed({}, refs=("refs/heads/scout-two", "refs/heads/scout"))
    assert ["update", {"ref": "heads/scout", "sha": "new", "force": True}] in sent
    assert "create" in [call[0] for call in proposed({}, refs=("refs/heads/scout-two",))]


def test_decisions_on_an_open_pull_request_are_never_overwritten(proposed: Callable[..., Sent]) -> None:
    assert proposed({}, refs=("refs/heads/scout",), open=({"number": 7},)) == [
        ["notice", "Pull request 7 is still open: merge or close it. Nothing was proposed."]
    ]


@pytest.mark.parametrize(
    "hostile",
    ["~~~~~~~~~\n@octocat <img src=x>", "~" * 40_000, "x\u202e\u0000y", "`" * 50_000, "@octocat fixes #1 " * 9_000],
    ids=["a fence", "a long fence", "text turned round", "quotes", "a long text"],
)
def test_whoever_wrote_the_text_it_stays_in_its_fence(proposed: Callable[..., Sent], hostile: str) -> None:
    sent = proposed({"find.txt": hostile, "refresh.txt": hostile, "refresh.patch": hostile})
    body = next(call[1]["body"] for call in sent if call[0] == "pull")
    fence = "~" * 9
    assert len(body) < 65_536
    assert body.count(fence) == 6, "three texts, each in its own fence, and no fence within"
    within = body.split(fence)[1::2]
    assert all(text.startswith("text\n") and text.endswith("\n") for text in within)
    outside = "".join(body.split(fence)[::2])
    assert "octocat" not in outside and "\u202e" not in body and "\u0000" not in body
