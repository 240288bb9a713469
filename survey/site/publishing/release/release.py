"""``make release``: an edition as a data package, with checksums, citation metadata and notes on changed conclusions.

An edition is released as it was published. The working tree must be clean, so that the commit says where every byte
comes from, and the data must have the fingerprint that ``bib/editions.toml`` states for the edition. The files depend
on these alone: the same commit and address give the same files.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from survey.literature import InvalidSurvey, Pool, load
from survey.literature.loading import EDITIONS
from survey.literature.pool.editions import Edition
from survey.literature.problems import expected, quoted
from survey.site.facts import Facts
from survey.site.pages.claims.machine_files import claim_files
from survey.site.publishing.release.metadata import citation, deposit, package, package_name
from survey.site.publishing.release.notes import notes
from survey.site.publishing.staging import Busy, staged_folder

SUMS = "SHA256SUMS"
CITATION = "CITATION.cff"


class Refused(Exception):
    """An edition that cannot be released, and why."""


def release(project: Path, out: Path, day: date | None = None, site_url: str = "") -> Pool:
    """Write the release of an edition, by default the newest, into a new folder; return its data.

    A complete new folder replaces an earlier release.

    Raises:
        Refused: if the tree is not clean, the edition is not one, or its data are not those that were published.
        InvalidSurvey: if the data have problems.
        FileExistsError: if ``out`` holds anything but an earlier release.

    """
    commit = clean_commit(project)
    whole = load(project / "bib")
    pool = whole.as_of(checked_edition(whole, day).day)
    if out.exists() and any(out.iterdir()) and not (out / SUMS).is_file():
        raise FileExistsError(f"{out} holds something else: move it away, or name another folder")
    try:
        cited = (project / CITATION).read_text("utf-8")
    except FileNotFoundError:
        raise Refused(f"{project / CITATION} is missing (expected: how to cite the survey)") from None
    files = contents(pool, site_url, commit)
    told = notes(pool, commit)
    files |= {
        CITATION: citation(cited, pool, commit).encode(),
        ".zenodo.json": deposit(cited, pool, told).encode(),
        "NOTES.md": told.encode(),
    }
    with staged_folder(out) as new:
        for name, data in files.items():
            (new / name).write_bytes(data)
        pack(new / f"{package_name(pool)}.zip", files)
        listed = sorted(path for path in new.iterdir() if path.is_file() and path.name != SUMS)
        sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in listed]
        (new / SUMS).write_text("".join(sums), encoding="utf-8", newline="\n")
    return pool


def contents(pool: Pool, site_url: str, commit: str) -> dict[str, bytes]:
    """Return the files of the data package: the pool in each format, the claims, and the descriptor that lists them."""
    facts = Facts(pool, site_url)
    files = {path.rpartition("/")[2]: data for path, data in facts.exports.items()}
    nanopublications = []
    for path, text in claim_files(facts):
        name = path.rpartition("/")[2]
        if name.endswith(".trig"):
            nanopublications.append(text)
        elif not name.endswith(".jsonld"):
            files[name] = str(text).encode()
    if nanopublications:  # one file: they share their prefixes, and every graph has a name of its own
        files["claims.trig"] = "\n".join(nanopublications).encode()
    return files | {"datapackage.json": package(pool, files, commit).encode()}


def pack(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files into an archive whose bytes depend on nothing else."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{path.stem}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


# ------------------------------------------------------------------ what is refused


def clean_commit(project: Path) -> str:
    """Return the commit of a working tree in which nothing has changed. Raises ``Refused`` otherwise."""
    changed = _git(project, "status", "--porcelain", "--untracked-files=all").splitlines()
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        named = ", ".join(line[3:] for line in changed[:3])
        raise Refused(f"{project}: the working tree has changes ({named}{more}): commit or remove them first")
    return _git(project, "rev-parse", "HEAD").strip()


def _git(project: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        raise Refused("git is not installed: a release states the commit that it is made from") from None
    if done.returncode:
        raise Refused(f"{project}: {done.stderr.strip()} (expected a git repository: a release states its commit)")
    return done.stdout


def checked_edition(pool: Pool, day: date | None) -> Edition:
    """Return the edition of a day, by default the newest. Raises ``Refused`` if its data are not those published."""
    if not pool.editions:
        raise Refused(
            f"bib/{EDITIONS} lists no edition (expected a table like [{pool.day}] with title and fingerprint)"
        )
    day = day or max(pool.editions)
    if day not in pool.editions:
        days = [one.isoformat() for one in pool.editions]
        raise Refused(f"bib/{EDITIONS}: {quoted(day.isoformat())} is not an edition {expected(day.isoformat(), days)}")
    edition, found = pool.editions[day], pool.as_of(day).fingerprint
    if not edition.data:
        raise Refused(f"bib/{EDITIONS}: [{day}] has no data: it is not published yet (survey edition new pins {found})")
    if edition.data != found:
        message = f"the data of that day are {found}, expected {edition.data}, as published"
        raise Refused(
            f"bib/{EDITIONS}: [{day}]: {message} (survey diff --with a copy of that commit shows what changed)"
        )
    return edition


def main(arguments: list[str]) -> None:
    """Run ``make release``: the arguments are the folder to write, and the day of the edition if not the newest."""
    if not 1 <= len(arguments) <= 2:
        raise SystemExit(f"found {len(arguments)} arguments, expected one or two: the folder to write, the edition")
    try:
        day = date.fromisoformat(arguments[1]) if len(arguments) == 2 else None
    except ValueError:
        raise SystemExit(f"{quoted(arguments[1])} is not a date (expected YYYY-MM-DD, as in 2026-05-04)") from None
    try:
        pool = release(Path(), Path(arguments[0]), day, os.environ.get("SITE_URL", ""))
    except (Refused, InvalidSurvey, Busy, OSError) as error:
        raise SystemExit(str(error)) from None
    print(f"{pool.stamp}: {arguments[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
