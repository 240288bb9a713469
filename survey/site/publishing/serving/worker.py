"""A process of its own that computes for a server what its builds leave for later, into the cache that both share.

It reads a request a line, as JSON, from standard input, and answers with a line when all is computed. What it has read
stays in memory for the next request.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from survey.literature import InvalidSurvey
from survey.site.build import Build, Later
from survey.site.cache import Cache
from survey.site.families import FAMILIES

TO_COME = "{} of {} left to compute"


class Worker:
    """The process, as a server sees it. ``done`` is called in a thread of its own with an error, or an empty text."""

    def __init__(self, cache: Path, report: Callable[[str], None], done: Callable[[str], None]) -> None:
        self.cache, self.report, self.done = cache, report, done
        self.process: subprocess.Popen[str] | None = None
        self.asked = 0
        """The number of the last request: the answers to earlier ones are of no interest."""

    def ask(self, build: Build, later: Later) -> None:
        """Ask for what a build has left for later."""
        if self.process is None or self.process.poll() is not None:
            if self.process:
                _close(self.process)
            self._start()
        self.asked += 1
        request = {
            "number": self.asked,
            "cache": str(self.cache),
            "data": str(build.data),
            "docs": str(build.docs) if build.docs else "",
            "site_url": build.site_url,
            "issues": build.issues,
            "repository": build.repository,
            "preview": build.preview,
            "families": [family.name for family in later.families],
            "pages": later.pages,
        }
        assert self.process and self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        """End the process."""
        if self.process:
            process, self.process = self.process, None
            process.kill()
            process.wait()
            _close(process)

    def _start(self) -> None:
        command = [sys.executable, "-m", __name__]
        path = os.pathsep.join(place for place in sys.path if place)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": path},
        )
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        with process.stdout as answers:
            self._report_each(answers, process)
        if process is self.process and process.wait():
            self.done(f"the process that computes pages has ended ({process.returncode})")

    def _report_each(self, answers: Iterable[str], process: subprocess.Popen[str]) -> None:
        for line in answers:
            answer = json.loads(line)
            if answer["number"] == self.asked and process is self.process:
                if "left" in answer:
                    self.report(answer["left"])
                else:
                    self.done(answer["error"])


def _close(process: subprocess.Popen[str]) -> None:
    """Close what was written to an ended process; what it has answered is closed where it is read."""
    with contextlib.suppress(BrokenPipeError):  # it has not read all of it
        assert process.stdin
        process.stdin.close()


def main() -> None:
    """Answer requests until standard input ends. A request that came in meanwhile takes the place of an older one."""
    waiting: list[dict[str, Any]] = []
    came = threading.Condition()

    def read() -> None:
        for line in sys.stdin:
            if not line.endswith("\n"):
                break
            with came:
                waiting.append(json.loads(line))
                came.notify()
        os._exit(0)  # the server has ended, perhaps within a line

    threading.Thread(target=read, daemon=True).start()
    build: Build | None = None
    while True:
        with came:
            came.wait_for(lambda: waiting)
            request = waiting[-1]
            waiting.clear()
        build = _answered(request, build, lambda: bool(waiting))


def _answered(request: dict[str, Any], former: Build | None, is_outdated: Callable[[], bool]) -> Build | None:
    """Compute what is asked for, say so, and return what is known of the data now."""
    error, build = "", former
    cache = former.cache if former else Cache(Path(request["cache"]))
    try:
        new = Build(
            Path(request["data"]),
            cache,
            request["site_url"],
            request["issues"],
            request["repository"],
            docs=Path(request["docs"]) if request["docs"] else None,
            preview=request["preview"],
        )
        build = new.after(former)
        steps: list[tuple[str, Callable[[], object]]] = [
            (family.name, lambda family=family: build.family(family))  # type: ignore[misc]
            for family in FAMILIES
            if family.name in request["families"]
        ]
        steps += [(page, lambda page=page, text=text, shown=shown: build.page(text, page, shown))  # type: ignore[misc]
                  for text, page, shown in request["pages"]]  # fmt: skip
        for place, (_, compute) in enumerate(steps):
            if is_outdated():
                return build
            _say({"number": request["number"], "left": TO_COME.format(len(steps) - place, len(steps))})
            compute()
    except InvalidSurvey as wrong:
        error = str(wrong)
    except Exception as wrong:  # the server computes it itself then, and shows where it fails
        error = f"{type(wrong).__name__}: {wrong}"
    _say({"number": request["number"], "error": error})
    return build


def _say(answer: dict[str, Any]) -> None:
    try:
        print(json.dumps(answer), flush=True)
    except BrokenPipeError:  # the server has ended
        os._exit(0)


if __name__ == "__main__":
    main()
