"""The real site, built once, served on this machine, walked by a real Chromium."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import etree
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Browser, Page, Playwright, Request

from tests.conftest import PACKAGES, ROOT

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]

NOBODY = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""The rules by which the browser finds no other host."""

ADDRESS = "http://survey.localhost/"
"""Where the site says that it is. What is built once is served by each process of the tests, at a port of its own."""

RECORD = """window.__forbidden = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => __forbidden.push(`${violatedDirective} ${blockedURI} ${sample}`.trim()));"""
"""Runs before anything of the page: notes whatever the policy of the site refuses."""

REPOSITORY = "https://forge.invalid/somebody/survey"
"""Where the site says that its repository is."""

BUILT = "1780000000"
"""When the site says that it was built."""

FILTERS_ANSWER = "!document.querySelector('[data-explorer]:not([data-ready]), [data-explorer][aria-busy]')"
"""Whether the table of entries, if there is one on the page, has its rows: the network may be idle before it asks."""


BUILDER, MEANWHILE = "tests/browser/test_every_kind_of_page.py", ("tests/faults/", "tests/fuzz/", "tests/literature/")
"""The file whose process builds the site for all, and what the others can test until it is there."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let nobody wait for the site while there are tests that do without it."""

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(ROOT).as_posix()
        return 0 if path == BUILDER else 1 if path.startswith(MEANWHILE) else 2

    items.sort(key=place)


def goto(page: Page, url: str) -> None:
    """Open an address and wait until all has come and has run.

    An idle network alone says little: on a busy machine it is idle for half a second before the page is parsed.
    """
    page.goto(url, wait_until="load")
    page.wait_for_load_state("networkidle")


def reload(page: Page) -> None:
    """Ask for the page again, and wait as for a new one."""
    page.reload(wait_until="load")
    page.wait_for_load_state("networkidle")


def until(page: Page, condition: str) -> None:
    """Wait until an expression is true, asking from outside: a page under the policy evaluates no text itself."""
    for _ in range(1200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never came true: {condition}")


COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours: another palette changes nothing for all the others."""

ONE_OF_EACH_LOOK = """() => {
  const styles = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "textShadow", "fontSize", "fontWeight",
    "display", "visibility", "position", "left", "right", "transform", "overflow", "clip"];
  const looks = new Map([[null, ""]]), seen = new Set();
  const look = (element) => {
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      looks.set(element, `${look(element.parentElement)} > ${element.localName} ${styles.map((name) => style[name])}`);
    }
    return looks.get(element);
  };
  const said = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const element of document.body.querySelectorAll("*")) {
    element.removeAttribute("data-look");
    if (!element.checkVisibility() || !(said(element) || element.matches("input, select, textarea"))) continue;
    if (seen.has(look(element))) continue;
    seen.add(look(element));
    element.dataset.look = "";
  }
}"""
"""Marks the first text of each look: equal in its own style and in that of all around it."""


def violations(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong with a page, by all of its rules or by some.

    It is asked for nothing else: to describe what is right takes it longer. The contrast of a row in a table is
    that of the next, and a page has thousands of texts in some eighty looks: one of each is measured.
    """
    measured = not rules or "color-contrast" in rules
    others = [rule for rule in rules if rule != "color-contrast"]
    found = []
    if others or not rules:
        found += axe(page, {"runOnly": others} if others else {"rules": {"color-contrast": {"enabled": False}}})
    if measured:
        page.evaluate(ONE_OF_EACH_LOOK)
        found += axe(page, {"runOnly": ["color-contrast"]}, "[data-look]")
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


def axe(page: Page, options: dict[str, Any], within: str = "html") -> list[dict[str, Any]]:
    """The rules that a page breaks, with the places."""
    result = Axe().run(page, context={"include": [within]}, options={"resultTypes": ["violations"]} | options)
    found: list[dict[str, Any]] = result.response["violations"]
    return found


