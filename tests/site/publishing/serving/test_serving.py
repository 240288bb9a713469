"""A server shows pages at once, computes the slow ones beside, says so, and never lets a reader wait for a build."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from mkdocs.livereload import LiveReloadServer

from survey.site.build import Build, Later
from survey.site.cache import Cache
from survey.site.drafts import UNPUBLISHED
from survey.site.families import FAMILIES
from survey.site.publishing.serving.background import BUSY, FAILED, Background
from survey.site.publishing.serving.worker import Worker

SLOW = [family for family in FAMILIES if family.slow]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def page(url: str) -> str:
    try:
        with urlopen(url, timeout=60) as answer:
            return str(answer.read().decode())
    except HTTPError as error:
        return f"{error.code} {error.read().decode()}"
    except URLError:
        return ""


def until(url: str, shows: Callable[[str], bool]) -> str:
    """Ask for a page until it shows something. There is no limit but that of the whole suite."""
    while not shows(found := page(url)):
        time.sleep(0.1)
    return found


def article(html: str) -> str:
    """The content of a page, without the fingerprint of data that are not published."""
    content = html[html.index("<article") : html.index("</article")]
    return re.sub(r"data (?:[0-9a-f]{12}|preview-only)", "data", content)


@pytest.fixture
def served(project: Path) -> Iterator[str]:
    """The address of a server of the small survey, from its start on."""
    url = f"http://127.0.0.1:{free_port()}/"
    environment = os.environ | {"PYTHONPATH": str(project), "NO_MKDOCS_2_WARNING": "1", "SITE_URL": url}
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", url.removeprefix("http://").strip("/")]
    with subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        said: list[str] = []
        threading.Thread(target=lambda: said.extend(server.stderr or ()), daemon=True).start()
        yield url
        server.terminate()
    assert not [line for line in said if "WARNING" in line and "nav" in line], said


def test_the_first_pages_come_before_the_slow_ones_and_what_an_edit_changes_follows(project: Path, served: str) -> None:
    first = until(served, bool)
    assert "Being computed in the background" in first
    assert "Being computed" in page(f"{served}explore/") or "c3" in page(f"{served}explore/")

    # everything comes by itself, the same as in a build
    until(f"{served}axes/credit/message/", lambda html: "<article" in html and not html.startswith("404"))
    last = until(served, lambda html: "Being computed in the background" not in html)
    assert UNPUBLISHED not in last
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", "other"],
        cwd=project, check=True,
        env=os.environ | {"PYTHONPATH": str(project), "NO_MKDOCS_2_WARNING": "1", "SITE_URL": served},
    )  # fmt: skip
    for path in ("axes/credit/message/", "measure/credit-by-topology/", "gaps/", "claims/", "entries/c3/"):
        built = (project / "other" / path / "index.html").read_text()
        assert article(page(f"{served}{path}")) == article(built), path

    # an edited tag: its own page at once, the figures soon
    pool = project / "bib" / "pool.bib"
    edited = re.sub(r"(@misc\{c3,.*?tag-scenario\s*= \{)[^}]*", r"\1safety", pool.read_text(), count=1, flags=re.DOTALL)
    assert edited != pool.read_text()
    pool.write_text(edited)
    until(f"{served}entries/c3/", lambda html: "axes/scenario/safety/" in html)
    until(f"{served}axes/scenario/safety/", lambda html: "entries/c3/" in html)

    # a mistake: the former pages stay, and say that they are from before
    pool.write_text(edited.replace("tag-scenario", "tag-scenery", 1))
    assert "entries/c3/" in until(f"{served}axes/scenario/safety/", lambda html: FAILED in html)
    pool.write_text(edited)
    until(served, lambda html: FAILED not in html)


# ------------------------------------------------------------ the worker


class Answers:
    """What a worker has answered, in order."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.left: list[str] = []
        self.came = threading.Semaphore(0)

    def done(self, error: str) -> None:
        self.errors.append(error)
        self.came.release()


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def worker(project: Path, answers: Answers) -> Iterator[Worker]:
    found = Worker(project / ".cache" / "site", answers.left.append, answers.done)
    yield found
    found.stop()


def build_of(project: Path) -> Build:
    return Build(project / "bib", Cache(project / ".cache" / "site"), preview=True, later=Later())


def test_what_a_worker_computes_is_in_the_cache_of_the_server(project: Path, worker: Worker, answers: Answers) -> None:
    build = build_of(project)
    now = build.files()
    assert build.later
    assert "gaps/index.md" not in now
    assert build.later.has("gaps/index.md")
    worker.ask(build, build.later)
    answers.came.acquire()
    assert answers.errors == [""]
    assert answers.left[0] == f"{len(build.later.families)} of {len(build.later.families)} left to compute"
    again = build_of(project)
    every = again.files()
    assert not again.later
    assert (
        every["gaps/index.md"].load() == Build(project / "bib", Cache(), preview=True).files()["gaps/index.md"].load()
    )


