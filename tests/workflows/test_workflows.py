"""The workflows: write permissions, whose code runs, what is pinned, and the handling of untrusted text."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from playwright._impl._driver import compute_driver_executable

from survey.cli.literature.editions.comment import LIMIT
from tests.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(path.name for path in FOLDER.glob("*.yml"))

Workflow = dict[Any, Any]


def read(name: str) -> Workflow:
    workflow: Workflow = yaml.safe_load((FOLDER / name).read_text())
    return workflow


def steps(workflow: Workflow) -> Iterator[dict[str, Any]]:
    return (step for job in workflow["jobs"].values() for step in job["steps"])


def actions(job: dict[str, Any]) -> list[str]:
    """The actions that a job uses, without their versions."""
    return [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]


def code(step: dict[str, Any]) -> str:
    """What a step executes as a program."""
    return str(step.get("run", "")) + str(step.get("with", {}).get("script", ""))


# ------------------------------------------------------------------ every workflow


PINNED = re.compile(
    r"(?P<action>(?:actions/[a-z-]+|github/codeql-action/[a-z]+)@[0-9a-f]{40}) # v[0-9]+\.[0-9]+\.[0-9]+"
)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_actions_by_github_pinned_by_commit_with_the_version_beside_it(name: str) -> None:
    written = re.findall(r"(?m)^ *(?:- )?uses: *(.*)$", (FOLDER / name).read_text())
    assert [line for line in written if not PINNED.fullmatch(line)] == []
    used = [step["uses"] for step in steps(read(name)) if "uses" in step]
    assert used == [line.partition(" ")[0] for line in written] != []


def test_an_action_is_pinned_to_the_same_commit_everywhere() -> None:
    lines = {line for name in WORKFLOWS for line in re.findall(r"uses: *(.*)", (FOLDER / name).read_text())}
    assert len(lines) == len({line.partition("@")[0] for line in lines})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_expression_is_put_into_a_program(name: str) -> None:
    assert [code(step) for step in steps(read(name)) if "${{" in code(step)] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_permission_is_granted_by_default(name: str) -> None:
    assert read(name)["permissions"] in ({}, {"contents": "read"})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_jobs_without_checkout_and_shell_may_write(name: str) -> None:
    for job in read(name)["jobs"].values():
        may_write = {what for what, right in job.get("permissions", {}).items() if right != "read"}
        if not may_write:
            continue
        assert [step for step in job["steps"] if "run" in step] == []
        if may_write == {"security-events"}:  # CodeQL has to read the code, and runs none of it
            assert {step["with"]["build-mode"] for step in job["steps"] if "/init@" in step["uses"]} == {"none"}
            assert [*{action.partition("/")[0] for action in actions(job) if action != "actions/checkout"}] == [
                "github"
            ]
        else:
            assert "actions/checkout" not in actions(job)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_checkout_leaves_its_token_in_the_folder(name: str) -> None:
    checkouts = [step for step in steps(read(name)) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step.get("with", {}).get("persist-credentials") is not False] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_job_ends_by_itself(name: str) -> None:
    assert [id for id, job in read(name)["jobs"].items() if not 0 < job.get("timeout-minutes", 0) <= 90] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_job_restores_what_another_run_has_cached(name: str) -> None:
    for job in read(name)["jobs"].values():
        assert [action for action in actions(job) if "cache" in action] == []
        for step in job["steps"]:
            given = step.get("with", {})
            assert {key: given[key] for key in given if "cach" in key and given[key] is not False} == {}
            if "codeql-action/init" in step.get("uses", ""):  # it caches unless it is told not to
                assert given["trap-caching"] is given["dependency-caching"] is False
                assert job["env"]["CODEQL_OVERLAY_DATABASE_MODE"] == "none"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_nothing_is_installed_without_its_hash(name: str) -> None:
    commands = [line for step in steps(read(name)) for line in str(step.get("run", "")).splitlines()]
    installs = [line for line in commands if re.search(r"(?<![\w-])(pip3?|pipx|uvx?|npm|npx|apt|apt-get)\b(?!-)", line)]
    assert [line for line in installs if "pip install --require-hashes --only-binary :all: " not in line] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_code_of_a_pull_request_never_runs_with_the_rights_of_the_project(name: str) -> None:
    assert "pull_request_target" not in read(name)[True]  # YAML takes `on` for a truth value


# ------------------------------------------ site.yml: what builds may read, what publishes runs nothing


def test_the_job_that_publishes_only_hands_over_what_a_job_that_may_read_has_built() -> None:
    jobs = read("site.yml")["jobs"]
    build, deploy = jobs["build"], jobs["deploy"]
    assert set(build["permissions"].values()) == {"read"}
    assert actions(build)[-1] == "actions/upload-pages-artifact"
    assert deploy["permissions"] == {"pages": "write", "id-token": "write"}
    assert [set(step) for step in deploy["steps"]] == [{"id", "uses"}]
    assert actions(deploy) == ["actions/deploy-pages"]
    assert (build["needs"], deploy["needs"]) == ("test", "build")
    assert build["if"] == "github.ref == 'refs/heads/main' && github.event_name == 'push'"


# ----------------------------------------- release.yml: what makes the files may read, what attaches them runs nothing


def test_a_release_is_made_from_the_tag_of_an_edition_by_a_job_that_may_only_read() -> None:
    workflow = read("release.yml")
    assert workflow[True] == {"push": {"tags": ["edition-*"]}}
    made, attach = workflow["jobs"]["make"], workflow["jobs"]["attach"]
    assert "permissions" not in made
    assert [line.strip() for step in made["steps"] for line in code(step).splitlines() if "make " in line] == [
        'make release EDITION="${GITHUB_REF_NAME#edition-}"'
    ]
    assert "sha256sum --check --strict SHA256SUMS" in [code(step) for step in made["steps"]]
    assert made["steps"][-1]["with"]["include-hidden-files"] is True, ".zenodo.json"
    assert (attach["needs"], attach["permissions"]) == ("make", {"contents": "write"})
    assert actions(attach) == ["actions/download-artifact", "actions/github-script"], "no checkout"
    assert attach["steps"][0]["with"]["path"].startswith("${{ runner.temp }}/"), "nothing is unpacked over anything"


RELEASES = """
const context = { repo: { owner: 'Some', repo: 'survey' }, ref: 'refs/tags/edition-2026-11-21' };
const sent = [];
const github = { rest: { repos: {
  createRelease: async ({ tag_name, body, draft }) => { sent.push(['create', tag_name, body, draft]); return { data: { id: 5 } }; },
  uploadReleaseAsset: async ({ release_id, name, data, headers }) => {
    if (given.fails === name) throw new Error('lost');
    sent.push(['upload', release_id, name, data.toString(), headers['content-length']]);
  },
  updateRelease: async ({ release_id, draft }) => { sent.push(['update', release_id, draft]); },
} } };
"""


@pytest.fixture
def attached(tmp_path: Path) -> Callable[..., list[Any]]:
    """Run the attaching script on a folder of files; return its calls to GitHub."""

    def run(files: dict[str, str], fails: str = "") -> list[Any]:
        (tmp_path / "release").mkdir()
        for name, text in files.items():
            (tmp_path / "release" / name).write_text(text)
        (step,) = [step for step in read("release.yml")["jobs"]["attach"]["steps"] if code(step)]
        program = f"const given = {json.dumps({'fails': fails})};{RELEASES}(async () => {{ {code(step)} }})()"
        program += ".catch(() => {}).then(() => process.stdout.write(JSON.stringify(sent)));"
        (tmp_path / "attach.js").write_text(program)
        environment = os.environ | {"RUNNER_TEMP": str(tmp_path)}
        node = compute_driver_executable()[0]
        done = subprocess.run([node, "attach.js"], cwd=tmp_path, env=environment, capture_output=True, check=True)
        sent: list[Any] = json.loads(done.stdout)
        return sent

    return run


def test_every_file_is_attached_before_the_release_is_published(attached: Callable[..., list[Any]]) -> None:
    assert attached({"NOTES.md": "What changed é", "SHA256SUMS": "ab", ".zenodo.json": "{}"}) == [
        ["create", "edition-2026-11-21", "What changed é", True],
        ["upload", 5, ".zenodo.json", "{}", 2],
        ["upload", 5, "NOTES.md", "What changed é", 15],
        ["upload", 5, "SHA256SUMS", "ab", 2],
        ["update", 5, False],
    ]


def test_a_release_that_lacks_a_file_stays_a_draft(attached: Callable[..., list[Any]]) -> None:
    sent = attached({"NOTES.md": "x", "SHA256SUMS": "ab"}, fails="SHA256SUMS")
    assert [call[0] for call in sent] == ["create", "upload"]


def test_long_notes_are_cut_to_what_github_takes(attached: Callable[..., list[Any]]) -> None:
    assert len(attached({"NOTES.md": "é" * 200_000})[0][2]) < 125_000


# ------------------------------------------------- beside the workflows: updates, owners, the policy


def test_dependabot_proposes_packages_and_actions_together_once_a_week() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    assert {one["package-ecosystem"]: one["directory"] for one in updates} == {
        "pip": "/requirements",
        "github-actions": "/",
    }
    for one in updates:
        assert one["schedule"]["interval"] == "weekly"
        assert one["cooldown"]["default-days"] >= 7
        assert [group["patterns"] for group in one["groups"].values()] == [["*"]]


def test_every_path_with_an_owner_exists_and_what_decides_what_runs_has_one() -> None:
    lines = [line.split() for line in (ROOT / ".github" / "CODEOWNERS").read_text().splitlines()]
    owners = {line[0]: line[1:] for line in lines if line and line[0] != "#"}
    assert [path for path in owners if not (ROOT / path.strip("/")).exists()] == []
    assert [path for path in owners if path.endswith("/") != (ROOT / path.strip("/")).is_dir()] == []
    assert [path for path, who in owners.items() if not who or not all(one.startswith("@") for one in who)] == []
    assert owners.keys() >= {"/.github/", "/Makefile", "/mkdocs.yml", "/pyproject.toml", "/requirements/"}
    assert owners.keys() >= {"/SECURITY.md", "/survey/site/publishing/"}, "the policies and the plugin"


def test_the_security_policy_is_where_it_is_looked_for_and_other_pages_lead_to_it() -> None:
    policy = (ROOT / "SECURITY.md").read_text()
    for heading in ("Reporting a vulnerability", "Supported versions", "What is trusted", "What is not trusted"):
        assert f"\n## {heading}\n" in policy
    assert [to for to in re.findall(r"\]\((.*?)\)", policy) if not (ROOT / to).is_file()] == []
    assert "[SECURITY.md](SECURITY.md)" in (ROOT / "CONTRIBUTING.md").read_text()
    assert "`SECURITY.md`" in (ROOT / "docs" / "take-part" / "tested.md").read_text()


# ------------------------------------- pool.yml: runs code of the pull request, may only read


def test_what_runs_code_of_the_pull_request_may_only_read() -> None:
    workflow = read("pool.yml")
    assert workflow[True] == {"pull_request": {"paths": ["bib/**"]}}
    assert workflow["permissions"] == {"contents": "read"}
    assert [job for job in workflow["jobs"].values() if "permissions" in job] == []
    (checkout,) = [step for step in steps(workflow) if step.get("uses", "").startswith("actions/checkout")]
    assert checkout["with"]["persist-credentials"] is False
    assert "secrets" not in (FOLDER / "pool.yml").read_text()


@pytest.fixture
def report(tmp_path: Path) -> Callable[[Path, Path], tuple[int, str]]:
    """Run the reporting step on the data of a pull request and of the main branch."""

    def run(now: Path, was: Path) -> tuple[int, str]:
        work, temporary = tmp_path / "work", tmp_path / "temporary"
        (work / ".venv" / "bin").mkdir(parents=True)
        temporary.mkdir()
        shutil.copytree(now, work / "bib")
        shutil.copytree(was, work / "base" / "bib")
        program = work / ".venv" / "bin" / "survey"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m survey "$@"\n')
        program.chmod(0o755)
        (step,) = [step for step in steps(read("pool.yml")) if "survey diff" in code(step)]
        variables = {"RUNNER_TEMP": temporary, "GITHUB_STEP_SUMMARY": temporary / "summary",
                "GITHUB_REPOSITORY_OWNER": "Somebody", "GITHUB_REPOSITORY": "Somebody/survey", "PYTHONPATH": ROOT}  # fmt: skip
        environment = os.environ | {name: str(value) for name, value in variables.items()}
        done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=work, env=environment, capture_output=True)
        return done.returncode, (temporary / "comment.md").read_text()

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    from tests.literature.conftest import ENTRY, TAXONOMY

    bib = tmp_path / "small"
    bib.mkdir()
    (bib / "taxonomy.toml").write_text(TAXONOMY)
    (bib / "pool.bib").write_text(ENTRY)
    return bib


def grown(bib: Path, *changes: tuple[str, str]) -> Path:
    """A copy of the data with one entry more."""
    copy = Path(shutil.copytree(bib, bib.parent / "grown"))
    text = (bib / "pool.bib").read_text()
    for old, new in (("key2026", "new2026"), ("A Title", "Something Else"), *changes):
        text = text.replace(old, new)
    (copy / "pool.bib").write_text((bib / "pool.bib").read_text() + text)
    return copy


def test_it_reports_what_changes(report: Callable[..., tuple[int, str]], small: Path) -> None:
    status, text = report(grown(small), small)
    assert status == 0
    assert text.startswith("1 entry added.\n")
    assert "[new2026](https://somebody.github.io/survey/entries/new2026/)" in text


def test_it_reports_problems_of_the_data_and_fails(report: Callable[..., tuple[int, str]], small: Path) -> None:
    status, text = report(grown(small, ("{shared}", "{shard}")), small)
    assert status == 1
    assert text.startswith("The data has problems:\n\n    bib/pool.bib:")
    assert 'did you mean "shared"?' in text


def test_it_reports_a_main_branch_that_cannot_be_read(report: Callable[..., tuple[int, str]], small: Path) -> None:
    now = grown(small)
    (small / "taxonomy.toml").write_text("[")
    status, text = report(now, small)
    assert status == 1
    assert text.startswith("The data has no problems, but the comparison with the main branch failed:\n\n    base/bib/")


# ------------------------------- pool-comment.yml: may write, runs nothing of the pull request


def test_what_may_write_runs_nothing_of_the_pull_request() -> None:
    workflow = read("pool-comment.yml")
    assert workflow[True] == {"workflow_run": {"workflows": [read("pool.yml")["name"]], "types": ["completed"]}}
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert [step for step in job["steps"] if "run" in step] == [], "no shell"
    assert actions(job) == ["actions/download-artifact", "actions/github-script"], "no checkout"
    assert job["steps"][0]["with"]["path"].startswith("${{ runner.temp }}/"), "nothing is unpacked over anything"


COMMIT = "0123456789abcdef0123456789abcdef01234567"
MARKER = "<!-- survey: what this changes in the pool -->\n"

GITHUB = """
const context = { repo: { owner: 'Some', repo: 'survey' }, payload: { workflow_run: given.run } };
const sent = [];
const core = { notice: (message) => { sent.push(['notice', message]); } };
const github = {
  paginate: async (method, options) => method(options),
  rest: {
    pulls: { list: async ({ head }) => given.pulls.filter((pull) => pull.from === head) },
    issues: {
      listComments: async () => given.comments,
      createComment: async ({ issue_number, body }) => { sent.push(['create', issue_number, body]); },
      updateComment: async ({ comment_id, body }) => { sent.push(['update', comment_id, body]); },
    },
  },
};
"""
"""The part of the GitHub API that the script calls."""


@pytest.fixture
def posted(tmp_path: Path) -> Callable[..., list[Any]]:
    """Run the posting script on a report; return its calls to GitHub."""

    def run(text: str | None, comments: object = (), pulls: object = None, own: object = ()) -> list[Any]:
        folder = tmp_path / "comment"
        folder.mkdir(exist_ok=True)
        if text is not None:
            (folder / "comment.md").write_text(text)
        given = {
            "run": {"head_sha": COMMIT, "head_branch": "more", "pull_requests": own,
                    "head_repository": {"owner": {"login": "guest"}}},
            "pulls": pulls or [{"number": 7, "from": "guest:more", "head": {"sha": COMMIT}}],
            "comments": comments,
        }  # fmt: skip
        (step,) = [step for step in steps(read("pool-comment.yml")) if code(step)]
        program = f"const given = {json.dumps(given)};{GITHUB}(async () => {{ {code(step)} }})()"
        program += ".then(() => process.stdout.write(JSON.stringify(sent)));"
        (tmp_path / "post.js").write_text(program)
        node = compute_driver_executable()[0]
        environment = os.environ | {"RUNNER_TEMP": str(tmp_path)}
        done = subprocess.run([node, "post.js"], cwd=tmp_path, env=environment, capture_output=True, check=True)
        sent: list[Any] = json.loads(done.stdout)
        return sent

    return run


def test_the_first_time_it_creates_a_comment(posted: Callable[..., list[Any]]) -> None:
    assert posted("1 entry added.\n") == [["create", 7, f"{MARKER}1 entry added.\n"]]


def test_after_that_it_updates_its_own_comment_and_nobody_elses(posted: Callable[..., list[Any]]) -> None:
    forged = {"id": 1, "user": {"login": "guest"}, "body": MARKER}
    other = {"id": 2, "user": {"login": "github-actions[bot]"}, "body": "Something else."}
    ours = {"id": 3, "user": {"login": "github-actions[bot]"}, "body": f"{MARKER}Before."}
    assert posted("Now.", [forged, other, ours]) == [["update", 3, f"{MARKER}Now."]]
    assert posted("Now.", [forged, other])[0][:2] == ["create", 7]


def test_the_event_and_not_the_text_says_which_pull_request_it_is(posted: Callable[..., list[Any]]) -> None:
    elsewhere = {"number": 8, "from": "guest:other", "head": {"sha": COMMIT}}
    pushed_since = {"number": 9, "from": "guest:more", "head": {"sha": "f" * 40}}
    this = {"number": 7, "from": "guest:more", "head": {"sha": COMMIT}}
    assert posted("To #8.", pulls=[elsewhere, pushed_since, this])[0][:2] == ["create", 7]
    assert posted("Late.", pulls=[pushed_since]) == [
        ["notice", f"Found 0 open pull requests with head {COMMIT}, expected 1."]
    ]
    assert posted("Not there.", own=[{"number": 8}])[0][0] == "notice"


def test_without_a_text_or_with_too_much_of_it_nothing_is_posted(
    posted: Callable[..., list[Any]], tmp_path: Path
) -> None:
    assert posted(None) == [["notice", "Found no text to post."]]
    assert posted("x" * 300_000) == [["notice", "Found no text to post."]]
    (tmp_path / "secret").write_text("token")
    (tmp_path / "comment" / "comment.md").unlink()
    (tmp_path / "comment" / "comment.md").symlink_to(tmp_path / "secret")
    assert posted(None) == [["notice", "Found no text to post."]]


def test_a_long_text_is_cut_to_what_a_comment_takes(posted: Callable[..., list[Any]]) -> None:
    assert len(posted("é" * 100_000)[0][2]) == 65_000
    assert LIMIT < 65_000


HOSTILE = {
    "a person": ("ask @octocat", "ask @|octocat"),
    "a team": ("@org/team", "@|org/team"),
    "an issue": ("Fixes #12 and a/b#3", "Fixes #|12 and a/b#|3"),
    "an issue the old way": ("gh-12 GH-12", "GH|-12 GH|-12"),
    "an entity": ("&#64;octocat &commat;octocat", "&#|64;octocat &|commat;octocat"),
    "an element": ("<img src=x><a href='//x'>", "<|img src=x><|a href='//x'>"),
    "a marker": ("<!-- survey", "<|!-- survey"),
    "an image": ("![a](https://x.org/a)", "!|[a]|(https:|//x.org/a)"),
    "a link": ("[a](https://x.org)", "[a]|(https:|//x.org)"),
    "a link with a blank": ("[a]( https://x.org)", "[a]|( https:|//x.org)"),
    "a link to a neighbour": ("[a](https://some.github.io/surveys/)", "[a]|(https:|//some.github.io/surveys/)"),
    "a reference": ("[a][b]\n\n[b]: //x.org", "[a]|[b]|\n\n[b]|: //x.org"),
    "a bare address": ("https://x.org www.x.org", "https:|//x.org www|.x.org"),
    "a drawing": ("```mermaid\ngraph\n```", "```|mermaid\ngraph\n```"),
    "a text turned round": ("a\u202eb\u0000c", "a b c"),
}
"""Text, and what is posted of it; a vertical bar stands for a zero-width space."""


@pytest.mark.parametrize(("hostile", "harmless"), list(HOSTILE.values()), ids=list(HOSTILE))
def test_whoever_wrote_the_text_nothing_in_it_acts(
    posted: Callable[..., list[Any]], hostile: str, harmless: str
) -> None:
    body = posted(hostile)[0][2]
    assert body.removeprefix(MARKER).replace("\u200b", "|") == harmless


SITE = "https://some.github.io/survey/"

FOREIGN = (
    f"[a]({SITE}entries/a/)[text](https://x.org)", f"[a]({SITE})[text](https://x.org)", "[a](//x.org)",
    f"[a]({SITE}entries/../../x/)", f"[a]({SITE}../x/)", f"[a]({SITE}entries/%2e%2e/x/)", "_https://x.org",
    f"[a]({SITE}entries/a/?next=//x.org)", f"[a]({SITE}entries/a/ 'title')", f"![a]({SITE}entries/a/)",
    f"[[a]({SITE}entries/a/)](//x.org)", f"[a]({SITE}entries/a/)(//x.org)", f"[a]({SITE}entries/a/)[b]\n\n[b]: //x.org",
    "<https://x.org>", "<me@x.org>", "me@x.org", "mailto:me@x.org", "xmpp:me@x.org/a", "ftp://x.org", "WWW.x.org", "awww.x.org",
    "<details open><summary>More (1)</summary>", "<details><summary><a href=//x.org>A (1)</a></summary>",
    "[^1]\n\n[^1]: https://x.org", "[b]\n\n[b]:\n//x.org", "[b]\n\n[b]: <//x.org>", r"\[b](//x.org)", "[b](<//x.org>)",
    "```math\n\\href{//x.org}{a}\n```", "$\\href{//x.org}{a}$", "$`a`$", "~~~geojson\n{}\n~~~", "&lt;b&gt;", "javascript:alert(1)",
    "|a|\n|-|\n|[b](//x.org)|", "<svg onload=a>", "<!-- a", "![b][c]\n\n[c]: //x.org/b.png", "`", "``", "*", "_", "\n", "\n\n", "- ", "> ", "\\",
)  # fmt: skip
"""Pieces from which the author of a pull request may put a text together: links, pictures, tags, fences."""


def rendered(text: str) -> str:
    """The HTML that GitHub's own renderer makes of a text, with everything that it extends and nothing that it forbids."""
    extensions = [
        part for name in ("autolink", "footnotes", "strikethrough", "table", "tasklist") for part in ("-e", name)
    ]
    command = ["cmark-gfm", "--unsafe", *extensions]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


