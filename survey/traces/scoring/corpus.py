"""The sources of a corpus: local files by glob pattern or folder, remote files by any address that ``fsspec`` supports.

A source is a file of traces, or a log. What several files of a folder tell of one run is one source: a session with the
files of its sub-agents, or a folder that an importer reads as a whole.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from survey.extras import needed
from survey.traces.importers import BadLog, Log, importers, recognised
from survey.traces.problems import nearest, quoted

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://|::)")
"""The start of an address; no path starts like this."""
VERSION = ("size", "ETag", "etag", "md5Hash", "generation", "mtime", "LastModified", "last_modified", "created")
"""Fields of file systems that reveal a changed file."""


ENDINGS = tuple(f"{kind}{packed}" for kind in (".jsonl", ".json", ".eval", ".traj") for packed in ("", ".gz", ".zst"))
"""The names of files in a folder that are taken for traces or logs."""


class CorpusNotFound(ValueError):
    """A pattern without files; the message says what exists instead."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to score, or a folder with one log."""

    name: str
    """The name that rows use."""
    address: str
    """Where a worker finds it: an absolute path or an address."""
    size: int
    version: str
    """A fingerprint that changes with the file, and with its parts."""
    parts: tuple[str, ...] = ()
    """The other files of its log, by absolute path."""

    @property
    def folder(self) -> bool:
        """Whether it is a folder on this machine."""
        return self.local and Path(self.address).is_dir()

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
    """Return the files of all patterns and folders, each once: pattern by pattern, sorted by name.

    Raises ``CorpusNotFound`` for a pattern without files, and ``ModuleNotFoundError`` for an address without fsspec.
    """
    found: dict[str, Source] = {}
    for pattern in patterns:
        for source in _remote(pattern) if is_address(pattern) else _local(pattern):
            found.setdefault(source.address, source)
    parts = {part for source in found.values() for part in source.parts}
    return [source for source in found.values() if source.address not in parts]


def _local(pattern: str) -> Iterator[Source]:
    if pattern and Path(pattern).is_dir():
        names = [str(path) for path in _within(Path(pattern))]
        if not names:
            expected = "a trace or log, with a name that ends in .json, .jsonl, .eval or .traj, packed or not"
            raise CorpusNotFound(f"{quoted(pattern)}: found a folder without a file to score, expected {expected}")
    else:
        found = [pattern] if pattern and Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
        names = [name for name in found if Path(name).is_file()]
        if not names:
            raise CorpusNotFound(f"{quoted(pattern)} matches no file; {_hint(pattern)}")
    others = {folder: parts_in(folder) for folder in {Path(name).parent for name in names}}
    for path in map(Path, names):
        parts = tuple(str(part.absolute()) for part in others[path.parent].get(path, ()))
        yield Source(str(path), str(path.absolute()), *_state(path, parts), parts)


def _within(folder: Path) -> Iterator[Path]:
    """Yield what is to be scored in a folder: itself if it is one log, or else its files and those of its folders."""
    importer = None
    with suppress(BadLog):  # such as a link to elsewhere: the row of that file says so
        importer = recognised(Log(folder))
    if importer and importer.parts is None:
        yield folder
        return
    logs = parts_in(folder)
    for path in sorted(folder.iterdir()):
        if path in logs:
            yield path
        elif path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield from _within(path)
        elif path.is_file() and path.name.endswith(ENDINGS) and not path.name.startswith("."):
            yield path


def parts_in(folder: Path) -> Mapping[Path, Sequence[Path]]:
    """Return the other files of each log in a folder that is known to have any."""
    found: dict[Path, Sequence[Path]] = {}
    for importer in importers().values():
        with suppress(BadLog, OSError):  # the import says what is wrong
            found |= importer.parts(Log(folder)) if importer.parts else {}
    return found


def has_changed(source: Source) -> bool:
    """Return whether a local file or folder, or one of its parts, has changed since it was listed."""
    return (source.size, source.version) != _state(Path(source.address), source.parts)


def _state(path: Path, parts: Iterable[str]) -> tuple[int, str]:
    """Return the size of a file, or of all files of a folder, and a fingerprint that changes with it and its parts."""
    own = [one for one in sorted(path.rglob("*")) if one.is_file()] if path.is_dir() else [path]
    states = [one.stat() for one in own]
    every = [f"{state.st_size} {state.st_mtime_ns}" for state in (*states, *(Path(part).stat() for part in parts))]
    return sum(state.st_size for state in states), " ".join(every) if len(every) < 3 else _digest(repr(every))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


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
        yield Source(url, url, int(about.get("size") or 0), _digest(fingerprint))