def test_a_worker_that_is_asked_again_answers_the_last_question_only(
    project: Path, worker: Worker, answers: Answers
) -> None:
    for _ in range(3):
        build = build_of(project)
        build.files()
        assert build.later
        worker.ask(build, build.later)
    answers.came.acquire()
    assert answers.errors == [""]
    assert not answers.came.acquire(timeout=1)


def test_a_worker_says_what_is_wrong_and_goes_on(project: Path, worker: Worker, answers: Answers) -> None:
    build = build_of(project)
    build.files()
    assert build.later
    pool = project / "bib" / "pool.bib"
    right = pool.read_text()
    pool.write_text(right.replace("tag-scenario", "tag-scenery", 1))
    worker.ask(build, build.later)
    answers.came.acquire()
    assert "tag-scenery" in answers.errors[0]
    pool.write_text(right)
    worker.ask(build, build.later)
    answers.came.acquire()
    assert answers.errors[1] == ""


def test_a_worker_that_is_killed_is_an_error_and_another_takes_its_place(
    project: Path, worker: Worker, answers: Answers
) -> None:
    build = build_of(project)
    build.files()
    assert build.later
    worker.ask(build, build.later)
    assert worker.process
    worker.process.kill()
    answers.came.acquire()
    assert "has ended" in answers.errors[0]
    worker.ask(build, build.later)
    answers.came.acquire()
    assert answers.errors[1] == ""


# ------------------------------------------------------------ what waits for what


def test_after_an_edit_only_the_slow_families_wait_and_show_what_they_had(project: Path) -> None:
    first = Build(project / "bib", Cache(project / ".cache" / "site"), preview=True)
    before = first.files()
    pool = project / "bib" / "pool.bib"
    pool.write_text(pool.read_text().replace("tag-topology      = {", "tag-topology      = {swarm; ", 1))
    build = build_of(project).after(first)
    now = build.files()
    assert build.later
    assert {family.name for family in build.later.families} == {
        family.name for family in SLOW if family.name != "claim_files" or build.later.has("claims/ledger.csv")
    }
    former = [path for path in before if build.later.has(path)]
    assert "gaps/index.md" in former
    assert all(now[path] is before[path] for path in former)
    assert now["explore/index.md"].mark != before["explore/index.md"].mark


def test_a_page_that_was_edited_does_not_wait(project: Path) -> None:
    text = "One of {{ count() }} works.\n"
    first = Build(project / "bib", Cache(project / ".cache" / "site"), preview=True)
    shown = first.page(text, "read/chapter.md", "docs/read/chapter.md")
    pool = project / "bib" / "pool.bib"
    pool.write_text(re.sub(r"(?ms)^@misc\{(?!c3,).*?^\}\n", "", pool.read_text(), count=1))
    build = build_of(project).after(first)
    assert build.page(text, "read/chapter.md", "docs/read/chapter.md") == shown
    assert build.later
    assert build.later.pages == [(text, "read/chapter.md", "docs/read/chapter.md")]
    edited = build.page(f"All. {text}", "read/chapter.md", "docs/read/chapter.md")
    assert edited.startswith("All. ")
    assert edited.removeprefix("All. ") != shown


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.paths], ids=lambda family: family.name)
def test_a_family_names_all_its_files(project: Path, family: object) -> None:
    [family] = [one for one in FAMILIES if one is family]
    build = Build(project / "bib", Cache(project / ".cache" / "site"))
    assert all(family.has(path) for path in build.family(family))


# ------------------------------------------------------------ the server of MkDocs


def test_pages_are_served_while_a_build_runs_and_after_one_that_failed(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<body>here</body>")
    started, go_on = threading.Event(), threading.Event()

    def build() -> None:
        started.set()
        go_on.wait()
        if not (tmp_path / "mended").exists():
            raise ValueError("wrong")

    server = LiveReloadServer(builder=build, host="127.0.0.1", port=free_port(), root=str(tmp_path))
    background = Background(logging.getLogger("test"))
    background.attach(server)
    server.watch(str(tmp_path))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    until(server.url, lambda html: "here" in html)
    (tmp_path / "wrong").touch()
    started.wait()
    assert "here" in page(server.url)  # it would wait for the build without us
    go_on.set()
    until(server.url, lambda html: FAILED in html)
    (tmp_path / "mended").touch()
    until(server.url, lambda html: "here" in html and FAILED not in html)
    server.shutdown()
    thread.join()


def test_a_note_stands_at_the_end_of_a_page_as_long_as_something_is_left() -> None:
    background = Background(logging.getLogger("test"))
    plain = b"<html><body>a</body></html>"
    assert background.noted(plain) == plain
    background.left = "2 of 3 <left>"
    noted = background.noted(plain).decode()
    assert BUSY.format("2 of 3 &lt;left&gt;") in noted
    assert noted.startswith("<html><body>a<div")
    assert noted.endswith("</div></body></html>")
