"""The samples of an Inspect log, in any of its forms."""

from __future__ import annotations

import io
import json
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from survey.traces.files import LARGE, RATIO, DecompressionError, SizeLimited, Use
from survey.traces.importers.json_values import Fields, items, mapping, text
from survey.traces.importers.log import BadLog, Log

# Inspect packs with Zstandard since 2026, which the zip module of older Pythons cannot read.
if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

ZIP = b"PK\x03\x04"
OPENINGS = (b"_journal/", b"samples/", b"header.json")
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")
IN_PIECES = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
UNPACKING = (zipfile.BadZipFile, ZstdError, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
"""Exceptions raised by damaged archives and by unsupported compression."""

PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD)
"""The packings that Inspect writes. Those that it does not, bzip2 and LZMA, shrink a gigabyte to a few kilobytes."""

EVENTS = 100_000
"""The number of events that is always allowed; a small event needs a hundred times its size in memory."""

BYTES_PER_EVENT = 16
"""The least bytes of a file for each event beyond that; the time and the id of an event alone take more, packed."""


@dataclass
class Samples:
    """The samples of a log, read one at a time because an archive may hold thousands."""

    log: Log
    header: Fields = field(default_factory=dict)
    unreadable: int = 0
    """Number of samples, or pieces of samples, that could not be read."""

    def __iter__(self) -> Iterator[Fields]:
        """Yield the samples. Raises ``BadLog`` if the archive cannot be opened, or for more events than any log has."""
        size = self.log.path.stat().st_size if self.log.data is None else len(self.log.data)
        found, limit = 0, max(EVENTS, size // BYTES_PER_EVENT)
        for sample in self._of_archive(size) if is_archive(self.log) else self._of_document():
            found += _number_of_events(sample)
            if found > limit:
                raise BadLog(
                    f"{self.log.path.name}: found {found:,} events in {size:,} bytes, as in no genuine log "
                    f"(expected at most {limit:,}; if it is genuine, import its samples one by one)"
                )
            yield sample

    def _of_document(self) -> Iterator[Fields]:
        document = mapping(self.log.document)
        self.header = mapping(document.get("eval"))
        for sample in items(document.get("samples")) if self.header else [document]:
            if isinstance(sample, Mapping):
                yield sample
            else:
                self.unreadable += 1

    def _of_archive(self, size: int) -> Iterator[Fields]:
        try:
            archive = _archive(self.log)
        except UNPACKING as error:
            raise BadLog(f"{self.log.path.name}: a zip archive that cannot be opened: {error}") from None
        with archive:
            names = list(dict.fromkeys(archive.namelist()))
            self._claim(size, sum(archive.getinfo(name).file_size for name in names if _is_readable(archive, name)))
            header = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            self.header = mapping(mapping(self._member(archive, header) if header else None).get("eval"))
            pieces = _pieces(names)
            for name in names:
                if WHOLE.fullmatch(name):
                    sample = self._member(archive, name)
                elif match := IN_PIECES.fullmatch(name):
                    sample = self._joined(archive, name, pieces[match[1]])
                else:
                    continue
                if isinstance(sample, Mapping):
                    yield sample
                else:
                    self.unreadable += 1

    def _claim(self, packed: int, unpacked: int) -> None:
        """Check the sizes that the directory of the archive gives, before anything is unpacked."""
        budget, name = self.log.budget, str(self.log.path)
        try:
            budget.start(name)
            budget.take(name, Use(packed, unpacked))
        except DecompressionError as error:
            raise self._too_large(error) from None
        budget.start(name)
        budget.take(name, Use(packed))  # each member adds its own

    def _member(self, archive: zipfile.ZipFile, name: str) -> Any:
        if not _is_readable(archive, name):
            return None
        try:
            with archive.open(name) as stream:
                # the directory says how much is unpacked, and the zip module reads no more
                data = SizeLimited(stream, lambda: 0, f"{self.log.path}/{name}", self.log.budget).read()
            return json.loads(data)
        except DecompressionError as error:
            raise self._too_large(error) from None
        except (*UNPACKING, ValueError, RecursionError):
            return None

    def _too_large(self, error: DecompressionError) -> BadLog:
        return BadLog(f"{self.log.path.name}: an archive that cannot be unpacked: {error}")

    def _joined(self, archive: zipfile.ZipFile, shell: str, pieces: Mapping[str, list[str]]) -> Fields | None:
        sample = self._member(archive, shell)
        if not isinstance(sample, dict):
            return None
        lists: dict[str, list[Any]] = {"events": [], "attachments": []}
        for kind, members in lists.items():
            for name in pieces[kind]:
                piece = self._member(archive, name)
                members += items(piece)
                self.unreadable += not isinstance(piece, list)
        attachments = {str(place): attachment for place, attachment in enumerate(lists["attachments"])}
        return {**sample, "events": lists["events"], "attachments": attachments}


def events_of(sample: Fields) -> list[Any]:
    """Return the events of a sample; logs of early 2024 have them in its transcript."""
    return items(sample.get("events")) or items(mapping(sample.get("transcript")).get("events"))


def _number_of_events(sample: Fields) -> int:
    """Return the number of events of a sample, those inside others included."""
    number, waiting = 0, [events_of(sample)]
    while waiting:
        events = waiting.pop()
        number += len(events)
        waiting += [inner for event in events if (inner := items(mapping(event).get("events")))]
    return number


def _is_readable(archive: zipfile.ZipFile, name: str) -> bool:
    """Return whether a member has a known packing, and no more bytes than a log of its packed size."""
    member = archive.getinfo(name)
    return member.compress_type in PACKINGS and member.file_size <= max(LARGE, RATIO * member.compress_size)


def is_archive(log: Log) -> bool:
    """Return whether the log is an ``.eval`` archive, by its first bytes and the names in it."""
    if log.is_folder:
        return False
    start = _start(log)
    if not start.startswith(ZIP):
        return False
    if start[30:].startswith(OPENINGS):
        return True
    try:
        with _archive(log) as archive:
            return any(name.encode().startswith(OPENINGS) for name in archive.namelist())
    except UNPACKING:
        return False


def is_document(log: Log) -> bool:
    """Return whether the log is a JSON log of Inspect, one of its samples, or a list of its events."""
    if log.is_folder or _start(log).startswith(ZIP):
        return False
    document = mapping(log.document)
    header = mapping(document.get("eval"))
    if header and ("samples" in document or "plan" in document) and ("run_id" in header or "task" in header):
        return True
    return any(_is_event(event) for event in items(document.get("events"))[:5])


def _is_event(value: object) -> bool:
    event = mapping(value)
    known = ("span_begin", "span_end", "sample_init", "step", "state", "model", "tool", "score", "store")
    return text(event.get("event")) in known and "timestamp" in event


def _start(log: Log) -> bytes:
    if log.data is not None:
        return log.data[:64]
    with log.path.open("rb") as stream:
        return stream.read(64)


def _archive(log: Log) -> zipfile.ZipFile:
    return zipfile.ZipFile(log.path if log.data is None else io.BytesIO(log.data))


def _pieces(names: list[str]) -> Mapping[str, Mapping[str, list[str]]]:
    """Return the names of the pieces by sample and kind, ordered by the index in the name."""
    found: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for name in names:
        if match := re.fullmatch(r"(samples/.+_epoch_\d+)/(events|attachments)/(\d{1,18})\.json", name):
            found[match[1]][match[2]].append((int(match[3]), name))
    ordered: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for sample, kinds in found.items():
        for kind, numbered in kinds.items():
            ordered[sample][kind] = [name for _, name in sorted(numbered)]
    return ordered
