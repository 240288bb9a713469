"""The offline edition: the built site as a folder that works without a server, with everything to recompute it.

A browser that opens a file follows no link to a folder, fetches nothing and starts no worker.
This module completes the links of the built pages and stores the files that their scripts fetch as
scripts; ``offline.js`` replaces what the browser withholds. The policy of the pages stays equally
strict: it allows files in addition to the site's own address, which a file does not have.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote

from survey.literature import InvalidSurvey
from survey.literature.loading import TAXONOMY
from survey.literature.taxonomy import examples, licence, read_taxonomy
from survey.plurals import plural
from survey.site.markup.templates import environment
from survey.site.publishing.staging import Busy, staged_folder

SHIM = "assets/offline.js"
SEARCH = "search/search_index.json"
SERVED = ("404.html", "sitemap.xml", "sitemap.xml.gz")
"""Files that only a server or a search engine needs."""

TAKEN = ("bib", "requirements", "CITATION.cff", "LICENSE")
"""Parts of the project that are copied unchanged."""

README = "README-OFFLINE.md"

LINK = re.compile(r'(?P<start>\s(?:xlink:)?href=")(?P<address>[^"]*)"')
FEED = re.compile(r'<link rel="alternate"[^<>]*>')
"""The link to a feed: feed readers take none from a file, and Material fetches because of it."""

POLICY = re.compile(
    r'(?<=<meta charset="utf-8">)<meta http-equiv="Content-Security-Policy" content="(?P<policy>[^"]*)">'
)
"""The policy of a page of the site. The report of a trace, a standalone page, has its own and needs no change."""

ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)

Whole = Callable[[str, str], str]


def pack(site: Path, out: Path) -> None:
    """Write a built site into a new folder, so that it works from there.

    Raises:
        FileNotFoundError: if there is no built site.
        ValueError: if its pages have no policy.

    """
    home = site / "index.html"
    if not home.is_file():
        raise FileNotFoundError(f"{site}: there is no site here (expected index.html, which mkdocs build writes)")
    if not POLICY.search(home.read_text(encoding="utf-8")):
        raise ValueError(
            f"{home}: found no Content-Security-Policy, expected a site built with the theme of mkdocs.yml"
        )
    shutil.copytree(site, out, ignore=lambda folder, names: [n for n in names if n in SERVED and Path(folder) == site])
    whole = _whole(out)
    for path in sorted(out.rglob("*.html")):
        _write(path, _page(path.read_text(encoding="utf-8"), path.parent.relative_to(out).as_posix(), whole))
    for path in [*out.glob("charts/*.json"), *out.glob("explore/*.json"), *out.glob("related/*.json")]:
        name = path.relative_to(out).as_posix()
        text = path.read_text(encoding="utf-8")
        _write(
            path.with_name(f"{path.name}.js"), f"surveyTexts[{_literal(name)}]={_literal(_chart(text, name, whole))}\n"
        )
        path.unlink()  # its text is in the script
    _search(out, whole)
    _write(out / SHIM, files(__package__).joinpath("offline.js").read_text("utf-8"))


def assemble(built: Path, project: Path, out: Path) -> int:
    """Write the folder: site, data, source, bill of materials and readme. Return the number of files.

    ``built`` holds ``site``, ``source`` and ``sbom.cdx.json``. A complete new folder replaces an earlier one.

    Raises:
        FileNotFoundError: if a part is missing.
        FileExistsError: if ``out`` holds anything but an earlier folder of this kind.
        InvalidSurvey: if the taxonomy cannot be read.

    """
    parts = [*(built / name for name in ("source", "sbom.cdx.json")), *(project / name for name in TAKEN)]
    for part in (built / "site", *parts):
        if not part.exists():
            raise FileNotFoundError(f"{part} is missing (make offline builds every part of the folder)")
    archives = sorted(path.name for path in (built / "source").iterdir())
    if len(archives) != 1 or not archives[0].endswith(".tar.gz"):
        raise FileNotFoundError(f"{built / 'source'}: found {', '.join(archives) or 'nothing'}, expected one .tar.gz")
    if out.exists() and any(out.iterdir()) and not (out / README).is_file():
        raise FileExistsError(f"{out} holds something else: move it away, or name another folder")
    taxonomy = read_taxonomy(project / "bib" / TAXONOMY)
    about = {
        "title": taxonomy.title or "Survey",
        "examples": examples(taxonomy),
        "licence": licence(taxonomy.settings.licence),
    }
    with staged_folder(out) as new:
        pack(built / "site", new / "site")
        for part in parts:
            (shutil.copytree if part.is_dir() else shutil.copy)(part, new / part.name)
        for name, template in (
            (README, "publishing/offline/readme.md.j2"),
            ("index.html", "publishing/offline/index.html.j2"),
        ):
            _write(new / name, environment().get_template(template).render(source=archives[0], **about))
        listed = [path for path in sorted(new.rglob("*")) if path.is_file()]
        sums = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(new).as_posix()}\n" for p in listed]
        _write(new / "SHA256SUMS", "".join(sums))
    return len(listed) + 1


# ------------------------------------------------------------------ parts of the site


def _whole(root: Path) -> Whole:
    """Return a function that completes an address, relative to a folder of the site, with the page of a folder."""

    @cache
    def is_page(folder: str) -> bool:
        return (root / folder / "index.html").is_file()

    def whole(address: str, folder: str) -> str:
        path, mark, rest = _parted(address)
        if not (path.endswith(("/", "/..")) or path in (".", "..")) or ELSEWHERE.match(path):
            return address
        target = os.path.normpath(os.path.join(folder, unquote(path)))  # noqa: PTH118 - an address, which may go up
        return f"{path.rstrip('/')}/index.html{mark}{rest}" if is_page(target) else address

    return whole


def _parted(address: str) -> tuple[str, str, str]:
    """Split an address into path, the first ``?`` or ``#``, and what follows it."""
    found = re.search(r"[?#]", address)
    return (address[: found.start()], found[0], address[found.end() :]) if found else (address, "", "")


