"""Every package is pinned, listed with its licence, and may be used; the bill of materials is one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from html import unescape
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution, distribution
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from survey.extras import PROJECT
from survey.literature import Pool
from survey.site.facts import Facts
from survey.site.pages.dependencies.builder import PAGE, dependency_pages
from survey.site.pages.dependencies.listing import GROUPS, listed
from survey.site.publishing import bill_of_materials as supply
from survey.site.publishing.bill_of_materials import (
    LOCK,
    UNKNOWN,
    as_csv,
    dependency_closure,
    home,
    licence,
    pins,
    sbom,
    updated_listing,
)
from tests.conftest import ROOT

PINS = pins((ROOT / LOCK).read_text())
PROJECTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: lines for name, lines in PROJECTS["optional-dependencies"].items() if name != "torch"}
"""What the site and the tests install. torch is for training alone, and pinned in requirements/trainers.txt."""
ASKED = [
    one
    for lines in (PROJECTS["dependencies"], *EXTRAS.values())
    for line in lines
    if (one := Requirement(line)).name != PROJECT
]
"""What the project itself asks for, in its base installation and in any of its extras."""

PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-2-Clause-Views", "BSD-3-Clause",
    "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
FILE_BY_FILE = {"MPL-2.0"}
"""Binds changes to the files under it, and nothing beside them."""
TYPEFACES = {"OFL-1.1"}
"""Allows use, subsets and publication under another name; the licence is published with the fonts."""
COPYLEFT = {"GPL-3.0-or-later", "AGPL-3.0-or-later"}
"""Fine for what tests compare with; nothing of it is published or needed to publish."""


def installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def licences(expression: str) -> set[str]:
    """The licences of an SPDX expression."""
    return set(re.split(r" (?:AND|OR) ", expression.replace("(", "").replace(")", "")))


# ------------------------------------------------------------------------ pins


def test_what_is_installed_is_what_is_pinned() -> None:
    found = {name: Version(package.version) for name in PINS if (package := installed(name))}
    assert found == {name: Version(PINS[name]) for name in found}


def test_everything_that_the_project_asks_for_is_pinned_within_its_range() -> None:
    assert [str(one) for one in ASKED if PINS.get(canonicalize_name(one.name), "") not in one.specifier] == []


def test_everything_that_the_project_needs_here_is_installed_and_pinned_whoever_asks_for_it() -> None:
    here = [one for one in ASKED if one.marker is None or one.marker.evaluate()]
    needed = {canonicalize_name(name) for one in here for name in dependency_closure(one.name, one.extras)}
    assert len(needed) > 100
    assert needed - set(PINS) == set()


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(SystemExit, match=f"{PROJECT} is not installed here"):
        supply.main(["sbom"])


# -------------------------------------------------------------------- the list


def test_the_list_has_every_pin_in_its_version() -> None:
    assert {canonicalize_name(one.name): one.version for one in listed()} == PINS


def test_the_list_says_what_the_installed_packages_say() -> None:
    said = {one.name: (one.licence, one.home) for one in listed() if installed(one.name)}
    assert said == {name: (licence(distribution(name)), home(distribution(name))) for name in said}


def test_what_each_extra_needs_here_is_listed_with_the_first_that_needs_it() -> None:
    assert [*GROUPS] == ["base", *(extra for extra in EXTRAS if extra != "dev"), "tests"]
    known = {PROJECT}
    for group, some in {
        "base": {"msgspec", "click"},
        "analysis": {"numpy"},
        "site": {"mkdocs"},
        "scout": {"scikit-learn"},
        "cluster": {"dask"},
    }.items():
        needed = set(dependency_closure(extras=[group])) - known
        assert some <= needed <= {canonicalize_name(one.name) for one in listed() if one.needed == group}
        known |= needed
    assert {one.needed for one in listed()} == {*GROUPS}


def test_the_base_needs_neither_arrays_nor_pages_and_an_extra_is_not_a_package() -> None:
    assert len(dependency_closure()) < 12
    assert all(PROJECT not in needed for needed in dependency_closure(extras=["dev"]).values())


def test_what_we_ask_for_ourselves_has_a_purpose_in_our_words_and_nothing_else_has() -> None:
    asked = {canonicalize_name(one.name) for one in ASKED}
    purposes = {canonicalize_name(one.name): one.purpose for one in listed()}
    assert {name for name in asked if not purposes[name].endswith(".")} == set()
    assert {name for name, purpose in purposes.items() if purpose} - asked == {"mkdocstrings-python"}


def test_every_licence_is_known_and_may_be_used_for_what_it_is_used_for() -> None:
    wrong = []
    for one in listed():
        accepted = PERMISSIVE | FILE_BY_FILE | TYPEFACES | (COPYLEFT if one.needed == "tests" else set())
        if not licences(one.licence) <= accepted:
            wrong.append(f"{one.name} {one.version}: {one.licence}")
    assert wrong == []


def test_listing_again_keeps_what_a_person_wrote_and_what_is_not_installed_here() -> None:
    before = listed()
    assert as_csv(updated_listing(PINS, before)) == as_csv(sorted(before, key=lambda one: canonicalize_name(one.name)))


def test_a_pin_that_is_neither_installed_nor_listed_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match=r"no-such-package==1\.0 is not installed here"):
        updated_listing({"no-such-package": "1.0"}, [])


# -------------------------------------------------------------- what packages say


def package(folder: Path, about: str, text: str = "") -> Distribution:
    """A package as it lies in an environment."""
    info = folder / "some-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: some\nVersion: 1.0\n{about}\n")
    (info / "LICENSE").write_text(text)
    (info / "RECORD").write_text("some-1.0.dist-info/METADATA,,\nsome-1.0.dist-info/LICENSE,,\n")
    return PathDistribution(info)


@pytest.mark.parametrize(
    ("about", "text", "expected"),
    [
        ("License-Expression: MIT AND PSF-2.0\nLicense: ignored", "", "MIT AND PSF-2.0"),
        ("License: Apache 2.0", "", "Apache-2.0"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License", "", "MIT"),
        ("Classifier: License :: OSI Approved :: BSD License", "... Neither the name of ...", "BSD-3-Clause"),
        ("Classifier: License :: OSI Approved :: BSD License", "", "BSD"),
        ("", "Permission is hereby granted, free of charge, to any person", "MIT"),
        ("License: See the website", "All rights reserved.", UNKNOWN),
        ("", "", UNKNOWN),
    ],
)
def test_the_licence_is_read_off_the_package_and_what_it_does_not_say_is_unknown(
    tmp_path: Path, about: str, text: str, expected: str
) -> None:
    assert licence(package(tmp_path, about, text)) == expected


# ---------------------------------------------------------- the bill of materials


def test_the_bill_of_materials_is_a_cyclonedx_document() -> None:
    schema = JsonStrictValidator(SchemaVersion.V1_6)
    assert schema.validate_str(json.dumps(sbom())) is None
    assert schema.validate_str(json.dumps(sbom() | {"serialNumber": "one"})) is not None


def test_the_bill_has_everything_that_the_site_needs_and_nothing_that_only_tests_do() -> None:
    parts = {canonicalize_name(part["name"]): Version(part["version"]) for part in sbom()["components"]}
    for_site = {canonicalize_name(one.name) for one in listed() if one.needed in ("base", "analysis", "site")}
    assert {"mkdocs", "altair", "bibtexparser", "markupsafe"} < set(parts) <= for_site
    assert parts == {name: Version(PINS[name]) for name in parts}


def test_every_part_of_the_bill_has_a_licence_and_is_needed_by_another() -> None:
    document = sbom()
    assert all(part["licenses"] and UNKNOWN not in str(part["licenses"]) for part in document["components"])
    refs = {part["bom-ref"] for part in document["components"]}
    assert {one for link in document["dependencies"] for one in link["dependsOn"]} == refs


def test_the_bill_is_the_same_in_another_process_and_language_and_names_no_folder_of_this_machine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    supply.main(["sbom"])
    here = capsys.readouterr().out
    command = [sys.executable, "-m", "survey.site.publishing.bill_of_materials", "sbom"]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONHASHSEED": "7"}
    assert subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True).stdout == here
    assert json.loads(here) == sbom()
    assert "file:" not in here
    assert str(Path.home()) + "/" not in here


def test_make_writes_the_bill_whole_or_not_at_all(tmp_path: Path) -> None:
    def make(python: str) -> int:
        made = tmp_path / "bin" / "python"
        made.parent.mkdir(exist_ok=True)
        made.write_text(f"#!/bin/sh\n{python}\n")
        made.chmod(0o755)
        command = ["make", "--file", str(ROOT / "Makefile"), "--old-file", ".venv/.ready", "BIN=bin", "sbom"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True).returncode

    assert make(f'PYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"') == 0
    whole = (tmp_path / "sbom.cdx.json").read_text()
    assert json.loads(whole) == sbom()
    assert make('echo "{"; exit 1') != 0
    assert (tmp_path / "sbom.cdx.json").read_text() == whole


@pytest.mark.parametrize("arguments", [[], ["bom"], ["sbom", "x"]])
def test_anything_else_that_is_asked_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="expected list or sbom"):
        supply.main(arguments)


# ------------------------------------------------------------------------ the page


def test_the_page_names_every_package_with_its_version_and_licence_and_how_to_audit(pool: Pool) -> None:
    [(path, page)] = dependency_pages(Facts(pool))
    assert path == PAGE
    rows = [unescape(line) for line in page.splitlines() if line.startswith("| ")]
    for one in listed():
        told = f"| {one.version} | {one.licence} | {one.purpose}".rstrip()
        assert [row for row in rows if re.match(rf"\| \[?{re.escape(one.name)}\b", row) and told in row], one.name
    assert f"pip-audit --require-hashes --disable-pip --requirement {LOCK}\n" in page
    assert "make sbom" in page


def test_no_host_of_packages_is_named_where_we_tell_how_to_audit(pool: Pool) -> None:
    [(_, page)] = dependency_pages(Facts(pool))
    own_words = "\n".join(line for line in page.splitlines() if not line.startswith("| "))
    assert re.findall(r"https?://([^/)\s]+)", own_words) == ["github.com"]