@dataclass(frozen=True)
class Site:
    """A built site: the folder and the address where it is served."""

    folder: Path
    url: str


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that keeps its log to itself."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, whatever is in it by the time it is asked for; the address."""
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def site(shared: Path) -> Site:
    """The site, built strictly by the first process of the tests that asks for it."""
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():  # a build that fails leaves none
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SOURCE_DATE_EPOCH", BUILT)
                places = {"site_dir": str(folder), "site_url": ADDRESS, "repo_url": REPOSITORY}
                build(load_config(str(ROOT / "mkdocs.yml"), strict=True, **places))
    return Site(folder, ADDRESS)


@pytest.fixture(scope="session")
def chromium(shared: Path, playwright: Playwright) -> Iterator[Browser]:
    """The system's Chromium, to which the address of the site is a server of this process."""
    with served(shared / "site") as url:
        host, here = urlsplit(ADDRESS).hostname, urlsplit(url).netloc
        with launched(playwright, f"--host-resolver-rules=MAP {host}:80 {here}, {NOBODY}") as browser:
            yield browser


@contextmanager
def launched(playwright: Playwright, *flags: str) -> Iterator[Browser]:
    """The system's Chromium, closed in the end."""
    browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*FLAGS, *flags])
    yield browser
    browser.close()


CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The names of Chromium. The first never has a window to draw, and loads a page with a third of the work."""


def chromium_path() -> str:
    """Where the system's Chromium is."""
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.fail(f"chromium is missing: make test installs it (Debian package {PACKAGES['chromium']})")
    return path


@dataclass
class Visit:
    """A page in the browser, with everything that went wrong on it and everything it asked of others."""

    page: Page
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def clean(self) -> None:
        """Fail if there was a console error, a page error, a request to another host or anything that was refused."""
        assert self.errors == []
        assert self.foreign == []
        assert self.page.evaluate("window.__forbidden ?? []") == []


@pytest.fixture
def visit(site: Site, chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a page of the site: at a width, in a palette, with or without scripts, with or without its search."""
    with visits(site, chromium) as opened:
        yield opened


@contextmanager
def visits(site: Site, chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages of a site, and close them all in the end."""
    contexts = []

    def opened(path: str = "", width: int = 1280, scheme: str = "light", scripts: bool = True) -> Visit:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
            accept_downloads=True,
        )
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
        context.add_init_script(RECORD)
        page = context.new_page()
        made = Visit(page)
        page.on("console", lambda m: made.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: made.errors.append(str(error)))

        def check(request: Request) -> None:
            if not request.url.startswith((site.url, "data:", "blob:")):
                made.foreign.append(request.url)

        page.on("request", check)
        goto(page, site.url + path)
        if scripts:
            until(page, FILTERS_ANSWER)
        return made

    yield opened
    for context in contexts:
        context.close()


LOADED = frozenset({("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")})
LOADING = ("stylesheet", "icon", "preload", "modulepreload")
"""The relations of links that a browser loads."""


class Parsed:
    """The tags of a page, and what they lead to and load, read by a parser in C: there are more than a thousand pages."""

    def __init__(self, text: str) -> None:
        root = etree.HTML(text, etree.HTMLParser(huge_tree=True))
        self.tags = [(str(tag.tag), dict(tag.attrib)) for tag in root.iter() if isinstance(tag.tag, str)]
        self.title = (root.findtext("head/title") or "").strip()

    @cached_property
    def links(self) -> list[str]:
        """Where its links lead."""
        return [at[name] for tag, at in self.tags if tag == "a" for name in ("href", "xlink:href") if name in at]

    @cached_property
    def ids(self) -> list[str]:
        """The ids of its elements."""
        return [at["id"] for _, at in self.tags if "id" in at]

    @property
    def description(self) -> str:
        """What it says of itself to search engines."""
        found = [at["content"] for tag, at in self.tags if tag == "meta" and at.get("name") == "description"]
        return found[-1] if found else ""

    @property
    def loads(self) -> list[str]:
        """The files that it loads by itself."""
        loading = [(tag, at) for tag, at in self.tags if tag != "link" or at.get("rel") in LOADING]
        return [value for tag, at in loading for name, value in at.items() if (tag, name) in LOADED]

    @property
    def handlers(self) -> list[str]:
        """The attributes that would run as scripts."""
        return [name for _, at in self.tags for name in at if name.startswith("on")]