OURS = re.compile(rf"{re.escape(SITE)}(entries|claims)/[A-Za-z0-9][A-Za-z0-9._+%-]*/")
DRAWN = {f"language-{name}" for name in ("geojson", "math", "mermaid", "stl", "topojson")}
TAGS = {"a", "blockquote", "br", "code", "del", "details", "em", "h1", "h2", "hr", "li", "ol", "p", "pre", "strong", "summary",
    "table", "tbody", "td", "th", "thead", "tr", "ul"}  # fmt: skip


def acting(html: str) -> list[str]:
    """The tags and links of a page that the author of a text must not be able to write."""
    found = BeautifulSoup(html, "html.parser").find_all(True)
    links = [str(tag) for tag in found if tag.get("href") and not OURS.fullmatch(str(tag["href"]))]
    attributes = [str(tag) for tag in found if set(tag.attrs) - {"href", "align", "start", "class"}]
    drawings = [str(tag) for tag in found if {*(tag.get("class") or ())} & DRAWN]
    return links + attributes + drawings + [str(tag) for tag in found if tag.name not in TAGS]


@pytest.mark.programs
def test_github_renders_no_foreign_link_whatever_a_text_is_put_together_from(posted: Callable[..., list[Any]]) -> None:
    assert acting(rendered("[a](//x.org) https://x.org <img src=x>")), "the renderer makes links, and they are seen"
    draw = random.Random(20261122)
    for _ in range(25):
        texts = ["".join(draw.choices(FOREIGN, k=draw.randint(1, 6))) for _ in range(300)] + list(FOREIGN)
        body = posted("\n\n".join(texts)[:60_000])[0][2]
        assert acting(rendered(body)) == []
        for text in draw.sample(texts, 3):  # alone, where no open fence or code span swallows it
            assert acting(rendered(posted(text)[0][2])) == [], text


@pytest.mark.programs
def test_our_own_links_and_folds_are_rendered(posted: Callable[..., list[Any]]) -> None:
    text = f"<details><summary>Added entries (1)</summary>\n\n- [a.b+c]({SITE}entries/a.b%2Bc/) `by`\n\n</details>\n"
    page = BeautifulSoup(rendered(posted(text)[0][2]), "html.parser")
    assert [str(tag["href"]) for tag in page.find_all("a")] == [f"{SITE}entries/a.b%2Bc/"]
    assert page.details is not None


def test_what_we_write_ourselves_is_posted_as_it_is(posted: Callable[..., list[Any]]) -> None:
    text = "1 gap is filled.\n\n<details><summary>Gaps (1)</summary>\n\n- [a](https://some.github.io/survey/entries/a/): `@\u200bb`\n\n</details>\n"
    assert posted(text)[0][2] == MARKER + text
