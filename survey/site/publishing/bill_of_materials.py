"""The dependencies of the survey: every package with its version and licence, and a software bill of materials.

``python -m survey.site.publishing.bill_of_materials list`` updates ``dependencies.csv``, which the page on
dependencies shows; ``python -m survey.site.publishing.bill_of_materials sbom`` prints a CycloneDX document of what
this environment needs to build the site. Both read only the installed packages.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, fields
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from survey.escaping import csv_text
from survey.extras import PROJECT
from survey.site.pages.dependencies.listing import GROUPS, Dependency, listed

LOCK = "requirements/dev.txt"
"""The lock file that pins every dependency; the other files pin parts of it and the tools that build and audit."""

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)

UNKNOWN = "unknown"

SPDX = {
    "apache 2.0": "Apache-2.0", "apache license": "Apache-2.0", "apache software license": "Apache-2.0",
    "3-clause bsd license": "BSD-3-Clause", "bsd 3-clause license": "BSD-3-Clause",
    "isc license": "ISC", "isc license (iscl)": "ISC",
    "mit licence": "MIT", "mit license": "MIT", "the mit license (mit)": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0", "python software foundation license": "PSF-2.0",
}  # fmt: skip
"""Names of licences as packages write them, and their SPDX identifiers."""

TEXTS = (
    ("Apache License", "Apache-2.0"),
    ("GNU GENERAL PUBLIC LICENSE", "GPL-3.0-or-later"),
    ("Neither the name", "BSD-3-Clause"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("Permission is hereby granted, free of charge", "MIT"),
)
"""A sentence from the text of each licence; the first one found in a text identifies it."""

NAME = re.compile(r"[A-Za-z0-9.+()\- ]{2,60}")


def licence(package: Distribution) -> str:
    """Return the SPDX identifier of an installed package's licence; "unknown" if the package states none.

    Sources, in this order: its licence expression, its licence field, its classifiers, the licence text it ships.
    """
    if expression := _metadata(package, "License-Expression"):
        return expression
    stated = _metadata(package, "License")
    classifiers = package.metadata.get_all("Classifier") or ()
    classified = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    for words in (stated, *classified):
        if found := SPDX.get(words.lower()) or (words if _is_spdx(words) else ""):
            return found
    bsd = "BSD License" in classified  # its text says which one; texts of bundled parts may follow there
    for text in (stated, *_texts(package)):
        for sentence, id in TEXTS:
            if sentence in text and (not bsd or id.startswith("BSD")):
                return id
    return "BSD" if bsd else UNKNOWN


def _metadata(package: Distribution, field: str) -> str:
    """Return a metadata field of a package; empty if it is missing."""
    return str(package.metadata[field]).strip() if field in package.metadata else ""


def _is_spdx(words: str) -> bool:
    return bool(NAME.fullmatch(words)) and (
        words in SPDX.values() or " AND " in words or " OR " in words or "-" in words
    )


def _texts(package: Distribution) -> Iterator[str]:
    """Yield the licence texts that a package ships."""
    for path in package.files or ():
        if re.match(r"(?i)(licen[cs]e|copying)", path.name) and ".dist-info" in str(path):
            yield Path(str(path.locate())).read_text("utf-8", "replace")


def home(package: Distribution) -> str:
    """Return the home page of a package; empty if it states none."""
    addresses: dict[str, str] = {}
    for line in package.metadata.get_all("Project-URL") or ():
        label, _, address = line.partition(",")
        addresses[re.sub(r"[^a-z]", "", label.lower())] = address.strip()
    for label in ("homepage", "home", "repository", "source", "sourcecode", "github", "documentation", "docs"):
        if label in addresses:
            return addresses[label]
    return _metadata(package, "Home-page") or next(iter(addresses.values()), "")


def pins(text: str) -> dict[str, str]:
    """Return the pinned versions of a lock file, by package.

    >>> pins("# made by make pin\\nJinja2==3.1.6 ; python_version < '3.14' \\\\\\n    --hash=sha256:00\\n")
    {'jinja2': '3.1.6'}
    """
    return {canonicalize_name(name): version for name, version in PIN.findall(text)}


def requirements(package: Distribution, extras: Iterable[str] = ("",)) -> list[Requirement]:
    """Return the requirements of a package in this environment, with the given extras."""
    asked = [Requirement(line) for line in package.requires or ()]
    return [
        one for one in asked if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
    ]


def dependency_closure(root: str = PROJECT, extras: Iterable[str] = ("",)) -> dict[str, list[str]]:
    """Return every package that one needs, itself first, with the direct requirements of each.

    Raises:
        PackageNotFoundError: if one is not installed.

    """
    found: dict[str, list[str]] = {}
    asked: list[tuple[str, tuple[str, ...]]] = [(canonicalize_name(root), ("", *extras))]
    seen = set(asked)
    while asked:
        name, with_extras = asked.pop()
        needed = requirements(distribution(name), with_extras)
        names = {canonicalize_name(one.name) for one in needed} - {name}  # an extra may ask for another extra
        found[name] = sorted({*found.get(name, []), *names})
        for one in needed:
            further = (canonicalize_name(one.name), ("", *sorted(one.extras)))
            if further not in seen:
                seen.add(further)
                asked.append(further)
    return {root: found.pop(canonicalize_name(root)), **dict(sorted(found.items()))}


# ------------------------------------------------------------------ the list of dependencies


def updated_listing(lock: Mapping[str, str], before: Iterable[Dependency]) -> list[Dependency]:
    """Return the list with the data of the installed packages. Purposes stay, and so do rows of other packages.

    Raises:
        ValueError: if a package of the lock file is neither installed nor listed before.

    """
    known: dict[str, Dependency] = {canonicalize_name(one.name): one for one in before}
    asked = [group for group in GROUPS if group != "tests"]
    groups = {group: set(dependency_closure(extras=[group])) for group in asked}  # base is no extra
    out = []
    for name, version in sorted(lock.items()):
        old = known.get(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if old is None:
                raise ValueError(f"{LOCK}: {name}=={version} is not installed here (expected: make lint)") from None
            out.append(old)
            continue
        needed = next((group for group, names in groups.items() if name in names), "tests")
        purpose = old.purpose if old else ""
        out.append(Dependency(package.name, version, needed, licence(package), home(package), purpose))
    return out


def as_csv(dependencies: Iterable[Dependency]) -> str:
    """Return the list as CSV."""
    return csv_text((field.name for field in fields(Dependency)), *map(astuple, dependencies))


# ------------------------------------------------------------ the bill of materials


def sbom(root: str = PROJECT) -> dict[str, Any]:
    """Return a CycloneDX 1.6 document of the survey and everything that building the site needs, as installed.

    The same packages give the same document: its serial number is derived from them.
    """
    needed = dependency_closure(root, ["site"])
    parts = [_component(distribution(name)) for name in needed]
    refs = dict(zip(needed, (part["bom-ref"] for part in parts), strict=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(parts, sort_keys=True))}",
        "version": 1,
        "metadata": {"component": {**parts[0], "type": "application"}},
        "components": parts[1:],
        "dependencies": [{"ref": refs[name], "dependsOn": [refs[one] for one in own]} for name, own in needed.items()],
    }


def _component(package: Distribution) -> dict[str, Any]:
    name = canonicalize_name(package.name)
    id = licence(package)
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": f"{name}@{package.version}",
        "name": package.name,
        "version": package.version,
        "licenses": [{"license": {"name": id}} if id in (UNKNOWN, "BSD") else {"expression": id}],
    }
    if summary := _metadata(package, "Summary"):
        component["description"] = summary
    if (address := home(package)).startswith(("https://", "http://")):
        component["externalReferences"] = [{"type": "website", "url": address}]
    return component


def main(arguments: list[str]) -> None:
    """Update the list, or print the bill of materials.

    Raises:
        SystemExit: with a message, if the command is unknown or something is missing.

    """
    try:
        match arguments:
            case ["list"]:
                path = Path(str(files("survey.site.pages.dependencies"))) / "dependencies.csv"
                text = as_csv(updated_listing(pins(Path(LOCK).read_text("utf-8")), listed()))
                path.write_text(text, encoding="utf-8", newline="\n")
                print(f"{len(text.splitlines()) - 1} packages in {path.name}")
            case ["sbom"]:
                print(json.dumps(sbom(), indent=1))
            case _:
                raise SystemExit(f"found {' '.join(arguments) or 'nothing'}, expected list or sbom")
    except PackageNotFoundError as error:
        raise SystemExit(f"{error.name} is not installed here (make build installs what the site needs)") from None
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main(sys.argv[1:])