def _page(html: str, folder: str, whole: Whole) -> str:
    html = LINK.sub(lambda m: f'{m["start"]}{escape(whole(unescape(m["address"]), folder))}"', html)
    html = FEED.sub("", html.replace('"navigation.instant", ', ""))
    up = "" if folder == "." else "../" * (folder.count("/") + 1)

    def of_files(found: re.Match[str]) -> str:
        policy = policy_of_files(found["policy"])
        return f'<meta http-equiv="Content-Security-Policy" content="{policy}"><script src="{up}{SHIM}"></script>'

    return POLICY.sub(of_files, html, count=1)


def policy_of_files(policy: str) -> str:
    """Return the policy for pages opened as files: it allows files, and no fetches; workers only if made of text.

    By the standard, ``'self'`` matches no file, although Chromium matches any.

    >>> policy_of_files("default-src 'none'; script-src 'self' 'sha256-x'; connect-src 'self'")
    "default-src 'none'; script-src 'self' file: 'sha256-x'; connect-src 'none'"
    """
    allowed = dict(directive.split(" ", 1) for directive in policy.split("; "))
    of_text = "blob:" in allowed.get("worker-src", "").split()
    allowed |= {
        name: "blob:" if of_text and name == "worker-src" else "'none'"
        for name in ("connect-src", "worker-src")
        if name in allowed
    }
    return "; ".join(f"{name} {sources}".replace("'self'", "'self' file:") for name, sources in allowed.items())


def _chart(text: str, name: str, whole: Whole) -> str:
    """Return the text of a file that scripts fetch; links of a chart, relative to its folder, are completed."""
    if not name.startswith("charts/"):
        return text
    spec = json.loads(text)
    for row in spec.get("data", {}).get("values", []):
        if row.get("href"):
            row["href"] = whole(row["href"], "charts")
    return json.dumps(spec, ensure_ascii=False, sort_keys=True)


def _search(root: Path, whole: Whole) -> None:
    """Write the search index as the script that Material loads for pages opened as files."""
    index = json.loads((root / SEARCH).read_text(encoding="utf-8"))
    for found in index["docs"]:
        found["location"] = whole(f"./{found['location']}", ".").removeprefix("./")
    _write(root / "search/search_index.js", f"var __index = {_literal(index)}\n")
    (root / SEARCH).unlink()


def _literal(data: object) -> str:
    """Return data as a JavaScript literal."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> None:
    """Run ``make offline``: the arguments are the folder of the built parts and the folder to write."""
    if len(arguments) != 2:
        raise SystemExit(f"found {len(arguments)} arguments, expected two: the folder that was built, the one to write")
    built, out = map(Path, arguments)
    try:
        number = assemble(built, Path(), out)
    except (Busy, InvalidSurvey, OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    print(f"{plural(number, 'file')} in {out}: open {out / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
