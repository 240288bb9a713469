"""A log as named by the user: a file or a folder, packed or not, JSON or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from survey.traces.files import GZIP, ZSTD, Budget, DecompressionError, decompressed
from survey.traces.model import NOTHING, Content, Trace


class BadLog(ValueError):
    """A log that cannot be read in the chosen format; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a JSON Lines log."""

    line: int
    fields: Mapping[str, Any]


@dataclass
class Log:
    """A file or folder with a log, read once and cached."""

    path: Path
    data: bytes | None = None
    """The content, if it does not come from the path (standard input)."""
    budget: Budget = field(default_factory=Budget)
    """What may be unpacked, together with the other files of the import."""
    unreadable: int = field(default=0, init=False)
    """Number of lines that ``records`` skipped because they are not JSON objects; importers report them as lost."""

    @property
    def is_folder(self) -> bool:
        """Whether the user named a folder."""
        return self.data is None and self.path.is_dir()

    @property
    def is_packed(self) -> bool:
        """Whether the content has to be unpacked before it can be read."""
        if self.is_folder:
            return False
        if self.data is not None:
            return self.data.startswith((GZIP, ZSTD))
        with self.path.open("rb") as stream:
            return stream.read(4).startswith((GZIP, ZSTD))

    @cached_property
    def text(self) -> str:
        """The whole content, unpacked; invalid UTF-8 becomes replacement characters.

        Raises ``BadLog`` if it cannot be unpacked.
        """
        data = self.path.read_bytes() if self.data is None else self.data
        return self.unpacked(data).decode("utf-8-sig", "replace")

    def unpacked(self, data: bytes) -> bytes:
        """Return the content of the file, given its bytes. Raises ``BadLog`` if it cannot be unpacked."""
        try:
            return decompressed(data, str(self.path), self.budget)
        except DecompressionError as error:
            raise BadLog(str(error)) from None

    @cached_property
    def document(self) -> Any:
        """The content as one JSON document; None if it is not one."""
        if self.is_folder:
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    def records(self) -> Iterator[Record]:
        """Yield the objects of a JSON Lines log, in file order. Other lines are counted."""
        self.unreadable = 0
        for number, line in enumerate(self.text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield Record(number, value)
            else:
                self.unreadable += 1

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """Yield the objects of a log that holds one, a list, or one on each line; other items become empty objects."""
        if isinstance(self.document, (dict, list)):
            whole = self.document if isinstance(self.document, list) else [self.document]
            yield from (item if isinstance(item, dict) else NOTHING for item in whole)
        elif not self.is_folder:
            yield from (record.fields for record in self.records())

    def opening(self, number: int = 20) -> list[Mapping[str, Any]]:
        """Return the first objects, for format detection: of the lines, or the document alone."""
        if self.is_folder:
            return []
        if isinstance(self.document, dict):
            return [self.document]
        if isinstance(self.document, list):
            return [item for item in self.document[:number] if isinstance(item, dict)]
        found = []
        for record in self.records():
            found.append(record.fields)
            if len(found) == number:
                break
        return found

    def files(self, pattern: str) -> list[Log]:
        """Return the files of the folder that match a pattern, sorted by name. Raises ``BadLog`` as ``file`` does."""
        return [self.file(path) for path in sorted(self.path.glob(pattern)) if path.is_file()] if self.is_folder else []

    def file(self, path: Path) -> Log:
        """Return another file of the same import: in this folder, or next to this file or below.

        Raises ``BadLog`` for a link to a file elsewhere, which whoever wrote the log may have no right to read.
        """
        folder = self.path if self.is_folder else self.path.parent
        if not path.resolve().is_relative_to(folder.resolve()):
            raise BadLog(
                f"{path}: a link to a file outside {folder} (expected files of the log; copy that file into the folder)"
            )
        return Log(path, budget=self.budget)


@dataclass(frozen=True, slots=True)
class Importer:
    """A reader of one system's logs. Other packages register theirs at the entry point ``survey.importers``."""

    name: str
    title: str
    recognises: Callable[[Log], bool]
    """Returns whether the log has this format, by its content and not by its name."""
    read: Callable[[Log, Content], Iterator[Trace]]
    """Yields the traces in the log. Raises ``BadLog`` if there is none."""
    notes: str = ""
    """What the importer reads, and what its logs do not contain."""
    experimental: bool = False
    """Whether it was never tested on a real log of several agents."""
    parts: Callable[[Log], Mapping[Path, Sequence[Path]]] | None = None
    """For formats whose folders hold many logs: returns the other files that each log in a folder takes in.
    Without it, a folder is one log."""
