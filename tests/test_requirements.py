"""What is installed: each package in one version, each file with a hash, whatever installs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from survey.extras import PROJECT
from survey.site.publishing.bill_of_materials import pins
from tests.conftest import ROOT

FOLDER = ROOT / "requirements"
TRAINERS = "trainers.txt"
"""The one file without hashes, since torch has another build for every kind of machine."""
FILES = sorted(path.name for path in FOLDER.glob("*") if path.name != TRAINERS)
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())

HASHED = re.compile(r"(?P<requirement>[a-z0-9-]+==[^\\]+?)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n")
"""A pinned package as make pin writes it, with the hashes of its files."""


def blocks(name: str) -> list[str]:
    """The pinned packages of a file, each with the lines of its hashes."""
    head, *found = re.split(r"(?m)^(?=[^ #])", (FOLDER / name).read_text())
    assert "make pin" in head
    return found


def asked(extra: str) -> list[Requirement]:
    """What the project asks for with an extra, other extras resolved."""
    lines = METADATA["project"]["optional-dependencies"][extra]
    own, other = [], {canonicalize_name(PROJECT)}
    for one in map(Requirement, lines):
        own += [part for name in one.extras for part in asked(name)] if one.name in other else [one]
    return own


ASKED = {
    "site.txt": [*map(Requirement, METADATA["project"]["dependencies"]), *asked("site")],
    "dev.txt": [*map(Requirement, METADATA["project"]["dependencies"]), *asked("dev")],
    "build.txt": [*map(Requirement, METADATA["dependency-groups"]["build"])],
    "audit.txt": [*map(Requirement, METADATA["dependency-groups"]["audit"])],
}


def test_each_file_pins_what_one_part_of_the_project_asks_for() -> None:
    assert sorted(ASKED) == FILES
    assert {*METADATA["build-system"]["requires"]} <= {*METADATA["dependency-groups"]["build"]}


@pytest.mark.parametrize("name", FILES)
def test_every_package_has_one_version_and_a_hash(name: str) -> None:
    found = blocks(name)
    assert [block for block in found if not HASHED.fullmatch(block)] == []
    assert len(found) == len(pins("".join(found))) > 5


def test_the_training_packages_have_one_version_each() -> None:
    head, *found = re.split(r"(?m)^(?=[^ #])", (FOLDER / TRAINERS).read_text())
    assert "not by hash" in head
    assert [line for line in found if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*\n", line)] == []
    assert len(found) == len(pins("".join(found))) > 50


def test_what_the_extra_torch_asks_for_is_among_the_training_packages_within_its_range() -> None:
    pinned = pins((FOLDER / TRAINERS).read_text())
    [torch] = [one for one in asked("torch") if one.name == "torch"]
    assert pinned["torch"] in torch.specifier


@pytest.mark.parametrize("name", [*FILES, TRAINERS])
def test_no_place_to_download_from_is_named(name: str) -> None:
    assert re.findall(r"(?m)://|^ *-[^-]|--(?!hash=)[a-z-]+|\s@\s", (FOLDER / name).read_text()) == []


@pytest.mark.parametrize("name", FILES)
def test_everything_asked_for_is_pinned_within_its_range(name: str) -> None:
    pinned = pins((FOLDER / name).read_text())
    assert [str(one) for one in ASKED[name] if pinned.get(canonicalize_name(one.name), "") not in one.specifier] == []


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("name", ["site.txt", "dev.txt"])
def test_what_is_asked_for_somewhere_is_pinned_there(name: str, system: str, python: str) -> None:
    there = {"sys_platform": system, "python_version": python, "python_full_version": f"{python}.0"}
    matched = (Requirement(found["requirement"]) for block in blocks(name) if (found := HASHED.fullmatch(block)))
    pinned = {one.name for one in matched if one.marker is None or one.marker.evaluate(there)}
    needed = {canonicalize_name(one.name) for one in ASKED[name] if one.marker is None or one.marker.evaluate(there)}
    assert needed - pinned == set()
    assert Version(python) in SpecifierSet(METADATA["project"]["requires-python"])


def test_a_package_has_the_same_version_and_hashes_wherever_it_is_installed_together() -> None:
    def hashes(name: str) -> dict[str, set[str]]:
        return {block.partition("==")[0]: set(re.findall(r"==[^\s;]+|sha256:\w+", block)) for block in blocks(name)}

    site, build, dev = hashes("site.txt"), hashes("build.txt"), hashes("dev.txt")
    assert site == {name: dev.get(name) for name in site}
    assert build.keys() - dev.keys() == {"setuptools"}
    assert {name: build[name] for name in build.keys() & dev.keys()} == {
        name: dev[name] for name in build.keys() & dev.keys()
    }


# ------------------------------------------------------------------ make


@pytest.fixture(params=["pip", "uv"])
def installs(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The commands by which make would install, with uv and without."""
    if request.param == "uv":
        (tmp_path / "uv").symlink_to("/bin/sh")
    environment = {**os.environ, "PATH": str(tmp_path)}
    make = next(path for folder in os.get_exec_path() if (path := Path(folder, "make")).is_file())
    command = [str(make), "--dry-run", "--always-make", f"VENV={tmp_path}/venv", f"{tmp_path}/venv/.ready-dev"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found = [line for line in done.stdout.splitlines() if "pip install " in line]
    assert all(line.startswith("uv ") == (request.param == "uv") for line in found)
    return found


def test_make_installs_by_hash_and_nothing_else_but_the_project_itself(installs: list[str]) -> None:
    site, project, dev = installs
    assert project.endswith(" --no-deps --no-build-isolation --editable .")
    assert " --require-hashes --only-binary :all: " in site, "nothing that the site needs is built"
    assert " --require-hashes --no-build-isolation " in dev, "what is built for the tests is built by what is pinned"
    files = re.findall(r"--requirement (\S+)", " ".join(installs))
    assert files == ["requirements/build.txt", "requirements/site.txt", "requirements/dev.txt"]


def test_a_wheel_that_was_changed_after_it_was_pinned_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "some-1.0-py3-none-any.whl"

    def write(content: str) -> None:
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("some.py", content)
            archive.writestr("some-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: some\nVersion: 1.0\n")
            archive.writestr(
                "some-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr("some-1.0.dist-info/RECORD", "")

    def install() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--find-links", str(tmp_path),
                "--target", str(tmp_path / "installed"), "--require-hashes", "--requirement", str(pinned)]  # fmt: skip
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    write("")
    pinned = tmp_path / "pinned.txt"
    pinned.write_text(f"some==1.0 \\\n    --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n")
    assert install().returncode == 0
    write("print('changed')")
    refused = install()
    assert refused.returncode == 1
    assert "DO NOT MATCH THE HASHES" in refused.stderr
