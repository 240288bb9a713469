"""The metadata of a release: data package, ``CITATION.cff`` and ``.zenodo.json``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

import yaml

from survey.literature import Pool
from survey.site.markup.downloads import DOWNLOADS
from survey.site.pages.data_files.builder import datapackage

MEDIA = {".csv": "text/csv", ".trig": "application/trig", ".ttl": "text/turtle"} | {
    f".{path.partition('.')[2]}": download.media for path, download in DOWNLOADS.items() if not path.endswith(".csv")
}
"""The media type of each file, by what its name ends with."""

ZENODO = {"CC0-1.0": "cc-zero"}
"""How Zenodo names a licence that it does not name by its SPDX identifier in lower case."""

WORDS = {
    "ledger.csv": "Every claim with its status and its numbers, in the format of the CSV import of ORKG.",
    "claims.trig": "Every claim as a nanopublication.",
    "vocabulary.ttl": "The terms that the nanopublications use and no other vocabulary has.",
}


def package_name(pool: Pool) -> str:
    """Return the name of the archive of a release, which says the edition."""
    return f"survey-data-{pool.day}"


def package(pool: Pool, files: Mapping[str, bytes], commit: str) -> str:
    """Return the descriptor of a data package that lists every file with its size and its hash."""
    about = datapackage(pool, files["pool.json"], files["pool.csv"])
    known = {resource["path"]: resource for resource in about["resources"]}
    words = {path.rpartition("/")[2]: download.words for path, download in DOWNLOADS.items()} | WORDS
    about["resources"] = [known.get(name) or _resource(name, data, words[name]) for name, data in files.items()]
    return _written(about | {"commit": commit, "fingerprint": pool.fingerprint})


def _resource(name: str, data: bytes, words: str) -> dict[str, Any]:
    stem, _, ending = name.partition(".")
    return {
        "name": f"{stem}-{ending.replace('.', '-')}",
        "path": name,
        "description": words,
        "mediatype": MEDIA[f".{ending}"],
        "bytes": len(data),
        "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
    }


def citation(text: str, pool: Pool, commit: str) -> str:
    """Return the citation of the survey for an edition of its data: version, day, licence, fingerprint and commit."""
    cited = yaml.safe_load(text)
    data = {"type": "other", "value": f"data {pool.fingerprint}", "description": "The fingerprint of the data."}
    cited |= {
        "type": "dataset",
        **({"license": named} if (named := pool.taxonomy.settings.licence) else {}),
        "version": pool.day.isoformat(),
        "date-released": pool.day,
        "commit": commit,
        "identifiers": [*cited.get("identifiers", ()), data],
    }
    return str(yaml.safe_dump(cited, sort_keys=False, allow_unicode=True, width=1000))


def deposit(text: str, pool: Pool, told: str) -> str:
    """Return the metadata of a deposit at Zenodo. What the survey builds on is taken from its citation."""
    cited = yaml.safe_load(text)
    built_on = [
        {"identifier": one["value"], "relation": "isDerivedFrom"}
        for work in cited.get("references", ())
        for one in work.get("identifiers", ())
    ]
    paragraphs = (f"<p>{escape(part)}</p>" for part in (pool.stamp, cited["message"]))
    return _written({
        "title": f"{cited['title']}, edition {pool.day}",
        "upload_type": "dataset",
        "description": "".join(paragraphs),
        "notes": f"<pre>{escape(unescape(told))}</pre>",
        "creators": [{"name": _creator(author)} for author in cited["authors"]],
        "version": pool.day.isoformat(),
        "publication_date": pool.day.isoformat(),
        "access_right": "open",
        **({"license": ZENODO.get(named, named.lower())} if (named := pool.taxonomy.settings.licence) else {}),
        "language": "eng",
        "related_identifiers": built_on,
    })  # fmt: skip


def _creator(author: Mapping[str, str]) -> str:
    """Return a creator as Zenodo writes names: the family name first."""
    if "name" in author:
        return author["name"]
    family = " ".join(author[part] for part in ("name-particle", "family-names", "name-suffix") if part in author)
    return ", ".join(part for part in (family, author.get("given-names", "")) if part)


def _written(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
