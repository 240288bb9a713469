"""What the survey is built from: every package with its version and licence, and a bill of materials.

``python -m survey.site.publishing.bill_of_materials list`` writes ``dependencies.csv`` again, which the page on
dependencies shows; ``python -m survey.site.publishing.bill_of_materials sbom`` prints a CycloneDX document of what
this environment needs to build the site. Both ask only what is installed here.
"""

from __future__ import annotations

import csv
import io
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

from survey.site.pages.dependencies.listing import Dependency, listed

PROJECT = "orchestration-survey"
UNKNOWN = "unknown"

SPDX = {
    "apache 2.0": "Apache-2.0", "apache license": "Apache-2.0", "apache software license": "Apache-2.0",
    "3-clause bsd license": "BSD-3-Clause", "bsd 3-clause license": "BSD-3-Clause",
    "isc license": "ISC", "isc license (iscl)": "ISC",
    "mit licence": "MIT", "mit license": "MIT", "the mit license (mit)": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0", "python software foundation license": "PSF-2.0",
}  # fmt: skip
"""How packages write the names of licences, and the name that SPDX has for it."""

TEXTS = (
    ("Apache License", "Apache-2.0"),
    ("GNU GENERAL PUBLIC LICENSE", "GPL-3.0-or-later"),
    ("Neither the name", "BSD-3-Clause"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("Permission is hereby granted, free of charge", "MIT"),
)
"""A sentence that a text of a licence has, and which licence that makes it; the first found decides."""

NAME = re.compile(r"[A-Za-z0-9.+()\- ]{2,60}")


def licence(package: Distribution) -> str:
    """The licence of an installed package as SPDX names it; "unknown" if the package does not say.

    Asked are its licence expression, its field for the licence, its classifiers, and the text that it brings.
    """
    if expression := _said(package, "License-Expression"):
        return expression
    said = _said(package, "License")
    classifiers = package.metadata.get_all("Classifier") or ()
    classified = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    for words in (said, *classified):
        if found := SPDX.get(words.lower()) or (words if _is_spdx(words) else ""):
            return found
    bsd = "BSD License" in classified  # which of them, its text says; others may follow there, of what it brings along
    for text in (said, *_texts(package)):
        for sentence, id in TEXTS:
            if sentence in text and (not bsd or id.startswith("BSD")):
                return id
    return "BSD" if bsd else UNKNOWN


def _said(package: Distribution, field: str) -> str:
    """A field of what a package says of itself; empty if it does not."""
    return str(package.metadata[field]).strip() if field in package.metadata else ""


def _is_spdx(words: str) -> bool:
    return bool(NAME.fullmatch(words)) and (
        words in SPDX.values() or " AND " in words or " OR " in words or "-" in words
    )


def _texts(package: Distribution) -> Iterator[str]:
    """The licence texts that a package brings."""
    for path in package.files or ():
        if re.match(r"(?i)(licen[cs]e|copying)", path.name) and ".dist-info" in str(path):
            yield Path(str(path.locate())).read_text("utf-8", "replace")


def home(package: Distribution) -> str:
    """The address at which the project is at home; empty if the package does not say."""
    addresses: dict[str, str] = {}
    for line in package.metadata.get_all("Project-URL") or ():
        label, _, address = line.partition(",")
        addresses[re.sub(r"[^a-z]", "", label.lower())] = address.strip()
    for label in ("homepage", "home", "repository", "source", "sourcecode", "github", "documentation", "docs"):
        if label in addresses:
            return addresses[label]
    return _said(package, "Home-page") or next(iter(addresses.values()), "")


def pins(text: str) -> dict[str, str]:
    """The versions that a lock file names, by package.

    >>> pins("# the very versions\\nJinja2==3.1.6\\n")
    {'jinja2': '3.1.6'}
    """
    named = (line.split("#")[0].strip() for line in text.splitlines())
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in named if line)}


def needs(package: Distribution, extras: Iterable[str] = ("",)) -> list[Requirement]:
    """What a package needs here, with the given extras."""
    asked = [Requirement(line) for line in package.requires or ()]
    return [
        one for one in asked if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
    ]


def closure(root: str = PROJECT, extras: Iterable[str] = ("",)) -> dict[str, list[str]]:
    """Every installed package that one needs, itself first, and what each of them needs directly.

    Raises:
        PackageNotFoundError: if one is not installed.

    """
    found: dict[str, list[str]] = {}
    asked: list[tuple[str, tuple[str, ...]]] = [(canonicalize_name(root), ("", *extras))]
    seen = set(asked)
    while asked:
        name, with_extras = asked.pop()
        needed = needs(distribution(name), with_extras)
        names = {canonicalize_name(one.name) for one in needed}
        found[name] = sorted({*found.get(name, []), *names})
        for one in needed:
            further = (canonicalize_name(one.name), ("", *sorted(one.extras)))
            if further not in seen:
                seen.add(further)
                asked.append(further)
    return {root: found.pop(canonicalize_name(root)), **dict(sorted(found.items()))}


# ------------------------------------------------------------------ the list of all


def relisted(lock: Mapping[str, str], before: Iterable[Dependency]) -> list[Dependency]:
    """The list again, from what is installed here. Purposes stay; so does all that is told of what is not installed.

    Raises:
        ValueError: if a package of the lock file is neither installed nor listed before.

    """
    known: dict[str, Dependency] = {canonicalize_name(one.name): one for one in before}
    for_site, for_cluster = set(closure()), set(closure(extras=["cluster"]))
    out = []
    for name, version in sorted(lock.items()):
        old = known.get(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if old is None:
                raise ValueError(
                    f"constraints.txt: {name}=={version} is not installed here (expected: make lint)"
                ) from None
            out.append(old)
            continue
        needed = "site" if name in for_site else "cluster" if name in for_cluster else "tests"
        purpose = old.purpose if old else ""
        out.append(Dependency(package.name, version, needed, licence(package), home(package), purpose))
    return out


def as_csv(dependencies: Iterable[Dependency]) -> str:
    """The list as a table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in fields(Dependency))
    writer.writerows(astuple(one) for one in dependencies)
    return out.getvalue()


# ------------------------------------------------------------ the bill of materials


def sbom(root: str = PROJECT) -> dict[str, Any]:
    """A CycloneDX 1.6 document of the survey and everything that it needs to run, as installed here.

    The same packages give the same document: its serial number is made from them.
    """
    needed = closure(root)
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
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": f"{name}@{package.version}",
        "name": package.name,
        "version": package.version,
        "licenses": [{"license": {"name": id}} if id in (UNKNOWN, "BSD") else {"expression": id}],
    }
    if summary := _said(package, "Summary"):
        made["description"] = summary
    if (address := home(package)).startswith(("https://", "http://")):
        made["externalReferences"] = [{"type": "website", "url": address}]
    return made


def main(arguments: list[str]) -> None:
    """Write the list again, or print the bill of materials.

    Raises:
        SystemExit: with what is wrong, if anything else is asked or something is missing.

    """
    try:
        match arguments:
            case ["list"]:
                path = Path(str(files("survey.site.pages.dependencies"))) / "dependencies.csv"
                made = as_csv(relisted(pins(Path("constraints.txt").read_text("utf-8")), listed()))
                path.write_text(made, encoding="utf-8", newline="\n")
                print(f"{len(made.splitlines()) - 1} packages in {path.name}")
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
