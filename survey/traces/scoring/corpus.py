"""The files of a corpus: local files by glob pattern, remote files by any address that ``fsspec`` supports."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from survey.extras import needed
from survey.traces.problems import nearest, quoted

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://|::)")
"""The start of an address; no path starts like this."""
VERSION = ("size", "ETag", "etag", "md5Hash", "generation", "mtime", "LastModified", "last_modified", "created")
"""Fields of file systems that reveal a changed file."""


class CorpusNotFound(ValueError):
    """A pattern without files; the message says what exists instead."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to score."""

    name: str
    """The name that rows use."""
    address: str
    """Where a worker finds it: an absolute path or an address."""
    size: int
    version: str
    """A fingerprint that changes with the file."""

    @property
    def local(self) -> bool:
        """Whether the file is on this machine."""
        return not is_address(self.address)


def is_address(pattern: str) -> bool:
    """Whether a pattern has a scheme.

    >>> is_address("s3://runs/*.jsonl"), is_address("runs/*.jsonl")
    (True, False)
    """
    return SCHEME.match(pattern) is not None


def sources(patterns: Iterable[str]) -> list[Source]:
    """Return the files of all patterns, each once: pattern by pattern, sorted by name.

    Raises ``CorpusNotFound`` for a pattern without files, and ``ModuleNotFoundError`` for an address without fsspec.
    """
    found: dict[str, Source] = {}
    for pattern in patterns:
        for source in _remote(pattern) if is_address(pattern) else _local(pattern):
            found.setdefault(source.address, source)
    return list(found.values())


def _local(pattern: str) -> Iterator[Source]:
    if pattern and Path(pattern).is_dir():
        raise CorpusNotFound(f"{quoted(pattern)} is a folder (did you mean {quoted(str(Path(pattern) / '*'))}?)")
    names = [pattern] if pattern and Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    files = [name for name in names if Path(name).is_file()]
    if not files:
        raise CorpusNotFound(f"{quoted(pattern)} matches no file; {_hint(pattern)}")
    for name in files:
        state = Path(name).stat()
        yield Source(name, str(Path(name).absolute()), state.st_size, f"{state.st_size} {state.st_mtime_ns}")


def _hint(pattern: str) -> str:
    """Describe the nearest existing folder of a pattern."""
    parts = Path(pattern).parts[:-1]
    plain = [part for place, part in enumerate(parts) if not any(map(glob.has_magic, parts[: place + 1]))]
    folder = Path(*plain)
    missing = ""
    while not folder.is_dir() and folder != folder.parent:
        folder, missing = folder.parent, folder.name
    held = sorted(path.name for path in folder.iterdir())
    if missing:
        likely = nearest(missing, [name for name in held if (folder / name).is_dir()])
        return f"there is no {quoted(missing)} in the nearest folder that exists, {quoted(str(folder))}{likely}"
    shown = ", ".join(map(quoted, held[:3])) + (f" and {len(held) - 3} more" if len(held) > 3 else "")
    return f"the folder {quoted(str(folder))} holds {shown or 'nothing'}"


def _remote(pattern: str) -> Iterator[Source]:
    fsspec: Any = needed("fsspec")
    try:
        system, path = fsspec.core.url_to_fs(pattern)
        listed: Mapping[str, Mapping[str, Any]] = system.glob(path, detail=True)
    except Exception as error:  # every file system has errors of its own, with no common ancestor
        known = fsspec.available_protocols()
        scheme = pattern.partition(":")[0]
        hint = "" if scheme in known else nearest(scheme, known)
        reason = str(error) or type(error).__name__
        raise CorpusNotFound(f"{quoted(pattern)} cannot be listed: {reason}{hint}") from None
    files = {name: about for name, about in sorted(listed.items()) if about.get("type") == "file"}
    if not files:
        raise CorpusNotFound(f"{quoted(pattern)} matches no file")
    for name, about in files.items():
        url = system.unstrip_protocol(name)
        fingerprint = repr([str(about[field]) for field in VERSION if field in about])
        yield Source(url, url, int(about.get("size") or 0), blake2b(fingerprint.encode(), digest_size=8).hexdigest())
